//! `cargo xtask mutants`: the table of seeded faults and the properties that find them.

use std::process::ExitCode;
use suffrage_mutants::{Fate, examine_all, report};

/// Explore every mutant and print the table of docs/mutants.md
///
/// `cargo test -p suffrage-mutants` compares the table with the document. The exit code is 1 if a
/// mutant survives or breaks another property than the one that its list names.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask mutants > docs/mutants.md")]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> anyhow::Result<ExitCode> {
    let mut escaped = 0;
    let fates = examine_all(|suite, fault, fate| {
        let right = matches!(fate, Fate::Killed { property, .. } if property == fault.breaks);
        if !right {
            escaped += 1;
            eprintln!("{}, {}: {} expected, {fate:?}", suite.algorithm, fault.name, fault.breaks);
        }
    });
    print!("{}", report(&fates));
    Ok(ExitCode::from(u8::from(escaped > 0)))
}
