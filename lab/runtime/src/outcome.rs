//! The result of an election for one node.

use crate::step::Step;
use std::time::{Duration, Instant};
use suffrage_algorithms::Violation;
use suffrage_model::{Id, Kind, Phase, Status};

/// The result of an election, as one node knows it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The number of the node.
    pub node: u32,
    /// Its identity.
    pub id: Id,
    /// Its role.
    pub role: Status,
    /// The leader, if the algorithm tells this node.
    pub leader: Option<Id>,
    /// The number of messages that this node has sent of each kind, in the algorithm's order.
    pub sent: Vec<(&'static Kind, u64)>,
    /// The number of messages that have reached its process.
    pub received: u64,
    /// The number of messages that arrived after its process had halted, and were dropped.
    pub late: u64,
    /// The length of the longest chain of messages that has reached it.
    pub causal_depth: u32,
    /// The number of its links that were opened, by either end.
    pub links: usize,
    /// Whether it woke by itself.
    pub woke: bool,
    /// The steps of its process, in order, if [`Setup::steps`](crate::Setup::steps) is set.
    pub steps: Vec<Step>,
    /// Violations that this node has seen: a message that cannot arrive over reliable FIFO links,
    /// or a decision that its process revoked. At most 64 of them.
    pub violations: Vec<Violation>,
    /// When its process could have started.
    pub began: Instant,
    /// When it knew the leader (or that it has lost, if it is told no more).
    pub decided: Option<Instant>,
    /// When its process halted.
    pub halted: Instant,
    /// When it learned that all have halted.
    pub released: Instant,
    /// Whether all are known to have halted. False if this node, or one above it in the tree along
    /// which nodes learn of the end, could not reach its parent any more.
    pub all_halted: bool,
}

impl Outcome {
    /// Returns the number of messages that this node has sent.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.sent.iter().map(|(_, count)| count).sum()
    }

    /// Returns the number of messages of one phase that it has sent.
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
