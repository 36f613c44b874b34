//! Elections whose network and identities are computed or read in parts, so that each worker holds its share
//! alone.

use std::{collections::BTreeMap, sync::Arc};
use suffrage::algorithms::{Algorithm, Claims, Parameters, Time};
use suffrage::experiment::conditions::{Conditions, Initiators, NodeOrder, ScheduleChoice};
use suffrage::experiment::initiators::{Nodes, wakes_of};
use suffrage::experiment::report::{ElectionReport, NetworkSummary, ReportBasis};
use suffrage::experiment::{Error, NetworkSource, Prepared};
use suffrage::model::{Diameter, Id, Knowledge, NetworkClass};
use suffrage::networks::parts::{PartRequest, PartialNetwork};
use suffrage::networks::{ComputedIds, FileOptions, Ids as IdLayout, Implicit};
use suffrage::simulator::blocks::{self, Election, ElectionIds};
use suffrage::simulator::{Outcome, Pace, Schedule};
use suffrage_distributed::Terms;

/// A network that workers hold in shares, and what is known of an election on it before anything is listed.
pub(super) struct Outline {
    network: SharedNetwork,
    pace: Pace,
    /// The identities, if they take no table.
    computed: Option<ComputedIds>,
    /// As many identities that take none.
    any: ComputedIds,
}

impl Outline {
    /// The network of an election, if it can be divided: it can be computed, in the form that the algorithm
    /// wants, or was read in parts.
    pub(super) fn of(
        prepared: &Prepared,
        parted: Option<Arc<Parted>>,
    ) -> Result<Option<Self>, Error> {
        let Prepared { algorithm, source, conditions, ids, .. } = prepared;
        let seed = conditions.seed;
        let network = match (source, conditions.order) {
            _ if parted.is_some() => parted.map(SharedNetwork::Parted),
            // What only one core can do is refused elsewhere.
            _ if conditions.capacity.0.is_some() || !conditions.faults.is_empty() => None,
            (NetworkSource::Made(spec), NodeOrder::Given) => {
                let network = spec.implicit(conditions.ports.ports(), seed);
                network
                    .filter(|network| network.fits(algorithm.network))
                    .map(SharedNetwork::Computed)
            }
            _ => None,
        };
        // Another schedule is refused where it is asked for.
        let (Some(network), Schedule::Rounds(pace)) = (network, &prepared.schedule) else {
            return Ok(None);
        };
        let nodes = network.blocks().nodes();
        let computed = ids.computed(nodes, seed);
        if computed.is_none() && u32::try_from(nodes).is_err() {
            return Err(Error::new(format!(
                "--ids {}: {nodes} identities take a table of their own; choose scattered, \
                 ascending or descending",
                conditions.ids
            )));
        }
        let any = IdLayout::Scattered.computed(nodes, seed).expect("a layout without a table");
        Ok(Some(Self { network, pace: *pace, computed, any }))
    }

    /// An election on this network that differs in its identities and initiators, and takes no table.
    pub(super) fn election(&self) -> Election<'_> {
        let ids = self.computed.as_ref().unwrap_or(&self.any);
        let network = self.network.blocks();
        Election { pace: self.pace, ..Election::new(network, ElectionIds::Computed(ids)) }
    }

    /// What the election takes in memory, in bytes, at each host, and divided among all workers.
    pub(super) fn memory(&self, prepared: &Prepared) -> (u64, u64) {
        let demands = prepared.demands();
        let ids = if self.computed.is_some() { 0 } else { demands.ids };
        (ids.saturating_add(demands.initiators), demands.divided)
    }

    /// Lists what takes a table: identities, initiators.
    pub(super) fn filled(self, prepared: &Prepared) -> Result<Divided, Error> {
        let Self { network, pace, computed, .. } = self;
        let Prepared { conditions, ids, .. } = prepared;
        let seed = conditions.seed;
        let ids = match computed {
            Some(computed) => DividedIds::Computed(computed),
            None => DividedIds::Listed(ids.assign(network.blocks().nodes() as u32, seed)),
        };
        let (wakes, initiators) =
            wakes_of(conditions, &network.nodes(&|name| network.named(name)), seed)?;
        Ok(Divided { network, pace, ids, initiators, wakes })
    }
}

/// A network that was read by several workers.
pub(super) struct Parted {
    pub(super) network: PartialNetwork,
    pub(super) options: FileOptions,
    /// What the workers have agreed about before they read it.
    pub(super) terms: Terms,
}

impl Parted {
    /// What one worker knows of where it is from.
    pub(super) fn source(&self) -> NetworkSource {
        let Self { network, options, .. } = self;
        NetworkSource::Parted {
            name: network.source().to_owned(),
            options: *options,
            nodes: network.nodes(),
            links: network.links(),
        }
    }
}

/// An election on a network that workers hold in shares.
pub(super) struct Divided {
    network: SharedNetwork,
    pace: Pace,
    ids: DividedIds,
    initiators: u64,
    /// The initiators with their ticks; `None` if all start at once.
    wakes: Option<Vec<(u64, u64)>>,
}

/// The network.
enum SharedNetwork {
    /// One that takes no table.
    Computed(Implicit),
    /// One that was read in parts.
    Parted(Arc<Parted>),
}

enum DividedIds {
    Computed(ComputedIds),
    /// Identities of a layout that needs a table, or of a list.
    Listed(Vec<Id>),
}

impl Divided {
    /// Returns what to ask of the file of a network that several workers read for this election. `None` if
    /// they cannot: the election cannot be divided, or only the whole network shows whether it is of the
    /// algorithm's class.
    pub(super) fn asked(algorithm: &Algorithm, conditions: &Conditions) -> Option<PartRequest> {
        let Conditions { ids, order, ports, initiators, schedule, capacity, faults, seed, .. } =
            conditions;
        let in_rounds = matches!(schedule, ScheduleChoice::Rule(Schedule::Rounds(_)));
        let layout = ids.parse().is_ok_and(|layout| !matches!(layout, IdLayout::Homonyms(_)));
        let divisible = capacity.0.is_none() && faults.is_empty() && in_rounds && layout;
        let plain = matches!(algorithm.network, NetworkClass::Connected | NetworkClass::Tree);
        if !divisible || !plain || *order != NodeOrder::Given {
            return None;
        }
        let mut diameter = algorithm.claims.depends_on_diameter(&Parameters::new(1000, 2000, 1000));
        Diameter::words(&mut |name| algorithm.knows(&mut |phrase| diameter |= phrase == name));
        let labels = match initiators {
            Some(Initiators::Listed(list)) => list.clone(),
            _ => String::new(),
        };
        Some(PartRequest { ports: ports.ports(), seed: *seed, diameter, labels })
    }

    /// What the workers have agreed about before they read the network, if they did.
    pub(super) fn terms(&self) -> Option<&Terms> {
        match &self.network {
            SharedNetwork::Computed(_) => None,
            SharedNetwork::Parted(parted) => Some(&parted.terms),
        }
    }

    /// The election that is held there.
    pub(super) fn election(&self, prepared: &Prepared) -> Result<Election<'_>, Error> {
        let network = self.network.blocks();
        let parameters = self.parameters(&prepared.algorithm.claims, network.nodes());
        let event_limit = prepared.event_limit(&parameters, self.initiators)?;
        let ids = match &self.ids {
            DividedIds::Computed(computed) => ElectionIds::Computed(computed),
            DividedIds::Listed(ids) => ElectionIds::Listed(ids),
        };
        Ok(Election {
            wakes: self.wakes.clone(),
            pace: self.pace,
            seed: prepared.conditions.seed,
            event_limit,
            ..Election::new(network, ids)
        })
    }

    fn parameters(&self, claims: &Claims, initiators: u64) -> Parameters {
        let network = self.network.blocks();
        let parameters = Parameters::new(network.nodes(), network.links(), initiators);
        match &self.ids {
            // From 1 on.
            DividedIds::Computed(_) => parameters,
            DividedIds::Listed(ids) => claims.identified(parameters, ids.iter().copied()),
        }
    }

    /// The facts of a run, as they are of one on a network that is stored; these are names of nodes.
    pub(super) fn facts(
        &self,
        prepared: &Prepared,
        outcome: &Outcome,
        names: &BTreeMap<u64, String>,
    ) -> ElectionReport {
        let (claims, network) = (&prepared.algorithm.claims, self.network.blocks());
        let diameter = || network.diameter();
        let ground = ReportBasis {
            network: self.network.reported(),
            seed: prepared.conditions.seed,
            initiators: self.initiators,
            bound: &|woken| {
                claims.bound(&claims.measured(self.parameters(claims, woken), &diameter))
            },
            time_bound: &|woken, winner| {
                let claim = claims.time.filter(Time::is_sure)?;
                let parameters = self.parameters(claims, woken).with_winner(winner);
                Some((claim, claim.within(&parameters, &diameter)))
            },
            label: &|node| names.get(&node).cloned(),
            written: &|node| prepared.ids.written(node as u32),
        };
        ElectionReport::on(ground, prepared, outcome)
    }
}

impl SharedNetwork {
    /// The network, as blocks of an election know it.
    fn blocks(&self) -> blocks::ElectionNetwork<'_> {
        match self {
            Self::Computed(network) => blocks::ElectionNetwork::Implicit(network),
            Self::Parted(parted) => blocks::ElectionNetwork::Partial(&parted.network),
        }
    }

    /// The node of a name.
    fn named(&self, name: &str) -> Option<u64> {
        match self {
            Self::Computed(_) => None,
            Self::Parted(parted) => parted.network.node_named(name),
        }
    }

    fn nodes<'a>(&'a self, named: &'a dyn Fn(&str) -> Option<u64>) -> Nodes<'a> {
        let first = match self {
            Self::Computed(_) => None,
            Self::Parted(parted) => Some(parted.network.first_label()),
        };
        Nodes { count: self.blocks().nodes(), named, first }
    }

    /// The network, as a report has it.
    fn reported(&self) -> NetworkSummary {
        let network = self.blocks();
        let (kind, source, notes) = match self {
            Self::Computed(network) => {
                let spec = network.spec();
                (spec.kind(), spec.to_string(), Vec::new())
            }
            Self::Parted(parted) => {
                let network = &parted.network;
                let notes = network.notes().iter().map(ToString::to_string).collect();
                (network.kind(), network.source().to_owned(), notes)
            }
        };
        NetworkSummary {
            kind: kind.to_owned(),
            nodes: network.nodes(),
            links: network.links(),
            source,
            notes,
        }
    }
}
