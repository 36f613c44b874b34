//! Comparisons: a row for each algorithm and size, written as soon as it is known.

use super::number::{Decimal, Spread, grouped};
use super::summary::Trial;
use crate::error::Error;
use crate::plan::Setup;
use clap::ValueEnum;
use serde::Serialize;
use std::fmt::Write;

/// The trials of one algorithm on networks of one size. Its keys are those of the JSON report.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    algorithm: &'static str,
    network: String,
    nodes: u32,
    trials: u64,
    messages: Spread,
    time: Spread,
    causal_depth: Decimal,
    bound: Bound,
    /// How many trials broke a property.
    pub(crate) failures: u64,
    /// The properties that were broken in the first of them, and its command.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<Failure>,
}

#[derive(Clone, Debug, Serialize)]
struct Bound {
    formula: String,
    exact: bool,
    /// The largest ratio of a trial.
    ratio: Option<Decimal>,
}

#[derive(Clone, Debug, Serialize)]
struct Failure {
    properties: Vec<&'static str>,
    replay: String,
}

impl Row {
    /// Of at least one trial.
    pub(crate) fn of(setup: &Setup, trials: &[Trial]) -> Option<Self> {
        let failed = || trials.iter().filter(|trial| !trial.violations.is_empty());
        Some(Self {
            algorithm: setup.algorithm.name,
            network: setup.source_text(),
            nodes: trials.first()?.nodes,
            trials: trials.len() as u64,
            messages: Spread::of(trials.iter().map(|trial| trial.messages))?,
            time: Spread::of(trials.iter().map(|trial| trial.time))?,
            causal_depth: Spread::of(trials.iter().map(|trial| trial.causal_depth))?.mean,
            bound: Bound {
                formula: setup.algorithm.claims.formula(),
                exact: setup.algorithm.claims.is_exact(),
                ratio: trials.iter().filter_map(Trial::ratio).max(),
            },
            failures: failed().count() as u64,
            failure: failed().next().map(|trial| Failure {
                properties: trial.violations.iter().map(|broken| broken.property.name()).collect(),
                replay: setup.command(trial.seed),
            }),
        })
    }
}

/// How rows are written.
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
                       time_mean,time_p95,time_max,causal_depth_mean,ratio,bound,failures,replay\n";

impl Layout {
    /// What comes before the rows.
    pub(crate) fn begin(self) -> String {
        match self {
            Self::Csv => COLUMNS.to_owned(),
            Self::Json => "[".to_owned(),
            Self::Table => {
                let group = format!(
                    "{:WIDEST$} {:SIZE$}  {:>38}  {:>32}  {:>9}\n",
                    "", "", "messages", "time", "causal"
                );
                let [mean, p95, max] = ["mean", "p95", "max"];
                let cells =
                    ["algorithm", "nodes", mean, p95, max, mean, p95, max, "depth", "ratio"];
                group + &line(cells, "bound")
            }
        }
    }

    /// A row.
    pub(crate) fn row(self, row: &Row, first: bool) -> Result<String, Error> {
        Ok(match self {
            Self::Table => row.table(),
            Self::Csv => row.csv(),
            Self::Json => {
                let text = super::json(row)?;
                let comma = if first { "\n" } else { ",\n" };
                let indented: Vec<_> = text.lines().map(|line| format!("  {line}")).collect();
                format!("{comma}{}", indented.join("\n"))
            }
        })
    }

    /// What comes after them.
    pub(crate) const fn end(self) -> &'static str {
        match self {
            Self::Json => "\n]\n",
            Self::Table | Self::Csv => "",
        }
    }
}

/// Room for names and for numbers of nodes.
const WIDEST: usize = 21;
const SIZE: usize = 11;

fn line(cells: [&str; 10], bound: &str) -> String {
    let [name, nodes, mean, p95, max, time, time_p95, time_max, depth, ratio] = cells;
    format!(
        "{name:WIDEST$} {nodes:>SIZE$}  {mean:>14} {p95:>11} {max:>11}  {time:>10} {time_p95:>10} \
         {time_max:>10}  {depth:>9}  {ratio:>6}  {bound}\n"
    )
}

impl Row {
    fn table(&self) -> String {
        let ratio = self.bound.ratio.map_or("-".to_owned(), |ratio| ratio.to_string());
        let sign = if self.bound.exact { '=' } else { '≤' };
        let mut text = line(
            [
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
            ],
            &format!("{sign} {}", self.bound.formula),
        );
        if let Some(failure) = &self.failure {
            let _ = write!(
                text,
                "  BROKEN in {} of {} trials: {}\n    {}\n",
                grouped(self.failures),
                grouped(self.trials),
                failure.properties.join(", "),
                failure.replay
            );
        }
        text
    }

    fn csv(&self) -> String {
        let Self { algorithm, network, nodes, trials, messages, time, .. } = self;
        let ratio = self.bound.ratio.map(|ratio| ratio.to_string()).unwrap_or_default();
        let replay = self.failure.as_ref().map(|failure| quoted(&failure.replay));
        format!(
            "{algorithm},{network},{nodes},{trials},{},{},{},{},{},{},{},{ratio},{},{},{}\n",
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

/// A field of comma-separated values (RFC 4180).
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
