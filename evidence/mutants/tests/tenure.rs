//! Every mutant of Tenure is found, and by what was expected; Tenure as it is passes.
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p suffrage-mutants --test tenure
//! ```
//!
//! writes `docs/reference/tenure-mutants.md` again, after a change that is meant.

use std::{collections::BTreeSet, env, fs};
use suffrage_mutants::{
    list::TENURE,
    tenure::{looked_for, report, scenarios},
};

#[test]
fn every_mutant_of_tenure_is_found_by_what_was_expected() {
    let report = report().unwrap_or_else(|missed| panic!("{missed}"));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/tenure-mutants.md");
    if env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        fs::write(path, &report).expect("the table can be written");
    }
    let written = fs::read_to_string(path).expect("docs/reference/tenure-mutants.md");
    assert!(written == report, "it is not what `cargo xtask mutants --tenure` says");
}

/// In every row, climate, cluster and scenario where some mutant is found, and for as long as they are looked for.
#[test]
fn tenure_as_it_is_passes_in_the_same_harness() {
    for found in TENURE.iter().flat_map(|fault| &fault.found).collect::<BTreeSet<_>>() {
        assert_eq!(looked_for(0, found), Ok(None), "{found:?}");
    }
}

/// A scenario is for a fault that was found, so it has to find that fault when it is seeded again.
#[test]
fn scenarios_find_faults_too() {
    assert_eq!(scenarios(0), Ok(vec![]), "Tenure as it is does what is written");
    let mut missed = Vec::new();
    for (number, fault) in (1..).zip(TENURE.iter()) {
        match scenarios(number).expect("they can be read") {
            found if found.is_empty() => missed.push(&fault.name),
            found => println!("{}: {}", fault.name, found.join(", ")),
        }
    }
    println!("missed: {missed:#?}");
    assert!(missed.len() <= 42, "{} of {} are missed", missed.len(), TENURE.len());
}

#[test]
fn the_list_is_sound() {
    let names: BTreeSet<_> = TENURE.iter().map(|fault| &fault.name).collect();
    assert_eq!(names.len(), TENURE.len(), "each name once");
    let killed = TENURE.iter().filter(|fault| !fault.found.is_empty()).count();
    assert!(killed >= 40, "{killed}");
    assert!(TENURE.iter().all(|fault| !fault.because.is_empty()), "each says why");
}
