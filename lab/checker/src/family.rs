//! Families of instances, enumerated by number.

pub(crate) mod enumeration;
pub(crate) mod forecast;
mod orders;

pub use enumeration::FamilyTooLarge;
pub use orders::Orders;

use crate::{
    family::{
        enumeration::{factorial, is_connected, neighbours, permutation, renamed, shape, tree},
        orders::Representatives,
    },
    instance::{FaultBudget, Instance, Wake},
};
use std::collections::BTreeSet;
use suffrage_algorithms::{Claims, Rule};
use suffrage_model::{Id, NetworkClass, Port, Timing};
use suffrage_networks::{
    random::{Generator, Key},
    wiring::{Adjacency, Wiring},
};

/// A set of instances, by number: networks, port numberings, identities and sets of initiators. It
/// takes no memory per instance.
///
/// A family assumes no symmetry. Of instances that differ only in the numbers of their nodes, it
/// lists one: instances are left out only where a renaming of the nodes, checked against everything
/// that is fixed (links, ports, initiators), maps them to a listed one. Where nodes differ in more
/// than that, none is left out: see [`nodes_differ`](Self::nodes_differ).
#[derive(Clone, Debug)]
pub struct Family {
    /// The networks with their identities.
    pub arrangements: Arrangements,
    /// The sets of initiators.
    pub initiators: InitiatorSets,
    /// The time at which initiators wake, in every instance.
    pub wake: Wake,
    /// The capacity of links, in every instance; `None` for unbounded links.
    pub capacity: Option<u32>,
    /// The faults that may occur, in every instance.
    pub faults: FaultBudget,
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
pub enum InitiatorSets {
    /// This set of nodes.
    These(Vec<u32>),
    /// Every non-empty set of nodes. Where they wake at any time, a checker explores one instance for all of
    /// them, in which each node [wakes or never does](Wake::AnyTimeOrNever).
    EverySet,
}

/// The maximum number of nodes for which all graphs are listed.
const MOST_GRAPHS: u32 = 6;

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

fn labelled_trees(nodes: u32) -> u64 {
    u64::from(nodes).saturating_pow(nodes.saturating_sub(2))
}

fn at_places(labelled: &[Vec<u32>], ids: &[Id]) -> Vec<Vec<u32>> {
    let label = |id: &Id| (id.get() - 1) as usize;
    let mut node = vec![0; ids.len()];
    for (place, id) in (0..).zip(ids) {
        node[label(id)] = place;
    }
    let list = |id: &Id| labelled[label(id)].iter().map(|&other| node[other as usize]).collect();
    ids.iter().map(list).collect()
}

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

impl InitiatorSets {
    pub(crate) fn len(&self, nodes: u32) -> u64 {
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
            initiators: InitiatorSets::EverySet,
            wake: Wake::AnyTime,
            capacity: None,
            faults: FaultBudget::default(),
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
        let initiators = InitiatorSets::These((0..self.nodes()).collect());
        Self { initiators, wake: Wake::AtStart, ..self }
    }

    /// Creates a family of one instance.
    #[must_use]
    pub fn one(instance: &Instance) -> Self {
        let Instance { wiring, ids, initiators, wake, capacity, faults } = instance.clone();
        Self {
            arrangements: Arrangements::One(wiring, ids),
            initiators: InitiatorSets::These(initiators),
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

    /// Returns the family in which one instance for each network and order contains the executions of every
    /// set of initiators: all its processes wake or never do. There is none in rounds, nor if all wake at the
    /// start, nor if something is claimed of probabilities: a schedule that decides who wakes when it has seen
    /// draws belongs to no set of initiators.
    pub(crate) fn united(&self, timing: Timing, claims: Option<&Claims>) -> Option<Self> {
        let every = self.initiators == InitiatorSets::EverySet && self.wake == Wake::AnyTime;
        let of_chance = |claims: &Claims| {
            let by_rule = matches!(claims.rule, Rule::Chance | Rule::MonteCarlo);
            let sure =
                claims.guarantee().is_sure() && claims.time.is_none_or(|time| time.is_sure());
            by_rule || !sure
        };
        if !every || timing.in_rounds() || claims.is_some_and(of_chance) {
            return None;
        }
        let initiators = InitiatorSets::These((0..self.nodes()).collect());
        Some(Self { initiators, wake: Wake::AnyTimeOrNever, ..self.clone() })
    }

    pub(crate) fn told_apart(&self, differ: bool) -> Self {
        Self { nodes_differ: self.nodes_differ || differ, ..self.clone() }
    }

    pub(crate) fn listing(&self) -> Listing<'_> {
        let fixed = match &self.initiators {
            InitiatorSets::These(nodes) => Some(nodes.as_slice()),
            InitiatorSets::EverySet => None,
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
mod tests;
