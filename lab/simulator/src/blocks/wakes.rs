//! The wake-ups of a block.

use super::Election;
use std::{collections::VecDeque, ops::Range};

pub(super) enum BlockWakes {
    /// All of these nodes, at the start: a list would take more room than many a process.
    AtStart(Range<u64>),
    /// These nodes at these ticks, in order.
    Listed(VecDeque<(u64, u64)>),
}

impl BlockWakes {
    pub(super) fn of(election: &Election<'_>, nodes: &Range<u64>) -> Self {
        let Some(all) = &election.wakes else { return Self::AtStart(nodes.clone()) };
        let here = all.iter().copied().filter(|(_, node)| nodes.contains(node));
        let mut here: Vec<(u64, u64)> = here.collect();
        here.sort_unstable();
        Self::Listed(here.into())
    }

    /// Removes the next wake-up due at `now`, and returns its node.
    pub(super) fn pop(&mut self, now: u64) -> Option<u64> {
        match self {
            Self::AtStart(nodes) => nodes.next(),
            Self::Listed(wakes) => {
                let &(_, node) = wakes.front().filter(|(tick, _)| *tick <= now)?;
                wakes.pop_front();
                Some(node)
            }
        }
    }

    /// Removes those before a tick.
    pub(super) fn go_on(&mut self, tick: u64) {
        match self {
            Self::AtStart(nodes) if tick > 0 => nodes.start = nodes.end,
            Self::AtStart(_) => {}
            Self::Listed(wakes) => wakes.retain(|&(at, _)| at >= tick),
        }
    }
}
