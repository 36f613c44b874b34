//! The steps of processes, and their causal order.

use serde::{Deserialize, Serialize};
use suffrage_model::{Action, End, Port};

/// A step of the process of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
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
    nodes: impl IntoIterator<Item = (u32, &'a [Step])>,
) -> (Vec<Action>, Vec<u32>) {
    let mut all: Vec<(u32, u32, &Step)> = Vec::new();
    for (node, steps) in nodes {
        all.extend(steps.iter().map(|step| (step.clock, node, step)));
    }
    // The sort is stable: the steps of one node stay in their order.
    all.sort_by_key(|&(clock, node, _)| (clock, node));
    let coins = all.iter().flat_map(|(_, _, step)| step.coins.iter().copied()).collect();
    (all.iter().map(|(_, node, step)| step.event.of(*node)).collect(), coins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_come_before_effects() {
        let step = |clock, event, coins: &[u32]| Step { clock, event, coins: coins.to_vec() };
        let first = [
            step(0, StepEvent::Wake, &[7]),
            step(2, StepEvent::Receive(0), &[]),
            step(2, StepEvent::Alarm, &[9]),
        ];
        let second = [step(1, StepEvent::Receive(1), &[8])];
        let (actions, coins) = in_causal_order([(0, &first[..]), (1, &second[..])]);
        let deliver =
            |node, port| Action::Deliver { to: End { node, port: Port(port) }, overtakes: 0 };
        assert_eq!(actions, [Action::Wake(0), deliver(1, 1), deliver(0, 0), Action::Alarm(0)]);
        assert_eq!(coins, [7, 8, 9]);
    }
}
