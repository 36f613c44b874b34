//! Runs rules until no state changes any more.

use super::{Rules, RulesError};
use crate::{
    engine::{
        EngineKind, Supervisor,
        batched::{Goal, MeetingTable, StateCounts},
        closed_form::MAX_AGENTS,
    },
    ensemble::TrialProgress,
    experiment::MeetingModel,
    history::CountHistory,
    meetings::{LinkMeetings, Pairs},
    random::{RandomStream, TrialSeeds},
};
use std::sync::atomic::AtomicBool;
use suffrage_parallel::{Jobs, memory};

/// The number of meetings between two calls of the supervisor.
const SLICE: u64 = 1 << 12;

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
        self.initial.iter().fold(0, |sum, &count| sum.saturating_add(count))
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
        StateCounts::new(
            MeetingTable::new(states, self.rules.next.clone()),
            &self.initial,
            Goal::Silence,
        )
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
        let jobs = Jobs { count: trials, threads, interrupted };
        let done = |finished| progress.finished(finished, trials);
        let watched = |trial| WatchedRules { trial, progress, interrupted };
        Ok(match &self.model {
            MeetingModel::Graph(links) => {
                let job = |graph: &mut OnGraph<'_>, trial| {
                    graph.run(&self.initial, most, &mut seeds.stream(trial), &watched(trial))
                };
                let make =
                    || OnGraph { rules: self.rules, links: links.clone(), agents: Vec::new() };
                jobs.map(make, job, done)
            }
            _ => {
                let job = |counts: &mut StateCounts<u32>, trial| {
                    counts.restart();
                    let mut stream = seeds.stream(trial);
                    let silent = counts.run(most, &mut stream, &watched(trial))?;
                    Some(RulesEnding {
                        interactions: counts.time(),
                        silent,
                        counts: counts.counts().to_vec(),
                    })
                };
                jobs.map(|| self.counts(), job, done)
            }
        })
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
        let mut counts = self.counts();
        let stream = &mut RandomStream::of_trial(self.seed, 0);
        let history = CountHistory::of_counts(&mut counts, interval, stream, supervisor);
        Ok(CountHistory { columns: self.rules.states.clone(), ..history })
    }
}

struct WatchedRules<'a> {
    trial: u64,
    progress: &'a dyn TrialProgress,
    interrupted: &'a AtomicBool,
}

impl Supervisor for WatchedRules<'_> {
    fn go_on(&self, time: u64) -> Option<()> {
        self.progress.within(self.trial, time);
        self.interrupted.go_on(time)
    }
}

/// Agents on the nodes of a graph.
struct OnGraph<'a> {
    rules: &'a Rules,
    links: LinkMeetings,
    agents: Vec<u32>,
}

impl OnGraph<'_> {
    fn run(
        &mut self,
        initial: &[u64],
        most: u64,
        stream: &mut RandomStream,
        supervisor: &dyn Supervisor,
    ) -> Option<RulesEnding> {
        let Self { rules, links, agents } = self;
        links.start(stream);
        agents.clear();
        for (state, &count) in (0..).zip(initial) {
            agents.extend(std::iter::repeat_n(state, count as usize));
        }
        let can_change = |a: u32, b: u32| {
            let outcomes = rules.next.outcomes(a as usize, b as usize);
            outcomes.iter().any(|outcome| outcome.after != (a, b))
        };
        let changes = |a: u32, b: u32| can_change(a, b) || can_change(b, a);
        let of = |agents: &[u32], agent: u32| agents[agent as usize];
        let silent =
            |agents: &[u32]| !links.pairs().any(|(i, j)| changes(of(agents, i), of(agents, j)));
        let (mut time, mut changed) = (0, 0);
        // Silence is checked after as many meetings without a change as there are links.
        let (patience, mut look) = (links.count().max(SLICE), 0);
        let silent = loop {
            supervisor.go_on(time)?;
            if time >= most {
                break silent(agents);
            }
            if time >= look && time - changed >= patience {
                if silent(agents) {
                    break true;
                }
                look = time + patience;
            }
            for _ in 0..SLICE.min(most - time) {
                let (i, j) = links.next(stream);
                let before = (of(agents, i), of(agents, j));
                let after = rules.next.draw(before.0 as usize, before.1 as usize, stream);
                time += 1;
                if after != before {
                    (agents[i as usize], agents[j as usize]) = after;
                    changed = time;
                }
            }
        };
        let mut counts = vec![0; initial.len()];
        for &state in agents.iter() {
            counts[state as usize] += 1;
        }
        Some(RulesEnding { interactions: if silent { changed } else { time }, silent, counts })
    }
}
