//! Errors of experiments.

use crate::{engine::EngineKind, trial::Question};
use suffrage_numbers::counted;
use suffrage_parallel::memory::size;
use thiserror::Error;

/// The error of an experiment that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PopulationError {
    /// There are no agents.
    #[error("a population needs at least one agent, but there are none")]
    NoAgents,
    /// There are too few agents for a meeting.
    #[error("meetings take at least two agents, but there are {agents}")]
    TooFewToMeet {
        /// The number of agents.
        agents: u64,
    },
    /// The number of trials is zero.
    #[error("an experiment needs at least one trial, but none is asked for")]
    NoTrials,
    /// A rule would declare at once or never.
    #[error(
        "with margin 0 the rule '{rule}' says nothing about followers; give a margin of at least 1 \
         (the paper's is 4), or the rule 'difference', which compares the plain numbers then"
    )]
    NoMargin {
        /// The rule's name.
        rule: &'static str,
    },
    /// Two agents have one identity.
    #[error(
        "agents number {first} and {second} both have the identity {id}; identities must differ"
    )]
    DuplicateId {
        /// The identity.
        id: u64,
        /// The agent that has it first, from 1.
        first: usize,
        /// The agent that has it again, from 1.
        second: usize,
    },
    /// The number of identities is not the number of agents.
    #[error("identities: {ids}, and agents: {agents}; each agent has one")]
    IdCount {
        /// The number of identities.
        ids: usize,
        /// The number of agents.
        agents: u64,
    },
    /// An engine's numbers would not be exact.
    #[error(
        "{agents} agents are more than the {engine} engine can run exactly, whose limit here is \
         {limit}{instead}"
    )]
    TooManyAgents {
        /// The number of agents.
        agents: u64,
        /// The engine.
        engine: EngineKind,
        /// Its limit for this protocol.
        limit: u64,
        /// A remedy, as the rest of a sentence; may be empty.
        instead: String,
    },
    /// An engine's array would not fit.
    #[error(
        "the direct engine needs {} for {agents} agents, and {} are free{instead}",
        size(*needed), size(*available)
    )]
    Memory {
        /// The number of agents.
        agents: u64,
        /// The bytes needed.
        needed: u64,
        /// The bytes that are free.
        available: u64,
        /// A remedy, as the rest of a sentence; may be empty.
        instead: String,
    },
    /// The batched engine's classes would not fit.
    #[error(
        "the batched engine needs {} to distinguish {highest} identities, and {} are free; \
         distinguish fewer, or omit their number: 16 are enough for the eventual leader",
        size(*needed), size(*available)
    )]
    Identities {
        /// The number of identities to be distinguished.
        highest: u64,
        /// The bytes needed.
        needed: u64,
        /// The bytes that are free.
        available: u64,
    },
    /// A protocol does not run in a model.
    #[error("the protocol {protocol} does not run {model}: {reason}")]
    Model {
        /// The protocol's name.
        protocol: &'static str,
        /// The model, as the end of a sentence.
        model: &'static str,
        /// The reason.
        reason: &'static str,
    },
    /// An interaction graph has another number of nodes than there are agents.
    #[error("the interaction graph has {} for {}", counted((*.nodes).into(), "node"), counted(*.agents, "agent"))]
    GraphSize {
        /// The number of nodes.
        nodes: u32,
        /// The number of agents.
        agents: u64,
    },
    /// An engine does not run a protocol.
    #[error("the {engine} engine does not run this election: {reason}; use the {instead} engine")]
    Unsuitable {
        /// The engine.
        engine: EngineKind,
        /// The reason.
        reason: &'static str,
        /// An engine that does.
        instead: EngineKind,
    },
    /// An engine is not exact for the question.
    #[error(
        "the {engine} engine is not exact for {}: it does not follow {}; leave out the engine, or \
         ask for less", .question.name(), .missing.join(", ")
    )]
    NotExact {
        /// The engine.
        engine: EngineKind,
        /// The question.
        question: Question,
        /// The fields that it does not follow.
        missing: Vec<&'static str>,
    },
}
