//! Every mutant is found out, and by what was expected; the algorithms as they are pass.
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p suffrage-mutants
//! ```
//!
//! writes `docs/reference/mutants.md` again, after a change that is meant. With `PART=2/3` every third suite is
//! built, from the second on: continuous integration has time for a part, which is another one with the next commit.

use std::{collections::BTreeSet, env, fs};
use suffrage_algorithms::{Algorithm, Property};
use suffrage_mutants::{
    Fate, examine, examine_all, is_whole, judge,
    list::{Expected, JUDGE, SUITES},
    place, report, row, suites,
};

/// What was found.
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/mutants.md");

#[test]
fn every_mutant_is_found_out_by_what_was_expected() {
    let written = fs::read_to_string(DOCUMENT).expect("docs/reference/mutants.md");
    let mut escaped = Vec::new();
    let mut broken = BTreeSet::new();
    let update = env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1");
    let fates = examine_all(|suite, fault, fate| {
        let (algorithm, name, expected) = (&suite.algorithm, &fault.name, &fault.expected);
        println!("{algorithm}, {name}: {fate:?}");
        if !fate.is(expected) {
            escaped.push(format!("{algorithm}, {name}: {expected:?} expected, {fate:?}"));
        }
        if !update && !written.contains(&row(fault, fate)) {
            escaped.push(format!(
                "{algorithm}, {name}: docs/reference/mutants.md says otherwise, {fate:?}"
            ));
        }
        broken.extend(
            fate.invariants.iter().map(|found| (algorithm.clone(), found.name().to_owned())),
        );
    });
    for suite in suites() {
        let row = Algorithm::named(&suite.algorithm).expect("a row");
        let has_formula = |name: &&str| row.statement(name).is_some_and(|of| of.formula.is_some());
        for invariant in row.invariants().into_iter().filter(|name| !has_formula(name)) {
            if !broken.contains(&(suite.algorithm.clone(), invariant.to_owned())) {
                escaped.push(format!("{}, *{invariant}*: no mutant breaks it", suite.algorithm));
            }
        }
    }
    assert!(escaped.is_empty(), "{}", escaped.join("\n"));
    assert!(!fates.is_empty());
    if !is_whole() {
        return;
    }

    assert!(fates.len() + JUDGE.len() >= 150, "{}", fates.len());
    let report = report(&fates);
    if update {
        fs::write(DOCUMENT, &report).expect("the table can be written");
    } else {
        assert!(
            written == report,
            "docs/reference/mutants.md is not what `cargo xtask mutants` says"
        );
    }
}

#[test]
fn an_algorithm_that_has_changed_is_examined_anew_whatever_part_is_built() {
    let written = fs::read_to_string(DOCUMENT).expect("docs/reference/mutants.md");
    for suite in SUITES.iter() {
        let (algorithm, place) = (&suite.algorithm, place(suite, &suite.file));
        assert!(
            written.contains(&format!("## {algorithm}\n\n{place}\n")),
            "{algorithm} is not what docs/reference/mutants.md is about: run cargo xtask mutants"
        );
    }
}

#[test]
fn every_mutant_of_the_judge_misjudges_some_election() {
    for (number, fault) in JUDGE.iter().enumerate() {
        assert!(judge::examine(number).is_some(), "{}", fault.name);
    }
}

/// What becomes of what has no fault.
fn sound() -> Fate {
    Fate { property: None, invariants: Vec::new() }
}

#[test]
fn the_algorithms_as_they_are_pass_in_the_same_harness() {
    for suite in suites() {
        assert_eq!(examine(suite, None, 4), sound(), "{}", suite.algorithm);
    }
}

#[test]
#[ignore = "takes a minute"]
fn the_one_of_which_a_mutant_needs_five_processes_passes_with_five() {
    let afek_gafni = SUITES.iter().find(|suite| suite.algorithm == "afek-gafni");
    assert_eq!(examine(afek_gafni.expect("a suite for it"), None, 5), sound());
}

#[test]
fn the_list_is_sound() {
    let mut broken = BTreeSet::new();
    for fault in SUITES.iter().flat_map(|suite| &suite.faults) {
        if let Expected::Explored(name) | Expected::Sampled(name) = &fault.expected {
            assert!(Property::ALL.iter().any(|of| of.name() == name), "{name}");
            broken.insert(name.as_str());
        }
    }
    for suite in SUITES.iter() {
        let names: BTreeSet<_> = suite.faults.iter().map(|fault| &fault.name).collect();
        assert_eq!(names.len(), suite.faults.len(), "{}: each name once", suite.algorithm);
    }
    let sound: BTreeSet<_> = Algorithm::correct().map(|row| row.name).collect();
    assert!(
        sound.into_iter().eq(SUITES.iter().map(|suite| &suite.algorithm)),
        "evidence/mutants/faults/algorithms has one file for each algorithm"
    );
    // That messages are delivered is a property of real networks, and not of algorithms. Time is known
    // where everything is explored; the checker's tests have bounds on time that are too small.
    let elsewhere = [Property::ReliableLinks, Property::TimeBound];
    let of_algorithms = Property::ALL.into_iter().filter(|of| !elsewhere.contains(of));
    let all: BTreeSet<_> = of_algorithms.map(Property::name).collect();
    assert_eq!(broken, all, "each property is broken by some");
}
