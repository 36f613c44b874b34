//! Recognition of text in columns: edge lists, adjacency lists, and matrices.
//!
//! These have no signature, and each of them can be read as another one, which gives another
//! network. A text that is plausible as two of them is refused.

use super::columns::{self, Separator};
use super::raw::Flaw;
use super::{edges, matrix, metis};
use crate::format::FileFormat;
use std::borrow::Cow;
use std::collections::HashSet;

/// The format of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FormatVerdict {
    /// This format; for an edge list, with the greatest number of columns seen.
    Is(FileFormat, usize),
    /// One of these two formats, ambiguous because of a line.
    Either(FileFormat, FileFormat, u64),
}

/// The sort of label that a column can be.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Sort {
    Integer,
    Number,
    Word,
}

impl Sort {
    fn of(column: &str) -> Self {
        let digits = column.strip_prefix('-').unwrap_or(column);
        if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            Self::Integer
        } else if matrix::value(column).is_some() {
            Self::Number
        } else {
            Self::Word
        }
    }
}

/// The columns of the lines that have content.
struct TextTable<'a> {
    rows: Vec<Vec<Cow<'a, str>>>,
    /// Whether this is the whole text.
    whole: bool,
    /// The least and the greatest number of columns.
    widths: (usize, usize),
    /// The first of the lines with the most columns.
    widest: u64,
}

/// Determines the format of a text, or of its beginning if it is not `whole`.
pub(super) fn recognize(
    text: &str,
    whole: bool,
    separator: Separator,
) -> Result<FormatVerdict, Flaw> {
    use FileFormat::{AdjacencyList, AdjacencyMatrix, EdgeList, Metis, MultilineAdjacencyList};
    // networkx writes three comments, the second with the time.
    let stamped = text.lines().take(20).any(|line| line.starts_with("# GMT "));
    let table = TextTable::of(text, whole, separator)?;
    let (least, most) = table.widths;
    let is = |format| Ok(FormatVerdict::Is(format, most));
    let attributes = |place: usize| {
        table.rows.iter().any(|row| row.get(place).is_some_and(|column| column.starts_with('{')))
    };
    if separator == Separator::Any && attributes(1) {
        return is(MultilineAdjacencyList);
    }
    let header = |row: &Vec<Cow<'_, str>>| row.len() >= 2 && edges::is_header(&row[0], &row[1]);
    if attributes(2) || (table.rows.len() > 1 && table.rows.first().is_some_and(header)) {
        return is(EdgeList);
    }
    if stamped {
        // networkx gives one line to every node.
        let nodes = table.nodes();
        let complete = nodes.len() == table.rows.len()
            && table.rows.iter().flatten().all(|column| nodes.contains(&**column));
        let multiline = table.is_multiline() && !complete;
        return is(if multiline { MultilineAdjacencyList } else { AdjacencyList });
    }
    if whole && separator == Separator::Any && metis::is_metis(text) {
        return is(Metis);
    }
    if whole && separator == Separator::Any && metis::has_no_links(text) {
        return Ok(FormatVerdict::Either(EdgeList, Metis, table.widest));
    }
    if table.is_matrix() {
        return is(AdjacencyMatrix);
    }
    // With two columns a node and its neighbours are a link.
    if most <= 2 {
        return is(EdgeList);
    }
    let either = Ok(FormatVerdict::Either(EdgeList, AdjacencyList, table.widest));
    let uniform = least == most;
    let nodes = table.nodes();
    if nodes.len() < table.rows.len() {
        // A node has one line in an adjacency list.
        let doubtful = most > 3 && !uniform && table.further_are_labels();
        return if doubtful { either } else { is(EdgeList) };
    }
    if table.rows.iter().flatten().all(|column| nodes.contains(&**column)) {
        // networkx gives a line to every node. In an edge list of as many links as nodes, all
        // lines have a weight or none has.
        let alone = least == 1 || most > 3;
        return match (uniform, alone) {
            (true, _) if table.repeats() => is(EdgeList),
            (false, true) => is(AdjacencyList),
            _ => either,
        };
    }
    if uniform && most == 3 {
        return is(EdgeList);
    }
    match table.further_are_labels() {
        // Thousands of nodes, each with one line and a number of neighbours of its own.
        true if !whole && !uniform && most > 3 => is(AdjacencyList),
        true => either,
        false => is(EdgeList),
    }
}

/// Returns the reason why the first two columns of a row are not the ends of a link, if there is
/// one: to read them as such would give another network, whatever the format.
fn misleading(row: &[Cow<'_, str>], first: bool, separator: Separator) -> Option<String> {
    const ARROWS: [&str; 9] = ["->", "<-", "<->", "-->", "--", "-", "=>", "→", "—"];
    let why = match row {
        [only] if separator == Separator::Any && only.contains(';') => format!(
            "`{}` is one label, since columns are separated by blanks or commas: if `;` separates \
             them, call the file .csv",
            only.escape_debug()
        ),
        [_, arrow, _, ..] if ARROWS.contains(&&**arrow) => format!(
            "`{arrow}` stands between two labels: leave it out, or write `graph {{` before the links \
             and `}}` after them, which is DOT"
        ),
        [_, rest @ ..] if first => {
            let place = rest.windows(2).position(|pair| edges::are_ends(&pair[0], &pair[1]))?;
            format!(
                "this header says that the ends of links are in the columns {} and {}: put these \
                 columns first",
                place + 2,
                place + 3
            )
        }
        _ => return None,
    };
    Some(why + "; if all are labels, give the format with --topology-format")
}

impl<'a> TextTable<'a> {
    fn of(text: &'a str, whole: bool, separator: Separator) -> Result<Self, Flaw> {
        let mut table = Self { rows: Vec::new(), whole, widths: (0, 0), widest: 0 };
        for (line, number) in text.lines().zip(1..) {
            if columns::is_comment(line) {
                continue;
            }
            let row = separator.columns(line.trim_matches(['\r', ' ']), number)?;
            if let Some(why) = misleading(&row, table.rows.is_empty(), separator) {
                return Err(Flaw::line(number, why));
            }
            let width = row.len();
            if table.rows.is_empty() {
                table.widths = (width, width);
            }
            if width > table.widths.1 || table.widest == 0 {
                table.widest = number;
            }
            table.widths = (table.widths.0.min(width), table.widths.1.max(width));
            table.rows.push(row);
        }
        Ok(table)
    }

    fn nodes(&self) -> HashSet<&str> {
        self.rows.iter().filter_map(|row| Some(&**row.first()?)).collect()
    }

    fn is_matrix(&self) -> bool {
        let Some(first) = self.rows.first() else { return false };
        if let Some(labels) = matrix::labels(first, self.rows.get(1).map(Vec::len)) {
            let rows = &self.rows[1..];
            let entries = |row: &[Cow<'_, str>]| row.iter().all(|e| matrix::value(e).is_some());
            let named = |(row, label): (&Vec<Cow<'_, str>>, &Cow<'_, str>)| {
                row.len() == labels.len() + 1 && row[0] == *label && entries(&row[1..])
            };
            return labels.len() > 1
                && !rows.is_empty()
                && (rows.len() == labels.len() || !self.whole)
                && rows.iter().zip(labels).all(named);
        }
        let (least, most) = self.widths;
        if least != most || most < 3 {
            return false;
        }
        let rows: Option<Vec<Vec<f64>>> =
            self.rows.iter().map(|row| row.iter().map(|e| matrix::value(e)).collect()).collect();
        let Some(rows) = rows else { return false };
        let binary = rows.iter().flatten().all(|&entry| entry == 0.0 || entry == 1.0);
        if !self.whole || rows.len() != most {
            // Cut off: an edge list between nodes 0 and 1 has no further columns of 0 and 1.
            return most > 3 && binary;
        }
        let pairs = || (0..most).flat_map(|row| (0..row).map(move |column| (row, column)));
        let symmetric = pairs().all(|(row, column)| rows[row][column] == rows[column][row])
            && (0..most).all(|node| rows[node][node] == 0.0);
        most > 4 || binary || symmetric
    }

    /// Returns whether the text is a list of nodes with their numbers of neighbours, each followed
    /// by its neighbours.
    fn is_multiline(&self) -> bool {
        let mut rows = self.rows.iter();
        while let Some(row) = rows.next() {
            let [_, count] = &row[..] else { return false };
            let Ok(count) = count.parse::<usize>() else { return false };
            if rows.by_ref().take(count).filter(|row| row.len() == 1).count() < count {
                return false;
            }
        }
        true
    }

    fn further_are_labels(&self) -> bool {
        let sort = |column: &Cow<'_, str>| Sort::of(column);
        let labels: HashSet<Sort> =
            self.rows.iter().flat_map(|row| row.iter().take(2)).map(sort).collect();
        self.rows.iter().flat_map(|row| row.iter().skip(2)).all(|c| labels.contains(&sort(c)))
    }

    fn repeats(&self) -> bool {
        self.rows.iter().any(|row| {
            let different: HashSet<&str> = row.iter().map(|column| &**column).collect();
            different.len() < row.len()
        })
    }
}

#[cfg(test)]
mod tests;
