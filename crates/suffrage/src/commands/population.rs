//! `suffrage population`: elections among agents that meet in random pairs.

use super::elect::ending;
use crate::error::{Ending, Error, print};
use crate::output::Output;
use crate::progress::Shared;
use crate::{interrupt, report::Format};
use std::path::Path;
use suffrage::population::experiment::Experiment;
use suffrage::population::ids::Ids;
use suffrage::population::report::{Report, args::PopulationArgs};
use suffrage::{process::Id, topology};

/// Elect a leader among agents that meet in random pairs, from 2 of them to 10^12
///
/// There is no network and there are no messages: two agents meet and change their states. Times
/// are numbers of meetings. The report says which engine was chosen and for which of its figures
/// it is exact.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    population: PopulationArgs,

    /// How to write the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  suffrage population self-terminating --agents 1000 --trials 1000
  suffrage population self-terminating --agents 1e9 --question leader
  suffrage population self-terminating --agents 1000 --rule printed --trials 1000
  suffrage population self-terminating --agents 1000 --engine oracle --min-interactions 0
  suffrage population epidemic --agents 1e12 --format json
  suffrage population two-way-epidemic --agents 1e6 --engine batched --history infected.csv";

/// More random identities are not drawn: it would take long, and the highest is all that shows.
const MOST_IDS: u64 = 1 << 32;

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    let population = &args.population;
    let experiment = population.experiment(args.ids()?);
    let refused = |error| Error::new(format!("{error}"));
    experiment.plan().map_err(refused)?;
    if let Some(path) = &population.history {
        args.history(&experiment, path)?;
    }
    let progress = Shared::new("trials");
    let outcome = experiment.run(&progress, interrupt::flag()).map_err(refused)?;
    drop(progress);
    let report = Report::new(&experiment, outcome, population.each);
    let interrupted = report.expected.is_none() && report.finished < report.trials;
    if interrupted && report.finished == 0 {
        eprintln!("interrupted before the first trial was finished");
        return Ok(Ending::Interrupted);
    }
    print(&match args.format {
        Format::Text => report.to_string(),
        Format::Json => report.json() + "\n",
    })?;
    if interrupted {
        eprintln!("interrupted: the figures are those of the first {} trials", report.finished);
    }
    Ok(ending(interrupted, false))
}

impl Args {
    /// The identities, where somebody wants to see whose agent leads.
    fn ids(&self) -> Result<Option<Ids>, Error> {
        let wrong = |error: &dyn std::fmt::Display| Error::of("--ids", error);
        let PopulationArgs { ids, agents, seed, .. } = &self.population;
        match (ids.as_deref(), *agents) {
            (None, _) => Ok(None),
            (Some("random"), None) => Err(Error::new("--ids random: say how many with --agents")),
            (Some("random"), Some(MOST_IDS..)) => Err(Error::new(format!(
                "--ids random: no more than {MOST_IDS} identities are drawn; leave out --ids, an \
                 election depends on their order alone"
            ))),
            (Some("random"), Some(agents)) => {
                Ids::random(agents, *seed).map(Some).map_err(|error| wrong(&error))
            }
            (Some(file), _) => {
                let listed = topology::Ids::read_list(file).map_err(|error| wrong(&error))?;
                if listed.is_empty() {
                    return Err(Error::new(format!("--ids: there are none in {file}")));
                }
                let numbers: Vec<u64> = listed.into_iter().map(Id::get).collect();
                Ids::given(&numbers).map(Some).map_err(|error| wrong(&error))
            }
        }
    }

    /// Writes the course of one trial: all of it, or what there was when somebody pressed Ctrl-C.
    fn history(&self, experiment: &Experiment, path: &Path) -> Result<(), Error> {
        const FLAG: &str = "--history";
        let mut file = Output::begin(FLAG, path)?;
        let interval = self.population.history_interval(experiment.agents);
        let history = experiment
            .history(interval, interrupt::flag())
            .map_err(|error| Error::of(FLAG, error))?;
        history.write_csv(&mut file).map_err(|error| Output::failed(FLAG, path, error))?;
        file.finish()
    }
}
