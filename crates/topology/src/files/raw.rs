//! What a file says, before anything is made of it.

use super::{FileError, Position};
use crate::limits;
use crate::names::Names;
use std::collections::HashMap;
use std::io;

/// Nodes and links as a file has them: with loops, parallel links and several components.
#[derive(Debug, Default)]
pub(super) struct Raw {
    /// What the file calls its nodes; unique.
    pub(super) ids: NodeIds,
    /// Names for people, where the file has others than the ids. Later ones replace earlier ones.
    pub(super) labels: Vec<(u32, String)>,
    pub(super) links: Vec<(u32, u32)>,
    /// How many of the links have a direction.
    pub(super) directed: u64,
}

impl Raw {
    /// Links two nodes, if there is room.
    pub(super) fn link(&mut self, a: u32, b: u32) -> Result<(), Fault> {
        self.room_for(1)?;
        self.links.push((a, b));
        Ok(())
    }

    /// Whether so many more links are allowed.
    pub(super) fn room_for(&self, more: usize) -> Result<(), Fault> {
        let nodes = u64::from(self.ids.names.len());
        let links = (self.links.len() as u64).saturating_add(more as u64);
        match limits::fit(nodes, links) {
            true => Ok(()),
            false => Err(Fault::TooLarge { nodes, links }),
        }
    }
}

/// Numbers names in the order in which they come.
#[derive(Debug, Default)]
pub(super) struct NodeIds {
    pub(super) names: Names,
    // Looked up, never iterated over: the hash decides nothing.
    numbers: HashMap<Box<str>, u32>,
}

impl NodeIds {
    /// The number of a name, known or new.
    pub(super) fn number(&mut self, name: &str) -> Result<u32, Fault> {
        match self.numbers.get(name) {
            Some(&number) => Ok(number),
            None => self.add(name),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The number of a new name.
    fn add(&mut self, name: &str) -> Result<u32, Fault> {
        let number = self.names.len();
        if !limits::fit(u64::from(number) + 1, 0) {
            return Err(Fault::TooLarge { nodes: u64::from(number) + 1, links: 0 });
        }
        self.names.push(name);
        self.numbers.insert(name.into(), number);
        Ok(number)
    }
}

/// What is wrong with a file, before its path is known.
#[derive(Debug)]
pub(super) enum Fault {
    Io(io::Error),
    Syntax { at: Position, what: String },
    Encoding { what: String },
    TooLarge { nodes: u64, links: u64 },
}

impl Fault {
    /// An error in a line.
    pub(super) fn line(line: u64, what: impl Into<String>) -> Self {
        Self::Syntax { at: Position { line, column: None }, what: what.into() }
    }

    pub(super) fn in_file(self, path: &str) -> FileError {
        let path = path.to_owned();
        match self {
            Self::Io(source) => FileError::Io { path, source },
            Self::Syntax { at, what } => FileError::Syntax { path, at, what },
            Self::Encoding { what } => FileError::Encoding { path, what },
            Self::TooLarge { nodes, links } => FileError::TooLarge { path, nodes, links },
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
