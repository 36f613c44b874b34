//! Elections between real nodes on this machine. Brings tokio and TLS.

pub mod agents;

mod files;
mod inside;
mod meetings;
mod member;
mod processes;
mod timeouts;

pub use member::MemberReport;
pub use timeouts::{apply, seconds, timeout};

use crate::choice::by_name;
use crate::cluster::{ClusterSpecification, Transport};
use crate::conditions::Capacity;
use crate::election::{Instance, Prepared, Site};
use crate::error::Error;
use crate::monitor::Monitor;
use crate::options::{EarlyEnd, ExperimentRun, RunOptions};
use crate::report::{Arrivals, BrokenProperty, ElectionReport, ExperimentReport, MeasuredTime};
use crate::report::{RealBesideSimulated, RunTiming};
use crate::source::NetworkSource;
use crate::specification::ElectionSpecification;
use crate::text::Several;
use agents::Agents;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};
use suffrage_algorithms::{AlgorithmVisitor, Claimed};
use suffrage_figures::run::{Run, RunHeader};
use suffrage_model::{Id, Kind, Message, NetworkClass};
use suffrage_net::tasks::have_threads;
use suffrage_runtime::{NodeReport, Timeouts, in_causal_order, verdict};
use suffrage_simulator::{Busiest, MessagesByKind, Outcome};
use tokio::runtime::Builder;
use tokio::time::sleep;

/// The maximal number of nodes of a cluster.
pub const MOST_NODES: u32 = 10_000;

/// The name of the cluster, which exists for one election.
const NAME: &str = "local";

/// How often it is looked whether an election is to stop.
const LOOK: Duration = Duration::from_millis(20);

/// The nodes of one election, and how they are run.
struct RealElection<'a> {
    asked: &'a ClusterSpecification,
    /// The name of the algorithm.
    algorithm: &'a str,
    site: &'a Site,
    initiating: Vec<u32>,
    timeouts: Timeouts,
    /// Whether nodes report the steps of their processes.
    steps: bool,
    monitor: &'a dyn Monitor,
    /// The program that runs a node as a process.
    program: Option<&'a Path>,
}

/// The reports of all nodes, and the measurements of the whole.
struct RealOutcome {
    members: Vec<MemberReport>,
    peak_in_flight: Option<u64>,
    links_opened: Option<u64>,
    /// The time from the start until the last node knew the leader.
    seconds: f64,
}

/// Runs the election of a specification.
pub(crate) fn run(
    asked: &ClusterSpecification,
    options: &mut RunOptions<'_>,
) -> Result<ExperimentRun, Error> {
    asked.check(options)?;
    let ran = match asked.algorithm.as_deref().and_then(Agents::named) {
        Some(agents) => meetings::run(asked, agents, options),
        None => elect(asked, options),
    };
    match ran {
        Err(EarlyEnd::Failed(error)) => Err(error),
        Err(early) => Ok(ExperimentRun::without_report(early)),
        Ok(run) => Ok(run),
    }
}

/// Runs an algorithm of the catalogue.
fn elect(
    asked: &ClusterSpecification,
    options: &mut RunOptions<'_>,
) -> Result<ExperimentRun, EarlyEnd> {
    if let Some(fault) = asked.fault.first() {
        return Err(Error::new(format!(
            "--fault {fault}: no algorithm of the catalogue survives a crash, and nodes would wait \
             forever; it is for agents, and `suffrage elect` simulates faults"
        ))
        .into());
    }
    let elections = asked.elections();
    let named = asked.algorithm.as_deref().map(by_name).transpose()?;
    let class = named.map_or(NetworkClass::Complete, |algorithm| algorithm.network);
    let source = elections.source(class, options.given)?;
    few_enough(&source)?;
    let chosen = elections.prepare_on(named, source)?;
    let prepared = &chosen.prepared;
    prepared.remark(options.monitor);
    let instance = prepared.instance(asked.seed)?;
    let election = RealElection {
        asked,
        algorithm: instance.algorithm.name,
        site: &instance.site,
        initiating: instance.initiating(),
        timeouts: asked.node_timeouts()?,
        steps: options.trace.is_some(),
        monitor: options.monitor,
        program: options.program.as_deref(),
    };
    let start = Instant::now();
    let held = match asked.processes {
        true => processes::elect(&election)?,
        false => inside::elect(&election, instance.algorithm)?,
    };
    let seconds = start.elapsed().as_secs_f64();
    if let Some(to) = &mut options.trace {
        let run = election.recording(&instance, &held, options.command.clone());
        run.write(to).map_err(|error| Error::new(error.to_string()))?;
    }
    let mut report = election.report(prepared, &instance, &held);
    report.choice.clone_from(&chosen.reason);
    report.by_default = chosen.by_default;
    report.timing = options.timing.then(|| RunTiming {
        links_opened: held.links_opened,
        ..RunTiming::of(report.messages.total, seconds)
    });
    if !asked.against_simulation {
        return Ok(ExperimentReport::Election(report.into()).into());
    }
    let outcome = instance.run(None, |_| ControlFlow::Continue(()))?;
    let simulated = ElectionReport::of(prepared, &instance, &outcome);
    let both = RealBesideSimulated { real: report, simulated };
    Ok(ExperimentReport::Beside(both.into()).into())
}

impl RealElection<'_> {
    /// The report in the form of a simulated election.
    fn report(
        &self,
        prepared: &Prepared,
        instance: &Instance,
        held: &RealOutcome,
    ) -> ElectionReport {
        let claims = Some(&instance.algorithm.claims);
        let reports: Vec<_> = held.members.iter().map(NodeReport::from).collect();
        let verdict = verdict(claims, self.site.topology.links(), &reports);
        let members = &held.members;
        let load = |member: &MemberReport| member.messages.total + member.received;
        let first_of_most = |most: Busiest, member: &MemberReport| match load(member) {
            more if more > most.messages => Busiest { node: member.node.into(), messages: more },
            _ => most,
        };
        let outcome = Outcome {
            leader: verdict.leader,
            agreed: verdict.agreed,
            halted: members.len() == self.site.ids.len(),
            messages: messages(instance, members),
            time: 0,
            units: None,
            causal_depth: members.iter().map(|member| member.causal_depth).max().unwrap_or(0),
            busiest: members.iter().fold(Busiest::default(), first_of_most),
            peak_in_flight: 0,
            delivered: 0,
            late: members.iter().map(|member| member.late).sum(),
            lost: 0,
            woken: members.iter().filter(|member| member.initiator).count() as u64,
            stages: None,
            violations: Vec::new(),
            interrupted: false,
            unfinished: false,
            possible: Vec::new(),
        };
        let at = MeasuredTime::Seconds(held.seconds);
        let broken = verdict.violations.into_iter();
        ElectionReport {
            schedule: self.arrivals(),
            time: at,
            peak_in_flight: held.peak_in_flight,
            violations: broken.map(|violation| BrokenProperty::at(at, violation)).collect(),
            ..ElectionReport::of(prepared, instance, &outcome)
        }
    }

    /// The steps of all nodes, in a sequence in which they could have happened.
    fn recording(&self, instance: &Instance, held: &RealOutcome, command: Option<String>) -> Run {
        let steps = held.members.iter().map(|member| (member.node, member.steps.as_slice()));
        let (actions, coins) = in_causal_order(steps);
        let header = instance.header(command, &self.arrivals());
        // Of what a real link holds nothing is to be seen.
        Run {
            header: RunHeader { coins, capacity: None, ..header },
            actions: (1..).zip(actions).collect(),
        }
    }

    fn arrivals(&self) -> Arrivals {
        Arrivals::Real { medium: self.asked.transport.name(), processes: self.asked.processes }
    }

    fn nodes(&self) -> u64 {
        self.site.ids.len() as u64
    }
}

/// The messages of all nodes.
fn messages(instance: &Instance, members: &[MemberReport]) -> MessagesByKind {
    struct Kinds;
    impl AlgorithmVisitor for Kinds {
        type Output = &'static [Kind];
        fn visit<P: Claimed>(self) -> Self::Output {
            P::Msg::KINDS
        }
    }
    let kinds = instance.algorithm.visit(Kinds);
    let sent = |kind: &Kind| members.iter().map(|member| member.messages.sent(kind.name)).sum();
    let counts: Vec<u64> = kinds.iter().map(sent).collect();
    let ids = &instance.site.ids;
    let largest = ids.iter().max().copied().unwrap_or(Id::new(0));
    MessagesByKind::new(kinds, &counts, largest, ids.len() as u64)
}

impl ClusterSpecification {
    /// The same election, to be simulated.
    fn elections(&self) -> ElectionSpecification {
        ElectionSpecification {
            algorithm: self.algorithm.iter().cloned().collect(),
            nodes: self.nodes.into_iter().collect(),
            topology: self.topology.iter().cloned().collect(),
            topology_format: self.topology_format,
            largest_component: self.largest_component,
            ids: Several::one(self.ids.clone()),
            ports: Several::one(self.ports),
            initiators: self.initiators.iter().cloned().collect(),
            capacity: Several::one(Capacity(self.capacity)),
            seed: self.seed,
            ..ElectionSpecification::default()
        }
    }

    /// Refuses fields that contradict each other.
    fn check(&self, options: &RunOptions<'_>) -> Result<(), Error> {
        seconds(&self.timeout.to_string()).map_err(|error| Error::of("--timeout", error))?;
        if self.processes && self.connect_first {
            return Err(Error::new("--connect-first and --processes: leave one of them out"));
        }
        if self.processes && self.transport == Transport::Channels {
            return Err(Error::new(
                "--transport channels is for nodes of one program: leave out --processes",
            ));
        }
        if self.processes && options.program.is_none() {
            return Err(Error::new(
                "--processes: each node is a process of the command `suffrage`, which this program \
                 does not name",
            ));
        }
        Ok(())
    }

    fn node_timeouts(&self) -> Result<Timeouts, Error> {
        let mut timeouts = Timeouts::default();
        apply(&self.timeouts, &mut timeouts)?;
        Ok(timeouts)
    }
}

/// Refuses a network with too many nodes.
fn few_enough(source: &NetworkSource) -> Result<(), Error> {
    let nodes = source.shape().nodes();
    if nodes > u64::from(MOST_NODES) {
        return Err(Error::new(format!(
            "{} has {nodes} nodes, and a cluster at most {MOST_NODES}; `suffrage elect` simulates \
             larger ones",
            source.text()
        )));
    }
    Ok(())
}

/// Runs nodes.
///
/// # Errors
/// If they fail, or no runtime can be started.
pub fn within_runtime<T, E: From<Error>>(
    runtime: &mut Builder,
    nodes: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let cannot = |error| Error::of("cannot start", error);
    // Besides the workers, threads read files and look up names.
    have_threads(suffrage_parallel::cores() + 2).map_err(cannot)?;
    let runtime = runtime.enable_all().build().map_err(cannot)?;
    let ended = runtime.block_on(nodes);
    // Does not wait for the connections of a node that gave up.
    runtime.shutdown_background();
    ended
}

/// Waits until the monitor stops the experiment.
async fn stopped(monitor: &dyn Monitor) {
    while !monitor.is_stopped() {
        sleep(LOOK).await;
    }
}
