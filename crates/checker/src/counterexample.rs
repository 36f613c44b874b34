//! Executions that show how a property is violated, as short as possible.

pub(crate) mod execution;
pub(crate) mod livelock;
pub(crate) mod message_bound;
