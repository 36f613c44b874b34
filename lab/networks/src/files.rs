//! Networks from files, whose formats are recognized.

mod adjacency;
mod columns;
mod dimacs;
mod dot;
mod edges;
mod encoding;
mod error;
mod gml;
mod graphml;
mod links;
mod matrix;
mod metis;
mod node_link;
mod pajek;
pub mod parts;
mod raw;
mod recognize;
mod tables;

pub use error::{Components, FileError, FilePosition};
pub use links::Links;

use crate::format::FileFormat;
use crate::topology::{Note, Topology};
use edges::Trust;
use raw::{Flaw, Raw};
use recognize::{HEAD, Reading};
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

/// Options for reading a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileOptions {
    /// Whether to take the largest component of a network that is not connected (of several, the
    /// one with the first node) instead of returning an error.
    pub largest_component: bool,
    /// The format; `None` to recognize it.
    pub format: Option<FileFormat>,
}

/// Reads a network from a file.
///
/// The format is recognized by the content if that has a signature, and otherwise by the extension;
/// [`FileOptions::format`] overrides both. A text that is plausible both as an edge list and as an
/// adjacency list is refused, because these are different networks. A file is in UTF-8, or in
/// UTF-16 with a byte order mark.
///
/// - **Edge list** (`.txt`, `.edges`, `.edgelist`, `.el`, `.csv`, `.tsv`): a link a line, as two
///   labels separated by white space or commas (in `.csv` by commas or semicolons, in `.tsv` by
///   tabs alone); a label alone is a node. Lines that begin with `#` or `%` are comments. A first
///   line that names the columns, or counts nodes and links, is a header. It is read line by line.
/// - **Adjacency list** (`.adjlist`): a line for each node, with its label and those of its
///   neighbours; also the multiline form of networkx.
/// - **Adjacency matrix**: a row of numbers for each node; 0 is no link. The first row and the
///   first column may be labels; nodes without are named by their numbers from 0.
/// - **GraphML** (`.graphml`, `.xml`): one graph. Graphs nested in nodes are taken as parts of it,
///   the outer node as a node like others. A node is named by its data for the key whose
///   `attr.name` is `label`, or else by its id; a name that several nodes share has the id added in
///   brackets. Hyperedges and ports are refused.
/// - **DOT** (`.dot`, `.gv`): one graph or digraph, with edges between nodes and subgraphs. A node
///   is named by its own attribute `label`, where it is plain text, or else by its id. Ports
///   (`a:n`) are ignored.
/// - **GML** (`.gml`): one graph; nodes are named by `label`, or else by `id`.
/// - **Pajek** (`.net`, `.paj`): one network, with edges, arcs, lists of them, or a matrix.
/// - **METIS** (`.graph`, `.metis`): nodes are named by their numbers from 1.
/// - **Node-link JSON** (`.json`): nodes are named by `label`, `name` or `id`; without ids, links
///   name them by their places.
/// - **DIMACS** (`.col`, `.clq`, `.gr`, `.dimacs`) and **Matrix Market** (`.mtx`, in coordinates):
///   nodes are named by their numbers from 1.
///
/// Directed edges are taken as links, parallel links collapsed, self-loops dropped and weights
/// ignored: [`Topology::notes`] gives the number of each. Nodes are numbered in the order in which
/// the file first mentions them (in formats that declare nodes, declares them). Takes linear time
/// and memory, up to sorting.
///
/// # Errors
/// If the file cannot be read, is in another format or may be in two, breaks the rules of its
/// format, holds no node, is not connected, or is too large for memory (see
/// [`FileError::TooLarge`]).
pub fn read_file(path: impl AsRef<Path>, options: FileOptions) -> Result<Topology, FileError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    match File::open(path) {
        Ok(file) => read_from(file, &name, options),
        Err(source) => Err(FileError::Io { path: name, source }),
    }
}

/// Reads a network as [`read_file`] does, from any reader. The name stands for the path: its
/// extension may indicate the format, and messages show it.
///
/// ```
/// use suffrage_networks::{FileFormat, FileOptions, read_from};
///
/// // As a METIS graph: a path of three nodes. As an edge list: a triangle, and more.
/// let text = "3 2\n2\n1 3\n2\n";
/// let path = read_from(text.as_bytes(), "network", FileOptions::default())?;
/// assert_eq!((path.nodes(), path.links(), path.kind()), (3, 2, "tree"));
/// assert_eq!(path.notes()[0].to_string(), "read as a METIS graph, by its content");
///
/// let told = FileOptions { format: Some(FileFormat::Pajek), ..FileOptions::default() };
/// let error = read_from(text.as_bytes(), "network", told).unwrap_err();
/// assert_eq!(error.to_string(), "network:1: `*Vertices NUMBER` should come first");
/// # Ok::<(), suffrage_networks::FileError>(())
/// ```
///
/// # Errors
/// The same as those of [`read_file`].
pub fn read_from(
    reader: impl Read,
    name: &str,
    options: FileOptions,
) -> Result<Topology, FileError> {
    let (raw, note) =
        read_raw(reader, name, options.format).map_err(|fault| fault.in_file(name))?;
    raw::topology(raw, name, options.largest_component, note)
}

/// Reads the content of a file, with a note on the format where the name does not indicate it.
fn read_raw(
    reader: impl Read,
    name: &str,
    told: Option<FileFormat>,
) -> Result<(Raw, Option<Note>), Flaw> {
    let mut reader = BufReader::with_capacity(1 << 16, reader);
    recognize::refuse_binary(reader.fill_buf()?)?;
    let mut reader = encoding::utf8(reader)?;
    let (head, reading) = read_head(&mut reader, name, told)?;
    let reader = Cursor::new(head).chain(reader);
    let separator = reading.separator;
    let raw = match reading.format {
        FileFormat::EdgeList => edges::read(reader, separator, Trust::of(told, reading.columns)),
        FileFormat::AdjacencyList => adjacency::read(reader, separator),
        FileFormat::MultilineAdjacencyList => adjacency::read_multiline(reader, separator),
        format => {
            let text = encoding::whole(reader)?;
            match format {
                FileFormat::AdjacencyMatrix => matrix::read(&text, separator),
                FileFormat::Dot => dot::read(&text),
                FileFormat::Gml => gml::read(&text),
                FileFormat::Pajek => pajek::read(&text),
                FileFormat::Metis => metis::read(&text),
                FileFormat::NodeLink => node_link::read(&text),
                FileFormat::Dimacs => dimacs::read(&text),
                FileFormat::MatrixMarket => matrix::read_market(&text),
                _ => graphml::read(&text),
            }
        }
    }?;
    Ok((raw, reading.note()))
}

/// Reads the beginning of a text, and determines by it how to read the text.
fn read_head(
    reader: &mut impl Read,
    name: &str,
    told: Option<FileFormat>,
) -> Result<(Vec<u8>, Reading), Flaw> {
    let mut head = Vec::new();
    reader.by_ref().take(HEAD).read_to_end(&mut head)?;
    let whole = (head.len() as u64) < HEAD;
    // Content that is not text is reported where it is read.
    let reading = recognize::reading(&String::from_utf8_lossy(&head), whole, name, told)?;
    Ok((head, reading))
}
