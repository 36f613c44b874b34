//! The report on a family, accumulated from the results of its instances.

use crate::{
    execution::Execution,
    family::{Family, Listing},
    instance::ElectionClass,
    outcome::{CheckVerdict, Counterexample, ExactCosts, Expectations, Exploration, GreatestCosts},
};
use std::collections::BTreeSet;
use suffrage_algorithms::{Claims, Guarantee};
use suffrage_model::Id;

/// The result of a [`Checker`](crate::Checker): what holds for all instances together, up to the
/// first that violates a property, or the last that was explored before it was stopped.
///
/// The report does not depend on the number of threads.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// The family whose instances are numbered: the one to be explored, in which
    /// [nodes differ](Family::nodes_differ) if processes or properties tell them apart.
    pub family: Family,
    /// The number of instances that were explored completely, or proved isomorphic to one that was.
    pub instances: u64,
    /// The number of instances that were explored themselves: one contains all
    /// [sets of initiators](crate::InitiatorSets::EverySet) of a network and an order, if they wake at any
    /// time, nothing is claimed of probabilities, and it is not in rounds.
    pub explored: u64,
    /// The number of instances of the family.
    pub of: u64,
    /// The number of distinct configurations explored. An instance that was not explored itself
    /// counts as many as its representative, and none if it is contained in another one.
    pub states: u64,
    /// The number of steps between them, counted in the same way.
    pub transitions: u64,
    /// The number of terminal configurations, in which no step is enabled.
    pub terminal: u64,
    /// The number of configurations of the largest instance.
    pub largest: u64,
    /// The costs of an election, if they were requested and are known for every instance.
    pub costs: Option<ExactCosts>,
    /// The expectations over the random choices, if costs were requested, processes make such
    /// choices, and they are known for every instance.
    pub chances: Option<Expectations>,
    /// The number of explored instances in which some execution never ends. If nothing is violated, this has
    /// probability 0.
    pub endless: u64,
    /// The first instance with the most messages.
    pub worst: Option<WorstCase>,
    /// The greatest ratio of messages to the claimed bound: the messages, and the bound.
    pub nearest: Option<(u64, u64)>,
    /// The greatest ratio of expected messages to a bound on the expectation, over the instances in which chance
    /// decides: the expectation on the dearest schedule, and the bound.
    pub nearest_expectation: Option<(f64, u64)>,
    /// An upper bound on the time, and the claimed time, of the first instance with the greatest
    /// ratio of the two. The upper bound is the causal depth where the greatest time is not known.
    /// `None` without a claim, with faults or with bounded links.
    pub longest: Option<(u64, u64)>,
    /// The identities that lead in a terminal configuration.
    pub winners: BTreeSet<Id>,
    /// The number of instances that violate a property.
    pub failing: u64,
    /// The first instance that violates a property, by its number, with its counterexample.
    pub counterexample: Option<(u64, Box<Counterexample>)>,
    /// The reason why the exploration is incomplete, if it is.
    pub incomplete: Option<Incomplete>,
}

/// The worst case of a family: an execution with the most messages.
#[derive(Clone, Debug)]
pub struct WorstCase {
    /// The number of the instance.
    pub instance: u64,
    /// An execution of this instance with the most messages.
    pub execution: Box<Execution>,
}

/// The reason why an exploration is incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// The instance of this number needs more memory than is allowed.
    OutOfMemory(u64),
    /// The exploration was stopped.
    Stopped,
    /// A property was violated, and the remaining instances were left out.
    Violated,
}

pub(super) struct InstanceResult {
    /// The number of instances that were explored themselves for it: none if it was proved isomorphic to
    /// another one.
    pub explored: u64,
    /// The number of instances of the family that violate a property.
    pub failing: u64,
    pub found: Exploration,
}

/// The results so far, in the order of the instances.
pub(super) struct ReportTally<'a> {
    /// What is explored.
    instances: Listing<'a>,
    /// The number of instances of the family that each of these contains.
    parts: u64,
    claims: Option<&'a Claims>,
    pub next: u64,
    pub report: CheckReport,
}

impl<'a> ReportTally<'a> {
    /// Creates the tally of a family. An instance of `whole` contains one instance of the family for each set of
    /// initiators, or is one itself.
    pub(super) fn new(family: &Family, whole: &'a Family, claims: Option<&'a Claims>) -> Self {
        let parts = family.initiators.len(family.nodes()) / whole.initiators.len(whole.nodes());
        let report = CheckReport {
            family: family.clone(),
            instances: 0,
            explored: 0,
            of: family.len(),
            states: 0,
            transitions: 0,
            terminal: 0,
            largest: 0,
            costs: None,
            chances: None,
            endless: 0,
            worst: None,
            nearest: None,
            nearest_expectation: None,
            longest: None,
            winners: BTreeSet::new(),
            failing: 0,
            counterexample: None,
            incomplete: None,
        };
        Self { instances: whole.listing(), parts, claims, next: 0, report }
    }

    pub(super) fn add(
        &mut self,
        InstanceResult { explored, failing, found }: InstanceResult,
        keep_going: bool,
    ) {
        let number = self.next;
        self.next += 1;
        let report = &mut self.report;
        let first = number == 0;
        report.states += found.states;
        report.transitions += found.transitions;
        report.terminal += found.terminal;
        report.largest = report.largest.max(found.largest);
        report.winners.extend(found.winners);
        report.endless += u64::from(found.endless);
        report.chances = match (report.chances, found.chances) {
            (Some(known), Some(new)) => Some(known.and(new)),
            (None, new) if first => new,
            _ => None,
        };
        if let Some(chances) = found.chances {
            self.add_expectation(number, chances.messages.max);
        }
        let report = &mut self.report;
        let mut covered = self.parts;
        match found.verdict {
            CheckVerdict::OutOfMemory => {
                let last = number.saturating_mul(self.parts).saturating_add(self.parts - 1);
                report.incomplete = Some(Incomplete::OutOfMemory(last));
                return;
            }
            CheckVerdict::Stopped => {
                report.incomplete = Some(Incomplete::Stopped);
                return;
            }
            CheckVerdict::Violated(counterexample) => {
                let part = self.part(number, &counterexample.execution);
                let report = &mut self.report;
                report.failing += failing;
                report.counterexample.get_or_insert((part, counterexample));
                if !keep_going {
                    report.incomplete = Some(Incomplete::Violated);
                    covered = 1;
                }
            }
            CheckVerdict::Holds => {}
        }
        let report = &mut self.report;
        report.instances = report.instances.saturating_add(covered);
        self.report.explored += explored;
        let worst = found
            .worst
            .map(|execution| WorstCase { instance: self.part(number, &execution), execution });
        let report = &mut self.report;
        let mut costs = found.costs;
        if let (Some(costs), true) = (&mut costs, found.time_left_out) {
            // An earlier instance has a time that is at least as great.
            costs.greatest_time = report.costs.as_ref().and_then(|known| known.greatest_time);
        }
        self.add_costs(costs, worst, first);
        for (class, most) in found.by_class {
            self.compare(number, class, most, found.time_left_out);
        }
    }

    /// Returns the number, in the family, of the instance of an execution that was found in this one.
    fn part(&self, number: u64, execution: &Execution) -> u64 {
        let set = execution.instance.initiators.iter().fold(0, |set, node| set | 1 << node);
        match self.parts {
            1 => number,
            parts => number.saturating_mul(parts).saturating_add(set - 1),
        }
    }

    /// Compares an expectation with the bound on it.
    fn add_expectation(&mut self, number: u64, expected: f64) {
        let Some(claims) = self.claims.filter(|claims| claims.guarantee() == Guarantee::Expected)
        else {
            return;
        };
        let bound = claims.bound(&self.instances.get(number).parameters(claims));
        let nearest = &mut self.report.nearest_expectation;
        if nearest.is_none_or(|(other, of)| expected * of as f64 > other * bound as f64) {
            *nearest = Some((expected, bound));
        }
    }

    /// Compares the costs of a class with the bounds.
    fn compare(&mut self, number: u64, class: ElectionClass, most: GreatestCosts, untimed: bool) {
        let Some(claims) = self.claims else { return };
        let instance = self.instances.get(number);
        let GreatestCosts { messages, units } = most;
        let bound = claims.bound(&instance.parameters_of(claims, class));
        // Of equal ratios, the one with the most messages is kept.
        let nearer = |(other, of): (u64, u64)| {
            let here = u128::from(messages) * u128::from(of);
            let there = u128::from(other) * u128::from(bound);
            (here, messages) > (there, other)
        };
        if self.report.nearest.is_none_or(nearer) {
            self.report.nearest = Some((messages, bound));
        }
        let claimed = instance.claimed_time(claims, class).filter(|_| !untimed);
        let Some(claimed) = claimed else { return };
        let longer = |(other, of): (u64, u64)| {
            u128::from(units) * u128::from(of) > u128::from(other) * u128::from(claimed)
        };
        if self.report.longest.is_none_or(longer) {
            self.report.longest = Some((units, claimed));
        }
    }

    fn add_costs(&mut self, costs: Option<ExactCosts>, worst: Option<WorstCase>, first: bool) {
        let report = &mut self.report;
        let Some(costs) = costs else {
            (report.costs, report.worst) = (None, None);
            return;
        };
        match &mut report.costs {
            Some(known) => {
                if costs.messages.max > known.messages.max {
                    report.worst = worst;
                }
                known.join(&costs);
            }
            None if first => (report.costs, report.worst) = (Some(costs), worst),
            None => {} // An instance before this one has no answer.
        }
    }
}
