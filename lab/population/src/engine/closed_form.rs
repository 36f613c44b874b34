//! The closed-form engine: draws the times between the events that matter from their distributions.
//!
//! For its eventual leader, an election among numbered agents passes through stages: in
//! stage k, k agents follow it, itself included. Only two kinds of interaction matter, the
//! conversion that ends a stage and the leader's meeting with a follower, and both are geometric.
//! [`EventualLeader`] draws the leader's own events, about 2 ln n of them, and the time between them in
//! blocks of stages: 10^12 agents take half a second. It does not follow other agents, and so does
//! not know which agent declares first.

mod classics;
mod leader;
pub(in crate::engine) mod stages;

pub use classics::{EpidemicSpread, MAX_FRATRICIDE, OneLeaderLeft};
pub use leader::EventualLeader;
pub(super) use leader::SoFar;

/// The largest population of the engines that compute with times: sums of times stay below 2^53,
/// and so are exact in `f64`, up to the about 40 standard deviations that a generator can reach.
pub const MAX_AGENTS: u64 = 1 << 44;

#[cfg(test)]
mod tests;
