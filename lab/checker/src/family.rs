//! Families of instances, enumerated by number.

pub(crate) mod enumeration;
pub(crate) mod forecast;
mod orders;

pub use orders::Orders;

use crate::{
    family::{
        enumeration::{factorial, is_connected, neighbours, permutation, renamed, shape, tree},
        orders::Representatives,
    },
    model::instance::{Faults, Instance, Wake},
};
use std::collections::BTreeSet;
use suffrage_model::{Id, NetworkClass, Port, Timing};
use suffrage_networks::{
    random::{Generator, Key},
    wiring::{Adjacency, Wiring},
};

/// A set of instances, by number: networks, port numberings, identities and sets of initiators. It
/// takes no memory per instance.
///
/// A family says what is wanted, and assumes no symmetry. Of instances that differ in the numbers of
/// their nodes alone, one is listed: instances are left out only where a renaming of the nodes, checked
/// against everything that is fixed (links, ports, initiators), maps them to one that is listed. Where
/// nodes differ in more than that, none is left out: see [`nodes_differ`](Self::nodes_differ).
#[derive(Clone, Debug)]
pub struct Family {
    /// The networks with their identities.
    pub arrangements: Arrangements,
    /// The sets of initiators.
    pub initiators: Initiators,
    /// The time at which initiators wake, in every instance.
    pub wake: Wake,
    /// The capacity of links, in every instance; `None` for unbounded links.
    pub capacity: Option<u32>,
    /// The faults that may occur, in every instance.
    pub faults: Faults,
    /// Whether the number of a node makes a difference, because processes know their
    /// [place](suffrage_model::Place) or properties name nodes. Then no instance is left out. A
    /// checker sets it where it has to.
    pub nodes_differ: bool,
}

/// Networks with port numberings and identities.
#[derive(Clone, Debug)]
pub enum Arrangements {
    /// One network with one order of identities.
    One(Wiring, Vec<Id>),
    /// One network with these orders of identities.
    Orders(Wiring, Orders),
    /// One network, given by the neighbours of each node, with every port numbering and these
    /// orders.
    EveryPorts(Vec<Vec<u32>>, Orders),
    /// Each of these networks with this number of random port numberings, drawn with a seed. The
    /// networks have at most one link between two nodes.
    RandomPorts {
        /// The networks with their identities.
        of: Box<Arrangements>,
        /// The number of numberings of each.
        numberings: u64,
        /// The seed of the numberings.
        seed: u64,
    },
    /// Every tree of this number of nodes, with every identity order. Ports are in the order of the
    /// neighbours' identities.
    Trees(u32),
    /// The trees with these numbers among the labelled trees of this number of nodes, in which the
    /// label of a node is its identity. Any node may have any label.
    SomeTrees(u32, Vec<u64>),
    /// The connected graphs with these sets of links among the labelled graphs of this number of
    /// nodes, in which the label of a node is its identity. Any node may have any label. Ports are in
    /// the order of the neighbours' identities.
    Graphs(u32, Vec<u32>),
}

/// The sets of initiators of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initiators {
    /// This set of nodes.
    These(Vec<u32>),
    /// Every non-empty set of nodes.
    EverySet,
}

/// The maximum number of nodes for which all graphs are listed.
const MOST_GRAPHS: u32 = 6;

/// An error: a family is too large to be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("all {what} of {nodes} nodes are too many to list: the limit is {most} nodes")]
pub struct FamilyTooLarge {
    nodes: u32,
    most: u32,
    what: &'static str,
}

impl Arrangements {
    /// Returns every network of a class with this number of nodes, with every identity order: none
    /// if the class has no network of this [size](NetworkClass::has_size).
    ///
    /// # Errors
    /// If there are too many nodes to list the graphs.
    pub fn all(network: NetworkClass, nodes: u32) -> Result<Self, FamilyTooLarge> {
        match network {
            _ if !network.has_size(nodes) => Ok(Self::Graphs(nodes, Vec::new())),
            NetworkClass::Hypercube | NetworkClass::OrientedHypercube => {
                Ok(Self::Orders(Wiring::hypercube(nodes.ilog2()), Orders::Every))
            }
            NetworkClass::Complete | NetworkClass::OrientedComplete => {
                Ok(Self::Orders(Wiring::complete(nodes), Orders::Every))
            }
            NetworkClass::OrientedRing | NetworkClass::Ring => {
                Ok(Self::Orders(Wiring::ring(nodes), Orders::Every))
            }
            NetworkClass::HomonymRing => {
                Ok(Self::Orders(Wiring::ring(nodes), Orders::asymmetric_labels(nodes)?))
            }
            NetworkClass::Tree => Ok(Self::Trees(nodes)),
            NetworkClass::Connected
            | NetworkClass::Mesh
            | NetworkClass::Torus
            | NetworkClass::OrientedTorus
                if nodes > MOST_GRAPHS =>
            {
                Err(FamilyTooLarge { nodes, most: MOST_GRAPHS, what: "connected graphs" })
            }
            NetworkClass::Connected
            | NetworkClass::Mesh
            | NetworkClass::Torus
            | NetworkClass::OrientedTorus => {
                let links = nodes * (nodes - 1) / 2;
                let fits = |&links: &u32| {
                    let lists = neighbours(nodes, links);
                    is_connected(&lists) && Wiring::stored(Adjacency::new(&lists)).fits(network)
                };
                Ok(Self::Graphs(nodes, (0..1 << links).filter(fits).collect()))
            }
        }
    }

    /// Returns the networks of [`all`](Self::all) up to isomorphism, with one identity order each.
    /// Where some nodes of a graph or tree initiate, they are any of its nodes.
    ///
    /// # Errors
    /// As [`all`](Self::all).
    pub fn shapes(network: NetworkClass, nodes: u32) -> Result<Self, FamilyTooLarge> {
        Ok(match Self::all(network, nodes)? {
            Self::Graphs(nodes, graphs) => {
                let all: Vec<_> =
                    (0..factorial(nodes)).map(|rank| permutation(nodes, rank)).collect();
                let first = |&links: &u32| all.iter().all(|to| links <= renamed(nodes, links, to));
                Self::Graphs(nodes, graphs.into_iter().filter(first).collect())
            }
            Self::Trees(nodes) => {
                let mut seen = BTreeSet::new();
                let codes = 0..labelled_trees(nodes);
                let new = |&number: &u64| seen.insert(shape(&tree(nodes, number)));
                Self::SomeTrees(nodes, codes.filter(new).collect())
            }
            Self::Orders(wiring, orders) => {
                let ids = Representatives::all(nodes).ids(&orders, 0);
                Self::One(wiring, ids)
            }
            same => same,
        })
    }

    /// Returns the complete network with every port numbering and every identity order.
    #[must_use]
    pub fn every_ports_of_complete(nodes: u32) -> Self {
        let others = |node| (0..nodes).filter(|&other| other != node).collect();
        Self::EveryPorts((0..nodes).map(others).collect(), Orders::Every)
    }

    /// Returns the number of nodes of each network.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        match self {
            Self::One(wiring, _) | Self::Orders(wiring, _) => wiring.nodes(),
            Self::EveryPorts(lists, _) => lists.len() as u32,
            Self::RandomPorts { of, .. } => of.nodes(),
            Self::Trees(nodes) | Self::SomeTrees(nodes, _) | Self::Graphs(nodes, _) => *nodes,
        }
    }

    /// Returns the orders that stand for all, given the nodes that initiate if these are fixed.
    fn representatives(&self, fixed: Option<&[u32]>) -> Representatives {
        match self {
            Self::One(..) => Representatives::all(self.nodes()),
            Self::Orders(wiring, _) => Representatives::of_wiring(wiring, fixed),
            Self::EveryPorts(lists, _) => Representatives::of_graph(lists, fixed),
            // Automorphisms that keep ports say nothing where ports are drawn anew.
            Self::RandomPorts { of, .. } => match **of {
                Self::Trees(_) | Self::SomeTrees(..) | Self::Graphs(..) => {
                    of.representatives(fixed)
                }
                _ => Representatives::all(self.nodes()),
            },
            Self::Trees(nodes) | Self::SomeTrees(nodes, _) | Self::Graphs(nodes, _) => {
                Representatives::of_every_graph(*nodes, fixed)
            }
        }
    }

    fn len(&self, among: &Representatives) -> u64 {
        let every = among.len(&Orders::Every);
        match self {
            Self::One(..) => 1,
            Self::Orders(_, orders) => among.len(orders),
            Self::EveryPorts(lists, orders) => {
                let ways = lists.iter().map(|list| factorial(list.len() as u32));
                ways.fold(among.len(orders), u64::saturating_mul)
            }
            Self::RandomPorts { of, numberings, .. } => of.len(among).saturating_mul(*numberings),
            Self::Trees(nodes) => labelled_trees(*nodes).saturating_mul(every),
            Self::SomeTrees(_, trees) => every.saturating_mul(trees.len() as u64),
            Self::Graphs(_, graphs) => every.saturating_mul(graphs.len() as u64),
        }
    }

    fn get(&self, among: &Representatives, number: u64) -> (Wiring, Vec<Id>) {
        let labelled = |lists: &[Vec<u32>], order: u64| {
            let ids = among.ids(&Orders::Every, order);
            (Wiring::stored(Adjacency::new(&at_places(lists, &ids))), ids)
        };
        match self {
            Self::One(wiring, ids) => (wiring.clone(), ids.clone()),
            Self::Orders(wiring, orders) => (wiring.clone(), among.ids(orders, number)),
            Self::EveryPorts(lists, orders) => {
                let mut rest = number;
                let ports = lists.iter().map(|list| {
                    let ways = factorial(list.len() as u32);
                    let order = permutation(list.len() as u32, rest % ways);
                    rest /= ways;
                    order.iter().map(|&place| list[usize::from(place)]).collect()
                });
                let lists: Vec<Vec<u32>> = ports.collect();
                (Wiring::stored(Adjacency::new(&lists)), among.ids(orders, rest))
            }
            Self::RandomPorts { of, numberings, seed } => {
                let (wiring, ids) = of.get(among, number / numberings);
                let key = Key::new(*seed, "port numberings").at(number % numberings);
                (shuffled(&wiring, &mut Generator::new(key.bits(), "ports")), ids)
            }
            Self::Trees(nodes) => {
                let trees = labelled_trees(*nodes);
                labelled(&tree(*nodes, number % trees), number / trees)
            }
            Self::SomeTrees(nodes, trees) => {
                let of = trees.len() as u64;
                labelled(&tree(*nodes, trees[(number % of) as usize]), number / of)
            }
            Self::Graphs(nodes, graphs) => {
                let of = graphs.len() as u64;
                labelled(&neighbours(*nodes, graphs[(number % of) as usize]), number / of)
            }
        }
    }
}

/// Returns the number of labelled trees (A. Cayley, 1889); saturating.
fn labelled_trees(nodes: u32) -> u64 {
    u64::from(nodes).saturating_pow(nodes.saturating_sub(2))
}

/// Returns a graph whose nodes are its labels with the nodes that have these identities.
fn at_places(labelled: &[Vec<u32>], ids: &[Id]) -> Vec<Vec<u32>> {
    let label = |id: &Id| (id.get() - 1) as usize;
    let mut node = vec![0; ids.len()];
    for (place, id) in (0..).zip(ids) {
        node[label(id)] = place;
    }
    let list = |id: &Id| labelled[label(id)].iter().map(|&other| node[other as usize]).collect();
    ids.iter().map(list).collect()
}

/// Returns the network with another numbering of its ports, uniformly at random.
fn shuffled(wiring: &Wiring, random: &mut Generator) -> Wiring {
    let list = |node: u32| {
        let ports = (0..wiring.degree(node)).map(Port);
        let mut list: Vec<u32> = ports.map(|port| wiring.across(node, port).node).collect();
        random.shuffle(&mut list);
        list
    };
    let lists: Vec<Vec<u32>> = (0..wiring.nodes()).map(list).collect();
    Wiring::stored(Adjacency::new(&lists))
}

impl Initiators {
    fn len(&self, nodes: u32) -> u64 {
        match self {
            Self::These(_) => 1,
            Self::EverySet => 1_u64.checked_shl(nodes).map_or(u64::MAX, |sets| sets - 1),
        }
    }

    fn get(&self, nodes: u32, number: u64) -> Vec<u32> {
        match self {
            Self::These(nodes) => nodes.clone(),
            Self::EverySet => (0..nodes).filter(|node| (number + 1) >> node & 1 == 1).collect(),
        }
    }
}

impl Family {
    /// Creates the family of every identity order on every network of this size and every set of
    /// initiators, waking at any time, without faults.
    ///
    /// # Errors
    /// If there are too many nodes to list the networks.
    pub fn everything(network: NetworkClass, nodes: u32) -> Result<Self, FamilyTooLarge> {
        Ok(Self {
            arrangements: Arrangements::all(network, nodes)?,
            initiators: Initiators::EverySet,
            wake: Wake::AnyTime,
            capacity: None,
            faults: Faults::default(),
            nodes_differ: false,
        })
    }

    /// Returns the family in which all processes wake at the start, for an algorithm that
    /// [relies on that](Timing::SimultaneousRounds), and the same family for any other one.
    #[must_use]
    pub fn timed(self, timing: Timing) -> Self {
        if timing != Timing::SimultaneousRounds {
            return self;
        }
        let initiators = Initiators::These((0..self.nodes()).collect());
        Self { initiators, wake: Wake::AtStart, ..self }
    }

    /// Creates a family of one instance.
    #[must_use]
    pub fn one(instance: &Instance) -> Self {
        let Instance { wiring, ids, initiators, wake, capacity, faults } = instance.clone();
        Self {
            arrangements: Arrangements::One(wiring, ids),
            initiators: Initiators::These(initiators),
            wake,
            capacity,
            faults,
            nodes_differ: false,
        }
    }

    /// Returns the number of nodes of each instance.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.arrangements.nodes()
    }

    /// Returns the number of instances; saturating. Takes time cubic in the number of nodes; where
    /// ports are open, in the order of *n*! for networks that are neither complete nor larger than 8.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.listing().len()
    }

    /// Returns whether there are no instances.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the instance of this number. Instances on the same network follow one another. Takes the
    /// time of [`len`](Self::len).
    ///
    /// # Panics
    /// If there is no such instance.
    #[must_use]
    pub fn get(&self, number: u64) -> Instance {
        self.listing().get(number)
    }

    /// Returns the same family, in which the number of a node makes a difference if `differ`.
    pub(crate) fn told_apart(&self, differ: bool) -> Self {
        Self { nodes_differ: self.nodes_differ || differ, ..self.clone() }
    }

    /// Returns what [`len`](Self::len) and [`get`](Self::get) are computed from.
    pub(crate) fn listing(&self) -> Listing<'_> {
        let fixed = match &self.initiators {
            Initiators::These(nodes) => Some(nodes.as_slice()),
            Initiators::EverySet => None,
        };
        let among = match self.nodes_differ {
            true => Representatives::all(self.nodes()),
            false => self.arrangements.representatives(fixed),
        };
        let networks = self.arrangements.len(&among);
        Listing { family: self, among, sets: self.initiators.len(self.nodes()), networks }
    }
}

/// The instances of a family, by number.
pub(crate) struct Listing<'a> {
    family: &'a Family,
    among: Representatives,
    sets: u64,
    networks: u64,
}

impl Listing<'_> {
    pub(crate) fn len(&self) -> u64 {
        self.networks.saturating_mul(self.sets)
    }

    pub(crate) fn get(&self, number: u64) -> Instance {
        assert!(number < self.len(), "there are {} instances", self.len());
        let family = self.family;
        let (wiring, ids) = family.arrangements.get(&self.among, number / self.sets);
        Instance {
            wiring,
            ids,
            initiators: family.initiators.get(family.nodes(), number % self.sets),
            wake: family.wake,
            capacity: family.capacity,
            faults: family.faults,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arrangements, in which all nodes initiate.
    fn awake(arrangements: Arrangements) -> Family {
        let initiators = Initiators::These((0..arrangements.nodes()).collect());
        let everything = Family::everything(NetworkClass::OrientedRing, 1).unwrap();
        Family { arrangements, initiators, ..everything }
    }

    /// The number of orders up to renamings of the nodes, with these initiators fixed.
    fn orders(wiring: &Wiring, initiators: &[u32]) -> u64 {
        let initiators = Initiators::These(initiators.to_vec());
        let arrangements = Arrangements::Orders(wiring.clone(), Orders::Every);
        Family { initiators, ..awake(arrangements) }.len()
    }

    #[test]
    fn there_are_as_many_graphs_as_the_encyclopedia_says() {
        // OEIS A001187 and A000272: labelled connected graphs, labelled trees.
        let graphs = [1, 1, 4, 38, 728];
        let trees = [1, 1, 3, 16, 125];
        for nodes in 1..=5_u32 {
            let all = |network| {
                let family = awake(Arrangements::all(network, nodes).unwrap());
                let seen: BTreeSet<String> = (0..family.len())
                    .map(|number| format!("{:?}", family.get(number).wiring))
                    .collect();
                assert_eq!(seen.len() as u64, family.len(), "each once");
                family.len()
            };
            assert_eq!(all(NetworkClass::Connected), graphs[nodes as usize - 1]);
            assert_eq!(all(NetworkClass::Tree), trees[nodes as usize - 1]);
        }
    }

    #[test]
    fn there_are_as_many_shapes_as_the_encyclopedia_says() {
        // OEIS A001349 and A000055: connected graphs, trees.
        for (nodes, graphs, trees) in
            [(1, 1, 1), (2, 1, 1), (3, 2, 1), (4, 6, 2), (5, 21, 3), (6, 112, 6)]
        {
            let shapes = |network| awake(Arrangements::shapes(network, nodes).unwrap()).len();
            assert_eq!(shapes(NetworkClass::Connected), graphs);
            assert_eq!(shapes(NetworkClass::Tree), trees);
        }
        assert_eq!(awake(Arrangements::shapes(NetworkClass::Tree, 7).unwrap()).len(), 11);
    }

    #[test]
    fn every_set_of_initiators_comes_once() {
        let family = Family::everything(NetworkClass::OrientedRing, 4).unwrap();
        assert_eq!(family.len(), 6 * 15);
        let seen: BTreeSet<_> = (0..family.len())
            .map(|number| {
                let Instance { ids, initiators, .. } = family.get(number);
                assert_eq!(ids[0], Id::new(4));
                (ids, initiators)
            })
            .collect();
        assert_eq!(seen.len(), 90);
    }

    #[test]
    fn orders_that_differ_by_an_automorphism_count_once() {
        // A path of three: its mirror image keeps the ports of the ends, and changes those of the
        // middle, so that all six orders differ.
        let path = Wiring::stored(Adjacency::new(&[vec![1], vec![0, 2], vec![1]]));
        assert_eq!(orders(&path, &[0, 1, 2]), 6);
        // Two nodes are alike.
        let two = Wiring::stored(Adjacency::new(&[vec![1], vec![0]]));
        assert_eq!(orders(&two, &[0, 1]), 1);
        assert_eq!(orders(&Wiring::ring(5), &[0, 1, 2, 3, 4]), 24);
        assert_eq!(orders(&Wiring::complete(5), &[0, 1, 2, 3, 4]), 24);
        assert_eq!(orders(&Wiring::hypercube(3), &[0, 1, 2, 3, 4, 5, 6, 7]), 5040);
    }

    #[test]
    fn an_automorphism_that_moves_an_initiator_makes_no_orders_alike() {
        assert_eq!(orders(&Wiring::ring(5), &[0, 1]), 120);
        assert_eq!(orders(&Wiring::ring(4), &[0, 2]), 12, "half a turn keeps both");
        assert_eq!(orders(&Wiring::complete(3), &[0, 1]), 6);
        // Every port numbering of a complete network, and which identities initiate.
        let ports = Arrangements::every_ports_of_complete(3);
        for (initiators, ways) in [(vec![0], 3), (vec![1, 2], 3), (vec![0, 1, 2], 1)] {
            let initiators = Initiators::These(initiators);
            assert_eq!(Family { initiators, ..awake(ports.clone()) }.len(), 8 * ways);
        }
        // Every graph of three nodes, and every node as the initiator.
        let graphs = Arrangements::all(NetworkClass::Connected, 3).unwrap();
        let family = Family { initiators: Initiators::These(vec![2]), ..awake(graphs) };
        let seen: BTreeSet<u64> =
            (0..family.len()).map(|number| family.get(number).ids[2].get()).collect();
        assert_eq!((family.len(), seen), (4 * 3, BTreeSet::from([1, 2, 3])));
    }

    #[test]
    fn each_class_of_orders_is_listed_once() {
        let paw = Adjacency::new(&[vec![1, 2], vec![0, 2], vec![0, 1, 3], vec![2]]);
        let square = vec![vec![1, 3], vec![0, 2], vec![1, 3], vec![0, 2]];
        let networks = [
            Arrangements::Orders(Wiring::ring(4), Orders::Every),
            Arrangements::Orders(Wiring::complete(4), Orders::Every),
            Arrangements::Orders(Wiring::hypercube(2), Orders::Every),
            Arrangements::Orders(Wiring::stored(paw), Orders::Every),
            Arrangements::Orders(Wiring::ring(4), Orders::asymmetric_labels(4).unwrap()),
            Arrangements::EveryPorts(square, Orders::Every),
            Arrangements::every_ports_of_complete(4),
            Arrangements::Trees(4),
            Arrangements::all(NetworkClass::Connected, 4).unwrap(),
        ];
        // The smallest of an instance under all numberings of its nodes.
        let class = |Instance { wiring, ids, initiators, .. }: Instance| {
            let renamed = |rank| {
                let to = permutation(4, rank);
                let mut nodes = vec![None; 4];
                for node in 0..4_u32 {
                    let ends = (0..wiring.degree(node)).map(|port| {
                        let end = wiring.across(node, Port(port));
                        (to[end.node as usize], end.port.0)
                    });
                    let node = node as usize;
                    let what = (ids[node], initiators.contains(&(node as u32)));
                    nodes[usize::from(to[node])] = Some((what, ends.collect::<Vec<_>>()));
                }
                nodes
            };
            (0..24).map(renamed).min()
        };
        for arrangements in networks {
            for set in 1..16_u32 {
                let nodes = (0..4).filter(|node| set >> node & 1 == 1).collect();
                let initiators = Initiators::These(nodes);
                let some = Family { initiators, ..awake(arrangements.clone()) };
                let every = some.told_apart(true);
                let classes = |family: &Family| -> BTreeSet<_> {
                    let listing = family.listing();
                    (0..listing.len()).map(|number| class(listing.get(number))).collect()
                };
                let (listed, all) = (classes(&some), classes(&every));
                assert_eq!(listed.len() as u64, some.len(), "each once: {arrangements:?}");
                assert_eq!(listed, all, "{arrangements:?}, {set:b}");
            }
        }
    }

    #[test]
    fn random_port_numberings_are_numberings_of_the_same_network() {
        let ids = (1..=5).map(Id::new).collect();
        let of = Box::new(Arrangements::One(Wiring::complete(5), ids));
        let random = awake(Arrangements::RandomPorts { of, numberings: 50, seed: 9 });
        assert_eq!((random.len(), random.nodes()), (50, 5));
        let seen: BTreeSet<String> = (0..50)
            .map(|number| {
                let wiring = random.get(number).wiring;
                for node in 0..5 {
                    let mut others: Vec<u32> =
                        (0..4).map(|port| wiring.across(node, Port(port)).node).collect();
                    others.sort_unstable();
                    assert!((0..5).filter(|&other| other != node).eq(others));
                }
                format!("{wiring:?}")
            })
            .collect();
        assert!(seen.len() > 45, "of 7,962,624 hardly one is drawn twice");
        assert_eq!(format!("{:?}", random.get(7).wiring), format!("{:?}", random.get(7).wiring));
    }

    #[test]
    fn every_port_numbering_of_a_complete_network_comes_once() {
        let ports = awake(Arrangements::every_ports_of_complete(4));
        assert_eq!(ports.len(), 1296);
        let seen: BTreeSet<String> =
            (0..ports.len()).map(|number| format!("{:?}", ports.get(number).wiring)).collect();
        assert_eq!(seen.len(), 1296);
    }
}
