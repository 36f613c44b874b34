//! Reports: the results of an experiment, as values. Text, JSON and CSV are views of them.

mod agents;
mod chance;
mod checked;
mod comparison;
mod each;
mod election;
mod figures;
mod sampled;
mod stages;
mod sum;
mod summary;
mod sweep;

pub use agents::AgentsReport;
pub use chance::JudgedClaim;
pub(crate) use checked::run_of;
pub use checked::{
    Checked, CheckedInstance, CheckedKind, CountRange, DepthRange, ExpectedRange,
    ExplorationVerdict, LongestTime, NearestCost, NearestToBound, PhaseRanges, ReportedChances,
    ShownCounterexample, fault_words,
};
pub use comparison::{ComparisonRow, FirstFailure, VariedConditions, csv_header};
pub use each::{TrialFormat, TrialWriter};
pub use election::{
    Arrivals, BrokenProperty, BusiestNode, ClaimedBound, ElectedLeader, ElectionReport,
    InitiatorSummary, MeasuredTime, MessageBound, MessageCounts, NetworkSummary, ReportBasis,
    RunTiming, Setting, TimeBound, TimeBoundOf, anonymous, as_map,
};
pub use figures::{Figures, TrialFigures};
pub use sampled::{SampleGuarantee, SampleVerdict, Sampled, SampledBound, SampledFailure};
pub use stages::{StageRow, StageTable};
pub use sum::{Sum, TrialSeeds, either, sum};
#[cfg(feature = "runtime")]
pub(crate) use summary::algorithm_name;
pub use summary::{AlgorithmName, FailedTrial, LeaderCounts, TrialCounts, TrialsReport};
pub use sweep::SweepRow;

use crate::error::Error;
use crate::number::on_a_line;
use crate::specification::Specification;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use suffrage_figures::run::Run;
use suffrage_population::report::PopulationReport;
use suffrage_population::rules::RulesReport;

/// The result of an experiment.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum ExperimentReport {
    /// One election.
    Election(Box<ElectionReport>),
    /// Elections that differ in their seeds.
    Trials(Box<TrialsReport>),
    /// The rows of a comparison.
    Comparison(Vec<ComparisonRow>),
    /// An exploration.
    Exploration(Box<Checked>),
    /// Random runs.
    Sample(Box<Sampled>),
    /// Elections among agents that meet in random pairs.
    Population(Box<PopulationReport>),
    /// Trials of a population protocol of the caller's own.
    Rules(Box<RulesReport>),
    /// An election among agents that met by messages.
    Agents(Box<AgentsReport>),
    /// A real election, and the same simulated.
    Beside(Box<RealBesideSimulated>),
    /// The reports of a sweep.
    Sweep(Vec<SweepRow>),
}

/// A real election, and the same simulated.
#[derive(Clone, Debug, Serialize)]
pub struct RealBesideSimulated {
    /// The election between real nodes.
    pub real: ElectionReport,
    /// The same in the simulator.
    pub simulated: ElectionReport,
}

impl ExperimentReport {
    /// Whether no run broke a property.
    #[must_use]
    pub fn is_good(&self) -> bool {
        match self {
            Self::Election(report) => report.is_good(),
            Self::Trials(report) => report.is_good(),
            Self::Comparison(rows) => rows.iter().all(ComparisonRow::is_good),
            Self::Exploration(report) => report.counterexample.is_none(),
            Self::Sample(report) => !report.is_broken(),
            Self::Population(_) | Self::Rules(_) => true,
            Self::Agents(report) => report.is_good(),
            Self::Beside(both) => both.real.is_good() && both.simulated.is_good(),
            Self::Sweep(rows) => rows.iter().all(|row| row.report.is_good()),
        }
    }

    /// A run that it found.
    #[must_use]
    pub fn run(&self) -> Option<&Run> {
        match self {
            Self::Exploration(report) => report.run(),
            Self::Sample(report) => report.failure.as_ref()?.run.as_ref(),
            _ => None,
        }
    }

    /// Writes the report as JSON, with what makes it again.
    ///
    /// # Errors
    /// If serde cannot write it.
    pub fn to_json(&self, stamp: &Stamp) -> Result<String, Error> {
        match self {
            Self::Comparison(rows) => stamped(rows, stamp),
            Self::Sweep(rows) => stamped(rows, stamp),
            report => to_json(&Stamped::new(stamp.clone(), report)),
        }
    }

    /// Writes the rows of a comparison or a sweep as comma-separated values with a header.
    ///
    /// # Errors
    /// If it is another report.
    pub fn to_csv(&self) -> Result<String, Error> {
        match self {
            Self::Comparison(rows) => {
                Ok(csv_header() + &rows.iter().map(ComparisonRow::csv).collect::<String>())
            }
            Self::Sweep(rows) => sweep::csv(rows),
            _ => Err(Error::new("csv: it is for the rows of a comparison or a sweep")),
        }
    }
}

/// The data that repeats a report.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stamp {
    /// The command that was typed, without flags that do not affect the report.
    pub command: String,
    /// The version of the program, since another one may give other figures for the same seed.
    pub version: String,
    /// The specification, if there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub specification: Option<Specification>,
}

impl Stamp {
    /// The stamp of this version.
    #[must_use]
    pub fn new(command: String, specification: Option<Specification>) -> Self {
        Self { command, version: env!("CARGO_PKG_VERSION").to_owned(), specification }
    }
}

/// A report with what makes it again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stamped<T> {
    /// The data that repeats it.
    #[serde(flatten)]
    pub stamp: Stamp,
    /// The report.
    #[serde(flatten)]
    pub report: T,
}

impl<T> Stamped<T> {
    /// A report with its stamp.
    pub const fn new(stamp: Stamp, report: T) -> Self {
        Self { stamp, report }
    }

    /// Whether a word stands in the command.
    pub fn has(&self, word: &str) -> bool {
        self.stamp.command.split(' ').any(|typed| typed == word)
    }
}

/// Writes rows as JSON, each with what makes them again.
fn stamped(rows: &[impl Serialize], stamp: &Stamp) -> Result<String, Error> {
    to_json(&rows.iter().map(|row| Stamped::new(stamp.clone(), row)).collect::<Vec<_>>())
}

/// Writes a value as JSON, indented, with a line's end.
///
/// # Errors
/// If serde cannot write it.
pub fn to_json(value: &impl Serialize) -> Result<String, Error> {
    let text = serde_json::to_string_pretty(value).map(|text| text + "\n");
    text.map_err(|error| Error::of("cannot write the report as JSON", error))
}

/// Serializes values as their texts.
fn as_texts<T: Display, S: serde::Serializer>(values: &[T], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(values.iter().map(ToString::to_string))
}

/// Seeds, which are written on one line of JSON, since there may be many.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SeedList(#[serde(serialize_with = "on_a_line")] pub Vec<u64>);
