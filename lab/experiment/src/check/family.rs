//! From a specification to families of small elections.

use super::CheckSpecification;
use crate::conditions::Initiators as Who;
use crate::counts::{self, count32, positive};
use crate::error::Error;
use crate::identities::Identities;
use crate::initiators;
use crate::number::count;
use crate::source::{GivenNetworks, NetworkSource, for_files, natural, sizes};
use crate::text::{names, textual};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use suffrage_checker::{
    Arrangements, Family, FaultBudget, InitiatorSets, MAX_NODES, MAX_SAMPLED_NODES, Orders,
    RandomInstances, SecondTier, Wake, WideIds,
};
use suffrage_model::{Id, NetworkClass, Port, Timing};
use suffrage_networks::wiring::Wiring;
use suffrage_networks::{CountError, IdList, Ports, Topology, parse_count};

/// A number, or a range of numbers that includes both ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRange(pub RangeInclusive<u32>);

impl NodeRange {
    /// The number, if it is one.
    fn one(&self) -> Option<u32> {
        (self.0.start() == self.0.end()).then_some(*self.0.start())
    }
}

impl FromStr for NodeRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (least, most) = text.split_once("..").unwrap_or((text, text));
        let (least, most) = (count32(least)?, count32(most)?);
        match (1..=most).contains(&least) {
            true => Ok(Self(least..=most)),
            false => Err("write a number from 1 on, or a range such as 5..32".to_owned()),
        }
    }
}

/// The messages that a link holds; `None` for any number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoomRange(pub Option<NodeRange>);

impl FromStr for RoomRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "unbounded" => Ok(Self(None)),
            "0" => Err("a link that holds no message carries none; the least is 1".to_owned()),
            _ => match text.parse() {
                Ok(sizes) => Ok(Self(Some(sizes))),
                Err(_) if parse_count(text) == Err(CountError::TooLarge) => Err(counts::limit32()),
                Err(_) => Err("write unbounded, or a number of messages from 1 on".to_owned()),
            },
        }
    }
}

/// The random port numberings of each network; 0 for rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numberings(pub u64);

impl FromStr for Numberings {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "rotation" => Ok(Self(0)),
            None if text == "random" => Ok(Self(1)),
            Some(("random", number)) => positive(number).map(Self),
            _ => Err("write rotation, random, or random:K for K numberings".to_owned()),
        }
    }
}

names! {
    /// When initiators start.
    WakeMoment {
        /// Each at any moment before a message reaches it.
        Any = "any",
        /// All before anything else happens.
        Start = "start",
    }
}

impl WakeMoment {
    const fn wake(self) -> Wake {
        match self {
            Self::Any => Wake::AnyTime,
            Self::Start => Wake::AtStart,
        }
    }
}

impl fmt::Display for NodeRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.one() {
            Some(number) => number.fmt(f),
            None => write!(f, "{}..{}", self.0.start(), self.0.end()),
        }
    }
}

impl fmt::Display for RoomRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(range) => range.fmt(f),
            None => f.write_str("unbounded"),
        }
    }
}

impl fmt::Display for Numberings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("rotation"),
            1 => f.write_str("random"),
            many => write!(f, "random:{many}"),
        }
    }
}

textual!(NodeRange, RoomRange, Numberings);

/// The description of a family for people.
#[derive(Clone, Debug, Default)]
pub struct FamilyDescription {
    /// The family in words.
    pub words: String,
    /// The notes from reading its network and identities.
    pub notes: Vec<String>,
    /// The identities as their file has them, where that is not the number in decimal.
    pub written: BTreeMap<u64, String>,
}

impl FamilyDescription {
    /// A family that is described only by these words.
    fn plain(words: String) -> Self {
        Self { words, ..Self::default() }
    }

    /// Keeps the notes about identities from a file; `id` says which a node has here.
    fn of_ids(&mut self, list: &IdList, id: impl Fn(u32) -> Id) {
        self.notes.extend(list.notes().iter().map(ToString::to_string));
        for place in 0..list.ids().len() as u32 {
            let (id, written) = (id(place), list.written(place));
            if written != id.to_string() {
                self.written.insert(id.get(), written.to_owned());
            }
        }
    }
}

/// The families that flags ask for, each with its description.
pub enum Families {
    /// The flags say which.
    Named(Family, FamilyDescription),
    /// They do not: the first that is not too large, from the largest on.
    Ladder(Vec<(Family, FamilyDescription)>),
}

/// The number of nodes where none is given.
const NODES: u32 = 4;

/// The numbers of nodes of the second tier of samples, where none is given: degrees are above the bits of a word.
const LARGER: RangeInclusive<u32> = 17..=80;

impl CheckSpecification {
    /// The random instances that the flags describe.
    pub fn random(
        &self,
        network: NetworkClass,
        wide_ids: WideIds,
        faults: FaultBudget,
    ) -> Result<RandomInstances, Error> {
        let nodes = self.nodes.as_ref().map_or(5..=16, |sizes| sizes.0.clone());
        if *nodes.end() > MAX_SAMPLED_NODES {
            return Err(Error::new(format!(
                "--nodes {}: the limit for samples is {MAX_SAMPLED_NODES}; `suffrage elect` runs single \
                 elections on networks of any size",
                nodes.end()
            )));
        }
        let second_tier = Some(SecondTier {
            nodes: self.nodes.as_ref().map_or(LARGER, |sizes| sizes.0.clone()),
            wide_ids,
        });
        sizes(network, &nodes)?;
        let capacity = self.capacity.0.as_ref().map(|sizes| sizes.0.clone());
        let wake = self.wake.map(WakeMoment::wake);
        Ok(RandomInstances { network, nodes, wake, capacity, faults, second_tier })
    }

    /// The families that the flags name.
    pub fn families(
        &self,
        algorithm: &str,
        network: NetworkClass,
        timing: Timing,
        faults: FaultBudget,
        given: &GivenNetworks,
    ) -> Result<Families, Error> {
        families(self, algorithm, (network, timing), faults, given)
    }
}

fn families(
    asked: &CheckSpecification,
    algorithm: &str,
    (network, timing): (NetworkClass, Timing),
    faults: FaultBudget,
    given: &GivenNetworks,
) -> Result<Families, Error> {
    if let (Some(flag), None) = (for_files(asked.file_options()), &asked.topology) {
        return Err(Error::new(format!("{flag} is for files: name one with --topology")));
    }
    let one = |sizes: &NodeRange, flag: &str| {
        sizes.one().ok_or_else(|| {
            let (least, most) = (sizes.0.start(), sizes.0.end());
            Error::new(format!("{flag} {least}..{most}: a range is for --sample; write a number"))
        })
    };
    let nodes = asked.nodes.as_ref().map_or(Ok(NODES), |sizes| one(sizes, "--nodes"))?;
    let capacity = asked.capacity.0.as_ref().map(|sizes| one(sizes, "--capacity")).transpose()?;
    refuse_too_many(nodes)?;
    let together = timing == Timing::SimultaneousRounds;
    let wake = match asked.wake {
        None if together => Wake::AtStart,
        moment => moment.unwrap_or_default().wake(),
    };
    let family = |arrangements, initiators| {
        let nodes_differ = false;
        Family { arrangements, initiators, wake, capacity, faults, nodes_differ }
    };
    let chooses =
        [asked.all_ids, asked.all_initiators, asked.all_ports, asked.all_graphs, asked.all_shapes]
            .contains(&true);
    let names = asked.ports != Numberings(0)
        || asked.ids.is_some()
        || asked.initiators.is_some()
        || asked.topology.is_some();
    if chooses || names {
        let (arrangements, initiators, description) =
            named(asked, algorithm, network, nodes, given)?;
        return Ok(Families::Named(family(arrangements, initiators), description));
    }
    let mut ladder = Vec::new();
    let mut add = |family, words| ladder.push((family, FamilyDescription::plain(words)));
    let everyone = || InitiatorSets::These((0..nodes).collect());
    if let Ok(all) = Arrangements::all(network, nodes) {
        let what = everything(network, nodes);
        if !together {
            let words = format!("{what}, every set of initiators");
            add(family(all.clone(), InitiatorSets::EverySet), words);
        }
        add(family(all, everyone()), format!("{what}, all initiators"));
    }
    if matches!(network, NetworkClass::Tree | NetworkClass::Connected)
        && let Ok(shapes) = Arrangements::shapes(network, nodes)
    {
        let what = every_shape(network, nodes);
        let words = format!("{what}, every set of initiators");
        add(family(shapes.clone(), InitiatorSets::EverySet), words);
        add(family(shapes, everyone()), format!("{what}, all initiators"));
    }
    let topology = natural(network, nodes)?.build(asked.seed);
    let topology = topology.map_err(|error| Error::new(error.to_string()))?;
    let topology = topology.fit(network).map_err(|misfit| Error::of(algorithm, misfit))?;
    let words = format!("{}, ids ascending, all initiators", topology.source());
    let one = Arrangements::One(topology.wire(Ports::Rotation, asked.seed), ascending(nodes));
    add(family(one, everyone()), words);
    Ok(Families::Ladder(ladder))
}

fn refuse_too_many(nodes: u32) -> Result<(), Error> {
    match nodes > MAX_NODES {
        true => Err(Error::new(format!(
            "--nodes {nodes}: the limit for exploration is {MAX_NODES}; `suffrage elect` runs \
             single elections on networks of any size"
        ))),
        false => Ok(()),
    }
}

/// The family that flags name.
fn named(
    asked: &CheckSpecification,
    algorithm: &str,
    network: NetworkClass,
    nodes: u32,
    given: &GivenNetworks,
) -> Result<(Arrangements, InitiatorSets, FamilyDescription), Error> {
    let topology = match &asked.topology {
        Some(text) => {
            let source = NetworkSource::named(text, asked.file_options(), given)?;
            let nodes = source.shape().nodes();
            if nodes > u64::from(MAX_NODES) {
                return Err(Error::new(format!(
                    "{text} has {nodes} nodes, and the limit for exploration is {MAX_NODES}; \
                     `suffrage elect` runs single elections on networks of any size"
                )));
            }
            source.build(asked.seed)?
        }
        None => natural(network, nodes)?
            .build(asked.seed)
            .map(Into::into)
            .map_err(|error| Error::new(error.to_string()))?,
    };
    let topology =
        Topology::clone(&topology).fit(network).map_err(|misfit| Error::of(algorithm, misfit))?;
    let nodes = topology.nodes();
    let wiring = topology.wire(Ports::Rotation, asked.seed);
    let mut description = FamilyDescription::default();
    description.notes.extend(topology.notes().iter().map(ToString::to_string));
    let many = |too_many: suffrage_checker::FamilyTooLarge| Error::new(too_many.to_string());
    let (arrangements, what) = if asked.all_graphs {
        (Arrangements::all(network, nodes).map_err(many)?, everything(network, nodes))
    } else if asked.all_shapes {
        (Arrangements::shapes(network, nodes).map_err(many)?, every_shape(network, nodes))
    } else if asked.all_ports {
        every_port(asked, network, &wiring, &topology, &mut description)?
    } else if asked.all_ids && network == NetworkClass::HomonymRing {
        (Arrangements::all(network, nodes).map_err(many)?, everything(network, nodes))
    } else if asked.all_ids {
        let words = format!("{}, every identity order", topology.source());
        (Arrangements::Orders(wiring, Orders::Every), words)
    } else {
        let (ids, words, list) = identities(asked, network, &topology)?;
        if let Some(list) = list {
            description.of_ids(&list, |place| ids[place as usize]);
        }
        (Arrangements::One(wiring, ids), format!("{}, ids {words}", topology.source()))
    };
    let (arrangements, what) = match asked.ports.0 {
        0 => (arrangements, what),
        numberings => {
            refuse_given_ports("--ports random", network, nodes)?;
            let of = Box::new(arrangements);
            let random = Arrangements::RandomPorts { of, numberings, seed: asked.seed };
            (random, format!("{what}, {}", count(numberings, "random port numbering")))
        }
    };
    let (initiators, who) = match (&asked.initiators, asked.all_initiators) {
        (_, true) => (InitiatorSets::EverySet, "every set of initiators".to_owned()),
        (None | Some(Who::All), _) => {
            (InitiatorSets::These((0..nodes).collect()), "all initiators".to_owned())
        }
        (Some(named), _) => (
            InitiatorSets::These(initiators::who(named, &topology, asked.seed)?),
            format!("initiators {named}"),
        ),
    };
    description.words = format!("{what}, {who}");
    Ok((arrangements, initiators, description))
}

/// Refuses to number ports where the network says which port leads where.
fn refuse_given_ports(flag: &str, network: NetworkClass, nodes: u32) -> Result<(), Error> {
    match network {
        _ if network.is_oriented() => Err(Error::new(format!(
            "{flag}: the algorithm is for networks with a sense of direction, which determines \
             the ports; leave it out"
        ))),
        NetworkClass::Ring if nodes < 3 => {
            Err(Error::new(format!("{flag}: a ring of fewer than 3 nodes has one numbering")))
        }
        _ => Ok(()),
    }
}

/// Every numbering of the ports, and every order of ids where asked.
fn every_port(
    asked: &CheckSpecification,
    network: NetworkClass,
    wiring: &Wiring,
    topology: &Topology,
    description: &mut FamilyDescription,
) -> Result<(Arrangements, String), Error> {
    let nodes = wiring.nodes();
    let name = topology.source();
    refuse_given_ports("--all-ports", network, nodes)?;
    if network == NetworkClass::Complete && asked.ids.is_none() {
        let words = format!("{name}, every port numbering and with that every identity order");
        return Ok((Arrangements::every_ports_of_complete(nodes), words));
    }
    let list = |node: u32| {
        (0..wiring.degree(node)).map(|port| wiring.across(node, Port(port)).node).collect()
    };
    let (orders, words) = match asked.all_ids {
        true => (Orders::Every, "every identity order".to_owned()),
        false => {
            let (ids, words, list) = identities(asked, network, topology)?;
            if let Some(list) = list {
                description.of_ids(&list, |node| ids[node as usize]);
            }
            (Orders::Listed(vec![ids]), format!("ids {words}"))
        }
    };
    let lists = (0..nodes).map(list).collect();
    Ok((Arrangements::EveryPorts(lists, orders), format!("{name}, every port numbering, {words}")))
}

/// The identities, what they are in words, and the file that they are from, if they are from one.
fn identities(
    asked: &CheckSpecification,
    network: NetworkClass,
    topology: &Topology,
) -> Result<(Vec<Id>, String, Option<IdList>), Error> {
    let text = asked.ids.as_deref().unwrap_or("ascending");
    let named = Identities::named(text, network, || Ok(topology.clone()))?;
    let ids = named.assign(topology.nodes(), asked.seed);
    Ok((ids, text.to_owned(), named.into_list()))
}

fn ascending(nodes: u32) -> Vec<Id> {
    (1..=u64::from(nodes)).map(Id::new).collect()
}

/// All networks of a kind, in words.
pub fn everything(network: NetworkClass, nodes: u32) -> String {
    let what = match network {
        NetworkClass::HomonymRing => "asymmetric labelling",
        _ => "identity order",
    };
    format!("{}, every {what}", networks(network, nodes))
}

/// All networks of a kind with one order of ids each, in words.
pub fn every_shape(network: NetworkClass, nodes: u32) -> String {
    format!("{}, up to isomorphism", networks(network, nodes))
}

fn networks(network: NetworkClass, nodes: u32) -> String {
    let kind = match network {
        NetworkClass::Complete | NetworkClass::OrientedComplete => "complete network",
        NetworkClass::Ring | NetworkClass::OrientedRing | NetworkClass::HomonymRing => "ring",
        NetworkClass::Hypercube | NetworkClass::OrientedHypercube => "hypercube",
        NetworkClass::Mesh => "every mesh",
        NetworkClass::Torus | NetworkClass::OrientedTorus => "every torus",
        NetworkClass::Tree => "every tree",
        NetworkClass::Connected => "every connected graph",
    };
    format!("{kind} of {}", count(nodes.into(), "node"))
}
