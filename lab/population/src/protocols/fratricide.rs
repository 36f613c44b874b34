//! Leader election among anonymous agents (D. Angluin, J. Aspnes, Z. Diamadi, M. J. Fischer, R.
//! Peralta, "Computation in networks of passively mobile finite-state sensors", PODC 2004).
//!
//! Idea: every agent is a leader at first. When two leaders meet, the responder resigns. Eventually
//! one is left, and no agent knows when.
//!
//! Cost: an expected (n-1)² interactions: with k leaders left, k(k-1) of the n(n-1) ordered pairs
//! make one resign.
//!
//! Invariant: at least one leader.

use crate::protocol::PopulationProtocol;

/// Anonymous election by fratricide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fratricide;

/// The state of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FratricideRole {
    /// Has not resigned.
    Leader,
    /// Has resigned.
    Follower,
}

impl PopulationProtocol for Fratricide {
    type State = FratricideRole;
    type Output = FratricideRole;

    fn interact(&self, i: &mut FratricideRole, j: &mut FratricideRole) {
        if (*i, *j) == (FratricideRole::Leader, FratricideRole::Leader) {
            *j = FratricideRole::Follower;
        }
    }

    fn output(&self, role: &FratricideRole) -> FratricideRole {
        *role
    }
}
