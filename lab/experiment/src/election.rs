//! From a specification to elections: the part that does not depend on the seed, and an instance for each seed.

use crate::choice;
use crate::conditions::{Conditions, NodeOrder, ScheduleChoice, WakeUps};
use crate::error::Error;
use crate::identities::Identities;
use crate::initiators;
use crate::memory::{self, MemoryDemands};
use crate::monitor::Monitor;
use crate::recording;
use crate::source::NetworkSource;
use crate::specification::{ElectionSpecification, Specification};
use crate::text::Several;
use std::{fmt::Display, ops::ControlFlow, sync::Arc};
use suffrage_algorithms::{Algorithm, ChanceClaim, ElectionCost, Parameters, Sent, Time};
use suffrage_checker::{self as checker, FaultBudget, MAX_NODES, Objective, Wake, search_worst};
use suffrage_figures::run::RunHeader;
use suffrage_model::{Id, NetworkClass as Class, Phase};
use suffrage_networks::wiring::Wiring;
use suffrage_networks::{Fault, Topology};
use suffrage_simulator::{
    Experiment, Impossible, Observer, Outcome, Recording, Schedule, SimulationError, Simulator,
    Trials, Wakes,
};

/// The number of searches for a costly schedule. The costliest run that they find is taken.
const RESTARTS: u64 = 4;

/// The parts of an election that do not depend on the seed: files have been read, and everything fits together.
pub struct Prepared {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// The source of the network.
    pub source: NetworkSource,
    /// The conditions.
    pub conditions: Conditions,
    /// The identities.
    pub ids: Identities,
    /// The schedule. If one is searched for, it is synchronous until then.
    pub schedule: Schedule,
}

/// The network of one seed: its ports numbered, its nodes put in order, each with an identity.
pub struct Site {
    /// The network.
    pub topology: Arc<Topology>,
    /// The network with numbered ports.
    pub wiring: Wiring,
    /// The identity of each node.
    pub ids: Vec<Id>,
    seed: u64,
    /// For each node the one that it was before the nodes were put in order.
    order: Option<Vec<u32>>,
}

/// One election: everything that its seed determines is fixed.
pub struct Instance {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// The network and the identities.
    pub site: Site,
    /// The initiators, and the ticks at which they wake.
    pub wakes: Wakes,
    /// The number of initiators.
    pub initiators: u64,
    /// The schedule.
    pub schedule: Schedule,
    /// The number of messages that a link holds.
    pub capacity: Option<u32>,
    /// The faults of the network.
    pub faults: Vec<Fault>,
    /// The number of deliveries after which it counts as endless.
    pub event_limit: u64,
    /// Whether invariants are checked.
    pub invariants: bool,
    /// Whether rounds or levels are recorded.
    pub rounds: bool,
}

impl Prepared {
    /// Reads what the conditions name: identities, a recording.
    ///
    /// # Errors
    /// If the conditions contradict each other or do not fit the algorithm or the network, or if the
    /// election does not fit in memory.
    pub fn new(
        algorithm: &'static Algorithm,
        source: NetworkSource,
        conditions: Conditions,
    ) -> Result<Self, Error> {
        let prepared = Self::of_any_size(algorithm, source, conditions)?;
        prepared.room_for(1)?;
        Ok(prepared)
    }

    /// Reads what the conditions name, of an election that need not fit in the memory of this machine.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_any_size(
        algorithm: &'static Algorithm,
        source: NetworkSource,
        mut conditions: Conditions,
    ) -> Result<Self, Error> {
        check(&conditions, algorithm.name, algorithm.network, source.shape().nodes())?;
        // A fault that is named twice is one fault.
        let mut named = Vec::new();
        conditions.faults.retain(|fault| {
            let first = !named.contains(fault);
            named.push(*fault);
            first
        });
        let schedule = match &conditions.schedule {
            ScheduleChoice::Rule(schedule) => schedule.clone(),
            ScheduleChoice::Recorded(file) => Schedule::Replay(Arc::new(recording::read(file)?)),
            // One is searched for when the election is known.
            ScheduleChoice::Worst(_) => Schedule::Synchronous,
        };
        let ids = Identities::named(&conditions.ids, algorithm.network, || {
            choice::fit(
                algorithm.name,
                algorithm.network,
                source.build(conditions.seed)?,
                conditions.ports,
            )
        })?;
        let source = source.fit(algorithm, conditions.ports)?;
        Ok(Self { algorithm, source, conditions, ids, schedule })
    }

    /// The election of this seed.
    ///
    /// # Errors
    /// If the network cannot be made, an initiator does not exist, or the election would take longer than
    /// anyone waits.
    pub fn instance(&self, seed: u64) -> Result<Instance, Error> {
        self.at(self.site(seed)?)
    }

    /// The election of this seed; `None` if it was stopped before its network was made.
    ///
    /// # Errors
    /// As [`instance`](Self::instance).
    pub fn instance_unless(
        &self,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<Option<Instance>, Error> {
        let site = self.site_unless(seed, &|| monitor.is_stopped());
        // What was stopped may have failed for that.
        if monitor.is_stopped() { Ok(None) } else { site?.map(|site| self.at(site)).transpose() }
    }

    /// The election on this network.
    fn at(&self, site: Site) -> Result<Instance, Error> {
        let Self { algorithm, conditions, schedule, .. } = self;
        let (wakes, initiators) = match schedule {
            Schedule::Replay(recording) => {
                (Wakes::At(Vec::new()), recording::initiators(recording).count() as u64)
            }
            _ => initiators::wakes(conditions, &site.topology, site.seed)?,
        };
        // As if all were to start, so that a replay, which knows who did, has the same limit.
        let (nodes, links) = (u64::from(site.topology.nodes()), site.topology.links());
        let ids = site.ids.iter().copied();
        let parameters = algorithm.claims.identified(Parameters::new(nodes, links, nodes), ids);
        let parameters = parameters.with_winner(self.winner(&parameters, &site.ids, &wakes));
        let event_limit = self.event_limit(&parameters, initiators)?;
        Ok(Instance {
            algorithm,
            site,
            wakes,
            initiators,
            schedule: schedule.clone(),
            capacity: conditions.capacity.0,
            faults: conditions.faults.clone(),
            event_limit,
            invariants: conditions.invariants,
            rounds: false,
        })
    }

    /// The network of this seed.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn site(&self, seed: u64) -> Result<Site, Error> {
        self.site_unless(seed, &|| false).map(|site| site.expect("it is never stopped"))
    }

    fn site_unless(&self, seed: u64, stopped: &dyn Fn() -> bool) -> Result<Option<Site>, Error> {
        let topology = match &self.source {
            NetworkSource::Read { topology, .. } => topology.clone(),
            made => {
                let Algorithm { name, network, .. } = *self.algorithm;
                let ports = self.conditions.ports;
                let made = made.build_unless(seed, stopped)?;
                Arc::new(choice::fit(name, network, made, ports)?)
            }
        };
        Ok(Site::unless(topology, &self.ids, &self.conditions, seed, stopped))
    }

    /// The identity of a node as its file has it, where that is not its number in decimal.
    #[must_use]
    pub fn written(&self, site: &Site, node: u32) -> Option<String> {
        self.ids.written(site.order.as_ref().map_or(node, |order| order[node as usize]))
    }

    /// Notes for people about the identities.
    pub fn id_notes(&self) -> impl Iterator<Item = String> {
        self.ids.notes().iter().map(ToString::to_string)
    }

    /// Refuses to run this many elections at a time where they surely do not fit in memory.
    ///
    /// # Errors
    /// If so: says what they would take, and what would fit.
    pub fn room_for(&self, elections: u64) -> Result<(), Error> {
        let Self { algorithm, source, conditions, .. } = self;
        memory::check(&source.text(), algorithm, source.shape(), conditions, elections)
    }

    /// The memory that the parts of the election take.
    #[must_use]
    pub fn demands(&self) -> MemoryDemands {
        memory::demands(self.algorithm, self.source.shape(), &self.conditions)
    }

    /// The seed of a trial; the first trial has the seed of the conditions.
    #[must_use]
    pub fn seed_of(&self, trial: u64) -> u64 {
        if self.conditions.consecutive {
            return self.conditions.seed.wrapping_add(trial);
        }
        Trials::new(1).seed(self.conditions.seed).seed_of(trial)
    }
}

impl Prepared {
    /// The specification of the election of this seed, with everything named.
    #[must_use]
    pub fn specification(&self, seed: u64) -> ElectionSpecification {
        let (conditions, options) = (self.conditions.clone(), self.source.options());
        ElectionSpecification {
            algorithm: Several::one(self.algorithm.name.to_owned()),
            topology: Several::one(self.source.text()),
            topology_format: options.format,
            largest_component: options.largest_component,
            ids: Several::one(conditions.ids),
            order: conditions.order,
            ports: Several::one(conditions.ports),
            initiators: conditions.initiators.into_iter().collect(),
            wake: conditions.wake,
            schedule: Several::one(conditions.schedule),
            capacity: Several::one(conditions.capacity),
            fault: conditions.faults,
            event_limit: conditions.event_limit,
            invariants: conditions.invariants,
            seed,
            ..ElectionSpecification::default()
        }
    }

    /// The command that runs the election of this seed.
    #[must_use]
    pub fn command(&self, seed: u64) -> String {
        Specification::Elect(self.specification(seed)).command_line()
    }
}

impl Site {
    /// The nodes that wake by themselves.
    pub(crate) fn waking(&self, wakes: &Wakes) -> Vec<u32> {
        match wakes {
            Wakes::All => (0..self.topology.nodes()).collect(),
            Wakes::At(wakes) => wakes.iter().map(|&(_, node)| node).collect(),
        }
    }

    /// The site on this network.
    #[must_use]
    pub fn new(
        topology: Arc<Topology>,
        ids: &Identities,
        conditions: &Conditions,
        seed: u64,
    ) -> Self {
        Self::unless(topology, ids, conditions, seed, &|| false).expect("it is never stopped")
    }

    fn unless(
        topology: Arc<Topology>,
        ids: &Identities,
        conditions: &Conditions,
        seed: u64,
        stopped: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let mut ids = ids.assign(topology.nodes(), seed);
        let order = conditions.order.of(&ids);
        let topology = match &order {
            None => topology,
            Some(order) => {
                ids = order.iter().map(|&node| ids[node as usize]).collect();
                Arc::new(Arc::unwrap_or_clone(topology).reordered(order))
            }
        };
        let wiring = topology.wire_unless(conditions.ports.ports(), seed, stopped)?;
        Some(Self { topology, wiring, ids, seed, order })
    }
}

impl Instance {
    /// Searches for a costly schedule of the election, and takes the costliest one found.
    /// `heartbeat` gets the greatest cost so far, and may stop the search. Returns whether it was
    /// stopped.
    ///
    /// # Errors
    /// If the election is not one that can be searched.
    pub fn search(
        &mut self,
        objective: Objective,
        heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<bool, Error> {
        let instance = checker::Instance {
            wiring: self.site.wiring.clone(),
            ids: self.site.ids.clone(),
            initiators: self.initiating(),
            wake: Wake::AtStart,
            capacity: self.capacity,
            faults: FaultBudget::default(),
        };
        let seed = self.seed();
        let found = search_worst(self.algorithm, &instance, objective, RESTARTS, seed, heartbeat)
            .map_err(|invalid| Error::of("--schedule worst", invalid))?;
        let steps = found.execution.timed().collect();
        let recording = Recording::new("the schedule that was found".to_owned(), steps);
        let recording = recording.with_coins(found.execution.coins);
        self.schedule = Schedule::Replay(Arc::new(recording));
        self.wakes = Wakes::At(Vec::new());
        Ok(found.stopped)
    }

    /// The seed of everything random.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.site.seed
    }

    /// The election as the simulator takes it.
    #[must_use]
    pub fn experiment(&self) -> Experiment<'_> {
        Experiment {
            wakes: self.wakes.clone(),
            schedule: self.schedule.clone(),
            capacity: self.capacity,
            faults: self.faults.clone(),
            seed: self.site.seed,
            event_limit: self.event_limit,
            ..Experiment::new(&self.site.wiring, &self.site.ids)
        }
    }

    /// Simulates the election. An observer sees every event; `on_progress` gets the number of delivered messages, and
    /// may stop the run.
    ///
    /// # Errors
    /// If the election is not possible, or a recording is of another one.
    pub fn run(
        &self,
        observer: Option<&mut dyn Observer>,
        on_progress: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Outcome, Error> {
        let mut simulator = Simulator::of(self.algorithm, self.experiment())
            .on_progress(on_progress)
            .invariants(self.invariants)
            .stages(self.rounds);
        if let Some(observer) = observer {
            simulator = simulator.observer(observer);
        }
        simulator.run().map_err(|error| match error {
            SimulationError::Misfit(misfit) => recording::misfit(&misfit, &self.schedule),
            SimulationError::Impossible(
                why @ (Impossible::NotInRounds(_) | Impossible::WaitsInRounds),
            ) => {
                let name = self.algorithm.name;
                Error::new(format!("{why}; `{name}@alpha` needs no rounds, by a synchronizer"))
            }
            SimulationError::Impossible(impossible) => Error::new(impossible.to_string()),
        })
    }

    fn parameters(&self, initiators: u64) -> Parameters {
        let topology = &self.site.topology;
        let known = Parameters::new(topology.nodes().into(), topology.links(), initiators);
        self.algorithm.claims.identified(known, self.site.ids.iter().copied())
    }

    /// The bound on messages where this many processes start.
    #[must_use]
    pub fn bound(&self, initiators: u64) -> u64 {
        let claims = &self.algorithm.claims;
        let diameter = || self.site.wiring.diameter().into();
        claims.bound(&claims.measured(self.parameters(initiators), &diameter))
    }

    /// The claim about time, and its value where this many processes start and this one wins.
    #[must_use]
    pub fn time_bound(&self, initiators: u64, winner: Option<Id>) -> Option<(&Time, u64)> {
        let claim = self.algorithm.claims.time.as_ref().filter(|time| time.is_sure())?;
        let parameters = self.parameters(initiators).with_winner(winner);
        Some((claim, claim.within(&parameters, &|| self.site.wiring.diameter().into())))
    }

    /// The weights of an election for claims about chance: none with faults, for which nothing is claimed, nor on a
    /// recorded or searched schedule, which determines what is drawn.
    #[must_use]
    pub fn weights(&self, outcome: &Outcome) -> Vec<(ChanceClaim, u64)> {
        if !self.faults.is_empty() || self.recording().is_some() {
            return Vec::new();
        }
        let cost = ElectionCost {
            sent: Sent {
                election: outcome.messages.of(Phase::Election),
                announcement: outcome.messages.of(Phase::Announcement),
            },
            units: outcome.units,
            one_leads: outcome.leader.is_some(),
        };
        let parameters = self.parameters(self.initiators);
        let diameter = || self.site.wiring.diameter().into();
        ChanceClaim::weights(&self.algorithm.claims, &parameters, &diameter, &cost).collect()
    }

    /// The nodes that wake by themselves.
    #[must_use]
    pub fn initiating(&self) -> Vec<u32> {
        match self.recording() {
            Some(recording) => recording::initiators(recording).collect(),
            None => self.site.waking(&self.wakes),
        }
    }

    /// The header of a file of its run.
    #[must_use]
    pub fn header(&self, command: Option<String>, schedule: &dyn Display) -> RunHeader {
        let Site { wiring, ids, topology, .. } = &self.site;
        let initiating = self.initiating();
        let all = initiating.len() == ids.len();
        RunHeader {
            command,
            network: topology.source().to_owned(),
            initiators: (!all).then_some(initiating),
            schedule: schedule.to_string(),
            capacity: self.capacity,
            faults: self.faults.clone(),
            seed: self.seed(),
            coins: self.recording().map_or_else(Vec::new, |recording| recording.coins().to_vec()),
            ..RunHeader::new(self.algorithm.name, wiring.clone(), ids.clone())
        }
    }

    fn recording(&self) -> Option<&Recording> {
        match &self.schedule {
            Schedule::Replay(recording) => Some(recording),
            _ => None,
        }
    }
}

/// The network of a process that is not in the catalogue, in the form that it wants.
///
/// # Errors
/// If it does not fit the process, or the conditions.
pub(crate) fn suited(
    process: &str,
    class: Class,
    source: &NetworkSource,
    conditions: &Conditions,
) -> Result<Arc<Topology>, Error> {
    check(conditions, process, class, source.shape().nodes())?;
    choice::fit(process, class, source.build(conditions.seed)?, conditions.ports).map(Arc::new)
}

/// Refuses conditions that contradict each other.
fn check(
    conditions: &Conditions,
    algorithm: &str,
    network: Class,
    nodes: u64,
) -> Result<(), Error> {
    if matches!(conditions.schedule, ScheduleChoice::Worst(_)) {
        check_search(conditions, nodes)?;
    }
    let complete = matches!(network, Class::Complete | Class::OrientedComplete);
    if conditions.order != NodeOrder::Given && !complete {
        return Err(Error::new(format!(
            "--order {}: it is for algorithms on complete networks, whose nodes can be put in any \
             order; on other networks the links determine the neighbours, and {algorithm} is for \
             those",
            conditions.order
        )));
    }
    let recorded = matches!(conditions.schedule, ScheduleChoice::Recorded(_));
    if recorded && (conditions.initiators.is_some() || conditions.wake.is_some()) {
        return Err(Error::new(
            "a recorded schedule contains all wake-ups: leave out --initiators and --wake",
        ));
    }
    if let (Some(fault), true) = (conditions.faults.first(), conditions.invariants) {
        return Err(Error::new(format!(
            "--invariants: they hold for elections without faults; leave out --fault {fault}"
        )));
    }
    Fault::check_all(&conditions.faults).map_err(|error| Error::of("--fault", error))?;
    Ok(())
}

/// Refuses what is not searched.
fn check_search(conditions: &Conditions, nodes: u64) -> Result<(), Error> {
    let refused =
        |why: String| Err(Error::new(format!("--schedule {}: {why}", conditions.schedule)));
    match (conditions.faults.first(), conditions.wake) {
        (Some(fault), _) => {
            refused(format!("the search is without faults; leave out --fault {fault}"))
        }
        (_, Some(WakeUps::Spread(last))) => {
            refused(format!("all initiators wake at the start; leave out --wake spread:{last}"))
        }
        _ if nodes > MAX_NODES.into() => {
            refused(format!("{nodes} nodes are too many; at most {MAX_NODES} are searched"))
        }
        _ => Ok(()),
    }
}
