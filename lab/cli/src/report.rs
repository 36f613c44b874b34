//! Reports of elections: as serializable facts, and as text for people.

mod agents;
mod beside;
mod chances;
mod checked;
mod each;
mod facts;
mod figures;
mod member;
mod merged;
mod replayed;
mod rows;
mod sampled;
mod stages;
mod summary;
mod tenures;
mod text;

pub(crate) use agents::{AgentMember, AgentsReport};
pub(crate) use beside::beside;
pub(crate) use checked::Checked;
pub(crate) use each::Each;
pub(crate) use facts::{
    Arrivals, Bound, Broken, Busiest, Chosen, Initiators, Leader, Time, Timing, anonymous,
    by_chance,
};
pub use facts::{Facts, Ground, Network, TimeBoundOf};
pub(crate) use member::{Member, Role, kinds, messages};
pub(crate) use merged::{Sum, TrialSeeds, sum};
pub(crate) use replayed::Replayed;
pub(crate) use rows::{Layout, Row};
pub(crate) use sampled::Sampled;
pub(crate) use summary::{Summary, Trial};
pub(crate) use tenures::Tenures;
pub(crate) use text::Sheet;

use crate::error::Error;
use crate::plan::typed;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};
use serde_json::value::RawValue;
use std::fmt::Display;
use std::io;

/// The format of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// A report of a run with the command and version that reproduce it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Stamped<T> {
    #[serde(flatten)]
    stamp: Stamp,
    #[serde(flatten)]
    pub(crate) report: T,
}

/// The command and the version that reproduce a report.
#[derive(Serialize, Deserialize)]
struct Stamp {
    /// The command that was typed, without flags that do not affect the report.
    command: String,
    /// The version of the program, since another one may give other figures for the same seed.
    version: String,
}

impl<T> Stamped<T> {
    pub(crate) fn new(report: T) -> Self {
        let stamp = Stamp { command: typed(), version: env!("CARGO_PKG_VERSION").to_owned() };
        Self { stamp, report }
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        self.stamp.command.split(' ').any(|typed| typed == word)
    }
}

pub(crate) fn stamped_json(report: &Stamped<impl Serialize>) -> Result<String, Error> {
    plain_json(report)
}

pub(crate) fn json(report: &impl Serialize) -> Result<String, Error> {
    plain_json(&Stamped::new(report))
}

/// Formats a report as JSON under a command that reproduces it.
///
/// # Errors
/// If it cannot be written.
pub fn json_of(command: String, report: &impl Serialize) -> Result<String, Error> {
    let stamp = Stamp { command, version: env!("CARGO_PKG_VERSION").to_owned() };
    plain_json(&Stamped { stamp, report })
}

pub(crate) fn json_rows(reports: &[impl Serialize]) -> Result<String, Error> {
    plain_json(&reports.iter().map(Stamped::new).collect::<Vec<_>>())
}

pub(crate) fn plain_json(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string_pretty(value).map(|text| text + "\n").map_err(unwritten)
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

/// Seeds, which are written on one line of JSON, since there may be many.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Seeds(Vec<u64>);

impl Serialize for Seeds {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let line = serde_json::to_string(&self.0).map_err(serde::ser::Error::custom)?;
        RawValue::from_string(line).map_err(serde::ser::Error::custom)?.serialize(to)
    }
}
