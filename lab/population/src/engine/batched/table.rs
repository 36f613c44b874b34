//! A protocol as a table of transitions.

use crate::{
    protocol::PopulationProtocol,
    transitions::{MOST_STATES, MeetingOutcome, StateNumbers, Transitions},
};

/// A protocol with few states: all reachable states, and the result of every meeting.
#[derive(Clone, Debug)]
pub struct MeetingTable<S> {
    states: Vec<S>,
    next: Transitions,
    /// The ordered pairs whose meeting can change the number of agents in some state.
    active: Vec<(u32, u32)>,
}

/// An error: more states are reachable than a batched engine supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "more than {MOST_STATES} states can be reached; the batched engine counts agents per state \
     and needs few, the direct engine keeps every agent"
)]
pub struct TooManyStates;

impl<S: Clone + Ord> MeetingTable<S> {
    /// Creates the table of all states that are reachable from the given ones, which come first, in
    /// order.
    ///
    /// # Errors
    /// If there are more than 1024.
    pub fn reachable<P>(protocol: &P, initial: &[S]) -> Result<Self, TooManyStates>
    where
        P: PopulationProtocol<State = S>,
    {
        let rule = |a: &S, b: &S| {
            let (mut a, mut b) = (a.clone(), b.clone());
            protocol.interact(&mut a, &mut b);
            (a, b)
        };
        let mut all = StateNumbers::of(initial.iter().cloned());
        let mut newest = 0;
        while (newest as usize) < all.states().len() {
            for other in 0..=newest {
                all.next((newest, other), rule);
                all.next((other, newest), rule);
            }
            newest += 1;
            if all.states().len() > MOST_STATES {
                return Err(TooManyStates);
            }
        }
        let mut next = Transitions::of(all.states().len());
        for pair in (0..newest).flat_map(|i| (0..newest).map(move |j| (i, j))) {
            next.push(&[MeetingOutcome::certain(all.next(pair, rule))]);
        }
        Ok(Self::new(all.states().to_vec(), next))
    }

    /// Creates the table of these states and transitions.
    pub(crate) fn new(states: Vec<S>, next: Transitions) -> Self {
        let numbers = 0..states.len() as u32;
        let pairs = numbers.clone().flat_map(|i| numbers.clone().map(move |j| (i, j)));
        let can_change = |&(i, j): &(u32, u32)| {
            let outcomes = next.outcomes(i as usize, j as usize);
            outcomes.iter().any(|outcome| ![(i, j), (j, i)].contains(&outcome.after))
        };
        let active = pairs.filter(can_change).collect();
        Self { states, next, active }
    }

    /// Returns the states, by number.
    #[must_use]
    pub fn states(&self) -> &[S] {
        &self.states
    }

    #[inline]
    pub(super) const fn next(&self) -> &Transitions {
        &self.next
    }

    pub(super) fn active(&self) -> impl Iterator<Item = (usize, usize)> {
        self.active.iter().map(|&(i, j)| (i as usize, j as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::NumberedCandidate;
    use crate::protocols::{
        Agent, Fratricide, FratricideRole, Infection, NumberedEpidemic, SelfTerminating,
    };

    #[test]
    fn tables_hold_what_can_be_reached() {
        let infection = MeetingTable::reachable(&Infection, &[true, false]).unwrap();
        assert_eq!(infection.states(), [true, false]);
        let next = |i, j| infection.next().outcomes(i, j);
        assert_eq!(
            [next(0, 1), next(1, 0), next(1, 1)],
            [(0, 0), (0, 0), (1, 1)].map(|after| [MeetingOutcome::certain(after)])
        );
        assert!(infection.active().eq([(0, 1), (1, 0)]));
        let fratricide = MeetingTable::reachable(&Fratricide, &[FratricideRole::Leader]).unwrap();
        assert_eq!(fratricide.states(), [FratricideRole::Leader, FratricideRole::Follower]);
        assert!(fratricide.active().eq([(0, 0)]));
        // Two candidates: each itself, and the lower one as a follower of the higher.
        let initial = [NumberedCandidate::new(0), NumberedCandidate::new(1)];
        assert_eq!(
            MeetingTable::reachable(&NumberedEpidemic::default(), &initial).unwrap().states().len(),
            3
        );
    }

    #[test]
    fn protocols_that_count_have_too_many_states() {
        let initial: Vec<_> = (0..40).map(Agent::new).collect();
        let table = MeetingTable::reachable(&SelfTerminating::default(), &initial);
        assert_eq!(table.unwrap_err(), TooManyStates);
    }
}
