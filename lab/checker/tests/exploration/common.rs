//! What the tests share.

use std::{env, fs, path::Path};
use suffrage_algorithms::{Algorithm, CATALOGUE, FORMS};
use suffrage_checker::{CheckReport, Checkable, Checker, Family, Options};

/// The algorithm of this name.
pub(crate) fn row(name: &str) -> &'static Algorithm {
    Algorithm::named(name).expect("a row of the catalogue")
}

/// Checks that a text is the one in this file beside the tests; `UPDATE_GOLDEN=1` writes it there.
#[track_caller]
pub(crate) fn is_golden(file: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exploration").join(file);
    if env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        fs::write(&path, made).expect("the file can be written");
    }
    let known = fs::read_to_string(&path).expect("UPDATE_GOLDEN=1 writes it");
    assert_eq!(known, made, "UPDATE_GOLDEN=1 rewrites {}", path.display());
}

/// The algorithms, and a form that deadlocks.
pub(crate) fn subjects() -> impl Iterator<Item = &'static Algorithm> {
    CATALOGUE.iter().chain(Algorithm::named("villadangos@published"))
}

/// The algorithms and forms whose executions all end.
pub(crate) fn ending() -> impl Iterator<Item = &'static Algorithm> {
    const ENDLESS: [&str; 2] = ["afek-gafni@published", "dolev-klawe-rodeh@published"];
    certain().filter(|row| !ENDLESS.contains(&row.name))
}

/// The algorithms and the forms without random choices: only of these the exploration leaves
/// something out, and knows extremes.
pub(crate) fn certain() -> impl Iterator<Item = &'static Algorithm> {
    CATALOGUE.iter().chain(FORMS)
}

/// What a family's exploration finds, each instance by itself, on `threads` threads.
pub(crate) fn found(
    row: &Algorithm,
    family: &Family,
    options: Options,
    threads: usize,
) -> CheckReport {
    explored(row, family, options, true, threads)
}

/// The same, each instance by itself or only one of several that are isomorphic.
pub(crate) fn explored(
    subject: &impl Checkable,
    family: &Family,
    Options { full, memory, costs }: Options,
    each: bool,
    threads: usize,
) -> CheckReport {
    Checker::new(subject, family)
        .full(full)
        .memory(memory)
        .costs(costs)
        .symmetry(!each)
        .keep_going(true)
        .threads(threads)
        .run()
        .expect("a family that can be explored")
}
