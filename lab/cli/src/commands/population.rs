//! `suffrage population`: runs elections among agents that meet in random pairs.

mod flags;
mod rules;

use crate::error::{CommandEnding, Error, complain};
use crate::interrupt;
use crate::output::{Output, print};
use crate::progress::Shared;
use crate::report::{ReportFormat, json};
use crate::session;
use crate::terminal::fitted;
use flags::PopulationArgs;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use suffrage::experiment::source::for_files;
use suffrage::experiment::{NetworkSource, PopulationSpecification, Specification};
use suffrage::networks::{self, Topology};
use suffrage::population::engine::Supervisor;
use suffrage::population::ensemble;
use suffrage::population::experiment::{
    AfterFailures, EngineKind, Findings, MeetingModel, PopulationExperiment, TrialSample,
};
use suffrage::population::ids::PopulationIds;
use suffrage::population::meetings::LinkMeetings;
use suffrage::population::report::PopulationReport;
use suffrage_parallel::memory::size;

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

/// An experiment, with what is written besides the report.
pub(super) struct PopulationRun<'a> {
    pub(super) asked: &'a PopulationSpecification,
    pub(super) threads: Option<NonZero<usize>>,
    pub(super) history: Option<&'a Path>,
    pub(super) interval: Option<u64>,
    pub(super) distribution: Option<&'a Path>,
    pub(super) format: ReportFormat,
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

/// The kind of a complete network.
const COMPLETE: &str = "complete";

/// The maximal number of random identities: more take long to draw, and only the highest is shown.
const MOST_IDS: u64 = 1 << 30;

/// Identities from `--ids`.
#[derive(Default)]
struct AgentIdentities {
    ids: Option<PopulationIds>,
    /// The leader's identity as it is written in the file.
    label: Option<String>,
    /// The identities of the nodes of an interaction graph.
    at_nodes: Option<Vec<u64>>,
}

/// Shows the progress of a long run, until Ctrl-C.
struct Watched<'a>(&'a Shared);

impl Supervisor for Watched<'_> {
    fn go_on(&self, time: u64) -> Option<()> {
        ensemble::TrialProgress::within(self.0, 0, time);
        interrupt::flag().go_on(time)
    }
}

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let flags = &args.population;
    let asked = flags.specification();
    if args.print_spec {
        print(&Specification::Population(asked.into()).to_toml())?;
        return Ok(CommandEnding::Fine);
    }
    PopulationRun {
        asked: &asked,
        threads: flags.threads,
        history: flags.history.as_deref(),
        interval: flags.interval,
        distribution: flags.distribution.as_deref(),
        format: args.format,
    }
    .run()
}

impl PopulationRun<'_> {
    pub(super) fn run(&self) -> Result<CommandEnding, Error> {
        self.asked.check()?;
        match &self.asked.rules {
            Some(path) => rules::run(self, path),
            None => elections(self),
        }
    }
}

fn elections(args: &PopulationRun<'_>) -> Result<CommandEnding, Error> {
    let population = args.asked;
    let network = args.network()?;
    let AgentIdentities { ids, label, at_nodes } = args.ids(network.as_deref())?;
    let nodes = network.as_ref().map(|network| u64::from(network.nodes()));
    let agents = population.agents.or(nodes).or(ids.map(|ids| ids.count)).unwrap_or(0);
    let model = model(population, network.as_deref(), at_nodes.as_deref());
    let experiment = population.experiment(agents, ids, model, args.threads);
    let refused = |error| Error::new(format!("{error}"));
    let plan = experiment.plan().map_err(refused)?;
    if let Some(failures) = population.failures {
        // Checked before the first election.
        experiment.check_failures(failures).map_err(|error| Error::of("--failures", error))?;
    }
    if args.distribution.is_some() && plan.engine != EngineKind::Oracle {
        return Err(Error::new(
            "--distribution: only the oracle knows distributions; add --engine oracle, for up to \
             10000 agents",
        ));
    }
    if let Some(path) = args.history {
        args.history(&experiment, path)?;
    }
    let usual = experiment.usual_interactions();
    let progress = Shared::of_long(experiment.trials, usual);
    let findings = experiment.run(&progress, interrupt::flag()).map_err(refused)?;
    drop(progress);
    let after_failures = match population.failures {
        Some(failures) => {
            let progress = Shared::of_long(experiment.trials, usual);
            let again = experiment.after_failures(failures, &progress, interrupt::flag());
            Some(again.map_err(|error| Error::of("--failures", error))?)
        }
        None => None,
    };
    if let Some(path) = args.distribution {
        distribution(&findings, path)?;
    }
    let mut report = PopulationReport::new(&experiment, findings, args.lists());
    report.after_failures = after_failures.filter(|again| again.finished > 0);
    if let Some(again) = &mut report.after_failures
        && report.results.is_none()
    {
        again.results = None;
    }
    report.leader_label = label;
    report.network.clone_from(&population.topology);
    let again = |again: &AfterFailures| again.finished < report.trials;
    let cut_short =
        population.failures.is_some() && report.after_failures.as_ref().is_none_or(again);
    let interrupted = report.expected.is_none() && report.finished < report.trials || cut_short;
    if interrupted && report.finished == 0 {
        complain("interrupted before the first trial was finished");
        return Ok(CommandEnding::Interrupted);
    }
    print(&match args.format {
        ReportFormat::Text => fitted(&report.to_string()),
        ReportFormat::Json => json(&report, Some(&args.specification()))?,
    })?;
    if interrupted {
        complain(format_args!(
            "interrupted: the figures are for the first {} trials",
            report.finished
        ));
    }
    Ok(CommandEnding::of(interrupted, false))
}

fn model(
    flags: &PopulationSpecification,
    network: Option<&Topology>,
    ids: Option<&[u64]>,
) -> MeetingModel {
    match network {
        None if flags.self_meetings => MeetingModel::SelfMeetings,
        Some(network) if network.kind() != COMPLETE && network.nodes() > 1 => {
            let links = LinkMeetings::of(network);
            MeetingModel::Graph(match ids {
                Some(ids) => links.with_ids(ids),
                None => links,
            })
        }
        _ => MeetingModel::Uniform,
    }
}

impl PopulationRun<'_> {
    fn specification(&self) -> Specification {
        Specification::Population(self.asked.clone().into())
    }

    fn lists(&self) -> bool {
        let adds_up = self.asked.seeds.is_some() && self.format == ReportFormat::Json;
        self.asked.each || adds_up
    }

    /// The interactions between two lines of the history.
    fn history_interval(&self, agents: u64) -> u64 {
        self.interval.unwrap_or_else(|| self.asked.history_interval(agents)).max(1)
    }

    fn network(&self) -> Result<Option<Arc<Topology>>, Error> {
        let PopulationSpecification { topology, agents, seed, .. } = self.asked;
        let options = self.asked.file_options();
        let Some(text) = topology else {
            return match for_files(options) {
                Some(flag) => Err(Error::new(format!("{flag}: there is no --topology FILE"))),
                None => Ok(None),
            };
        };
        let network = NetworkSource::named(text, options, &session::networks())?.build(*seed)?;
        if let Some(agents) = agents
            && *agents != u64::from(network.nodes())
        {
            return Err(Error::new(format!(
                "--agents {agents}: {text} has {} nodes, and an agent is at each; leave out --agents",
                network.nodes()
            )));
        }
        // A complete network needs no links, since all pairs meet.
        let needed = LinkMeetings::bytes(&network);
        if network.kind() != COMPLETE
            && let Some(available) =
                suffrage_parallel::memory::available().filter(|&free| free < needed)
        {
            return Err(Error::new(format!(
                "--topology: the links of {text} take {}, and {} of memory are free; choose a \
                 smaller network",
                size(needed),
                size(available)
            )));
        }
        Ok(Some(network))
    }

    fn ids(&self, network: Option<&Topology>) -> Result<AgentIdentities, Error> {
        let wrong = |error: &dyn std::fmt::Display| Error::of("--ids", error);
        let PopulationSpecification { ids, agents, seed, .. } = self.asked;
        let agents = agents.or(network.map(|network| network.nodes().into()));
        let (file, listed) = match (ids.as_deref(), agents, network) {
            (None, ..) => return Ok(AgentIdentities::default()),
            (Some("random"), None, _) => {
                return Err(Error::new("--ids random: give the number with --agents"));
            }
            (Some("random"), Some(MOST_IDS..), _) => {
                return Err(Error::new(format!(
                    "--ids random: no more than {MOST_IDS} identities are drawn; leave out --ids, \
                     an election depends only on their order"
                )));
            }
            (Some("random"), Some(agents), _) => {
                let ids = PopulationIds::random(agents, *seed).map_err(|error| wrong(&error))?;
                return Ok(AgentIdentities { ids: Some(ids), ..AgentIdentities::default() });
            }
            (Some(file), _, None) => (file, networks::Ids::read_list(file)),
            (Some(file), _, Some(network)) => (file, networks::Ids::read_file(file, network)),
        };
        let listed = listed.map_err(|error| wrong(&error))?;
        if listed.ids().is_empty() {
            return Err(Error::new(format!("--ids: there are none in {file}")));
        }
        let numbers: Vec<u64> = listed.ids().iter().map(|id| id.get()).collect();
        let ids = PopulationIds::given(&numbers).map_err(|error| wrong(&error))?;
        let place = (0..).zip(&numbers).find(|(_, id)| **id == ids.leader);
        let label = place.map(|(place, _)| {
            let node = network.and_then(|network| network.label(place));
            match node.or(listed.label(place)) {
                Some(label) => format!("{} ({label})", listed.written(place)),
                None => listed.written(place).to_owned(),
            }
        });
        Ok(AgentIdentities { ids: Some(ids), label, at_nodes: network.map(|_| numbers) })
    }

    /// Writes the history of one trial, up to an interruption if there is one.
    fn history(&self, experiment: &PopulationExperiment, path: &Path) -> Result<(), Error> {
        const FLAG: &str = "--history";
        let mut file = Output::begin(FLAG, path)?;
        let interval = self.history_interval(experiment.agents);
        let progress = Shared::of_long(1, experiment.usual_interactions());
        let history = experiment
            .history(interval, &Watched(&progress))
            .map_err(|error| Error::of(FLAG, error))?;
        drop(progress);
        history.write_csv(&mut file).map_err(|error| Output::failed(FLAG, path, error))?;
        file.finish()
    }
}

/// Writes the distributions that the oracle has found.
fn distribution(findings: &Findings, path: &Path) -> Result<(), Error> {
    const FLAG: &str = "--distribution";
    let (TrialSample::Exact(_, found) | TrialSample::Time(_, found)) = &findings.sample else {
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
