//! Networks from files, whose formats are recognized.

mod adjacency;
mod columns;
mod dimacs;
mod dot;
mod edges;
mod encoding;
mod error;
mod foreign;
mod gml;
mod graph6;
mod header;
mod json;
mod links;
mod matrix;
mod metis;
mod pajek;
pub mod parts;
mod raw;
mod reading;
mod xml;

pub use error::{Components, FileError, FilePosition};
pub use links::Links;

use crate::format::FileSyntax;
use crate::input::Input;
use crate::topology::{Note, Topology};
use encoding_rs::Encoding;
use raw::{Flaw, Raw};
use reading::{HEAD, Reading};
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

/// Options for reading a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileOptions {
    /// Whether to take the largest component of a network that is not connected (of several, the
    /// one with the first node) instead of returning an error.
    pub largest_component: bool,
    /// The format, and how a table is divided; `None` to find out.
    pub format: Option<FileSyntax>,
}

/// Reads a network from a file, plain or packed by gzip, bzip2, xz or zstd.
///
/// A format is known by its signature, by the extension, or by [`FileOptions::format`]. A table (an edge
/// list, an adjacency list or a matrix) has no signature: it is read where its lines fit exactly one
/// reading, a format with a separator and perhaps a header. Where several fit that give different networks,
/// the error shows each. `docs/reference/networks.md` in the repository describes all formats and options.
///
/// Directed edges are taken as links, parallel links collapsed, self-loops dropped (in tables refused, unless
/// the format was given) and weights ignored: [`Topology::notes`] has the number of each, and how a table was
/// read. Nodes are numbered in the order in which the file first mentions them (in formats that declare
/// nodes, declares them). Takes linear time and memory, up to sorting.
///
/// # Errors
/// If the file cannot be read, is in another format or may be in two, breaks the rules of its
/// format, holds no node, is not connected, or is too large for memory (see
/// [`FileError::TooLarge`]).
pub fn read_file(path: impl AsRef<Path>, options: FileOptions) -> Result<Topology, FileError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    match Input::open(path) {
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
/// let told = FileOptions { format: Some(FileFormat::Pajek.into()), ..FileOptions::default() };
/// let error = read_from(text.as_bytes(), "network", told).unwrap_err();
/// assert_eq!(error.to_string(), "network:4: the file ends without a line `*Vertices NUMBER`");
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
    let (raw, note) = read_raw(reader, name, options).map_err(|fault| fault.in_file(name))?;
    raw::topology(raw, name, options.largest_component, note)
}

/// Reads the content of a file, with a note on how it was read.
fn read_raw(
    reader: impl Read,
    name: &str,
    options: FileOptions,
) -> Result<(Raw, Option<Note>), Flaw> {
    let mut reader = plain(reader, options.format.and_then(|syntax| syntax.encoding))?;
    let (head, mut reading) = read_head(&mut reader, name, options)?;
    let note = reading.note();
    let raw = match reading.raw.take() {
        Some(raw) => raw,
        None => reading.read(Cursor::new(head).chain(reader))?,
    };
    Ok((raw, note))
}

/// Returns a reader of the text of a file of networks or of identities: unpacked, in UTF-8, in lines.
fn plain<'a>(
    reader: impl Read + 'a,
    told: Option<&'static Encoding>,
) -> Result<Box<dyn BufRead + 'a>, Flaw> {
    let mut reader = BufReader::with_capacity(1 << 16, reader);
    foreign::refuse_binary(reader.fill_buf()?)?;
    let mut reader = encoding::unpacked(reader)?;
    let start = reader.fill_buf()?;
    foreign::refuse_binary(start)?;
    encoding::refuse_packed(start)?;
    encoding::utf8(reader, told)
}

/// Returns a reader of the text of a file, as files of networks are read; `name` stands in errors.
pub(crate) fn text_of<'a>(
    reader: impl Read + 'a,
    name: &str,
) -> Result<Box<dyn BufRead + 'a>, FileError> {
    let text = plain(reader, None).and_then(|text| Ok(Input::limited(text)?.of_text()));
    Ok(Box::new(BufReader::new(text.map_err(|flaw| flaw.in_file(name))?)))
}

/// Reads the beginning of a text, and determines by it how to read the text.
fn read_head(
    reader: &mut impl Read,
    name: &str,
    options: FileOptions,
) -> Result<(Vec<u8>, Reading), Flaw> {
    let mut head = Vec::new();
    reader.by_ref().take(HEAD).read_to_end(&mut head)?;
    let whole = (head.len() as u64) < HEAD;
    let text = encoding::beginning(&head, whole)?;
    let reading = reading::reading(text, whole, name, options)?;
    Ok((head, reading))
}
