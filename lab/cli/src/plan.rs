//! From flags to elections: the network, the algorithm and, for each seed, an experiment.

mod choice;
mod command_line;
pub(crate) mod family;
mod identities;
pub(crate) mod initiators;
mod length;
mod network;
mod recording;
mod room;
mod worst;

pub use choice::by_name;
pub(crate) use choice::{Choice, fits_all, of_group};
pub(crate) use command_line::typed;
pub use command_line::{without, words_of};
pub use identities::Identities;
pub use network::{Source, natural};
pub use room::{Demands, Shape};

use crate::error::Error;
use crate::flags::{Conditions, NodeOrder, Timing, WakeUps};
use std::{ops::ControlFlow, sync::Arc};
use suffrage::algorithms::{Algorithm, Parameters, Time};
use suffrage::model::{Id, NetworkClass as Class};
use suffrage::networks::Topology;
use suffrage::networks::wiring::Wiring;
use suffrage::simulator::{
    Experiment, Fault, Observer, Outcome, Recording, Schedule, SimulationError, Simulator, Trials,
    Wakes,
};

/// Everything that is fixed before a seed is chosen.
pub struct Setup {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// Where its network comes from.
    pub source: Source,
    /// All other settings.
    pub conditions: Conditions,
    /// The identities.
    pub ids: Identities,
    /// When messages arrive.
    pub schedule: Schedule,
}

/// The network of one seed: its ports numbered, its nodes put in order, each with an identity.
pub struct Site {
    pub(crate) topology: Arc<Topology>,
    seed: u64,
    wiring: Wiring,
    ids: Vec<Id>,
    /// For each node the one that it was before the nodes were put in order.
    order: Option<Vec<u32>>,
}

/// One election, ready to be held.
pub struct Plan<'a> {
    pub(crate) algorithm: &'static Algorithm,
    pub(crate) site: &'a Site,
    /// What the simulator is given.
    pub experiment: Experiment<'a>,
    /// The number of initiators.
    pub(crate) initiators: u64,
    invariants: bool,
    /// Whether to record rounds or levels.
    pub(crate) rounds: bool,
}

impl Setup {
    /// Reads what the conditions name: ids, a recording.
    ///
    /// # Errors
    /// If the settings do not go together, or the election does not fit in memory.
    pub fn new(
        algorithm: &'static Algorithm,
        source: Source,
        conditions: Conditions,
    ) -> Result<Self, Error> {
        let setup = Self::of_any_size(algorithm, source, conditions)?;
        setup.room_for(1)?;
        Ok(setup)
    }

    /// Reads what the conditions name, of an election that need not fit in the memory of this machine.
    ///
    /// # Errors
    /// If the settings do not go together.
    pub fn of_any_size(
        algorithm: &'static Algorithm,
        source: Source,
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
            Timing::Rule(schedule) => schedule.clone(),
            Timing::Recorded(file) => Schedule::Replay(Arc::new(recording::read(file)?)),
            // One is searched for when the election is known.
            Timing::Worst(_) => Schedule::Synchronous,
        };
        let ids = Identities::named(&conditions.ids, algorithm.network, || {
            choice::fit(
                algorithm.name,
                algorithm.network,
                source.build(conditions.seed)?,
                &conditions,
            )
        })?;
        let source = source.fit(algorithm, &conditions)?;
        Ok(Self { algorithm, source, conditions, ids, schedule })
    }

    /// The network of this seed.
    ///
    /// # Errors
    /// If it cannot be made, or does not suit the algorithm.
    pub fn site(&self, seed: u64) -> Result<Site, Error> {
        let conditions = &self.conditions;
        let topology = match &self.source {
            Source::Read { topology, .. } => topology.clone(),
            made => {
                let Algorithm { name, network, .. } = *self.algorithm;
                Arc::new(choice::fit(name, network, made.build(seed)?, conditions)?)
            }
        };
        Ok(Site::new(topology, &self.ids, conditions, seed))
    }

    /// The election on this network.
    ///
    /// # Errors
    /// If the initiators are not there, or it takes longer than anybody waits.
    pub fn plan<'a>(&self, site: &'a Site) -> Result<Plan<'a>, Error> {
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
        let limit = self.event_limit(&parameters, initiators)?;
        let experiment = site.experiment(conditions, schedule, wakes, limit);
        let invariants = conditions.invariants;
        Ok(Plan { algorithm, site, experiment, initiators, invariants, rounds: false })
    }

    /// The identity of a node as its file has it, where that is not its number in decimal.
    pub(crate) fn written(&self, site: &Site, node: u32) -> Option<String> {
        self.ids.written(site.order.as_ref().map_or(node, |order| order[node as usize]))
    }

    /// What a person should know about the identities.
    pub(crate) fn id_notes(&self) -> impl Iterator<Item = String> {
        self.ids.notes().iter().map(ToString::to_string)
    }

    /// Refuses to hold this many elections at a time where they surely do not fit in memory.
    pub(crate) fn room_for(&self, elections: u64) -> Result<(), Error> {
        let Self { algorithm, source, conditions, .. } = self;
        room::check(&source.text(), algorithm, source.shape(), conditions, elections)
    }

    /// What the network is called: its specification, or its file.
    pub(crate) fn source_text(&self) -> String {
        self.source.text()
    }

    /// The seed of a trial; the first trial has the seed of the conditions.
    pub(crate) fn seed_of(&self, trial: u64) -> u64 {
        if self.conditions.consecutive {
            return self.conditions.seed.wrapping_add(trial);
        }
        Trials::new(1).seed(self.conditions.seed).seed_of(trial)
    }
}

impl Site {
    /// The site on this network.
    pub(crate) fn new(
        topology: Arc<Topology>,
        ids: &Identities,
        conditions: &Conditions,
        seed: u64,
    ) -> Self {
        let mut ids = ids.assign(topology.nodes(), seed);
        let order = conditions.order.of(&ids);
        let topology = match &order {
            None => topology,
            Some(order) => {
                ids = order.iter().map(|&node| ids[node as usize]).collect();
                Arc::new(Arc::unwrap_or_clone(topology).reordered(order))
            }
        };
        let wiring = topology.wire(conditions.ports.ports(), seed);
        Self { topology, seed, wiring, ids, order }
    }

    /// The election that is held here.
    pub(crate) fn experiment(
        &self,
        conditions: &Conditions,
        schedule: &Schedule,
        wakes: Wakes,
        event_limit: u64,
    ) -> Experiment<'_> {
        Experiment {
            wakes,
            schedule: schedule.clone(),
            capacity: conditions.capacity.0,
            faults: conditions.faults.clone(),
            seed: self.seed,
            event_limit,
            ..Experiment::new(&self.wiring, &self.ids)
        }
    }
}

/// Refuses a flag for a process that is not in the catalogue.
pub(crate) fn not_of_the_catalogue(flag: &str) -> Error {
    Error::new(format!("{flag}: it is for algorithms of the catalogue"))
}

/// The network of a process that is not in the catalogue, in the form that it wants.
pub(crate) fn suited(
    process: &str,
    class: Class,
    source: &Source,
    conditions: &Conditions,
) -> Result<Arc<Topology>, Error> {
    check(conditions, process, class, source.shape().nodes())?;
    choice::fit(process, class, source.build(conditions.seed)?, conditions).map(Arc::new)
}

impl Plan<'_> {
    /// Simulates the election. An observer sees every event; `on_progress` is told how many messages
    /// have been delivered, and may stop the run.
    ///
    /// # Errors
    /// If a recording is not of this election.
    pub fn hold(
        &self,
        observer: Option<&mut dyn Observer>,
        on_progress: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Outcome, Error> {
        let mut simulator = Simulator::of(self.algorithm, self.experiment.clone())
            .on_progress(on_progress)
            .invariants(self.invariants)
            .stages(self.rounds);
        if let Some(observer) = observer {
            simulator = simulator.observer(observer);
        }
        simulator.run().map_err(|error| match error {
            SimulationError::Misfit(misfit) => {
                recording::misfit(&misfit, &self.experiment.schedule)
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
    pub(crate) fn bound(&self, initiators: u64) -> u64 {
        let claims = &self.algorithm.claims;
        let diameter = || self.site.wiring.diameter().into();
        claims.bound(&claims.measured(self.parameters(initiators), &diameter))
    }

    /// The claim about time, and its value where this many processes start and this one wins.
    pub(crate) fn time_bound(&self, initiators: u64, winner: Option<Id>) -> Option<(&Time, u64)> {
        let claim = self.algorithm.claims.time.as_ref().filter(|time| time.is_sure())?;
        let parameters = self.parameters(initiators).with_winner(winner);
        Some((claim, claim.within(&parameters, &|| self.site.wiring.diameter().into())))
    }

    /// The nodes that wake by themselves.
    pub(crate) fn initiating(&self) -> Vec<u32> {
        match (&self.experiment.schedule, &self.experiment.wakes) {
            (Schedule::Replay(recording), _) => recording::initiators(recording).collect(),
            (_, Wakes::All) => (0..self.site.topology.nodes()).collect(),
            (_, Wakes::At(wakes)) => wakes.iter().map(|&(_, node)| node).collect(),
        }
    }

    /// What the recording says of itself, where there is one.
    pub(crate) fn recording(&self) -> Option<&Recording> {
        match &self.experiment.schedule {
            Schedule::Replay(recording) => Some(recording),
            _ => None,
        }
    }
}

/// Refuses conditions that contradict each other.
fn check(
    conditions: &Conditions,
    algorithm: &str,
    network: Class,
    nodes: u64,
) -> Result<(), Error> {
    if matches!(conditions.schedule, Timing::Worst(_)) {
        worst::check(conditions, nodes)?;
    }
    let complete = matches!(network, Class::Complete | Class::OrientedComplete);
    if conditions.order != NodeOrder::Given && !complete {
        return Err(Error::new(format!(
            "--order {}: it is for algorithms on complete networks, whose nodes can be put in any \
             order; on other networks the links say who is whose neighbour, and {algorithm} is for \
             those",
            conditions.order.name()
        )));
    }
    let recorded = matches!(conditions.schedule, Timing::Recorded(_));
    if recorded && (conditions.initiators.is_some() || conditions.wake.is_some()) {
        return Err(Error::new(
            "a recorded schedule says who wakes when: leave out --initiators and --wake",
        ));
    }
    if let (Some(fault), true) = (conditions.faults.first(), conditions.invariants) {
        return Err(Error::new(format!(
            "--invariants: they are claimed of elections without faults; leave out --fault {fault}"
        )));
    }
    Fault::check_all(&conditions.faults).map_err(|error| Error::of("--fault", error))?;
    Ok(())
}

/// The conditions' wake-ups, where the flag is left out too.
pub(crate) fn wake_ups(conditions: &Conditions) -> WakeUps {
    conditions.wake.unwrap_or_default()
}
