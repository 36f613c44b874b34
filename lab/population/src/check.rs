//! Explores every meeting order of a small population.
//!
//! An adversary, not chance, chooses the meetings here: all reachable configurations are found,
//! breadth first, so that a configuration with some property comes with a shortest meeting order
//! that leads to it. Then fairness is added: a run in which every meeting that stays possible
//! happens eventually (under uniformly random meetings, with probability 1) ends in a set of
//! configurations that it cannot leave any more.

use crate::{
    protocol::{Belief, PopulationProtocol},
    transitions::StateNumbers,
};
use serde::Serialize;
use std::collections::HashMap;
use thiserror::Error;

#[cfg(test)]
mod tests;

/// The results of exploring an election among numbered agents. Meeting orders are shortest ones, of
/// pairs of initiator and responder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckFindings {
    /// The number of agents.
    pub agents: u32,
    /// The number of reachable configurations.
    pub configurations: usize,
    /// The number of those in which the outputs can never change again.
    pub stable: usize,
    /// A meeting order after which two agents have declared.
    pub two_declare: Option<Vec<Meeting>>,
    /// A meeting order after which an agent has declared while not all hold the maximum.
    pub too_early: Option<Vec<Meeting>>,
    /// A meeting order to a configuration that cannot change and is wrong: not all hold the
    /// maximum, or the agents that call themselves leader are not exactly the highest one.
    pub stuck_wrong: Option<Vec<Meeting>>,
    /// Whether every fair run ends in a configuration that cannot change and is right.
    pub ends_right: bool,
}

/// Explores an election among at most five agents; agent i begins in state `initial(i)` and has
/// the identity i.
///
/// # Errors
/// If there are more than 5 agents, none, or more than `limit` configurations.
pub fn election<P>(
    protocol: &P,
    agents: u32,
    initial: impl Fn(u32) -> P::State,
    limit: usize,
) -> Result<CheckFindings, TooLarge>
where
    P: PopulationProtocol<Output = Belief>,
{
    let start: Vec<_> = (0..agents).map(initial).collect();
    let space = ReachableSpace::explore(protocol, &start, limit)?;
    let highest = agents - 1;
    let complete = |beliefs: &[Belief]| beliefs.iter().all(|belief| belief.leader == highest);
    let right = |beliefs: &[Belief]| {
        complete(beliefs) && (0..agents).zip(beliefs).all(|(i, b)| b.is_leader == (i == highest))
    };
    let declared = |beliefs: &[Belief]| beliefs.iter().filter(|belief| belief.declared).count();
    let stable = space.stable();
    Ok(CheckFindings {
        agents,
        configurations: space.len(),
        stable: stable.iter().filter(|&&stable| stable).count(),
        two_declare: space.shortest(|_, beliefs| declared(beliefs) >= 2),
        too_early: space.shortest(|_, beliefs| declared(beliefs) >= 1 && !complete(beliefs)),
        stuck_wrong: space.shortest(|place, beliefs| stable[place] && !right(beliefs)),
        ends_right: space.always_reaches(|place, beliefs| stable[place] && right(beliefs)),
    })
}

/// The maximal number of agents, which is the length of a configuration.
const MOST_AGENTS: usize = 5;

/// A meeting: initiator and responder, by agent.
pub type Meeting = (u32, u32);

/// The error of a population that is too large to explore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TooLarge {
    /// There are too many agents.
    #[error("every meeting order is explored for 1 to {MOST_AGENTS} agents, not for {0}")]
    Agents(usize),
    /// There are too many configurations.
    #[error("more than {0} configurations can be reached; take fewer agents or a smaller margin")]
    Configurations(usize),
}

/// A configuration: the number of each agent's state.
type Configuration = [u16; MOST_AGENTS];

/// All configurations that can be reached from one, breadth first: number 0 is the first.
#[derive(Clone, Debug)]
pub struct ReachableSpace<O> {
    agents: usize,
    /// The output of each state.
    outputs: Vec<O>,
    configurations: Vec<Configuration>,
    /// The configuration from which each was first reached, and the meeting.
    parents: Vec<(u32, Meeting)>,
    /// The next configurations of each, one for each meeting in the order of [`meetings`].
    next: Vec<u32>,
}

fn meetings(agents: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..agents).flat_map(move |i| (0..agents).filter(move |&j| j != i).map(move |j| (i, j)))
}

impl<O: Copy + Ord> ReachableSpace<O> {
    /// Explores the configurations that are reachable from the given states, one for each agent.
    ///
    /// # Errors
    /// If there are no agents or more than 5, or more than `limit` configurations.
    pub fn explore<P>(protocol: &P, start: &[P::State], limit: usize) -> Result<Self, TooLarge>
    where
        P: PopulationProtocol<Output = O>,
    {
        let agents = start.len();
        if agents == 0 || agents > MOST_AGENTS {
            return Err(TooLarge::Agents(agents));
        }
        let too_large = TooLarge::Configurations(limit);
        let forget = |mut state: P::State| {
            protocol.forget(&mut state, agents as u32);
            state
        };
        let interact = |a: &P::State, b: &P::State| {
            let (mut a, mut b) = (a.clone(), b.clone());
            protocol.interact(&mut a, &mut b);
            (forget(a), forget(b))
        };
        let short = |number: u32| u16::try_from(number).map_err(|_| too_large);
        let mut states = StateNumbers::default();
        let mut first = [0; MOST_AGENTS];
        for (place, state) in first.iter_mut().zip(start) {
            *place = short(states.number(forget(state.clone())))?;
        }
        let mut numbers = HashMap::from([(first, 0_u32)]);
        let (mut configurations, mut parents) = (vec![first], vec![(0, (0, 0))]);
        let mut next = Vec::new();
        let mut at = 0;
        while at < configurations.len() {
            for (i, j) in meetings(agents) {
                let mut after = configurations[at];
                let (a, b) = states.next((after[i].into(), after[j].into()), interact);
                (after[i], after[j]) = (short(a)?, short(b)?);
                let number = *numbers.entry(after).or_insert_with(|| {
                    configurations.push(after);
                    parents.push((at as u32, (i as u32, j as u32)));
                    configurations.len() as u32 - 1
                });
                next.push(number);
            }
            if configurations.len() > limit {
                return Err(too_large);
            }
            at += 1;
        }
        let outputs = states.states().iter().map(|state| protocol.output(state)).collect();
        Ok(Self { agents, outputs, configurations, parents, next })
    }

    /// Returns the number of configurations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.configurations.len()
    }

    /// Returns false: there is always a first configuration.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.configurations.is_empty()
    }

    fn shown(&self, place: usize) -> Vec<O> {
        let states = &self.configurations[place][..self.agents];
        states.iter().map(|&state| self.outputs[usize::from(state)]).collect()
    }

    fn next(&self, place: usize) -> &[u32] {
        let meetings = self.agents * (self.agents - 1);
        &self.next[place * meetings..][..meetings]
    }

    /// Returns a shortest meeting order to a configuration with a property of its number and its
    /// agents' outputs.
    #[must_use]
    pub fn shortest(&self, property: impl Fn(usize, &[O]) -> bool) -> Option<Vec<Meeting>> {
        let mut place = (0..self.len()).find(|&place| property(place, &self.shown(place)))?;
        let mut order = Vec::new();
        while place != 0 {
            let (from, meeting) = self.parents[place];
            order.push(meeting);
            place = from as usize;
        }
        order.reverse();
        Some(order)
    }

    /// Returns for each configuration whether the outputs are the same in all that are reachable
    /// from it.
    #[must_use]
    pub fn stable(&self) -> Vec<bool> {
        let changes = |place: usize| {
            let shown = self.shown(place);
            self.next(place).iter().any(|&next| self.shown(next as usize) != shown)
        };
        let may_change = self.can_reach((0..self.len()).filter(|&place| changes(place)));
        may_change.into_iter().map(|may| !may).collect()
    }

    /// Returns whether a configuration with a property is reachable from every configuration, so
    /// that one is reached with probability 1.
    #[must_use]
    pub fn always_reaches(&self, property: impl Fn(usize, &[O]) -> bool) -> bool {
        let goals = (0..self.len()).filter(|&place| property(place, &self.shown(place)));
        self.can_reach(goals).into_iter().all(|can| can)
    }

    fn can_reach(&self, goals: impl Iterator<Item = usize>) -> Vec<bool> {
        let mut previous = vec![Vec::new(); self.len()];
        for place in 0..self.len() {
            for &next in self.next(place) {
                if next as usize != place {
                    previous[next as usize].push(place as u32);
                }
            }
        }
        let mut can = vec![false; self.len()];
        let mut open: Vec<usize> = goals.collect();
        open.iter().for_each(|&goal| can[goal] = true);
        while let Some(place) = open.pop() {
            for &from in &previous[place] {
                if !std::mem::replace(&mut can[from as usize], true) {
                    open.push(from as usize);
                }
            }
        }
        can
    }
}
