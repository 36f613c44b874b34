//! The reachable configurations.

use crate::protocol::PopulationProtocol;
use std::collections::{BTreeMap, HashMap};
use thiserror::Error;

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

/// The states seen so far, and the results of their meetings.
struct SeenStates<'a, P: PopulationProtocol> {
    protocol: &'a P,
    agents: u32,
    states: Vec<P::State>,
    numbers: BTreeMap<P::State, u16>,
    met: HashMap<(u16, u16), (u16, u16)>,
}

impl<P: PopulationProtocol> SeenStates<'_, P> {
    fn number(&mut self, mut state: P::State) -> Option<u16> {
        self.protocol.forget(&mut state, self.agents);
        if let Some(&number) = self.numbers.get(&state) {
            return Some(number);
        }
        let number = u16::try_from(self.states.len()).ok()?;
        self.states.push(state.clone());
        self.numbers.insert(state, number);
        Some(number)
    }

    fn meet(&mut self, i: u16, j: u16) -> Option<(u16, u16)> {
        if let Some(&after) = self.met.get(&(i, j)) {
            return Some(after);
        }
        let (mut a, mut b) =
            (self.states[usize::from(i)].clone(), self.states[usize::from(j)].clone());
        self.protocol.interact(&mut a, &mut b);
        let after = (self.number(a)?, self.number(b)?);
        self.met.insert((i, j), after);
        Some(after)
    }
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
        let mut states = SeenStates {
            protocol,
            agents: agents as u32,
            states: Vec::new(),
            numbers: BTreeMap::new(),
            met: HashMap::new(),
        };
        let mut first = [0; MOST_AGENTS];
        for (place, state) in first.iter_mut().zip(start) {
            *place = states.number(state.clone()).ok_or(too_large)?;
        }
        let mut numbers = HashMap::from([(first, 0_u32)]);
        let (mut configurations, mut parents) = (vec![first], vec![(0, (0, 0))]);
        let mut next = Vec::new();
        let mut at = 0;
        while at < configurations.len() {
            for (i, j) in meetings(agents) {
                let mut after = configurations[at];
                let (a, b) = states.meet(after[i], after[j]).ok_or(too_large)?;
                (after[i], after[j]) = (a, b);
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
        let outputs = states.states.iter().map(|state| protocol.output(state)).collect();
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
