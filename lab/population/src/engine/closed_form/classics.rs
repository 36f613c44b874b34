//! The classic protocols; only the times of their stages are drawn.

use super::stages::{Epidemic, Resignations, elapse};
use crate::{
    engine::{Supervisor, TrialEngine},
    random::RandomStream,
    trial::Trial,
};

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
