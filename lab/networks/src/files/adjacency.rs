//! Adjacency lists, as networkx writes them: one node per line, with its neighbours.

use super::columns::{self, Columns};
use super::edges::Trust;
use super::raw::{Flaw, Raw, number};
use crate::format::Separator;
use std::collections::HashSet;
use std::io::BufRead;

/// Reads a line for each node: its label, and the labels of its neighbours. A link may stand on the
/// lines of both of its ends, or on one of them.
///
/// Where nothing says that this is an adjacency list, every node has one line, as writers have it.
pub(super) fn read(
    reader: impl BufRead,
    columns: &Columns,
    trust: Trust,
    whole: bool,
) -> Result<Raw, Flaw> {
    let mut raw = Raw::default();
    let (mut entries, mut begun, mut last) = (Vec::new(), HashSet::new(), 1);
    raw.comments = columns::rows(reader, columns, |row| {
        let row = row.trimmed();
        last = row.line;
        let fault = |what: String| Flaw::line(row.line, what);
        let mut nodes = row.columns.iter().map(|label| match label.is_empty() {
            true => Err(fault("a label of this line is empty".to_owned())),
            false => raw.ids.number(label),
        });
        let Some(node) = nodes.next().transpose()? else {
            return Err(fault("this line has no label".to_owned()));
        };
        let neighbours: Vec<u32> = nodes.collect::<Result<_, _>>()?;
        if trust < Trust::Told {
            let mut labels = row.columns.iter();
            labels
                .try_for_each(|label| columns::refuse_part(label, columns.separator, row.line))?;
        }
        let label = row.columns[0].escape_debug();
        if neighbours.contains(&node) && trust < Trust::Told {
            return Err(fault(format!(
                "a link from `{label}` to `{label}`: --topology-format adjacency-list leaves such links out"
            )));
        }
        let different: HashSet<u32> = neighbours.iter().copied().collect();
        if trust == Trust::Guessed && (!begun.insert(node) || different.len() < neighbours.len()) {
            return Err(fault(format!(
                "`{label}` has a line or a neighbour twice: --topology-format adjacency-list allows it"
            )));
        }
        entries.extend(neighbours.into_iter().map(|neighbour| (node, neighbour)));
        raw.room_for(entries.len() / 2)
    })?;
    if trust == Trust::Guessed && whole && begun.len() < raw.ids.names.len() as usize {
        let without = (0..raw.ids.names.len()).find(|node| !begun.contains(node)).unwrap_or(0);
        let what = format!(
            "no line of an adjacency list is that of `{}`: --topology-format adjacency-list allows it",
            raw.ids.names.get(without).escape_debug()
        );
        return Err(Flaw::line(last, what));
    }
    raw.link_listed(entries)?;
    Ok(raw)
}

/// Reads a line `LABEL COUNT` for each node, followed by COUNT lines `LABEL [ATTRIBUTES]`.
pub(super) fn read_multiline(
    reader: impl BufRead,
    columns: &Columns,
    trust: Trust,
    whole: bool,
) -> Result<Raw, Flaw> {
    let mut raw = Raw::default();
    let (mut entries, mut begun) = (Vec::new(), HashSet::new());
    // The node whose neighbours follow, their number, and the line of the node.
    let mut open = (0, 0_u64, 0);
    let columns_by = columns.separator;
    raw.comments = columns::rows(reader, columns, |row| {
        let (at, columns) = (row.line, row.columns);
        let Some(label) = columns.first().filter(|label| !label.is_empty()) else {
            return Err(Flaw::line(at, "this line has no label"));
        };
        let node = raw.ids.number(label)?;
        let second = columns.get(1);
        if open.1 > 0 {
            open.1 -= 1;
            entries.push((open.0, node));
            if trust == Trust::Guessed && second.is_none() {
                refuse_other_separator(label, columns_by, at)?;
            }
            if trust == Trust::Guessed && second.is_some_and(|column| !column.starts_with('{')) {
                return Err(Flaw::line(
                    at,
                    "a neighbour in a multiline adjacency list has attributes in braces",
                ));
            }
            if let Some(attributes) = second.filter(|column| column.contains("weight")) {
                let value = attributes.rsplit_once(':').map(|(_, value)| value);
                raw.weigh(value.unwrap_or_default().trim_end_matches('}'));
            }
            return raw.room_for(entries.len() / 2);
        }
        let Some(count) = second else {
            let what = format!("`{}` has no number of neighbours", label.escape_debug());
            return Err(Flaw::line(at, what));
        };
        if trust == Trust::Guessed && !begun.insert(node) {
            let what = format!("`{}` has its neighbours listed twice", label.escape_debug());
            return Err(Flaw::line(at, what));
        }
        open = (node, number(count, "neighbours", at)?, at);
        Ok(())
    })?;
    if open.1 > 0 && whole {
        let what = format!("the file ends {} neighbours too early for this node", open.1);
        return Err(Flaw::line(open.2, what));
    }
    raw.link_listed(entries)?;
    Ok(raw)
}

/// Refuses the label of a line that has no separator but another one than the table: other lines are divided otherwise.
fn refuse_other_separator(label: &str, separator: Separator, line: u64) -> Result<(), Flaw> {
    let mut others = Separator::ALL.into_iter().filter(|&one| one != separator);
    if !others.any(|other| label.contains(other.character().unwrap_or(' '))) {
        return Ok(());
    }
    let label = label.escape_debug();
    let what = format!(
        "`{label}` is a label, or columns with another separator than in the lines before: --topology-format says which"
    );
    Err(Flaw::line(line, what))
}
