//! Formats tables.

use crate::terminal::{kept, table_width};
use std::fmt::Write;

/// Formats a table for people, with columns of minimal width.
pub(super) fn text<const N: usize>(
    heads: &[&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let rows: Vec<[String; N]> = rows.into_iter().collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0).max(heads[column].len())
    };
    let widths: Vec<usize> = (0..N).map(width).collect();
    let wide: Vec<usize> = widths.iter().map(|width| width + 2).collect();
    let left_to_right: Vec<usize> = (0..N).collect();
    let keep = kept(&wide, &left_to_right, table_width().saturating_add(2));
    let mut text = String::new();
    let mut line = |cells: [&str; N]| {
        let mut line = String::new();
        let columns = cells.iter().zip(&widths).enumerate();
        for (column, (cell, &width)) in columns.filter(|&(column, _)| keep[column]) {
            let _ = if is_words(column, N) {
                write!(line, "{cell:<width$}  ")
            } else {
                write!(line, "{cell:>width$}  ")
            };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    };
    line(*heads);
    for row in &rows {
        line(row.each_ref().map(String::as_str));
    }
    text
}

/// Formats a table in Markdown.
pub(super) fn markdown<const N: usize>(
    heads: &[&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let rule = (0..N).map(|column| if is_words(column, N) { "---" } else { "---:" });
    let mut text = format!("| {} |\n|{}|\n", heads.join(" | "), rule.collect::<Vec<_>>().join("|"));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}

/// Returns whether a column contains words: the first two and the last one do.
const fn is_words(column: usize, columns: usize) -> bool {
    column < 2 || column + 1 == columns
}
