//! Reports of the command: as JSON, and as text for people.

mod each;
mod replayed;
mod sheet;
mod tenures;
pub(crate) mod text;

pub(crate) use each::Each;
pub(crate) use replayed::ReplayReport;
pub(crate) use sheet::Sheet;
pub(crate) use tenures::Tenures;

use crate::error::Error;
use crate::terminal::fitted;
use crate::typed::typed;
use clap::ValueEnum;
use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};
use std::fmt::Display;
use std::io;
use suffrage::experiment::report::{ComparisonRow, to_json};
use suffrage::experiment::sweep::words;
use suffrage::experiment::{ExperimentReport, Specification, Stamp, Stamped};

/// The format of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// The format of a report that may have rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowFormat {
    /// For people
    #[default]
    #[value(alias = "table")]
    Text,
    /// Comma-separated values with a header, of comparisons and sweeps
    Csv,
    /// For programs: an object, or an array of objects
    Json,
}

/// Writes a report as JSON, with what makes it again.
pub(crate) fn json(report: &impl Serialize) -> Result<String, Error> {
    to_json(&Stamped::new(Stamp::new(typed(), None), report))
}

/// Formats a report for people.
pub(crate) fn text_of(report: &ExperimentReport) -> Result<String, Error> {
    Ok(fitted(&match report {
        ExperimentReport::Election(report) => text::election::text(report),
        ExperimentReport::Trials(report) => text::trials::text(report),
        ExperimentReport::Comparison(rows) => {
            let stamp = Stamp::new(String::new(), None);
            let stamped = |row: &ComparisonRow| Stamped::new(stamp.clone(), row.clone());
            return RowFormat::Text.document(&rows.iter().map(stamped).collect::<Vec<_>>());
        }
        ExperimentReport::Exploration(report) => text::checked::text(report)?,
        ExperimentReport::Sample(report) => text::sampled::text(report)?,
        ExperimentReport::Population(report) => report.to_string(),
        ExperimentReport::Rules(report) => report.to_string(),
        ExperimentReport::Agents(report) => text::agents::text(report),
        ExperimentReport::Sweep(rows) => {
            let mut whole = String::new();
            for row in rows {
                whole += &format!("== {}\n{}\n", words(&row.sweep), text_of(&row.report)?);
            }
            return Ok(whole);
        }
        ExperimentReport::Beside(both) => {
            text::election::text(&both.real) + &text::beside::text(&both.real, &both.simulated)
        }
    }))
}

/// Writes a report as JSON under a command that reproduces it.
///
/// # Errors
/// If it cannot be written.
pub fn json_of(
    command: String,
    report: &impl Serialize,
    specification: Specification,
) -> Result<String, Error> {
    to_json(&Stamped::new(Stamp::new(command, Some(specification)), report))
}

pub(crate) fn json_rows(reports: &[impl Serialize]) -> Result<String, Error> {
    let stamp = Stamp::new(typed(), None);
    to_json(&reports.iter().map(|row| Stamped::new(stamp.clone(), row)).collect::<Vec<_>>())
}

fn json_element(report: &Stamped<impl Serialize>, first: bool) -> Result<String, Error> {
    let mut text = Vec::new();
    let mut formatter = PrettyFormatter::new();
    // The array has been begun already: this only sets the state of the formatter.
    formatter.begin_array(&mut io::sink()).map_err(unwritten)?;
    formatter.begin_array_value(&mut text, first).map_err(unwritten)?;
    let mut serializer = Serializer::with_formatter(&mut text, formatter);
    report.serialize(&mut serializer).map_err(unwritten)?;
    String::from_utf8(text).map_err(unwritten)
}

fn unwritten(error: impl Display) -> Error {
    Error::of("cannot write the report as JSON", error)
}
