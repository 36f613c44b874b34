//! Processes, links and their reactions, as tables.

use crate::model::processes::Observation;

pub(super) struct TabulatedProcess {
    /// The local states. A process begins in the first one.
    pub states: Vec<TabulatedState>,
    pub reactions: Vec<TabulatedReaction>,
}

pub(super) struct TabulatedState {
    pub text: String,
    pub view: Observation,
}

pub(super) struct TabulatedLink {
    pub from: u32,
    pub port: u32,
    pub to: u32,
    pub most: usize,
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
    /// The first message of this link, which is this one.
    Receive(usize, usize),
}

pub(super) struct TabulatedOutcome {
    pub to: usize,
    /// The links and the messages sent.
    pub sends: Vec<(usize, usize)>,
    /// What the reaction violates, if it violates a property.
    pub violation: Option<String>,
    /// One divided by the probability.
    pub one_of: u64,
}
