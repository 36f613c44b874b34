//! An experiment: which protocol, how many agents and trials, and the engine that fits.

mod history;
mod plan;
mod run;

pub use plan::Plan;
pub use run::{Outcome, Sample};

use crate::{
    ids::Ids,
    protocols::{Rule, SelfTerminating},
    statistics::harmonic,
    trial::Field,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A protocol, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Algorithm 1: agents numbered 1 to n who know n.
    KnownBounds,
    /// Algorithm 2, corrected or as printed.
    Epidemic {
        /// Whether the true leader resigns, as it does in print.
        printed: bool,
    },
    /// Algorithm 3.
    SelfTerminating(SelfTerminating),
    /// Anonymous election by fratricide.
    Anonymous,
    /// The two-way epidemic.
    TwoWayEpidemic,
}

impl Protocol {
    /// The name on the command line and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::KnownBounds => "known-bounds",
            Self::Epidemic { .. } => "epidemic",
            Self::SelfTerminating(_) => "self-terminating",
            Self::Anonymous => "anonymous",
            Self::TwoWayEpidemic => "two-way-epidemic",
        }
    }

    /// What its trials show.
    #[must_use]
    pub const fn fields(self) -> &'static [Field] {
        use Field::{CompletedAt, Conversions, FinalOk, FollowersMet};
        match self {
            Self::KnownBounds => &[CompletedAt, FinalOk],
            Self::Epidemic { .. } => &[CompletedAt, Conversions, FollowersMet, FinalOk],
            Self::SelfTerminating(_) => &Field::ALL,
            Self::Anonymous | Self::TwoWayEpidemic => &[CompletedAt],
        }
    }

    /// The rule by which it is printed or corrected, where it has one.
    #[must_use]
    pub const fn rule(self) -> Option<Rule> {
        match self {
            Self::SelfTerminating(protocol) => Some(protocol.rule),
            Self::Epidemic { printed: true } => Some(Rule::Printed),
            _ => None,
        }
    }
}

/// An engine, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineKind {
    /// Every agent in an array.
    Direct,
    /// Agents per state.
    Batched,
    /// The eventual leader, or the stages, alone.
    ClosedForm,
    /// Exact probabilities and expectations instead of trials.
    Oracle,
}

impl EngineKind {
    /// The name on the command line and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Batched => "batched",
            Self::ClosedForm => "closed-form",
            Self::Oracle => "oracle",
        }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What is asked of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// All that the protocol shows.
    Everything,
    /// What concerns the eventual leader: not who declares first, nor what all hold in the end.
    Leader,
    /// When all hold the maximum.
    Completion,
}

impl Question {
    /// The name on the command line and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Everything => "everything",
            Self::Leader => "leader",
            Self::Completion => "completion",
        }
    }

    /// The fields asked for, as far as the protocol has them.
    pub fn fields(self, protocol: Protocol) -> impl Iterator<Item = Field> {
        protocol.fields().iter().copied().filter(move |&field| match self {
            Self::Everything => true,
            Self::Completion => field == Field::CompletedAt,
            Self::Leader => {
                let of_all = [Field::DeclaredAt, Field::FirstOk, Field::FinalOk];
                !of_all.contains(&field)
            }
        })
    }
}

/// An experiment.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The protocol.
    pub protocol: Protocol,
    /// The number of agents.
    pub agents: u64,
    /// The number of trials.
    pub trials: u64,
    /// The seed: the same seed gives the same trials, on any machine.
    pub seed: u64,
    /// What is asked; by default everything, or, where only an array of more than 2^27 agents
    /// could say, what concerns the leader.
    pub question: Option<Question>,
    /// The engine; by default the fastest one that is exact for the question.
    pub engine: Option<EngineKind>,
    /// How many of the highest identities the batched engine tells apart.
    pub highest: u32,
    /// Threads; by default one for each core, and no more than there is memory for.
    pub threads: Option<usize>,
    /// Bytes that the direct engine may use; by default what is free.
    pub memory: Option<u64>,
    /// The agents' identities, if they matter to whoever reads the result.
    pub ids: Option<Ids>,
}

impl Experiment {
    /// One trial with seed 1, all else by default.
    #[must_use]
    pub const fn new(protocol: Protocol, agents: u64) -> Self {
        Self {
            protocol,
            agents,
            trials: 1,
            seed: 1,
            question: None,
            engine: None,
            highest: 16,
            threads: None,
            memory: None,
            ids: None,
        }
    }

    /// The interactions that a trial takes, about, until what is asked has happened: for those who
    /// wait.
    #[must_use]
    pub fn usual_interactions(&self) -> f64 {
        let n = self.agents as f64;
        match self.protocol {
            Protocol::KnownBounds => 0.0,
            Protocol::Anonymous => n * n,
            _ => n * harmonic(self.agents),
        }
    }
}
