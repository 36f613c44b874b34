//! Networks read from files: GraphML, DOT and edge lists.

mod dot;
mod edges;
mod encoding;
mod graphml;
mod normal;
mod raw;

use crate::limits;
use crate::topology::Topology;
use raw::{Fault, Raw};
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// How to take what a file says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileOptions {
    /// Of a network that is not connected, takes the largest component (of several, the one with
    /// the first node) instead of refusing it.
    pub largest_component: bool,
}

/// Why a file gives no network.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The path as it was given.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// The file does not follow the rules of its format.
    #[error("{path}:{at}: {what}")]
    Syntax {
        /// The path as it was given.
        path: String,
        /// Where.
        at: Position,
        /// What is wrong.
        what: String,
    },
    /// The file is not in UTF-8 or UTF-16.
    #[error("{path}: {what}")]
    Encoding {
        /// The path as it was given.
        path: String,
        /// Where and what, and what to do.
        what: String,
    },
    /// The file holds no node.
    #[error("{path} holds no nodes")]
    Empty {
        /// The path as it was given.
        path: String,
    },
    /// The network is not connected.
    #[error(
        "{path} is not connected, it has {} components: {components}; \
         --largest-component takes the largest", .components.count
    )]
    Disconnected {
        /// The path as it was given.
        path: String,
        /// What it consists of.
        components: Components,
    },
    /// The network would not fit in memory.
    #[error("{path} {}", limits::too_large(*.nodes, *.links))]
    TooLarge {
        /// The path as it was given.
        path: String,
        /// Nodes read.
        nodes: u64,
        /// Links read before reading was given up.
        links: u64,
    },
}

/// A place in a file, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: u64,
    /// The column, in characters, where it is known.
    pub column: Option<u64>,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            Some(column) => write!(f, "{}:{column}", self.line),
            None => write!(f, "{}", self.line),
        }
    }
}

/// The components of a network that is not connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// How many there are.
    pub count: u64,
    /// The largest ones, in descending order: the number of nodes, and the names of the first few.
    pub largest: Vec<(u32, Vec<String>)>,
}

impl fmt::Display for Components {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (nodes, names)) in self.largest.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            let s = if *nodes == 1 { "" } else { "s" };
            let rest = if names.len() < *nodes as usize { ", .." } else { "" };
            write!(f, "{comma}{nodes} node{s} ({}{rest})", names.join(", "))?;
        }
        match self.count - self.largest.len() as u64 {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    GraphMl,
    Dot,
    /// Labels separated as told.
    Edges(edges::Separator),
}

impl Format {
    /// By the extension, whatever its case.
    fn of_name(name: &str) -> Option<Self> {
        let extension = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "graphml" | "xml" => Some(Self::GraphMl),
            "dot" | "gv" => Some(Self::Dot),
            "txt" | "edges" | "edgelist" | "el" => Some(Self::Edges(edges::Separator::Any)),
            "csv" => Some(Self::Edges(edges::Separator::Comma)),
            "tsv" => Some(Self::Edges(edges::Separator::Tab)),
            _ => None,
        }
    }

    /// By the beginning of the content.
    fn of_content(start: &[u8]) -> Self {
        let text = String::from_utf8_lossy(start);
        if text.trim_start().starts_with('<') {
            Self::GraphMl
        } else if dot::looks_like(&text) {
            Self::Dot
        } else {
            Self::Edges(edges::Separator::Any)
        }
    }
}

/// Reads a network from a file.
///
/// The extension says what is in it: `.graphml` and `.xml` are GraphML, `.dot` and `.gv` are DOT,
/// `.txt`, `.edges`, `.edgelist`, `.el`, `.csv` and `.tsv` are edge lists; any other is looked
/// into. A file is in UTF-8, or in UTF-16 with a byte order mark.
///
/// - **GraphML**: one graph. Graphs nested in nodes are taken as parts of it, the outer node as a
///   node like others. A node is named by its data for the key whose `attr.name` is `label`, or
///   else by its id; a name that several nodes share has the id added in brackets. Hyperedges and
///   ports are refused.
/// - **DOT**: one graph or digraph, with edges between nodes and subgraphs. A node is named by its
///   own attribute `label`, where it is plain text, or else by its id. Ports (`a:n`) are ignored.
/// - **Edge list**: a link a line, as two labels separated by white space or commas (in `.csv` by
///   commas, in `.tsv` by tabs alone); a label alone is a node. Further columns are ignored, as
///   are lines that begin with `#` or `%`. It is read line by line.
///
/// Directed edges are taken as links, parallel links collapsed and self-loops dropped:
/// [`Topology::notes`] says how many. Nodes are numbered in the order in which the file first
/// mentions (in GraphML, declares) them. Takes linear time and memory.
///
/// # Errors
/// If the file cannot be read, breaks the rules of its format, holds no node, is not connected, or
/// is too large for memory (see [`FileError::TooLarge`]).
pub fn read_file(path: impl AsRef<Path>, options: FileOptions) -> Result<Topology, FileError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    match File::open(path) {
        Ok(file) => read_from(file, &name, options),
        Err(source) => Err(FileError::Io { path: name, source }),
    }
}

/// Reads a network as [`read_file`] does, from anything that can be read. The name stands for the
/// path: its extension says what the format is, and messages show it.
///
/// # Errors
/// As those of [`read_file`].
pub fn read_from(
    reader: impl Read,
    name: &str,
    options: FileOptions,
) -> Result<Topology, FileError> {
    let raw = read_raw(reader, name).map_err(|fault| fault.in_file(name))?;
    normal::topology(raw, name, options)
}

fn read_raw(reader: impl Read, name: &str) -> Result<Raw, Fault> {
    let mut reader = encoding::utf8(BufReader::with_capacity(1 << 16, reader))?;
    let format = match Format::of_name(name) {
        Some(format) => format,
        None => Format::of_content(reader.fill_buf()?),
    };
    match format {
        Format::GraphMl => graphml::read(&encoding::whole(reader)?),
        Format::Dot => dot::read(&encoding::whole(reader)?),
        Format::Edges(separator) => edges::read(reader, separator),
    }
}
