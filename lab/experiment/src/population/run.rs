//! Runs populations: elections, and protocols of the caller's own.

use super::PopulationSpecification;
use crate::error::Error;
use crate::monitor::PopulationMonitor;
use crate::number::count;
use crate::options::{EarlyEnd, ExperimentRun, RunOptions};
use crate::report::ExperimentReport;
use crate::source::{GivenNetworks, NetworkSource, for_files};
use std::fmt::Display;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use suffrage_networks::{Ids, Input, Topology};
use suffrage_parallel::cores;
use suffrage_parallel::memory::{available, size};
use suffrage_population::experiment::{
    AfterFailures, EngineKind, Findings, MeetingModel, TrialSample,
};
use suffrage_population::history::CountHistory;
use suffrage_population::ids::PopulationIds;
use suffrage_population::meetings::LinkMeetings;
use suffrage_population::report::{PopulationReport, SeededTrials};
use suffrage_population::rules::{Rules, RulesExperiment, RulesReport};

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

/// Runs trials. Seeds are listed with their results, so that reports add up.
pub(crate) fn run(
    asked: &PopulationSpecification,
    options: &mut RunOptions<'_>,
) -> Result<ExperimentRun, Error> {
    asked.check()?;
    match &asked.rules {
        Some(path) => by_rules(asked, path, options),
        None => elections(asked, options),
    }
}

fn elections(
    asked: &PopulationSpecification,
    options: &mut RunOptions<'_>,
) -> Result<ExperimentRun, Error> {
    let monitor = options.monitor;
    let network = asked.network(options.given)?;
    let AgentIdentities { ids, label, at_nodes } = asked.identities(network.as_deref())?;
    let nodes = network.as_ref().map(|network| u64::from(network.nodes()));
    let agents = asked.agents.or(nodes).or(ids.map(|ids| ids.count)).unwrap_or(0);
    let model = asked.model(network.as_deref(), at_nodes.as_deref());
    let experiment = asked.experiment(agents, ids, model, options.threads);
    let refused = |error| Error::new(format!("{error}"));
    let plan = experiment.plan().map_err(refused)?;
    if let Some(failures) = asked.failures {
        // Checked before the first election.
        experiment.check_failures(failures).map_err(|error| Error::of("--failures", error))?;
    }
    if options.distribution.is_some() && plan.engine != EngineKind::Oracle {
        return Err(Error::new(
            "--distribution: only the oracle knows distributions; add --engine oracle, for up to \
             10000 agents",
        ));
    }
    if asked.highest.is_some() && plan.engine != EngineKind::Batched && options.history.is_none() {
        return Err(Error::new(format!(
            "--highest: only the batched engine distinguishes the highest identities, and the {} \
             engine runs here; add --engine batched",
            plan.engine
        )));
    }
    let usual = experiment.usual_interactions();
    asked.history(experiment.agents, usual, options, |interval, watched| {
        experiment.history(interval, watched)
    })?;
    let progress = || PopulationMonitor::of_long(monitor, experiment.trials, usual);
    let findings = experiment.run(&progress(), monitor.stop()).map_err(refused)?;
    let after_failures = match asked.failures {
        Some(failures) => {
            let again = experiment.after_failures(failures, &progress(), monitor.stop());
            Some(again.map_err(|error| Error::of("--failures", error))?)
        }
        None => None,
    };
    distribution(&findings, options)?;
    let mut report = PopulationReport::new(&experiment, findings, asked.lists());
    report.after_failures = after_failures.filter(|again| again.finished > 0);
    if let Some(again) = &mut report.after_failures
        && report.results.is_none()
    {
        again.results = None;
    }
    report.leader_label = label;
    report.network.clone_from(&asked.topology);
    let SeededTrials { wanted, finished, .. } = report.trials;
    let again = |again: &AfterFailures| again.finished < wanted;
    let cut_short = asked.failures.is_some() && report.after_failures.as_ref().is_none_or(again);
    let interrupted = report.expected.is_none() && finished < wanted || cut_short;
    if interrupted && finished == 0 {
        let words = "interrupted before the first trial was finished".to_owned();
        return Ok(ExperimentRun::without_report(EarlyEnd::Interrupted(words)));
    }
    let run = ExperimentRun::from(ExperimentReport::Population(report.into()));
    Ok(run.interrupted(interrupted, first(finished)))
}

fn first(finished: u64) -> String {
    format!("interrupted: the figures are for the first {}", count(finished, "trial"))
}

fn by_rules(
    asked: &PopulationSpecification,
    path: &Path,
    options: &mut RunOptions<'_>,
) -> Result<ExperimentRun, Error> {
    let place = || format!("--rules {}", path.display());
    let failed = |error: &dyn Display| Error::of(place(), error);
    let text = Input::text(path).map_err(|error| failed(&error))?;
    let rules: Rules = text.parse().map_err(|error| failed(&error))?;
    let network = asked.network(options.given)?;
    let nodes = network.as_ref().map(|network| u64::from(network.nodes()));
    let experiment = RulesExperiment {
        initial: rules.population(asked.agents.or(nodes)).map_err(|error| failed(&error))?,
        rules: &rules,
        model: asked.model(network.as_deref(), None),
        most: asked.interactions.unwrap_or(u64::MAX),
        trials: asked.trials(),
        seed: asked.first_seed(),
        consecutive: asked.seeds.is_some(),
        threads: options.threads.map_or_else(cores, NonZero::get),
    };
    experiment.check().map_err(|error| failed(&error))?;
    // The time of a user's protocol is unknown; an epidemic takes this long.
    let usual = experiment.agents() as f64 * (experiment.agents() as f64).ln();
    asked.history(experiment.agents(), usual, options, |interval, watched| {
        experiment.history(interval, watched)
    })?;
    let progress = PopulationMonitor::of_long(options.monitor, experiment.trials, usual);
    let endings = experiment.run(&progress, options.monitor.stop());
    let endings = endings.map_err(|error| failed(&error))?;
    if endings.is_empty() {
        let words = "interrupted before the first trial was finished; --interactions N ends each";
        return Ok(ExperimentRun::without_report(EarlyEnd::Interrupted(words.to_owned())));
    }
    let name = path.display().to_string();
    let mut report = RulesReport::new(&name, &experiment, &endings, asked.lists());
    report.network.clone_from(&asked.topology);
    let finished = endings.len() as u64;
    let run = ExperimentRun::from(ExperimentReport::Rules(report.into()));
    Ok(run.interrupted(finished < experiment.trials, first(finished)))
}

impl PopulationSpecification {
    /// Whether the report lists the trials: reports of seeds need them to be added up.
    const fn lists(&self) -> bool {
        self.each || self.seeds.is_some()
    }

    fn model(&self, network: Option<&Topology>, ids: Option<&[u64]>) -> MeetingModel {
        match network {
            None if self.self_meetings => MeetingModel::SelfMeetings,
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

    fn network(&self, given: &GivenNetworks) -> Result<Option<Arc<Topology>>, Error> {
        let Self { topology, agents, seed, .. } = self;
        let options = self.file_options();
        let Some(text) = topology else {
            return match for_files(options) {
                Some(flag) => Err(Error::new(format!("{flag}: there is no --topology FILE"))),
                None => Ok(None),
            };
        };
        let network = NetworkSource::named(text, options, given)?.build(*seed)?;
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
            && let Some(available) = available().filter(|&free| free < needed)
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

    fn identities(&self, network: Option<&Topology>) -> Result<AgentIdentities, Error> {
        let wrong = |error: &dyn Display| Error::of("--ids", error);
        let Self { ids, agents, seed, .. } = self;
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
            (Some(file), _, None) => (file, Ids::read_list(file)),
            (Some(file), _, Some(network)) => (file, Ids::read_file(file, network)),
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
    fn history<E: Display>(
        &self,
        agents: u64,
        usual: f64,
        options: &mut RunOptions<'_>,
        of: impl FnOnce(u64, &PopulationMonitor<'_>) -> Result<CountHistory, E>,
    ) -> Result<(), Error> {
        let Some((to, interval)) = &mut options.history else { return Ok(()) };
        let interval = interval.unwrap_or_else(|| self.history_interval(agents)).max(1);
        let progress = PopulationMonitor::of_long(options.monitor, 1, usual);
        let history = of(interval, &progress).map_err(|error| Error::of("--history", error))?;
        history.write_csv(to).map_err(|error| Error::new(error.to_string()))
    }
}

/// Writes the distributions that the oracle has found.
fn distribution(findings: &Findings, options: &mut RunOptions<'_>) -> Result<(), Error> {
    const FLAG: &str = "--distribution";
    let Some(to) = &mut options.distribution else { return Ok(()) };
    let (TrialSample::Exact(_, found) | TrialSample::Time(_, found)) = &findings.sample else {
        return Err(Error::of(
            FLAG,
            "an election of one agent, or with known bounds, takes no time",
        ));
    };
    let Some(distributions) = found else {
        return Err(Error::of(FLAG, "there is none of this protocol, or it was interrupted"));
    };
    distributions.write_csv(to).map_err(|error| Error::new(error.to_string()))
}
