//! Nodes and links in the form of a file, and the faults that readers find.

use super::error::{FileError, Position};
use crate::limits;
use crate::names::Names;
use std::collections::HashMap;
use std::io;

/// Nodes and links in the form of a file: with loops, parallel links and several components.
#[derive(Debug, Default)]
pub(super) struct Raw {
    /// The names of the nodes in the file, which are unique.
    pub(super) ids: NodeIds,
    /// The display names, where the file has others than the ids. Later ones replace earlier ones.
    pub(super) labels: Vec<(u32, String)>,
    /// Where nodes are, if the file says so: to the right and upwards.
    pub(super) positions: Vec<(u32, [f64; 2])>,
    pub(super) links: Vec<(u32, u32)>,
    /// The number of links that have a direction.
    pub(super) directed: u64,
    /// The number of links that have a weight other than 1.
    pub(super) weights: u64,
    /// The number of lines that have columns without meaning here.
    pub(super) columns: u64,
    /// The line that was taken as a header.
    pub(super) header: Option<u64>,
}

impl Raw {
    /// Adds a link between two nodes, if the limits allow it.
    pub(super) fn link(&mut self, a: u32, b: u32) -> Result<(), Fault> {
        self.room_for(1)?;
        self.links.push((a, b));
        Ok(())
    }

    /// Checks that the limits allow `more` further links.
    pub(super) fn room_for(&self, more: usize) -> Result<(), Fault> {
        let nodes = u64::from(self.ids.names.len());
        let links = (self.links.len() as u64).saturating_add(more as u64);
        match limits::fit(nodes, links) {
            true => Ok(()),
            false => Err(Fault::TooLarge { nodes, links }),
        }
    }

    /// Counts a link's weight, unless it is 1.
    pub(super) fn weigh(&mut self, weight: &str) {
        self.weights += u64::from(weighs(weight));
    }

    /// Adds the nodes 1 to `nodes`, as a line of a file of `bytes` bytes declares them.
    ///
    /// A connected network mentions each of its nodes, in two bytes at least: a number that cannot
    /// be true is refused before memory is taken for it.
    pub(super) fn declare(&mut self, nodes: u64, bytes: usize, line: u64) -> Result<(), Fault> {
        let most = bytes as u64 / 2 + 1;
        if nodes > most {
            let what = format!(
                "{nodes} nodes are declared, and the file is too short to mention more than \
                 {most}: it is cut off, or the number is wrong"
            );
            return Err(Fault::line(line, what));
        }
        (1..=nodes).try_for_each(|number| self.ids.number(&number.to_string()).map(|_| ()))
    }

    pub(super) fn numbered(&self, word: &str, line: u64) -> Result<u32, Fault> {
        let nodes = self.ids.names.len();
        let node = number(word, "a node", line)?;
        match node {
            1.. if node <= u64::from(nodes) => Ok((node - 1) as u32),
            _ => {
                Err(Fault::line(line, format!("node {node}: the nodes are numbered 1 to {nodes}")))
            }
        }
    }

    /// Adds entries of adjacency lists as links. Where each of two nodes lists the other, that is
    /// one link and not two parallel ones.
    pub(super) fn link_listed(&mut self, mut entries: Vec<(u32, u32)>) -> Result<(), Fault> {
        let pair = |&(a, b): &(u32, u32)| (a.min(b), a.max(b));
        entries.sort_unstable_by_key(pair);
        for same in entries.chunk_by(|one, other| pair(one) == pair(other)) {
            let forward = same.iter().filter(|(a, b)| a <= b).count();
            for _ in 0..forward.max(same.len() - forward) {
                self.link(same[0].0, same[0].1)?;
            }
        }
        Ok(())
    }
}

pub(super) fn weighs(weight: &str) -> bool {
    weight.trim().parse::<f64>().is_ok_and(|weight| weight != 1.0)
}

/// Parses a whole number that a file gives for `what`.
pub(super) fn number(word: &str, what: &str, line: u64) -> Result<u64, Fault> {
    let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let word = || word.chars().take(30).collect::<String>().escape_debug().to_string();
    match digits {
        false => Err(Fault::line(line, format!("`{}` is no number of {what}", word()))),
        true => (word().parse())
            .map_err(|_| Fault::line(line, format!("{}.. is too large for {what}", word()))),
    }
}

/// The numbers of names, in the order in which the names come.
#[derive(Debug, Default)]
pub(super) struct NodeIds {
    pub(super) names: Names,
    // Looked up, never iterated over: the hash decides nothing.
    numbers: HashMap<Box<str>, u32>,
}

impl NodeIds {
    pub(super) fn number(&mut self, name: &str) -> Result<u32, Fault> {
        match self.numbers.get(name) {
            Some(&number) => Ok(number),
            None => self.add(name),
        }
    }

    pub(super) fn into_names(self) -> Names {
        self.names
    }

    pub(super) fn get(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Adds a new name and returns its number.
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

/// An error in a file, before its path is known.
#[derive(Debug)]
pub(super) enum Fault {
    Io(io::Error),
    Syntax { at: Position, what: String },
    Encoding { what: String },
    Unsupported { what: String },
    TooLarge { nodes: u64, links: u64 },
}

impl Fault {
    /// Creates an error in a line.
    pub(super) fn line(line: u64, what: impl Into<String>) -> Self {
        Self::Syntax { at: Position { line, column: None }, what: what.into() }
    }

    pub(super) fn in_file(self, path: &str) -> FileError {
        let path = path.to_owned();
        match self {
            Self::Io(source) => FileError::Io { path, source },
            Self::Syntax { at, what } => FileError::Syntax { path, at, what },
            Self::Encoding { what } => FileError::Encoding { path, what },
            Self::Unsupported { what } => FileError::Unsupported { path, what },
            Self::TooLarge { nodes, links } => FileError::TooLarge { path, nodes, links },
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
