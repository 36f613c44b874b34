//! `cargo xtask verify`: writes docs/reference/verified.md, the table of complete explorations.

mod errors;
mod faults;
mod rows;
mod samples;

use crate::repository::{read, threads, write};
use anyhow::{Context, bail, ensure};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use std::io::{self, Write};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use suffrage_algorithms::{Algorithm, Property, Rule};
use suffrage_checker::{CheckReport, Checker, Family, Incomplete};

/// Run the explorations of docs/reference/verified.md, and write it
///
/// For each algorithm every schedule of small elections, random schedules of larger ones, and the
/// results when messages overtake each other, are lost or duplicated, or a process crashes. Takes an hour or two on
/// two cores where it is compiled with optimization. Rows are printed as they are found; a file is written when all
/// are.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print the rows of these algorithms only
    #[arg(long, value_name = "ALGORITHM", num_args = 1.., conflicts_with_all = ["out", "check"])]
    only: Vec<String>,

    /// Write the document to this file [default: standard output]
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    out: Option<PathBuf>,

    /// Run only what takes seconds, and fail unless this document has the rows that are found
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,

    /// Threads; the document does not depend on them [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
}

const EXAMPLES: &str = "\
Examples:
  cargo xtask verify --check docs/reference/verified.md
  cargo xtask verify --out docs/reference/verified.md
  cargo xtask verify --only ring-extinction";

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let explorer = Verifier { threads: threads(args.threads) };
    let extent = match &args.check {
        None => Extent::Minutes,
        Some(_) => Extent::Seconds,
    };
    if !args.only.is_empty() {
        return only(&mut io::stdout().lock(), &explorer, extent, &args.only);
    }
    let mut text = Vec::new();
    let broken = match (&args.check, &args.out) {
        (None, None) => document(&mut io::stdout().lock(), &explorer, extent)?,
        (None, Some(path)) => {
            let broken = document(&mut text, &explorer, extent)?;
            write(path, text)?;
            broken
        }
        (Some(path), _) => {
            let known = read(path)?;
            let broken = document(&mut text, &explorer, extent)?;
            for line in String::from_utf8(text)?.lines() {
                let found = known.lines().any(|known| untimed(known) == untimed(line));
                ensure!(found, "{} does not have this line:\n{line}", path.display());
            }
            broken
        }
    };
    Ok(ExitCode::from(u8::from(broken)))
}

/// The extent of the exploration: how long one row takes on two cores, about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Extent {
    Seconds,
    Minutes,
}

/// The time that all threads of this process have had a processor: it grows little with other work on the machine.
fn processor_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs() as u32)
}

/// A line of a table without its last cell, if that is a time.
fn untimed(line: &str) -> &str {
    match line.trim_end_matches(" |").rsplit_once("| ") {
        Some((rest, last)) if last.ends_with(" s") => rest,
        _ => line,
    }
}

const INTRODUCTION: &str = "\
# Verified

For each row, the checker has explored every instance of the family, and every schedule of each instance.
Samples have a heading of their own. `cargo run --release -p xtask -- verify` writes this file; `.ci/evidence`
explores all rows again except those that take minutes, and compares them (`--check`). [The
checker](../why/design/checker.md) explains terms and method: configurations of an instance that was proved
isomorphic to an explored one count as explored. Identities are the numbers from 1 on. *Processor time* adds up
all threads, on a machine of two cores that did other work as well, in November 2026.
";

/// Writes the document. Returns whether a property is broken that should hold.
fn document(out: &mut dyn Write, explorer: &Verifier, extent: Extent) -> anyhow::Result<bool> {
    out.write_all(INTRODUCTION.as_bytes())?;
    let mut broken = rows::write(out, explorer, extent)?;
    errors::write(out)?;
    broken |= samples::write(out, explorer)?;
    faults::write(out, explorer)?;
    Ok(broken)
}

/// Writes the rows of these algorithms in all tables.
fn only(
    out: &mut dyn Write,
    explorer: &Verifier,
    extent: Extent,
    names: &[String],
) -> anyhow::Result<ExitCode> {
    let mut broken = false;
    for name in names {
        let algorithm = Algorithm::named(name);
        let algorithm = algorithm.with_context(|| format!("there is no algorithm {name}"))?;
        broken |= rows::write_of(out, explorer, extent, algorithm.name)?;
        if algorithm.claims.rule == Rule::MonteCarlo {
            errors::write(out)?;
        }
        if !algorithm.timing.in_rounds() {
            broken |= samples::write_of(out, explorer, algorithm)?;
        }
        faults::write_of(out, explorer, algorithm)?;
    }
    Ok(ExitCode::from(u8::from(broken)))
}

/// Explores families and shows its progress on the terminal.
struct Verifier {
    threads: NonZero<usize>,
}

/// The memory limit of all concurrent explorations, in bytes.
const MEMORY: u64 = 12 << 30;

impl Verifier {
    /// Explores a family for these properties, or if there are none, for all that the catalogue
    /// claims of the algorithm.
    fn explore(
        &self,
        algorithm: &Algorithm,
        family: &Family,
        properties: &[Property],
        costs: bool,
    ) -> anyhow::Result<CheckReport> {
        let bar = ProgressBar::new(family.len()).with_style(ProgressStyle::with_template(
            "[{elapsed}] {bar:30} {human_pos}/{human_len} instances of {msg}",
        )?);
        let what = format!("{} with {} nodes", algorithm.name, family.nodes());
        let mut watch = |now: suffrage_checker::CheckProgress| {
            bar.set_message(format!("{what}, {} configurations", HumanCount(now.states)));
            bar.set_position(now.instances);
            ControlFlow::Continue(())
        };
        let checker = Checker::new(algorithm, family).properties(properties).costs(costs);
        let checker = checker.memory(MEMORY).threads(self.threads.get());
        let report = checker.on_progress(&mut watch).run().with_context(|| what.clone())?;
        bar.finish_and_clear();
        if let Some(Incomplete::OutOfMemory(_)) = report.incomplete {
            bail!("{what} does not fit into {} MiB", MEMORY >> 20);
        }
        Ok(report)
    }
}
