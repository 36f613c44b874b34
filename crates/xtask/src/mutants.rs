//! `cargo xtask mutants`: the seeded faults, and what finds each of them.

use std::process::ExitCode;
use suffrage_mutants::{examine_all, report};

/// Examine every mutant and print docs/mutants.md
///
/// `cargo test -p suffrage-mutants` compares the tables with the document. The exit code is 1 if
/// something else becomes of a mutant than its list expects.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask mutants > docs/mutants.md")]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> anyhow::Result<ExitCode> {
    let mut escaped = 0;
    let fates = examine_all(|suite, fault, fate| {
        let (algorithm, name, expected) = (suite.algorithm, fault.name, fault.expected);
        if !fate.is(expected) {
            escaped += 1;
            eprintln!("{algorithm}, {name}: {expected:?} expected, {fate:?}");
        }
    });
    print!("{}", report(&fates));
    Ok(ExitCode::from(u8::from(escaped > 0)))
}
