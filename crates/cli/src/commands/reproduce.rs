//! `suffrage reproduce`: a paper's experiments, run again.

use crate::error::{Ending, Error, print};
use crate::interrupt;
use crate::progress::Shared;
use crate::report::Format;
use crate::trials;
use std::fs;
use std::num::NonZero;
use std::path::Path;
use suffrage::population::{
    report::args::ReproduceArgs,
    reproduce::{FigureOne, Theorems},
};

/// Run a paper's experiments again
///
/// The paper is "Efficient leader election among numbered agents", by R. Chaturvedi, P. Dymond and
/// M. Jenkin.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: ReproduceArgs,

    /// Threads; the figures do not depend on them [default: all cores]
    #[arg(long, value_name = "N", global = true)]
    threads: Option<NonZero<usize>>,

    /// How to write the numbers
    #[arg(long, value_enum, default_value_t, global = true)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  suffrage reproduce figure-1 --out figures
  suffrage reproduce theorems --trials 2000
  suffrage reproduce theorems --format json";

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    let threads = trials::threads(args.threads);
    match &args.what {
        ReproduceArgs::FigureOne { out, trials, seed } => {
            figure(out, *trials, *seed, threads, args.format)
        }
        ReproduceArgs::Theorems { trials, seed } => theorems(*trials, *seed, threads, args.format),
    }
}

fn figure(
    out: &Path,
    trials: u64,
    seed: u64,
    threads: usize,
    format: Format,
) -> Result<Ending, Error> {
    let place = || format!("--out: cannot write into {}", out.display());
    // Whatever stands in the way is said before the work and not after it.
    fs::create_dir_all(out).map_err(|error| Error::of(place(), error))?;
    let beside = tempfile::Builder::new()
        .prefix(".suffrage-")
        .tempdir_in(out)
        .map_err(|error| Error::of(place(), error))?;
    let progress = Shared::new("trials");
    let Some(figure) = FigureOne::run(trials, seed, threads, &progress, interrupt::flag()) else {
        eprintln!("interrupted: half a figure is none, and nothing was written");
        return Ok(Ending::Interrupted);
    };
    drop(progress);
    let mut report = match format {
        Format::Text => figure.to_string() + "\n",
        Format::Json => figure.json() + "\n",
    };
    for path in figure.write(beside.path()).map_err(|error| Error::of(place(), error))? {
        let to = out.join(path.file_name().unwrap_or_default());
        fs::rename(&path, &to).map_err(|error| Error::of(place(), error))?;
        if format == Format::Text {
            report += &format!("  {}\n", to.display());
        }
    }
    print(&report)?;
    Ok(Ending::Fine)
}

fn theorems(trials: u64, seed: u64, threads: usize, format: Format) -> Result<Ending, Error> {
    let mut all = Vec::new();
    let mut ending = Ending::Fine;
    for agents in [1000, 10_000] {
        let progress = Shared::new(&format!("trials with {agents} agents"));
        let theorems = Theorems::run(agents, trials, seed, threads, &progress, interrupt::flag());
        drop(progress);
        let finished = theorems.as_ref().map_or(0, |theorems| theorems.trials);
        if let Some(theorems) = theorems {
            if format == Format::Text && !print(&format!("{theorems}\n"))? {
                return Ok(Ending::Fine);
            }
            all.push(theorems);
        }
        if finished < trials {
            eprintln!("interrupted: {finished} of {trials} trials with {agents} agents");
            ending = Ending::Interrupted;
            break;
        }
    }
    if format == Format::Json {
        print(&(Theorems::json(&all) + "\n"))?;
    }
    Ok(ending)
}
