//! The tables of docs/reference/mutants.md.

use crate::{
    Fate, Finding, SAMPLES, SEEDS, judge,
    list::{JUDGE, SeededFault, Suite},
    suites,
};
use std::fmt::Write;
use suffrage_algorithms::Algorithm;

/// The document: a table for each algorithm, and one for the judge.
#[must_use]
pub fn report(fates: &[Fate]) -> String {
    let faults = suites().flat_map(|suite| suite.faults.iter().map(move |fault| (suite, fault)));
    let introduction = INTRODUCTION
        .replace("{faults}", &(fates.len() + JUDGE.len()).to_string())
        .replace("{samples}", &SAMPLES.to_string())
        .replace("{seeds}", &SEEDS.to_string());
    let mut report = format!("# Mutants\n\n{introduction}\n");
    let mut last = ("", "");
    for ((suite, fault), fate) in faults.zip(fates) {
        let file = fault.file.as_ref().unwrap_or(&suite.file);
        if last != (suite.algorithm.as_str(), file) {
            last = (&suite.algorithm, file);
            let _ = write!(report, "\n## {}\n\n{}\n{HEAD}", suite.algorithm, place(suite, file));
        }
        report += &row(fault, fate);
    }
    let _ = write!(report, "\n## The judge\n\nIn `judge.rs`.\n{JUDGE_HEAD}");
    for (number, fault) in JUDGE.iter().enumerate() {
        let (was, is) = (code(&fault.was), code(&fault.is));
        let case = judge::examine(number).unwrap_or("survives");
        let _ = writeln!(report, "| {} | {was} | {is} | {case} | {} |", fault.name, fault.because);
    }
    report
}

/// Says in which file faults are, and what it was when they were examined if it is the algorithm's own.
///
/// # Panics
///
/// If the catalogue has no such algorithm.
#[must_use]
pub fn place(suite: &Suite, file: &str) -> String {
    let row = Algorithm::named(&suite.algorithm).expect("a row");
    match file == suite.file {
        true => format!("In `{file}`, whose SHA-256 begins with `{}`.", &row.digest()[..16]),
        false => format!("In `{file}`."),
    }
}

/// The row of a mutant.
#[must_use]
pub fn row(fault: &SeededFault, fate: &Fate) -> String {
    let property = match &fate.property {
        Some(Finding::Explored { name, nodes, steps, states }) => {
            format!("{name} | {nodes} | {steps} | {states}")
        }
        Some(Finding::Sampled { name, sample, nodes, steps }) => {
            format!("{name} | {nodes} | {steps} | sample {sample}")
        }
        Some(Finding::Unknown { nodes }) => format!("unknown | {nodes} | |"),
        None if fate.invariants.is_empty() => "equivalent | | |".to_owned(),
        None => "by an invariant alone | | |".to_owned(),
    };
    let invariants = fate.invariants.iter().map(|found| match found {
        Finding::Explored { name, nodes, .. } => format!("*{name}* ({nodes})"),
        Finding::Sampled { name, nodes, .. } => format!("*{name}* (sampled, {nodes})"),
        Finding::Unknown { .. } => String::new(),
    });
    let invariants = invariants.collect::<Vec<_>>().join(", ");
    let (was, is, because) = (code(&fault.was), code(&fault.is), &fault.because);
    format!("| {} | {was} | {is} | {property} | {invariants} | {because} |\n", fault.name)
}

const INTRODUCTION: &str = "\
Can the checker find faults? {faults} faults are seeded into the algorithms, the announcement and the judge,
one at a time, and each mutant is checked against all claims of its algorithm.

*Killed by* is the property that breaks first. Most mutants are explored: on every network of 1, 2,
3, 4 and 5 nodes, with every order of identities, every set of initiators, on every schedule; for
`humblet` with up to 4 nodes also with every port numbering. Then *nodes* is the size of the first instance that fails (no smaller one fails), *steps* the length of its
shortest counterexample (under `message-bound` among executions to an end, under `termination` to a loop and
once around it), and *found after* the number of configurations that were explored with this number of nodes.
Mutants that break nothing with up to 3 nodes may be sampled instead: {samples} random runs of 2 to 12 nodes,
as by `suffrage check --sample`. Then *found after* is the number of the sample, and nodes and steps are those
of its run, which is not shrunk here.

*Invariants* are those that break before any property does, each with the number of nodes: in elections of up
to 3 nodes, or otherwise in such random runs ({seeds} seeds, each until something breaks). Some mutant breaks
each of them that is no formula; [proved](proved.md) says which faults the proofs of formulas refuse. An *equivalent*
mutant breaks nothing, for the given reason.

If another property than expected finds a mutant, the test of this document fails. The unchanged algorithms
pass in the same harness.

```text
cargo xtask mutants > docs/reference/mutants.md
```
";

const HEAD: &str = "
| Fault | Was | Is | Killed by | Nodes | Steps | Found after | Invariants | Because |
|---|---|---|---|---:|---:|---:|---|---|
";

const JUDGE_HEAD: &str = "
| Fault | Was | Is | Misjudged | Because |
|---|---|---|---|---|
";

/// Code in a cell of a table, on one line.
pub(crate) fn code(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.is_empty() {
        true => "(nothing)".to_owned(),
        false => format!("`{}`", words.join(" ").replace('|', "\\|")),
    }
}
