//! `suffrage population`: runs elections among agents that meet in random pairs.

mod flags;

use crate::error::{CommandEnding, Error};
use crate::output::Output;
use crate::progress::Terminal;
use crate::report::ReportFormat;
use crate::specified::{print_spec, run_and_print};
use crate::typed::typed;
use flags::PopulationArgs;
use std::io::Write;
use std::path::PathBuf;
use suffrage::experiment::{RunOptions, Specification};

/// Elect a leader among agents that meet in random pairs, from 2 of them to 10^12
///
/// There is no network and there are no messages: two agents meet and change their states. Times
/// are numbers of meetings. The report names the engine that was chosen and the figures for which
/// it is exact.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    population: PopulationArgs,

    /// How to write the report
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,

    /// Print the specification of the experiment as TOML, and run nothing; `suffrage run FILE` runs it
    #[arg(long)]
    print_spec: bool,
}

const EXAMPLES: &str = "\
Examples:
  suffrage population self-terminating --agents 1000 --trials 1000
  suffrage population self-terminating --agents 1e9 --question leader
  suffrage population self-terminating --agents 1000 --rule printed --trials 1000
  suffrage population self-terminating --agents 1000 --engine oracle --min-interactions 0
  suffrage population epidemic --agents 1e12 --format json
  suffrage population self-terminating --agents 1e9 --history election.csv
  suffrage population self-terminating --topology grid:30x30 --trials 100
  suffrage population self-terminating --agents 1000 --failures 20% --trials 100
  suffrage population --rules majority.txt --agents 1e6
  suffrage population two-way-epidemic --agents 1e6 --engine batched --history infected.csv";

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let flags = &args.population;
    let asked = Specification::Population(flags.specification().into());
    if args.print_spec {
        return print_spec(&asked);
    }
    let begin = |flag, path: &Option<PathBuf>| {
        path.as_ref().map(|path| Output::begin(flag, path)).transpose()
    };
    let mut history = begin("--history", &flags.history)?;
    let mut distribution = begin("--distribution", &flags.distribution)?;
    let terminal = Terminal::default();
    let options = RunOptions {
        threads: flags.threads,
        history: history.as_mut().map(|file| (file as &mut dyn Write, flags.interval)),
        distribution: distribution.as_mut().map(|file| file as &mut dyn Write),
        ..RunOptions::new(&terminal)
    };
    let ran = run_and_print(asked, options, args.format, typed())?;
    history.map_or(Ok(()), Output::finish)?;
    distribution.map_or(Ok(()), Output::finish)?;
    CommandEnding::after(ran)
}
