//! Elections whose network and identities are computed, so that each worker holds its share alone.

use super::{Setup, Source, initiators, room};
use crate::error::Error;
use crate::flags::NodeOrder;
use crate::report::{Facts, Ground, Network};
use suffrage::algorithms::{Claims, Parameters, Time};
use suffrage::process::Id;
use suffrage::simulator::blocks::{self, Election, Identities};
use suffrage::simulator::{Outcome, Schedule};
use suffrage::topology::{ComputedIds, Implicit};

/// A network without a table, and its identities.
pub(crate) struct Divided {
    network: Implicit,
    ids: Ids,
    initiators: u64,
    wakes: Option<initiators::Listed>,
}

enum Ids {
    Computed(ComputedIds),
    /// Those of a layout that needs a table, or of a list.
    Listed(Vec<Id>),
}

impl Divided {
    /// The network of a setup, if it can be computed: it is made and not read, and is given in the form
    /// that the algorithm wants.
    pub(crate) fn of(setup: &Setup) -> Result<Option<Self>, Error> {
        let Setup { algorithm, source, conditions, ids, .. } = setup;
        // What only one worker can do is refused elsewhere.
        if conditions.capacity.0.is_some() || !conditions.faults.is_empty() {
            return Ok(None);
        }
        let (Source::Made(spec), NodeOrder::Given) = (source, conditions.order) else {
            return Ok(None);
        };
        let seed = conditions.seed;
        let network = spec.implicit(conditions.ports.ports(), seed);
        let Some(network) = network.filter(|network| network.fits(algorithm.network)) else {
            return Ok(None);
        };
        let nodes = network.nodes();
        let ids = match (ids.computed(nodes, seed), u32::try_from(nodes)) {
            (Some(computed), _) => Ids::Computed(computed),
            (None, Ok(few)) => Ids::Listed(ids.assign(few, seed)),
            (None, Err(_)) => {
                return Err(Error::new(format!(
                    "--ids {}: {nodes} identities take a table of their own; choose scattered, \
                     ascending or descending",
                    conditions.ids
                )));
            }
        };
        let (wakes, initiators) = initiators::wakes_of(conditions, nodes, seed)?;
        Ok(Some(Self { network, ids, initiators, wakes }))
    }

    /// The election that is held there.
    pub(crate) fn election(&self, setup: &Setup) -> Result<Option<Election<'_>>, Error> {
        // Another schedule is refused where it is asked for.
        let Schedule::Rounds(pace) = setup.schedule else { return Ok(None) };
        let nodes = self.network.nodes();
        let parameters = self.parameters(&setup.algorithm.claims, nodes);
        let event_limit = setup.event_limit(&parameters, self.initiators)?;
        let ids = match &self.ids {
            Ids::Computed(computed) => Identities::Computed(computed),
            Ids::Listed(ids) => Identities::Listed(ids),
        };
        Ok(Some(Election {
            wakes: self.wakes.clone(),
            pace,
            seed: setup.conditions.seed,
            event_limit,
            ..Election::new(blocks::Network::Implicit(&self.network), ids)
        }))
    }

    fn parameters(&self, claims: &Claims, initiators: u64) -> Parameters {
        let parameters = Parameters::new(self.network.nodes(), self.network.links(), initiators);
        match &self.ids {
            // From 1 on.
            Ids::Computed(_) => parameters,
            Ids::Listed(ids) => claims.identified(parameters, ids.iter().copied()),
        }
    }

    /// The facts of a run, as they are of one on a network that is stored.
    pub(crate) fn facts(&self, setup: &Setup, outcome: &Outcome) -> Facts {
        let (claims, spec) = (&setup.algorithm.claims, self.network.spec());
        let ground = Ground {
            network: Network {
                kind: spec.kind().to_owned(),
                nodes: self.network.nodes(),
                links: self.network.links(),
                source: spec.to_string(),
                notes: Vec::new(),
            },
            seed: setup.conditions.seed,
            initiators: self.initiators,
            bound: &|woken| claims.bound(&self.parameters(claims, woken)),
            time_bound: &|woken, winner| {
                let claim = claims.time.filter(Time::is_sure)?;
                let parameters = self.parameters(claims, woken).with_winner(winner);
                Some((claim, claim.within(&parameters, &|| self.network.diameter())))
            },
            label: &|_| None,
            written: &|node| setup.ids.written(node as u32),
        };
        Facts::on(ground, setup, outcome)
    }

    /// What it takes in memory, in bytes, at each host, and divided among all workers.
    pub(crate) fn memory(&self, setup: &Setup) -> (u64, u64) {
        let wakes = self.wakes.as_ref().map_or(0, |wakes| 16 * wakes.len() as u64);
        let ids = match &self.ids {
            Ids::Computed(_) => 0,
            Ids::Listed(ids) => 8 * ids.len() as u64,
        };
        let (_, divided) = room::parts(setup.algorithm, setup.source.shape(), &setup.conditions);
        (wakes + ids, divided)
    }
}

impl Setup {
    /// What it takes in memory, in bytes, at each host, where the network is stored, and divided among all
    /// workers.
    pub(crate) fn memory(&self) -> (u64, u64) {
        room::parts(self.algorithm, self.source.shape(), &self.conditions)
    }
}
