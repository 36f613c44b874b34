//! Comparisons for people: a table, whose rows are written as soon as they are known.

use crate::error::Error;
use crate::report::{RowFormat, json_element};
use crate::terminal::{Emphasis, table_width, wrapped};
use std::fmt::Write;
use suffrage::algorithms::Formula;
use suffrage::experiment::Stamped;
use suffrage::experiment::number::{Decimal, count, grouped};
use suffrage::experiment::report::{ComparisonRow, Figures, VariedConditions, csv_header};
use suffrage_stdio::TextColumns;

impl RowFormat {
    pub(crate) fn begin(self) -> String {
        match self {
            Self::Csv => csv_header(),
            Self::Json => "[".to_owned(),
            Self::Text => groups() + &line(TABLE.map(|(_, _, _, name)| name)),
        }
    }

    /// Formats a row.
    pub(crate) fn row(self, row: &Stamped<ComparisonRow>, first: bool) -> Result<String, Error> {
        Ok(match self {
            Self::Text => table(&row.report),
            Self::Csv => row.report.csv(),
            Self::Json => json_element(row, first)?,
        })
    }

    /// Formats the conditions of the rows that follow, where they vary.
    pub(crate) fn conditions(self, conditions: &VariedConditions) -> String {
        match self {
            Self::Text => format!("{conditions}\n"),
            Self::Csv | Self::Json => String::new(),
        }
    }

    /// Formats all rows.
    pub(crate) fn document(self, rows: &[Stamped<ComparisonRow>]) -> Result<String, Error> {
        let all = || rows.iter().map(|row| &row.report.conditions);
        let varied = all().any(|conditions| Some(conditions) != all().next());
        let (mut text, mut before) = (self.begin(), None);
        for (number, (row, conditions)) in rows.iter().zip(all()).enumerate() {
            if varied && before != Some(conditions) {
                text += &self.conditions(conditions);
                before = Some(conditions);
            }
            text += &self.row(row, number == 0)?;
        }
        Ok(text + &self.left_out() + self.end())
    }

    /// What follows the last row, if nothing was cut short.
    pub(crate) fn left_out(self) -> String {
        match self {
            Self::Text => left_out(),
            Self::Json | Self::Csv => String::new(),
        }
    }

    pub(crate) const fn end(self) -> &'static str {
        match self {
            Self::Json => "\n]\n",
            Self::Text | Self::Csv => "",
        }
    }
}

/// The number of columns of the table.
const WIDTH: usize = 14;

/// The columns of the table: the group that each begins, if it does, the blanks before it and its
/// width, and its name.
const TABLE: [(&str, usize, usize, &str); WIDTH] = [
    ("", 0, 22, "algorithm"),
    ("", 1, 10, "nodes"),
    ("messages", 2, 14, "mean"),
    ("messages", 1, 9, "± 95 %"),
    ("messages", 1, 11, "p95"),
    ("messages", 1, 11, "max"),
    ("time", 2, 10, "mean"),
    ("time", 1, 10, "p95"),
    ("time", 1, 10, "max"),
    ("causal", 2, 9, "depth"),
    ("", 2, 6, "ratio"),
    ("", 2, 48, "bound"),
    ("time", 2, 6, "ratio"),
    ("", 2, 44, "time bound"),
];

/// The columns by importance, for terminals that are too narrow for all.
const IMPORTANCE: [usize; WIDTH] = [0, 1, 2, 3, 10, 6, 9, 5, 4, 8, 7, 11, 12, 13];

/// The columns that have a line of their own below the row, if there is no room for them.
const BELOW: [usize; 2] = [11, 13];

fn shown() -> TextColumns {
    let columns = TextColumns::new(&TABLE.map(|(_, gap, width, _)| (gap, width)));
    // The name and the formulas are on the left.
    let columns = columns.right(|column| column != 0 && !BELOW.contains(&column));
    columns.within(table_width(), IMPORTANCE)
}

/// Says which columns the terminal has no room for.
fn left_out() -> String {
    let columns = shown();
    let names: Vec<String> = (0..WIDTH)
        .filter(|column| !columns.has(*column) && !BELOW.contains(column))
        .map(|column| format!("{} {}", TABLE[column].0, TABLE[column].3).trim().to_owned())
        .collect();
    if names.is_empty() {
        return String::new();
    }
    let text = format!("no room for: {}; --format csv has all of it", names.join(", "));
    format!("\n{}\n", wrapped(&text, table_width()).join("\n"))
}

/// Formats a line of the table, with as many columns as the terminal has room for.
fn line(cells: [&str; WIDTH]) -> String {
    shown().line(&cells) + "\n"
}

fn groups() -> String {
    let ends = |number: usize| TABLE.get(number + 1).is_none_or(|next| next.0 != TABLE[number].0);
    let columns = shown();
    let last = |number: usize| {
        (number + 1..TABLE.len())
            .take_while(|&n| TABLE[n].0 == TABLE[number].0)
            .all(|n| !columns.has(n))
    };
    let cells =
        std::array::from_fn(
            |number| {
                if ends(number) || last(number) { TABLE[number].0 } else { "" }
            },
        );
    line(cells)
}

/// Formats a bound for a column, which has no room for a condition; `suffrage algorithms` and JSON have it.
fn without_condition(bound: Formula) -> String {
    Formula { condition: String::new(), ..bound }.signed()
}

fn table(row: &ComparisonRow) -> String {
    let ratio = row.bound.ratio.map_or("-".to_owned(), |ratio| ratio.to_string());
    let claim = row.time_bound.as_ref();
    let time_ratio = claim.and_then(|time| time.ratio).map(|ratio| ratio.to_string());
    let time_bound = claim.map(|time| without_condition(time.claim.stated()));
    let Figures { messages, time, causal_depth, .. } = &row.figures;
    let mut text = line([
        row.algorithm,
        &grouped(row.nodes),
        &messages.mean.short(),
        &messages.ci95.map_or_else(|| "-".to_owned(), Decimal::short),
        &grouped(messages.p95),
        &grouped(messages.max),
        &time.mean.short(),
        &grouped(time.p95),
        &grouped(time.max),
        &causal_depth.mean.short(),
        &ratio,
        &without_condition(row.bound.claim.stated()),
        time_ratio.as_deref().unwrap_or("-"),
        time_bound.as_deref().unwrap_or("-"),
    ]);
    for refuted in row.refuted() {
        let broken = format!("BROKEN {}", refuted.why());
        let _ = writeln!(text, "  {}", Emphasis::Broken.paint(&broken));
    }
    let columns = shown();
    let bounds = [Some(without_condition(row.bound.claim.stated())), time_bound];
    for (column, bound) in BELOW.into_iter().zip(bounds).filter(|(column, _)| !columns.has(*column))
    {
        let Some(bound) = bound else { continue };
        let words =
            wrapped(&format!("{} {bound}", TABLE[column].3), table_width().saturating_sub(4));
        let _ = writeln!(text, "    {}", words.join("\n    "));
    }
    if let Some(failure) = &row.failure {
        let names: Vec<_> = failure.properties.iter().map(|one| one.name()).collect();
        let broken = format!(
            "BROKEN in {} of {}: {}",
            grouped(row.failures),
            count(row.trials, "trial"),
            names.join(", ")
        );
        let _ = writeln!(text, "  {}\n    {}", Emphasis::Broken.paint(&broken), failure.replay);
    }
    text
}
