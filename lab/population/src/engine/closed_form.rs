//! The closed-form engine: draws the times between the events that matter from their distributions.
//!
//! For its eventual leader, an election among numbered agents passes through stages: in
//! stage k, k agents follow it, itself included. Only two kinds of interaction matter, the
//! conversion that ends a stage and the leader's meeting with a follower, and both are geometric.
//! [`EventualLeader`] draws the leader's own events, about 2 ln n of them, and the time between them in
//! blocks of stages: 10^12 agents take half a second. It does not follow other agents, and so does
//! not know which agent declares first.

mod leader;
pub(in crate::engine) mod stages;

pub use leader::EventualLeader;
pub(super) use leader::SoFar;

use crate::{
    engine::{Supervisor, TrialEngine},
    random::RandomStream,
    trial::Trial,
};
use stages::{Epidemic, Resignations, elapse};

/// The largest population of the engines that compute with times: sums of times stay below 2^53,
/// and so are exact in `f64`, up to the about 40 standard deviations that a generator can reach.
pub const MAX_AGENTS: u64 = 1 << 44;

/// The largest anonymous election: its time, of the order of n², has to stay below 2^53.
pub const MAX_FRATRICIDE: u64 = 1 << 24;

/// The two-way epidemic, one agent infected.
#[derive(Clone, Copy, Debug)]
pub struct EpidemicSpread {
    /// The number of agents.
    pub agents: u64,
    /// Whether an agent may meet itself.
    pub self_meetings: bool,
}

impl TrialEngine for EpidemicSpread {
    fn trial(&mut self, stream: &mut RandomStream, supervisor: &dyn Supervisor) -> Option<Trial> {
        let Self { agents, self_meetings } = *self;
        let stages = Epidemic { agents, leader: false, self_meetings };
        let completed_at = elapse(&stages, 1..agents, 0, stream, supervisor)?;
        Some(Trial { completed_at: Some(completed_at), ..Trial::default() })
    }
}

/// The anonymous election among a number of agents, until one leader is left.
#[derive(Clone, Copy, Debug)]
pub struct OneLeaderLeft(pub u64);

impl TrialEngine for OneLeaderLeft {
    fn trial(&mut self, stream: &mut RandomStream, supervisor: &dyn Supervisor) -> Option<Trial> {
        let stages = Resignations { agents: self.0 };
        let completed_at = elapse(&stages, 2..self.0 + 1, 0, stream, supervisor)?;
        Some(Trial { completed_at: Some(completed_at), ..Trial::default() })
    }
}

#[cfg(test)]
mod tests;
