//! The result of an election for one node.

use crate::step::Step;
use std::time::{Duration, Instant};
use suffrage_algorithms::Violation;
use suffrage_process::{Id, Kind, Phase, Status};

/// The result of an election, as one node knows it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The number of the node.
    pub node: u32,
    /// Its identity.
    pub id: Id,
    /// Its role.
    pub role: Status,
    /// The leader, where the algorithm tells this node.
    pub leader: Option<Id>,
    /// Messages that this node has sent, by kind, in the algorithm's order.
    pub sent: Vec<(&'static Kind, u64)>,
    /// Messages that have reached its process.
    pub received: u64,
    /// Messages that came after its process had halted, and were dropped.
    pub late: u64,
    /// The longest chain of messages that has reached it.
    pub causal_depth: u32,
    /// Links of this node that were opened, by either end.
    pub links: usize,
    /// It woke by itself.
    pub woke: bool,
    /// What happened to its process, in order, if [`Setup::steps`](crate::Setup::steps) asked for
    /// it.
    pub steps: Vec<Step>,
    /// Properties that this node has seen violated: it received a message that cannot arrive where
    /// links are reliable and FIFO, or its process revoked a decision. The first 64 of them.
    pub violations: Vec<Violation>,
    /// When its process could have started.
    pub began: Instant,
    /// When it knew the leader (or that it has lost, where it is told no more).
    pub decided: Option<Instant>,
    /// When its process halted.
    pub halted: Instant,
    /// When it learned that all have halted.
    pub released: Instant,
    /// All have halted. False if that is not known, because this node, or one above it in the tree
    /// along which nodes learn of the end, could not reach its parent any more.
    pub all_halted: bool,
}

impl Outcome {
    /// All messages that this node has sent.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.sent.iter().map(|(_, count)| count).sum()
    }

    /// The messages of one phase that it has sent.
    #[must_use]
    pub fn of(&self, phase: Phase) -> u64 {
        self.sent.iter().filter(|(kind, _)| kind.phase == phase).map(|(_, count)| count).sum()
    }

    /// Returns the time from its start until it knew the leader.
    #[must_use]
    pub fn time_to_decide(&self) -> Option<Duration> {
        Some(self.decided?.saturating_duration_since(self.began))
    }
}
