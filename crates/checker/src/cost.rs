//! The least and the greatest cost of an election over all schedules: messages and causal depth.

pub(crate) mod cost_to_go;
pub(crate) mod depth;
