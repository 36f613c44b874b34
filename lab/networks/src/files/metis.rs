//! METIS and Chaco graphs: the neighbours of node `i` on line `i` after the header.

use super::raw::{Flaw, Raw, number};
use suffrage_numbers::counted;

fn lines(text: &str) -> impl Iterator<Item = (&str, u64)> {
    text.lines().zip(1..).filter(|(line, _)| !line.trim_start().starts_with('%'))
}

pub(super) fn read(text: &str) -> Result<Raw, Flaw> {
    let mut raw = Raw::default();
    let mut lines = lines(text).skip_while(|(line, _)| line.trim().is_empty());
    let Some((line, at)) = lines.next() else { return Ok(raw) };
    let header = MetisHeader::parse(line, at)?;
    let rest: Vec<(&str, u64)> = lines.collect();
    let last = rest.iter().rposition(|(line, _)| !line.trim().is_empty()).map_or(0, |at| at + 1);
    let more_than = |count: usize| count as u64 > header.nodes;
    if more_than(last) {
        let (_, extra) = rest[header.nodes as usize];
        let what = format!(
            "line {at} says {}, and this line is of another one",
            counted(header.nodes, "node")
        );
        return Err(Flaw::line(extra, what));
    }
    if header.nodes > rest.len() as u64 {
        let what = format!(
            "{} declared, and {} below: the file is cut off, or the number wrong",
            counted(header.nodes, "node"),
            counted(rest.len() as u64, "line")
        );
        return Err(Flaw::line(at, what));
    }
    (1..=header.nodes).try_for_each(|node| raw.ids.number(&node.to_string()).map(|_| ()))?;

    // Each link from its smaller end and from its larger one, and its line.
    let (mut up, mut down) = (Vec::new(), Vec::new());
    for (node, &(line, at)) in (0..).zip(&rest[..header.nodes as usize]) {
        for other in header.neighbours(node, line, at, &mut raw)? {
            if other > node {
                up.push((node, other, at));
            } else {
                down.push((other, node, at));
            }
            raw.room_for(up.len())?;
        }
    }
    let links = up.len() as u64;
    link(&mut raw, up, down)?;
    if links != header.links {
        let what = format!("{} declared, and {links} below", counted(header.links, "link"));
        return Err(Flaw::line(at, what));
    }
    Ok(raw)
}

/// A link as one of its ends lists it: the smaller end, the larger one, and the line.
type Listed = (u32, u32, u64);

/// Adds links that both ends list.
fn link(raw: &mut Raw, mut up: Vec<Listed>, mut down: Vec<Listed>) -> Result<(), Flaw> {
    up.sort_unstable();
    down.sort_unstable();
    let mut back = down.iter().peekable();
    for (a, b, at) in up {
        if let Some(&&(x, y, at)) = back.peek()
            && (x, y) < (a, b)
        {
            return Err(one_way(y, x, at));
        }
        if back.next_if(|&&(x, y, _)| (x, y) == (a, b)).is_none() {
            return Err(one_way(a, b, at));
        }
        raw.link(a, b)?;
    }
    back.next().map_or(Ok(()), |&(a, b, at)| Err(one_way(b, a, at)))
}

fn one_way(from: u32, to: u32, line: u64) -> Flaw {
    let (from, to) = (from + 1, to + 1);
    Flaw::line(line, format!("node {from} lists node {to}, which does not list {from} as well"))
}

/// The header: `NODES LINKS [FORMAT [CONSTRAINTS]]`.
struct MetisHeader {
    nodes: u64,
    links: u64,
    /// The number of numbers before the neighbours of a node.
    before: u64,
    /// Whether each neighbour is followed by the weight of the link.
    weighted: bool,
}

impl MetisHeader {
    fn parse(line: &str, at: u64) -> Result<Self, Flaw> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [nodes, links, rest @ ..] = &words[..] else {
            return Err(Flaw::line(at, "`NODES LINKS [FORMAT [CONSTRAINTS]]` should stand here"));
        };
        let format = rest.first().copied().unwrap_or("0");
        if rest.len() > 2 || format.len() > 3 || format.contains(|c| c != '0' && c != '1') {
            let what = "after the numbers of nodes and links come at most a format of three digits \
                        0 or 1 and a number of constraints";
            return Err(Flaw::line(at, what));
        }
        let flag = |place: usize| format.bytes().rev().nth(place) == Some(b'1');
        let constraints = match rest.get(1) {
            Some(word) => number(word, "constraints", at)?,
            None => u64::from(flag(1)),
        };
        Ok(Self {
            nodes: number(nodes, "nodes", at)?,
            links: number(links, "links", at)?,
            before: constraints.saturating_add(u64::from(flag(2))),
            weighted: flag(0),
        })
    }

    /// Reads the line of a node: the neighbours that it lists.
    fn neighbours(&self, node: u32, line: &str, at: u64, raw: &mut Raw) -> Result<Vec<u32>, Flaw> {
        let mut words = line.split_whitespace();
        for _ in 0..self.before {
            if words.next().is_none() {
                let what = format!("the line should begin with {} weights", self.before);
                return Err(Flaw::line(at, what));
            }
        }
        let mut neighbours = Vec::new();
        while let Some(word) = words.next() {
            let other = raw.numbered(word, at)?;
            if other == node {
                let what = format!("node {} lists itself, which METIS does not allow", node + 1);
                return Err(Flaw::line(at, what));
            }
            if self.weighted {
                let Some(weight) = words.next() else {
                    let what =
                        format!("neighbour {word} has no weight; by the header each has one");
                    return Err(Flaw::line(at, what));
                };
                if other > node {
                    raw.weigh(weight);
                }
            }
            neighbours.push(other);
        }
        Ok(neighbours)
    }
}
