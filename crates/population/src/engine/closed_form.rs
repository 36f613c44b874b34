//! The closed-form engine: draws the times between the events that matter from their distributions.
//!
//! An election among numbered agents, seen from its eventual leader, passes through stages: in
//! stage k, k agents follow it, itself included. Only two kinds of interaction matter, the
//! conversion that ends a stage and the leader's meeting with a follower, and both are geometric.
//! [`Leader`] draws the leader's own events, about 2 ln n of them, and the time between them in
//! blocks of stages: 10^12 agents take half a second. What other agents do, and so who
//! declares first, it does not see.

mod classics;
mod leader;
pub(in crate::engine) mod stages;

pub use classics::{MAX_FRATRICIDE, OneLeaderLeft, Spread};
pub use leader::Leader;
pub(super) use leader::SoFar;

/// The largest population of the engines that compute with times: sums of times stay below 2^53,
/// and so exact in `f64`, for the 40 or so standard deviations that a generator can reach.
pub const MAX_AGENTS: u64 = 1 << 44;

#[cfg(test)]
mod tests;
