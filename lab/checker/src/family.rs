//! Families of instances, enumerated by number.

pub(crate) mod enumeration;
pub(crate) mod forecast;
mod orders;

pub use orders::Orders;

use crate::{
    family::enumeration::{factorial, is_connected, neighbours, permutation, renamed, shape, tree},
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
}

/// Networks with port numberings and identities.
#[derive(Clone, Debug)]
pub enum Arrangements {
    /// One network with one order of identities.
    One(Wiring, Vec<Id>),
    /// One network with every order of the identities 1 to n, up to automorphisms of the network
    /// (ports included).
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
    /// Every tree of this number of nodes, with every identity order: the labelled trees. Ports are
    /// in the order of the neighbours' identities.
    Trees(u32),
    /// The trees of this number of nodes with these numbers among [`Trees`](Self::Trees).
    SomeTrees(u32, Vec<u64>),
    /// Every connected graph of this number of nodes, with every identity order: the labelled
    /// graphs. Ports are in the order of the neighbours' identities.
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
                let wiring = Wiring::hypercube(nodes.ilog2());
                let orders = Orders::of(&wiring)?;
                Ok(Self::Orders(wiring, orders))
            }
            NetworkClass::Complete | NetworkClass::OrientedComplete => {
                Ok(Self::Orders(Wiring::complete(nodes), Orders::LargestFirst(nodes)))
            }
            NetworkClass::OrientedRing | NetworkClass::Ring => {
                Ok(Self::Orders(Wiring::ring(nodes), Orders::LargestFirst(nodes)))
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
                let codes = 0..Self::Trees(nodes).len();
                let new = |&number: &u64| seen.insert(shape(&tree(nodes, number)));
                Self::SomeTrees(nodes, codes.filter(new).collect())
            }
            Self::Orders(wiring, orders) => Self::One(wiring, orders.get(0)),
            same => same,
        })
    }

    /// Returns the complete network with every port numbering. This includes all identity orders,
    /// since its nodes differ in nothing else.
    #[must_use]
    pub fn every_ports_of_complete(nodes: u32) -> Self {
        let others = |node| (0..nodes).filter(|&other| other != node).collect();
        let order = Orders::Listed(vec![(0..nodes as u8).collect()]);
        Self::EveryPorts((0..nodes).map(others).collect(), order)
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

    /// Returns the number of networks; saturating.
    #[must_use]
    pub fn len(&self) -> u64 {
        match self {
            Self::One(..) => 1,
            Self::Orders(_, orders) => orders.len(),
            Self::EveryPorts(lists, orders) => {
                let ways = lists.iter().map(|list| factorial(list.len() as u32));
                ways.fold(orders.len(), u64::saturating_mul)
            }
            Self::RandomPorts { of, numberings, .. } => of.len().saturating_mul(*numberings),
            Self::Trees(nodes) => u64::from(*nodes).saturating_pow(nodes.saturating_sub(2)),
            Self::SomeTrees(_, trees) => trees.len() as u64,
            Self::Graphs(_, graphs) => graphs.len() as u64,
        }
    }

    /// Returns whether there are no networks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn get(&self, number: u64) -> (Wiring, Vec<Id>) {
        let ascending = |nodes: &u32| (1..=u64::from(*nodes)).map(Id::new).collect();
        match self {
            Self::One(wiring, ids) => (wiring.clone(), ids.clone()),
            Self::Orders(wiring, orders) => (wiring.clone(), orders.get(number)),
            Self::EveryPorts(lists, orders) => {
                let mut rest = number;
                let ports = lists.iter().map(|list| {
                    let ways = factorial(list.len() as u32);
                    let order = permutation(list.len() as u32, rest % ways);
                    rest /= ways;
                    order.iter().map(|&place| list[usize::from(place)]).collect()
                });
                let lists: Vec<Vec<u32>> = ports.collect();
                (Wiring::stored(Adjacency::new(&lists)), orders.get(rest))
            }
            Self::RandomPorts { of, numberings, seed } => {
                let (wiring, ids) = of.get(number / numberings);
                let key = Key::new(*seed, "port numberings").at(number % numberings);
                (shuffled(&wiring, &mut Generator::new(key.bits(), "ports")), ids)
            }
            Self::Trees(nodes) => {
                (Wiring::stored(Adjacency::new(&tree(*nodes, number))), ascending(nodes))
            }
            Self::SomeTrees(nodes, trees) => Self::Trees(*nodes).get(trees[number as usize]),
            Self::Graphs(nodes, graphs) => {
                let lists = neighbours(*nodes, graphs[number as usize]);
                (Wiring::stored(Adjacency::new(&lists)), ascending(nodes))
            }
        }
    }
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
        }
    }

    /// Returns the number of nodes of each instance.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.arrangements.nodes()
    }

    /// Returns the number of instances; saturating.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.arrangements.len().saturating_mul(self.initiators.len(self.nodes()))
    }

    /// Returns whether there are no instances.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the instance of this number. Instances on the same network follow one another.
    ///
    /// # Panics
    /// If there is no such instance.
    #[must_use]
    pub fn get(&self, number: u64) -> Instance {
        assert!(number < self.len(), "there are {} instances", self.len());
        let sets = self.initiators.len(self.nodes());
        let (wiring, ids) = self.arrangements.get(number / sets);
        Instance {
            wiring,
            ids,
            initiators: self.initiators.get(self.nodes(), number % sets),
            wake: self.wake,
            capacity: self.capacity,
            faults: self.faults,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_graphs_as_the_encyclopedia_says() {
        // OEIS A001187 and A000272: labelled connected graphs, labelled trees.
        let graphs = [1, 1, 4, 38, 728];
        let trees = [1, 1, 3, 16, 125];
        for nodes in 1..=5_u32 {
            let all = |network| {
                let arrangements = Arrangements::all(network, nodes).unwrap();
                let seen: BTreeSet<String> = (0..arrangements.len())
                    .map(|number| format!("{:?}", arrangements.get(number).0))
                    .collect();
                assert_eq!(seen.len() as u64, arrangements.len(), "each once");
                arrangements.len()
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
            let shapes = |network| Arrangements::shapes(network, nodes).unwrap().len();
            assert_eq!(shapes(NetworkClass::Connected), graphs);
            assert_eq!(shapes(NetworkClass::Tree), trees);
        }
        assert_eq!(Arrangements::shapes(NetworkClass::Tree, 7).unwrap().len(), 11);
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
        assert_eq!(Orders::of(&path).unwrap().len(), 6);
        // Two nodes are alike.
        let two = Wiring::stored(Adjacency::new(&[vec![1], vec![0]]));
        assert_eq!(Orders::of(&two).unwrap().len(), 1);
        assert_eq!(Orders::of(&Wiring::ring(5)).unwrap().len(), 24);
        assert_eq!(Orders::of(&Wiring::complete(5)).unwrap().len(), 24);
    }

    #[test]
    fn random_port_numberings_are_numberings_of_the_same_network() {
        let of = Box::new(Arrangements::One(Wiring::complete(5), Orders::Every(5).get(0)));
        let random = Arrangements::RandomPorts { of, numberings: 50, seed: 9 };
        assert_eq!((random.len(), random.nodes()), (50, 5));
        let seen: BTreeSet<String> = (0..50)
            .map(|number| {
                let wiring = random.get(number).0;
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
        assert_eq!(format!("{:?}", random.get(7).0), format!("{:?}", random.get(7).0));
    }

    #[test]
    fn every_port_numbering_of_a_complete_network_comes_once() {
        let ports = Arrangements::every_ports_of_complete(4);
        assert_eq!(ports.len(), 1296);
        let seen: BTreeSet<String> =
            (0..ports.len()).map(|number| format!("{:?}", ports.get(number).0)).collect();
        assert_eq!(seen.len(), 1296);
    }
}
