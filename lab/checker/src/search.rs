//! The search of an instance: what to explore, and its limits.

use crate::{model::TransitionSystem, specification::Properties};
use std::ops::ControlFlow;

/// The number of configurations that are expanded between two heartbeats.
const HEARTBEAT: usize = 1 << 13;

/// The number that are expanded between two looks at the memory: each may add some dozens.
const LOOK: usize = 1 << 6;

/// What to explore, and its limits.
pub(crate) struct Search<'w> {
    pub model: &'w TransitionSystem<'w>,
    pub specification: &'w dyn Properties,
    /// Whether to explore every configuration.
    pub full: bool,
    /// Whether to record what each step does to the messages under way, from which depths and times
    /// follow.
    pub costs: bool,
    /// The maximum memory, in bytes.
    pub memory: u64,
    /// Whether it is known that no property is violated.
    pub judged: bool,
    /// Called with the number of configurations, every 8,192 of them; may stop the exploration.
    pub heartbeat: &'w mut dyn FnMut(u64) -> ControlFlow<()>,
}

impl Search<'_> {
    /// Returns whether the memory is used up. Looks after every [`LOOK`] expanded configurations.
    pub(crate) fn is_full(&self, expanded: usize, memory: impl FnOnce() -> u64) -> bool {
        expanded.is_multiple_of(LOOK) && memory() > self.memory
    }

    /// Returns whether the caller stops the exploration. Asks after every [`HEARTBEAT`] expanded configurations.
    pub(crate) fn is_stopped(&mut self, expanded: usize) -> bool {
        expanded.is_multiple_of(HEARTBEAT) && (self.heartbeat)(expanded as u64).is_break()
    }
}
