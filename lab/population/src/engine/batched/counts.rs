//! The batched engine for any protocol with few states.

use super::{pick, split, table::MeetingTable};
use crate::{
    engine::{Supervisor, TrialEngine},
    random::RandomStream,
    sampling::{RunLength, binomial, geometric},
    transitions::CERTAIN,
    trial::Trial,
};

/// A run is drawn as a whole if at least this many of its meetings change a state, per ordered pair
/// of states. Only speed depends on it.
const WORTHWHILE: f64 = 4.0;

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The number of agents in one state is `count`. The protocol must not leave that number again.
    Count {
        /// The number of the state.
        state: usize,
        /// How many agents are to be in it.
        count: u64,
    },
    /// No meeting changes how many agents are in any state.
    Silence,
    /// The run has no end.
    Endless,
}

/// The batched engine for any protocol with few states.
///
/// Exact, the time of the goal included: it is never rounded up to the end of a batch.
#[derive(Clone, Debug)]
pub struct StateCounts<S> {
    table: MeetingTable<S>,
    initial: Vec<u64>,
    agents: u64,
    goal: Goal,
    runs: RunLength,
    /// The number of events from which on a run is drawn as a whole.
    worthwhile: f64,
    counts: Vec<u64>,
    time: u64,
    // Buffers of a batch.
    before: Vec<u64>,
    initiators: Vec<u64>,
    responders: Vec<u64>,
    row: Vec<u64>,
    updated: Vec<u64>,
    met: Vec<Met>,
}

/// Meetings of a run that are alike.
#[derive(Clone, Debug)]
struct Met {
    before: (u32, u32),
    after: (u32, u32),
    times: u64,
}

impl<S: Clone + Ord> StateCounts<S> {
    /// Creates an engine with `initial[s]` agents in each state `s` of the table; states beyond its
    /// end begin empty. Between 2 and [`MAX_AGENTS`](crate::engine::closed_form::MAX_AGENTS)
    /// agents.
    #[must_use]
    pub fn new(table: MeetingTable<S>, initial: &[u64], goal: Goal) -> Self {
        let kinds = table.states().len();
        let mut initial = initial.to_vec();
        initial.resize(kinds, 0);
        let agents = initial.iter().sum();
        let runs = RunLength::new(agents, 0);
        Self {
            worthwhile: WORTHWHILE * (kinds * kinds) as f64,
            table,
            agents,
            goal,
            runs,
            counts: initial.clone(),
            initial,
            time: 0,
            before: vec![0; kinds],
            initiators: vec![0; kinds],
            responders: vec![0; kinds],
            row: vec![0; kinds],
            updated: vec![0; kinds],
            met: Vec::new(),
        }
    }

    /// Draws every run as a whole, regardless of speed.
    #[cfg(test)]
    pub(super) fn always_in_batches(mut self) -> Self {
        self.worthwhile = 0.0;
        self
    }

    /// Returns the number of agents in each state, in the order of [`MeetingTable::states`].
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Returns the number of interactions so far.
    #[must_use]
    pub const fn time(&self) -> u64 {
        self.time
    }

    /// Returns the states.
    #[must_use]
    pub const fn table(&self) -> &MeetingTable<S> {
        &self.table
    }

    fn reached(&self) -> bool {
        match self.goal {
            Goal::Count { state, count } => self.counts[state] == count,
            Goal::Silence => self.is_still(),
            Goal::Endless => false,
        }
    }

    /// Returns whether no meeting can change a count any more.
    #[must_use]
    pub fn is_still(&self) -> bool {
        self.table.active().all(|pair| self.weight(pair) == 0)
    }

    /// Restarts from the initial counts.
    pub fn restart(&mut self) {
        self.counts.copy_from_slice(&self.initial);
        self.time = 0;
    }

    /// Runs until the goal is reached, but at most until interaction number `until`. Returns
    /// whether the goal is reached; `None` if stopped.
    pub fn run(
        &mut self,
        until: u64,
        stream: &mut RandomStream,
        supervisor: &dyn Supervisor,
    ) -> Option<bool> {
        let pairs = u128::from(self.agents) * u128::from(self.agents - 1);
        while !self.reached() {
            supervisor.go_on(self.time)?;
            if self.time >= until {
                return Some(false);
            }
            let weight: u128 = self.table.active().map(|pair| self.weight(pair)).sum();
            if weight == 0 {
                self.time = until;
                return Some(false);
            }
            let share = weight as f64 / pairs as f64;
            if share * self.runs.typical() < self.worthwhile {
                self.event(share, weight, until, stream);
            } else {
                self.batch(until, stream);
            }
        }
        Some(true)
    }

    fn weight(&self, (i, j): (usize, usize)) -> u128 {
        u128::from(self.counts[i])
            * u128::from(self.counts[j] - u64::from(i == j && self.counts[j] > 0))
    }

    /// Draws the next meeting that can change a count, and its time.
    fn event(&mut self, share: f64, weight: u128, until: u64, stream: &mut RandomStream) {
        let wait = geometric(stream, share);
        if wait > until - self.time {
            // No count changes until then, and later meetings are independent of that.
            self.time = until;
            return;
        }
        self.time += wait;
        let mut place = stream.below_wide(weight);
        let mut chosen = None;
        for pair in self.table.active() {
            let weight = self.weight(pair);
            if place < weight {
                chosen = Some(pair);
                break;
            }
            place -= weight;
        }
        if let Some((i, j)) = chosen {
            let after = self.table.next().draw(i, j, stream);
            exchange(&mut self.counts, (i as u32, j as u32), after);
        }
    }

    /// Draws a whole run of meetings among fresh agents and, if `until` allows, the one that ends
    /// it. A run that `until` cuts short is a run, too: later meetings are drawn again.
    fn batch(&mut self, until: u64, stream: &mut RandomStream) {
        // The first meeting is always clean.
        let drawn = self.runs.draw(stream).max(1);
        let length = drawn.min(until - self.time);
        self.before.copy_from_slice(&self.counts);
        self.pair_up(length, stream);
        // `counts` are the untouched agents now, `updated` those that have met.
        for (count, updated) in self.counts.iter_mut().zip(&self.updated) {
            *count += updated;
        }
        if self.reached() {
            self.rewind(stream);
            return;
        }
        self.time += length;
        if length == drawn && self.time < until {
            self.collide(2 * length, stream);
            self.time += 1;
        }
    }

    /// Draws the pairs of a run: takes the agents out of `counts`, puts their new states into
    /// `updated` and the kinds of meetings into `met`.
    fn pair_up(&mut self, length: u64, stream: &mut RandomStream) {
        self.updated.fill(0);
        self.met.clear();
        split(stream, &self.counts, self.agents, length, &mut self.initiators);
        subtract(&mut self.counts, &self.initiators);
        split(stream, &self.counts, self.agents - length, length, &mut self.responders);
        subtract(&mut self.counts, &self.responders);
        let mut left = length;
        for i in 0..self.initiators.len() {
            let draws = self.initiators[i];
            if draws == 0 {
                continue;
            }
            split(stream, &self.responders, left, draws, &mut self.row);
            subtract(&mut self.responders, &self.row);
            left -= draws;
            for (j, &times) in self.row.iter().enumerate() {
                let (mut left, mut of) = (times, CERTAIN);
                for outcome in self.table.next().outcomes(i, j) {
                    if left == 0 {
                        break;
                    }
                    let times = binomial(stream, left, outcome.weight, of);
                    (left, of) = (left - times, of - outcome.weight);
                    if times > 0 {
                        let (before, after) = ((i as u32, j as u32), outcome.after);
                        self.updated[after.0 as usize] += times;
                        self.updated[after.1 as usize] += times;
                        self.met.push(Met { before, after, times });
                    }
                }
            }
        }
    }

    /// Draws the meeting that ends a run: an ordered pair in which at least one agent has met
    /// before.
    fn collide(&mut self, touched: u64, stream: &mut RandomStream) {
        // `counts` holds all; the untouched are those beyond `updated`.
        let untouched = self.agents - touched;
        let both = u128::from(touched) * u128::from(touched - u64::from(touched > 0));
        let one = u128::from(touched) * u128::from(untouched);
        let place = stream.below_wide(both + 2 * one);
        let first = pick(&self.updated, stream.below(touched));
        self.updated[first] -= 1;
        self.counts[first] -= 1;
        let second = if place < both {
            pick(&self.updated, stream.below(touched - 1))
        } else {
            for (fresh, (all, updated)) in
                self.row.iter_mut().zip(self.counts.iter().zip(&self.updated))
            {
                *fresh = all - updated;
            }
            pick(&self.row, stream.below(untouched))
        };
        self.counts[second] -= 1;
        // Of a touched and an untouched agent each is the initiator half of the time.
        let swap = place >= both + one;
        let (i, j) = if swap { (second, first) } else { (first, second) };
        let (a, b) = self.table.next().draw(i, j, stream);
        self.counts[a as usize] += 1;
        self.counts[b as usize] += 1;
    }

    /// The goal was reached within a run: finds out when. Its meetings are among different agents,
    /// so every order of them is equally likely.
    fn rewind(&mut self, stream: &mut RandomStream) {
        self.counts.copy_from_slice(&self.before);
        let mut left: u64 = self.met.iter().map(|met| met.times).sum();
        while !self.reached() {
            let mut place = stream.below(left);
            for met in &mut self.met {
                if place < met.times {
                    met.times -= 1;
                    exchange(&mut self.counts, met.before, met.after);
                    break;
                }
                place -= met.times;
            }
            left -= 1;
            self.time += 1;
        }
    }
}

fn subtract(from: &mut [u64], what: &[u64]) {
    for (from, what) in from.iter_mut().zip(what) {
        *from -= what;
    }
}

fn exchange(counts: &mut [u64], from: (u32, u32), to: (u32, u32)) {
    counts[from.0 as usize] -= 1;
    counts[from.1 as usize] -= 1;
    counts[to.0 as usize] += 1;
    counts[to.1 as usize] += 1;
}

impl<S: Clone + Ord> TrialEngine for StateCounts<S> {
    /// A trial without an end has no `completed_at`: where no meeting changes anything any more.
    fn trial(&mut self, stream: &mut RandomStream, supervisor: &dyn Supervisor) -> Option<Trial> {
        self.restart();
        let reached = self.run(u64::MAX, stream, supervisor)?;
        Some(Trial { completed_at: reached.then_some(self.time), ..Trial::default() })
    }
}
