//! Simulations of a user's protocol: the number of agents that begin in each state, and a rule for ordered
//! pairs, as in ppsim with `transition_order="asymmetric"`.
//!
//! With few states the population is kept as counts and runs in batches, from 2 agents to 2^44;
//! with many, every agent is kept. Both are exact; the choice depends only on the protocol.

#[cfg(test)]
mod tests;

use crate::{
    engine::{
        EngineKind, Supervisor,
        batched::{Goal, MeetingTable, StateCounts},
        closed_form::MAX_AGENTS,
        direct::Individuals,
    },
    error::PopulationError,
    history::CountHistory,
    meetings::Meetings,
    protocol::PopulationProtocol,
    random::RandomStream,
    transitions::{MOST_STATES, StateNumbers},
};
use std::{collections::BTreeMap, fmt::Debug, marker::PhantomData};
use suffrage_parallel::memory;

/// A population under a user's rule.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use suffrage_population::simulation::PopulationSimulation;
///
/// // Three-state approximate majority.
/// let rule = |&a: &char, &b: &char| match (a, b) {
///     ('A', 'B') | ('B', 'A') => (a, 'U'),
///     ('A' | 'B', 'U') => (a, a),
///     _ => (a, b),
/// };
/// let never = AtomicBool::new(false);
/// let mut simulation = PopulationSimulation::new([('A', 600_000), ('B', 400_000)], rule, 1)?;
/// simulation.run_until(|now| now.count(&'A') == 1_000_000, 100_000, &never);
/// assert_eq!(simulation.counts(), [('A', 1_000_000)]);
/// assert!(simulation.history().rows.len() > 10);
/// # Ok::<(), suffrage_population::error::PopulationError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PopulationSimulation<S, R> {
    population: Population<S>,
    rule: R,
    agents: u64,
    stream: RandomStream,
    rows: Vec<(u64, Vec<u64>)>,
}

#[derive(Clone, Debug)]
enum Population<S> {
    Counts(StateCounts<S>),
    Individuals(Individuals<Meetings>, StateNumbers<S>),
}

/// A rule as a protocol, for the table of its transitions.
struct ByRule<'a, S, R>(&'a R, PhantomData<S>);

impl<S, R> PopulationProtocol for ByRule<'_, S, R>
where
    S: Clone + Debug + Ord,
    R: Fn(&S, &S) -> (S, S),
{
    type State = S;
    type Output = ();

    fn interact(&self, initiator: &mut S, responder: &mut S) {
        (*initiator, *responder) = (self.0)(initiator, responder);
    }

    fn output(&self, _: &S) {}
}

impl<S, R> PopulationSimulation<S, R>
where
    S: Clone + Debug + Ord,
    R: Fn(&S, &S) -> (S, S),
{
    /// Creates a population from the number of agents that begin in each state; `rule` returns the
    /// new states of initiator and responder. The history begins with this moment.
    ///
    /// # Errors
    /// If there are fewer than two agents, more than 2^44, or, if more than 1024 states are
    /// reachable and so every agent is kept, more than 2^32 - 1 or than fit in memory.
    pub fn new(
        initial: impl IntoIterator<Item = (S, u64)>,
        rule: R,
        seed: u64,
    ) -> Result<Self, PopulationError> {
        let mut counts = BTreeMap::new();
        for (state, count) in initial {
            let sum: &mut u64 = counts.entry(state).or_insert(0);
            *sum = sum.saturating_add(count);
        }
        let (states, counts): (Vec<S>, Vec<u64>) = counts.into_iter().unzip();
        let agents = counts.iter().fold(0_u64, |sum, &count| sum.saturating_add(count));
        if agents < 2 {
            return Err(PopulationError::TooFewToMeet { agents });
        }
        let too_many = |engine, limit| {
            Err(PopulationError::TooManyAgents { agents, engine, limit, instead: String::new() })
        };
        let mut stream = RandomStream::of_trial(seed, 0);
        let population = match MeetingTable::reachable(&ByRule(&rule, PhantomData), &states) {
            Ok(_) if agents > MAX_AGENTS => return too_many(EngineKind::Batched, MAX_AGENTS),
            Ok(table) => Population::Counts(StateCounts::new(table, &counts, Goal::Endless)),
            Err(_) if agents > u64::from(u32::MAX) => {
                return too_many(EngineKind::Direct, u32::MAX.into());
            }
            Err(_) => {
                let needed = agents * size_of::<u32>() as u64;
                if let Some(available) = memory::available().filter(|&free| free < needed) {
                    let instead =
                        format!("; a rule that leads to at most {MOST_STATES} states needs none");
                    return Err(PopulationError::Memory { agents, needed, available, instead });
                }
                let mut individuals = Individuals::new(Meetings::among(agents as u32));
                individuals.restart(&counts, &mut stream);
                Population::Individuals(individuals, StateNumbers::of(states))
            }
        };
        let mut simulation = Self { population, rule, agents, stream, rows: Vec::new() };
        simulation.record();
        Ok(simulation)
    }

    /// Returns how the population is kept.
    #[must_use]
    pub const fn engine(&self) -> EngineKind {
        match self.population {
            Population::Counts(_) => EngineKind::Batched,
            Population::Individuals(..) => EngineKind::Direct,
        }
    }

    /// Returns the number of agents.
    #[must_use]
    pub const fn agents(&self) -> u64 {
        self.agents
    }

    /// Returns the number of interactions so far.
    #[must_use]
    pub const fn time(&self) -> u64 {
        match &self.population {
            Population::Counts(counts) => counts.time(),
            Population::Individuals(agents, _) => agents.time,
        }
    }

    /// Returns the number of agents in one state.
    #[must_use]
    pub fn count(&self, state: &S) -> u64 {
        let place = self.states().iter().position(|known| known == state);
        place.map_or(0, |place| self.by_number()[place])
    }

    /// Returns the states that any agent is in, in their order, each with its number of agents.
    #[must_use]
    pub fn counts(&self) -> Vec<(S, u64)> {
        let mut counts: Vec<_> = self
            .states()
            .iter()
            .cloned()
            .zip(self.by_number().iter().copied())
            .filter(|&(_, count)| count > 0)
            .collect();
        counts.sort();
        counts
    }

    /// Returns whether no meeting can change any count.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        match &self.population {
            Population::Counts(counts) => counts.is_still(),
            Population::Individuals(agents, all) => {
                let states = all.states().iter().zip(&agents.counts);
                let present = || states.clone().filter(|&(_, &count)| count > 0);
                let changes = |a: &S, b: &S| {
                    let (c, d) = (self.rule)(a, b);
                    (&c, &d) != (a, b) && (&d, &c) != (a, b)
                };
                let meet = |a: &S, count: u64, b: &S| (a != b || count > 1) && changes(a, b);
                !present().any(|(a, &count)| present().any(|(b, _)| meet(a, count, b)))
            }
        }
    }

    /// Runs exactly `interactions` meetings, unless stopped before.
    pub fn run(&mut self, interactions: u64, supervisor: &dyn Supervisor) {
        let until = self.time().saturating_add(interactions);
        match &mut self.population {
            Population::Counts(counts) => {
                counts.run(until, &mut self.stream, supervisor);
            }
            Population::Individuals(agents, all) => {
                let rule = |pair, _: &mut RandomStream| all.next(pair, &self.rule);
                agents.run(until, rule, &mut self.stream, supervisor);
            }
        }
    }

    /// Runs meetings until a condition holds, which is checked every `interval` of them (at least
    /// one), and adds a line to the history each time. Also ends once no count can change any more.
    /// Returns whether the condition holds; `false` if the run was stopped.
    pub fn run_until(
        &mut self,
        so: impl Fn(&Self) -> bool,
        interval: u64,
        supervisor: &dyn Supervisor,
    ) -> bool {
        while !so(self) {
            if supervisor.go_on(self.time()).is_none() || self.is_silent() {
                return false;
            }
            self.run(interval.max(1), supervisor);
            self.record();
        }
        true
    }

    /// Records the current counts in the history.
    pub fn record(&mut self) {
        let row = (self.time(), self.by_number().to_vec());
        self.rows.push(row);
    }

    /// Returns the counts over time, a column for each state that has been met.
    #[must_use]
    pub fn history(&self) -> CountHistory {
        let columns: Vec<_> = self.states().iter().map(|state| format!("{state:?}")).collect();
        let mut rows = self.rows.clone();
        // States are numbered as they occur, and later ones had no agents before.
        rows.iter_mut().for_each(|(_, counts)| counts.resize(columns.len(), 0));
        CountHistory { columns, rows }
    }

    fn states(&self) -> &[S] {
        match &self.population {
            Population::Counts(counts) => counts.table().states(),
            Population::Individuals(_, states) => states.states(),
        }
    }

    fn by_number(&self) -> &[u64] {
        match &self.population {
            Population::Counts(counts) => counts.counts(),
            Population::Individuals(agents, _) => &agents.counts,
        }
    }
}
