//! The search of an instance: what to explore, and its limits.

use crate::{model::TransitionSystem, specification::Properties};
use std::ops::ControlFlow;

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
