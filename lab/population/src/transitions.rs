//! States by number, and the results of each ordered pair of them.

use crate::random::RandomStream;
use std::collections::{BTreeMap, HashMap};

/// The maximal number of states of a table: the time of a batch grows with its square.
pub(crate) const MOST_STATES: usize = 1024;

/// The weight of what is certain: probabilities are multiples of 10^-8.
pub(crate) const CERTAIN: u64 = 100_000_000;

/// One of the possible results of a meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeetingOutcome {
    /// The new states of initiator and responder.
    pub after: (u32, u32),
    /// The probability of this outcome, in units of 10^-8.
    pub weight: u64,
}

impl MeetingOutcome {
    pub(crate) const fn certain(after: (u32, u32)) -> Self {
        Self { after, weight: CERTAIN }
    }
}

/// States by number, in the order in which they first occur, and what has become of pairs of them.
#[derive(Clone, Debug)]
pub(crate) struct StateNumbers<S> {
    states: Vec<S>,
    numbers: BTreeMap<S, u32>,
    /// Looked up, never iterated over.
    next: HashMap<(u32, u32), (u32, u32)>,
}

impl<S> Default for StateNumbers<S> {
    fn default() -> Self {
        Self { states: Vec::new(), numbers: BTreeMap::new(), next: HashMap::new() }
    }
}

impl<S: Clone + Ord> StateNumbers<S> {
    pub(crate) fn of(states: impl IntoIterator<Item = S>) -> Self {
        let mut all = Self::default();
        for state in states {
            all.number(state);
        }
        all
    }

    pub(crate) fn states(&self) -> &[S] {
        &self.states
    }

    pub(crate) fn number(&mut self, state: S) -> u32 {
        *self.numbers.entry(state).or_insert_with_key(|state| {
            self.states.push(state.clone());
            self.states.len() as u32 - 1
        })
    }

    /// Returns what becomes of a pair by a rule, which is called once for each pair.
    pub(crate) fn next(
        &mut self,
        pair: (u32, u32),
        rule: impl FnOnce(&S, &S) -> (S, S),
    ) -> (u32, u32) {
        if let Some(&after) = self.next.get(&pair) {
            return after;
        }
        let (a, b) = rule(&self.states[pair.0 as usize], &self.states[pair.1 as usize]);
        let after = (self.number(a), self.number(b));
        self.next.insert(pair, after);
        after
    }
}

/// The outcomes of all ordered pairs of states, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transitions {
    states: usize,
    /// Where the outcomes of a pair begin; one more entry than pairs.
    first: Vec<u32>,
    outcomes: Vec<MeetingOutcome>,
}

impl Transitions {
    /// Creates a table for this many states without any pair.
    pub(crate) fn of(states: usize) -> Self {
        Self { states, first: vec![0], outcomes: Vec::new() }
    }

    /// Adds the outcomes of the next pair, whose weights sum to [`CERTAIN`].
    pub(crate) fn push(&mut self, outcomes: &[MeetingOutcome]) {
        debug_assert_eq!(outcomes.iter().map(|outcome| outcome.weight).sum::<u64>(), CERTAIN);
        self.outcomes.extend_from_slice(outcomes);
        self.first.push(self.outcomes.len() as u32);
    }

    #[inline]
    pub(crate) fn outcomes(&self, i: usize, j: usize) -> &[MeetingOutcome] {
        let pair = i * self.states + j;
        &self.outcomes[self.first[pair] as usize..self.first[pair + 1] as usize]
    }

    /// Returns the new states of initiator `i` and responder `j`. Draws a number only where there are
    /// several outcomes.
    #[inline]
    pub(crate) fn draw(&self, i: usize, j: usize, stream: &mut RandomStream) -> (u32, u32) {
        let outcomes = self.outcomes(i, j);
        match outcomes {
            [only] => only.after,
            _ => one_of(outcomes, stream),
        }
    }
}

#[cold]
fn one_of(outcomes: &[MeetingOutcome], stream: &mut RandomStream) -> (u32, u32) {
    let mut place = stream.below(CERTAIN);
    for outcome in outcomes {
        if place < outcome.weight {
            return outcome.after;
        }
        place -= outcome.weight;
    }
    unreachable!("the weights sum to that of what is certain")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_have_their_probabilities() {
        let mut table = Transitions::of(1);
        let outcome = |after, weight| MeetingOutcome { after: (after, after), weight };
        table.push(&[outcome(0, CERTAIN / 4), outcome(1, CERTAIN / 2), outcome(2, CERTAIN / 4)]);
        let (mut stream, mut seen) = (RandomStream::of_trial(3, 0), [0_i32; 3]);
        for _ in 0..40_000 {
            seen[table.draw(0, 0, &mut stream).0 as usize] += 1;
        }
        // Five standard deviations are below 500.
        for (seen, expected) in seen.into_iter().zip([10_000, 20_000, 10_000]) {
            assert!((seen - expected).abs() < 500, "{seen} of {expected}");
        }
    }

    #[test]
    fn what_is_certain_takes_no_random_number() {
        let mut table = Transitions::of(1);
        table.push(&[MeetingOutcome::certain((0, 0))]);
        let mut stream = RandomStream::of_trial(3, 0);
        assert_eq!(table.draw(0, 0, &mut stream), (0, 0));
        assert_eq!(stream.bits(), RandomStream::of_trial(3, 0).bits());
    }
}
