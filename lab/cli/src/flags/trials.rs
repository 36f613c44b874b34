//! The flags of trials.

use super::Conditions;
use crate::counts::{self, Range};
use clap::Args;
use std::{num::NonZero, path::PathBuf, str::FromStr};

/// The flags of trials.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Trials")]
pub(crate) struct TrialFlags {
    /// Hold T elections that differ in their seeds, and summarize them
    #[arg(long, value_name = "T", value_parser = counts::positive)]
    pub(crate) trials: Option<u64>,

    /// Hold an election for each of these seeds, the first and the last among them
    ///
    /// Reports in JSON of seeds that follow each other are added up by `suffrage merge`, to the
    /// report of all.
    #[arg(long, value_name = "A..B", value_parser = counts::range)]
    #[arg(conflicts_with_all = ["trials", "seed", "precision"])]
    pub(crate) seeds: Option<Range<u64>>,

    /// Hold elections until the mean number of messages is known this well, as in 1%
    ///
    /// That is when half of its 95 % confidence interval is at most this share of it, which is looked
    /// at after 20 trials, and whenever there are half as many more. At most --trials are held
    /// [default with --precision: 100000].
    #[arg(long, value_name = "SHARE")]
    pub(crate) precision: Option<Precision>,

    /// Write the figures of each trial to this file: CSV, if its name ends in .csv, or JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) each: Option<PathBuf>,

    /// Threads for trials; the result does not depend on them [default: all cores]
    #[arg(long, value_name = "N", value_parser = counts::threads)]
    pub(crate) threads: Option<NonZero<usize>>,
}

/// How many trials are held, and when that is enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Many {
    pub(crate) most: u64,
    pub(crate) precision: Option<Precision>,
}

impl TrialFlags {
    pub(crate) fn many(&self, default: u64) -> Many {
        let most = match (self.seeds, self.trials, self.precision) {
            (Some(Range { first, last }), ..) => (last - first).saturating_add(1),
            (None, Some(trials), _) => trials,
            (None, None, Some(_)) => 100_000,
            (None, None, None) => default,
        };
        Many { most, precision: self.precision }
    }

    /// Sets the seeds of the elections.
    pub(crate) fn apply(&self, conditions: &mut Conditions) {
        if let Some(seeds) = self.seeds {
            (conditions.seed, conditions.consecutive) = (seeds.first, true);
        }
    }
}

/// A share of a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Precision(pub(crate) f64);

impl FromStr for Precision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = match text.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
            None => text.parse::<f64>(),
        };
        match share {
            Ok(share) if share > 0.0 && share < 1.0 => Ok(Self(share)),
            _ => Err("write a share of the mean, such as 1% or 0.01".to_owned()),
        }
    }
}
