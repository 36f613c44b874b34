//! Random instances.

use crate::instance::{FaultBudget, Instance, Wake};
use std::ops::RangeInclusive;
use suffrage_algorithms::{Claims, Parameters};
use suffrage_model::{Id, NetworkClass, Port};
use suffrage_networks::{
    Ids,
    random::{Generator, Key},
    wiring::{Adjacency, Wiring},
};

/// A distribution of instances: random networks of a class, with random port numberings,
/// identities and initiators.
///
/// The size is uniform among those that the class has. Half of the connected graphs are sparse;
/// trees include paths and stars. Three quarters of the port numberings are random, where the class
/// leaves them open. Identities are a random order of 1 to n, or [labels](Ids::Homonyms) of any
/// multiplicity where they may be equal. In a third of the instances every
/// process is an initiator, in a third only one is.
#[derive(Clone, Debug)]
pub struct RandomInstances {
    /// The class of the networks.
    pub network: NetworkClass,
    /// The numbers of nodes, at most [`MAX_NODES`](crate::MAX_NODES). Only sizes [of the
    /// class](NetworkClass::has_size) are drawn.
    pub nodes: RangeInclusive<u32>,
    /// The time at which initiators wake; `None` for either.
    pub wake: Option<Wake>,
    /// The capacity of links; `None` for unbounded links.
    pub capacity: Option<RangeInclusive<u32>>,
    /// The faults that may occur in each instance.
    pub faults: FaultBudget,
    /// The second tier, if there is one. Without it, the other instances are the same.
    pub second_tier: Option<SecondTier>,
}

/// A second tier of instances: of each 64 instances in a row the last eight, one for each of the eight
/// [schedulers](crate::SampleScheduler::ALL).
///
/// In it are the sizes at which representations change, and the orders that chance hardly ever draws: identities that
/// ascend, descend, or alternate at every scale.
#[derive(Clone, Debug)]
pub struct SecondTier {
    /// The numbers of nodes of every fourth eight, at most [`MAX_SAMPLED_NODES`](crate::MAX_SAMPLED_NODES). The others
    /// have as many nodes as those of the first tier.
    pub nodes: RangeInclusive<u32>,
    /// Around which numbers half of the identities are. The others are those from 1 on.
    pub wide_ids: WideIds,
}

/// The numbers around which [half of the identities](SecondTier::wide_ids) are: on both sides of one at which a
/// representation changes, as far as elections with such identities end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WideIds {
    /// 2^31, 2^32 and 2^63, or the last below 2^64: no cost depends on identities.
    Powers,
    /// 2^32 / n: the time is an identity times the number of processes, and the number of messages is not.
    Products,
    /// 32, with up to 16 nodes: costs may be exponential, as a shift by the identity is.
    Shifts,
}

impl WideIds {
    /// Returns those with which elections end, if this is claimed.
    #[must_use]
    pub fn of(claims: &Claims) -> Self {
        let with = |winner| Parameters { largest: winner, winner, ..Parameters::new(8, 8, 8) };
        let time = |winner| claims.time.map_or(0, |time| time.at(&with(winner)));
        let wide = 1 << 29;
        if !claims.depends_on_identities() {
            Self::Powers
        } else if claims.bound(&with(wide)) == claims.bound(&with(8)) && time(wide) >> 34 == 0 {
            Self::Products
        } else {
            Self::Shifts
        }
    }
}

impl RandomInstances {
    /// Creates instances of this class and size, without faults, with unbounded links.
    #[must_use]
    pub fn new(network: NetworkClass, nodes: RangeInclusive<u32>) -> Self {
        let faults = FaultBudget::default();
        Self { network, nodes, wake: None, capacity: None, faults, second_tier: None }
    }

    /// Returns the same instances with this number of nodes.
    pub(crate) fn of_size(&self, nodes: u32) -> Self {
        let tier = self.second_tier.clone();
        let second_tier = tier.map(|tier| SecondTier { nodes: nodes..=nodes, ..tier });
        Self { nodes: nodes..=nodes, second_tier, ..self.clone() }
    }

    /// Returns the instance of this number under this seed.
    ///
    /// # Panics
    /// If the class has no network of these sizes, or the range begins with 0.
    #[must_use]
    pub fn get(&self, seed: u64, number: u64) -> Instance {
        let key = Key::new(seed, "instances").at(number);
        let mut random = Generator::new(key.bits(), "instance");
        let tier = self.second_tier.as_ref().filter(|_| number % 64 >= 56);
        let sizes = tier
            .filter(|_| (number / 64).is_multiple_of(4))
            .map_or(&self.nodes, |tier| &tier.nodes);
        let nodes = size(self.network, sizes, &mut random);
        let wiring = network(self.network, nodes, tier.is_some(), &mut random);
        let ids = match (self.network, tier) {
            (NetworkClass::HomonymRing, _) => {
                let most = 1 + random.below(nodes.into()) as u32;
                Ids::Homonyms(most).assign(nodes, random.below(u64::MAX))
            }
            (_, Some(tier)) => tier.ids(nodes, &mut random),
            (_, None) => {
                let mut ids: Vec<Id> = (1..=u64::from(nodes)).map(Id::new).collect();
                random.shuffle(&mut ids);
                ids
            }
        };
        let count = match random.below(3) {
            0 => nodes,
            1 => 1,
            _ => 1 + random.below(nodes.into()) as u32,
        };
        let mut initiators: Vec<u32> = (0..nodes).collect();
        random.shuffle(&mut initiators);
        initiators.truncate(count as usize);
        initiators.sort_unstable();
        let wake = self.wake.unwrap_or(match random.below(4) {
            0 => Wake::AtStart,
            _ => Wake::AnyTime,
        });
        let capacity = self.capacity.as_ref().map(|range| between(range, &mut random));
        Instance { wiring, ids, initiators, wake, capacity, faults: self.faults }
    }
}

impl SecondTier {
    fn ids(&self, nodes: u32, random: &mut Generator) -> Vec<Id> {
        let orders = [Ids::Ascending, Ids::Descending, Ids::BitReversed, Ids::Random];
        let order = orders[random.below(orders.len() as u64) as usize];
        let ids = order.assign(nodes, random.below(u64::MAX));
        let half = u64::from(nodes / 2);
        let powers = [31, 32, 63].map(|bits| (1 << bits) - half);
        let before = [powers[0], powers[1], powers[2], u64::MAX - u64::from(nodes)];
        let before = match self.wide_ids {
            _ if random.below(2) > 0 => 0,
            WideIds::Powers => before[random.below(before.len() as u64) as usize],
            WideIds::Products => (1 << 32) / u64::from(nodes) - half,
            WideIds::Shifts if nodes <= FEW => 32 - half,
            WideIds::Shifts => 0,
        };
        ids.into_iter().map(|id| Id::new(before + id.get())).collect()
    }
}

/// The most nodes whose identities may be around 32 where the cost depends on identities: it may be exponential.
const FEW: u32 = 16;

/// The number of nodes above which graphs are sparse. (Instances of the first tier have fewer by default.)
const DENSE: u32 = 32;

fn between(range: &RangeInclusive<u32>, random: &mut Generator) -> u32 {
    range.start() + random.below(u64::from(range.end() - range.start()) + 1) as u32
}

fn size(class: NetworkClass, range: &RangeInclusive<u32>, random: &mut Generator) -> u32 {
    assert!(*range.start() > 0, "a network has at least one node");
    let sizes: Vec<u32> = range.clone().filter(|&nodes| class.has_size(nodes)).collect();
    assert!(!sizes.is_empty(), "{class:?} has no network of {range:?} nodes");
    sizes[random.below(sizes.len() as u64) as usize]
}

/// Draws a network. `in_order` says whether the numbers of its nodes, and so identities in order, say where they are.
fn network(class: NetworkClass, nodes: u32, in_order: bool, random: &mut Generator) -> Wiring {
    let every = |random: &mut Generator| {
        let others = |node| (0..nodes).filter(|&other| other != node).collect();
        numbered((0..nodes).map(others).collect(), random)
    };
    match class {
        NetworkClass::OrientedRing | NetworkClass::HomonymRing => Wiring::ring(nodes),
        NetworkClass::OrientedComplete => Wiring::complete(nodes),
        NetworkClass::OrientedHypercube => Wiring::hypercube(nodes.ilog2()),
        NetworkClass::Hypercube => renumbered(&Wiring::hypercube(nodes.ilog2()), random),
        NetworkClass::OrientedTorus => {
            let (rows, columns) = lattice(class, nodes, random);
            Wiring::torus(rows, columns)
        }
        NetworkClass::Torus => {
            let (rows, columns) = lattice(class, nodes, random);
            renumbered(&Wiring::torus(rows, columns), random)
        }
        NetworkClass::Mesh => {
            let (rows, columns) = lattice(class, nodes, random);
            let near = |node: u32, other: u32| {
                let (row, column) = (node / columns, node % columns);
                row.abs_diff(other / columns) + column.abs_diff(other % columns) == 1
            };
            debug_assert_eq!(rows * columns, nodes);
            let list = |node| (0..nodes).filter(|&other| near(node, other)).collect();
            numbered((0..nodes).map(list).collect(), random)
        }
        // The smallest networks have one port numbering, or links that an adjacency list cannot
        // express.
        NetworkClass::Ring if nodes < 3 => Wiring::ring(nodes),
        NetworkClass::Complete if nodes < 3 => Wiring::complete(nodes),
        NetworkClass::Ring => {
            let around = |node| vec![(node + 1) % nodes, (node + nodes - 1) % nodes];
            numbered((0..nodes).map(around).collect(), random)
        }
        NetworkClass::Complete => every(random),
        NetworkClass::Tree => numbered(graph(nodes, 0, in_order, random), random),
        NetworkClass::Connected => {
            // Expected links beside those of a spanning tree, in percent of all pairs.
            let percent = match random.below(8) {
                // A star has as many ports as a dense graph, and takes a hundredth of the time.
                dense if nodes > DENSE && dense > 3 => 1 + 200 / u64::from(nodes),
                _ if nodes > DENSE => 0,
                0 => 0,
                1 => 100,
                2..=5 => 1 + 200 / u64::from(nodes),
                _ => 1 + random.below(100),
            };
            numbered(graph(nodes, percent, in_order, random), random)
        }
    }
}

fn lattice(class: NetworkClass, nodes: u32, random: &mut Generator) -> (u32, u32) {
    let (rows, columns) = class.rows_and_columns(nodes).unwrap_or((1, nodes));
    if random.below(2) == 0 { (rows, columns) } else { (columns, rows) }
}

fn renumbered(wiring: &Wiring, random: &mut Generator) -> Wiring {
    let ports = |node| (0..wiring.degree(node)).map(Port);
    let list = |node| ports(node).map(|port| wiring.across(node, port).node).collect();
    numbered((0..wiring.nodes()).map(list).collect(), random)
}

/// Returns a spanning tree with random names, unless they are in order, and every other link with this probability in
/// percent.
fn graph(nodes: u32, percent: u64, in_order: bool, random: &mut Generator) -> Vec<Vec<u32>> {
    let mut names: Vec<u32> = (0..nodes).collect();
    if !in_order {
        random.shuffle(&mut names);
    }
    // Only paths are long and only stars have many ports, if nodes are many.
    let shape = random.below(if nodes > DENSE && percent == 0 { 3 } else { 8 });
    let mut linked = vec![vec![false; nodes as usize]; nodes as usize];
    let mut link = |a: usize, b: usize| {
        let (a, b) = (names[a] as usize, names[b] as usize);
        (linked[a][b], linked[b][a]) = (true, true);
    };
    for node in 1..nodes as usize {
        let parent = match shape {
            0 => node - 1,
            1 => 0,
            _ => random.below(node as u64) as usize,
        };
        link(parent, node);
        for other in 0..node {
            if percent > 0 && random.below(100) < percent {
                link(other, node);
            }
        }
    }
    let list = |row: &Vec<bool>| (0..nodes).filter(|&node| row[node as usize]).collect();
    linked.iter().map(list).collect()
}

/// Numbers the ports of a network, three times out of four at random.
fn numbered(mut lists: Vec<Vec<u32>>, random: &mut Generator) -> Wiring {
    if random.below(4) > 0 {
        lists.iter_mut().for_each(|list| random.shuffle(list));
    }
    Wiring::stored(Adjacency::new(&lists))
}
