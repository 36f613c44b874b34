//! Errors of reading files, with their positions.

use crate::memory;
use std::fmt;
use std::io;
use suffrage_numbers::counted;

/// The reason why a file yields no network.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The path as it was given.
        path: String,
        /// The cause.
        source: io::Error,
    },
    /// The file does not follow the rules of its format.
    #[error("{path}:{at}: {what}")]
    Syntax {
        /// The path as it was given.
        path: String,
        /// The position of the error.
        at: FilePosition,
        /// A description of the error.
        what: String,
    },
    /// The file is not in UTF-8 or UTF-16.
    #[error("{path}: {what}")]
    Encoding {
        /// The path as it was given.
        path: String,
        /// The place and the error, and a remedy.
        what: String,
    },
    /// The file is in a format that is not read.
    #[error("{path}: {what}")]
    Unsupported {
        /// The path as it was given.
        path: String,
        /// The format, and a remedy.
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
        /// The components of the network.
        components: Components,
    },
    /// The network does not fit into memory.
    #[error("{path} {}", memory::too_large(*.nodes, *.links))]
    TooLarge {
        /// The path as it was given.
        path: String,
        /// The number of nodes read.
        nodes: u64,
        /// The number of links read before reading was stopped.
        links: u64,
    },
}

/// A place in a file, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilePosition {
    /// The line.
    pub line: u64,
    /// The column, in characters, if known.
    pub column: Option<u64>,
}

impl fmt::Display for FilePosition {
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
    /// The number of components.
    pub count: u64,
    /// The largest ones, in descending order: the number of nodes, and the names of the first few.
    pub largest: Vec<(u32, Vec<String>)>,
}

impl fmt::Display for Components {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (nodes, names)) in self.largest.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            let rest = if names.len() < *nodes as usize { ", .." } else { "" };
            let nodes = counted(u64::from(*nodes), "node");
            write!(f, "{comma}{nodes} ({}{rest})", names.join(", "))?;
        }
        match self.count - self.largest.len() as u64 {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
