//! The flags of trials.

use clap::Args;
use std::{num::NonZero, path::PathBuf};
use suffrage::experiment::counts::{self, NumberRange};
use suffrage::experiment::{ElectionSpecification, Precision};

/// The flags of trials.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Trials")]
pub(crate) struct TrialFlags {
    /// Run T elections with different seeds, and summarize them
    #[arg(long, value_name = "T", value_parser = counts::positive)]
    pub(crate) trials: Option<u64>,

    /// Run an election for each of these seeds, from A to B inclusive
    ///
    /// `suffrage merge` adds up JSON reports of consecutive seeds.
    #[arg(long, value_name = "A..B", value_parser = counts::range)]
    #[arg(conflicts_with_all = ["trials", "seed", "precision"])]
    pub(crate) seeds: Option<NumberRange<u64>>,

    /// Run elections until the mean number of messages is this precise, as in 1%
    ///
    /// Half of its 95 % confidence interval must be at most this share of the mean. This is checked
    /// after 20 trials, and whenever there are half as many more. At most --trials are run [default
    /// with --precision: 100000].
    #[arg(long, value_name = "SHARE")]
    pub(crate) precision: Option<Precision>,

    /// Write the figures of each trial to this file: CSV, if its name ends in .csv, or JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) each: Option<PathBuf>,

    /// Threads for trials; the result does not depend on them [default: all cores]
    #[arg(long, value_name = "N", value_parser = counts::threads)]
    pub(crate) threads: Option<NonZero<usize>>,
}

impl TrialFlags {
    /// Sets the fields of a specification that these flags are for.
    pub(crate) const fn set(&self, specification: &mut ElectionSpecification) {
        specification.trials = self.trials;
        specification.seeds = self.seeds;
        specification.precision = self.precision;
    }
}
