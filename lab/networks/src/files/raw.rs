//! Nodes and links in the form of a file, the faults that readers find, and the network that results.

use super::error::{Components, FileError, FilePosition};
use crate::graph::{self, Graph};
use crate::memory;
use crate::names::NodeNames;
use crate::topology::{Note, Structure, Topology};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use unicode_normalization::UnicodeNormalization;

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
    /// The number of lines that were taken as comments.
    pub(super) comments: u64,
    /// The number of further graphs in the file.
    pub(super) further_graphs: u64,
    /// Nodes that hold others: those without a link are frames on a drawing.
    pub(super) frames: Vec<u32>,
}

/// A row of an edge list.
pub(super) struct EdgeRow<'a> {
    pub(super) from: Cow<'a, str>,
    /// The other end of the link; `None` if the row is a node.
    pub(super) to: Option<Cow<'a, str>>,
    /// Whether it has a weight other than 1, and whether it has columns without meaning.
    pub(super) weighs: bool,
    pub(super) further: bool,
}

impl Raw {
    /// Adds a link between two nodes, if the limits allow it.
    pub(super) fn link(&mut self, a: u32, b: u32) -> Result<(), Flaw> {
        self.room_for(1)?;
        self.links.push((a, b));
        Ok(())
    }

    /// Adds a row of an edge list.
    pub(super) fn edge(&mut self, row: &EdgeRow<'_>) -> Result<(), Flaw> {
        let from = self.ids.number(&row.from)?;
        if let Some(to) = &row.to {
            let to = self.ids.number(to)?;
            self.link(from, to)?;
            self.weights += u64::from(row.weighs);
            self.columns += u64::from(row.further);
        }
        Ok(())
    }

    /// Returns the place of the nodes of a link that a file declares, by their ids.
    pub(super) fn ends(&self, ids: [&str; 2], line: u64) -> Result<(u32, u32), Flaw> {
        let node = |id: &str| {
            let missing = || {
                let id = id.escape_debug();
                Flaw::line(line, format!("this link names a node `{id}` that is not declared"))
            };
            self.ids.get(id).ok_or_else(missing)
        };
        Ok((node(ids[0])?, node(ids[1])?))
    }

    /// Removes the other nodes, and their links.
    fn keep(&mut self, kept: impl Fn(u32) -> bool) {
        let members: Vec<u32> = (0..self.ids.names.len()).filter(|&node| kept(node)).collect();
        let number = |node: u32| members.binary_search(&node).ok().map(|number| number as u32);
        self.ids.names = members.iter().map(|&node| self.ids.names.get(node)).collect();
        let links = self.links.iter().filter_map(|&(a, b)| Some((number(a)?, number(b)?)));
        self.links = links.collect();
        let labels = std::mem::take(&mut self.labels).into_iter();
        self.labels = labels.filter_map(|(node, label)| Some((number(node)?, label))).collect();
        let positions = std::mem::take(&mut self.positions).into_iter();
        self.positions = positions.filter_map(|(node, at)| Some((number(node)?, at))).collect();
    }

    /// Returns whether a link is here twice, from whatever end.
    pub(super) fn repeats(&self) -> bool {
        let mut seen = HashSet::new();
        !self.links.iter().all(|(a, b)| seen.insert((a.min(b), a.max(b))))
    }

    /// Returns whether both have the same nodes and links, in any order.
    pub(super) fn same_network(&self, other: &Self) -> bool {
        fn links(raw: &Raw) -> BTreeSet<[&str; 2]> {
            let pair = |&(a, b): &(u32, u32)| {
                let mut pair = [a, b].map(|node| raw.ids.names.get(node));
                pair.sort_unstable();
                pair
            };
            raw.links.iter().map(pair).collect()
        }
        self.ids.names.len() == other.ids.names.len()
            && self.ids.names.iter().all(|name| other.ids.get(name).is_some())
            && links(self) == links(other)
    }

    /// Returns whether all nodes are joined.
    pub(super) fn is_connected(&self) -> bool {
        graph::connected(self.ids.names.len(), &self.links)
    }

    /// Checks that the limits allow `more` further links.
    pub(super) fn room_for(&self, more: usize) -> Result<(), Flaw> {
        let nodes = u64::from(self.ids.names.len());
        let links = (self.links.len() as u64).saturating_add(more as u64);
        match memory::fit(nodes, links) {
            true => Ok(()),
            false => Err(Flaw::TooLarge { nodes, links }),
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
    pub(super) fn declare(&mut self, nodes: u64, bytes: usize, line: u64) -> Result<(), Flaw> {
        let most = bytes as u64 / 2 + 1;
        if nodes > most {
            let what = format!(
                "{nodes} nodes are declared, and the file is too short to mention more than \
                 {most}: it is cut off, or the number is wrong"
            );
            return Err(Flaw::line(line, what));
        }
        (1..=nodes).try_for_each(|number| self.ids.number(&number.to_string()).map(|_| ()))
    }

    pub(super) fn numbered(&self, word: &str, line: u64) -> Result<u32, Flaw> {
        self.place(number(word, "a node", line)?, line)
    }

    /// Returns the node of a number from 1.
    pub(super) fn place(&self, node: u64, line: u64) -> Result<u32, Flaw> {
        let nodes = self.ids.names.len();
        match node {
            1.. if node <= u64::from(nodes) => Ok((node - 1) as u32),
            _ => Err(Flaw::line(line, format!("node {node}: the nodes are numbered 1 to {nodes}"))),
        }
    }

    /// Adds entries of adjacency lists as links. Where each of two nodes lists the other, that is
    /// one link and not two parallel ones.
    pub(super) fn link_listed(&mut self, mut entries: Vec<(u32, u32)>) -> Result<(), Flaw> {
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
pub(super) fn number(word: &str, what: &str, line: u64) -> Result<u64, Flaw> {
    let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let word = || word.chars().take(30).collect::<String>().escape_debug().to_string();
    match digits {
        false => Err(Flaw::line(line, format!("`{}` is no number of {what}", word()))),
        true => (word().parse())
            .map_err(|_| Flaw::line(line, format!("{}.. is too large for {what}", word()))),
    }
}

/// Refuses names of two nodes that are written alike.
pub(super) fn refuse_twins(twins: Option<[String; 2]>) -> Result<(), Flaw> {
    let Some([one, other]) = twins else { return Ok(()) };
    let alike = match is_integer(&plain(&one)) {
        true => "are the same number",
        false => {
            "look the same, but for characters that are not seen or can be written in two ways"
        }
    };
    let [one, other] = [one.escape_debug(), other.escape_debug()];
    let what = format!(
        "the labels `{one}` and `{other}` {alike}, and two nodes: with a --topology-format they are taken as two"
    );
    Err(Flaw::Unsupported { what })
}

pub(super) fn is_integer(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns a name as most write it: the same for names that look the same, and for those of the same whole number.
pub(super) fn plain(name: &str) -> Cow<'_, str> {
    // Spaces and joiners without a width, marks of the order of bytes, and soft hyphens.
    const UNSEEN: [char; 6] =
        ['\u{ad}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}'];
    if name.is_ascii() {
        return plain_number(name.trim());
    }
    let seen: String = name.chars().filter(|c| !UNSEEN.contains(c)).nfc().collect();
    plain_number(seen.trim()).into_owned().into()
}

/// Returns a whole number without a plus, zeros before it, a fraction of zeros and an exponent, and another name as it
/// is.
fn plain_number(name: &str) -> Cow<'_, str> {
    // Doubles have all whole numbers up to 2^53.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if name.ends_with(|c: char| c.is_ascii_digit())
        && name.contains(['e', 'E'])
        && let Ok(number) = name.parse::<f64>()
        && number.abs() < EXACT
        && number.fract() == 0.0
    {
        return (number as i64).to_string().into();
    }
    let fraction = |(_, fraction): &(&str, &str)| fraction.bytes().all(|byte| byte == b'0');
    let whole = name.split_once('.').filter(fraction).map_or(name, |(whole, _)| whole);
    let whole = whole.strip_prefix('+').unwrap_or(whole);
    if !is_integer(whole) {
        return name.into();
    }
    match (whole.starts_with('-'), whole.trim_start_matches(['-', '0'])) {
        (_, "") => "0".into(),
        (false, number) => number.into(),
        (true, number) if number.len() + 1 == whole.len() => whole.into(),
        (true, number) => format!("-{number}").into(),
    }
}

/// The numbers of names, in the order in which the names come.
#[derive(Debug, Default)]
pub(super) struct NodeIds {
    pub(super) names: NodeNames,
    // Looked up, never iterated over: the hash decides nothing.
    numbers: HashMap<Box<str>, u32>,
}

impl NodeIds {
    pub(super) fn number(&mut self, name: &str) -> Result<u32, Flaw> {
        match self.numbers.get(name) {
            Some(&number) => Ok(number),
            None => self.add(name),
        }
    }

    /// Returns two names that are written alike, as 1 and 1.0: of several such pairs the first in the alphabet.
    pub(super) fn twins(&self) -> Option<[String; 2]> {
        // Looked up, never iterated over.
        let mut written: HashMap<Cow<'_, str>, &str> = HashMap::new();
        let twin = |name| {
            let plain = plain(name);
            if plain == name {
                return None;
            }
            let other = self.numbers.get_key_value(&*plain).map(|(other, _)| &**other);
            let mut twins = [other.or(written.insert(plain, name))?, name].map(str::to_owned);
            twins.sort_unstable();
            Some(twins)
        };
        self.names.iter().filter_map(twin).min()
    }

    pub(super) fn into_names(self) -> NodeNames {
        self.names
    }

    pub(super) fn get(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Adds a new name and returns its number.
    fn add(&mut self, name: &str) -> Result<u32, Flaw> {
        let number = self.names.len();
        if !memory::fit(u64::from(number) + 1, 0) {
            return Err(Flaw::TooLarge { nodes: u64::from(number) + 1, links: 0 });
        }
        self.names.push(name);
        self.numbers.insert(name.into(), number);
        Ok(number)
    }
}

/// An error in a file, before its path is known.
#[derive(Debug)]
pub(super) enum Flaw {
    Io(io::Error),
    Syntax { at: FilePosition, what: String },
    Encoding { what: String },
    Unsupported { what: String },
    TooLarge { nodes: u64, links: u64 },
}

impl Flaw {
    /// Creates an error in a line.
    pub(super) fn line(line: u64, what: impl Into<String>) -> Self {
        Self::Syntax { at: FilePosition { line, column: None }, what: what.into() }
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

impl From<io::Error> for Flaw {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The number of components that a message lists, and the number of nodes of each.
pub(super) const SHOWN: (usize, usize) = (5, 3);

pub(super) fn topology(
    mut raw: Raw,
    path: &str,
    largest_component: bool,
    note: Option<Note>,
) -> Result<Topology, FileError> {
    let linked: HashSet<u32> = raw.links.iter().flat_map(|&(a, b)| [a, b]).collect();
    let frames: HashSet<u32> =
        raw.frames.iter().copied().filter(|node| !linked.contains(node)).collect();
    if !frames.is_empty() {
        raw.keep(|node| !frames.contains(&node));
    }
    if raw.ids.names.len() == 0 {
        return Err(FileError::Empty { path: path.to_owned() });
    }
    raw.ids.names = labels(raw.ids.names, std::mem::take(&mut raw.labels));
    let mut notes: Vec<Note> = note.into_iter().collect();
    notes.extend(raw.header.map(|line| Note::Header { line }));
    notes.extend(counted([
        Note::Comments(raw.comments),
        Note::FurtherGraphs(raw.further_graphs),
        Note::Frames(frames.len() as u64),
        Note::Weights(raw.weights),
        Note::Columns(raw.columns),
        Note::Directed(raw.directed),
    ]));

    if !raw.is_connected() {
        let of_nodes = raw.ids.names.len();
        let component = graph::components(of_nodes, &raw.links);
        let by_size = by_size(&component);
        if !largest_component {
            let components = describe(&component, &by_size, &raw.ids.names);
            return Err(FileError::Disconnected { path: path.to_owned(), components });
        }
        let (nodes, chosen) = by_size[0];
        notes.push(Note::LargestComponent { of: by_size.len() as u64, nodes, of_nodes });
        raw.keep(|node| component[node as usize] == chosen);
    }
    let Raw { ids: NodeIds { names: labels, .. }, positions: known, links, .. } = raw;
    let nodes = labels.len();
    let mut positions = (!known.is_empty()).then(|| vec![None; nodes as usize]);
    for (node, position) in known {
        if let Some(positions) = &mut positions {
            positions[node as usize] = Some(position);
        }
    }

    let loops = links.iter().filter(|(a, b)| a == b).count() as u64;
    let graph = Graph::new(nodes, &links);
    let parallel = links.len() as u64 - loops - graph.links();
    notes.extend(counted([Note::ParallelLinks(parallel), Note::SelfLoops(loops)]));
    let ring = || (0..nodes).all(|node| graph.neighbours(node).len() == 2);
    let (kind, source) = (kind(nodes.into(), graph.links(), ring), path.to_owned());
    let (structure, labels) = (Structure::Stored(graph), Some(labels));
    Ok(Topology { structure, kind, source, labels, positions, notes })
}

pub(super) fn counted<const N: usize>(notes: [Note; N]) -> impl Iterator<Item = Note> {
    notes.into_iter().filter(|note| {
        !matches!(
            note,
            Note::Comments(0)
                | Note::FurtherGraphs(0)
                | Note::Frames(0)
                | Note::Weights(0)
                | Note::Columns(0)
                | Note::Directed(0)
                | Note::ParallelLinks(0)
                | Note::SelfLoops(0)
        )
    })
}

/// Returns the kind of a connected graph, the first of these that fits; `ring` says whether each node
/// has two neighbours.
pub(super) fn kind(nodes: u64, links: u64, ring: impl FnOnce() -> bool) -> &'static str {
    if links == nodes * (nodes - 1) / 2 {
        "complete"
    } else if links + 1 == nodes {
        "tree"
    } else if ring() {
        "ring"
    } else {
        "graph"
    }
}

/// Returns the size and name of each component, the largest first, of equal ones the one with the
/// first node.
fn by_size(component: &[u32]) -> Vec<(u32, u32)> {
    let mut size = vec![0_u32; component.len()];
    for &name in component {
        size[name as usize] += 1;
    }
    let mut all: Vec<_> = size.into_iter().zip(0..).filter(|&(size, _)| size > 0).collect();
    all.sort_by_key(|&(size, name)| (std::cmp::Reverse(size), name));
    all
}

fn describe(component: &[u32], by_size: &[(u32, u32)], labels: &NodeNames) -> Components {
    let largest = by_size.iter().take(SHOWN.0).map(|&(size, name)| {
        let members = (0..labels.len()).filter(|&node| component[node as usize] == name);
        (size, members.take(SHOWN.1).map(|node| labels.get(node).to_owned()).collect())
    });
    Components { count: by_size.len() as u64, largest: largest.collect() }
}

fn labels(ids: NodeNames, labels: Vec<(u32, String)>) -> NodeNames {
    if labels.is_empty() && !ids.iter().any(|id| id.contains(char::is_control)) {
        return ids;
    }
    let mut names: Vec<String> = ids.iter().map(one_line).collect();
    for (node, label) in labels {
        let label = one_line(&label);
        if !label.is_empty() {
            names[node as usize] = label;
        }
    }
    // Ids are unique, and so are names that end in them, unless a third name already looks like
    // that: repeat until none does.
    loop {
        let all: NodeNames = names.iter().map(String::as_str).collect();
        let mut shared: Vec<u32> = all
            .sorted()
            .chunk_by(|&a, &b| all.get(a) == all.get(b))
            .filter(|same| same.len() > 1)
            .flatten()
            .copied()
            .collect();
        if shared.is_empty() {
            return all;
        }
        shared.sort_unstable();
        for node in shared {
            names[node as usize] += &format!(" [{}]", ids.get(node).escape_debug());
        }
    }
}

/// Replaces white space and control characters by single spaces.
fn one_line(name: &str) -> String {
    let words = name.split(|c: char| c.is_whitespace() || c.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
