//! From flags to families of small elections.

use super::{Source, identities::Identities, initiators, natural, network::sizes};
use crate::counts::{self, count32, positive};
use crate::error::Error;
use crate::flags::{FileFlags, Initiators as Who};
use crate::number::count;
use crate::offered;
use clap::ValueEnum;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::str::FromStr;
use suffrage::algorithms::Algorithm;
use suffrage::checker::{
    Arrangements, Family, Faults, Initiators, MAX_NODES, Orders, RandomInstances, Wake,
};
use suffrage::model::{Id, NetworkClass, Port, Timing};
use suffrage::networks::wiring::Wiring;
use suffrage::networks::{CountError, IdList, Ports, Topology, parse_count};

/// The flags that choose a family.
#[derive(clap::Args)]
pub(crate) struct FamilyArgs {
    /// The number of nodes, on the networks that the algorithm is for; with --sample also a range,
    /// as in 5..32, both included [default: 4, with --sample 5..16]
    #[arg(long, value_name = "N", conflicts_with = "topology", help_heading = "Family")]
    nodes: Option<Sizes>,

    /// One network: a file, or a specification such as ring:4 (see `suffrage elect --help`)
    #[arg(long, value_name = "SPEC|FILE", help_heading = "Family")]
    #[arg(value_parser = offered::specs(), hide_possible_values = true)]
    topology: Option<String>,

    #[command(flatten)]
    file: FileFlags,

    /// Every order of the ids 1 to N, of those that an automorphism makes alike only one
    #[arg(long, conflicts_with = "ids", help_heading = "Family")]
    all_ids: bool,

    /// Every set of initiators
    #[arg(long, conflicts_with = "initiators", help_heading = "Family")]
    all_initiators: bool,

    /// Every numbering of the ports
    #[arg(long, help_heading = "Family")]
    all_ports: bool,

    /// The numbering of the ports: rotation, or random:K for K random numberings of each network
    #[arg(long, value_name = "PORTS", conflicts_with_all = ["all_ports", "all_graphs", "all_shapes"])]
    #[arg(default_value = "rotation", help_heading = "Family")]
    ports: Numberings,

    /// Every connected network of this size, with every order of the ids
    #[arg(long, conflicts_with_all = ["topology", "ids", "all_ports"], help_heading = "Family")]
    all_graphs: bool,

    /// Every connected network of this size up to isomorphism, with one order of the ids
    #[arg(long, conflicts_with_all = ["topology", "ids", "all_ports", "all_ids", "all_graphs"])]
    #[arg(help_heading = "Family")]
    all_shapes: bool,

    /// The order of the identities: ascending, descending, bit-reversed, random, scattered,
    /// homonyms:K, list:ID,.., or a file
    #[arg(long, value_name = "IDS", help_heading = "Family")]
    #[arg(value_parser = offered::ids(), hide_possible_values = true)]
    ids: Option<String>,

    /// Who may start: all, a number K (of nodes drawn at random), or nodes:LIST
    #[arg(long, value_name = "WHO", help_heading = "Family")]
    initiators: Option<Who>,

    /// When they start [default: any; with --sample either]
    #[arg(long, value_enum, help_heading = "Conditions")]
    wake: Option<Moment>,

    /// Messages that a link holds: unbounded, or a number, with --sample also a range; the sender
    /// waits for room
    #[arg(long, value_name = "C", default_value = "unbounded", help_heading = "Conditions")]
    capacity: Room,

    /// Drives what is random: networks, initiators
    #[arg(long, value_name = "S", default_value_t = 1, help_heading = "Conditions")]
    #[arg(value_parser = counts::count)]
    pub(crate) seed: u64,
}

/// A number, or a range of numbers that includes both ends.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sizes(RangeInclusive<u32>);

impl Sizes {
    /// The number, if it is one.
    fn one(&self) -> Option<u32> {
        (self.0.start() == self.0.end()).then_some(*self.0.start())
    }
}

impl FromStr for Sizes {
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
#[derive(Clone, Debug, PartialEq, Eq)]
struct Room(Option<Sizes>);

impl FromStr for Room {
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numberings(u64);

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

/// When initiators start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Moment {
    /// Each at any moment before a message reaches it
    #[default]
    Any,
    /// All before anything else happens
    Start,
}

impl Moment {
    const fn wake(self) -> Wake {
        match self {
            Self::Any => Wake::AnyTime,
            Self::Start => Wake::AtStart,
        }
    }
}

/// What people should know of a family.
#[derive(Clone, Debug, Default)]
pub(crate) struct Description {
    /// What it is.
    pub(crate) words: String,
    /// What was noted when its network and its identities were read.
    pub(crate) notes: Vec<String>,
    /// The identities as their file has them, where that is not the number in decimal.
    pub(crate) written: BTreeMap<u64, String>,
}

impl Description {
    /// A family that nothing but these words is to be said of.
    fn plain(words: String) -> Self {
        Self { words, ..Self::default() }
    }

    /// Keeps what is to be said of identities from a file; `id` says which a node has here.
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
pub(crate) enum Families {
    /// The flags say which.
    Named(Family, Description),
    /// They do not: the first that is not too large, from the largest on.
    Ladder(Vec<(Family, Description)>),
}

/// The number of nodes where none is given.
const NODES: u32 = 4;

impl FamilyArgs {
    /// The random instances that the flags describe.
    pub(crate) fn random(
        &self,
        algorithm: &Algorithm,
        faults: Faults,
    ) -> Result<RandomInstances, Error> {
        let nodes = self.nodes.as_ref().map_or(5..=16, |sizes| sizes.0.clone());
        refuse_too_many(*nodes.end())?;
        sizes(algorithm.network, &nodes)?;
        let capacity = self.capacity.0.as_ref().map(|sizes| sizes.0.clone());
        let wake = self.wake.map(Moment::wake);
        Ok(RandomInstances { network: algorithm.network, nodes, wake, capacity, faults })
    }

    /// The families that the flags name.
    pub(crate) fn families(
        &self,
        algorithm: &str,
        network: NetworkClass,
        timing: Timing,
        faults: Faults,
    ) -> Result<Families, Error> {
        families(self, algorithm, network, timing, faults)
    }
}

fn families(
    args: &FamilyArgs,
    algorithm: &str,
    network: NetworkClass,
    timing: Timing,
    faults: Faults,
) -> Result<Families, Error> {
    if let (Some(flag), None) = (args.file.given(), &args.topology) {
        return Err(Error::new(format!("{flag} is for files: name one with --topology")));
    }
    let one = |sizes: &Sizes, flag: &str| {
        sizes.one().ok_or_else(|| {
            let (least, most) = (sizes.0.start(), sizes.0.end());
            Error::new(format!("{flag} {least}..{most}: a range is for --sample; write a number"))
        })
    };
    let nodes = args.nodes.as_ref().map_or(Ok(NODES), |sizes| one(sizes, "--nodes"))?;
    let capacity = args.capacity.0.as_ref().map(|sizes| one(sizes, "--capacity")).transpose()?;
    refuse_too_many(nodes)?;
    let together = timing == Timing::SimultaneousRounds;
    let wake = match args.wake {
        None if together => Wake::AtStart,
        moment => moment.unwrap_or_default().wake(),
    };
    let family =
        |arrangements, initiators| Family { arrangements, initiators, wake, capacity, faults };
    let chooses =
        [args.all_ids, args.all_initiators, args.all_ports, args.all_graphs, args.all_shapes]
            .contains(&true);
    let names = args.ports != Numberings(0)
        || args.ids.is_some()
        || args.initiators.is_some()
        || args.topology.is_some();
    if chooses || names {
        let (arrangements, initiators, description) = named(args, algorithm, network, nodes)?;
        return Ok(Families::Named(family(arrangements, initiators), description));
    }
    let mut ladder = Vec::new();
    let mut add = |family, words| ladder.push((family, Description::plain(words)));
    let everyone = || Initiators::These((0..nodes).collect());
    if let Ok(all) = Arrangements::all(network, nodes) {
        let what = everything(network, nodes);
        if !together {
            let words = format!("{what}, every set of initiators");
            add(family(all.clone(), Initiators::EverySet), words);
        }
        add(family(all, everyone()), format!("{what}, all initiators"));
    }
    if matches!(network, NetworkClass::Tree | NetworkClass::Connected)
        && let Ok(shapes) = Arrangements::shapes(network, nodes)
    {
        let what = every_shape(network, nodes);
        let words = format!("{what}, every set of initiators");
        add(family(shapes.clone(), Initiators::EverySet), words);
        add(family(shapes, everyone()), format!("{what}, all initiators"));
    }
    let topology = natural(network, nodes)?.build(args.seed);
    let topology = topology.map_err(|error| Error::new(error.to_string()))?;
    let topology = topology.fit(network).map_err(|misfit| Error::of(algorithm, misfit))?;
    let words = format!("{}, ids ascending, all initiators", topology.source());
    let one = Arrangements::One(topology.wire(Ports::Rotation, args.seed), ascending(nodes));
    add(family(one, everyone()), words);
    Ok(Families::Ladder(ladder))
}

fn refuse_too_many(nodes: u32) -> Result<(), Error> {
    match nodes > MAX_NODES {
        true => Err(Error::new(format!(
            "--nodes {nodes}: the limit for exploration is {MAX_NODES}; `suffrage elect` holds \
             single elections on networks of any size"
        ))),
        false => Ok(()),
    }
}

/// The family that flags name.
fn named(
    args: &FamilyArgs,
    algorithm: &str,
    network: NetworkClass,
    nodes: u32,
) -> Result<(Arrangements, Initiators, Description), Error> {
    let topology = match &args.topology {
        Some(text) => {
            let source = Source::named(text, args.file)?;
            let nodes = source.shape().nodes();
            if nodes > u64::from(MAX_NODES) {
                return Err(Error::new(format!(
                    "{text} has {nodes} nodes, and the limit for exploration is {MAX_NODES}; \
                     `suffrage elect` holds single elections on networks of any size"
                )));
            }
            source.build(args.seed)?
        }
        None => natural(network, nodes)?
            .build(args.seed)
            .map(Into::into)
            .map_err(|error| Error::new(error.to_string()))?,
    };
    let topology =
        Topology::clone(&topology).fit(network).map_err(|misfit| Error::of(algorithm, misfit))?;
    let nodes = topology.nodes();
    let wiring = topology.wire(Ports::Rotation, args.seed);
    let mut description = Description::default();
    description.notes.extend(topology.notes().iter().map(ToString::to_string));
    let many = |too_many: suffrage::checker::FamilyTooLarge| Error::new(too_many.to_string());
    let (arrangements, what) = if args.all_graphs {
        (Arrangements::all(network, nodes).map_err(many)?, everything(network, nodes))
    } else if args.all_shapes {
        (Arrangements::shapes(network, nodes).map_err(many)?, every_shape(network, nodes))
    } else if args.all_ports {
        every_port(args, network, &wiring, &topology, &mut description)?
    } else if args.all_ids && network == NetworkClass::HomonymRing {
        (Arrangements::all(network, nodes).map_err(many)?, everything(network, nodes))
    } else if args.all_ids {
        let orders = match args.ports {
            Numberings(0) => Orders::of(&wiring).map_err(many)?,
            _ => Orders::Every(nodes),
        };
        let words = format!("{}, every identity order", topology.source());
        (Arrangements::Orders(wiring, orders), words)
    } else {
        let (ids, words, list) = identities(args, network, &topology)?;
        if let Some(list) = list {
            description.of_ids(&list, |place| ids[place as usize]);
        }
        (Arrangements::One(wiring, ids), format!("{}, ids {words}", topology.source()))
    };
    let (arrangements, what) = match args.ports.0 {
        0 => (arrangements, what),
        numberings => {
            refuse_given_ports("--ports random", network, nodes)?;
            let of = Box::new(arrangements);
            let random = Arrangements::RandomPorts { of, numberings, seed: args.seed };
            (random, format!("{what}, {}", count(numberings, "random port numbering")))
        }
    };
    let (initiators, who) = match (&args.initiators, args.all_initiators) {
        (_, true) => (Initiators::EverySet, "every set of initiators".to_owned()),
        (None | Some(Who::All), _) => {
            (Initiators::These((0..nodes).collect()), "all initiators".to_owned())
        }
        (Some(named), _) => (
            Initiators::These(initiators::who(named, &topology, args.seed)?),
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
            "{flag}: the algorithm is for networks with a sense of direction, in which it is given \
             which port leads where; leave it out"
        ))),
        NetworkClass::Ring if nodes < 3 => {
            Err(Error::new(format!("{flag}: a ring of fewer than 3 nodes has one numbering")))
        }
        _ => Ok(()),
    }
}

/// Every numbering of the ports, and every order of ids where asked.
fn every_port(
    args: &FamilyArgs,
    network: NetworkClass,
    wiring: &Wiring,
    topology: &Topology,
    description: &mut Description,
) -> Result<(Arrangements, String), Error> {
    let nodes = wiring.nodes();
    let name = topology.source();
    refuse_given_ports("--all-ports", network, nodes)?;
    if network == NetworkClass::Complete {
        let words = format!("{name}, every port numbering and with that every identity order");
        return Ok((Arrangements::every_ports_of_complete(nodes), words));
    }
    let list = |node: u32| {
        (0..wiring.degree(node)).map(|port| wiring.across(node, Port(port)).node).collect()
    };
    let (orders, words) = match args.all_ids {
        true => (
            Orders::of(wiring).map_err(|error| Error::new(error.to_string()))?,
            "every identity order".to_owned(),
        ),
        false => {
            let (ids, words, list) = identities(args, network, topology)?;
            let place = |id: &Id| ids.iter().filter(|other| *other < id).count() as u8;
            if let Some(list) = list {
                // Only the order of the identities counts: they are 1 to N here.
                let rank = |node: u32| Id::new(u64::from(place(&ids[node as usize])) + 1);
                description.of_ids(&list, rank);
            }
            (Orders::Listed(vec![ids.iter().map(place).collect()]), format!("ids {words}"))
        }
    };
    let lists = (0..nodes).map(list).collect();
    Ok((Arrangements::EveryPorts(lists, orders), format!("{name}, every port numbering, {words}")))
}

/// The identities, what they are in words, and the file that they are from, if they are from one.
fn identities(
    args: &FamilyArgs,
    network: NetworkClass,
    topology: &Topology,
) -> Result<(Vec<Id>, String, Option<IdList>), Error> {
    let text = args.ids.as_deref().unwrap_or("ascending");
    let named = Identities::named(text, network, || Ok(topology.clone()))?;
    let ids = named.assign(topology.nodes(), args.seed);
    Ok((ids, text.to_owned(), named.into_list()))
}

fn ascending(nodes: u32) -> Vec<Id> {
    (1..=u64::from(nodes)).map(Id::new).collect()
}

/// All networks of a kind, in words.
pub(crate) fn everything(network: NetworkClass, nodes: u32) -> String {
    let what = match network {
        NetworkClass::HomonymRing => "asymmetric labelling",
        _ => "identity order",
    };
    format!("{}, every {what}", networks(network, nodes))
}

/// All networks of a kind with one order of ids each, in words.
pub(crate) fn every_shape(network: NetworkClass, nodes: u32) -> String {
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
