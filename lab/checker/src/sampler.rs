//! Sampled checking: random runs of random instances, where there are too many to explore them all.

mod instances;
mod scheduler;
mod shrink;
mod walk;

pub use instances::{RandomInstances, SecondTier, WideIds};
pub use scheduler::SampleScheduler;

use crate::{
    checkable::{Checkable, Claiming},
    instance::{InvalidInstance, MAX_SAMPLED_NODES},
    model::automaton::Automaton,
    outcome::Counterexample,
    sampler::{
        shrink::shrink,
        walk::{SamplePlan, SampledElection, WalkEnd, run_once},
    },
    specification::Properties,
};
use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
};
use suffrage_algorithms::{ChanceClaim, Property, Violation};
use suffrage_model::Timing;
use suffrage_networks::{random::Key, wiring::Unsuited};
use suffrage_numbers::statistics::Distribution;
use suffrage_parallel::{JobEvent, cores, ordered};

/// Checks random runs of random instances.
///
/// A sample draws an instance of [`RandomInstances`] and runs it once, with one [`SampleScheduler`] after
/// another; in rounds, where messages take one tick, only the order within a tick is drawn. Every property is checked,
/// as by a [`Checker`](crate::Checker); claims about chance are held to all samples together
/// ([`SampleReport::refuted`]). The first sample that
/// violates one, by number, is shrunk to fewer processes, fewer initiators and fewer steps. The same
/// seed gives the same report for any number of threads.
///
/// A report without failures proves nothing: [`DetectionGuarantee`] gives a lower bound on the probability
/// with which a fault is found.
///
/// ```
/// use suffrage_algorithms::Algorithm;
/// use suffrage_checker::{RandomInstances, Sampler};
///
/// let humblet = Algorithm::named("humblet").unwrap();
/// let instances = RandomInstances::new(humblet.network, 5..=16);
/// let report = Sampler::new(humblet, &instances).samples(500).seed(7).run()?;
/// assert!(report.violation.is_none());
/// assert_eq!(report.samples, 500);
/// # Ok::<(), suffrage_checker::InvalidInstance>(())
/// ```
#[must_use = "a sampler runs nothing until it is run"]
pub struct Sampler<'a, S: Checkable> {
    subject: &'a S,
    instances: &'a RandomInstances,
    threads: usize,
    properties: &'a [Property],
    plan: SamplePlan<'a>,
    on_progress: Option<Box<OnProgress<'a>>>,
}

/// The default number of steps after which a run is given up.
const MOST_STEPS: u32 = 1 << 20;

/// A callback that receives the progress, and may stop the samples.
type OnProgress<'a> = dyn FnMut(SampleProgress) -> ControlFlow<()> + 'a;

/// The progress of a [`Sampler`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleProgress {
    /// The number of samples taken.
    pub samples: u64,
    /// The number of samples to take.
    pub of: u64,
}

/// The result of a [`Sampler`].
#[derive(Clone, Debug, Default)]
pub struct SampleReport {
    /// The number of samples taken, up to the first that fails.
    pub samples: u64,
    /// The number of samples to take.
    pub of: u64,
    /// The number of steps of all samples together.
    pub steps: u64,
    /// The number of samples that were given up because they took too many steps.
    pub endless: u64,
    /// The greatest ratio of messages to the claimed bound: messages, and bound.
    pub nearest: Option<(u64, u64)>,
    /// The greatest ratio of time to the claimed bound: units, and bound. `None` without a claim,
    /// with faults or with bounded links.
    pub longest: Option<(u64, u64)>,
    /// The guarantees of probabilistic concurrency testing, by depth.
    pub guarantees: Vec<DetectionGuarantee>,
    /// The weights of the samples, for each claim about chance.
    pub chances: BTreeMap<ChanceClaim, Distribution>,
    /// The first sample that violates a property.
    pub violation: Option<SampledViolation>,
    /// Whether the sampler was stopped before it was finished.
    pub stopped: bool,
}

/// The probability with which probabilistic concurrency testing finds an existing fault: on each instance at least `1 /
/// (m k^(depth - 1))` per sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DetectionGuarantee {
    /// The depth of the fault: the number of pairs of steps whose order matters.
    pub depth: u32,
    /// The number of threads, *m*, of links and initiators, in the instance of the least probability.
    pub threads: u64,
    /// The number of steps, *k*, in that instance.
    pub steps: u64,
    /// The number of samples.
    pub samples: u64,
}

impl DetectionGuarantee {
    /// Returns the least probability with which one sample finds a fault of its instance.
    #[must_use]
    pub fn probability(&self) -> f64 {
        let power = (1..self.depth).fold(1.0, |power, _| power * self.steps as f64);
        1.0 / (self.threads as f64 * power)
    }
}

/// A sample that violates a property.
#[derive(Clone, Debug)]
pub struct SampledViolation {
    /// The number of the sample.
    pub sample: u64,
    /// The scheduler of the sample.
    pub scheduler: SampleScheduler,
    /// The violation as it was found.
    pub violation: Violation,
    /// The number of nodes of its instance.
    pub nodes: u32,
    /// The number of initiators of its instance.
    pub initiators: u64,
    /// The number of steps until the violation.
    pub steps: u64,
    /// A violation of the same property, shrunk.
    pub counterexample: Box<Counterexample>,
}

impl<'a, S: Checkable> Sampler<'a, S> {
    /// Creates a sampler of 10,000 samples with every scheduler, on all cores.
    pub fn new(subject: &'a S, instances: &'a RandomInstances) -> Self {
        let plan = SamplePlan {
            first: 0,
            samples: 10_000,
            seed: 1,
            schedulers: &SampleScheduler::ALL,
            shrinks: true,
            most_steps: MOST_STEPS,
            timing: Timing::Asynchronous,
        };
        Self { subject, instances, threads: 0, properties: &[], plan, on_progress: None }
    }

    /// Sets the number of samples.
    pub fn samples(mut self, samples: u64) -> Self {
        self.plan.samples = samples;
        self
    }

    /// Sets the number of the first sample, which is 0 by default. A sample depends only on its number and the seed, so
    /// a sampler can take a part of the samples of another.
    ///
    /// # Panics
    /// [`run`](Self::run) panics if a sample has a number of 2^64 or more.
    pub fn first(mut self, number: u64) -> Self {
        self.plan.first = number;
        self
    }

    /// Sets the seed of all instances and schedules.
    pub fn seed(mut self, seed: u64) -> Self {
        self.plan.seed = seed;
        self
    }

    /// Sets the schedulers, which are used in turn.
    ///
    /// # Panics
    /// If there are none.
    pub fn schedulers(mut self, schedulers: &'a [SampleScheduler]) -> Self {
        assert!(!schedulers.is_empty(), "a sampler needs a scheduler");
        self.plan.schedulers = schedulers;
        self
    }

    /// Sets the number of threads; with 0, one per core, which is the default. The report does not
    /// depend on it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets whether to look for a smaller counterexample when a sample fails. The default is yes;
    /// otherwise the counterexample is the run as it was found.
    pub fn shrink(mut self, shrink: bool) -> Self {
        self.plan.shrinks = shrink;
        self
    }

    /// Sets the number of steps after which a sample is given up. The default is 2^20.
    pub fn most_steps(mut self, steps: u32) -> Self {
        self.plan.most_steps = steps;
        self
    }

    /// Calls `on_progress` about 20 times a second. The sampler stops when `on_progress` returns
    /// [`ControlFlow::Break`].
    pub fn on_progress(
        mut self,
        on_progress: impl FnMut(SampleProgress) -> ControlFlow<()> + 'a,
    ) -> Self {
        self.on_progress = Some(Box::new(on_progress));
        self
    }

    /// Takes the samples.
    ///
    /// # Errors
    /// If the instances are invalid, or not for the algorithm.
    pub fn run(self) -> Result<SampleReport, InvalidInstance> {
        let Self { subject, instances, mut plan, mut on_progress, .. } = self;
        let specification = subject.specified(self.properties, instances.faults.is_none());
        let specification = &*specification;
        plan.timing = specification.timing();
        check_sizes(instances, specification, &plan)?;
        let samples = plan.samples;
        // Chunks from here on are not begun any more.
        let (next, end) = (AtomicU64::new(0), AtomicU64::new(samples.div_ceil(CHUNK)));
        let worker = || {
            let mut automaton = specification.automaton();
            let (next, end, plan) = (&next, &end, &plan);
            move |_: &AtomicBool| {
                let chunk = next.fetch_add(1, Relaxed);
                if chunk >= end.load(Relaxed) {
                    return None;
                }
                let found = sample(chunk, specification, instances, plan, &mut automaton);
                if found.failed.is_some() {
                    end.fetch_min(chunk + 1, Relaxed);
                }
                Some((chunk, found))
            }
        };
        let mut report = SampleReport { of: samples, ..SampleReport::default() };
        let mut failed = None;
        let threads = if self.threads == 0 { cores() } else { self.threads } as u64;
        let threads = threads.min(samples).max(1);
        let mut asked = |samples_taken: u64| {
            let progress = SampleProgress { samples: samples_taken, of: samples };
            on_progress.as_mut().is_some_and(|call| call(progress).is_break())
        };
        ordered(usize::try_from(threads).unwrap_or(usize::MAX), worker, |event| {
            if let JobEvent::Next(found) = event
                && failed.is_none()
            {
                report.add(&found.report);
                failed = found.failed;
            }
            if asked(report.samples) {
                end.store(0, Relaxed);
            }
            ControlFlow::Continue(())
        });
        report.stopped = failed.is_none() && report.samples < samples;
        if let Some((sample, violation, steps)) = failed {
            let taken = report.samples;
            let (number, scheduler) = (sample.number, sample.scheduler);
            let (nodes, initiators) =
                (sample.instance.wiring.nodes(), sample.instance.initiators.len() as u64);
            let mut stop = || asked(taken);
            let counterexample =
                shrink(sample, &violation, specification, instances, &plan, &mut stop);
            report.violation = Some(SampledViolation {
                sample: number,
                scheduler,
                violation,
                nodes,
                initiators,
                steps: steps as u64,
                counterexample: Box::new(counterexample),
            });
        }
        Ok(report)
    }
}

impl<'a, S: Claiming> Sampler<'a, S> {
    /// Sets the properties to check, as [`Checker::properties`](crate::Checker::properties) does.
    pub fn properties(self, properties: &'a [Property]) -> Self {
        Self { properties, ..self }
    }
}

const CHUNK: u64 = 32;

#[derive(Default)]
struct Chunk {
    report: SampleReport,
    /// The first sample that violates a property, the violation, and the number of steps.
    failed: Option<(SampledElection, Violation, usize)>,
}

/// Checks an instance of the least size and one of the greatest.
fn check_sizes(
    instances: &RandomInstances,
    specification: &dyn Properties,
    plan: &SamplePlan<'_>,
) -> Result<(), InvalidInstance> {
    let tiers = [Some(&instances.nodes), instances.second_tier.as_ref().map(|tier| &tier.nodes)];
    for range in tiers.into_iter().flatten() {
        if *range.end() > MAX_SAMPLED_NODES {
            return Err(InvalidInstance::TooManyNodes(*range.end()));
        }
        let mut sizes = range.clone().filter(|&nodes| instances.network.has_size(nodes));
        let least = sizes.next().ok_or(Unsuited::Network(instances.network))?;
        for nodes in [least, sizes.next_back().unwrap_or(least)] {
            let SampledElection { instance, .. } =
                SampledElection::new(&instances.of_size(nodes), plan, 0);
            instance.check_fit(specification.network(), plan.timing)?;
        }
    }
    Ok(())
}

fn sample(
    chunk: u64,
    specification: &dyn Properties,
    instances: &RandomInstances,
    plan: &SamplePlan<'_>,
    automaton: &mut Automaton,
) -> Chunk {
    let mut found = Chunk::default();
    let report = &mut found.report;
    for place in chunk * CHUNK..((chunk + 1) * CHUNK).min(plan.samples) {
        let number = plan.first.checked_add(place).expect("its number has 64 bits");
        let sample = SampledElection::new(instances, plan, number);
        let seed = Key::new(plan.seed, "schedules").at(number);
        let SampledElection { instance, scheduler, .. } = &sample;
        let most = plan.most_steps;
        let run = run_once(instance, *scheduler, seed, specification, automaton, most);
        report.samples += 1;
        report.steps += run.steps.len() as u64;
        if let Some(bound) = run.bound.filter(|&bound| bound > 0) {
            report.nearest = nearest(report.nearest, Some((run.messages, bound)));
        }
        report.longest = nearest(report.longest, run.units.filter(|&(_, most)| most > 0));
        if let SampleScheduler::Pct(depth) = sample.scheduler {
            let (threads, steps) = run.size;
            report.guarantees.push(DetectionGuarantee { depth, threads, steps, samples: 1 });
        }
        for (claim, weight) in run.weights {
            report.chances.entry(claim).or_default().record(weight);
        }
        match run.ended {
            WalkEnd::Holds => {}
            WalkEnd::Endless => report.endless += 1,
            WalkEnd::Violated(violation) => {
                found.failed = Some((sample, violation, run.steps.len()));
                return found;
            }
        }
    }
    found
}

fn nearest(one: Option<(u64, u64)>, other: Option<(u64, u64)>) -> Option<(u64, u64)> {
    let key = |pair: (u64, u64), of: u64| (u128::from(pair.0) * u128::from(of), pair.0);
    match (one, other) {
        (Some(a), Some(b)) => Some(if key(b, a.1) > key(a, b.1) { b } else { a }),
        (a, b) => a.or(b),
    }
}

impl SampleReport {
    fn add(&mut self, found: &Self) {
        self.samples += found.samples;
        self.steps += found.steps;
        self.endless += found.endless;
        self.nearest = nearest(self.nearest, found.nearest);
        self.longest = nearest(self.longest, found.longest);
        for guarantee in &found.guarantees {
            match self.guarantees.iter_mut().find(|known| known.depth == guarantee.depth) {
                Some(known) => {
                    known.samples += guarantee.samples;
                    if guarantee.probability() < known.probability() {
                        (known.threads, known.steps) = (guarantee.threads, guarantee.steps);
                    }
                }
                None => self.guarantees.push(*guarantee),
            }
        }
        self.guarantees.sort_by_key(|guarantee| guarantee.depth);
        for (&claim, weights) in &found.chances {
            self.chances.entry(claim).or_default().merge(weights);
        }
    }

    /// Returns the claims about chance that the samples together refute.
    pub fn refuted(&self) -> impl Iterator<Item = ChanceClaim> {
        let refuted = |weights: &Distribution| {
            weights.refutes_mean(ChanceClaim::CLAIMED) >= ChanceClaim::SIGNIFICANCE
        };
        self.chances.iter().filter(move |(_, weights)| refuted(weights)).map(|(&claim, _)| claim)
    }
}
