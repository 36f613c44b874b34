//! The flag that says how a program logs.

use clap::ValueEnum;

/// The format of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    #[default]
    Text,
    /// For programs: one JSON object per line
    Json,
}
