//! Re-election after failures: Algorithm 3 in epochs.
//!
//! The paper mentions failures of a leader only as motivation. Here a population in which all have
//! been told who leads loses its leader and other agents. One of the survivors notices, and begins
//! the next epoch: it runs Algorithm 3 from its initial state. An agent that meets one of a later
//! epoch starts again in that epoch, before both interact by Algorithm 3.
//!
//! Cost: the epoch spreads like an epidemic, in an expected (s-1) H(s-1) interactions among s
//! survivors, and the highest identity beside it; the highest survivor counts only from when the
//! epoch reaches it.
//!
//! Invariants: an agent of the new epoch believes in a survivor; no agent of the old epoch declares.

use super::{Agent, SelfTerminating};
use crate::protocol::{Belief, PopulationProtocol};

/// Algorithm 3 among survivors of an election that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reelection(pub SelfTerminating);

/// The variables of a survivor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Survivor {
    /// Whether it takes part in the new election.
    pub anew: bool,
    /// Its variables in that election.
    pub agent: Agent,
}

impl Survivor {
    /// Creates the state of the survivor with identity `aid`; `notices` if it begins the new
    /// election.
    #[must_use]
    pub const fn new(aid: u32, notices: bool) -> Self {
        Self { anew: notices, agent: Agent::new(aid) }
    }
}

impl PopulationProtocol for Reelection {
    type State = Survivor;
    type Output = Belief;

    fn interact(&self, i: &mut Survivor, j: &mut Survivor) {
        if i.anew || j.anew {
            (i.anew, j.anew) = (true, true);
            self.0.interact(&mut i.agent, &mut j.agent);
        }
    }

    /// An agent of the old epoch believes in the failed leader, which is no survivor.
    fn output(&self, state: &Survivor) -> Belief {
        if state.anew {
            self.0.output(&state.agent)
        } else {
            Belief { leader: u32::MAX, is_leader: false, complete: false, declared: false }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_new_epoch_spreads_and_the_old_one_does_nothing() {
        let protocol = Reelection(SelfTerminating::default());
        let (mut a, mut b) = (Survivor::new(0, false), Survivor::new(2, false));
        protocol.interact(&mut a, &mut b);
        assert_eq!((a, b), (Survivor::new(0, false), Survivor::new(2, false)));
        let mut first = Survivor::new(1, true);
        protocol.interact(&mut first, &mut a);
        assert_eq!((protocol.output(&a).leader, first.agent.tally.conversions), (1, 1));
        protocol.interact(&mut a, &mut b);
        assert_eq!((protocol.output(&a).leader, protocol.output(&b).leader), (2, 2));
    }
}
