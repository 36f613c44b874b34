//! The result of an election for one node.

use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};
use suffrage_algorithms::Violation;
use suffrage_model::{Action, End, Id, Kind, Phase, Port, Status};

/// The result of an election, as one node knows it.
#[derive(Clone, Debug)]
pub struct NodeOutcome {
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
    /// The steps of its process, in order, if [`NodeSetup::steps`](crate::NodeSetup::steps) is set.
    pub steps: Vec<ProcessStep>,
    /// Violations that this node has seen: a message that cannot arrive over reliable FIFO links,
    /// or a decision that its process revoked. At most 64 of them.
    pub violations: Vec<Violation>,
    /// When its process could have started.
    pub began: Instant,
    /// When it knew the leader (or that it has lost, if it learns no more).
    pub decided: Option<Instant>,
    /// When its process halted.
    pub halted: Instant,
    /// When it learned that all have halted.
    pub released: Instant,
    /// Whether all are known to have halted. False if this node, or one above it in the tree along
    /// which nodes learn of the end, could not reach its parent any more.
    pub all_halted: bool,
}

impl NodeOutcome {
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

/// A step of the process of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessStep {
    /// The length of the longest chain of messages that had reached the process.
    pub clock: u32,
    /// The event.
    pub event: StepEvent,
    /// The numbers that the process drew.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coins: Vec<u32>,
}

/// An event at a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepEvent {
    /// The process woke by itself.
    Wake,
    /// Its alarm rang.
    Alarm,
    /// A message arrived through this port; it is dropped if the process had halted.
    Receive(u32),
}

impl StepEvent {
    const fn of(self, node: u32) -> Action {
        match self {
            Self::Wake => Action::Wake(node),
            Self::Alarm => Action::Alarm(node),
            Self::Receive(port) => {
                Action::Deliver { to: End { node, port: Port(port) }, overtakes: 0 }
            }
        }
    }
}

/// Merges the steps of all nodes into one sequence in which they could have happened, with the
/// numbers that were drawn: ordered by causal depth, then by node, then as they happened there.
///
/// A message is sent at a smaller depth than that at which it is received, and the depth of a
/// process never decreases, so causes come before effects. Takes O(*s*) memory and O(*s* log *s*)
/// time for *s* steps.
#[must_use]
pub fn in_causal_order<'a>(
    nodes: impl IntoIterator<Item = (u32, &'a [ProcessStep])>,
) -> (Vec<Action>, Vec<u32>) {
    let mut all: Vec<(u32, u32, &ProcessStep)> = Vec::new();
    for (node, steps) in nodes {
        all.extend(steps.iter().map(|step| (step.clock, node, step)));
    }
    // The sort is stable: the steps of one node stay in their order.
    all.sort_by_key(|&(clock, node, _)| (clock, node));
    let coins = all.iter().flat_map(|(_, _, step)| step.coins.iter().copied()).collect();
    (all.iter().map(|(_, node, step)| step.event.of(*node)).collect(), coins)
}

#[cfg(test)]
mod tests;
