//! How an experiment is run, and its result.

use crate::election::{Instance, Prepared};
use crate::error::Error;
use crate::monitor::Monitor;
use crate::report::{ComparisonRow, ExperimentReport, TrialFigures};
use crate::source::GivenNetworks;
use std::fmt;
use std::io::Write;
use std::num::NonZero;
use std::path::PathBuf;
use suffrage_simulator::Observer;

/// How an experiment is run. No figure of its report depends on it.
pub struct RunOptions<'a> {
    /// Networks that the specification may name besides files and kinds of networks.
    pub given: &'a GivenNetworks,
    /// Looks on.
    pub monitor: &'a dyn Monitor,
    /// The number of threads; all cores by default.
    pub threads: Option<NonZero<usize>>,
    /// The command that files of runs name; by default the one that runs the specification.
    pub command: Option<String>,
    /// Whether the time and the memory of a single election are reported.
    pub timing: bool,
    /// Whether the report of a process of the caller's own has a space-time diagram.
    pub draw: bool,
    /// Takes the history of one trial of a population, and how many interactions are between two lines of it.
    pub history: Option<(&'a mut dyn Write, Option<u64>)>,
    /// Takes the exact distributions of a population.
    pub distribution: Option<&'a mut dyn Write>,
    /// Takes the run of an election between real nodes, for `suffrage replay`.
    pub trace: Option<&'a mut dyn Write>,
    /// The command `suffrage`, which runs a node of a cluster as a process.
    pub program: Option<PathBuf>,
    /// Takes elections, trials and rows as they come.
    pub sink: Option<&'a mut dyn RunSink>,
}

impl<'a> RunOptions<'a> {
    /// Runs with this monitor, and otherwise takes the report alone.
    #[must_use]
    pub fn new(monitor: &'a dyn Monitor) -> Self {
        Self {
            given: &[],
            monitor,
            threads: None,
            command: None,
            timing: false,
            draw: false,
            history: None,
            distribution: None,
            trace: None,
            program: None,
            sink: None,
        }
    }
}

/// Takes elections, trials and rows as they come.
pub trait RunSink {
    /// A single election begins. The observer is told of every event.
    ///
    /// # Errors
    /// If it cannot be observed.
    fn election(
        &mut self,
        _prepared: &Prepared,
        _instance: &Instance,
    ) -> Result<Option<&mut dyn Observer>, Error> {
        Ok(None)
    }

    /// The trials of an election, or of a row, are finished.
    ///
    /// # Errors
    /// If they cannot be written.
    fn trials(&mut self, _of: &Prepared, _trials: &[TrialFigures]) -> Result<(), Error> {
        Ok(())
    }

    /// The rows of a comparison begin; `varied` says whether they differ in their conditions.
    ///
    /// # Errors
    /// If they cannot be written.
    fn rows(&mut self, _varied: bool) -> Result<(), Error> {
        Ok(())
    }

    /// A row is finished. Returns whether more are wanted.
    ///
    /// # Errors
    /// If it cannot be written.
    fn row(&mut self, _row: &ComparisonRow) -> Result<bool, Error> {
        Ok(true)
    }
}

/// The result of an experiment.
#[derive(Debug)]
pub struct ExperimentRun {
    /// The report; `None` if nothing was finished.
    pub report: Option<ExperimentReport>,
    /// Why the experiment ended before its end, if it did.
    pub early: Option<EarlyEnd>,
}

impl From<ExperimentReport> for ExperimentRun {
    fn from(report: ExperimentReport) -> Self {
        Self { report: Some(report), early: None }
    }
}

impl ExperimentRun {
    /// Marks the experiment as stopped, in these words, if it was.
    #[must_use]
    pub fn interrupted(self, was: bool, words: impl Into<String>) -> Self {
        let early = was.then(|| EarlyEnd::Interrupted(words.into()));
        Self { early: self.early.or(early), ..self }
    }

    /// An experiment without a report.
    #[must_use]
    pub const fn without_report(early: EarlyEnd) -> Self {
        Self { report: None, early: Some(early) }
    }
}

/// Why an experiment ended before its end, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EarlyEnd {
    /// Its monitor has stopped it.
    Interrupted(String),
    /// It gave up, or one of its nodes failed.
    GaveUp(String),
    /// It cannot go on.
    Failed(Error),
}

impl From<Error> for EarlyEnd {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl fmt::Display for EarlyEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted(words) | Self::GaveUp(words) => f.write_str(words),
            Self::Failed(error) => error.fmt(f),
        }
    }
}
