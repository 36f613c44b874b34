//! Tables of comparisons: a row for each algorithm and size, written as soon as it is known.

use super::facts::{Bound, TimeBound, by_chance};
use super::figures::{Figures, nearest};
use super::summary::{Name, Trial, missed, name};
use super::{Seeds, Stamped};
use crate::error::Error;
use crate::flags::{Conditions, Many};
use crate::number::{Decimal, Spread, count, grouped};
use crate::plan::Setup;
use crate::terminal::{Emphasis, kept, table_width};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};
use suffrage::algorithms::Property;

/// The trials of one algorithm on networks of one size. Its keys are those of the JSON report.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    #[serde(deserialize_with = "name")]
    algorithm: Name,
    network: String,
    nodes: u32,
    #[serde(flatten)]
    pub(crate) conditions: Varied,
    pub(super) trials: u64,
    /// The seeds of the trials.
    pub(super) seeds: Seeds,
    #[serde(flatten)]
    pub(super) figures: Figures,
    pub(super) bound: Bound,
    /// The trial that came nearest to the bound on time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) time_bound: Option<TimeBound>,
    /// The number of trials that broke a property.
    pub(crate) failures: u64,
    /// The properties that were broken in the first of them, and its command.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) failure: Option<Failure>,
}

/// The conditions that a comparison varies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Varied {
    schedule: String,
    ids: String,
    initiators: String,
    ports: String,
    capacity: String,
}

impl Varied {
    /// The keys of the conditions, as in JSON and CSV.
    pub(super) const KEYS: &str = "schedule,ids,initiators,ports,capacity";

    pub(crate) fn of(conditions: &Conditions) -> Self {
        Self {
            schedule: conditions.schedule.to_string(),
            ids: conditions.ids.clone(),
            initiators: conditions.initiators.clone().unwrap_or_default().to_string(),
            ports: conditions.ports.name().to_owned(),
            capacity: conditions.capacity.to_string(),
        }
    }

    /// Writes them as fields of comma-separated values.
    pub(super) fn csv(&self) -> String {
        let Self { schedule, ids, initiators, ports, capacity } = self;
        [schedule, ids, initiators, ports, capacity].map(|field| quoted(field)).join(",")
    }
}

impl fmt::Display for Varied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schedule, ids, initiators, ports, capacity } = self;
        write!(
            f,
            "schedule {schedule}, ids {ids}, initiators {initiators}, ports {ports}, \
             capacity {capacity}"
        )
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Failure {
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
            conditions: Varied::of(&setup.conditions),
            trials: trials.len() as u64,
            seeds: Seeds(trials.iter().map(|trial| trial.seed).collect()),
            figures: Figures::of(trials)?,
            bound: Bound {
                formula: setup.algorithm.claims.formula(),
                exact: setup.algorithm.claims.is_exact(),
                guarantee: by_chance(&setup.algorithm.claims),
                messages: trials.iter().map(|trial| trial.bound).max()?,
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

    /// Says that the mean is not known as well as was asked for, if so.
    pub(crate) fn missed(&self, many: Many) -> Option<String> {
        missed(&self.figures, many)
    }

    pub(crate) fn name(&self) -> String {
        format!("{} on {}, {}", self.algorithm, self.network, self.conditions)
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

/// The statistics of a figure in comma-separated values.
const STATISTICS: [&str; 7] = ["mean", "ci95", "deviation", "median", "p95", "max", "min"];

fn columns() -> String {
    let figures = Figures::KEYS.into_iter().flat_map(|figure| {
        STATISTICS.into_iter().map(move |statistic| format!("{figure}_{statistic}"))
    });
    let figures: Vec<String> = figures.collect();
    let (conditions, figures) = (Varied::KEYS, figures.join(","));
    format!(
        "algorithm,network,nodes,{conditions},trials,{figures},ratio,bound,bound_messages,units,\
         units_bound,time_bound,failures,replay\n"
    )
}

impl Layout {
    pub(crate) fn begin(self) -> String {
        match self {
            Self::Csv => columns(),
            Self::Json => "[".to_owned(),
            Self::Table => groups() + &line(TABLE.map(|(_, _, _, name)| name)),
        }
    }

    /// Formats a row.
    pub(crate) fn row(self, row: &Stamped<Row>, first: bool) -> Result<String, Error> {
        Ok(match self {
            Self::Table => row.report.table(),
            Self::Csv => row.report.csv(),
            Self::Json => super::json_element(row, first)?,
        })
    }

    /// Formats the conditions of the rows that follow, where they vary.
    pub(crate) fn conditions(self, conditions: &Varied) -> String {
        match self {
            Self::Table => format!("{conditions}\n"),
            Self::Csv | Self::Json => String::new(),
        }
    }

    pub(crate) const fn end(self) -> &'static str {
        match self {
            Self::Json => "\n]\n",
            Self::Table | Self::Csv => "",
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
const IMPORTANCE: [usize; WIDTH] = [0, 1, 2, 10, 6, 9, 3, 5, 4, 8, 7, 11, 12, 13];

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
            11 if keep[12] => write!(line, "{:gap$}{cell:width$}", ""),
            11 | 13 => write!(line, "{:gap$}{cell}", ""),
            _ => write!(line, "{:gap$}{cell:>width$}", ""),
        };
    }
    line.push('\n');
    line
}

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
        let sign = self.bound.sign();
        let claim = self.time_bound.as_ref();
        let time_ratio = claim.and_then(|time| time.ratio).map(|ratio| ratio.to_string());
        let time_bound = claim.map(|time| format!("≤ {}", time.formula));
        let Figures { messages, time, causal_depth, .. } = &self.figures;
        let mut text = line([
            self.algorithm,
            &grouped(self.nodes),
            &messages.mean.short(),
            &messages.ci95.map_or_else(|| "-".to_owned(), Decimal::short),
            &grouped(messages.p95),
            &grouped(messages.max),
            &time.mean.short(),
            &grouped(time.p95),
            &grouped(time.max),
            &causal_depth.mean.short(),
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
        let Self { algorithm, network, nodes, trials, .. } = self;
        let decimal = |one: Option<Decimal>| one.map(|one| one.to_string()).unwrap_or_default();
        let figures: Vec<String> = self
            .figures
            .all()
            .into_iter()
            .map(|Spread { mean, ci95, deviation, median, p95, max, min, .. }| {
                let (ci95, deviation) = (decimal(*ci95), decimal(*deviation));
                format!("{mean},{ci95},{deviation},{median},{p95},{max},{min}")
            })
            .collect();
        let bound = self.time_bound.as_ref();
        let [units, most] = [bound.map(|bound| bound.units), bound.map(|bound| bound.most)]
            .map(|units| units.map(|units| units.to_string()).unwrap_or_default());
        let time_bound = bound.map(|bound| quoted(&bound.formula)).unwrap_or_default();
        let replay = self.failure.as_ref().map(|failure| quoted(&failure.replay));
        format!(
            "{algorithm},{},{nodes},{},{trials},{},{},{},{},{units},{most},{time_bound},{},{}\n",
            quoted(network),
            self.conditions.csv(),
            figures.join(","),
            decimal(self.bound.ratio),
            quoted(&self.bound.formula),
            self.bound.messages,
            self.failures,
            replay.unwrap_or_default(),
        )
    }
}

/// Quotes a field of comma-separated values (RFC 4180).
pub(super) fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
