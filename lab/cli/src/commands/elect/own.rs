//! Elections of processes that are not in the catalogue, as those that other programs define.

use super::{Args, NODES};
use crate::error::{Ending, Error, complain};
use crate::flags::{PortOrder, Timing};
use crate::interrupt;
use crate::output::print;
use crate::plan::{self, Identities, Site, Source, initiators, natural, suited};
use crate::progress::Progress;
use crate::report::{Broken, Busiest, Leader, Network, json};
use serde::Serialize;
use std::collections::BTreeMap;
use suffrage::algorithms::Custom;
use suffrage::diagram::{Diagram, ROOM};
use suffrage::model::{NetworkClass, Process};
use suffrage::networks::Topology;
use suffrage::simulator::{Observer, Simulator};

/// The number of deliveries after which an election counts as endless: nothing bounds what such a
/// process sends, and it may be slow.
const EVENT_LIMIT: u64 = 1_000_000;

/// One election of such a process: keys as those of an election of the catalogue, without those
/// that rest on claims or on the sizes of messages.
#[derive(Serialize)]
struct Facts {
    process: &'static str,
    network: Network,
    seed: u64,
    schedule: String,
    ports: PortOrder,
    ids: String,
    capacity: Option<u32>,
    faults: Vec<String>,
    initiators: u64,
    woken: u64,
    leader: Option<Leader>,
    agreed: bool,
    halted: bool,
    messages: Messages,
    time: u64,
    causal_depth: u32,
    busiest: Busiest,
    peak_in_flight: u64,
    late: u64,
    lost: u64,
    violations: Vec<Broken>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interrupted_after: Option<u64>,
    /// The space-time diagram, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    diagram: Option<String>,
}

#[derive(Serialize)]
struct Messages {
    total: u64,
    by_kind: BTreeMap<&'static str, u64>,
}

impl Args {
    /// Holds one election of a process that is for networks of this class.
    pub(crate) fn own<P: Process>(
        &self,
        process: &Custom<P>,
        class: NetworkClass,
    ) -> Result<Ending, Error> {
        let conditions = self.conditions.one()?;
        let schedule = match &conditions.schedule {
            Timing::Rule(schedule) => schedule.clone(),
            Timing::Recorded(_) | Timing::Worst(_) => {
                return Err(plan::not_of_the_catalogue(&format!(
                    "--schedule {}",
                    conditions.schedule
                )));
            }
        };
        self.refuse_for_own(conditions.invariants)?;
        let source = match &self.topology {
            Some(text) => Source::named(text, self.file)?,
            None => Source::Made(natural(class, self.nodes.unwrap_or(NODES))?),
        };
        let topology = suited(process.name(), class, &source, &conditions)?;
        let ids = Identities::named(&conditions.ids, class, || Ok(Topology::clone(&topology)))?;
        let site = Site::new(topology, &ids, &conditions, conditions.seed);
        let limit = conditions.event_limit.unwrap_or(EVENT_LIMIT);
        let (wakes, initiators) = initiators::wakes(&conditions, &site.topology, conditions.seed)?;
        let experiment = site.experiment(&conditions, &schedule, wakes, limit);
        if self.draw && experiment.ids.len() > ROOM.0 {
            return Err(super::too_wide(experiment.ids.len()));
        }
        let mut diagram = self.draw.then(|| Diagram::new(experiment.wiring, experiment.ids));
        let mut progress = Progress::counting("messages delivered");
        let mut simulator = Simulator::of(process, experiment).on_progress(|delivered| {
            progress.at(delivered);
            interrupt::stop_if_asked()
        });
        if let Some(diagram) = &mut diagram {
            simulator = simulator.observer(diagram as &mut dyn Observer);
        }
        let outcome = simulator.run().map_err(|error| Error::new(error.to_string()))?;
        progress.clear();
        let facts = Facts {
            process: process.name(),
            network: Network::of(&site.topology),
            seed: conditions.seed,
            schedule: schedule.to_string(),
            ports: conditions.ports,
            ids: conditions.ids.clone(),
            capacity: conditions.capacity.0,
            faults: conditions.faults.iter().map(ToString::to_string).collect(),
            initiators,
            woken: outcome.woken,
            leader: outcome.leader.map(|leader| Leader {
                node: leader.node,
                id: leader.id.get(),
                label: site.topology.label(leader.node as u32).map(str::to_owned),
                written: None,
            }),
            agreed: outcome.agreed,
            halted: outcome.halted,
            messages: Messages {
                total: outcome.messages.total(),
                by_kind: outcome.messages.by_kind().map(|(kind, sent)| (kind.name, sent)).collect(),
            },
            time: outcome.time,
            causal_depth: outcome.causal_depth,
            busiest: Busiest {
                node: outcome.busiest.node,
                label: site.topology.label(outcome.busiest.node as u32).map(str::to_owned),
                messages: outcome.busiest.messages,
            },
            peak_in_flight: outcome.peak_in_flight,
            late: outcome.late,
            lost: outcome.lost,
            violations: outcome.violations.iter().map(Broken::of).collect(),
            interrupted_after: outcome.interrupted.then_some(outcome.delivered),
            diagram: diagram.map(|diagram| diagram.text()),
        };
        print(&json(&facts)?)?;
        if outcome.interrupted {
            complain("interrupted: the figures are those of the run up to here");
        }
        Ok(Ending::of(outcome.interrupted, !facts.violations.is_empty()))
    }

    /// Refuses flags that need an algorithm of the catalogue, or are of many elections.
    fn refuse_for_own(&self, invariants: bool) -> Result<(), Error> {
        let trials = &self.trials;
        let given = [
            ("--trials", trials.trials.is_some()),
            ("--seeds", trials.seeds.is_some()),
            ("--precision", trials.precision.is_some()),
            ("--each", trials.each.is_some()),
            ("--trace", self.trace.is_some()),
            ("--rounds", self.rounds),
            ("--draw-network", self.draw_network.is_some()),
            ("--timing", self.timing),
            ("--invariants", invariants),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(plan::not_of_the_catalogue(flag)),
            None => Ok(()),
        }
    }
}
