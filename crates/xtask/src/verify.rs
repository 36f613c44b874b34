//! `cargo xtask verify`: writes docs/verified.md, the table of complete explorations.

mod faults;
mod rows;

use anyhow::{Context, bail};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use std::io::{self, Write};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::{fs, thread};
use suffrage_algorithms::{Algorithm, Property};
use suffrage_checker::{Checker, Family, Incomplete, Report};

/// Run the explorations of docs/verified.md, and write it
///
/// For each algorithm every schedule of small elections, and their results when messages overtake
/// each other, are lost or duplicated, or a process crashes. Takes minutes on two cores, with
/// --long hours. Rows are printed as they are found; a file is written when all are.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Also run the explorations that take hours
    #[arg(long)]
    long: bool,

    /// Write the document to this file [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Threads; the document does not depend on them [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
}

const EXAMPLES: &str = "\
Examples:
  cargo xtask verify --out docs/verified.md
  cargo xtask verify | diff docs/verified.md -";

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let extent = if args.long { Extent::Long } else { Extent::Short };
    let cores = || thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let explorer = Explorer { threads: args.threads.unwrap_or_else(cores) };
    let broken = match &args.out {
        None => document(&mut io::stdout().lock(), &explorer, extent)?,
        Some(path) => {
            let mut text = Vec::new();
            let broken = document(&mut text, &explorer, extent)?;
            fs::write(path, text).with_context(|| format!("--out {}", path.display()))?;
            broken
        }
    };
    Ok(ExitCode::from(u8::from(broken)))
}

/// The extent of the exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Extent {
    /// Explorations that take minutes.
    Short,
    /// Also those that take hours.
    Long,
}

const INTRODUCTION: &str = "\
# Verified

What has been explored completely: for each row every instance of the family and of each instance
every schedule. This file is written by `cargo xtask verify`, and continuous integration compares it
with what the code gives today; `cargo xtask verify --long` adds larger ones, which take hours and
are not recorded here. Words and method are those of the [checker](design/checker.md): a
configuration of an instance that was proved to be like an explored one counts as explored.
Identities are the numbers from 1 on.
";

/// Writes the document. Returns whether a property is broken that should hold.
fn document(out: &mut dyn Write, explorer: &Explorer, extent: Extent) -> anyhow::Result<bool> {
    out.write_all(INTRODUCTION.as_bytes())?;
    let broken = rows::write(out, explorer, extent)?;
    faults::write(out, explorer)?;
    Ok(broken)
}

/// Explores families and shows its progress on the terminal.
struct Explorer {
    threads: NonZero<usize>,
}

/// The memory limit of all concurrent explorations, in bytes.
const MEMORY: u64 = 12 << 30;

impl Explorer {
    /// Explores a family for these properties, or if there are none, for all that the catalogue
    /// claims of the algorithm.
    fn explore(
        &self,
        algorithm: &Algorithm,
        family: &Family,
        properties: &[Property],
        costs: bool,
    ) -> anyhow::Result<Report> {
        let bar = ProgressBar::new(family.len()).with_style(ProgressStyle::with_template(
            "[{elapsed}] {bar:30} {human_pos}/{human_len} instances of {msg}",
        )?);
        let what = format!("{} with {} nodes", algorithm.name, family.nodes());
        let mut watch = |now: suffrage_checker::Progress| {
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
