//! The flags of a simulated cluster, and its runs on all cores.

use crate::error::Error;
use crate::output::{Output, unwritten};
use clap::{Args as _, Command, FromArgMatches as _, ValueEnum};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::num::NonZero;
use std::path::Path;
use suffrage::diagram::TenureDiagram;
use suffrage::experiment::counts::NumberRange;
use suffrage::experiment::{ExperimentProgress, Monitor};
use suffrage::networks::Input;
use suffrage::tenure::model::{Ratio, Recoverable};
use suffrage::tenure::protocol::reconfiguration::Reconfigurable;
use suffrage::tenure::protocol::tenure::Tenure;
use suffrage::tenure::protocol::valued::Valued;
use suffrage::tenure::protocol::{CATALOGUE, Protocol, ProtocolVisitor};
use suffrage::tenure::simulation::promises::Promise;
use suffrage::tenure::simulation::{
    Faults, Invalid, Nanos, Profile, Regions, ScenarioCluster, Shrunk, Simulation,
    SimulationDescription, SimulationReport, SimulationTracer, SimulationWatch, shrink,
};
use suffrage_parallel::{Jobs, cores};

/// A cluster, its network and its clocks.
#[derive(clap::Args, Clone, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = "Cluster")]
pub(crate) struct ClusterArgs {
    /// Processes with a vote
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = suffrage::experiment::counts::count32)]
    pub(crate) members: u32,

    /// Processes that stand for offices and have no vote
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = suffrage::experiment::counts::count32)]
    pub(crate) clients: u32,

    /// Members that do not stand, the last ones
    #[arg(long, value_name = "W", default_value_t = 0, value_parser = suffrage::experiment::counts::count32)]
    pub(crate) witnesses: u32,

    /// Offices; every process that stands, stands for all of them
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = suffrage::experiment::counts::count32)]
    pub(crate) offices: u32,

    /// Time between two heartbeats, as in 50ms
    #[arg(long, value_name = "TIME", default_value = "50ms")]
    heartbeat: Nanos,

    /// Silence after which a process counts as crashed
    #[arg(long, value_name = "TIME", default_value = "250ms")]
    pub(crate) lease: Nanos,

    /// How long the application may work after its tenure ended
    #[arg(long, value_name = "TIME", default_value = "0s")]
    stop: Nanos,

    /// Maximal difference between the rates of two clocks, in millionths
    #[arg(long, value_name = "PPM", default_value_t = 1000)]
    #[arg(value_parser = suffrage::experiment::counts::within32(0..=10_000_000))]
    drift: u32,

    /// Delays of messages: lan, wan, fixed:T, uniform:T..T, log-normal:MEDIAN:SPREAD%, or a file
    /// with a matrix of round trips between regions in milliseconds
    #[arg(long, value_name = "PROFILE", default_value = "lan")]
    profile: String,

    /// Times of a disk sync: fixed:T, uniform:T..T or log-normal:MEDIAN:SPREAD%
    #[arg(long, value_name = "PROFILE", default_value = "log-normal:1ms:30%")]
    sync: String,

    /// The seed of everything random; trial T has seed S + T
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = suffrage::experiment::counts::count)]
    pub(crate) seed: u64,

    /// A run for each of these seeds, from A to B inclusive
    ///
    /// `suffrage merge` adds up JSON reports of consecutive seeds.
    #[arg(long, value_name = "A..B", value_parser = suffrage::experiment::counts::range)]
    #[arg(conflicts_with_all = ["trials", "seed"])]
    pub(crate) seeds: Option<NumberRange<u64>>,

    /// Threads; the results do not depend on them [default: all cores]
    #[arg(long, value_name = "N", value_parser = suffrage::experiment::counts::threads)]
    #[serde(skip_serializing)]
    threads: Option<NonZero<usize>>,
}

impl Default for ClusterArgs {
    fn default() -> Self {
        // The flag `--seeds` knows the one of the commands beside it.
        let command = Command::new("").arg(clap::Arg::new("trials"));
        let matches = Self::augment_args(command).get_matches_from([""]);
        Self::from_arg_matches(&matches).expect("every flag has a default")
    }
}

/// The format of tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// For people
    #[default]
    Text,
    /// For documents
    Markdown,
    /// For programs
    Json,
}

/// The parsed [`ClusterArgs`].
#[derive(Clone)]
pub(crate) struct SimulatedCluster {
    pub(crate) args: ClusterArgs,
    pub(crate) profile: Profile,
    pub(crate) sync: Profile,
    pub(crate) faults: Faults,
    pub(crate) length: Nanos,
    pub(crate) beside: BesideProtocol,
}

/// What is simulated beside the offices; only Tenure has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct BesideProtocol {
    /// Whether leaders set values.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) values: bool,
    /// Whether members change.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) membership: bool,
}

impl BesideProtocol {
    /// Passes the process that is simulated to a visitor.
    pub(crate) fn visit<V: ProtocolVisitor>(self, protocol: &Protocol, visitor: V) -> V::Output {
        match self {
            Self { values: true, .. } => visitor.visit::<Valued<Tenure>>(),
            Self { membership: true, .. } => visitor.visit::<Reconfigurable>(),
            _ => protocol.visit(visitor),
        }
    }
}

pub(crate) fn protocol(name: &str) -> Result<&'static Protocol, Error> {
    Protocol::named(name).ok_or_else(|| {
        let names: Vec<&str> = CATALOGUE.iter().map(|protocol| protocol.name).collect();
        Error::new(format!("there is no protocol `{name}`; choose {}", names.join(", ")))
    })
}

impl ClusterArgs {
    /// Parses the flags; the cluster has no faults and runs for a minute.
    pub(crate) fn read(&self) -> Result<SimulatedCluster, Error> {
        let wrong = |error: Invalid| Error::of("--profile", error);
        let profile = match self.profile.parse() {
            Ok(profile) => profile,
            Err(error) if self.profile.contains(':') => return Err(wrong(error)),
            Err(error) => match Input::text(Path::new(&self.profile)) {
                Ok(text) => {
                    let regions = text.parse::<Regions>();
                    let place = format!("--profile {}", self.profile);
                    Profile::Regions(regions.map_err(|error| Error::of(place, error))?)
                }
                Err(unread) => {
                    return Err(Error::of(
                        "--profile",
                        format!("{error}, or a file, which cannot be read: {unread}"),
                    ));
                }
            },
        };
        let sync = self.sync.parse().map_err(|error| Error::of("--sync", error))?;
        let (faults, length) = (Faults::none(), Nanos::seconds(60));
        let mut args = self.clone();
        if let Some(seeds) = self.seeds {
            args.seed = seeds.first;
        }
        let beside = BesideProtocol::default();
        Ok(SimulatedCluster { args, profile, sync, faults, length, beside })
    }

    pub(crate) fn runs(&self, trials: u64) -> u64 {
        self.seeds.map_or(trials, |NumberRange { first, last }| (last - first).saturating_add(1))
    }
}

impl SimulatedCluster {
    pub(crate) fn simulation<P: Recoverable>(&self, seed: u64) -> Simulation<P> {
        let args = &self.args;
        Simulation::new()
            .members(args.members)
            .clients(args.clients)
            .witnesses(args.witnesses)
            .offices(args.offices)
            .heartbeat(args.heartbeat.into())
            .lease(args.lease.into())
            .stop(args.stop.into())
            .clocks(Ratio { fastest: 1_000_000 + args.drift, slowest: 1_000_000 })
            .profile(self.profile.clone())
            .sync(self.sync.clone())
            .faults(self.faults.clone())
            .duration(self.length.into())
            .seed(seed)
    }

    /// Makes the cluster the one that a scenario names.
    pub(crate) fn take(&mut self, named: &ScenarioCluster) {
        let args = &mut self.args;
        args.members = named.members.unwrap_or(args.members);
        args.clients = named.clients.unwrap_or(args.clients);
        args.heartbeat = named.heartbeat.unwrap_or(args.heartbeat);
        args.lease = named.lease.unwrap_or(args.lease);
        args.stop = named.stopping.unwrap_or(args.stop);
        if let Some(Ratio { fastest, slowest }) = named.clocks {
            let drift = u64::from(fastest - slowest) * 1_000_000 / u64::from(slowest);
            args.drift = u32::try_from(drift).unwrap_or(u32::MAX);
        }
    }

    pub(crate) fn heartbeat(&self) -> Nanos {
        self.args.heartbeat
    }

    /// Runs trials of consecutive seeds on all cores; fewer after an interruption.
    pub(crate) fn trials(
        &self,
        protocol: &Protocol,
        count: u64,
        what: &str,
        monitor: &dyn Monitor,
    ) -> Result<Vec<SimulationReport>, Error> {
        let threads = self.args.threads.map_or_else(cores, NonZero::get);
        let jobs = Jobs { count, threads, interrupted: monitor.stop() };
        let of = Some(count);
        let seed = self.args.seed;
        let reports = jobs.try_map(
            || (),
            |(), trial| {
                let seed = seed.wrapping_add(trial);
                self.beside.visit(protocol, One { cluster: self, seed, monitor })
            },
            |done| monitor.progress(ExperimentProgress::Done { what, done, of }),
        );
        monitor.progress(ExperimentProgress::Ended);
        reports.map_err(invalid)
    }

    /// Writes the trace of one run to a file.
    pub(crate) fn trace(
        &self,
        protocol: &Protocol,
        seed: u64,
        command: &str,
        to: Output,
        monitor: &dyn Monitor,
    ) -> Result<(), Error> {
        // What is described does not depend on the protocol, and this one can do everything.
        let run = self.simulation::<Reconfigurable>(seed);
        let run = SimulationDescription::of(&run).map_err(invalid)?;
        let (command, name) = (command.to_owned(), protocol.name.to_owned());
        let about = About { command, protocol: name, beside: self.beside, run };
        let mut tracer = SimulationTracer::new(to, &about).map_err(unwritten)?;
        let traced = Traced { run: &about.run, tracer: &mut tracer, diagram: None, monitor };
        let traced = self.beside.visit(protocol, traced);
        traced.map_err(invalid)?;
        tracer.finish().map_err(unwritten)?.finish()
    }

    /// Shrinks a failing run.
    pub(crate) fn shrink(
        &self,
        protocol: &Protocol,
        seed: u64,
        promise: Promise,
        monitor: &dyn Monitor,
    ) -> Result<Option<Shrunk>, Error> {
        let shrink = Shrink { cluster: self, seed, promise, monitor };
        let shrunk = self.beside.visit(protocol, shrink);
        monitor.progress(ExperimentProgress::Ended);
        shrunk.map_err(invalid)
    }
}

fn invalid(error: Invalid) -> Error {
    Error::new(error.to_string())
}

struct One<'a> {
    cluster: &'a SimulatedCluster,
    seed: u64,
    monitor: &'a dyn Monitor,
}

impl ProtocolVisitor for One<'_> {
    type Output = Result<Option<SimulationReport>, Invalid>;

    fn visit<P: Recoverable>(self) -> Self::Output {
        let simulation = self.cluster.simulation::<P>(self.seed);
        simulation.watched((), |_| self.monitor.go_on().is_continue())
    }
}

/// What the header of a trace says of the run.
#[derive(Serialize, Deserialize)]
pub(crate) struct About {
    /// As it was typed.
    pub(crate) command: String,
    pub(crate) protocol: String,
    #[serde(flatten)]
    pub(crate) beside: BesideProtocol,
    #[serde(flatten)]
    pub(crate) run: SimulationDescription,
}

/// A run from its description, which is written, and drawn if it is to be.
pub(crate) struct Traced<'a, W: Write> {
    pub(crate) run: &'a SimulationDescription,
    pub(crate) tracer: &'a mut SimulationTracer<W>,
    pub(crate) diagram: Option<&'a mut TenureDiagram>,
    pub(crate) monitor: &'a dyn Monitor,
}

impl<W: Write> ProtocolVisitor for Traced<'_, W> {
    type Output = Result<Option<SimulationReport>, Invalid>;

    fn visit<P: Recoverable>(self) -> Self::Output {
        let mut watch: Vec<&mut dyn SimulationWatch<P>> = vec![self.tracer];
        watch.extend(self.diagram.map(|diagram| diagram as &mut dyn SimulationWatch<P>));
        self.run.simulation::<P>().watched(watch, |_| self.monitor.go_on().is_continue())
    }
}

struct Shrink<'a> {
    cluster: &'a SimulatedCluster,
    seed: u64,
    promise: Promise,
    monitor: &'a dyn Monitor,
}

impl ProtocolVisitor for Shrink<'_> {
    type Output = Result<Option<Shrunk>, Invalid>;

    fn visit<P: Recoverable>(self) -> Self::Output {
        let simulation = self.cluster.simulation::<P>(self.seed);
        let what = "runs to find the shortest schedule of faults";
        shrink(&simulation, self.promise, |done| {
            self.monitor.progress(ExperimentProgress::Done { what, done, of: None });
            self.monitor.go_on().is_continue()
        })
    }
}
