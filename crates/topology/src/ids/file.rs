//! Identities from a file.

use super::Ids;
use crate::topology::Topology;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use suffrage_process::Id;

/// Why nodes have no identities.
#[derive(Debug, thiserror::Error)]
pub enum IdError {
    /// No layout has this name.
    #[error(
        "no ids are called `{given}`; there are random, ascending, descending, bit-reversed, or a \
         file"
    )]
    Layout {
        /// What was given.
        given: String,
    },
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The path as it was given.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// A line is not what it should be.
    #[error("{path}:{line}: {what}")]
    Line {
        /// The path as it was given.
        path: String,
        /// Which line, from 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// Some nodes have no identity, or some identities no node.
    #[error("{path} has {found} ids, the network has {wanted} nodes{missing}")]
    Count {
        /// The path as it was given.
        path: String,
        /// How many identities there are.
        found: u64,
        /// How many there should be.
        wanted: u32,
        /// Which node has none, in words, if that is known.
        missing: String,
    },
}

impl Ids {
    /// Reads an identity for each node of a network from a file.
    ///
    /// Either each line holds one identity, in the order of the nodes (on a network that
    /// [`fit`](Topology::fit) made a ring, the order of the ring), or each line holds the label of
    /// a node and then its identity, in any order; where nodes have no labels, their numbers.
    ///
    /// An identity is a number from 0 to 2^64 - 1, decimal or, after `0x`, hexadecimal, or a MAC
    /// address as `aa:bb:cc:dd:ee:ff`, `aa-bb-cc-dd-ee-ff` or `aabb.ccdd.eeff`, which is a number
    /// of 48 bits. Empty lines do not count, nor do lines that begin with `#`, nor what follows a
    /// `#` between blanks.
    ///
    /// # Errors
    /// If the file cannot be read, a line is something else, an identity or a node occurs twice, a
    /// label is unknown, or there are too few or too many.
    pub fn read_file(path: impl AsRef<Path>, network: &Topology) -> Result<Vec<Id>, IdError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        match File::open(path) {
            Ok(file) => Self::read_from(file, &name, network),
            Err(source) => Err(IdError::Io { path: name, source }),
        }
    }

    /// Reads as [`read_file`](Self::read_file) does, from anything that can be read. Messages show
    /// the name in place of a path.
    ///
    /// # Errors
    /// As those of [`read_file`](Self::read_file).
    pub fn read_from(
        reader: impl Read,
        name: &str,
        network: &Topology,
    ) -> Result<Vec<Id>, IdError> {
        Self::read(reader, name, List::of(network))
    }

    /// Reads identities that belong to no network, each on a line of its own and in the form that
    /// [`read_file`](Self::read_file) describes.
    ///
    /// # Errors
    /// If the file cannot be read, a line is something else, or an identity occurs twice.
    pub fn read_list(path: impl AsRef<Path>) -> Result<Vec<Id>, IdError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        match File::open(path) {
            Ok(file) => Self::read(file, &name, List::default()),
            Err(source) => Err(IdError::Io { path: name, source }),
        }
    }

    fn read(reader: impl Read, name: &str, mut list: List<'_>) -> Result<Vec<Id>, IdError> {
        let mut reader = BufReader::new(reader);
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            let read = reader.read_until(b'\n', &mut bytes);
            let length = read.map_err(|source| IdError::Io { path: name.to_owned(), source })?;
            if length == 0 {
                break;
            }
            let fault = |what| IdError::Line { path: name.to_owned(), line: number, what };
            let Ok(line) = std::str::from_utf8(&bytes) else {
                return Err(fault("not UTF-8; save the file as UTF-8 text".to_owned()));
            };
            list.line(line.trim_start_matches('\u{FEFF}'), number).map_err(fault)?;
        }
        list.finish(name)
    }
}

/// The identities read so far.
#[derive(Default)]
struct List<'a> {
    /// Whose nodes have them; `None` where the list itself says how many there are.
    network: Option<&'a Topology>,
    /// Of each node the identity, and the line that gives it; 0 for none.
    given: Vec<(Id, u64)>,
    /// In which line an identity stands. Looked up, never iterated over.
    lines: HashMap<u64, u64>,
    count: u64,
    /// Whether lines begin with labels, and the line that shows it.
    labelled: Option<(bool, u64)>,
}

impl<'a> List<'a> {
    fn of(network: &'a Topology) -> Self {
        let given = vec![(Id::new(0), 0); network.nodes() as usize];
        Self { network: Some(network), given, ..Self::default() }
    }

    fn line(&mut self, line: &str, number: u64) -> Result<(), String> {
        let line = without_comment(line);
        if line.is_empty() {
            return Ok(());
        }
        let separator = |c: char| c.is_whitespace() || c == ',';
        let (label, id) = match line.rsplit_once(separator) {
            Some((label, id)) => (Some(label.trim_end_matches(separator)), id),
            None => (None, line),
        };
        let Some(network) = self.network else { return self.next(line, number) };
        let (labelled, since) = *self.labelled.get_or_insert((label.is_some(), number));
        if labelled != label.is_some() {
            let (here, there) = if labelled { ("no label", "one") } else { ("a label", "none") };
            return Err(format!("this line has {here} before the id, line {since} has {there}"));
        }
        let value = self.new_id(id, number)?;
        let node = match label {
            Some(label) => Some(node_of(network, label)?),
            None => u32::try_from(self.count).ok().filter(|&node| node < network.nodes()),
        };
        self.count += 1;
        // Too many are counted to the end, for the message.
        let Some(place) = node.map(|node| &mut self.given[node as usize]) else { return Ok(()) };
        if place.1 > 0 {
            let label = label.unwrap_or_default();
            return Err(format!("node {label} has an id already, in line {}", place.1));
        }
        *place = (Id::new(value), number);
        Ok(())
    }

    /// The identity that is alone on a line.
    fn next(&mut self, line: &str, number: u64) -> Result<(), String> {
        let value = self.new_id(line, number)?;
        self.given.push((Id::new(value), number));
        Ok(())
    }

    fn new_id(&mut self, id: &str, number: u64) -> Result<u64, String> {
        let value = parse(id)?;
        match self.lines.insert(value, number) {
            Some(first) => Err(format!("id {id} is already in line {first}; ids must be unique")),
            None => Ok(value),
        }
    }

    fn finish(self, path: &str) -> Result<Vec<Id>, IdError> {
        let without = self.given.iter().position(|&(_, line)| line == 0);
        let ids = || self.given.iter().map(|&(id, _)| id).collect();
        let Some(network) = self.network else { return Ok(ids()) };
        if without.is_none() && self.count == u64::from(network.nodes()) {
            return Ok(ids());
        }
        let missing = without.map(|node| {
            let label = network.label(node as u32);
            format!("; the first without one is node {}", label.unwrap_or(&node.to_string()))
        });
        Err(IdError::Count {
            path: path.to_owned(),
            found: self.count,
            wanted: network.nodes(),
            missing: missing.unwrap_or_default(),
        })
    }
}

/// The node that a label, or where there are none a number, is of.
fn node_of(network: &Topology, label: &str) -> Result<u32, String> {
    let named = match network.label(0) {
        Some(_) => network.node_named(label),
        None => label.parse().ok().filter(|&node| node < network.nodes()),
    };
    named.ok_or_else(|| format!("the network has no node `{}`", label.escape_debug()))
}

/// A line without white space around and without its comment. Only a `#` on its own begins one in
/// the middle of a line: labels such as `Router #5` exist.
fn without_comment(line: &str) -> &str {
    let line = line.trim();
    if line.starts_with('#') {
        return "";
    }
    let comment = line.match_indices('#').find(|&(at, _)| {
        let blank = |text: Option<char>| text.is_none_or(char::is_whitespace);
        blank(line[..at].chars().next_back()) && blank(line[at + 1..].chars().next())
    });
    comment.map_or(line, |(at, _)| line[..at].trim_end())
}

/// The number of an identity.
fn parse(text: &str) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (lower.as_str(), 10),
    };
    if !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix)) {
        return u64::from_str_radix(digits, radix)
            .map_err(|_| format!("id {text} is more than 2^64 - 1"));
    }
    mac(&lower).ok_or_else(|| {
        format!(
            "`{}` is no id: a number (17, 0x11) or a MAC address (aa:bb:cc:dd:ee:ff, \
             aa-bb-cc-dd-ee-ff, aabb.ccdd.eeff) is",
            text.escape_debug()
        )
    })
}

/// The 48 bits of a MAC address in lower case.
fn mac(text: &str) -> Option<u64> {
    [(':', 6), ('-', 6), ('.', 3)].into_iter().find_map(|(separator, parts)| {
        let groups: Vec<&str> = text.split(separator).collect();
        let proper = groups.iter().all(|group| {
            group.len() == 12 / parts && group.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        let digits = (groups.len() == parts && proper).then(|| groups.concat())?;
        u64::from_str_radix(&digits, 16).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_numbers_or_mac_addresses() {
        assert_eq!(parse("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(parse("0xFFFFffffFFFFffff"), Ok(u64::MAX));
        assert_eq!(parse("0"), Ok(0));
        for address in ["00:1B:21:3a:bc:DE", "00-1b-21-3a-bc-de", "001b.213a.bcde"] {
            assert_eq!(parse(address), Ok(0x001b_213a_bcde), "{address}");
        }
        for wrong in [
            "",
            "0x",
            "-1",
            "+1",
            "1.5",
            "18446744073709551616",
            "0x1ffffffffffffffff",
            "aa:bb",
            "aa:bb:cc:dd:ee:fg",
            "aa:bb-cc:dd:ee:ff",
            "a:bb:cc:dd:ee:fff",
            "aabb.ccdd",
            "é:bb:cc:dd:ee:ff",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_comment_is_no_part_of_a_label() {
        assert_eq!(without_comment(" 5 # gateway\n"), "5");
        assert_eq!(without_comment("#5"), "");
        assert_eq!(without_comment("Router #5 17 #"), "Router #5 17");
    }
}
