//! Adjacency matrices, as text with or without labels, and in the format of Matrix Market.

use super::columns::Row;
use super::edges::Trust;
use super::raw::{Flaw, Raw, number};
use std::borrow::Cow;
use std::collections::BTreeMap;
use suffrage_numbers::counted;

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

/// Reads a matrix with one row per line. Labels are in the first line, in the first column, or in both; otherwise
/// nodes are named by their numbers from 0. Of a text that is not `whole`, rows are missing.
pub(super) fn read(rows: &[Row<'_>], trust: Trust, whole: bool) -> Result<Raw, Flaw> {
    read_square(rows, trust, whole).or_else(|flaw| {
        // Some writers end each row with a separator.
        let ended = |row: &Row<'_>| {
            row.columns.len() > 1 && row.columns.last().is_some_and(|it| it.is_empty())
        };
        if rows.is_empty() || !rows.iter().all(ended) {
            return Err(flaw);
        }
        let shorter = rows.iter().map(|row| {
            let columns = row.columns[..row.columns.len() - 1].to_vec();
            Row { line: row.line, columns }
        });
        let rows: Vec<Row<'_>> = shorter.collect();
        read_square(&rows, trust, whole).map_err(|_| flaw)
    })
}

fn read_square(rows: &[Row<'_>], trust: Trust, whole: bool) -> Result<Raw, Flaw> {
    let mut raw = Raw::default();
    let Some(heads) = rows.first() else { return Ok(raw) };
    let shape = MatrixShape::of(rows);
    let below = if shape.head { &rows[1..] } else { rows };
    let width = below.first().map_or(0, |row| row.columns.len() - usize::from(shape.column));
    if below.len() != width && (whole || below.len() > width) {
        let what = format!(
            "a matrix of {} and {} is cut off, or not square",
            counted(below.len() as u64, "row"),
            counted(width as u64, "column")
        );
        return Err(Flaw::line(heads.line, what));
    }
    let labels: Vec<Cow<'_, str>> = match (shape.head, shape.column) {
        (true, _) => heads.columns[heads.columns.len() - width..].to_vec(),
        (false, true) if whole => below.iter().map(|row| row.columns[0].clone()).collect(),
        _ => (0..width).map(|node| node.to_string().into()).collect(),
    };
    for (expected, name) in (0..).zip(&labels) {
        if name.is_empty() || raw.ids.number(name)? != expected {
            let what = format!("the label `{}` is empty or stands twice", name.escape_debug());
            return Err(Flaw::line(heads.line, what));
        }
    }
    let mut values = Vec::new();
    for (row, name) in below.iter().zip(&labels) {
        let mut columns = &row.columns[..];
        if shape.column {
            if shape.head && columns.first() != Some(name) {
                let what =
                    format!("this row should begin with the label `{}`", name.escape_debug());
                return Err(Flaw::line(row.line, what));
            }
            columns = &columns[1..];
        }
        if columns.len() != width {
            let what =
                format!("{} in a matrix of {width}", counted(columns.len() as u64, "column"));
            return Err(Flaw::line(row.line, what));
        }
        for word in columns {
            let Some(entry) = value(word) else {
                let what = format!("`{}` is no number", word.escape_debug());
                return Err(Flaw::line(row.line, what));
            };
            values.push(entry);
        }
    }
    let mut entries = Entries::default();
    for ((node, row), values) in (0..).zip(below).zip(values.chunks(width.max(1))) {
        for (column, &entry) in (0..).zip(values) {
            if trust < Trust::Told {
                refuse_entry(entry, node == column, row.line)?;
            }
            entries.add(&raw, node, column, entry)?;
        }
    }
    entries.link(&mut raw)?;
    Ok(raw)
}

/// Refuses what is hardly a link.
fn refuse_entry(entry: f64, on_diagonal: bool, line: u64) -> Result<(), Flaw> {
    let what = if entry != 0.0 && on_diagonal {
        format!(
            "as a matrix, this row has a link from its node to itself (`{entry}`): --topology-format adjacency-matrix \
             leaves such links out"
        )
    } else if entry < 0.0 {
        format!(
            "`{entry}` is a link with a negative weight, or no link: --topology-format adjacency-matrix takes it as a link"
        )
    } else {
        return Ok(());
    };
    Err(Flaw::line(line, what))
}

/// Returns whether rows are three of three numbers that are symmetric or 0 on the diagonal: rather a matrix than links
/// with weights.
pub(super) fn is_square_of_three(rows: &[Row<'_>]) -> bool {
    let row = |row: &Row<'_>| {
        let values: Option<Vec<f64>> = row.columns.iter().map(|word| value(word)).collect();
        values.and_then(|values| <[f64; 3]>::try_from(values).ok())
    };
    let square: Option<Vec<[f64; 3]>> = rows.iter().map(row).collect();
    square.is_some_and(|square| match square[..] {
        [[a, b, c], [d, e, f], [g, h, i]] => (b, c, f) == (d, g, h) || (a, e, i) == (0.0, 0.0, 0.0),
        _ => false,
    })
}

/// Returns whether rows begin with the size of the matrix of three nodes below it, which may stand there twice.
pub(super) fn is_below_its_size(rows: &[Row<'_>]) -> bool {
    let Some((heads, square)) = rows.split_last_chunk::<3>() else { return false };
    let mut sizes = heads.iter().flat_map(|row| &row.columns);
    (1..=2).contains(&heads.len()) && sizes.all(|size| size == "3") && is_square_of_three(square)
}

/// Where a matrix has labels.
struct MatrixShape {
    head: bool,
    column: bool,
}

impl MatrixShape {
    fn of(rows: &[Row<'_>]) -> Self {
        let (heads, below) = (&rows[0].columns[..], &rows[1..]);
        let numbers = |all: &[Cow<'_, str>]| all.iter().all(|word| value(word).is_some());
        let width = below.first().map_or(0, |row| row.columns.len());
        // A column without a name, or with one that no row has, stands above the labels of the rows.
        let corner = (heads[0].is_empty() || value(&heads[0]).is_none())
            && width == heads.len()
            && below.len() < heads.len()
            && !below.is_empty()
            && below.iter().zip(&heads[1..]).all(|(row, head)| row.columns.first() == Some(head));
        if corner || width == heads.len() + 1 {
            return Self { head: true, column: true };
        }
        let counts =
            |from: usize| heads.iter().zip(from..).all(|(head, number)| head.parse() == Ok(number));
        if width == heads.len()
            && (!numbers(heads[1..].as_ref()) || counts(0) || counts(1))
            && below.len() >= 2
        {
            return Self { head: true, column: false };
        }
        Self { head: false, column: value(&heads[0]).is_none() }
    }
}

/// Returns an entry as a number. Where there is no link, writers have 0, nothing, `nan`, or an infinite distance.
pub(super) fn value(entry: &str) -> Option<f64> {
    match entry {
        "" | "False" | "FALSE" | "false" | "NA" | "None" => Some(0.0),
        "True" | "TRUE" | "true" => Some(1.0),
        entry => {
            let value: f64 = entry.parse().ok()?;
            Some(if value.is_finite() { value } else { 0.0 })
        }
    }
}

/// The head of a Matrix Market file.
struct MarketHead<'a> {
    nodes: u64,
    /// The number of entries that follow.
    count: u64,
    /// Whether all entries follow, column by column, or some with their coordinates.
    array: bool,
    /// How many numbers an entry has at most.
    values: usize,
    symmetry: &'a str,
}

impl<'a> MarketHead<'a> {
    fn of(banner: &'a str, sizes: &[&str], at: u64) -> Result<Self, Flaw> {
        let words: Vec<&str> = banner.trim_start_matches('%').split_whitespace().collect();
        let [
            "matrixmarket",
            "matrix",
            kind @ ("coordinate" | "array"),
            field @ ("pattern" | "integer" | "unsigned-integer" | "real" | "double" | "complex"),
            symmetry @ ("general" | "symmetric" | "skew-symmetric" | "hermitian"),
        ] = words[..]
        else {
            let what = "`%%MatrixMarket matrix coordinate FIELD SYMMETRY` should stand here, or array in place \
                        of coordinate; FIELD is pattern, integer, real or complex, and SYMMETRY general, \
                        symmetric, skew-symmetric or hermitian";
            return Err(Flaw::line(1, what));
        };
        let array = kind == "array";
        let (rows, columns, count) = match *sizes {
            [rows, columns] if array => (rows, columns, None),
            [rows, columns, count] if !array => (rows, columns, Some(count)),
            _ => {
                let what =
                    "`ROWS COLUMNS ENTRIES` should stand here, or `ROWS COLUMNS` of an array";
                return Err(Flaw::line(at, what));
            }
        };
        let nodes = number(rows, "rows", at)?;
        if number(columns, "columns", at)? != nodes {
            let what = "the matrix is not square: rows and columns must be the same nodes";
            return Err(Flaw::line(at, what));
        }
        let count = match (count, symmetry) {
            (Some(count), _) => number(count, "entries", at)?,
            (None, "general") => nodes.saturating_mul(nodes),
            (None, "skew-symmetric") => nodes.saturating_mul(nodes.saturating_sub(1)) / 2,
            (None, _) => nodes.saturating_mul(nodes.saturating_add(1)) / 2,
        };
        let values = match field {
            "pattern" => 0,
            "complex" => 2,
            _ => 1,
        };
        Ok(Self { nodes, count, array, values, symmetry })
    }

    /// Returns the first row of a column of an array: others are known by symmetry.
    fn first(&self, column: u64) -> u64 {
        match self.symmetry {
            "general" => 0,
            "skew-symmetric" => column + 1,
            _ => column,
        }
    }
}

/// Reads a Matrix Market file: entries by their coordinates, or all of them, column by column.
pub(super) fn read_market(text: &str) -> Result<Raw, Flaw> {
    let mut raw = Raw::default();
    let banner = text.lines().next().unwrap_or_default().to_ascii_lowercase();
    if !banner.starts_with('%') {
        return Err(Flaw::line(1, "a Matrix Market file begins with `%%MatrixMarket`"));
    }
    let mut lines = text
        .lines()
        .zip(1..)
        .skip(1)
        .filter(|(line, _)| !line.trim().is_empty() && !line.starts_with('%'))
        .map(|(line, at)| (line.split_whitespace().collect::<Vec<_>>(), at));
    let Some((sizes, at)) = lines.next() else {
        return Err(Flaw::line(1, "the file ends before the line `ROWS COLUMNS ENTRIES`"));
    };
    let head = MarketHead::of(&banner, &sizes, at)?;
    raw.declare(head.nodes, text.len(), at)?;
    let mut entries = Entries::default();
    let (mut found, mut next) = (0_u64, (head.first(0), 0));
    for (words, at) in lines {
        let (row, column, values) = if head.array {
            while next.0 >= head.nodes && next.1 + 1 < head.nodes {
                next = (head.first(next.1 + 1), next.1 + 1);
            }
            next.0 += 1;
            (next.0.min(head.nodes), next.1 + 1, &words[..])
        } else {
            let [row, column, ref values @ ..] = words[..] else {
                return Err(Flaw::line(at, "an entry has a row and a column"));
            };
            (number(row, "a node", at)?, number(column, "a node", at)?, values)
        };
        if values.len() > head.values {
            let what =
                format!("an entry of this field has {}", counted(head.values as u64, "number"));
            return Err(Flaw::line(at, what));
        }
        // A complex number has two parts, and either makes a link.
        let mut entry = if values.is_empty() { 1.0 } else { 0.0 };
        for word in values {
            let part = value(word)
                .ok_or_else(|| Flaw::line(at, format!("`{}` is no number", word.escape_debug())))?;
            entry = if entry == 0.0 { part } else { entry };
        }
        let (row, column) = (raw.place(row, at)?, raw.place(column, at)?);
        entries.add(&raw, row, column, entry)?;
        if head.symmetry != "general" {
            entries.add(&raw, column, row, entry)?;
        }
        found += 1;
    }
    if found != head.count {
        let what = format!("{} entries are announced, and {found} follow", head.count);
        return Err(Flaw::line(at, what));
    }
    entries.link(&mut raw)?;
    Ok(raw)
}
