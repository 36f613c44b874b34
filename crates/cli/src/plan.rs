//! From flags to elections: which network, which algorithm, and for each seed an experiment.

mod choice;
mod command_line;
pub(crate) mod family;
mod identities;
pub(crate) mod initiators;
mod network;
mod recording;
mod room;

pub(crate) use choice::{Choice, by_name, fitting};
pub(crate) use command_line::typed;
pub(crate) use network::{Source, natural};

use crate::error::Error;
use crate::flags::{Conditions, NodeOrder, Timing, WakeUps};
use identities::Identities;
use std::{ops::ControlFlow, sync::Arc};
use suffrage::algorithms::{Algorithm, Parameters};
use suffrage::process::{Id, NetworkClass as Class};
use suffrage::simulator::{
    Experiment, Fault, FifoMethod, Observer, Outcome, Recording, Schedule, SimulationError,
    Simulator, Trials, Wakes,
};
use suffrage::topology::Topology;
use suffrage::topology::wiring::Wiring;

/// All that is fixed before a seed is chosen.
pub(crate) struct Setup {
    pub(crate) algorithm: &'static Algorithm,
    pub(crate) source: Source,
    pub(crate) conditions: Conditions,
    ids: Identities,
    schedule: Schedule,
}

/// One election, ready to be held.
pub(crate) struct Plan {
    pub(crate) algorithm: &'static Algorithm,
    pub(crate) topology: Arc<Topology>,
    pub(crate) seed: u64,
    /// How many initiators there are.
    pub(crate) initiators: u64,
    wiring: Wiring,
    ids: Vec<Id>,
    /// For each node the one that it was before the nodes were put in order.
    order: Option<Vec<u32>>,
    wakes: Wakes,
    schedule: Schedule,
    capacity: Option<u32>,
    faults: Vec<Fault>,
    event_limit: u64,
    invariants: bool,
}

impl Setup {
    /// Reads what the conditions name: ids, a recording.
    pub(crate) fn new(
        algorithm: &'static Algorithm,
        source: Source,
        mut conditions: Conditions,
    ) -> Result<Self, Error> {
        check(&conditions, algorithm)?;
        // A fault that is named twice is one fault.
        let mut named = Vec::new();
        conditions.faults.retain(|fault| {
            let first = !named.contains(fault);
            named.push(*fault);
            first
        });
        room::check(&source.text(), algorithm, source.shape(), &conditions, 1)?;
        let schedule = match &conditions.schedule {
            Timing::Rule(schedule) => schedule.clone(),
            Timing::Recorded(file) => Schedule::Replay(Arc::new(recording::read(file)?)),
        };
        let ids = Identities::named(&conditions.ids, || {
            choice::fit(algorithm, source.build(conditions.seed)?, &conditions)
        })?;
        let source = source.fit(algorithm, &conditions)?;
        Ok(Self { algorithm, source, conditions, ids, schedule })
    }

    /// The election of this seed.
    pub(crate) fn plan(&self, seed: u64) -> Result<Plan, Error> {
        let conditions = &self.conditions;
        let topology = match &self.source {
            Source::Read { topology, .. } => topology.clone(),
            made => Arc::new(choice::fit(self.algorithm, made.build(seed)?, conditions)?),
        };
        let nodes = topology.nodes();
        let mut ids = self.ids.assign(nodes, seed);
        let order = conditions.order.of(&ids);
        let topology = match &order {
            None => topology,
            Some(order) => {
                ids = order.iter().map(|&node| ids[node as usize]).collect();
                Arc::new(Arc::unwrap_or_clone(topology).reordered(order))
            }
        };
        let (wakes, initiators) = match &self.schedule {
            Schedule::Replay(recording) => (Wakes::At(Vec::new()), recording::wakes(recording)),
            _ => initiators::wakes(conditions, &topology, seed)?,
        };
        // As if all were to start, so that a replay, which knows who did, is as patient.
        let (nodes, links) = (u64::from(nodes), topology.links());
        let bound = self.algorithm.claims.bound(&Parameters { nodes, links, initiators: nodes });
        let generous = bound.saturating_mul(64).saturating_add(100_000);
        Ok(Plan {
            algorithm: self.algorithm,
            seed,
            initiators,
            wiring: topology.wire(conditions.ports.ports(), seed),
            topology,
            ids,
            order,
            wakes,
            schedule: self.schedule.clone(),
            capacity: conditions.capacity.0,
            faults: conditions.faults.clone(),
            event_limit: conditions.event_limit.unwrap_or(generous),
            invariants: conditions.invariants,
        })
    }

    /// The identity of a node of a plan as its file has it, where that is not its number in decimal.
    pub(crate) fn written(&self, plan: &Plan, node: u32) -> Option<String> {
        self.ids.written(plan.order.as_ref().map_or(node, |order| order[node as usize]))
    }

    /// What a person should know about the identities.
    pub(crate) fn id_notes(&self) -> impl Iterator<Item = String> {
        self.ids.notes().iter().map(ToString::to_string)
    }

    /// Refuses to hold so many elections at a time where they surely do not fit in memory.
    pub(crate) fn room_for(&self, elections: u64) -> Result<(), Error> {
        let Self { algorithm, source, conditions, .. } = self;
        room::check(&source.text(), algorithm, source.shape(), conditions, elections)
    }

    /// What the network is called: its specification, or its file.
    pub(crate) fn source_text(&self) -> String {
        self.source.text()
    }

    /// The seed of a trial: that of the first one is the seed itself.
    pub(crate) fn seed_of(&self, trial: u64) -> u64 {
        Trials::new(1).seed(self.conditions.seed).seed_of(trial)
    }
}

impl Plan {
    /// Simulates the election. An observer sees every event; `on_progress` is told how many messages
    /// have been delivered, and may stop the run.
    pub(crate) fn hold(
        &self,
        observer: Option<&mut dyn Observer>,
        on_progress: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Outcome, Error> {
        let experiment = Experiment {
            wiring: &self.wiring,
            ids: &self.ids,
            wakes: self.wakes.clone(),
            schedule: self.schedule.clone(),
            fifo: FifoMethod::Cheapest,
            capacity: self.capacity,
            faults: self.faults.clone(),
            seed: self.seed,
            event_limit: self.event_limit,
        };
        let mut simulator = Simulator::of(self.algorithm, experiment)
            .on_progress(on_progress)
            .invariants(self.invariants);
        if let Some(observer) = observer {
            simulator = simulator.observer(observer);
        }
        simulator.run().map_err(|error| match error {
            SimulationError::Misfit(misfit) => recording::misfit(&misfit, &self.schedule),
            SimulationError::Impossible(impossible) => Error::new(impossible.to_string()),
        })
    }

    /// The bound for so many initiators.
    pub(crate) fn bound(&self, initiators: u64) -> u64 {
        let nodes = self.topology.nodes().into();
        self.algorithm.claims.bound(&Parameters { nodes, links: self.topology.links(), initiators })
    }

    /// The network with its ports numbered, and the identities.
    pub(crate) fn placed(&self) -> (&Wiring, &[Id]) {
        (&self.wiring, &self.ids)
    }

    /// The nodes that wake by themselves.
    pub(crate) fn initiating(&self) -> Vec<u32> {
        match &self.wakes {
            Wakes::All => (0..self.topology.nodes()).collect(),
            Wakes::At(wakes) => wakes.iter().map(|&(_, node)| node).collect(),
        }
    }

    /// What the recording says of itself, where there is one.
    pub(crate) fn recording(&self) -> Option<&Recording> {
        match &self.schedule {
            Schedule::Replay(recording) => Some(recording),
            _ => None,
        }
    }
}

/// Refuses conditions that contradict each other.
fn check(conditions: &Conditions, algorithm: &Algorithm) -> Result<(), Error> {
    let complete = matches!(algorithm.network, Class::Complete | Class::OrientedComplete);
    if conditions.order != NodeOrder::Given && !complete {
        return Err(Error::new(format!(
            "--order {}: it is for algorithms on complete networks, whose nodes can be put in any \
             order; on other networks the links say who is whose neighbour, and {} is for those",
            conditions.order.name(),
            algorithm.name
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
