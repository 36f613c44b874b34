//! The checker of a family: its settings, and what it checks.

mod report;
mod run;

pub use report::{Incomplete, Report, WorstCase};

use crate::{
    exploration::Options,
    family::Family,
    model::instance::InvalidInstance,
    property::{Specification, properties::Properties},
    sample::{self, RandomInstances, SampleReport, SampleSettings},
};
use std::{num::NonZero, ops::ControlFlow, thread};
use suffrage_algorithms::{Algorithm, Claimed, Claims, Custom, Property, Visitor};
use suffrage_model::Process;

/// Explores every schedule of every instance of a [`Family`].
///
/// The subject is an [`Algorithm`] of the catalogue, a [`Custom`] one, or a process with a
/// [`Specification`] of your own. An algorithm is checked for everything that is claimed of it or,
/// where faults are allowed, for safety: never two leaders, no decision revoked. An algorithm of
/// the catalogue is checked for its invariants, too, unless faults are allowed.
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
pub struct Checker<'a, S: Subject> {
    subject: &'a S,
    family: &'a Family,
    settings: Settings<'a>,
}

/// The settings of a [`Checker`].
pub struct Settings<'a> {
    options: Options,
    keep_going: bool,
    symmetry: bool,
    threads: Option<NonZero<usize>>,
    properties: &'a [Property],
    on_progress: Option<Box<OnProgress<'a>>>,
}

/// A callback that receives the progress, and may stop the exploration.
type OnProgress<'a> = dyn FnMut(Progress) -> ControlFlow<()> + 'a;

/// The progress of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of instances explored.
    pub instances: u64,
    /// The number of instances of the family.
    pub of: u64,
    /// The number of configurations explored, those of unfinished instances included.
    pub states: u64,
}

/// An algorithm, or a specification of a process, that a [`Checker`] can check.
pub trait Subject: Sync {
    /// Returns the family whose instances [`check`](Self::check) explores and numbers: the same one, in
    /// which [nodes differ](Family::nodes_differ) if processes know their places or properties may name
    /// nodes.
    ///
    /// # Errors
    /// If the instances of the family are invalid, or not for the algorithm.
    fn tell_apart(&self, family: &Family) -> Result<Family, InvalidInstance>;

    /// Explores a family.
    ///
    /// # Errors
    /// If the instances of the family are invalid, or not for the algorithm.
    fn check(&self, family: &Family, settings: Settings<'_>) -> Result<Report, InvalidInstance>;

    /// Checks random runs of random instances.
    ///
    /// # Errors
    /// If the instances are invalid, or not for the algorithm.
    fn sample(
        &self,
        instances: &RandomInstances,
        settings: SampleSettings<'_>,
    ) -> Result<SampleReport, InvalidInstance>;
}

impl<P: Process> Subject for Specification<'_, P> {
    fn tell_apart(&self, family: &Family) -> Result<Family, InvalidInstance> {
        run::tell_apart(self, family)
    }

    fn check(&self, family: &Family, settings: Settings<'_>) -> Result<Report, InvalidInstance> {
        run::run(self, family, settings)
    }

    fn sample(
        &self,
        instances: &RandomInstances,
        settings: SampleSettings<'_>,
    ) -> Result<SampleReport, InvalidInstance> {
        sample::run(self, instances, settings)
    }
}

/// Returns the specification to check for an algorithm: these properties. If `properties` is empty,
/// all claims, or safety alone if faults are allowed.
fn specification<P: Process>(
    claims: Option<&Claims>,
    properties: &[Property],
    faultless: bool,
) -> Specification<'static, P> {
    let required = match (properties, faultless, claims) {
        ([], true, Some(claims)) => Specification::of(claims),
        ([], true, None) => Specification::election(),
        ([], false, _) => Specification::safety(),
        (properties, ..) => Specification::these(properties),
    };
    match claims {
        Some(claims) => required.about(claims),
        None => required,
    }
}

/// Returns the specification to check for an algorithm of the catalogue: these properties and
/// invariants. If `properties` is empty, all claims and all invariants, or safety alone if faults
/// are allowed.
pub(crate) fn of_algorithm(
    algorithm: &Algorithm,
    properties: &[Property],
    faultless: bool,
) -> Box<dyn Properties> {
    struct Specify<'a>(&'a Claims, &'a [Property], bool);
    impl Visitor for Specify<'_> {
        type Output = Box<dyn Properties>;
        fn visit<P: Claimed>(self) -> Self::Output {
            let Self(claims, properties, faultless) = self;
            let mut invariants = P::invariants();
            if !(properties.is_empty() && faultless) {
                invariants.retain(|of| properties.contains(&Property::Invariant(of.name())));
            }
            let required = specification::<P>(Some(claims), properties, faultless);
            Box::new(required.invariants(invariants))
        }
    }
    algorithm.visit(Specify(&algorithm.claims, properties, faultless))
}

impl<P: Process> Subject for Custom<P> {
    fn tell_apart(&self, family: &Family) -> Result<Family, InvalidInstance> {
        run::tell_apart(&specification::<P>(None, &[], true), family)
    }

    fn check(&self, family: &Family, settings: Settings<'_>) -> Result<Report, InvalidInstance> {
        let faultless = family.faults.is_none();
        let required = specification::<P>(self.claims(), settings.properties, faultless);
        run::run(&required, family, settings)
    }

    fn sample(
        &self,
        instances: &RandomInstances,
        settings: SampleSettings<'_>,
    ) -> Result<SampleReport, InvalidInstance> {
        let faultless = instances.faults.is_none();
        let required = specification::<P>(self.claims(), settings.properties(), faultless);
        sample::run(&required, instances, settings)
    }
}

impl Subject for Algorithm {
    fn tell_apart(&self, family: &Family) -> Result<Family, InvalidInstance> {
        run::tell_apart(&*of_algorithm(self, &[], true), family)
    }

    fn check(&self, family: &Family, settings: Settings<'_>) -> Result<Report, InvalidInstance> {
        let required = of_algorithm(self, settings.properties, family.faults.is_none());
        run::run(&*required, family, settings)
    }

    fn sample(
        &self,
        instances: &RandomInstances,
        settings: SampleSettings<'_>,
    ) -> Result<SampleReport, InvalidInstance> {
        let required = of_algorithm(self, settings.properties(), instances.faults.is_none());
        sample::run(&*required, instances, settings)
    }
}

impl<'a, S: Subject> Checker<'a, S> {
    /// Creates a checker that uses all cores and 4 GiB of memory, and stops at the first instance
    /// that violates a property.
    pub fn new(subject: &'a S, family: &'a Family) -> Self {
        let settings = Settings {
            options: Options::default(),
            keep_going: false,
            symmetry: true,
            threads: None,
            properties: &[],
            on_progress: None,
        };
        Self { subject, family, settings }
    }

    /// Sets the number of instances that are explored in parallel; with 0, one per core, which is
    /// the default. The report does not depend on it, unless the memory is used up.
    pub fn threads(mut self, threads: usize) -> Self {
        self.settings.threads = NonZero::new(threads);
        self
    }

    /// Limits the memory for configurations, in bytes, of all threads together.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.settings.options.memory = bytes;
        self
    }

    /// Sets whether to explore every configuration, without partial-order reduction. The default is
    /// no.
    ///
    /// Properties of elections hold of all configurations if they hold of those that are explored.
    /// Invariants are checked in those that are explored.
    pub fn full(mut self, full: bool) -> Self {
        self.settings.options.full = full;
        self
    }

    /// Sets whether to find the exact costs of elections as well. The default is yes.
    pub fn costs(mut self, costs: bool) -> Self {
        self.settings.options.costs = costs;
        self
    }

    /// Sets whether to explore only one of several isomorphic instances. The default is yes.
    pub fn symmetry(mut self, symmetry: bool) -> Self {
        self.settings.symmetry = symmetry;
        self
    }

    /// Sets whether to continue after an instance that violates a property, to count all that do.
    /// The default is no.
    pub fn keep_going(mut self, keep_going: bool) -> Self {
        self.settings.keep_going = keep_going;
        self
    }

    /// Calls `on_progress` about 20 times a second, on the thread that runs the checker. The
    /// exploration stops when it returns [`ControlFlow::Break`].
    pub fn on_progress(
        mut self,
        on_progress: impl FnMut(Progress) -> ControlFlow<()> + 'a,
    ) -> Self {
        self.settings.on_progress = Some(Box::new(on_progress));
        self
    }

    /// Explores the family.
    ///
    /// # Errors
    /// If the instances of the family are invalid, or not for the algorithm.
    pub fn run(self) -> Result<Report, InvalidInstance> {
        self.subject.check(self.family, self.settings)
    }
}

impl<'a> Checker<'a, Algorithm> {
    /// Checks these properties only. If empty, which is the default, checks all claims about the
    /// algorithm and its invariants, or safety alone if faults are allowed.
    pub fn properties(mut self, properties: &'a [Property]) -> Self {
        self.settings.properties = properties;
        self
    }
}

impl Settings<'_> {
    fn threads(&self, instances: u64) -> u64 {
        let threads = self.threads.or_else(|| thread::available_parallelism().ok());
        threads.map_or(1, |threads| threads.get() as u64).min(instances).max(1)
    }
}

impl<'a, P: Process> Checker<'a, Custom<P>> {
    /// Checks these properties only. If empty, which is the default, checks all claims about the
    /// algorithm, or safety alone if faults are allowed.
    pub fn properties(mut self, properties: &'a [Property]) -> Self {
        self.settings.properties = properties;
        self
    }
}
