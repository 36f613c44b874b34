//! Tables of comparisons: a row for each algorithm and size, written as soon as it is known.

use super::Seeds;
use super::facts::{TimeBound, by_chance};
use super::summary::{Trial, nearest};
use crate::error::Error;
use crate::number::{Decimal, Spread, count, grouped};
use crate::plan::Setup;
use crate::terminal::{Emphasis, kept, table_width};
use clap::ValueEnum;
use serde::Serialize;
use std::fmt::Write;
use suffrage::algorithms::Property;

/// The trials of one algorithm on networks of one size. Its keys are those of the JSON report.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    algorithm: &'static str,
    network: String,
    nodes: u32,
    trials: u64,
    /// The seeds of the trials.
    seeds: Seeds,
    messages: Spread,
    time: Spread,
    causal_depth: Decimal,
    bound: Bound,
    /// The trial that came nearest to the bound on time.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_bound: Option<TimeBound>,
    /// The number of trials that broke a property.
    pub(crate) failures: u64,
    /// The properties that were broken in the first of them, and its command.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<Failure>,
}

#[derive(Clone, Debug, Serialize)]
struct Bound {
    formula: String,
    exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    guarantee: Option<&'static str>,
    #[serde(skip)]
    sign: &'static str,
    /// The largest ratio of a trial.
    ratio: Option<Decimal>,
}

#[derive(Clone, Debug, Serialize)]
struct Failure {
    properties: Vec<Property>,
    replay: String,
}

impl Row {
    /// Summarizes at least one trial.
    pub(crate) fn of(setup: &Setup, trials: &[Trial]) -> Option<Self> {
        let failed = || trials.iter().filter(|trial| !trial.violations.is_empty());
        Some(Self {
            algorithm: setup.algorithm.name,
            network: setup.source_text(),
            nodes: trials.first()?.nodes,
            trials: trials.len() as u64,
            seeds: Seeds(trials.iter().map(|trial| trial.seed).collect()),
            messages: Spread::of(trials.iter().map(|trial| trial.messages))?,
            time: Spread::of(trials.iter().map(|trial| trial.time))?,
            causal_depth: Spread::of(trials.iter().map(|trial| trial.causal_depth))?.mean,
            bound: Bound {
                formula: setup.algorithm.claims.formula(),
                exact: setup.algorithm.claims.is_exact(),
                guarantee: by_chance(&setup.algorithm.claims),
                sign: setup.algorithm.claims.guarantee().sign(),
                ratio: trials.iter().filter_map(Trial::ratio).max(),
            },
            time_bound: nearest(setup, trials),
            failures: failed().count() as u64,
            failure: failed().next().map(|trial| Failure {
                properties: trial.violations.iter().map(|broken| broken.property).collect(),
                replay: setup.command(trial.seed),
            }),
        })
    }
}

/// The format of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Layout {
    /// For people
    #[default]
    Table,
    /// Comma-separated values with a header
    Csv,
    /// An array of objects
    Json,
}

const COLUMNS: &str = "algorithm,network,nodes,trials,messages_mean,messages_p95,messages_max,\
                       time_mean,time_p95,time_max,causal_depth_mean,ratio,bound,\
                       units,units_bound,time_bound,failures,replay\n";

impl Layout {
    /// Returns the text before the rows.
    pub(crate) fn begin(self) -> String {
        match self {
            Self::Csv => COLUMNS.to_owned(),
            Self::Json => "[".to_owned(),
            Self::Table => groups() + &line(TABLE.map(|(_, _, _, name)| name)),
        }
    }

    /// Formats a row.
    pub(crate) fn row(self, row: &Row, first: bool) -> Result<String, Error> {
        Ok(match self {
            Self::Table => row.table(),
            Self::Csv => row.csv(),
            Self::Json => super::json_element(row, first)?,
        })
    }

    /// Returns the text after the rows.
    pub(crate) const fn end(self) -> &'static str {
        match self {
            Self::Json => "\n]\n",
            Self::Table | Self::Csv => "",
        }
    }
}

/// The number of columns of the table.
const WIDTH: usize = 13;

/// The columns of the table: the group that each begins, if it does, the blanks before it and its
/// width, and its name.
const TABLE: [(&str, usize, usize, &str); WIDTH] = [
    ("", 0, 22, "algorithm"),
    ("", 1, 10, "nodes"),
    ("messages", 2, 14, "mean"),
    ("messages", 1, 11, "p95"),
    ("messages", 1, 11, "max"),
    ("time", 2, 10, "mean"),
    ("time", 1, 10, "p95"),
    ("time", 1, 10, "max"),
    ("causal", 2, 9, "depth"),
    ("", 2, 6, "ratio"),
    ("", 2, 26, "bound"),
    ("time", 2, 6, "ratio"),
    ("", 2, 20, "time bound"),
];

/// The columns by importance, for terminals that are too narrow for all.
const IMPORTANCE: [usize; WIDTH] = [0, 1, 2, 9, 5, 8, 4, 3, 7, 6, 10, 11, 12];

/// Formats a line of the table, with as many columns as the terminal has room for.
fn line(cells: [&str; WIDTH]) -> String {
    let widths = TABLE.map(|(_, gap, width, _)| gap + width);
    let keep = kept(&widths, &IMPORTANCE, table_width());
    let mut line = String::new();
    for (number, ((_, gap, width, _), cell)) in TABLE.into_iter().zip(cells).enumerate() {
        if !keep[number] {
            continue;
        }
        let _ = match number {
            0 => write!(line, "{cell:width$}"),
            // Formulas are on the left, and the last one is followed by nothing.
            10 if keep[11] => write!(line, "{:gap$}{cell:width$}", ""),
            10 | 12 => write!(line, "{:gap$}{cell}", ""),
            _ => write!(line, "{:gap$}{cell:>width$}", ""),
        };
    }
    line.push('\n');
    line
}

/// Returns the names of the groups of columns, at the end of each group.
fn groups() -> String {
    let ends = |number: usize| TABLE.get(number + 1).is_none_or(|next| next.0 != TABLE[number].0);
    let widths = TABLE.map(|(_, gap, width, _)| gap + width);
    let keep = kept(&widths, &IMPORTANCE, table_width());
    let last = |number: usize| {
        (number + 1..TABLE.len()).take_while(|&n| TABLE[n].0 == TABLE[number].0).all(|n| !keep[n])
    };
    let cells =
        std::array::from_fn(
            |number| {
                if ends(number) || last(number) { TABLE[number].0 } else { "" }
            },
        );
    line(cells).trim_end().to_owned() + "\n"
}

impl Row {
    fn table(&self) -> String {
        let ratio = self.bound.ratio.map_or("-".to_owned(), |ratio| ratio.to_string());
        let sign = self.bound.sign;
        let time = self.time_bound.as_ref();
        let time_ratio = time.and_then(|time| time.ratio).map(|ratio| ratio.to_string());
        let time_bound = time.map(|time| format!("≤ {}", time.formula));
        let mut text = line([
            self.algorithm,
            &grouped(self.nodes),
            &self.messages.mean.short(),
            &grouped(self.messages.p95),
            &grouped(self.messages.max),
            &self.time.mean.short(),
            &grouped(self.time.p95),
            &grouped(self.time.max),
            &self.causal_depth.short(),
            &ratio,
            &format!("{sign} {}", self.bound.formula),
            time_ratio.as_deref().unwrap_or("-"),
            time_bound.as_deref().unwrap_or("-"),
        ]);
        if let Some(failure) = &self.failure {
            let names: Vec<_> = failure.properties.iter().map(|one| one.name()).collect();
            let broken = format!(
                "BROKEN in {} of {}: {}",
                grouped(self.failures),
                count(self.trials, "trial"),
                names.join(", ")
            );
            let _ = writeln!(text, "  {}\n    {}", Emphasis::Broken.paint(&broken), failure.replay);
        }
        text
    }

    fn csv(&self) -> String {
        let Self { algorithm, network, nodes, trials, messages, time, .. } = self;
        let ratio = self.bound.ratio.map(|ratio| ratio.to_string()).unwrap_or_default();
        let bound = self.time_bound.as_ref();
        let [units, most] = [bound.map(|bound| bound.units), bound.map(|bound| bound.most)]
            .map(|units| units.map(|units| units.to_string()).unwrap_or_default());
        let time_bound = bound.map(|bound| quoted(&bound.formula)).unwrap_or_default();
        let replay = self.failure.as_ref().map(|failure| quoted(&failure.replay));
        format!(
            "{algorithm},{network},{nodes},{trials},{},{},{},{},{},{},{},{ratio},{},{units},{most},\
             {time_bound},{},{}\n",
            messages.mean,
            messages.p95,
            messages.max,
            time.mean,
            time.p95,
            time.max,
            self.causal_depth,
            quoted(&self.bound.formula),
            self.failures,
            replay.unwrap_or_default(),
        )
    }
}

/// Quotes a field of comma-separated values (RFC 4180).
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
