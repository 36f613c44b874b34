//! Agents as numbers of states, under any rule and any source of meetings.

use crate::{engine::Supervisor, meetings::Pairs, random::RandomStream};
use std::iter::repeat_n;

/// The number of meetings between two calls of the supervisor.
const SLICE: u64 = 1 << 12;

/// Agents as numbers of states, and how many are in each state.
#[derive(Clone, Debug)]
pub(crate) struct Individuals<M> {
    pub(crate) meetings: M,
    pub(crate) agents: Vec<u32>,
    /// States get numbers as they occur, so that there may be more of them later.
    pub(crate) counts: Vec<u64>,
    pub(crate) time: u64,
    /// The time of the last meeting that changed a state.
    pub(crate) changed: u64,
}

impl<M: Pairs> Individuals<M> {
    pub(crate) const fn new(meetings: M) -> Self {
        Self { meetings, agents: Vec::new(), counts: Vec::new(), time: 0, changed: 0 }
    }

    /// Begins with `initial[s]` agents in state `s`.
    pub(crate) fn restart(&mut self, initial: &[u64], stream: &mut RandomStream) {
        self.meetings.start(stream);
        self.counts = initial.to_vec();
        self.agents.clear();
        for (state, &count) in (0..).zip(initial) {
            self.agents.extend(repeat_n(state, count as usize));
        }
        (self.time, self.changed) = (0, 0);
    }

    /// Runs meetings until interaction number `until`; `rule` returns the new states of initiator and
    /// responder. `None` if stopped.
    pub(crate) fn run(
        &mut self,
        until: u64,
        mut rule: impl FnMut((u32, u32), &mut RandomStream) -> (u32, u32),
        stream: &mut RandomStream,
        supervisor: &dyn Supervisor,
    ) -> Option<()> {
        while self.time < until {
            supervisor.go_on(self.time)?;
            for _ in 0..SLICE.min(until - self.time) {
                let (i, j) = self.meetings.next(stream);
                let (i, j) = (i as usize, j as usize);
                let before = (self.agents[i], self.agents[j]);
                let after = rule(before, stream);
                self.time += 1;
                if after != before {
                    self.changed = self.time;
                    self.count(before, after);
                    (self.agents[i], self.agents[j]) = after;
                }
            }
        }
        Some(())
    }

    fn count(&mut self, before: (u32, u32), after: (u32, u32)) {
        let states = after.0.max(after.1) as usize + 1;
        self.counts.resize(self.counts.len().max(states), 0);
        for state in [before.0, before.1] {
            self.counts[state as usize] -= 1;
        }
        for state in [after.0, after.1] {
            self.counts[state as usize] += 1;
        }
    }
}
