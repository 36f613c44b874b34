//! Seeded faults: is the checker able to find what is wrong?
//!
//! `build.rs` makes a copy of an algorithm's own file for each fault of the [list](list::SUITES),
//! with one edit. [`examine`] explores every instance of 1, 2, 3... nodes of every mutant, and of
//! every algorithm as it is, until a promise of the catalogue's row is broken. A mutant is killed
//! by the property that its list names, or it counts as one that got away.

extern crate alloc;

pub mod list;
#[macro_use]
mod subject;

use list::{SUITES, SeededFault, Suite};
use std::{
    fmt::Write,
    sync::{Mutex, PoisonError, atomic::Ordering::Relaxed},
};
use subject::CHOSEN;
use suffrage_algorithms::Algorithm;
use suffrage_checker::{
    Arrangements, Checker, Family, Incomplete, InvalidInstance, Report, Specification,
};
use suffrage_process::Process;

/// The most nodes with which a mutant is given a chance.
pub const MOST_NODES: u32 = 5;

/// The most nodes of which every port numbering is explored, where that is asked.
const MOST_NODES_WITH_ALL_PORTS: u32 = 4;

type Hold = fn(&'static Algorithm, u32, bool) -> Result<Report, InvalidInstance>;

include!(concat!(env!("OUT_DIR"), "/subjects.rs"));

/// Holds a process to all that a row of the catalogue promises: on every network of so many nodes,
/// with every order of identities, every set of initiators, on every schedule.
fn hold<P: Process>(
    row: &'static Algorithm,
    nodes: u32,
    all_ports: bool,
) -> Result<Report, InvalidInstance> {
    let mut family = Family::everything(P::NETWORK, nodes).expect("few nodes are few networks");
    if all_ports && nodes <= MOST_NODES_WITH_ALL_PORTS {
        family.arrangements = Arrangements::every_ports_of_complete(nodes);
    }
    let specification = Specification::<P>::of(&row.claims);
    Checker::new(&specification, &family).memory(1 << 29).costs(false).threads(2).run()
}

/// What became of a mutant, or of an algorithm as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It broke a promise.
    Killed {
        /// Of so many nodes; with fewer it broke none.
        nodes: u32,
        /// Which promise.
        property: String,
        /// How, in words.
        detail: String,
        /// The steps of the shortest counterexample.
        steps: usize,
        /// The configurations that were explored with so many nodes.
        states: u64,
    },
    /// It broke none, up to so many nodes.
    Survived {
        /// The most nodes.
        nodes: u32,
    },
    /// It could not be explored to the end.
    Unknown {
        /// With so many nodes.
        nodes: u32,
        /// Why.
        why: String,
    },
}

/// What becomes of an algorithm, or with a number of the one of its mutants with this number.
///
/// # Panics
/// If there is no such suite or fault.
#[must_use]
pub fn examine(suite: usize, mutant: Option<usize>, most: u32) -> Fate {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    CHOSEN.store(mutant.map_or(0, |mutant| mutant + 1), Relaxed);
    let hold = SUBJECTS[suite];
    let row = Algorithm::named(SUITES[suite].algorithm).expect("a row of the catalogue");
    for nodes in 1..=most {
        let report = match hold(row, nodes, SUITES[suite].all_ports) {
            Ok(report) => report,
            Err(why) => return Fate::Unknown { nodes, why: why.to_string() },
        };
        if let Some((_, found)) = report.counterexample {
            return Fate::Killed {
                nodes,
                property: found.broken.property.name().to_owned(),
                detail: found.broken.detail,
                steps: found.execution.moves.len(),
                states: report.states,
            };
        }
        if let Some(Incomplete::OutOfMemory(_) | Incomplete::Stopped) = report.incomplete {
            return Fate::Unknown { nodes, why: "out of memory".to_owned() };
        }
    }
    Fate::Survived { nodes: most }
}

/// Every mutant with what became of it.
#[must_use]
pub fn examine_all(mut each: impl FnMut(&Suite, &SeededFault, &Fate)) -> Vec<Fate> {
    let mut fates = Vec::new();
    for (s, suite) in SUITES.iter().enumerate() {
        for (f, fault) in suite.faults.iter().enumerate() {
            let fate = examine(s, Some(f), MOST_NODES);
            each(suite, fault, &fate);
            fates.push(fate);
        }
    }
    fates
}

/// The report: a table for each algorithm.
#[must_use]
pub fn report(fates: &[Fate]) -> String {
    let faults =
        SUITES.iter().flat_map(|suite| suite.faults.iter().map(move |fault| (suite, fault)));
    let mut report =
        format!("# Mutants\n\n{}\n", INTRODUCTION.replace("{}", &fates.len().to_string()));
    let mut last = ("", "");
    for ((suite, fault), fate) in faults.zip(fates) {
        let file = fault.file(suite);
        if last != (suite.algorithm, file) {
            last = (suite.algorithm, file);
            let _ = write!(report, "\n## {}\n\nIn `{file}`.\n{HEAD}", suite.algorithm);
        }
        let Fate::Killed { nodes, property, steps, states, .. } = fate else {
            let _ = writeln!(report, "| {} | {fate:?} |", fault.name);
            continue;
        };
        let _ = writeln!(
            report,
            "| {} | {} | {} | {property} | {} | {nodes} | {steps} | {states} |",
            fault.name,
            code(fault.was),
            code(fault.is),
            fault.because,
        );
    }
    report
}

const INTRODUCTION: &str = "\
Is the checker able to find what is wrong? {} faults are seeded into the algorithms, one at a time,
and each mutant is held to all that the catalogue says of its algorithm: on every network of 1, 2,
3, 4 and 5 nodes, with every order of identities, every set of initiators, on every schedule; for
`humblet` with up to 4 nodes also with every port numbering. Which property a fault breaks was
reasoned out; a mutant that survives, and one that breaks another property first, fails the test
that keeps this table. The algorithms as they are pass in the same harness.

A row says what was changed, which property the first instance that fails breaks, with how many
nodes (with fewer none fails), the steps of its counterexample, and the configurations explored
with that number of nodes until it was found. No execution with fewer steps violates a property of
that instance: under `message-bound` the executions are those to an end, under `termination` those
to a loop and once around it.

```text
cargo xtask mutants > docs/mutants.md
```
";

const HEAD: &str = "
| Fault | Was | Is | Killed by | Because | Nodes | Steps | Configurations |
|---|---|---|---|---|---:|---:|---:|
";

/// Code in a cell of a table, on one line.
fn code(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.is_empty() {
        true => "(nothing)".to_owned(),
        false => format!("`{}`", words.join(" ").replace('|', "\\|")),
    }
}
