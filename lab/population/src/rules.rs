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
#[cfg(test)]
mod tests;

pub use crate::transitions::MeetingOutcome;
pub use parse::RulesError;
pub use report::RulesReport;

use crate::{
    engine::{
        EngineKind, Supervisor,
        batched::{Goal, MeetingTable, StateCounts},
        closed_form::MAX_AGENTS,
        direct::Individuals,
    },
    ensemble::{Ensemble, TrialProgress},
    experiment::MeetingModel,
    history::{CountHistory, HistoryRecorder},
    meetings::{LinkMeetings, Pairs},
    random::{RandomStream, TrialSeeds},
    transitions::{CERTAIN, Transitions},
};
use std::cmp::Reverse;
use std::sync::atomic::AtomicBool;
use suffrage_parallel::memory;

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
                    cut.push((exact % u128::from(CERTAIN), Reverse(place)));
                    given += whole;
                    whole
                }
            };
            counts[state as usize] += count;
        }
        cut.sort_unstable();
        for &(_, Reverse(place)) in cut.iter().rev().take((rest - given) as usize) {
            counts[self.initial[place].0 as usize] += 1;
        }
        Ok(counts)
    }
}

/// The end of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesEnding {
    /// The number of interactions; in a silent trial, up to the last that changed a state.
    pub interactions: u64,
    /// Whether no state can change any more.
    pub silent: bool,
    /// The number of agents in each state.
    pub counts: Vec<u64>,
}

/// Trials of rules: exact at any size that fits.
#[derive(Clone, Debug)]
pub struct RulesExperiment<'a> {
    /// The rules.
    pub rules: &'a Rules,
    /// The number of agents that begin in each state ([`Rules::population`]).
    pub initial: Vec<u64>,
    /// The model of meetings: uniformly random pairs, or the neighbours in a graph.
    pub model: MeetingModel,
    /// The number of interactions after which a trial ends, silent or not.
    pub most: u64,
    /// The number of trials.
    pub trials: u64,
    /// The seed: the same seed gives the same trials, on any machine.
    pub seed: u64,
    /// Whether each trial has a seed of its own, from `seed` on; otherwise all are trials of one seed.
    pub consecutive: bool,
    /// The number of threads.
    pub threads: usize,
}

impl RulesExperiment<'_> {
    /// Returns the number of agents.
    #[must_use]
    pub fn agents(&self) -> u64 {
        self.initial.iter().copied().fold(0, u64::saturating_add)
    }

    /// Returns how the agents are kept: as counts of states, or each on its node.
    #[must_use]
    pub const fn engine(&self) -> EngineKind {
        match self.model {
            MeetingModel::Graph(_) => EngineKind::Direct,
            _ => EngineKind::Batched,
        }
    }

    /// Checks the experiment. Does not allocate.
    ///
    /// # Errors
    /// If there are fewer than two agents or too many, no trials, another number of agents than a
    /// graph has nodes, or self-meetings, which rules do not describe.
    pub fn check(&self) -> Result<(), RulesError> {
        let agents = self.agents();
        let refused = |what: String| Err(RulesError::of(what));
        match &self.model {
            _ if agents < 2 => refused(format!("meetings take at least two agents, not {agents}")),
            _ if self.trials == 0 => refused("no trials are asked for".into()),
            MeetingModel::SelfMeetings => refused(
                "rules are for two agents, and not for one that meets itself; leave out \
                 --self-meetings"
                    .into(),
            ),
            MeetingModel::Uniform if agents > MAX_AGENTS => {
                refused(format!("{agents} agents are more than the limit, which is {MAX_AGENTS}"))
            }
            MeetingModel::Graph(links) if u64::from(links.agents()) != agents => refused(format!(
                "the interaction graph has {} nodes for {agents} agents",
                links.agents()
            )),
            MeetingModel::Graph(_) => match memory::available() {
                Some(free) if free < 8 * agents => refused(format!(
                    "{agents} agents take {} bytes, and {free} are free",
                    8 * agents
                )),
                _ => Ok(()),
            },
            MeetingModel::Uniform => Ok(()),
        }
    }

    fn counts(&self) -> StateCounts<u32> {
        let states = (0..self.rules.states.len() as u32).collect();
        let table = MeetingTable::new(states, self.rules.next.clone());
        StateCounts::new(table, &self.initial, Goal::Silence)
    }

    /// Runs the trials. The result is the same for any number of threads; after an interruption it
    /// has the finished trials up to the first missing one.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn run(
        &self,
        progress: &dyn TrialProgress,
        interrupted: &AtomicBool,
    ) -> Result<Vec<RulesEnding>, RulesError> {
        self.check()?;
        let Self { trials, seed, consecutive, threads, most, .. } = *self;
        let seeds = if consecutive { TrialSeeds::From(seed) } else { TrialSeeds::One(seed) };
        let ensemble = Ensemble { trials, seeds, threads };
        Ok(match &self.model {
            MeetingModel::Graph(links) => ensemble.map(
                || Individuals::new(links.clone()),
                |agents, stream, supervisor| self.on_graph(agents, stream, supervisor),
                progress,
                interrupted,
            ),
            _ => ensemble.map(
                || self.counts(),
                |counts, stream, supervisor| {
                    counts.restart();
                    let silent = counts.run(most, stream, supervisor)?;
                    let (interactions, counts) = (counts.time(), counts.counts().to_vec());
                    Some(RulesEnding { interactions, silent, counts })
                },
                progress,
                interrupted,
            ),
        })
    }

    fn on_graph(
        &self,
        agents: &mut Individuals<LinkMeetings>,
        stream: &mut RandomStream,
        supervisor: &dyn Supervisor,
    ) -> Option<RulesEnding> {
        let next = &self.rules.next;
        agents.restart(&self.initial, stream);
        let can_change = |a: u32, b: u32| {
            next.outcomes(a as usize, b as usize).iter().any(|outcome| outcome.after != (a, b))
        };
        let changes = |a: u32, b: u32| can_change(a, b) || can_change(b, a);
        // Silence is checked after as many meetings without a change as there are links.
        let patience = agents.meetings.count().max(1 << 12);
        let silent = loop {
            let until = agents.time.saturating_add(patience).min(self.most);
            let rule = |(a, b): (u32, u32), stream: &mut RandomStream| {
                next.draw(a as usize, b as usize, stream)
            };
            agents.run(until, rule, stream, supervisor)?;
            let ended = agents.time >= self.most;
            if ended || agents.time - agents.changed >= patience {
                let state = |agent: u32| agents.agents[agent as usize];
                let silent = !agents.meetings.pairs().any(|(i, j)| changes(state(i), state(j)));
                if silent || ended {
                    break silent;
                }
            }
        };
        let interactions = if silent { agents.changed } else { agents.time };
        Some(RulesEnding { interactions, silent, counts: agents.counts.clone() })
    }

    /// Records the counts of the first trial every `interval` interactions; of uniformly random pairs
    /// only.
    ///
    /// # Errors
    /// As [`check`](Self::check), and on a graph.
    pub fn history(
        &self,
        interval: u64,
        supervisor: &dyn Supervisor,
    ) -> Result<CountHistory, RulesError> {
        self.check()?;
        if matches!(self.model, MeetingModel::Graph(_)) {
            return Err(RulesError::of("a history of rules is of uniformly random pairs"));
        }
        let stream = RandomStream::of_trial(self.seed, 0);
        let history = HistoryRecorder { interval, stream, supervisor }.of_counts(self.counts());
        Ok(CountHistory { columns: self.rules.states.clone(), ..history })
    }
}
