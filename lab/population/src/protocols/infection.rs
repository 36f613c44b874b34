//! The two-way epidemic: one agent is infected at first, and an agent that meets an infected one is
//! (D. Angluin, J. Aspnes, D. Eisenstat, "Fast computation by population protocols with a leader",
//! Distributed Computing 21, 2008).
//!
//! Cost: an expected (n-1) H(n-1) interactions, as for the highest identity of an election: there
//! the believers in the highest identity are the infected.

use crate::protocol::PopulationProtocol;

/// The two-way epidemic. The state is whether the agent is infected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Infection;

impl PopulationProtocol for Infection {
    type State = bool;
    type Output = bool;

    fn interact(&self, i: &mut bool, j: &mut bool) {
        (*i, *j) = (*i || *j, *i || *j);
    }

    fn output(&self, infected: &bool) -> bool {
        *infected
    }
}
