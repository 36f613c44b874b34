//! The distributions of an election's times.

use super::{DeclarationTime, completion_cdf};
use crate::{engine::Supervisor, protocol::NumberedElection};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// The distributions of the times of an election.
#[derive(Clone, Debug, PartialEq)]
pub struct Distributions {
    /// Entry t: the probability that all hold the maximum after t interactions.
    pub completed_at: Vec<f64>,
    /// The time at which the eventual leader declares, if it ever does.
    pub leader_declared_at: Option<DeclarationTime>,
}

/// The shares of [`Quantiles`].
const SHARES: [f64; 7] = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99];

/// The approximate number of lines of a table of distributions.
const LINES: u64 = 1000;

/// A time by which an event has happened in a share of all trials.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExactQuantile {
    /// The share.
    pub share: f64,
    /// The time, in interactions.
    pub time: u64,
}

/// The quantiles of the times of an election.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantiles {
    /// The quantiles of the time until all hold the maximum.
    pub completed_at: Vec<ExactQuantile>,
    /// The quantiles of the time until the eventual leader declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leader_declared_at: Option<Vec<ExactQuantile>>,
}

impl Distributions {
    /// Computes the distributions for `agents` agents, from 2 to [`MAX_AGENTS`](super::MAX_AGENTS);
    /// `None` if stopped. For 10^4 agents this takes seconds.
    #[must_use]
    pub fn of(
        election: &impl NumberedElection,
        agents: u32,
        supervisor: &dyn Supervisor,
    ) -> Option<Self> {
        let completed_at = completion_cdf(agents);
        let leader_declared_at = DeclarationTime::of(election, agents, supervisor);
        supervisor.go_on(0)?;
        Some(Self { completed_at, leader_declared_at })
    }

    /// Returns the probability that all hold the maximum after `time` interactions.
    #[must_use]
    pub fn completed_by(&self, time: u64) -> f64 {
        let entry = usize::try_from(time).ok().and_then(|time| self.completed_at.get(time));
        entry.copied().unwrap_or(1.0)
    }

    /// Returns seven quantiles of each, from 1 % to 99 %.
    #[must_use]
    pub fn quantiles(&self) -> Quantiles {
        let completed = |share: f64| self.completed_at.partition_point(|&p| p < share) as u64;
        let each = |time: &dyn Fn(f64) -> u64| {
            SHARES.map(|share| ExactQuantile { share, time: time(share) }).to_vec()
        };
        Quantiles {
            completed_at: each(&completed),
            leader_declared_at: self
                .leader_declared_at
                .as_ref()
                .map(|declared| each(&|share| declared.quantile(share))),
        }
    }

    /// Writes both as CSV, in about a thousand lines at equal distances: a time and the
    /// probabilities that the events of the columns have happened by then.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_csv(&self, to: &mut impl Write) -> io::Result<()> {
        let declared = self.leader_declared_at.as_ref();
        let end = declared.map_or(self.completed_at.len() as u64, |by| by.quantile(1.0 - 1e-7));
        let columns = if declared.is_some() { ",leader_declared_at" } else { "" };
        writeln!(to, "interactions,completed_at{columns}")?;
        let step = (end / LINES).max(1);
        for time in (0..=end.div_ceil(step)).map(|line| line * step) {
            write!(to, "{time},{:.9}", self.completed_by(time))?;
            match declared {
                Some(declared) => writeln!(to, ",{:.9}", declared.by(time))?,
                None => writeln!(to)?,
            }
        }
        Ok(())
    }
}
