//! What is said of elections: as facts that serialize, and as text for people.

mod beside;
mod checked;
mod facts;
mod member;
mod number;
mod replayed;
mod rows;
mod sampled;
mod summary;
mod text;

pub(crate) use beside::beside;
pub(crate) use checked::Checked;
pub(crate) use facts::{Bound, Broken, Busiest, Facts, Initiators, Leader, Network, Time, Timing};
pub(crate) use member::{Member, Role, kinds, messages};
pub(crate) use number::{Decimal, grouped};
pub(crate) use replayed::Replayed;
pub(crate) use rows::{Layout, Row};
pub(crate) use sampled::Sampled;
pub(crate) use summary::{Summary, Trial};
pub(crate) use text::Sheet;

use crate::error::Error;
use clap::ValueEnum;
use serde::Serialize;

/// How a report is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// The report as JSON, for programs and for people.
pub(crate) fn json(report: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string_pretty(report)
        .map(|text| text + "\n")
        .map_err(|error| Error::of("cannot write the report as JSON", error))
}
