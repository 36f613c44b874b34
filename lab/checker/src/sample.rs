//! Sampled checking: random runs of random instances, where there are too many to explore them all.

mod instances;
mod run;
mod scheduler;
mod shrink;
mod walk;

pub use instances::RandomInstances;
pub use scheduler::Scheduler;

use crate::{
    checker::Subject, exploration::Counterexample, model::instance::InvalidInstance,
    property::properties::Properties,
};
use std::{num::NonZero, ops::ControlFlow, thread};
use suffrage_algorithms::{Algorithm, Property, Violation};

/// Checks random runs of random instances.
///
/// A sample draws an instance of [`RandomInstances`] and runs it once, with one [`Scheduler`] after
/// another. Every property is checked, as by a [`Checker`](crate::Checker). The first sample that
/// violates one, by number, is shrunk to fewer processes, fewer initiators and fewer steps. The same
/// seed gives the same report for any number of threads.
///
/// A report without failures proves nothing: [`Guarantee`] gives a lower bound on the probability
/// with which a fault is found.
///
/// ```
/// use suffrage_algorithms::Algorithm;
/// use suffrage_checker::{RandomInstances, Sampler};
///
/// let humblet = Algorithm::named("humblet").unwrap();
/// let instances = RandomInstances::new(humblet.network, 5..=16);
/// let report = Sampler::new(humblet, &instances).samples(500).seed(7).run()?;
/// assert!(report.failure.is_none());
/// assert_eq!(report.samples, 500);
/// # Ok::<(), suffrage_checker::InvalidInstance>(())
/// ```
#[must_use = "a sampler runs nothing until it is run"]
pub struct Sampler<'a, S: Subject> {
    subject: &'a S,
    instances: &'a RandomInstances,
    settings: SampleSettings<'a>,
}

/// The settings of a [`Sampler`].
pub struct SampleSettings<'a> {
    plan: Plan<'a>,
    on_progress: Option<Box<OnProgress<'a>>>,
}

/// The settings that all threads share.
#[derive(Clone, Copy)]
struct Plan<'a> {
    /// The number of the first sample.
    first: u64,
    samples: u64,
    seed: u64,
    schedulers: &'a [Scheduler],
    threads: Option<NonZero<usize>>,
    properties: &'a [Property],
    shrinks: bool,
    most_steps: u32,
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
#[derive(Clone, Debug)]
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
    pub guarantees: Vec<Guarantee>,
    /// The first sample that violates a property.
    pub failure: Option<Failure>,
    /// Whether the sampler was stopped before it was finished.
    pub stopped: bool,
}

/// The probability with which probabilistic concurrency testing finds a fault, if it is there: on
/// each instance at least `1 / (m k^(depth - 1))` per sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guarantee {
    /// The depth of the fault: the number of pairs of steps whose order matters.
    pub depth: u32,
    /// The number of threads, *m*, of links and initiators, in the instance of the least probability.
    pub threads: u64,
    /// The number of steps, *k*, in that instance.
    pub steps: u64,
    /// The number of samples.
    pub samples: u64,
}

impl Guarantee {
    /// Returns the least probability with which one sample finds a fault of its instance.
    #[must_use]
    pub fn probability(&self) -> f64 {
        let power = (1..self.depth).fold(1.0, |power, _| power * self.steps as f64);
        1.0 / (self.threads as f64 * power)
    }
}

/// A sample that violates a property.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The number of the sample.
    pub sample: u64,
    /// The scheduler of the sample.
    pub scheduler: Scheduler,
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

impl SampleReport {
    const fn new(of: u64) -> Self {
        Self {
            samples: 0,
            of,
            steps: 0,
            endless: 0,
            nearest: None,
            longest: None,
            guarantees: Vec::new(),
            failure: None,
            stopped: false,
        }
    }
}

impl Plan<'_> {
    fn threads(&self, samples: u64) -> u64 {
        let threads = self.threads.or_else(|| thread::available_parallelism().ok());
        threads.map_or(1, |threads| threads.get() as u64).min(samples).max(1)
    }
}

impl<'a> SampleSettings<'a> {
    pub(crate) const fn properties(&self) -> &'a [Property] {
        self.plan.properties
    }
}

impl<'a, S: Subject> Sampler<'a, S> {
    /// Creates a sampler of 10,000 samples with every scheduler, on all cores.
    pub fn new(subject: &'a S, instances: &'a RandomInstances) -> Self {
        let plan = Plan {
            first: 0,
            samples: 10_000,
            seed: 1,
            schedulers: &Scheduler::ALL,
            threads: None,
            properties: &[],
            shrinks: true,
            most_steps: MOST_STEPS,
        };
        let settings = SampleSettings { plan, on_progress: None };
        Self { subject, instances, settings }
    }

    /// Sets the number of samples.
    pub fn samples(mut self, samples: u64) -> Self {
        self.settings.plan.samples = samples;
        self
    }

    /// Sets the number of the first sample, which is 0 by default. What a sample is depends on its number
    /// and the seed alone, so that a sampler can take a part of the samples of another.
    ///
    /// # Panics
    /// [`run`](Self::run) panics if a sample has a number of 2^64 or more.
    pub fn first(mut self, number: u64) -> Self {
        self.settings.plan.first = number;
        self
    }

    /// Sets the seed of all instances and schedules.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.plan.seed = seed;
        self
    }

    /// Sets the schedulers, which are used in turn.
    ///
    /// # Panics
    /// If there are none.
    pub fn schedulers(mut self, schedulers: &'a [Scheduler]) -> Self {
        assert!(!schedulers.is_empty(), "a sampler needs a scheduler");
        self.settings.plan.schedulers = schedulers;
        self
    }

    /// Sets the number of threads; with 0, one per core, which is the default. The report does not
    /// depend on it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.settings.plan.threads = NonZero::new(threads);
        self
    }

    /// Sets whether to look for a smaller counterexample when a sample fails. The default is yes;
    /// otherwise the counterexample is the run as it was found.
    pub fn shrink(mut self, shrink: bool) -> Self {
        self.settings.plan.shrinks = shrink;
        self
    }

    /// Sets the number of steps after which a sample is given up. The default is 2^20.
    pub fn most_steps(mut self, steps: u32) -> Self {
        self.settings.plan.most_steps = steps;
        self
    }

    /// Calls `on_progress` about 20 times a second. The sampler stops when `on_progress` returns
    /// [`ControlFlow::Break`].
    pub fn on_progress(
        mut self,
        on_progress: impl FnMut(SampleProgress) -> ControlFlow<()> + 'a,
    ) -> Self {
        self.settings.on_progress = Some(Box::new(on_progress));
        self
    }

    /// Takes the samples.
    ///
    /// # Errors
    /// If the instances are invalid, or not for the algorithm.
    pub fn run(self) -> Result<SampleReport, InvalidInstance> {
        self.subject.sample(self.instances, self.settings)
    }
}

impl<'a> Sampler<'a, Algorithm> {
    /// Checks these properties only, among which may be invariants. If empty, which is the default,
    /// checks all claims about the algorithm and its invariants, or safety alone if faults are
    /// allowed.
    pub fn properties(mut self, properties: &'a [Property]) -> Self {
        self.settings.plan.properties = properties;
        self
    }
}

pub(crate) fn run(
    specification: &dyn Properties,
    instances: &RandomInstances,
    settings: SampleSettings<'_>,
) -> Result<SampleReport, InvalidInstance> {
    run::run(specification, instances, settings)
}
