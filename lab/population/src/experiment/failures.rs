//! Elections after failures.

use super::{MeetingModel, NamedProtocol, PopulationExperiment};
use crate::{
    engine::{
        Supervisor, TrialEngine,
        direct::{Reference, WatchElection},
    },
    ensemble::{Ensemble, TrialProgress},
    error::PopulationError,
    meetings::Meetings,
    protocol::NumberedElection,
    protocols::{Reelection, SelfTerminating, Survivor},
    random::RandomStream,
    trial::Trial,
    trial::TrialsSummary,
};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr, sync::atomic::AtomicBool};
use suffrage_numbers::short;
use suffrage_parallel::cores;
use thiserror::Error;

/// The share of the agents, including the leader, that fail once all have been told who leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failures(f64);

/// The error for text that is not a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("write the share of the agents that fail, above 0 and below 1, such as 0.1 or 10%")]
pub struct FailuresError;

impl FromStr for Failures {
    type Err = FailuresError;

    fn from_str(text: &str) -> Result<Self, FailuresError> {
        let share = match text.strip_suffix('%') {
            Some(percent) => percent.parse::<f64>().map(|percent| percent / 100.0),
            None => text.parse(),
        };
        match share {
            Ok(share) if share > 0.0 && share < 1.0 => Ok(Self(share)),
            _ => Err(FailuresError),
        }
    }
}

impl Failures {
    /// Returns how many of `agents` agents fail; at least one, the leader.
    #[must_use]
    pub fn of(self, agents: u64) -> u64 {
        ((self.0 * agents as f64).round() as u64).clamp(1, agents.max(1))
    }
}

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // 0.07 has no exact binary form, so that the product has digits that were never written.
        let percent = format!("{:.12e}", 100.0 * self.0);
        write!(f, "{} %", percent.parse().map_or(percent, short))
    }
}

/// The elections of the survivors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AfterFailures {
    /// The number of agents that fail.
    pub failed: u64,
    /// The number of agents that elect again.
    pub survivors: u64,
    /// The number of finished trials.
    pub finished: u64,
    /// Times from the failure on, and how often the survivors' declarations are right.
    pub summary: TrialsSummary,
    /// Each trial, if they are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<Trial>>,
}

/// The engine of the survivors. In each trial, a random survivor begins.
struct SurvivorsEngine {
    protocol: SelfTerminating,
    survivors: u32,
}

impl TrialEngine for SurvivorsEngine {
    fn trial(&mut self, stream: &mut RandomStream, supervisor: &dyn Supervisor) -> Option<Trial> {
        let first = stream.below(self.survivors.into()) as u32;
        let watch = WatchElection::new(true, self.protocol.freezes());
        let initial = |aid| Survivor::new(aid, aid == first);
        let meetings = Meetings::among(self.survivors);
        Reference::new(Reelection(self.protocol), meetings, initial, watch)
            .trial(stream, supervisor)
    }
}

impl PopulationExperiment {
    /// Checks that the survivors of failures can elect again, and returns the protocol and their
    /// number. Does not allocate.
    ///
    /// # Errors
    /// As [`after_failures`](Self::after_failures).
    pub fn check_failures(
        &self,
        failures: Failures,
    ) -> Result<(SelfTerminating, u32), PopulationError> {
        let (NamedProtocol::SelfTerminating(protocol), MeetingModel::Uniform) =
            (self.protocol, &self.model)
        else {
            return Err(PopulationError::Model {
                protocol: self.protocol.name(),
                model: "with failures in this model",
                reason: "only the self-terminating election tells agents who leads, \
                         and on a graph the survivors may be cut off from each other",
            });
        };
        self.plan()?;
        let survivors = self.agents - failures.of(self.agents);
        if survivors < 2 {
            return Err(PopulationError::TooFewToMeet { agents: survivors });
        }
        let each = survivors.saturating_mul(size_of::<Survivor>() as u64);
        self.fits_in_memory(each)?;
        Ok((protocol, u32::try_from(survivors).unwrap_or(u32::MAX)))
    }

    /// Runs elections of the survivors ([`Reelection`]) after a share of the agents, including the
    /// leader, has failed. Keeps every agent.
    ///
    /// The first election makes no difference once all have been told, so only the elections of the
    /// survivors are run.
    ///
    /// # Errors
    /// If the protocol is not the self-terminating election among uniformly random pairs, fewer than
    /// two agents survive, or the survivors do not fit in memory.
    pub fn after_failures(
        &self,
        failures: Failures,
        progress: &dyn TrialProgress,
        interrupted: &AtomicBool,
    ) -> Result<AfterFailures, PopulationError> {
        let (protocol, survivors) = self.check_failures(failures)?;
        let failed = failures.of(self.agents);
        // Independent of the random numbers of the first election.
        let ensemble = Ensemble {
            trials: self.trials,
            seeds: self.seeds(0xFA11),
            threads: self.threads.unwrap_or_else(cores),
        };
        let trials =
            ensemble.run(|| SurvivorsEngine { protocol, survivors }, progress, interrupted);
        Ok(AfterFailures {
            failed,
            survivors: survivors.into(),
            finished: trials.len() as u64,
            summary: TrialsSummary::of(&trials),
            results: Some(trials),
        })
    }
}

#[cfg(test)]
mod tests;
