//! Experiments: a protocol, a number of agents and of trials, and an engine.

mod failures;
mod history;
mod plan;
mod run;

#[cfg(test)]
mod tests;

pub use crate::{engine::EngineKind, protocols::NamedProtocol, trial::Question};
pub use failures::{AfterFailures, Failures, FailuresError};
pub use plan::EnginePlan;
pub use run::{Findings, TrialSample};

use crate::engine::oracle::harmonic;
use crate::{ids::PopulationIds, meetings::LinkMeetings, random::TrialSeeds};

/// A model of meetings.
#[derive(Clone, Debug, Default)]
pub enum MeetingModel {
    /// Every ordered pair of two different agents is equally likely.
    #[default]
    Uniform,
    /// Every ordered pair of agents is equally likely, those of an agent with itself included.
    SelfMeetings,
    /// The agents are the nodes of an interaction graph, and every link is equally likely, in each
    /// direction.
    Graph(LinkMeetings),
}

/// An experiment.
#[derive(Clone, Debug)]
pub struct PopulationExperiment {
    /// The protocol.
    pub protocol: NamedProtocol,
    /// The number of agents; in a graph, its nodes.
    pub agents: u64,
    /// The model of meetings; by default two different agents, uniformly at random.
    pub model: MeetingModel,
    /// The number of trials.
    pub trials: u64,
    /// The seed: the same seed gives the same trials, on any machine.
    pub seed: u64,
    /// Whether each trial has a seed of its own, from `seed` on; otherwise all are trials of one seed.
    pub consecutive: bool,
    /// The requested fields; by default everything or, if that would take an array of more than
    /// 2^27 agents, the fields about the leader.
    pub question: Option<Question>,
    /// The engine; by default the fastest that is exact for the question.
    pub engine: Option<EngineKind>,
    /// The number of highest identities that the batched engine distinguishes.
    pub highest: u32,
    /// The number of threads; by default one for each core, if memory allows.
    pub threads: Option<usize>,
    /// The bytes that the direct engine may use; by default those that are free.
    pub memory: Option<u64>,
    /// The agents' identities, if the report is to name the leader.
    pub ids: Option<PopulationIds>,
}

impl PopulationExperiment {
    /// Creates an experiment of one trial with seed 1; all other fields have their defaults.
    #[must_use]
    pub const fn new(protocol: NamedProtocol, agents: u64) -> Self {
        Self {
            protocol,
            agents,
            model: MeetingModel::Uniform,
            trials: 1,
            seed: 1,
            consecutive: false,
            question: None,
            engine: None,
            highest: 16,
            threads: None,
            memory: None,
            ids: None,
        }
    }

    const fn seeds(&self, after: u64) -> TrialSeeds {
        let seed = self.seed.wrapping_add(after);
        if self.consecutive { TrialSeeds::From(seed) } else { TrialSeeds::One(seed) }
    }

    /// Estimates the interactions of a trial among uniformly random pairs, for progress.
    #[must_use]
    pub fn usual_interactions(&self) -> f64 {
        let n = self.agents as f64;
        match self.protocol {
            NamedProtocol::KnownBounds => 0.0,
            NamedProtocol::Anonymous => n * n,
            _ => n * harmonic(self.agents),
        }
    }
}
