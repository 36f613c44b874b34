//! Elections of processes that are not in the catalogue.

use crate::conditions::{Conditions, PortOrder, ScheduleChoice};
use crate::election::{Site, suited};
use crate::error::Error;
use crate::identities::Identities;
use crate::initiators;
use crate::monitor::ExperimentProgress;
use crate::number::grouped;
use crate::options::RunOptions;
use crate::report::{BrokenProperty, BusiestNode, ElectedLeader, NetworkSummary};
use crate::source::{GivenNetworks, NetworkSource};
use crate::specification::ElectionSpecification;
use serde::Serialize;
use std::collections::BTreeMap;
use suffrage_algorithms::Custom;
use suffrage_figures::diagram::{Diagram, ROOM};
use suffrage_figures::run::{Run, RunHeader, RunRecorder};
use suffrage_model::{NetworkClass, Process};
use suffrage_networks::Topology;
use suffrage_simulator::{Experiment, Observer, Outcome, Schedule, Simulator, Wakes};

/// The number of deliveries after which an election counts as endless: nothing bounds what such a
/// process sends, and it may be slow.
const EVENT_LIMIT: u64 = 1_000_000;

/// One election of a process that is not in the catalogue. Everything that its seed determines is fixed.
pub struct CustomInstance {
    /// The network and the identities.
    pub site: Site,
    /// The conditions.
    pub conditions: Conditions,
    schedule: Schedule,
    wakes: Wakes,
    initiators: u64,
}

/// The report of an election of a process that is not in the catalogue: keys as those of an
/// [`ElectionReport`](crate::report::ElectionReport), without those that rest on claims or on the sizes of
/// messages.
#[derive(Clone, Debug, Serialize)]
pub struct CustomReport {
    /// The name of the process.
    pub process: &'static str,
    /// The network.
    pub network: NetworkSummary,
    /// The seed.
    pub seed: u64,
    /// When messages arrive.
    pub schedule: String,
    /// The numbering of the ports.
    pub ports: PortOrder,
    /// The identities.
    pub ids: String,
    /// The capacity of links; `None` if unbounded.
    pub capacity: Option<u32>,
    /// The faults of the network.
    pub faults: Vec<String>,
    /// The number of chosen initiators.
    pub initiators: u64,
    /// The number of those that woke before a message reached them.
    pub woken: u64,
    /// The leader, if there is exactly one.
    pub leader: Option<ElectedLeader>,
    /// Whether all know the leader.
    pub agreed: bool,
    /// Whether all have halted.
    pub halted: bool,
    /// The messages sent.
    pub messages: KindCounts,
    /// The time in ticks.
    pub time: u64,
    /// The messages in the longest causal chain.
    pub causal_depth: u32,
    /// The node that sent and received the most.
    pub busiest: BusiestNode,
    /// The peak number of messages in transit.
    pub peak_in_flight: u64,
    /// The messages that reached processes that had halted.
    pub late: u64,
    /// The messages that were lost.
    pub lost: u64,
    /// The properties that were broken.
    pub violations: Vec<BrokenProperty>,
    /// The number of deliveries after which the run was stopped, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupted_after: Option<u64>,
    /// The space-time diagram, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagram: Option<String>,
}

/// Messages by their kinds alone.
#[derive(Clone, Debug, Serialize)]
pub struct KindCounts {
    /// All.
    pub total: u64,
    /// The messages of each kind.
    pub by_kind: BTreeMap<&'static str, u64>,
}

/// Refuses a flag for a process that is not in the catalogue.
#[must_use]
pub fn not_of_the_catalogue(flag: &str) -> Error {
    Error::new(format!("{flag}: it is for algorithms of the catalogue"))
}

/// Refuses to draw an election with too many processes for a diagram beside its report.
///
/// # Errors
/// If there are too many.
pub fn refuse_too_wide(processes: usize) -> Result<(), Error> {
    if processes <= ROOM.0 {
        return Ok(());
    }
    Err(Error::new(format!(
        "--draw: {} processes are too many for the terminal, which shows up to {}; write the run \
         with --trace FILE, and choose processes with `suffrage draw FILE --processes LIST`",
        grouped(processes),
        ROOM.0
    )))
}

impl ElectionSpecification {
    /// Prepares one election of a process that is for networks of this class. Without a network it takes
    /// 16 nodes, on a network of the class.
    ///
    /// # Errors
    /// If the election is not possible, or a field is set that is for algorithms of the catalogue.
    pub fn prepare_custom(
        &self,
        process: &str,
        class: NetworkClass,
        given: &GivenNetworks,
    ) -> Result<CustomInstance, Error> {
        self.prepare_custom_on(process, class, &self.source(class, given)?)
    }

    /// Prepares one election on a network that has been read.
    pub(crate) fn prepare_custom_on(
        &self,
        process: &str,
        class: NetworkClass,
        source: &NetworkSource,
    ) -> Result<CustomInstance, Error> {
        let conditions = self.conditions()?;
        let schedule = match &conditions.schedule {
            ScheduleChoice::Rule(schedule) => schedule.clone(),
            other => return Err(not_of_the_catalogue(&format!("--schedule {other}"))),
        };
        self.refuse_claims()?;
        let topology = suited(process, class, source, &conditions)?;
        let ids = Identities::named(&conditions.ids, class, || Ok(Topology::clone(&topology)))?;
        let site = Site::new(topology, &ids, &conditions, conditions.seed);
        let (wakes, initiators) = initiators::wakes(&conditions, &site.topology, conditions.seed)?;
        Ok(CustomInstance { site, conditions, schedule, wakes, initiators })
    }

    fn refuse_claims(&self) -> Result<(), Error> {
        let given = [
            ("--trials", self.trials.is_some()),
            ("--seeds", self.seeds.is_some()),
            ("--precision", self.precision.is_some()),
            ("--rounds", self.rounds),
            ("--invariants", self.invariants),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(not_of_the_catalogue(flag)),
            None => Ok(()),
        }
    }
}

impl CustomInstance {
    /// The nodes that wake by themselves.
    #[must_use]
    pub fn initiating(&self) -> Vec<u32> {
        self.site.waking(&self.wakes)
    }

    /// The election as the simulator takes it.
    fn experiment(&self) -> Experiment<'_> {
        Experiment {
            wakes: self.wakes.clone(),
            schedule: self.schedule.clone(),
            capacity: self.conditions.capacity.0,
            faults: self.conditions.faults.clone(),
            seed: self.conditions.seed,
            event_limit: self.conditions.event_limit.unwrap_or(EVENT_LIMIT),
            ..Experiment::new(&self.site.wiring, &self.site.ids)
        }
    }

    /// Runs the election, and draws it if that is asked for. Returns its report, and whether it was
    /// stopped.
    ///
    /// # Errors
    /// If it is not possible.
    pub fn run<P: Process>(
        &self,
        process: &Custom<P>,
        options: &RunOptions<'_>,
    ) -> Result<(CustomReport, bool), Error> {
        let Site { wiring, ids, .. } = &self.site;
        if options.draw {
            refuse_too_wide(ids.len())?;
        }
        let mut diagram = options.draw.then(|| Diagram::new(wiring, ids));
        let observer = diagram.as_mut().map(|diagram| diagram as &mut dyn Observer);
        let outcome = self.simulate(process, options, observer)?;
        let diagram = diagram.map(|diagram| diagram.text());
        let report = CustomReport { diagram, ..self.report(process.name(), &outcome) };
        Ok((report, outcome.interrupted))
    }

    /// Runs the election. Returns what happened in it.
    ///
    /// # Errors
    /// If it is not possible.
    pub fn record<P: Process>(
        &self,
        process: &Custom<P>,
        options: &RunOptions<'_>,
    ) -> Result<Run, Error> {
        let wrong = |error: &dyn std::fmt::Display| Error::new(error.to_string());
        let header = self.header(process.name());
        let mut recorder = RunRecorder::new(Vec::new(), &header).map_err(|error| wrong(&error))?;
        self.simulate(process, options, Some(&mut recorder))?;
        let file = recorder.finish().map_err(|error| wrong(&error))?;
        Run::read("the run", file.as_slice()).map_err(|error| wrong(&error))
    }

    fn header(&self, process: &str) -> RunHeader {
        let Site { wiring, ids, topology, .. } = &self.site;
        let initiating = self.initiating();
        let all = initiating.len() == ids.len();
        RunHeader {
            network: topology.source().to_owned(),
            initiators: (!all).then_some(initiating),
            schedule: self.schedule.to_string(),
            capacity: self.conditions.capacity.0,
            faults: self.conditions.faults.clone(),
            seed: self.conditions.seed,
            ..RunHeader::new(process, wiring.clone(), ids.clone())
        }
    }

    fn simulate<P: Process>(
        &self,
        process: &Custom<P>,
        options: &RunOptions<'_>,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Outcome, Error> {
        let monitor = options.monitor;
        let mut simulator = Simulator::of(process, self.experiment()).on_progress(|done| {
            let what = "messages delivered";
            monitor.progress(ExperimentProgress::Done { what, done, of: None });
            monitor.go_on()
        });
        if let Some(observer) = observer {
            simulator = simulator.observer(observer);
        }
        let outcome = simulator.run().map_err(|error| Error::new(error.to_string()))?;
        monitor.progress(ExperimentProgress::Ended);
        Ok(outcome)
    }

    fn report(&self, process: &'static str, outcome: &Outcome) -> CustomReport {
        let (conditions, topology) = (&self.conditions, &self.site.topology);
        let label = |node: u64| topology.label(node as u32).map(str::to_owned);
        let messages = &outcome.messages;
        CustomReport {
            process,
            network: NetworkSummary::of(topology),
            seed: conditions.seed,
            schedule: self.schedule.to_string(),
            ports: conditions.ports,
            ids: conditions.ids.clone(),
            capacity: conditions.capacity.0,
            faults: conditions.faults.iter().map(ToString::to_string).collect(),
            initiators: self.initiators,
            woken: outcome.woken,
            leader: outcome.leader.map(|leader| ElectedLeader {
                node: leader.node,
                id: leader.id.get(),
                label: label(leader.node),
                written: None,
            }),
            agreed: outcome.agreed,
            halted: outcome.halted,
            messages: KindCounts {
                total: messages.total(),
                by_kind: messages.by_kind().map(|(kind, sent)| (kind.name, sent)).collect(),
            },
            time: outcome.time,
            causal_depth: outcome.causal_depth,
            busiest: BusiestNode {
                node: outcome.busiest.node,
                label: label(outcome.busiest.node),
                messages: outcome.busiest.messages,
            },
            peak_in_flight: outcome.peak_in_flight,
            late: outcome.late,
            lost: outcome.lost,
            violations: outcome.violations.iter().map(BrokenProperty::of).collect(),
            interrupted_after: outcome.interrupted.then_some(outcome.delivered),
            diagram: None,
        }
    }
}
