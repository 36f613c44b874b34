//! graph6, sparse6 and digraph6 (B. McKay, <https://users.cecs.anu.edu.au/~bdm/data/formats.txt>): six bits in each
//! printable character. Nodes are named by their numbers from 0.

use super::raw::{Flaw, Raw};

pub(super) const HEADERS: [&str; 3] = [">>graph6<<", ">>sparse6<<", ">>digraph6<<"];

pub(super) fn read(text: &str) -> Result<Raw, Flaw> {
    let mut lines = text.lines().map(str::trim).zip(1..).filter(|(line, _)| !line.is_empty());
    let mut raw = Raw::default();
    let Some((mut line, mut at)) = lines.next() else { return Ok(raw) };
    if let Some(header) = HEADERS.iter().find(|header| line.starts_with(**header)) {
        line = &line[header.len()..];
        if line.is_empty() {
            let Some(next) = lines.next() else { return Ok(raw) };
            (line, at) = next;
        }
    }
    raw.further_graphs = lines.count() as u64;
    let (kind, rest) = match line.split_at_checked(1) {
        Some((kind @ (":" | "&"), rest)) => (kind, rest),
        _ => ("", line),
    };
    let broken = |what: &str| Flaw::line(at, format!("{what}: it is cut off, or no graph6"));
    if rest.bytes().any(|byte| !(63..=126).contains(&byte)) {
        return Err(broken("a character that has no six bits"));
    }
    let mut bits = Bits { bytes: rest.as_bytes(), at: 0 };
    let nodes = bits.size().ok_or_else(|| broken("the number of nodes is missing"))?;
    // Each node but one has a link, and each link takes a bit at least.
    if nodes > 6 * rest.len() as u64 + 1 {
        return Err(broken("the line is too short for its number of nodes"));
    }
    (0..nodes).try_for_each(|node| raw.ids.number(&node.to_string()).map(drop))?;
    let nodes = nodes as u32;
    match kind {
        ":" => sparse(&mut bits, nodes, &mut raw)?,
        kind => {
            let directed = kind == "&";
            let mut entries = Vec::new();
            for b in 0..nodes {
                for a in 0..if directed { nodes } else { b } {
                    if bits.next(1).ok_or_else(|| broken("the matrix is too short"))? == 1 {
                        entries.push(if directed { (b, a) } else { (a, b) });
                        raw.room_for(entries.len())?;
                    }
                }
            }
            if bits.at.div_ceil(6) < rest.len() {
                return Err(broken("the matrix is too long"));
            }
            raw.directed = if directed { entries.len() as u64 } else { 0 };
            raw.link_listed(entries)?;
        }
    }
    Ok(raw)
}

/// Reads pairs of a bit, which says to go on to the next node, and the number of a node.
fn sparse(bits: &mut Bits<'_>, nodes: u32, raw: &mut Raw) -> Result<(), Flaw> {
    let width = u32::BITS - nodes.saturating_sub(1).leading_zeros();
    let mut node = 0;
    while let (Some(next), Some(other)) = (bits.next(1), bits.next(width)) {
        node += next as u32;
        let other = other as u32;
        if node >= nodes || other >= nodes {
            // Padding.
            break;
        }
        if other > node {
            node = other;
        } else {
            raw.link(other, node)?;
        }
    }
    Ok(())
}

/// A sequence of bits, six of them in a byte above 63.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    /// Reads the next `count` bits as a number.
    fn next(&mut self, count: u32) -> Option<u64> {
        (0..count).try_fold(0, |number, _| {
            let byte = self.bytes.get(self.at / 6)? - 63;
            let bit = byte >> (5 - self.at % 6) & 1;
            self.at += 1;
            Some(number << 1 | u64::from(bit))
        })
    }

    /// Takes the number of nodes: six bits, or 18 or 36 behind one or two of the greatest character.
    fn size(&mut self) -> Option<u64> {
        const LARGE: u64 = 63;
        match (self.next(6)?, self.bytes.get(1)) {
            (LARGE, Some(126)) => {
                self.at += 6;
                self.next(36)
            }
            (LARGE, _) => self.next(18),
            (size, _) => Some(size),
        }
    }
}
