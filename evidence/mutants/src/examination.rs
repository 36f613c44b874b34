//! The result for a mutant, or for an unchanged algorithm.

use crate::{
    MOST_NODES, SUBJECTS,
    list::{Expected, SUITES, SeededFault, Suite},
    subject::CHOSEN,
};
use std::sync::{Mutex, PoisonError, atomic::Ordering::Relaxed};
use suffrage_algorithms::{Algorithm, Claimed};
use suffrage_checker::{
    Arrangements, Checker, Family, Incomplete, InvalidInstance, RandomInstances, Sampler,
    Specification,
};

/// The algorithm whose port numberings are all explored, and not one alone, and the most nodes for
/// which it is.
const WITH_ALL_PORTS: (&str, u32) = ("humblet", 4);

/// The most nodes of elections that are explored where samples are expected to find what
/// exploration does not, or nothing is expected to be found.
const FEW_NODES: u32 = 3;

/// The most nodes of elections that are explored for invariants.
const NODES_FOR_INVARIANTS: u32 = 3;

/// The most nodes of elections that are sampled.
const SAMPLED_NODES: u32 = 12;

/// The random runs of each mutant, for properties and for each invariant.
pub const SAMPLES: u64 = 4_000;

/// The steps after which a random run is given up: several times what the longest election takes. A
/// mutant that never ends spends all of them in every run, and most of the time of all mutants.
const MOST_STEPS: u32 = 1 << 10;

/// The seeds of random runs for an invariant, each up to the first run in which something breaks.
pub const SEEDS: u64 = 16;

/// What a process is asked.
#[derive(Clone, Copy, Debug)]
pub enum Question {
    /// Does a property break in an election of this number of nodes?
    Explore(u32),
    /// Does the invariant of this number break in one, before any property does?
    ExploreInvariant(u32, usize),
    /// Does a property break in a random run of a larger one?
    Sample,
    /// Does a property, or the invariant of this number, break in one of the random runs of a seed?
    SampleInvariant(usize, u64),
}

/// Asks a process a question.
pub type Hold =
    fn(&'static Algorithm, &Suite, Question) -> Result<Option<Finding>, InvalidInstance>;

/// How a mutant was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// By exploration.
    Explored {
        /// The property or invariant that broke first.
        name: String,
        /// The number of nodes; with fewer nothing broke.
        nodes: u32,
        /// The steps of the shortest counterexample.
        steps: usize,
        /// The configurations that were explored with this number of nodes.
        states: u64,
    },
    /// By a random run.
    Sampled {
        /// The property or invariant that broke first.
        name: String,
        /// The number of the sample, from 1 on.
        sample: u64,
        /// The number of nodes of its election.
        nodes: u32,
        /// The steps until it broke.
        steps: usize,
    },
    /// It could not be explored to the end.
    Unknown {
        /// With this number of nodes.
        nodes: u32,
    },
}

impl Finding {
    /// The property or invariant that broke.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Explored { name, .. } | Self::Sampled { name, .. } => name,
            Self::Unknown { .. } => "unknown",
        }
    }
}

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fate {
    /// The property that broke first, if one did.
    pub property: Option<Finding>,
    /// The invariants that broke: all that break in small elections, or else the first in a sample.
    pub invariants: Vec<Finding>,
}

impl Fate {
    /// Whether it is what was expected.
    #[must_use]
    pub fn is(&self, expected: Expected) -> bool {
        match (&self.property, expected) {
            (Some(Finding::Explored { name, .. }), Expected::Explored(property))
            | (Some(Finding::Sampled { name, .. }), Expected::Sampled(property)) => {
                name == property
            }
            (None, Expected::Invariant(invariant)) => {
                self.invariants.iter().any(|found| found.name() == invariant)
            }
            (None, Expected::Equivalent) => self.invariants.is_empty(),
            _ => false,
        }
    }
}

/// Asks a process whether properties of its row or its invariants break.
pub(crate) fn hold<P: Claimed>(
    row: &'static Algorithm,
    suite: &Suite,
    question: Question,
) -> Result<Option<Finding>, InvalidInstance> {
    let properties = || Specification::<P>::of(&row.claims);
    // Where a property breaks, nothing is asked of invariants any more.
    let is_invariant = |found: &Finding| row.invariants().contains(&found.name());
    match question {
        Question::Explore(nodes) => explore(&properties(), P::NETWORK, suite, nodes),
        Question::ExploreInvariant(nodes, number) => {
            let one = P::invariants().into_iter().skip(number).take(1);
            let found = explore(&properties().invariants(one), P::NETWORK, suite, nodes)?;
            Ok(found.filter(is_invariant))
        }
        Question::Sample => sample(&properties(), P::NETWORK, 1),
        Question::SampleInvariant(number, seed) => {
            let one = P::invariants().into_iter().skip(number).take(1);
            sample(&properties().invariants(one), P::NETWORK, seed)
        }
    }
}

fn explore<P: Claimed>(
    specification: &Specification<'_, P>,
    network: suffrage_model::NetworkClass,
    suite: &Suite,
    nodes: u32,
) -> Result<Option<Finding>, InvalidInstance> {
    let family = Family::everything(network, nodes).expect("few nodes are few networks");
    let mut family = family.timed(P::TIMING);
    if suite.algorithm == WITH_ALL_PORTS.0 && nodes <= WITH_ALL_PORTS.1 {
        family.arrangements = Arrangements::every_ports_of_complete(nodes);
    }
    let checker = Checker::new(specification, &family).memory(1 << 29).costs(false).threads(2);
    let report = checker.run()?;
    if let Some((_, found)) = report.counterexample {
        let (name, steps) = (found.violation.property.to_string(), found.execution.moves.len());
        return Ok(Some(Finding::Explored { name, nodes, steps, states: report.states }));
    }
    let unknown =
        matches!(report.incomplete, Some(Incomplete::OutOfMemory(_) | Incomplete::Stopped));
    Ok(unknown.then_some(Finding::Unknown { nodes }))
}

fn sample<P: Claimed>(
    specification: &Specification<'_, P>,
    network: suffrage_model::NetworkClass,
    seed: u64,
) -> Result<Option<Finding>, InvalidInstance> {
    let instances = RandomInstances::new(network, 2..=SAMPLED_NODES);
    let sampler = Sampler::new(specification, &instances).samples(SAMPLES).seed(seed).threads(2);
    let report = match sampler.shrink(false).most_steps(MOST_STEPS).run() {
        // Algorithms in rounds are explored alone; random instances wake at random.
        Err(InvalidInstance::SampledInRounds | InvalidInstance::NotSimultaneous) => {
            return Ok(None);
        }
        report => report?,
    };
    Ok(report.violation.map(|failure| {
        let execution = &failure.counterexample.execution;
        Finding::Sampled {
            name: failure.violation.property.to_string(),
            sample: failure.sample + 1,
            nodes: execution.instance.wiring.nodes(),
            steps: execution.moves.len(),
        }
    }))
}

/// What becomes of an algorithm, or with a number of the one of its mutants with this number, where
/// elections of up to this number of nodes are explored for properties.
///
/// # Panics
/// If there is no such suite or fault in this build.
#[must_use]
pub fn examine(suite: usize, mutant: Option<usize>, most: u32) -> Fate {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    CHOSEN.store(mutant.map_or(0, |mutant| mutant + 1), Relaxed);
    let (hold, suite) = (SUBJECTS[suite].expect("a suite of this build"), &SUITES[suite]);
    let row = Algorithm::named(suite.algorithm).expect("a row of the catalogue");
    let ask = |question| hold(row, suite, question).expect("instances for the algorithm");
    let expected = mutant.map(|mutant| suite.faults[mutant].expected);
    let most = match expected {
        None | Some(Expected::Explored(_)) => most,
        Some(_) => most.min(FEW_NODES),
    };
    let property = (1..=most).find_map(|nodes| ask(Question::Explore(nodes)));
    let property = property.or_else(|| ask(Question::Sample));
    let invariants = row.invariants();
    let explored = |number| {
        let mut sizes = 1..=NODES_FOR_INVARIANTS;
        sizes.find_map(|nodes| ask(Question::ExploreInvariant(nodes, number)))
    };
    let sampled = |number| {
        for seed in 1..=SEEDS {
            let found = ask(Question::SampleInvariant(number, seed))?;
            if found.name() == invariants[number] {
                return Some(found);
            }
        }
        None
    };
    let broken =
        (0..invariants.len()).filter_map(|number| explored(number).or_else(|| sampled(number)));
    let invariants = broken.collect();
    Fate { property, invariants }
}

/// The suites that this build has, with their numbers: all, or with the variable `MUTANTS=2/3` every third, from the
/// second on.
pub fn suites() -> impl Iterator<Item = (usize, &'static Suite)> {
    SUITES.iter().enumerate().filter(|&(number, _)| SUBJECTS[number].is_some())
}

/// Whether this build has all suites.
#[must_use]
pub fn is_whole() -> bool {
    suites().count() == SUITES.len()
}

/// Every mutant of this build with what became of it.
#[must_use]
pub fn examine_all(mut each: impl FnMut(&Suite, &SeededFault, &Fate)) -> Vec<Fate> {
    let mutants = suites().flat_map(|(number, suite)| {
        suite.faults.iter().enumerate().map(move |(f, fault)| (number, suite, f, fault))
    });
    let fate = |(number, suite, f, fault)| {
        let fate = examine(number, Some(f), MOST_NODES);
        each(suite, fault, &fate);
        fate
    };
    mutants.map(fate).collect()
}
