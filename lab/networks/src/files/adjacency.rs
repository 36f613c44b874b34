//! Adjacency lists, as networkx writes them: one node per line, with its neighbours.

use super::columns::{self, Separator};
use super::raw::{Flaw, Raw, number};
use std::io::BufRead;

/// Reads a line for each node: its label, and the labels of its neighbours. A link may stand on the
/// lines of both of its ends, or on one of them.
pub(super) fn read(reader: impl BufRead, separator: Separator) -> Result<Raw, Flaw> {
    let mut raw = Raw::default();
    let mut entries = Vec::new();
    columns::lines(reader, |line, number| {
        let columns = separator.columns(line, number)?;
        let mut nodes = columns.iter().map(|label| match label.is_empty() {
            true => Err(Flaw::line(number, "a label of this line is empty")),
            false => raw.ids.number(label),
        });
        let Some(node) = nodes.next().transpose()? else {
            return Err(Flaw::line(number, "this line has no label"));
        };
        for neighbour in nodes {
            entries.push((node, neighbour?));
        }
        raw.room_for(entries.len() / 2)
    })?;
    raw.link_listed(entries)?;
    Ok(raw)
}

/// Reads a line `LABEL COUNT` for each node, followed by COUNT lines `LABEL [ATTRIBUTES]`.
pub(super) fn read_multiline(reader: impl BufRead, separator: Separator) -> Result<Raw, Flaw> {
    let mut raw = Raw::default();
    let mut entries = Vec::new();
    // The node whose neighbours follow, their number, and the line of the node.
    let mut open = (0, 0_u64, 0);
    columns::lines(reader, |line, at| {
        let columns = separator.columns(line, at)?;
        let Some(label) = columns.first().filter(|label| !label.is_empty()) else {
            return Err(Flaw::line(at, "this line has no label"));
        };
        let node = raw.ids.number(label)?;
        if open.1 > 0 {
            open.1 -= 1;
            entries.push((open.0, node));
            if let Some(attributes) = columns.get(1).filter(|column| column.contains("weight")) {
                let value = attributes.rsplit_once(':').map(|(_, value)| value);
                raw.weigh(value.unwrap_or_default().trim_end_matches('}'));
            }
            return raw.room_for(entries.len() / 2);
        }
        let Some(count) = columns.get(1) else {
            let what = format!("`{}` has no number of neighbours", label.escape_debug());
            return Err(Flaw::line(at, what));
        };
        open = (node, number(count, "neighbours", at)?, at);
        Ok(())
    })?;
    if open.1 > 0 {
        let what = format!("the file ends {} neighbours too early for this node", open.1);
        return Err(Flaw::line(open.2, what));
    }
    raw.link_listed(entries)?;
    Ok(raw)
}
