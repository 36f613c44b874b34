//! Processes, links and their reactions, as tables.

use crate::{
    instance::{FaultBudget, Instance, Wake},
    model::processes::Observation,
};

pub(super) struct TabulatedProcess {
    /// The local states. A process begins in the first one.
    pub states: Vec<TabulatedState>,
    pub reactions: Vec<TabulatedReaction>,
    /// The most ticks until its alarm rings, in rounds.
    pub most_ticks: u32,
}

/// What a model says beside the reactions of processes to messages on unbounded FIFO links.
#[derive(Clone, Copy)]
pub(super) struct TabulatedSetting {
    pub in_rounds: bool,
    /// All that may wake do so before anything else happens, one after the other.
    pub at_start: bool,
    pub capacity: Option<u32>,
    pub faults: FaultBudget,
}

impl TabulatedSetting {
    pub(super) fn of(instance: &Instance, in_rounds: bool) -> Self {
        let Instance { wake, capacity, faults, .. } = *instance;
        Self { in_rounds, at_start: wake == Wake::AtStart, capacity, faults }
    }

    /// Whether there are only reactions.
    pub(super) fn is_plain(&self) -> bool {
        !self.in_rounds && !self.at_start && self.capacity.is_none() && self.faults.is_none()
    }

    /// The sentences that say it.
    pub(super) fn words(&self) -> Vec<String> {
        let Self { in_rounds, at_start, capacity, faults } = *self;
        let mut words = Vec::new();
        words.push(match (in_rounds, at_start) {
            (_, true) => "All initiators wake first, one after the other.".to_owned(),
            (true, false) => "Initiators wake at the beginning of any tick.".to_owned(),
            _ => "Initiators wake at any time before a message reaches them.".to_owned(),
        });
        if in_rounds {
            words.push(
                "A message takes one tick; processes take their turns in one order.".to_owned(),
            );
        }
        if let Some(capacity) = capacity {
            words.push(format!(
                "Links are FIFO and hold {capacity}; who has no room to send, waits."
            ));
        } else if faults.no_fifo {
            words.push("Messages on a link overtake each other.".to_owned());
        } else {
            words.push("Links are FIFO.".to_owned());
        }
        for (most, what) in [
            (faults.loss, "messages lost"),
            (faults.duplicate, "messages duplicated"),
            (faults.crash, "processes crashed"),
        ] {
            if most > 0 {
                words.push(format!("At most {most} {what}."));
            }
        }
        words
    }
}

pub(super) struct TabulatedState {
    pub text: String,
    pub view: Observation,
}

pub(super) struct TabulatedLink {
    pub from: u32,
    pub port: u32,
    pub to: u32,
    /// The most messages under way on it.
    pub most: usize,
    /// The most messages sent over it in a tick, in rounds.
    pub most_kept: usize,
}

/// What a process does in a local state on an input.
pub(super) struct TabulatedReaction {
    pub from: usize,
    pub input: TabulatedInput,
    /// One for each result of the random choices.
    pub outcomes: Vec<TabulatedOutcome>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TabulatedInput {
    Wake,
    Alarm,
    Crash,
    /// The first message of this link, which is this one.
    Receive(usize, usize),
}

pub(super) struct TabulatedOutcome {
    pub to: usize,
    /// The links and the messages sent.
    pub sends: Vec<(usize, usize)>,
    /// In rounds, what becomes of its alarm: the ticks until it rings, and one more; 0 if it has none.
    pub alarm: Option<u32>,
    /// What the reaction violates, if it violates a property.
    pub violation: Option<String>,
    /// One divided by the probability.
    pub one_of: u64,
}
