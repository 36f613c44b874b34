//! `suffrage reproduce`: a paper's experiments, run again.

use crate::counts::positive;
use crate::error::{Ending, Error, print};
use crate::interrupt;
use crate::progress::Shared;
use crate::report::Format;
use crate::trials;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use suffrage::population::reproduce::{FigureOne, Theorems};

/// Run a paper's experiments again
///
/// The paper is "Efficient leader election among numbered agents", by R. Chaturvedi, P. Dymond and
/// M. Jenkin.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, allow_negative_numbers = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,

    /// Threads; the figures do not depend on them [default: all cores]
    #[arg(long, value_name = "N", global = true)]
    threads: Option<NonZero<usize>>,

    /// How to write the numbers
    #[arg(long, value_enum, default_value_t, global = true)]
    format: Format,
}

/// The paper's experiments.
#[derive(clap::Subcommand)]
enum What {
    /// Completion and declaration against the number of agents, with the success rates of each
    /// rule: a figure, the data as CSV and the numbers as text
    #[command(name = "figure-1")]
    FigureOne {
        /// Where the files go
        #[arg(long, value_name = "DIR", default_value = ".")]
        out: PathBuf,
        /// Trials for each of 91 populations and each rule
        #[arg(long, value_name = "T", default_value_t = 100, value_parser = positive)]
        trials: u64,
        /// Seed
        #[arg(long, value_name = "S", default_value_t = 1)]
        seed: u64,
    },
    /// Theorems 1 to 3 beside simulation, for 1000 and 10000 agents
    Theorems {
        /// Trials for each population, at least two
        #[arg(long, value_name = "T", default_value_t = 10_000, value_parser = at_least_two)]
        trials: u64,
        /// Seed
        #[arg(long, value_name = "S", default_value_t = 1)]
        seed: u64,
    },
}

fn at_least_two(text: &str) -> Result<u64, String> {
    match positive(text)? {
        1 => Err("a deviation takes at least two trials".to_owned()),
        number => Ok(number),
    }
}

const EXAMPLES: &str = "\
Examples:
  suffrage reproduce figure-1 --out figures
  suffrage reproduce theorems --trials 2000
  suffrage reproduce theorems --format json";

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    let threads = trials::threads(args.threads);
    match &args.what {
        What::FigureOne { out, trials, seed } => figure(out, *trials, *seed, threads, args.format),
        What::Theorems { trials, seed } => theorems(*trials, *seed, threads, args.format),
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
