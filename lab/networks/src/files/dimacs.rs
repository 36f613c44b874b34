//! DIMACS: a line `p` with the numbers of nodes and links, and a line `e` or `a` for each link.
//!
//! Used by the DIMACS challenges on colouring and cliques (1993), flows (1991) and shortest paths
//! (2006). PACE (<https://pacechallenge.org>) omits the letter before a link.

use super::raw::{Flaw, Raw, number};
use suffrage_numbers::counted;

/// Returns whether a text is probably DIMACS: its first line that is no comment is its problem
/// line.
pub(super) fn looks_like(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && line.split(' ').next() != Some("c"));
    let words: Vec<&str> = first.unwrap_or_default().split_whitespace().collect();
    let numbers = |words: &[&str]| {
        words.len() == 2 && words.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
    };
    matches!(&words[..], ["p", _kind, rest @ ..] if numbers(rest))
}

pub(super) fn read(text: &str) -> Result<Raw, Flaw> {
    let mut raw = Raw::default();
    // The number of links declared, and the line.
    let mut declared: Option<(u64, u64)> = None;
    let mut found = 0_u64;
    for (line, at) in text.lines().zip(1..) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let bare = line.trim_start().starts_with(|c: char| c.is_ascii_digit());
        let (kind, rest) = match &words[..] {
            [] | ["c", ..] => continue,
            _ if bare => ("e", &words[..]),
            [first, rest @ ..] => (*first, rest),
        };
        match (kind, declared) {
            ("p", None) => {
                let [_problem, nodes, links] = rest else {
                    return Err(Flaw::line(at, "`p PROBLEM NODES LINKS` should stand here"));
                };
                declared = Some((number(links, "links", at)?, at));
                raw.declare(number(nodes, "nodes", at)?, text.len(), at)?;
            }
            ("p", Some((_, first))) => {
                let what = format!("a second line `p`; the first is line {first}");
                return Err(Flaw::line(at, what));
            }
            ("e" | "a", Some(_)) => {
                let [from, to, rest @ ..] = rest else {
                    return Err(Flaw::line(at, "a link has two ends"));
                };
                // Three and more are clauses of a formula, or ends of a hyperedge.
                if bare && !rest.is_empty() {
                    return Err(Flaw::line(
                        at,
                        "a line without a letter has the two ends of a link",
                    ));
                }
                let (from, to) = (raw.numbered(from, at)?, raw.numbered(to, at)?);
                raw.link(from, to)?;
                raw.directed += u64::from(kind == "a");
                if let Some(weight) = rest.last() {
                    raw.weigh(weight);
                }
                found += 1;
            }
            // Of nodes: their weights, colours, coordinates, sources and sinks.
            ("n" | "d" | "v" | "x", Some(_)) => {}
            (_, None) => {
                return Err(Flaw::line(at, "a line `p PROBLEM NODES LINKS` should come first"));
            }
            (other, _) => {
                let other = other.escape_debug();
                return Err(Flaw::line(at, format!("no line of DIMACS begins with `{other}`")));
            }
        }
    }
    let Some((links, at)) = declared else {
        if text.trim().is_empty() {
            return Ok(raw);
        }
        return Err(Flaw::line(1, "there is no line `p PROBLEM NODES LINKS`"));
    };
    // Some files list each link from both ends, and declare them once.
    if found != links && !(links.checked_mul(2) == Some(found) && twice_each(&raw.links)) {
        let what = format!("{} declared, and {found} below", counted(links, "link"));
        return Err(Flaw::line(at, what));
    }
    if found != links {
        let links = std::mem::take(&mut raw.links);
        raw.link_listed(links)?;
        raw.weights /= 2;
    }
    Ok(raw)
}

fn twice_each(links: &[(u32, u32)]) -> bool {
    let (mut there, mut back): (Vec<_>, Vec<_>) = links.iter().partition(|(a, b)| a < b);
    back.iter_mut().for_each(|(a, b)| std::mem::swap(a, b));
    there.sort_unstable();
    back.sort_unstable();
    there == back
}
