//! The result of the exploration of one instance.

use crate::{execution::Execution, instance::ElectionClass};
use std::collections::{BTreeMap, BTreeSet};
use suffrage_algorithms::Violation;
use suffrage_model::{Id, Kind};

/// The options of [`explore`](crate::explore).
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether to explore every configuration, without partial-order reduction.
    pub full: bool,
    /// The maximum memory that the configurations of an instance may take, in bytes.
    pub memory: u64,
    /// Whether to compute costs as well.
    pub costs: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { full: false, memory: 4 << 30, costs: true }
    }
}

/// The result of exploring one instance.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// The number of distinct configurations explored.
    pub states: u64,
    /// The number of steps between them.
    pub transitions: u64,
    /// The number of terminal configurations, in which no step is enabled.
    pub terminal: u64,
    /// The costs, if they were requested, everything was explored, and no property is violated.
    pub costs: Option<ExactCosts>,
    /// The expectations over the random choices, if costs were requested, processes make such
    /// choices, every schedule ends with probability 1, and no property is violated.
    pub chances: Option<Expectations>,
    /// Whether some execution never ends. With the verdict [`Holds`](CheckVerdict::Holds), if
    /// termination is required, this has probability 0 on every fair schedule.
    pub endless: bool,
    /// An execution with the most messages, if the costs are known.
    pub worst: Option<Box<Execution>>,
    /// The identities that lead in a terminal configuration.
    pub winners: BTreeSet<Id>,
    /// Whether every property holds.
    pub verdict: CheckVerdict,
    /// The number of configurations that were in memory together.
    pub(crate) largest: u64,
    /// The greatest costs of each class, if the costs are known.
    pub(crate) by_class: BTreeMap<ElectionClass, GreatestCosts>,
    /// Whether the greatest time was not looked for, because it was not [wanted](Wanted).
    pub(crate) time_left_out: bool,
}

/// The greatest costs of some elections.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GreatestCosts {
    pub messages: u64,
    /// The time, or the causal depth where the time is not known.
    pub units: u64,
}

/// What is wanted of an instance for the report on its family.
pub(crate) struct Wanted<'a> {
    /// Whether an execution with this number of messages is wanted.
    pub worst: &'a dyn Fn(u64) -> bool,
    /// Whether the greatest time of a class is wanted, which is at most this.
    pub time: &'a dyn Fn(ElectionClass, u64) -> bool,
    /// Returns a least depth below which alone the least depth of this instance makes a difference, if there is
    /// one.
    pub shallowest: &'a dyn Fn() -> Option<u64>,
}

impl Wanted<'_> {
    pub(crate) const ALL: Self =
        Self { worst: &|_| true, time: &|_, _| true, shallowest: &|| None };
    pub(crate) const NOTHING: Self = Self { worst: &|_| false, time: &|_, _| false, ..Self::ALL };
}

impl Exploration {
    /// Adds the result of another set of initiators of the same instance, which comes after those that were
    /// added before.
    pub(crate) fn join(&mut self, other: Self) {
        self.states += other.states;
        self.transitions += other.transitions;
        self.terminal += other.terminal;
        let most = |costs: &Option<ExactCosts>| costs.as_ref().map(|costs| costs.messages.max);
        if most(&other.costs) > most(&self.costs) {
            self.worst = other.worst;
        }
        match (&mut self.costs, other.costs) {
            (Some(known), Some(new)) => known.join(&new),
            (known, _) => *known = None,
        }
        let both = self.chances.zip(other.chances);
        self.chances = both.map(|(known, new)| known.and(new));
        self.endless |= other.endless;
        self.winners.extend(other.winners);
        for (class, costs) in other.by_class {
            let known = self.by_class.entry(class).or_default();
            known.messages = known.messages.max(costs.messages);
            known.units = known.units.max(costs.units);
        }
        self.largest = self.largest.max(other.largest);
        if !matches!(self.verdict, CheckVerdict::Violated(_)) {
            self.verdict = other.verdict;
        }
    }
}

/// The verdict on an election: whether it has the properties of its specification.
#[derive(Clone, Debug, Default)]
pub enum CheckVerdict {
    /// The properties hold on every schedule.
    #[default]
    Holds,
    /// A property is violated on this schedule.
    Violated(Box<Counterexample>),
    /// The memory allowed was used up before everything was explored.
    OutOfMemory,
    /// The exploration was stopped before everything was explored.
    Stopped,
}

/// An execution that violates a property.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The violation.
    pub violation: Violation,
    /// The execution, up to the violation.
    pub execution: Execution,
    /// Whether no execution with fewer steps violates a property. A message bound is violated by a
    /// maximal execution, termination by a lasso. It is not known where the search for a shorter
    /// one takes too much memory, or is stopped.
    pub shortest: bool,
}

/// The costs of an election over all schedules.
#[derive(Clone, Debug)]
pub struct ExactCosts {
    /// The number of messages.
    pub messages: Extremes,
    /// The number of messages of the election, and of its announcement.
    pub by_phase: [Extremes; 2],
    /// The number of messages of each kind.
    pub by_kind: Vec<(&'static Kind, Extremes)>,
    /// The greatest causal depth.
    pub greatest_depth: u64,
    /// The least causal depth; `None` if computing it takes too much memory, or is stopped.
    pub least_depth: Option<u64>,
    /// The greatest time after the last wake-up, in units of the greatest delay. `None` unless
    /// [everything was explored](Options::full), links hold any number of messages, and computing
    /// it takes no more memory than is allowed. In rounds it is the number of ticks, and always
    /// known.
    ///
    /// It is never greater than the causal depth, since each message of the chain that leads to an
    /// event takes at most one unit; or by one, if messages reach processes that have halted: these
    /// deepen nothing.
    pub greatest_time: Option<u64>,
}

impl ExactCosts {
    pub(crate) fn join(&mut self, other: &Self) {
        self.messages = self.messages.and(other.messages);
        let both = self.by_phase.iter_mut().zip(other.by_phase);
        both.for_each(|(known, new)| *known = known.and(new));
        let each = self.by_kind.iter_mut().zip(&other.by_kind);
        each.for_each(|((_, known), (_, new)): (&mut (&Kind, Extremes), _)| {
            *known = known.and(*new);
        });
        self.greatest_depth = self.greatest_depth.max(other.greatest_depth);
        let both = self.least_depth.zip(other.least_depth);
        self.least_depth = both.map(|(known, new)| known.min(new));
        let both = self.greatest_time.zip(other.greatest_time);
        self.greatest_time = both.map(|(known, new)| known.max(new));
    }
}

/// A range of costs over all schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extremes<T = u64> {
    /// The least cost.
    pub min: T,
    /// The greatest cost.
    pub max: T,
}

impl<T: PartialOrd> Extremes<T> {
    /// Returns the union of two ranges.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            min: if other.min < self.min { other.min } else { self.min },
            max: if other.max > self.max { other.max } else { self.max },
        }
    }
}

/// The expectations of an election over the random choices of its processes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expectations {
    /// The expected number of messages.
    pub messages: ExpectedExtremes,
    /// The expected number of messages of the election, and of its announcement.
    pub by_phase: [ExpectedExtremes; 2],
    /// The probability that in the end exactly one process leads.
    pub elected: ExpectedExtremes,
}

impl Expectations {
    /// Returns the union of two ranges.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let [election, announcement] = self.by_phase;
        Self {
            messages: self.messages.and(other.messages),
            by_phase: [election.and(other.by_phase[0]), announcement.and(other.by_phase[1])],
            elected: self.elected.and(other.elected),
        }
    }
}

/// An expectation over the random choices of the processes. It depends on the schedule, which may
/// depend on the outcomes of past choices: these are the least and the greatest over all schedules.
///
/// Each is a lower approximation, and proved to be within a part of 10^9 of the exact value, apart
/// from floating-point rounding. If all runs end within a bounded number of steps, it is the exact
/// value, apart from rounding.
pub type ExpectedExtremes = Extremes<f64>;
