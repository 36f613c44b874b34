//! Counterexamples: executions, as short as possible, that violate a property.

pub(crate) mod execution;
pub(crate) mod livelock;
pub(crate) mod message_bound;
