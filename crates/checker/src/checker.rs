//! The exploration of a family, on all cores.

use crate::{
    cost::cost_to_go::Extremes,
    counterexample::execution::Execution,
    exploration::{Costs, Counterexample, Exploration, Options, Verdict, explorer::Explorer},
    family::Family,
    model::instance::InvalidInstance,
    property::Specification,
    symmetry::{
        canonical_form::is_applicable,
        work_queue::{Role, WorkQueue},
    },
};
use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZero,
    ops::ControlFlow,
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
        mpsc,
    },
    thread,
    time::Duration,
};
use suffrage_algorithms::{Algorithm, Property, Setting, Visitor};
use suffrage_process::{Id, Kind, Process};

/// What the exploration of a family has found: of all instances together, up to the first that
/// breaks a promise, or the last that was explored in time.
///
/// It does not depend on the number of threads.
#[derive(Clone, Debug)]
pub struct Report {
    /// How many instances were explored to their end, or proved to be like one that was.
    pub instances: u64,
    /// How many of them were explored by themselves.
    pub explored: u64,
    /// How many instances there are.
    pub of: u64,
    /// Distinct configurations explored. An instance counts as many as the one that it is like:
    /// these are as many as it has, unless fewer are enough; how many are enough depends a little on
    /// the names of the nodes.
    pub states: u64,
    /// Steps between them, counted likewise.
    pub transitions: u64,
    /// Configurations after which nothing can happen.
    pub terminal: u64,
    /// The configurations of the largest instance.
    pub largest: u64,
    /// What elections cost, if that was asked and every instance has an answer.
    pub costs: Option<Costs>,
    /// The first instance with the most messages, by number.
    pub worst_instance: Option<u64>,
    /// The most messages in relation to the bound, for some number of initiators: messages and
    /// bound. The catalogue's algorithms only.
    pub nearest: Option<(u64, u64)>,
    /// Who has led at an end.
    pub winners: BTreeSet<Id>,
    /// How many instances break a promise.
    pub failing: u64,
    /// What the first of them is, by number, and how it does.
    pub counterexample: Option<(u64, Box<Counterexample>)>,
    /// Why not everything was explored, if it was not.
    pub incomplete: Option<Incomplete>,
}

/// Why not everything was explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// The instance of this number takes more memory than is allowed.
    OutOfMemory(u64),
    /// It was stopped.
    Stopped,
    /// A promise was broken, and the rest was left out.
    Broken,
}

/// How to explore a family.
pub struct Conditions<'w> {
    /// How to explore each instance. The memory is that of all threads together.
    pub options: Options,
    /// Go on after an instance that breaks a promise, to count them.
    pub keep_going: bool,
    /// Explore every instance by itself, also where it can be proved to be like another.
    pub each: bool,
    /// How many instances to explore at once.
    pub threads: NonZero<usize>,
    /// Is told now and then how far it is, and may stop it.
    pub watch: &'w mut dyn FnMut(Progress) -> ControlFlow<()>,
}

/// How far an exploration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Instances explored.
    pub instances: u64,
    /// Of how many.
    pub of: u64,
    /// Configurations explored, those of unfinished instances included.
    pub states: u64,
}

/// Explores every schedule of every instance of a family, and holds an algorithm of the catalogue
/// to all that is said of it, or, where something may go wrong, to safety.
///
/// # Errors
/// If an instance cannot be explored: its parts do not fit each other, or the algorithm.
pub fn check(
    algorithm: &Algorithm,
    family: &Family,
    conditions: &mut Conditions<'_>,
) -> Result<Report, InvalidInstance> {
    check_catalogued(algorithm, &[], family, conditions)
}

/// As [`check`], for these properties alone, if any are named.
///
/// # Errors
/// As [`check`].
pub fn check_catalogued(
    algorithm: &Algorithm,
    properties: &[Property],
    family: &Family,
    conditions: &mut Conditions<'_>,
) -> Result<Report, InvalidInstance> {
    struct Check<'a, 'w>(&'a Algorithm, &'a [Property], &'a Family, &'a mut Conditions<'w>);
    impl Visitor for Check<'_, '_> {
        type Output = Result<Report, InvalidInstance>;
        fn visit<P: Process>(self) -> Self::Output {
            let Self(algorithm, properties, family, conditions) = self;
            let specification = match (properties, family.faults.is_none()) {
                ([], true) => Specification::<P>::of(algorithm),
                ([], false) => Specification::safety().about(algorithm),
                (properties, _) => Specification::these(properties).about(algorithm),
            };
            check_process(&specification, family, conditions)
        }
    }
    algorithm.visit(Check(algorithm, properties, family, conditions))
}

/// As [`check`], for any process and any promises.
///
/// # Errors
/// As [`check`].
pub fn check_process<P: Process>(
    specification: &Specification<'_, P>,
    family: &Family,
    conditions: &mut Conditions<'_>,
) -> Result<Report, InvalidInstance> {
    let of = family.len();
    if of > 0 {
        family.get(0).check(P::NETWORK)?;
    }
    let threads = (conditions.threads.get() as u64).min(of).max(1);
    let mut options = conditions.options;
    options.memory /= threads;
    let keep_going = conditions.keep_going;
    let (states, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let compare = !conditions.each && of > 1 && is_applicable(specification, &family.get(0));
    let queue = WorkQueue::<P>::new(family, compare);
    let work = |results: mpsc::Sender<(u64, Found)>| {
        let mut explorer = Explorer::<P>::default();
        while !stop.load(Relaxed)
            && let Some(item) = queue.take()
        {
            let (number, instance) = (item.number, &item.instance);
            if let (Role::Candidate(original), Some(form)) = (&item.role, &item.form)
                && let Some(found) = explorer.infer(original, instance, form, specification)
            {
                if results.send((number, Found { itself: false, found })).is_err() {
                    return;
                }
                continue;
            }
            let mut before = 0;
            let mut heartbeat = |now: u64| {
                states.fetch_add(now.saturating_sub(before), Relaxed);
                before = now;
                if stop.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let found = explorer.examine(instance, specification, &options, &mut heartbeat);
            states.fetch_add(found.states.saturating_sub(before), Relaxed);
            if let (Role::Representative, Some(form)) = (&item.role, &item.form) {
                queue.learn(form, explorer.original(instance, form, &found, specification));
            }
            if results.send((number, Found { itself: true, found })).is_err() {
                return;
            }
        }
    };
    let mut tally = Tally::new(family, specification.algorithm());
    thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 0..threads {
            let sender = sender.clone();
            scope.spawn(|| work(sender));
        }
        drop(sender);
        // Results are counted in the order of their numbers, so that where it ends is the same
        // whichever thread was faster.
        let mut waiting: BTreeMap<u64, Found> = BTreeMap::new();
        loop {
            match results.recv_timeout(Duration::from_millis(50)) {
                Ok((number, found)) => drop(waiting.insert(number, found)),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
            while tally.report.incomplete.is_none()
                && let Some(found) = waiting.remove(&tally.next)
            {
                tally.add(found, keep_going);
            }
            let progress =
                Progress { instances: tally.report.instances, of, states: states.load(Relaxed) };
            if tally.report.incomplete.is_some() || (conditions.watch)(progress).is_break() {
                stop.store(true, Relaxed);
            }
        }
        if tally.report.incomplete.is_none() && tally.next < of {
            tally.report.incomplete = Some(Incomplete::Stopped);
        }
    });
    Ok(tally.report)
}

/// The schedule of an instance on which an algorithm of the catalogue takes the most messages;
/// `None` if it takes more memory than is allowed.
///
/// # Errors
/// If the instance cannot be explored.
pub fn worst_execution(
    algorithm: &Algorithm,
    family: &Family,
    number: u64,
    options: &Options,
) -> Result<Option<Execution>, InvalidInstance> {
    struct WorstExecution<'a>(&'a Family, u64, &'a Options);
    impl Visitor for WorstExecution<'_> {
        type Output = Result<Option<Execution>, InvalidInstance>;
        fn visit<P: Process>(self) -> Self::Output {
            crate::worst_case::<P>(&self.0.get(self.1), self.2)
        }
    }
    algorithm.visit(WorstExecution(family, number, options))
}

/// What was found of an instance.
struct Found {
    /// It was explored, and not proved to be like another.
    itself: bool,
    found: Exploration,
}

/// The results so far.
struct Tally<'a> {
    family: &'a Family,
    algorithm: Option<&'a Algorithm>,
    next: u64,
    report: Report,
}

impl<'a> Tally<'a> {
    fn new(family: &'a Family, algorithm: Option<&'a Algorithm>) -> Self {
        let report = Report {
            instances: 0,
            explored: 0,
            of: family.len(),
            states: 0,
            transitions: 0,
            terminal: 0,
            largest: 0,
            costs: None,
            worst_instance: None,
            nearest: None,
            winners: BTreeSet::new(),
            failing: 0,
            counterexample: None,
            incomplete: None,
        };
        Self { family, algorithm, next: 0, report }
    }

    fn add(&mut self, Found { itself, found }: Found, keep_going: bool) {
        let number = self.next;
        self.next += 1;
        let report = &mut self.report;
        let first = report.instances == 0;
        report.states += found.states;
        report.transitions += found.transitions;
        report.terminal += found.terminal;
        report.largest = report.largest.max(found.states);
        report.winners.extend(found.winners);
        match found.verdict {
            Verdict::OutOfMemory => {
                report.incomplete = Some(Incomplete::OutOfMemory(number));
                return;
            }
            Verdict::Stopped => {
                report.incomplete = Some(Incomplete::Stopped);
                return;
            }
            Verdict::Broken(counterexample) => {
                report.failing += 1;
                report.counterexample.get_or_insert((number, counterexample));
                if !keep_going {
                    report.incomplete = Some(Incomplete::Broken);
                }
            }
            Verdict::Holds => {}
        }
        report.instances += 1;
        report.explored += u64::from(itself);
        self.add_costs(number, found.costs, first);
    }

    fn add_costs(&mut self, number: u64, costs: Option<Costs>, first: bool) {
        let report = &mut self.report;
        let Some(costs) = costs else {
            (report.costs, report.worst_instance) = (None, None);
            return;
        };
        if let Some(algorithm) = self.algorithm {
            let instance = self.family.get(number);
            let bound = algorithm.bound(&Setting {
                nodes: instance.wiring.nodes().into(),
                links: instance.wiring.links(),
                initiators: instance.initiators.len() as u64,
            });
            let most = costs.messages.max;
            // Of those equally near the one with the most messages says most.
            let nearer = |(other, of): (u64, u64)| {
                let here = u128::from(most) * u128::from(of);
                let there = u128::from(other) * u128::from(bound);
                (here, most) > (there, other)
            };
            if report.nearest.is_none_or(nearer) {
                report.nearest = Some((most, bound));
            }
        }
        match &mut report.costs {
            Some(known) => {
                if costs.messages.max > known.messages.max {
                    report.worst_instance = Some(number);
                }
                known.join(&costs);
            }
            None if first => (report.costs, report.worst_instance) = (Some(costs), Some(number)),
            None => {} // An instance before this one has no answer.
        }
    }
}

impl Costs {
    fn join(&mut self, other: &Self) {
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
    }
}
