//! The result for a mutant, or for an unchanged algorithm.

use crate::{
    MOST_NODES, SUBJECTS,
    list::{Expected, SUITES, SeededFault, Suite},
};
use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicUsize, Ordering::Relaxed},
};
use suffrage_algorithms::{Algorithm, Claimed};
use suffrage_checker::{
    Arrangements, Checker, Family, Incomplete, InvalidInstance, RandomInstances, Sampler,
    Specification,
};

/// The number of the fault that all algorithms have, or 0.
///
/// A process is made from what it knows of the network, and should know nothing of this.
static CHOSEN: AtomicUsize = AtomicUsize::new(0);

/// The fault that an algorithm has now.
pub(crate) fn chosen() -> usize {
    CHOSEN.load(Relaxed)
}

/// Chooses a fault, or with 0 none, for as long as the guard lives.
pub(crate) fn choose(fault: usize) -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    CHOSEN.store(fault, Relaxed);
    alone
}

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
pub type Hold = fn(&'static Algorithm, Question) -> Result<Option<Finding>, InvalidInstance>;

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
    pub fn is(&self, expected: &Expected) -> bool {
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
    question: Question,
) -> Result<Option<Finding>, InvalidInstance> {
    let properties = || Specification::<P>::of(&row.claims);
    // Where a property breaks, nothing is asked of invariants any more.
    let is_invariant = |found: &Finding| row.invariants().contains(&found.name());
    match question {
        Question::Explore(nodes) => explore(&properties(), row, nodes),
        Question::ExploreInvariant(nodes, number) => {
            let one = P::invariants().into_iter().skip(number).take(1);
            let found = explore(&properties().invariants(one), row, nodes)?;
            Ok(found.filter(is_invariant))
        }
        Question::Sample => sample(&properties(), row, 1),
        Question::SampleInvariant(number, seed) => {
            let one = P::invariants().into_iter().skip(number).take(1);
            sample(&properties().invariants(one), row, seed)
        }
    }
}

fn explore<P: Claimed>(
    specification: &Specification<'_, P>,
    row: &Algorithm,
    nodes: u32,
) -> Result<Option<Finding>, InvalidInstance> {
    let family = Family::everything(row.network, nodes).expect("few nodes are few networks");
    let mut family = family.timed(row.timing);
    if row.name == WITH_ALL_PORTS.0 && nodes <= WITH_ALL_PORTS.1 {
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
    row: &Algorithm,
    seed: u64,
) -> Result<Option<Finding>, InvalidInstance> {
    if row.timing.in_rounds() {
        return Ok(None); // What is known of these faults comes from exploration.
    }
    let instances = RandomInstances::new(row.network, 2..=SAMPLED_NODES);
    let sampler = Sampler::new(specification, &instances).samples(SAMPLES).seed(seed).threads(2);
    let report = sampler.shrink(false).most_steps(MOST_STEPS).run()?;
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
/// If this build does not have the suite, or the suite no such fault.
#[must_use]
pub fn examine(suite: &Suite, mutant: Option<usize>, most: u32) -> Fate {
    let _alone = choose(mutant.map_or(0, |mutant| suite.faults[mutant].number));
    let hold = hold_of(suite).expect("a suite of this build");
    let row = Algorithm::named(&suite.algorithm).expect("a row of the catalogue");
    let ask = |question| hold(row, question).expect("instances for the algorithm");
    let expected = mutant.map(|mutant| &suite.faults[mutant].expected);
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

fn hold_of(suite: &Suite) -> Option<Hold> {
    SUBJECTS.iter().find(|(algorithm, _)| *algorithm == suite.algorithm).map(|&(_, hold)| hold)
}

/// The suites that this build has, in the order of the catalogue: all, or with the variable `PART=2/3` every third
/// by name, from the second on, or with `PART=humblet` one.
pub fn suites() -> impl Iterator<Item = &'static Suite> {
    let of = |row: &Algorithm| SUITES.iter().find(|suite| suite.algorithm == row.name);
    Algorithm::correct().filter_map(of).filter(|suite| hold_of(suite).is_some())
}

/// Whether this build has all suites.
#[must_use]
pub fn is_whole() -> bool {
    SUBJECTS.len() == SUITES.len()
}

/// Every mutant of this build with what became of it.
#[must_use]
pub fn examine_all(mut each: impl FnMut(&Suite, &SeededFault, &Fate)) -> Vec<Fate> {
    let mut fates = Vec::new();
    for suite in suites() {
        for (number, fault) in suite.faults.iter().enumerate() {
            let fate = examine(suite, Some(number), MOST_NODES);
            each(suite, fault, &fate);
            fates.push(fate);
        }
    }
    fates
}
