//! Identities from a file.

use super::Ids;
use crate::files::{self, FileError};
use crate::input::Input;
use crate::names::NodeNames;
use crate::topology::Topology;
use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, Read};
use std::path::Path;
use suffrage_model::Id;
use suffrage_numbers::counted;

/// The reason why identities cannot be assigned.
#[derive(Debug, thiserror::Error)]
pub enum IdError {
    /// No layout has this name.
    #[error(
        "no ids are called `{given}`; there are random, ascending, descending, bit-reversed, scattered, \
         homonyms:K, or a file"
    )]
    Layout {
        /// The name that was given.
        given: String,
    },
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The path as it was given.
        path: String,
        /// The cause.
        source: io::Error,
    },
    /// The file is packed or encoded in a way that is not read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A line is invalid.
    #[error("{path}:{line}: {what}")]
    Line {
        /// The path as it was given.
        path: String,
        /// The number of the line, from 1.
        line: u64,
        /// A description of the error.
        what: String,
    },
    /// Some nodes have no identity, or some identities have no node.
    #[error("{path} has {}, the network has {}{missing}", counted(*.found, "id"), counted((*.wanted).into(), "node"))]
    Count {
        /// The path as it was given.
        path: String,
        /// The number of identities in the file.
        found: u64,
        /// The number of identities that are needed.
        wanted: u32,
        /// The first node without an identity, in words, if it is known.
        missing: String,
    },
}

/// The identities from a file, as they are written there.
///
/// ```
/// use suffrage_model::Id;
/// use suffrage_networks::{Ids, Spec};
///
/// let ring = "ring:3".parse::<Spec>()?.build(1)?;
/// let ids = Ids::read_from(&b"2 SN-030\n0 SN-100\n1 SN-020\n"[..], "ids.txt", &ring)?;
/// assert_eq!(ids.ids(), [Id::new(3), Id::new(1), Id::new(2)]);
/// assert_eq!(ids.written(0), "SN-100");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct IdList {
    ids: Vec<Id>,
    written: NodeNames,
    labels: Option<NodeNames>,
    notes: Vec<IdNote>,
}

/// A note for the user on identities from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdNote {
    /// The lines have no labels, although the nodes do: a line's identity went to the node with the same
    /// position in the network.
    InOrder {
        /// The label of the first node.
        first: String,
    },
    /// The identities are names, or serial numbers with letters: they are ordered as strings, and
    /// represented by their ranks from 1.
    Ranks,
}

impl fmt::Display for IdNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InOrder { first } => write!(
                f,
                "ids go to the nodes in the order in which the network first names them, the first \
                 to {first}; lines `LABEL ID` say whose each is"
            ),
            Self::Ranks => {
                f.write_str("ids are ordered as strings; their numbers are ranks from 1")
            }
        }
    }
}

impl IdList {
    /// Returns the identities in the order of the nodes, or of the lines of a list without a network.
    #[must_use]
    pub fn ids(&self) -> &[Id] {
        &self.ids
    }

    /// Returns an identity as it is written in the file.
    ///
    /// # Panics
    /// If there is no identity at this place.
    #[must_use]
    pub fn written(&self, place: u32) -> &str {
        self.written.get(place)
    }

    /// Returns the label before an identity of a list without a network.
    #[must_use]
    pub fn label(&self, place: u32) -> Option<&str> {
        self.labels.as_ref().filter(|labels| place < labels.len()).map(|labels| labels.get(place))
    }

    /// Returns notes for the user on these identities.
    #[must_use]
    pub fn notes(&self) -> &[IdNote] {
        &self.notes
    }
}

impl Ids {
    /// Reads an identity for each node of a network from a file.
    ///
    /// Either each line holds one identity, in the order of the nodes (on a network that
    /// [`fit`](Topology::fit) made a ring, the order of the ring), or each line holds the label of
    /// a node and then its identity, in any order; where nodes have no labels, their numbers.
    ///
    /// An identity is
    /// - a number from 0 to 2^64 - 1, decimal or, after `0x`, hexadecimal,
    /// - a MAC address as `aa:bb:cc:dd:ee:ff`, `aa-bb-cc-dd-ee-ff` or `aabb.ccdd.eeff`, which is a
    ///   number of 48 bits, or
    /// - a serial number with letters such as `SN-001`. Then all are taken as strings, which must
    ///   have one form: the same length, the same signs at the same places, and letters of one case
    ///   at each place. They are ordered as strings.
    /// - a name without digits, such as `A` or `Praha`. Then all are names, of any lengths, in the
    ///   order of strings.
    ///
    /// The file may be packed and encoded as [files of networks](crate::read_file) may be. Empty lines are
    /// ignored, as are lines that begin with `#`, and text after a `#` between blanks. Takes linear time, up to
    /// sorting.
    ///
    /// # Errors
    /// If the file cannot be read, a line has another form, an identity or a node occurs twice, a
    /// label is unknown, or there are too few or too many identities.
    pub fn read_file(path: impl AsRef<Path>, network: &Topology) -> Result<IdList, IdError> {
        Self::open(path.as_ref(), IdLines::on(network))
    }

    /// Reads identities as [`read_file`](Self::read_file) does, from any reader. Messages show the
    /// name in place of a path.
    ///
    /// # Errors
    /// The same as those of [`read_file`](Self::read_file).
    pub fn read_from(reader: impl Read, name: &str, network: &Topology) -> Result<IdList, IdError> {
        Self::read(reader, name, IdLines::on(network))
    }

    /// Reads identities as [`read_file`](Self::read_file) does, but several nodes may have the same
    /// one, as on a [ring of homonyms](suffrage_model::NetworkClass::HomonymRing).
    ///
    /// # Errors
    /// The errors of [`read_file`](Self::read_file), except identities that occur twice.
    pub fn read_homonyms(path: impl AsRef<Path>, network: &Topology) -> Result<IdList, IdError> {
        Self::open(path.as_ref(), IdLines { homonyms: true, ..IdLines::on(network) })
    }

    /// Reads identities as [`read_homonyms`](Self::read_homonyms) does, from any reader. Messages
    /// show the name in place of a path.
    ///
    /// # Errors
    /// The same as those of [`read_homonyms`](Self::read_homonyms).
    pub fn read_homonyms_from(
        reader: impl Read,
        name: &str,
        network: &Topology,
    ) -> Result<IdList, IdError> {
        Self::read(reader, name, IdLines { homonyms: true, ..IdLines::on(network) })
    }

    /// Reads identities that belong to no network, in the form that [`read_file`](Self::read_file)
    /// describes. Labels before them may be any text, each once.
    ///
    /// # Errors
    /// If the file cannot be read, a line has another form, or an identity or a label occurs twice.
    pub fn read_list(path: impl AsRef<Path>) -> Result<IdList, IdError> {
        Self::open(path.as_ref(), IdLines::default())
    }

    fn open(path: &Path, lines: IdLines<'_>) -> Result<IdList, IdError> {
        let name = path.display().to_string();
        match Input::open(path) {
            Ok(file) => Self::read(file, &name, lines),
            Err(source) => Err(IdError::Io { path: name, source }),
        }
    }

    fn read(reader: impl Read, name: &str, mut lines: IdLines<'_>) -> Result<IdList, IdError> {
        let mut reader = files::text_of(reader, name)?;
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            let fault = |what| IdError::Line { path: name.to_owned(), line: number, what };
            let read = reader.read_until(b'\n', &mut bytes);
            let length = read.map_err(|source| match source.kind() {
                io::ErrorKind::InvalidData => fault(source.to_string()),
                _ => IdError::Io { path: name.to_owned(), source },
            })?;
            if length == 0 {
                break;
            }
            let Ok(line) = std::str::from_utf8(&bytes) else {
                return Err(fault("not UTF-8; save the file as UTF-8 text".to_owned()));
            };
            lines.line(line, number).map_err(fault)?;
        }
        lines.finish(name)
    }
}

/// The lines read so far.
#[derive(Default)]
struct IdLines<'a> {
    /// The network whose nodes get the identities; `None` where the list itself determines their
    /// number.
    network: Option<&'a Topology>,
    /// Whether several nodes may have the same identity.
    homonyms: bool,
    /// The identities as they are written, and their lines.
    written: NodeNames,
    numbers: Vec<u64>,
    /// The nodes of lines with labels.
    nodes: Vec<u32>,
    /// The labels of a list without a network.
    labels: NodeNames,
    /// The line of each label. Only looked up, never iterated over.
    known: HashMap<Box<str>, u64>,
    /// Whether lines begin with labels, and the line that shows it.
    labelled: Option<(bool, u64)>,
}

impl<'a> IdLines<'a> {
    fn on(network: &'a Topology) -> Self {
        Self { network: Some(network), ..Self::default() }
    }
}

impl IdLines<'_> {
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
        let (labelled, since) = *self.labelled.get_or_insert((label.is_some(), number));
        if labelled != label.is_some() {
            let (here, there) = if labelled { ("no label", "one") } else { ("a label", "none") };
            return Err(format!("this line has {here} before the id, line {since} has {there}"));
        }
        if let Some(label) = label {
            match self.network {
                Some(network) => self.nodes.push(node_of(network, label)?),
                None => self.labels.push(label),
            }
            if let Some(first) = self.known.insert(label.into(), number) {
                return Err(format!("node {label} has an id already, in line {first}"));
            }
        }
        let first = (self.written.len() > 0).then(|| self.written.get(0));
        match first.filter(|first| is_name(first)) {
            Some(name) if !is_name(id) => {
                return Err(format!(
                    "`{}` is no name, and line {} has the name `{name}`: either all ids are names \
                     without digits, or none is",
                    id.escape_debug(),
                    self.numbers[0]
                ));
            }
            None if !is_plausible(id) && (first.is_some() || !is_name(id)) => {
                return Err(no_id(id));
            }
            _ => {}
        }
        self.written.push(id);
        self.numbers.push(number);
        Ok(())
    }

    fn finish(self, path: &str) -> Result<IdList, IdError> {
        let fault = |(line, what)| IdError::Line { path: path.to_owned(), line, what };
        let mut notes = Vec::new();
        let parsed: Option<Vec<u64>> = self.written.iter().map(parse).collect();
        let values = match parsed {
            Some(values) => values,
            None => {
                notes.push(IdNote::Ranks);
                ranks(&self.written, &self.numbers).map_err(fault)?
            }
        };
        // The line of each identity. Only looked up, never iterated over.
        let mut lines = HashMap::new();
        for ((&value, &line), id) in values.iter().zip(&self.numbers).zip(self.written.iter()) {
            if let (Some(first), false) = (lines.insert(value, line), self.homonyms) {
                let what = format!(
                    "id {id} is already in line {first}; ids must be unique, except to an algorithm \
                     for rings of homonyms"
                );
                return Err(fault((line, what)));
            }
        }
        let labelled = self.labelled.is_some_and(|(labelled, _)| labelled);
        let Some(network) = self.network else {
            let ids = values.into_iter().map(Id::new).collect();
            let labels = labelled.then_some(self.labels);
            return Ok(IdList { ids, written: self.written, labels, notes });
        };
        let nodes = network.nodes();
        // The place of each node's identity.
        let mut places = vec![None; nodes as usize];
        for place in 0..self.written.len() {
            let node = if labelled { self.nodes[place as usize] } else { place };
            if let Some(of) = places.get_mut(node as usize) {
                *of = Some(place);
            }
        }
        let without = places.iter().position(Option::is_none);
        if without.is_some() || self.written.len() != nodes {
            let missing = without.map(|node| {
                let label = network.label(node as u32);
                format!("; the first without one is node {}", label.unwrap_or(&node.to_string()))
            });
            return Err(IdError::Count {
                path: path.to_owned(),
                found: self.written.len().into(),
                wanted: nodes,
                missing: missing.unwrap_or_default(),
            });
        }
        if let (false, Some(first)) = (labelled, network.label(0)) {
            notes.push(IdNote::InOrder { first: first.to_owned() });
        }
        let places = || places.iter().flatten();
        Ok(IdList {
            ids: places().map(|&place| Id::new(values[place as usize])).collect(),
            written: places().map(|&place| self.written.get(place)).collect(),
            labels: None,
            notes,
        })
    }
}

fn node_of(network: &Topology, label: &str) -> Result<u32, String> {
    let named = match network.label(0) {
        Some(_) => network.node_named(label),
        None => label.parse().ok().filter(|&node| node < network.nodes()),
    };
    named.ok_or_else(|| format!("the network has no node `{}`", label.escape_debug()))
}

/// Returns a line without surrounding white space and without its comment. Only a `#` on its own
/// begins a comment in the middle of a line: labels such as `Router #5` exist.
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

fn is_plausible(text: &str) -> bool {
    parse(text).is_some() || (number(text).is_none() && is_serial(text))
}

fn no_id(text: &str) -> String {
    if number(text).is_some() {
        return format!("id {text} is more than 2^64 - 1");
    }
    format!(
        "`{}` is no id; write a number (17, 0x11), a MAC address (aa:bb:cc:dd:ee:ff, \
         aa-bb-cc-dd-ee-ff, aabb.ccdd.eeff), a serial number of letters and digits (SN-001), or, \
         if all ids are names, a name (Praha)",
        text.escape_debug()
    )
}

fn number(text: &str) -> Option<(&str, u32)> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    let proper = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    proper.then_some((digits, radix))
}

/// Returns the number that an identity represents; `None` for a serial number or an invalid
/// identity.
fn parse(text: &str) -> Option<u64> {
    match number(text) {
        Some((digits, radix)) => u64::from_str_radix(digits, radix).ok(),
        None => mac(&text.to_ascii_lowercase()),
    }
}

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

/// The kind of characters at one place of all serial numbers of one form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SerialPlace {
    Digits,
    /// Digits or upper-case letters.
    Upper,
    /// Digits or lower-case letters.
    Lower,
    Sign(u8),
}

impl SerialPlace {
    const fn of(byte: u8) -> Self {
        match byte {
            b'0'..=b'9' => Self::Digits,
            b'A'..=b'Z' => Self::Upper,
            b'a'..=b'z' => Self::Lower,
            sign => Self::Sign(sign),
        }
    }

    fn and(self, other: Self) -> Option<Self> {
        match (self, other) {
            (one, two) if one == two => Some(one),
            (Self::Digits, case @ (Self::Upper | Self::Lower))
            | (case @ (Self::Upper | Self::Lower), Self::Digits) => Some(case),
            _ => None,
        }
    }
}

/// Returns whether a text can be a serial number: letters, digits and a few signs, with at least
/// one digit, and at least one character that is not part of a decimal number.
fn is_serial(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:".contains(&byte);
    text.bytes().all(allowed)
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic() || b"-_/:".contains(&byte))
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
}

fn is_name(text: &str) -> bool {
    let allowed = |c: char| c.is_alphabetic() || "-_.'".contains(c);
    text.chars().all(allowed)
        && text.starts_with(char::is_alphabetic)
        && text.ends_with(|c: char| c.is_alphabetic() || c == '.')
}

/// Returns the ranks of names or of serial numbers from 1, equal ones for equal texts; `lines` are
/// their line numbers.
///
/// # Errors
/// The line of the first serial number whose form differs from the numbers before it, and the reason.
fn ranks(all: &NodeNames, lines: &[u64]) -> Result<Vec<u64>, (u64, String)> {
    let mut form: Vec<SerialPlace> = all.get(0).bytes().map(SerialPlace::of).collect();
    // Names have no digits, whose number of places would matter.
    let serials = all.iter().zip(lines).filter(|_| !is_name(all.get(0)));
    for (text, &line) in serials {
        let same: Option<Vec<SerialPlace>> = match text.len() == form.len() {
            true => form.iter().zip(text.bytes()).map(|(p, b)| p.and(SerialPlace::of(b))).collect(),
            false => None,
        };
        form = same.ok_or_else(|| {
            let what = format!(
                "`{text}` has another form than `{}` in line {}: ids with letters are ordered as \
                 strings, and need the same length, the same signs at the same places, and letters \
                 of one case (write SN-09 for SN-9 if there is SN-10)",
                all.get(0),
                lines[0]
            );
            (line, what)
        })?;
    }
    let mut ranks = vec![0; all.len() as usize];
    let mut rank = 0;
    let mut before = None;
    for &place in all.sorted() {
        if before.replace(all.get(place)) != Some(all.get(place)) {
            rank += 1;
        }
        ranks[place as usize] = rank;
    }
    Ok(ranks)
}

#[cfg(test)]
mod tests;
