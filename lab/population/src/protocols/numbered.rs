//! Algorithm 2 of R. Chaturvedi, P. Dymond, M. Jenkin, "Efficient leader election among numbered
//! agents": identities from the natural numbers, no bound known.
//!
//! Idea: every agent is a candidate. When two agents meet, both believe in the higher of the two
//! identities that they believed in; an agent that takes over another's belief is no candidate any
//! more. Eventually all believe in the highest identity, and no agent knows when.
//!
//! Cost: an expected (n-1) H(n-1) interactions until all believe in the highest identity.
//!
//! Deviation: the printed `else` also fires when both believe in the same identity, and then the
//! initiator clears its own flag. The true leader does so at the first follower that it meets as
//! the initiator, and then there is no leader. [`NumberedEpidemic::printed`] keeps that form;
//! otherwise meetings of equal beliefs have no effect.
//!
//! Invariants: an agent believes in an identity that exists and is at least its own; only the
//! namesake of a belief calls itself leader; (unless printed) the highest calls itself leader.

use crate::protocol::{Belief, NumberedElection, PopulationProtocol};
use serde::{Deserialize, Serialize};

/// Election by epidemic: the highest identity spreads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NumberedEpidemic {
    /// Whether equal beliefs take the branch of the printed form.
    pub printed: bool,
}

/// The variables of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NumberedCandidate {
    /// The highest identity that it has heard of.
    pub leader: u32,
    /// Whether it still calls itself leader.
    pub is_leader: bool,
}

impl NumberedCandidate {
    /// Creates the initial state of the agent with identity `aid`.
    #[must_use]
    pub const fn new(aid: u32) -> Self {
        Self { leader: aid, is_leader: true }
    }
}

impl PopulationProtocol for NumberedEpidemic {
    type State = NumberedCandidate;
    type Output = Belief;

    fn interact(&self, i: &mut NumberedCandidate, j: &mut NumberedCandidate) {
        if i.leader > j.leader {
            *j = NumberedCandidate { leader: i.leader, is_leader: false };
        } else if i.leader < j.leader || self.printed {
            *i = NumberedCandidate { leader: j.leader, is_leader: false };
        }
    }

    fn interact_with_itself(&self, agent: &mut NumberedCandidate) {
        agent.is_leader &= !self.printed;
    }

    fn output(&self, state: &NumberedCandidate) -> Belief {
        let NumberedCandidate { leader, is_leader } = *state;
        Belief { leader, is_leader, complete: false, declared: false }
    }
}

/// Both forms spread the same beliefs, and in neither does an agent ever declare.
impl NumberedElection for NumberedEpidemic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_belief_gives_way_to_the_higher_in_either_role() {
        for printed in [false, true] {
            let protocol = NumberedEpidemic { printed };
            for (a, b) in [(3, 5), (5, 3)] {
                let (mut i, mut j) = (NumberedCandidate::new(a), NumberedCandidate::new(b));
                protocol.interact(&mut i, &mut j);
                assert_eq!((i.leader, j.leader), (5, 5));
                assert_eq!((i.is_leader, j.is_leader), (a == 5, b == 5));
            }
        }
    }

    #[test]
    fn as_printed_the_true_leader_resigns_when_it_meets_a_follower() {
        let follower = NumberedCandidate { leader: 5, is_leader: false };
        for (printed, remains) in [(true, false), (false, true)] {
            let (mut i, mut j) = (NumberedCandidate::new(5), follower);
            NumberedEpidemic { printed }.interact(&mut i, &mut j);
            assert_eq!((i.is_leader, j), (remains, follower));
        }
    }
}
