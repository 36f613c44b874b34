//! Users' protocols as text: the states, inputs, outputs and transitions of a population protocol
//! (X, Y, I, O, δ).
//!
//! A file has one statement per line; `#` begins a comment.
//!
//! ```text
//! # Three-state approximate majority.
//! init A 60%               # how many agents begin in a state: a share, or a number
//! init B 40%
//! A + B >> A + U           # a reaction: either of the two may be the initiator
//! B, A -> B, U             # a transition: initiator, responder -> what they become
//! U + A >> 2*A
//! U + B >> 2*B
//! output A yes             # O: what the agents in a state show; by default its name
//! ```
//!
//! A random transition has several results, each with its probability; with the remaining
//! probability nothing changes:
//!
//! ```text
//! A + B >> 2*A 50% | 2*B 25%
//! ```
//!
//! `input x A` maps the input symbol x to the state A (the function I); `init` then counts inputs.
//! Pairs without a transition do not change. A later line for the same pair is an error, unless it
//! is the same transition.

mod parse;
mod report;
mod run;
#[cfg(test)]
mod tests;

pub use crate::transitions::MeetingOutcome;
pub use parse::RulesError;
pub use report::RulesReport;
pub use run::{RulesEnding, RulesExperiment};

use crate::transitions::{CERTAIN, Transitions};

/// The maximal number of states: more would not run in batches.
pub const MOST_STATES: usize = 1024;

/// A protocol given by its transitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The names of the states, in the order in which they are first mentioned.
    states: Vec<String>,
    /// The output of each state.
    outputs: Vec<String>,
    /// The number of agents that begin in each state.
    initial: Vec<(u32, StateAmount)>,
    /// What becomes of initiators and responders.
    next: Transitions,
}

/// A number of agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StateAmount {
    /// This many.
    Agents(u64),
    /// A share of the agents that are not counted by number, in millionths of a per cent.
    Share(u64),
}

impl Rules {
    /// Returns the names of the states.
    #[must_use]
    pub fn states(&self) -> &[String] {
        &self.states
    }

    /// Returns the output of each state.
    #[must_use]
    pub fn outputs(&self) -> &[String] {
        &self.outputs
    }

    /// Returns the possible results of a meeting of an initiator and a responder in these states, by
    /// their places in [`states`](Self::states); the probabilities sum to 1.
    ///
    /// # Panics
    /// If there is no such state.
    #[must_use]
    pub fn outcomes(&self, initiator: usize, responder: usize) -> &[MeetingOutcome] {
        self.next.outcomes(initiator, responder)
    }

    /// Returns how many of `agents` agents begin in each state; without `agents`, the numbers of the
    /// file.
    ///
    /// Shares are of the agents that are not counted by number, and are rounded to the right sum by
    /// the largest remainders.
    ///
    /// # Errors
    /// If the numbers do not sum to `agents`, or if there are shares and `agents` is missing.
    pub fn population(&self, agents: Option<u64>) -> Result<Vec<u64>, RulesError> {
        let counted = self.initial.iter().map(|&(_, amount)| match amount {
            StateAmount::Agents(count) => count,
            StateAmount::Share(_) => 0,
        });
        let counted = counted.fold(0_u64, u64::saturating_add);
        let shares = || self.initial.iter().filter(|(_, a)| matches!(a, StateAmount::Share(_)));
        let rest = match agents {
            None if shares().next().is_some() => {
                return Err(RulesError::of(
                    "shares need a number of agents; give it with --agents",
                ));
            }
            None => 0,
            Some(agents) => match agents.checked_sub(counted) {
                Some(0) => 0,
                Some(rest) if shares().next().is_some() => rest,
                _ => {
                    let what = format!("`init` counts {counted} agents, and not {agents}");
                    return Err(RulesError::of(what));
                }
            },
        };
        let mut counts = vec![0_u64; self.states.len()];
        let (mut given, mut cut) = (0, Vec::new());
        for (place, &(state, amount)) in self.initial.iter().enumerate() {
            let count = match amount {
                StateAmount::Agents(count) => count,
                StateAmount::Share(share) => {
                    let exact = u128::from(rest) * u128::from(share);
                    let whole = (exact / u128::from(CERTAIN)) as u64;
                    cut.push((exact % u128::from(CERTAIN), std::cmp::Reverse(place)));
                    given += whole;
                    whole
                }
            };
            counts[state as usize] += count;
        }
        cut.sort_unstable();
        for &(_, std::cmp::Reverse(place)) in cut.iter().rev().take((rest - given) as usize) {
            counts[self.initial[place].0 as usize] += 1;
        }
        Ok(counts)
    }
}
