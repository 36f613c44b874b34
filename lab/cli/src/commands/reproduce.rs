//! `suffrage reproduce`: repeats a paper's experiments.

mod draw;

use crate::error::{CommandEnding, Error, complain};
use crate::output::print;
use crate::progress::Terminal;
use crate::report::{ReportFormat, json, json_rows};
use crate::terminal::fitted;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use suffrage::experiment::counts::{self, positive, threads};
use suffrage::experiment::number::count;
use suffrage::experiment::{self, Monitor, PopulationMonitor};
use suffrage::plot::Plot;
use suffrage::population::reproduce::{FigureOne, Parameter, Sweep, Theorems};

/// Repeat a paper's experiments
///
/// The paper is "Efficient leader election among numbered agents", by R. Chaturvedi, P. Dymond and
/// M. Jenkin.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,

    /// Threads; the figures do not depend on them [default: all cores]
    #[arg(long, value_name = "N", global = true, value_parser = threads)]
    threads: Option<NonZero<usize>>,

    /// How to write the numbers
    #[arg(long, value_enum, default_value_t, global = true)]
    format: ReportFormat,
}

/// The paper's experiments.
#[derive(clap::Subcommand)]
enum What {
    /// Completion and declaration against the number of agents, with the success rates of each
    /// rule: a figure as SVG and for LaTeX, the data as CSV and the numbers as text
    #[command(name = "figure-1")]
    FigureOne {
        /// The folder for the files
        #[arg(long, value_name = "DIR", default_value = ".")]
        out: PathBuf,
        /// Trials for each of 91 populations and each rule
        #[arg(long, value_name = "T", default_value_t = 100, value_parser = positive)]
        trials: u64,
        /// Seed
        #[arg(long, value_name = "S", default_value_t = 1, value_parser = counts::count)]
        seed: u64,
    },
    /// How often the leader's declaration is right, for each rule, margins from 0.5 to 16, and 10^2
    /// to 10^6 agents: the same files as figure-1
    Margin(SweepArgs),
    /// The same for minimums of interactions from 0 to 100, and 10 to 1000 agents
    Minimum(SweepArgs),
    /// Theorems 1 to 3 compared with simulation, for 1000 and 10000 agents
    Theorems {
        /// Trials for each population, at least two
        #[arg(long, value_name = "T", default_value_t = 10_000, value_parser = at_least_two)]
        trials: u64,
        /// Seed
        #[arg(long, value_name = "S", default_value_t = 1, value_parser = counts::count)]
        seed: u64,
    },
}

#[derive(clap::Args)]
struct SweepArgs {
    /// The folder for the files
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// Trials for each rule, population and value
    #[arg(long, value_name = "T", default_value_t = 2000, value_parser = positive)]
    trials: u64,
    /// Seed
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = counts::count)]
    seed: u64,
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
  suffrage reproduce margin --out figures
  suffrage reproduce theorems --trials 2000
  suffrage reproduce theorems --format json";

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let threads = experiment::threads(args.threads);
    match &args.what {
        What::FigureOne { out, trials, seed } => figure(out, *trials, *seed, threads, args.format),
        What::Margin(flags) => sweep(Parameter::Margin, flags, threads, args.format),
        What::Minimum(flags) => sweep(Parameter::Minimum, flags, threads, args.format),
        What::Theorems { trials, seed } => theorems(*trials, *seed, threads, args.format),
    }
}

/// Says how long this many trials of each sort take, given the approximate seconds that a thread takes
/// for one in the profile of the readme's commands: `time suffrage reproduce NAME --trials T`.
fn foretell(trials: u64, each: f64, threads: usize) {
    let what = format!("{} of each sort", count(trials, "trial"));
    let terminal: &dyn Monitor = &Terminal::default();
    terminal.announce(&what, trials as f64 * each, threads);
}

/// A folder for figures, which is checked to be writable before the work begins.
struct Folder<'a> {
    out: &'a Path,
    beside: tempfile::TempDir,
}

impl<'a> Folder<'a> {
    fn open(out: &'a Path) -> Result<Self, Error> {
        fs::create_dir_all(out).map_err(|error| Self::error(out, error))?;
        let beside = tempfile::Builder::new().prefix(".suffrage-").tempdir_in(out);
        Ok(Self { out, beside: beside.map_err(|error| Self::error(out, error))? })
    }

    fn error(out: &Path, error: impl std::fmt::Display) -> Error {
        Error::of(format!("--out: cannot write into {}", out.display()), error)
    }

    /// Writes temporary files of all kinds, renames them, and lists them.
    fn fill(&self, name: &str, files: [(&str, String); 4]) -> Result<String, Error> {
        let failed = |error| Self::error(self.out, error);
        let paths = files.map(|(kind, text)| (PathBuf::from(format!("{name}.{kind}")), text));
        for (path, text) in &paths {
            fs::write(self.beside.path().join(path), text).map_err(failed)?;
        }
        let mut listed = String::new();
        for (path, _) in &paths {
            let to = self.out.join(path);
            fs::rename(self.beside.path().join(path), &to).map_err(failed)?;
            listed += &format!("  {}\n", to.display());
        }
        Ok(listed)
    }
}

fn figure(
    out: &Path,
    trials: u64,
    seed: u64,
    threads: usize,
    format: ReportFormat,
) -> Result<CommandEnding, Error> {
    let folder = Folder::open(out)?;
    foretell(trials, 0.3, threads);
    let terminal = Terminal::default();
    let progress = PopulationMonitor::new(&terminal, "trials");
    let Some(figure) = FigureOne::run(trials, seed, threads, &progress, terminal.stop()) else {
        complain("interrupted: the figure is incomplete, and nothing was written");
        return Ok(CommandEnding::Interrupted);
    };
    drop(progress);
    let plot = draw::figure_one(&figure);
    let files = [
        ("svg", plot.svg()),
        ("tex", plot.tikz()),
        ("csv", figure.csv()),
        ("txt", figure.to_string()),
    ];
    let files = folder.fill("figure-1", files)?;
    print(&match format {
        ReportFormat::Text => fitted(&format!("{figure}\n{files}")),
        ReportFormat::Json => json(&figure)?,
    })?;
    Ok(CommandEnding::Fine)
}

fn sweep(
    parameter: Parameter,
    SweepArgs { out, trials, seed }: &SweepArgs,
    threads: usize,
    format: ReportFormat,
) -> Result<CommandEnding, Error> {
    let folder = Folder::open(out)?;
    let each = match parameter {
        Parameter::Margin => 3.6,
        Parameter::Minimum => 0.01,
    };
    foretell(*trials, each, threads);
    let terminal = Terminal::default();
    let progress = PopulationMonitor::new(&terminal, "combinations");
    let sweep = Sweep::run(parameter, *trials, *seed, threads, &progress, terminal.stop());
    drop(progress);
    if sweep.successes.is_empty() {
        complain("interrupted before anything was finished, and nothing was written");
        return Ok(CommandEnding::Interrupted);
    }
    let panels = draw::sweep(&sweep);
    let files = [
        ("svg", Plot::svg_of_panels(&panels, 2)),
        ("tex", panels.iter().map(Plot::tikz).collect()),
        ("csv", sweep.csv()),
        ("txt", sweep.to_string()),
    ];
    let files = folder.fill(parameter.name(), files)?;
    print(&match format {
        ReportFormat::Text => fitted(&format!("{sweep}\n{files}")),
        ReportFormat::Json => json(&sweep)?,
    })?;
    if sweep.is_finished() {
        return Ok(CommandEnding::Fine);
    }
    complain(format_args!("interrupted: {} of {} combinations", sweep.successes.len(), sweep.of));
    Ok(CommandEnding::Interrupted)
}

fn theorems(
    trials: u64,
    seed: u64,
    threads: usize,
    format: ReportFormat,
) -> Result<CommandEnding, Error> {
    foretell(trials, 0.0015, threads);
    let mut all = Vec::new();
    let mut ending = CommandEnding::Fine;
    for agents in [1000, 10_000] {
        let (terminal, what) = (Terminal::default(), format!("trials with {agents} agents"));
        let progress = PopulationMonitor::new(&terminal, &what);
        let theorems = Theorems::run(agents, trials, seed, threads, &progress, terminal.stop());
        drop(progress);
        let finished = theorems.as_ref().map_or(0, |theorems| theorems.trials);
        if let Some(theorems) = theorems {
            if format == ReportFormat::Text && !print(&fitted(&format!("{theorems}\n")))? {
                return Ok(CommandEnding::Fine);
            }
            all.push(theorems);
        }
        if finished < trials {
            complain(format_args!(
                "interrupted: {finished} of {trials} trials with {agents} agents"
            ));
            ending = CommandEnding::Interrupted;
            break;
        }
    }
    if format == ReportFormat::Json {
        print(&json_rows(&all)?)?;
    }
    Ok(ending)
}
