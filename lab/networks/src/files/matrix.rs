//! Adjacency matrices, as text with or without labels, and in the format of Matrix Market.

use super::columns::{self, Separator};
use super::raw::{Flaw, Raw, number};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The links of a matrix whose entries are added one by one.
#[derive(Default)]
pub(super) struct Entries {
    /// For each pair of nodes: whether the smaller leads to the larger one, whether the larger
    /// leads to the smaller one, and whether one of the entries is other than 1.
    pairs: BTreeMap<(u32, u32), (bool, bool, bool)>,
}

impl Entries {
    /// Adds the entry of a row and a column; 0 means no link.
    pub(super) fn add(&mut self, raw: &Raw, row: u32, column: u32, entry: f64) -> Result<(), Flaw> {
        if entry == 0.0 {
            return Ok(());
        }
        let pair = self.pairs.entry((row.min(column), row.max(column))).or_default();
        pair.0 |= row <= column;
        pair.1 |= row >= column;
        pair.2 |= entry != 1.0;
        raw.room_for(self.pairs.len())
    }

    /// Converts the entries to links. An entry without the opposite one is a directed link.
    pub(super) fn link(self, raw: &mut Raw) -> Result<(), Flaw> {
        for ((a, b), (there, back, weight)) in self.pairs {
            raw.link(a, b)?;
            raw.directed += u64::from(!(there && back));
            raw.weights += u64::from(weight);
        }
        Ok(())
    }
}

/// Reads a matrix with one row per line. With labels, they are the first line and the first column;
/// without, nodes are named by their numbers from 0.
pub(super) fn read(text: &str, separator: Separator) -> Result<Raw, Flaw> {
    let mut rows: Vec<(u64, Vec<Cow<'_, str>>)> = Vec::new();
    for (line, at) in text.lines().zip(1..) {
        if !columns::is_comment(line) {
            rows.push((at, separator.columns(line, at)?));
        }
    }
    let mut raw = Raw::default();
    let Some((first, heads)) = rows.first() else { return Ok(raw) };
    let columns = rows.get(1).map(|(_, row)| row.len());
    let labels: Option<Vec<Cow<'_, str>>> = labels(heads, columns).map(<[_]>::to_vec);
    let first = *first;
    let rows = if labels.is_some() { &rows[1..] } else { &rows[..] };
    let names: Vec<Cow<'_, str>> =
        labels.clone().unwrap_or_else(|| (0..rows.len()).map(|n| n.to_string().into()).collect());
    if rows.len() != names.len() {
        let what = format!("{} labels stand above {} rows", names.len(), rows.len());
        return Err(Flaw::line(first, what));
    }
    for (expected, name) in (0..).zip(&names) {
        if name.is_empty() || raw.ids.number(name)? != expected {
            let what = format!("the label `{}` is empty or stands twice", name.escape_debug());
            return Err(Flaw::line(first, what));
        }
    }
    let mut entries = Entries::default();
    for ((row, (at, columns)), name) in (0..).zip(rows).zip(&names) {
        let mut columns = &columns[..];
        if labels.is_some() {
            if columns.first() != Some(name) {
                let what =
                    format!("this row should begin with the label `{}`", name.escape_debug());
                return Err(Flaw::line(*at, what));
            }
            columns = &columns[1..];
        }
        if columns.len() != rows.len() {
            let what = format!(
                "{} columns in a matrix of {} rows: it is cut off, or not square",
                columns.len(),
                rows.len()
            );
            return Err(Flaw::line(*at, what));
        }
        for (column, entry) in (0..).zip(columns) {
            let Some(entry) = value(entry) else {
                let what = format!("`{}` is no number", entry.escape_debug());
                return Err(Flaw::line(*at, what));
            };
            entries.add(&raw, row, column, entry)?;
        }
    }
    entries.link(&mut raw)?;
    Ok(raw)
}

/// Returns the labels of a first line that has some, given the number of columns of the second: an
/// empty column above the labels of the rows is no label.
pub(super) fn labels<'a, 'b>(
    heads: &'a [Cow<'b, str>],
    columns: Option<usize>,
) -> Option<&'a [Cow<'b, str>]> {
    match heads {
        [corner, rest @ ..] if corner.is_empty() => Some(rest),
        all if columns == Some(all.len() + 1) => Some(all),
        all if all.iter().all(|head| value(head).is_some()) => None,
        all => Some(all),
    }
}

pub(super) fn value(entry: &str) -> Option<f64> {
    let begins = entry.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    entry.parse().ok().filter(|value: &f64| begins && value.is_finite())
}

/// Reads a Matrix Market file in coordinates.
pub(super) fn read_market(text: &str) -> Result<Raw, Flaw> {
    let mut raw = Raw::default();
    let head = text.lines().next().unwrap_or_default().to_ascii_lowercase();
    let mut words = head.split_whitespace();
    if words.next() != Some("%%matrixmarket") {
        return Err(Flaw::line(1, "a Matrix Market file begins with `%%MatrixMarket`"));
    }
    let words: Vec<&str> = words.collect();
    let ["matrix", "coordinate", _, symmetry] = words[..] else {
        let what = "`%%MatrixMarket matrix coordinate FIELD SYMMETRY` should stand here; \
                    no other kind of Matrix Market file is read";
        return Err(Flaw::line(1, what));
    };
    let symmetric = symmetry != "general";
    let mut lines = text
        .lines()
        .zip(1..)
        .skip(1)
        .filter(|(line, _)| !line.trim().is_empty() && !line.starts_with('%'));
    let Some((sizes, at)) = lines.next() else {
        return Err(Flaw::line(1, "the file ends before the line `ROWS COLUMNS ENTRIES`"));
    };
    let size: Vec<&str> = sizes.split_whitespace().collect();
    let [rows, columns, count] = size[..] else {
        return Err(Flaw::line(at, "`ROWS COLUMNS ENTRIES` should stand here"));
    };
    let (rows, count) = (number(rows, "rows", at)?, number(count, "entries", at)?);
    if number(columns, "columns", at)? != rows {
        let what = "the matrix is not square: rows and columns must be the same nodes";
        return Err(Flaw::line(at, what));
    }
    raw.declare(rows, text.len(), at)?;
    let mut entries = Entries::default();
    let mut found = 0_u64;
    for (line, at) in lines {
        let mut words = line.split_whitespace();
        let (Some(row), Some(column)) = (words.next(), words.next()) else {
            return Err(Flaw::line(at, "an entry has a row and a column"));
        };
        let (row, column) = (raw.numbered(row, at)?, raw.numbered(column, at)?);
        let entry = match words.next() {
            None => 1.0,
            Some(word) => value(word)
                .ok_or_else(|| Flaw::line(at, format!("`{}` is no number", word.escape_debug())))?,
        };
        entries.add(&raw, row, column, entry)?;
        if symmetric {
            entries.add(&raw, column, row, entry)?;
        }
        found += 1;
    }
    if found != count {
        let what = format!("{count} entries are announced, and {found} follow");
        return Err(Flaw::line(at, what));
    }
    entries.link(&mut raw)?;
    Ok(raw)
}
