//! Every mutant is killed, and by the property that it was to be killed by; the algorithms as they
//! are pass.
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p suffrage-mutants
//! ```
//!
//! writes `docs/mutants.md` again, after a change that is meant.

use std::{collections::BTreeSet, env, fs};
use suffrage_algorithms::{CATALOGUE, Property};
use suffrage_mutants::{Fate, examine, examine_all, list::SUITES, report};

#[test]
fn every_mutant_is_killed_by_the_property_that_it_breaks() {
    let mut escaped = Vec::new();
    let fates = examine_all(|suite, fault, fate| {
        if !matches!(fate, Fate::Killed { property, .. } if property == fault.breaks) {
            let (algorithm, name, breaks) = (suite.algorithm, fault.name, fault.breaks);
            escaped.push(format!("{algorithm}, {name}: {breaks} expected, {fate:?}"));
        }
    });
    assert!(escaped.is_empty(), "{}", escaped.join("\n"));
    assert!(fates.len() >= 40);

    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/mutants.md");
    let report = report(&fates);
    if env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        fs::write(path, &report).expect("the table can be written");
    }
    let written = fs::read_to_string(path).expect("docs/mutants.md");
    assert!(written == report, "docs/mutants.md is not what `cargo xtask mutants` says");
}

#[test]
fn the_algorithms_as_they_are_pass_in_the_same_harness() {
    for (number, suite) in SUITES.iter().enumerate() {
        let fate = examine(number, None, 4);
        assert_eq!(fate, Fate::Survived { nodes: 4 }, "{}", suite.algorithm);
    }
}

#[test]
#[ignore = "takes a minute"]
fn the_one_of_which_a_mutant_needs_five_processes_passes_with_five() {
    let afek_gafni = SUITES.iter().position(|suite| suite.algorithm == "afek-gafni");
    let fate = examine(afek_gafni.expect("a suite for it"), None, 5);
    assert_eq!(fate, Fate::Survived { nodes: 5 });
}

#[test]
fn the_list_is_sound() {
    let faults = || SUITES.iter().flat_map(|suite| suite.faults);
    assert!(faults().all(|fault| Property::named(fault.breaks).is_some()));
    for suite in SUITES {
        let names: BTreeSet<_> = suite.faults.iter().map(|fault| fault.name).collect();
        assert_eq!(names.len(), suite.faults.len(), "{}: each name once", suite.algorithm);
    }
    let sound = CATALOGUE.iter().filter(|row| row.faulty.is_none()).map(|row| row.name);
    assert!(sound.eq(SUITES.iter().map(|suite| suite.algorithm)), "a suite for each algorithm");
    let broken: BTreeSet<_> = faults().map(|fault| fault.breaks).collect();
    assert_eq!(broken.len(), Property::ALL.len(), "each property is broken by some: {broken:?}");
}
