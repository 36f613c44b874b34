//! A population of individual agents, for protocols with many states.

use crate::{
    engine::Supervisor,
    meetings::{Meetings, Pairs},
    random::RandomStream,
};
use std::{
    collections::{BTreeMap, HashMap},
    fmt::Debug,
};

/// The number of meetings between two calls of the supervisor.
const SLICE: u64 = 1 << 12;

/// Agents as numbers of states. A state gets its number when it first occurs, and the rule is
/// called once per pair of states.
#[derive(Clone, Debug)]
pub(super) struct Individuals<S, R> {
    rule: R,
    meetings: Meetings,
    agents: Vec<u32>,
    states: Vec<S>,
    numbers: BTreeMap<S, u32>,
    /// Looked up, never iterated over.
    next: HashMap<(u32, u32), (u32, u32)>,
    counts: Vec<u64>,
    time: u64,
}

impl<S, R> Individuals<S, R>
where
    S: Clone + Debug + Ord,
    R: Fn(&S, &S) -> (S, S),
{
    /// Creates at least two agents and fewer than 2^32; `counts` are in the order of `states`.
    pub(super) fn new(states: Vec<S>, counts: &[u64], rule: R) -> Self {
        let agents: Vec<u32> = (0..)
            .zip(counts)
            .flat_map(|(number, &count)| std::iter::repeat_n(number, count as usize))
            .collect();
        Self {
            rule,
            meetings: Meetings::among(agents.len() as u32),
            agents,
            numbers: states.iter().cloned().zip(0..).collect(),
            states,
            next: HashMap::new(),
            counts: counts.to_vec(),
            time: 0,
        }
    }

    pub(super) fn states(&self) -> &[S] {
        &self.states
    }

    pub(super) fn counts(&self) -> &[u64] {
        &self.counts
    }

    pub(super) const fn time(&self) -> u64 {
        self.time
    }

    pub(super) fn is_still(&self) -> bool {
        let present = || (0..).zip(&self.counts).filter(|&(_, &count)| count > 0);
        let changes = |i: usize, j: usize| {
            let (a, b) = (&self.states[i], &self.states[j]);
            let (c, d) = (self.rule)(a, b);
            (&c, &d) != (a, b) && (&d, &c) != (a, b)
        };
        !present().any(|(i, &count)| present().any(|(j, _)| (i != j || count > 1) && changes(i, j)))
    }

    pub(super) fn run(
        &mut self,
        until: u64,
        stream: &mut RandomStream,
        supervisor: &dyn Supervisor,
    ) {
        while self.time < until && supervisor.go_on(self.time).is_some() {
            for _ in 0..SLICE.min(until - self.time) {
                let (i, j) = self.meetings.next(stream);
                let (i, j) = (i as usize, j as usize);
                let pair = (self.agents[i], self.agents[j]);
                let after = self.after(pair);
                if after != pair {
                    for number in [pair.0, pair.1] {
                        self.counts[number as usize] -= 1;
                    }
                    for number in [after.0, after.1] {
                        self.counts[number as usize] += 1;
                    }
                    (self.agents[i], self.agents[j]) = after;
                }
                self.time += 1;
            }
        }
    }

    fn after(&mut self, pair: (u32, u32)) -> (u32, u32) {
        if let Some(&after) = self.next.get(&pair) {
            return after;
        }
        let (a, b) = (self.rule)(&self.states[pair.0 as usize], &self.states[pair.1 as usize]);
        let after = (self.number(a), self.number(b));
        self.next.insert(pair, after);
        after
    }

    fn number(&mut self, state: S) -> u32 {
        *self.numbers.entry(state).or_insert_with_key(|state| {
            self.states.push(state.clone());
            self.counts.push(0);
            self.states.len() as u32 - 1
        })
    }
}
