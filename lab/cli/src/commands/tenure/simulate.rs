//! `suffrage tenure simulate`: simulates a protocol under faults.

use super::cluster::{BesideProtocol, ClusterArgs, protocol};
use crate::error::{CommandEnding, Error, complain};
use crate::output::{Output, print, refuse_unwritable, write_text};
use crate::progress::Terminal;
use crate::report::{ReportFormat, Tenures, json};
use crate::terminal::fitted;
use crate::typed::typed;
use clap::{Args as _, Command, FromArgMatches as _};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};
use suffrage::experiment::{Monitor, command_of};
use suffrage::networks::Input;
use suffrage::tenure::protocol::tenure::Tenure;
use suffrage::tenure::simulation::{
    ClusterFault, FaultKind, Faults, Invalid, Nanos, Scenario, ScenarioCluster, SimulationSummary,
};
use suffrage_numbers::{counted, in_words};

/// Simulate a protocol under faults, and check its promises
///
/// Faults come from the seed or from a scenario. A run that breaks a promise is shrunk: it is
/// repeated with fewer and shorter faults as long as it still breaks a promise, and the shortest
/// script is printed.
#[derive(clap::Args, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The protocol
    #[arg(long, value_name = "NAME", default_value = "tenure")]
    protocol: String,

    /// The faults: none, kinds separated by commas, `all` for most of them, or a file with a scenario
    #[arg(long, value_name = "FAULTS", default_value = "none", help_heading = "Faults")]
    faults: String,

    /// The mean time between the beginnings of two random faults
    #[arg(long, value_name = "TIME", default_value = "4s", help_heading = "Faults")]
    every: Nanos,

    /// The longest time that a random fault lasts
    #[arg(long, value_name = "TIME", default_value = "4s", help_heading = "Faults")]
    longest: Nanos,

    /// Let leaders set values and change them, and hold what all show to what was set
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    values: bool,

    /// The length of a run, in simulated hours [default: 0.1]
    #[arg(long, value_name = "H", conflicts_with = "duration")]
    hours: Option<String>,

    /// The length of a run, as in 90s
    #[arg(long, value_name = "TIME")]
    duration: Option<Nanos>,

    /// The number of runs
    #[arg(long, value_name = "T", default_value_t = 1)]
    #[arg(value_parser = suffrage::experiment::counts::positive)]
    trials: u64,

    #[command(flatten)]
    #[serde(flatten)]
    cluster: ClusterArgs,

    /// How to write the report
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    #[serde(skip)]
    format: ReportFormat,

    /// Write the events of a run to this file, as lines of JSON: of the first run that fails, its
    /// faults shrunk, or else of the first run
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    #[serde(skip_serializing)]
    pub(crate) trace: Option<PathBuf>,

    /// Write a script to this file: the shortest script that makes a run fail, or else the script of the
    /// first run
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    #[serde(skip_serializing)]
    save: Option<PathBuf>,
}

impl Default for Args {
    fn default() -> Self {
        let matches = Self::augment_args(Command::new("")).get_matches_from([""]);
        Self::from_arg_matches(&matches).expect("every flag has a default")
    }
}

const EXAMPLES: &str = "\
Kinds of faults: crash, lost-record, suspend, clock, slow-disk, stuck-disk, failed-disk, split,
bridge, one-way, chain, star, link, flapping, loss, duplicate, overtake, delay, resign, transfer;
and, not in `all`: membership (an operator asks for other members, any participants; only tenure), and
beyond the model clock-beyond, restored-record.

A scenario has a fault a line, as in `at 2s for 500ms crash leader`; docs/use/scenarios.md has all words.

Examples:
  suffrage tenure simulate --faults all --hours 1 --trials 10
  suffrage tenure simulate --members 3 --clients 20 --offices 100 --faults crash,split
  suffrage tenure simulate --faults clock-beyond,split --trials 100
  suffrage tenure simulate --members 3 --clients 3 --faults all,membership
  suffrage tenure simulate --values --members 3 --clients 1 --faults all
  suffrage tenure simulate --profile wan --heartbeat 200ms --lease 1s --faults all
  suffrage tenure simulate --faults scenario.txt --trace run.jsonl";

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let ran = simulate(args, &typed(), &Terminal::default())?;
    let Some(mut tenures) = ran.tenures else {
        complain("interrupted before the first run was finished");
        return Ok(CommandEnding::Interrupted);
    };
    print(&match args.format {
        ReportFormat::Text => fitted(&tenures.text()),
        ReportFormat::Json => json(args.part(&mut tenures))?,
    })?;
    if ran.interrupted {
        let runs = tenures.runs();
        complain(format_args!(
            "interrupted: the figures are for the first {}",
            counted(runs, "run")
        ));
    }
    Ok(CommandEnding::of(ran.interrupted, tenures.is_broken()))
}

/// The result of simulations.
pub(crate) struct SimulatedRuns {
    /// The results; `None` if no run was finished.
    pub(crate) tenures: Option<Tenures>,
    pub(crate) interrupted: bool,
}

/// Simulates, and writes the files that flags name. `command` is named by the trace.
pub(crate) fn simulate(
    args: &Args,
    command: &str,
    monitor: &dyn Monitor,
) -> Result<SimulatedRuns, Error> {
    for (flag, path) in [("--save", &args.save), ("--trace", &args.trace)] {
        path.as_ref().map_or(Ok(()), |path| refuse_unwritable(flag, path))?;
    }
    let mut cluster = args.cluster.read()?;
    let (faults, named) = args.faults()?;
    cluster.faults = faults;
    cluster.take(&named);
    let protocol = protocol(named.protocol.as_ref().unwrap_or(&args.protocol))?;
    if args.values && protocol.name != "tenure" {
        let why =
            format!("`{}` has no values; leave --values out, or choose tenure", protocol.name);
        return Err(Error::of("--values", why));
    }
    let membership = changes_members(&cluster.faults);
    if membership && protocol.name != "tenure" {
        let why = "never change; leave other members out, or choose tenure";
        return Err(Error::of("--faults", format!("the members of `{}` {why}", protocol.name)));
    }
    if args.values && membership {
        return Err(Error::of("--values", "members do not change beside values; leave one out"));
    }
    cluster.beside = BesideProtocol { values: args.values, membership };
    cluster.length = args.length()?;
    let trials = args.cluster.runs(args.trials);
    let what = format!("runs of {}", protocol.name);
    let reports = cluster.trials(protocol, trials, &what, monitor)?;
    let interrupted = (reports.len() as u64) < trials;
    let Some(first) = reports.first() else {
        return Ok(SimulatedRuns { tenures: None, interrupted: true });
    };
    let summary: SimulationSummary = reports.iter().collect();
    let failing = summary.violations.iter().next().map(|(promise, (seed, _))| (*promise, *seed));
    let shrunk = match failing {
        Some((promise, seed)) if !interrupted => {
            cluster.shrink(protocol, seed, promise, monitor)?
        }
        _ => None,
    };
    if let Some(path) = &args.save {
        let script = shrunk.as_ref().map_or(&first.script, |shrunk| &shrunk.script);
        write_text("--save", path, &script.to_string())?;
    }
    if let Some(path) = &args.trace {
        let mut cluster = cluster.clone();
        let seed = shrunk.as_ref().map_or(first.seed, |shrunk| shrunk.report.seed);
        if let Some(shrunk) = &shrunk {
            cluster.faults = Faults::Script(shrunk.script.clone());
            cluster.length = Nanos(shrunk.report.length.0 + Nanos::seconds(1).0);
        }
        cluster.trace(protocol, seed, command, Output::begin("--trace", path)?, monitor)?;
    }
    let mut tenures = Tenures::new(summary, shrunk.as_ref());
    protocol.name.clone_into(&mut tenures.protocol);
    tenures.members = cluster.args.members;
    tenures.clients = cluster.args.clients;
    tenures.offices = cluster.args.offices;
    tenures.profile = cluster.profile.to_string();
    tenures.faults.clone_from(&args.faults);
    tenures.seed = cluster.args.seed;
    tenures.bound_nanos = cluster.simulation::<Tenure>(1).bound().0;
    Ok(SimulatedRuns { tenures: Some(tenures), interrupted })
}

/// Reads a kind of faults, or `all`.
fn kinds(name: &str) -> Result<Vec<FaultKind>, Invalid> {
    if name == "all" { Ok(FaultKind::ALL.to_vec()) } else { Ok(vec![name.parse()?]) }
}

fn changes_members(faults: &Faults) -> bool {
    match faults {
        Faults::Random { kinds, .. } => kinds.contains(&FaultKind::Membership),
        Faults::Script(script) => {
            script.0.iter().any(|it| matches!(it.fault, ClusterFault::Members { .. }))
        }
    }
}

impl Args {
    /// Reads flags as a value has them.
    pub(crate) fn of_value(flags: Value) -> Result<Self, Error> {
        let command = Self::augment_args(Command::new(""));
        let known = |key: &str| command.get_arguments().any(|flag| flag.get_long() == Some(key));
        match flags.as_object().and_then(|all| all.keys().find(|key| !known(key))) {
            Some(key) => Err(Error::new(format!("unknown field `{key}`"))),
            None => serde_path_to_error::deserialize(flags)
                .map_err(|error| Error::of(error.path(), in_words(error.inner()))),
        }
    }

    /// The command of these flags.
    pub(crate) fn command(&self) -> String {
        command_of("tenure simulate", self, &Self::default(), "")
    }

    /// The results as they are written: only parts of a whole are to be added up.
    pub(crate) fn part<'a>(&self, tenures: &'a mut Tenures) -> &'a Tenures {
        if self.cluster.seeds.is_none() {
            tenures.sums = None;
        }
        tenures
    }

    /// Returns the faults, and what a scenario says of its cluster.
    fn faults(&self) -> Result<(Faults, ScenarioCluster), Error> {
        let random = |kinds: Vec<FaultKind>| {
            let faults = Faults::Random { kinds, every: self.every, longest: self.longest };
            (faults, ScenarioCluster::default())
        };
        match self.faults.as_str() {
            "none" => Ok((Faults::none(), ScenarioCluster::default())),
            list => {
                let kinds: Result<Vec<Vec<FaultKind>>, _> = list.split(',').map(kinds).collect();
                let unknown = match kinds {
                    Ok(kinds) => return Ok(random(kinds.concat())),
                    Err(unknown) => unknown,
                };
                match Input::text(Path::new(list)) {
                    Ok(text) => {
                        let wrong = |error| Error::of(format!("--faults {list}"), error);
                        let scenario: Scenario = text.parse().map_err(wrong)?;
                        let faults = scenario.faults().map_err(wrong)?;
                        Ok((Faults::Script(faults), scenario.cluster()))
                    }
                    Err(unread) => Err(Error::of(
                        "--faults",
                        format!("{unknown}; and as a file it cannot be read: {unread}"),
                    )),
                }
            }
        }
    }

    fn length(&self) -> Result<Nanos, Error> {
        match (&self.hours, self.duration) {
            (_, Some(duration)) => Ok(duration),
            (hours, None) => {
                let hours = hours.as_deref().unwrap_or("0.1");
                let wrong = |_| Error::new(format!("--hours {hours}: write a number, as in 0.5"));
                format!("{hours}h").parse().map_err(wrong)
            }
        }
    }
}
