//! `cargo xtask mutants`: the seeded faults, and how each is found.

use anyhow::ensure;
use std::process::ExitCode;
use suffrage_mutants::{examine_all, is_whole, report, tenure};

/// Examine every mutant and print docs/reference/mutants.md or docs/reference/tenure-mutants.md
///
/// `cargo test -p suffrage-mutants` compares the tables with the documents. The exit code is 1 if
/// something else becomes of a mutant than its list expects.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Examine the mutants of Tenure, and not those of the algorithms and the judge
    #[arg(long)]
    tenure: bool,
}

const EXAMPLES: &str = "\
Examples:
  cargo xtask mutants > docs/reference/mutants.md
  cargo xtask mutants --tenure > docs/reference/tenure-mutants.md";

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.tenure {
        return Ok(match tenure::report() {
            Ok(report) => {
                print!("{report}");
                ExitCode::SUCCESS
            }
            Err(missed) => {
                eprintln!("{missed}");
                ExitCode::FAILURE
            }
        });
    }
    ensure!(is_whole(), "PART has left out some when this was built: unset it, and build it again");
    let mut escaped = 0;
    let fates = examine_all(|suite, fault, fate| {
        let (algorithm, name, expected) = (&suite.algorithm, &fault.name, &fault.expected);
        if !fate.is(expected) {
            escaped += 1;
            eprintln!("{algorithm}, {name}: {expected:?} expected, {fate:?}");
        }
    });
    print!("{}", report(&fates));
    Ok(ExitCode::from(u8::from(escaped > 0)))
}
