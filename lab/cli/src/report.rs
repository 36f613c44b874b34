//! Reports of the command: as JSON, and as text for people.

mod agents;
mod beside;
mod chances;
mod checked;
mod each;
mod member;
mod replayed;
mod sampled;
mod sheet;
mod tenures;
pub(crate) mod text;

pub(crate) use agents::{AgentMember, AgentsReport};
pub(crate) use beside::beside;
pub(crate) use checked::Checked;
pub(crate) use each::Each;
pub(crate) use member::{MemberReport, MemberRole, kinds, messages};
pub(crate) use replayed::ReplayReport;
pub(crate) use sampled::Sampled;
pub(crate) use sheet::Sheet;
pub(crate) use tenures::Tenures;

use crate::error::Error;
use crate::typed::typed;
use clap::ValueEnum;
use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};
use std::fmt::Display;
use std::io;
use suffrage::experiment::report::to_json;
use suffrage::experiment::{Specification, Stamp, Stamped};

/// The format of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// The stamp of a report: the command that was typed, and what it asked for.
pub(crate) fn stamp(specification: Option<&Specification>) -> Stamp {
    Stamp::new(typed(), specification.cloned())
}

/// Writes a report as JSON, with what makes it again.
pub(crate) fn json(
    report: &impl Serialize,
    specification: Option<&Specification>,
) -> Result<String, Error> {
    to_json(&Stamped::new(stamp(specification), report))
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
    to_json(&reports.iter().map(|report| Stamped::new(stamp(None), report)).collect::<Vec<_>>())
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

/// Serializes a value as its text.
fn as_text<T: Display, S: serde::Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

/// Serializes values as their texts.
fn as_texts<T: Display, S: serde::Serializer>(values: &[T], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(values.iter().map(ToString::to_string))
}
