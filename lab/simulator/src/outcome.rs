//! The outcome of an election, and its cost.

use crate::{CompetitionRounds, TimedViolation};
use suffrage_algorithms::Leader;
use suffrage_model::{Action, Id, Kind, Phase};

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The leader, where exactly one process leads.
    pub leader: Option<Leader>,
    /// Whether every process that did not crash names this leader.
    pub agreed: bool,
    /// Whether every process that did not crash has halted.
    pub halted: bool,
    /// The messages that were sent.
    pub messages: MessagesByKind,
    /// The tick of the last event; the wake-up of an initiator that a message has already reached
    /// does not count. Untimed schedules count a tick for each delivery.
    pub time: u64,
    /// The time in units of the greatest delay, to which the claims about time apply: the longest
    /// that the election takes after the last wake-up, in the order in which its events happened,
    /// if no message takes more than one unit: its [rounds](suffrage_algorithms::Rounds). `None`
    /// with faults or bounded links.
    pub units: Option<u64>,
    /// The number of messages in the longest chain in which each was sent after the one before it
    /// had been received.
    pub causal_depth: u32,
    /// The process that sent and received the most messages, the first of them.
    pub busiest: Busiest,
    /// The greatest number of messages under way at any time; under
    /// [`rounds`](crate::Schedule::Rounds), at the end of a tick.
    pub peak_in_flight: u64,
    /// The number of messages delivered, the late ones included. When an election has come to its
    /// end, every message sent was delivered or lost, unless it still waits for room on a bounded
    /// link, or a recording leaves it on its way to a process that has crashed.
    pub delivered: u64,
    /// The number of messages that arrived at a process that had halted, and were dropped.
    pub late: u64,
    /// The number of messages lost to faults: on the way, or because their receiver or sender
    /// crashed.
    pub lost: u64,
    /// The number of processes that woke spontaneously.
    pub woken: u64,
    /// The rounds or levels, if they were requested and the algorithm has some.
    pub stages: Option<CompetitionRounds>,
    /// Every property that was broken.
    pub violations: Vec<TimedViolation>,
    /// Whether the run was stopped before its end.
    pub interrupted: bool,
    /// Whether the recording that was replayed ended while something was
    /// [possible](Self::possible). Properties of the end are then not reported as broken; those that
    /// were broken on the way are.
    pub unfinished: bool,
    /// The possible next events, without faults, if the replayed recording ended before the
    /// election: initiators that are asleep wake, alarms ring, the first message of a link arrives.
    /// In this order, each by process and port; only the end of a replay has such actions.
    pub possible: Vec<Action>,
}

/// The process that sent and received the most messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Busiest {
    /// The number of the process.
    pub node: u64,
    /// The number of messages that it sent and received.
    pub messages: u64,
}

/// The messages sent, by kind. A message that a fault duplicates is counted twice, one that it
/// loses once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessagesByKind {
    kinds: &'static [Kind],
    counts: Vec<u64>,
    id_bits: u32,
    counter_bits: u32,
}

impl MessagesByKind {
    /// Creates the messages of an election among `nodes` processes with this largest identity.
    #[must_use]
    pub fn new(kinds: &'static [Kind], counts: &[u64], largest: Id, nodes: u64) -> Self {
        Self {
            kinds,
            counts: counts[..kinds.len()].to_vec(),
            id_bits: bits(largest.get()),
            counter_bits: bits(nodes),
        }
    }

    /// Returns the kinds with their counts, in the algorithm's order.
    pub fn by_kind(&self) -> impl Iterator<Item = (&'static Kind, u64)> + Clone {
        self.kinds.iter().zip(self.counts.iter().copied())
    }

    /// Returns the number of all messages.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the number of messages of one phase.
    #[must_use]
    pub fn of(&self, phase: Phase) -> u64 {
        self.by_kind().filter(|(kind, _)| kind.phase == phase).map(|(_, count)| count).sum()
    }

    /// Returns the total number of bits of all messages, when an identity takes as many bits as the
    /// largest one in the network, a counter as many as the number of processes, and a tag
    /// distinguishes the algorithm's kinds.
    #[must_use]
    pub fn bits(&self) -> u128 {
        let size = |kind: &Kind| kind.bits(self.kinds.len(), self.id_bits, self.counter_bits);
        self.by_kind().map(|(kind, count)| u128::from(count) * u128::from(size(kind))).sum()
    }
}

const fn bits(number: u64) -> u32 {
    if number == 0 { 1 } else { number.ilog2() + 1 }
}
