//! Formats tables.

use super::cluster::TableFormat;
use crate::error::{Error, complain};
use crate::output::print;
use crate::report::json_rows;
use crate::terminal::{fitted, table_width};
use serde::Serialize;
use std::fmt::Write;
use std::iter;
use suffrage::tenure::simulation::DurationSpread;
use suffrage_stdio::TextColumns;

/// A row of a table.
pub(crate) trait TableRow<const N: usize>: Serialize {
    const HEADS: [&str; N];

    fn cells(&self) -> [String; N];
}

/// Prints the rows that were finished out of `all`. Returns whether some are missing, after a line on stderr
/// that says so.
pub(super) fn written<const N: usize, R: TableRow<N>>(
    rows: &[R],
    all: usize,
    format: TableFormat,
) -> Result<bool, Error> {
    print(&match format {
        TableFormat::Text => fitted(&text(&rows.iter().collect::<Vec<_>>())),
        TableFormat::Markdown => markdown(rows),
        TableFormat::Json => json_rows(rows)?,
    })?;
    let interrupted = rows.len() < all;
    if interrupted {
        complain(format_args!("interrupted: {} of {all} rows were finished", rows.len()));
    }
    Ok(interrupted)
}

/// Formats a table for people, with columns of minimal width.
pub(crate) fn text<const N: usize, R: TableRow<N>>(rows: &[&R]) -> String {
    let heads = R::HEADS.map(str::to_owned);
    let rows: Vec<[String; N]> =
        iter::once(heads).chain(rows.iter().map(|row| row.cells())).collect();
    let columns = TextColumns::of(&rows).right(|column| !is_words(column, N));
    columns.within(table_width(), 0..N).text(&rows)
}

/// Formats one duration of a spread, in milliseconds.
pub(super) fn millis(spread: Option<&DurationSpread>, of: fn(&DurationSpread) -> u64) -> String {
    spread.map_or_else(|| "-".to_owned(), |spread| format!("{:.1}", of(spread) as f64 / 1e6))
}

/// Formats a table in Markdown.
fn markdown<const N: usize, R: TableRow<N>>(rows: &[R]) -> String {
    let rule = (0..N).map(|column| if is_words(column, N) { "---" } else { "---:" });
    let mut text =
        format!("| {} |\n|{}|\n", R::HEADS.join(" | "), rule.collect::<Vec<_>>().join("|"));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.cells().join(" | "));
    }
    text
}

const fn is_words(column: usize, columns: usize) -> bool {
    column < 2 || column + 1 == columns
}
