//! Algorithm 1 of R. Chaturvedi, P. Dymond, M. Jenkin, "Efficient leader election among numbered
//! agents": agents numbered 1, ..., n that know n.
//!
//! Idea: every agent knows the leader's identity beforehand, so each compares it with its own and
//! is done. It takes one step and no interaction.
//!
//! Invariants: `leader` is the highest identity from the start; one agent calls itself leader.

use crate::protocol::{Belief, PopulationProtocol};

/// Election with known bounds: the agent with the highest possible identity leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownBounds {
    /// The number of agents; identities are ranks `0..agents`.
    pub agents: u32,
}

impl KnownBounds {
    /// Returns the state of an agent that has compared: its identity.
    #[must_use]
    pub const fn start(aid: u32) -> u32 {
        aid
    }
}

impl PopulationProtocol for KnownBounds {
    type State = u32;
    type Output = Belief;

    /// Meetings change nothing.
    fn interact(&self, _: &mut u32, _: &mut u32) {}

    fn output(&self, aid: &u32) -> Belief {
        let leader = self.agents - 1;
        Belief { leader, is_leader: *aid == leader, complete: true, declared: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_agent_leads_and_all_know_it() {
        let protocol = KnownBounds { agents: 7 };
        let beliefs: Vec<_> = (0..7).map(|i| protocol.output(&KnownBounds::start(i))).collect();
        assert!(beliefs.iter().all(|belief| belief.leader == 6 && belief.complete));
        assert!(beliefs.iter().filter(|belief| belief.is_leader).count() == 1);
    }
}
