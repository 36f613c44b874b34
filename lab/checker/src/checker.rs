//! The checker of a family.

use crate::{
    checkable::{Checkable, Claiming, tell_apart},
    explorer::ScheduleExplorer,
    family::{Family, InitiatorSets},
    instance::{InvalidInstance, Wake},
    outcome::{CheckVerdict, Options, Wanted},
    report::{CheckReport, Incomplete, InstanceResult, ReportTally},
    specification::Properties,
    symmetry::{
        canonical_form::is_applicable,
        work_queue::{SymmetryRole, WorkQueue},
    },
};
use std::{
    ops::ControlFlow,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
};
use suffrage_algorithms::Property;
use suffrage_parallel::{JobEvent, cores, ordered};

/// Explores every schedule of every instance of a [`Family`].
///
/// The subject is an [`Algorithm`](suffrage_algorithms::Algorithm) of the catalogue, a
/// [`Custom`](suffrage_algorithms::Custom) one, or a process with a [`Specification`](crate::Specification) of your own.
/// An algorithm is checked for everything that is claimed of it or, where faults are allowed,
/// for safety: never two leaders, no decision revoked. An algorithm of the catalogue is
/// checked for its invariants, too, unless faults are allowed.
///
/// ```
/// use suffrage_algorithms::Algorithm;
/// use suffrage_checker::{Checker, Family};
///
/// let humblet = Algorithm::named("humblet").unwrap();
/// let family = Family::everything(humblet.network, 3)?;
/// let report = Checker::new(humblet, &family).threads(2).run()?;
/// assert_eq!((report.failing, report.incomplete), (0, None));
/// assert_eq!(report.costs.unwrap().messages.max, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a checker explores nothing until it runs"]
pub struct Checker<'a, S: Checkable> {
    subject: &'a S,
    family: &'a Family,
    options: Options,
    keep_going: bool,
    symmetry: bool,
    threads: usize,
    properties: &'a [Property],
    on_progress: Option<Box<OnProgress<'a>>>,
}

/// A callback that receives the progress, and may stop the exploration.
type OnProgress<'a> = dyn FnMut(CheckProgress) -> ControlFlow<()> + 'a;

/// The progress of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckProgress {
    /// The number of instances explored.
    pub instances: u64,
    /// The number of instances of the family.
    pub of: u64,
    /// The number of configurations explored, those of unfinished instances included.
    pub states: u64,
    /// Whether the explored instances may tell how long the others take: the first and the last one have as many
    /// links, and no result so far was inferred from an isomorphic instance.
    pub alike: bool,
}

impl<'a, S: Checkable> Checker<'a, S> {
    /// Creates a checker that uses all cores and 4 GiB of memory, and stops at the first instance
    /// that violates a property.
    pub fn new(subject: &'a S, family: &'a Family) -> Self {
        Self {
            subject,
            family,
            options: Options::default(),
            keep_going: false,
            symmetry: true,
            threads: 0,
            properties: &[],
            on_progress: None,
        }
    }

    /// Sets the number of instances that are explored in parallel; with 0, one per core, which is
    /// the default. The report does not depend on it, unless the memory is used up.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Limits the memory for configurations, in bytes, of all threads together.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.options.memory = bytes;
        self
    }

    /// Sets whether to explore every configuration, without partial-order reduction. The default is
    /// no.
    ///
    /// Properties of elections hold of all configurations if they hold of those that are explored.
    /// Invariants are checked in those that are explored.
    pub fn full(mut self, full: bool) -> Self {
        self.options.full = full;
        self
    }

    /// Sets whether to find the exact costs of elections as well. The default is yes.
    pub fn costs(mut self, costs: bool) -> Self {
        self.options.costs = costs;
        self
    }

    /// Sets whether to explore only one of several isomorphic instances. The default is yes.
    pub fn symmetry(mut self, symmetry: bool) -> Self {
        self.symmetry = symmetry;
        self
    }

    /// Sets whether to continue after an instance that violates a property, to count all that do.
    /// The default is no.
    pub fn keep_going(mut self, keep_going: bool) -> Self {
        self.keep_going = keep_going;
        self
    }

    /// Calls `on_progress` about 20 times a second, on the thread that runs the checker. The
    /// exploration stops when it returns [`ControlFlow::Break`].
    pub fn on_progress(
        mut self,
        on_progress: impl FnMut(CheckProgress) -> ControlFlow<()> + 'a,
    ) -> Self {
        self.on_progress = Some(Box::new(on_progress));
        self
    }

    /// Explores the family.
    ///
    /// # Errors
    /// If the instances of the family are invalid, or not for the algorithm.
    pub fn run(self) -> Result<CheckReport, InvalidInstance> {
        let Self { subject, mut options, keep_going, mut on_progress, .. } = self;
        let specification = subject.specified(self.properties, self.family.faults.is_none());
        let specification = &*specification;
        let family = &tell_apart(specification, self.family)?;
        let united = family.united(specification.timing(), specification.claims());
        // What is explored: where one instance contains all sets of initiators, the instances of the family
        // are its parts.
        let whole = united.as_ref().unwrap_or(family);
        let of = whole.len();
        let threads = if self.threads == 0 { cores() } else { self.threads } as u64;
        let threads = threads.min(of).max(1);
        let links = |number: u64| whole.get(number).wiring.links();
        let mut alike = of > 0 && links(0) == links(of - 1);
        options.memory /= threads;
        let compare = self.symmetry && of > 1 && is_applicable(specification, &whole.get(0));
        let shared = Exploring {
            specification,
            options,
            queue: WorkQueue::new(whole, specification.network(), compare),
            keep_going,
            known: KnownSoFar::default(),
            states: AtomicU64::new(0),
            stop: AtomicBool::new(false),
        };
        let worker = || {
            let mut explorer = ScheduleExplorer::new(specification.automaton());
            let shared = &shared;
            move |_: &AtomicBool| shared.next(&mut explorer)
        };
        let mut tally = ReportTally::new(family, whole, specification.claims());
        ordered(usize::try_from(threads).unwrap_or(usize::MAX), worker, |event| {
            if let JobEvent::Next(found) = event
                && tally.report.incomplete.is_none()
            {
                alike &= found.explored > 0;
                tally.add(found, keep_going);
            }
            let states = shared.states.load(Relaxed);
            let CheckReport { instances, of, .. } = tally.report;
            let progress = CheckProgress { instances, of, states, alike };
            let asked = on_progress.as_mut().is_some_and(|call| call(progress).is_break());
            if tally.report.incomplete.is_some() || asked {
                // Instances that are under way are ended early, and still counted.
                shared.stop.store(true, Relaxed);
            }
            ControlFlow::Continue(())
        });
        if tally.report.incomplete.is_none() && tally.next < of {
            tally.report.incomplete = Some(Incomplete::Stopped);
        }
        Ok(tally.report)
    }
}

impl<'a, S: Claiming> Checker<'a, S> {
    /// Checks these properties only, among which may be invariants of an algorithm of the catalogue. If empty, which is
    /// the default, checks all claims about the algorithm and its invariants, or those of every election if nothing is
    /// claimed; safety alone if faults are allowed.
    pub fn properties(self, properties: &'a [Property]) -> Self {
        Self { properties, ..self }
    }
}

/// What the threads share that explore a family.
struct Exploring<'a> {
    specification: &'a dyn Properties,
    options: Options,
    queue: WorkQueue<'a>,
    known: KnownSoFar,
    keep_going: bool,
    /// The number of configurations explored, those of unfinished instances included.
    states: AtomicU64,
    stop: AtomicBool,
}

impl Exploring<'_> {
    /// Explores the next instance, or infers its result from an isomorphic one.
    fn next(&self, explorer: &mut ScheduleExplorer) -> Option<(u64, InstanceResult)> {
        let Self { specification, options, queue, known, keep_going, states, stop } = self;
        if stop.load(Relaxed) {
            return None;
        }
        let item = queue.take()?;
        let (number, instance) = (item.number, &item.instance);
        if instance.faults.no_fifo {
            // Messages are delivered in the order of their numbers, which must not depend on
            // the instances that this thread has explored before.
            *explorer = ScheduleExplorer::new(specification.automaton());
        }
        if let (SymmetryRole::Candidate(representative), Some(form)) = (&item.role, &item.form)
            && let Some(found) = explorer.infer(representative, instance, form, *specification)
        {
            return Some((number, InstanceResult { explored: 0, failing: 0, found }));
        }
        let mut before = 0;
        let mut heartbeat = |now: u64| {
            states.fetch_add(now.saturating_sub(before), Relaxed);
            // An instance may be explored a second time, for a shorter execution.
            before = before.max(now);
            if stop.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let claims = specification.claims();
        let claimed = |class| claims.and_then(|of| instance.claimed_time(of, class));
        // Isomorphic instances, whose results are inferred, have other identities.
        let comparable = claims.is_none_or(|claims| !claims.depends_on_identities());
        let wanted = Wanted {
            worst: &|most| known.may_be_worst(number, most),
            time: &|class, at_most| {
                !comparable || known.may_be_longest(number, at_most, claimed(class))
            },
            shallowest: &|| known.shallowest(number),
        };
        let mut found =
            explorer.examine(instance, *specification, options, &wanted, &mut heartbeat);
        let violated = matches!(found.verdict, CheckVerdict::Violated(_));
        let (mut explored, mut failing) = (1, u64::from(violated));
        if violated && *keep_going && instance.wake == Wake::AnyTimeOrNever {
            // Each set of initiators that fails is counted.
            (found, failing) =
                explorer.each_set(instance, *specification, options, true, &mut heartbeat);
            explored = InitiatorSets::EverySet.len(instance.wiring.nodes());
        }
        if found.costs.as_ref().is_some_and(|costs| costs.greatest_time.is_some()) {
            for (&class, costs) in &found.by_class {
                known.longest(number, costs.units, claimed(class));
            }
        }
        if let Some(depth) = found.costs.as_ref().and_then(|costs| costs.least_depth) {
            known.shallow(number, depth);
        }
        states.fetch_add(found.states.saturating_sub(before), Relaxed);
        if let (SymmetryRole::Representative, Some(form)) = (&item.role, &item.form) {
            queue.learn(form, explorer.representative(instance, form, &found, *specification));
        }
        Some((number, InstanceResult { explored, failing, found }))
    }
}

/// What is known of instances, by their numbers. It depends on the threads which are known already; a
/// report does not, wherever it ends: an instance is compared only with those before it.
#[derive(Default)]
struct KnownSoFar {
    /// The instances with more messages than all known ones before them, with these numbers: only these can
    /// be the worst case of the report.
    most: Mutex<Vec<(u64, u64)>>,
    /// The instances whose greatest time was found, with the time, and the claimed time.
    longest: Mutex<Vec<(u64, u64, Option<u64>)>>,
    /// The instances with a smaller least depth than all known ones before them, with these depths.
    shallow: Mutex<Vec<(u64, u64)>>,
}

impl KnownSoFar {
    /// Returns whether an instance, given by its number and its greatest number of messages, may be
    /// the worst case, and records it if so.
    fn may_be_worst(&self, number: u64, most: u64) -> bool {
        let mut known = self.most.lock().unwrap_or_else(PoisonError::into_inner);
        if known.iter().any(|&(other, messages)| other < number && messages >= most) {
            return false;
        }
        known.retain(|&(other, messages)| other < number || messages > most);
        known.push((number, most));
        true
    }

    /// Returns whether the time of an instance, which is at most this, may be greater than the time of every
    /// instance before it, by itself or as a part of the claimed time.
    fn may_be_longest(&self, number: u64, at_most: u64, claimed: Option<u64>) -> bool {
        let known = self.longest.lock().unwrap_or_else(PoisonError::into_inner);
        let before = || known.iter().filter(|&&(other, ..)| other < number);
        let as_near = |&&(_, units, of): &&(u64, u64, Option<u64>)| match (of, claimed) {
            (Some(of), Some(claimed)) => {
                u128::from(units) * u128::from(claimed) >= u128::from(at_most) * u128::from(of)
            }
            (known, of) => known == of,
        };
        !before().any(|&(_, units, _)| units >= at_most) || !before().any(|known| as_near(&known))
    }

    /// Returns the least depth of the instances before this one that are known.
    fn shallowest(&self, number: u64) -> Option<u64> {
        let known = self.shallow.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known.iter().filter(|&&(other, _)| other < number);
        before.map(|&(_, depth)| depth).min()
    }

    fn shallow(&self, number: u64, depth: u64) {
        let mut known = self.shallow.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.iter().any(|&(other, least)| other < number && least <= depth) {
            known.push((number, depth));
        }
    }

    fn longest(&self, number: u64, units: u64, claimed: Option<u64>) {
        let mut known = self.longest.lock().unwrap_or_else(PoisonError::into_inner);
        known.push((number, units, claimed));
    }
}
