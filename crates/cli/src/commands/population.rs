//! `suffrage population`: elections among agents that meet in random pairs.

use super::elect::ending;
use crate::error::{Ending, Error, print};
use crate::output::Output;
use crate::progress::Shared;
use crate::{interrupt, report::Format};
use std::path::Path;
use suffrage::population::engine::Supervisor;
use suffrage::population::ensemble;
use suffrage::population::experiment::{EngineKind, Experiment, Outcome, Sample};
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
  suffrage population self-terminating --agents 1e9 --history election.csv
  suffrage population two-way-epidemic --agents 1e6 --engine batched --history infected.csv";

/// More random identities are not drawn: it would take long, and the highest is all that shows.
const MOST_IDS: u64 = 1 << 30;

/// Shows how far a long run is, until somebody presses Ctrl-C.
struct Watched<'a>(&'a Shared);

impl Supervisor for Watched<'_> {
    fn go_on(&self, time: u64) -> Option<()> {
        ensemble::Progress::within(self.0, 0, time);
        interrupt::flag().go_on(time)
    }
}

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    let population = &args.population;
    let ids = args.ids()?;
    let (ids, label) = ids.map_or((None, None), |(ids, label)| (Some(ids), label));
    let experiment = population.experiment(ids);
    let refused = |error| Error::new(format!("{error}"));
    let plan = experiment.plan().map_err(refused)?;
    if population.distribution.is_some() && plan.engine != EngineKind::Oracle {
        return Err(Error::new(
            "--distribution: only the oracle knows distributions; add --engine oracle, for up to \
             10000 agents",
        ));
    }
    if let Some(path) = &population.history {
        args.history(&experiment, path)?;
    }
    let progress = Shared::of_long(experiment.trials, experiment.usual_interactions());
    let outcome = experiment.run(&progress, interrupt::flag()).map_err(refused)?;
    drop(progress);
    if let Some(path) = &population.distribution {
        distribution(&outcome, path)?;
    }
    let mut report = Report::new(&experiment, outcome, population.each);
    report.leader_label = label;
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
    /// The identities, where somebody wants to see whose agent leads, and the leader's as it is
    /// written in their file.
    fn ids(&self) -> Result<Option<(Ids, Option<String>)>, Error> {
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
                let ids = Ids::random(agents, *seed).map_err(|error| wrong(&error))?;
                Ok(Some((ids, None)))
            }
            (Some(file), _) => {
                let listed = topology::Ids::read_list(file).map_err(|error| wrong(&error))?;
                if listed.is_empty() {
                    return Err(Error::new(format!("--ids: there are none in {file}")));
                }
                let numbers: Vec<u64> = listed.into_iter().map(Id::get).collect();
                let ids = Ids::given(&numbers).map_err(|error| wrong(&error))?;
                let label = written(file, &numbers, ids.leader);
                Ok(Some((ids, label)))
            }
        }
    }

    /// Writes the course of one trial: all of it, or what there was when somebody pressed Ctrl-C.
    fn history(&self, experiment: &Experiment, path: &Path) -> Result<(), Error> {
        const FLAG: &str = "--history";
        let mut file = Output::begin(FLAG, path)?;
        let interval = self.population.history_interval(experiment.agents);
        let progress = Shared::of_long(1, experiment.usual_interactions());
        let history = experiment
            .history(interval, &Watched(&progress))
            .map_err(|error| Error::of(FLAG, error))?;
        drop(progress);
        history.write_csv(&mut file).map_err(|error| Output::failed(FLAG, path, error))?;
        file.finish()
    }
}

/// An identity as it is written in its file: as a MAC address, a number in hexadecimal, or with
/// zeros in front. `None` where the file cannot be read a second time.
fn written(file: &str, numbers: &[u64], id: u64) -> Option<String> {
    let place = numbers.iter().position(|&number| number == id)?;
    let text = std::fs::read_to_string(file).ok()?;
    let lines = text.lines().map(|line| line.trim_start_matches('\u{FEFF}').trim());
    let line = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).nth(place)?;
    line.split_whitespace().next().map(str::to_owned)
}

/// Writes the distributions that the oracle has found.
fn distribution(outcome: &Outcome, path: &Path) -> Result<(), Error> {
    const FLAG: &str = "--distribution";
    let (Sample::Exact(_, found) | Sample::Time(_, found)) = &outcome.sample else {
        return Err(Error::of(
            FLAG,
            "an election of one agent, or with known bounds, takes no time",
        ));
    };
    let Some(distributions) = found else {
        return Err(Error::of(FLAG, "there is none of this protocol, or it was interrupted"));
    };
    let mut file = Output::begin(FLAG, path)?;
    distributions.write_csv(&mut file).map_err(|error| Output::failed(FLAG, path, error))?;
    file.finish()
}
