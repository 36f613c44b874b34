//! Edge lists, as in the Stanford Network Analysis Project (SNAP): one link per line.

use super::columns::{self, Separator};
use super::raw::{self, Flaw, Raw};
use crate::format::FileFormat;
use std::borrow::Cow;
use std::io::BufRead;

/// The reason to read the text as an edge list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// The user has chosen the format.
    Told,
    /// The beginning of the text looks like one, with at most this number of columns.
    Seen(usize),
}

impl Trust {
    pub(super) fn of(told: Option<FileFormat>, columns: usize) -> Self {
        if told.is_some() { Self::Told } else { Self::Seen(columns) }
    }
}

/// The pairs of words with which headers begin, as lower-case letters and digits alone.
const HEADERS: [[&str; 2]; 14] = [
    ["source", "target"],
    ["from", "to"],
    ["src", "dst"],
    ["src", "dest"],
    ["source", "destination"],
    ["fromnodeid", "tonodeid"],
    ["fromnode", "tonode"],
    ["node1", "node2"],
    ["nodea", "nodeb"],
    ["vertex1", "vertex2"],
    ["id1", "id2"],
    ["start", "end"],
    ["tail", "head"],
    ["u", "v"],
];

pub(super) fn is_header(first: &str, second: &str) -> bool {
    let plain = |word: &str| -> String {
        word.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
    };
    HEADERS.contains(&[plain(first).as_str(), plain(second).as_str()])
}

/// Returns whether two columns of a first line are names for the ends of links, in words that are
/// no labels.
pub(super) fn are_ends(first: &str, second: &str) -> bool {
    let pair = [first, second].map(str::to_ascii_lowercase);
    HEADERS[..5].iter().any(|words| pair == *words)
}

pub(super) fn is_integer(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A line of an edge list.
pub(super) struct EdgeRow<'a> {
    pub(super) from: Cow<'a, str>,
    /// The other end of the link; `None` if the line is a node.
    pub(super) to: Option<Cow<'a, str>>,
    pub(super) further: Further,
}

/// The number of weights other than 1, and the number of lines with further columns without meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Further {
    pub(super) weights: u64,
    pub(super) columns: u64,
}

/// Reads a line that has content.
pub(super) fn row(
    line: &str,
    number: u64,
    separator: Separator,
    trust: Trust,
) -> Result<EdgeRow<'_>, Flaw> {
    let columns = separator.columns(line, number)?;
    if columns.first().is_none_or(|label| label.is_empty()) {
        return Err(Flaw::line(number, "the first label of this line is empty"));
    }
    if let Trust::Seen(most) = trust
        && columns.len() > most.max(3)
    {
        let what = format!(
            "{} columns, and at most {most} before: if this is an adjacency list, say \
             --topology-format adjacency-list; if it is not, --topology-format edge-list",
            columns.len()
        );
        return Err(Flaw::line(number, what));
    }
    let is_link = columns.get(1).is_some_and(|label| !label.is_empty());
    let further = if is_link { Further::of(&columns[2..]) } else { Further::default() };
    let mut labels = columns.into_iter();
    let from = labels.next().unwrap_or_default();
    Ok(EdgeRow { from, to: labels.next().filter(|_| is_link), further })
}

impl Further {
    /// Counts the columns after a link: a weight, attributes, or something else.
    fn of(columns: &[Cow<'_, str>]) -> Self {
        let [third, rest @ ..] = columns else { return Self::default() };
        match third.strip_prefix('{') {
            Some(attributes) => {
                let weight = attributes.split_once("weight").map(|(_, after)| after);
                let value = weight.and_then(|after| after.split_once(':')).map(|(_, value)| value);
                let value = value.and_then(|value| value.split([',', '}']).next());
                Self { weights: raw::weighs(value.unwrap_or_default()).into(), columns: 0 }
            }
            None if third.parse::<f64>().is_ok() => {
                Self { weights: raw::weighs(third).into(), columns: u64::from(!rest.is_empty()) }
            }
            None => Self { weights: 0, columns: 1 },
        }
    }
}

/// The first link, which may be a header.
#[derive(Clone, Debug)]
pub(super) struct First {
    pub(super) line: u64,
    pub(super) words: [String; 2],
    pub(super) further: Further,
}

pub(super) fn read(reader: impl BufRead, separator: Separator, trust: Trust) -> Result<Raw, Flaw> {
    let mut raw = Raw::default();
    let mut first: Option<First> = None;
    let mut lines = 0_u64;
    // Nodes that are alone on their lines, each with the number of links before it.
    let mut lone: Vec<(usize, u32)> = Vec::new();
    columns::lines(reader, |line, number| {
        let EdgeRow { from, to, further } = row(line, number, separator, trust)?;
        lines += 1;
        let a = raw.ids.number(&from)?;
        let Some(to) = to else {
            lone.push((raw.links.len(), a));
            return Ok(());
        };
        let b = raw.ids.number(&to)?;
        raw.link(a, b)?;
        raw.weights += further.weights;
        raw.columns += further.columns;
        if lines == 1 {
            first = Some(First { line: number, words: [from.into(), to.into()], further });
        }
        Ok(())
    })?;
    match first {
        Some(first) => without_header(raw, &lone, first, trust),
        None => Ok(raw),
    }
}

/// What decides whether the first line is a header, names of columns or the numbers of nodes and links,
/// beside its words.
pub(super) struct Rest {
    /// Whether each of its words occurs again.
    pub(super) again: [bool; 2],
    /// The numbers of nodes and links without it; there are some.
    pub(super) nodes: u64,
    pub(super) links: u64,
    /// Whether a node is alone on its line.
    pub(super) lone: bool,
}

impl Rest {
    pub(super) fn is_counted_by(&self, [x, y]: &[String; 2], trust: Trust) -> bool {
        trust != Trust::Told
            && x.parse() == Ok(self.nodes)
            && y.parse() == Ok(self.links)
            && !self.lone
    }
}

impl First {
    /// Returns whether it is a header; `numbers` says whether all labels but its words are integers, and
    /// `in_order` whether those but its second one are the numbers from 1 on.
    ///
    /// Where neither of its words occurs again, it is no link of a connected network, and removing it
    /// does no harm.
    pub(super) fn is_header(
        &self,
        trust: Trust,
        rest: &Rest,
        numbers: impl FnOnce() -> bool,
        in_order: impl FnOnce() -> bool,
    ) -> Result<bool, Flaw> {
        let [x, y] = &self.words;
        let counts = rest.is_counted_by(&self.words, trust);
        match rest.again {
            [false, false] => {
                Ok(counts || is_header(x, y) || (numbers() && !is_integer(x) && !is_integer(y)))
            }
            // Nodes 1 to n, and a number of links that is far from theirs.
            [true, false] if counts && rest.links > rest.nodes + 1 => Ok(in_order()),
            _ if counts => {
                let what = format!(
                    "`{x} {y}` is a link, or the number of nodes and links that follow: if it is a \
                     link, say --topology-format edge-list; if it is not, begin the line with #"
                );
                Err(Flaw::line(self.line, what))
            }
            _ => Ok(false),
        }
    }
}

/// Removes the first line if it is a header.
fn without_header(
    mut raw: Raw,
    lone: &[(usize, u32)],
    first: First,
    trust: Trust,
) -> Result<Raw, Flaw> {
    let (a, b) = raw.links[0];
    let others = &raw.links[1..];
    if others.is_empty() {
        return Ok(raw);
    }
    let mut again = [false; 2];
    let mentioned = others.iter().flat_map(|&(a, b)| [a, b]).chain(lone.iter().map(|&(_, n)| n));
    for node in mentioned {
        again[0] |= node == a;
        again[1] |= node == b;
    }
    let own = if a == b { u32::from(!again[0]) } else { again.map(|a| u32::from(!a)).iter().sum() };
    let nodes = raw.ids.names.len() - own;
    let rest =
        Rest { again, nodes: nodes.into(), links: others.len() as u64, lone: !lone.is_empty() };
    let all_but = |left_out: [u32; 2]| {
        let all = (0..raw.ids.names.len()).filter(move |node| !left_out.contains(node));
        all.map(|node| raw.ids.names.get(node))
    };
    let numbers = || all_but([a, b]).all(is_integer);
    let in_order = || {
        let mut labels: Vec<u32> = all_but([b, b]).filter_map(|label| label.parse().ok()).collect();
        labels.sort_unstable();
        labels.into_iter().eq(1..=nodes)
    };
    let header = first.is_header(trust, &rest, numbers, in_order)?;
    if !header {
        return Ok(raw);
    }
    // Numbers follow the order of mention: all are assigned again.
    let mut rest = Raw {
        directed: raw.directed,
        weights: raw.weights - first.further.weights,
        columns: raw.columns - first.further.columns,
        header: Some(first.line),
        ..Raw::default()
    };
    let names = std::mem::take(&mut raw.ids.names);
    let mut lone = lone.iter().peekable();
    for (at, &(a, b)) in (1..).zip(&raw.links[1..]) {
        while let Some((_, node)) = lone.next_if(|&&(before, _)| before <= at) {
            rest.ids.number(names.get(*node))?;
        }
        let (a, b) = (rest.ids.number(names.get(a))?, rest.ids.number(names.get(b))?);
        rest.link(a, b)?;
    }
    for (_, node) in lone {
        rest.ids.number(names.get(*node))?;
    }
    Ok(rest)
}

#[cfg(test)]
mod tests;
