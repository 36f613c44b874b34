//! The diameter of a network.

use super::{PortPlan, Wiring};
use std::{cmp::Reverse, mem};
use suffrage_model::{NetworkClass, Port};

/// How often a node in the middle is looked for.
const SWEEPS: u32 = 4;

/// The number of nodes from which one search is made at most: the bits of a word.
const TOGETHER: usize = 64;

/// The classes of networks in which all nodes are equivalent.
const ALIKE: [NetworkClass; 4] =
    [NetworkClass::Ring, NetworkClass::Complete, NetworkClass::Hypercube, NetworkClass::Torus];

impl Wiring {
    /// Returns the diameter: the greatest distance of two nodes, in links.
    ///
    /// Takes constant time on implicit networks. On stored networks it takes the time of one or
    /// more breadth-first searches: one if all nodes are equivalent, and two on trees. On others it
    /// takes a few if few nodes are far from the middle, as in most networks that grow, in grids
    /// and in roads. At worst it takes one for every 64 nodes, as in random regular graphs.
    ///
    /// The algorithm is by P. Crescenzi, R. Grossi, M. Habib, L. Lanzi, A. Marino, "On computing the
    /// diameter of real-world undirected graphs", *Theoretical Computer Science* 514, 2013, from memory.
    /// It takes a node in the middle, and searches from the farthest nodes inwards, until two nearer
    /// nodes cannot be as far apart as two that were found. Here many searches run at once.
    ///
    /// # Panics
    /// If the network is not connected.
    #[must_use]
    pub fn diameter(&self) -> u32 {
        let nodes = self.nodes();
        match self.plan {
            PortPlan::Rotation | PortPlan::Shuffled(..) => u32::from(nodes > 1),
            PortPlan::Oriented | PortPlan::TwoWay(..) => nodes / 2,
            PortPlan::Stored(_) => {
                let mut search = Whole::new(self);
                if ALIKE.iter().any(|&class| self.fits(class)) {
                    return search.run(0).radius;
                }
                let is_tree = self.links() + 1 == u64::from(nodes);
                diameter(&mut search, is_tree)
            }
        }
    }
}

/// Searches in breadth on a connected network.
pub(crate) trait BreadthSearch {
    /// Finds the distances of all nodes from this one.
    fn run(&mut self, from: u32) -> SweepResult;

    /// Finds the greatest distance of any node from any of these, 64 at most. One search serves all of
    /// them, with a bit for each (M. Then and others, "The more the merrier: efficient multi-source
    /// graph traversal", *Proceedings of the VLDB Endowment* 8(4), 2014).
    fn eccentricity(&mut self, sources: &[u32]) -> u32;

    /// Learns from the distances that were found last. The greatest of them is `radius`.
    fn learn(&mut self, radius: u32);

    fn nearest(&mut self) -> u32;

    fn busiest(&mut self) -> u32;

    /// Keeps the distances that were found last.
    fn keep(&mut self);

    /// Returns the nodes at this kept distance that may be farther than `known` from some node, by what
    /// was learned.
    fn at(&mut self, distance: u32, known: u32) -> Vec<u32>;
}

/// What a search has found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SweepResult {
    /// The distance of the farthest nodes.
    pub(crate) radius: u32,
    /// The number of these nodes.
    pub(crate) rim: u32,
    /// One of them.
    pub(crate) farthest: u32,
}

pub(crate) fn diameter(search: &mut impl BreadthSearch, is_tree: bool) -> u32 {
    // In a tree the farthest node from any is an end of a longest path.
    if is_tree {
        let end = search.run(0).farthest;
        return search.run(end).radius;
    }
    let mut middle = (u32::MAX, u32::MAX, 0);
    let (mut from, mut greatest) = (search.busiest(), 0);
    for _ in 0..SWEEPS {
        let found = search.run(from);
        search.learn(found.radius);
        middle = middle.min((found.radius, found.rim, from));
        let radius = search.run(found.farthest).radius;
        search.learn(radius);
        greatest = greatest.max(radius);
        from = search.nearest();
    }
    let radius = search.run(middle.2).radius;
    search.keep();
    for distance in (0..=radius).rev() {
        // Two nodes that are this near to the middle, or nearer, are no farther apart.
        if greatest >= 2 * distance {
            break;
        }
        for sources in search.at(distance, greatest).chunks(TOGETHER) {
            greatest = greatest.max(search.eccentricity(sources));
        }
    }
    greatest
}

/// What is known of the eccentricities of nodes: of the distance of each to the farthest one.
#[derive(Debug)]
pub(crate) struct Eccentricities {
    least: Vec<u32>,
    most: Vec<u32>,
}

impl Eccentricities {
    pub(crate) fn new(nodes: usize) -> Self {
        Self { least: vec![0; nodes], most: vec![u32::MAX; nodes] }
    }

    /// Learns from the distances of the nodes from one, whose own eccentricity is `radius`.
    pub(crate) fn learn(&mut self, distance: &[u32], radius: u32) {
        for ((least, most), &distance) in self.least.iter_mut().zip(&mut self.most).zip(distance) {
            *least = distance.max(*least);
            *most = (radius + distance).min(*most);
        }
    }

    pub(crate) fn least(&self) -> Option<(u32, u32)> {
        self.least.iter().copied().zip(0..).min()
    }

    pub(crate) fn most(&self, node: u32) -> u32 {
        self.most[node as usize]
    }
}

/// What searches from several nodes have reached, with a bit for each search.
#[derive(Debug)]
pub(crate) struct ReachSets {
    seen: Vec<u64>,
    /// What has reached a node last.
    front: Vec<u64>,
    /// What comes to a node in this step.
    next: Vec<u64>,
}

impl ReachSets {
    pub(crate) fn new(nodes: usize) -> Self {
        let none = vec![0; nodes];
        Self { seen: none.clone(), front: none.clone(), next: none }
    }

    /// Begins the search of this bit at a node.
    pub(crate) fn begin(&mut self, node: u32, bit: usize) {
        self.seen[node as usize] |= 1 << bit;
        self.front[node as usize] |= 1 << bit;
    }

    pub(crate) fn at(&self, node: u32) -> u64 {
        self.front[node as usize]
    }

    /// Passes searches on to a node.
    pub(crate) fn pass(&mut self, to: u32, bits: u64) {
        self.next[to as usize] |= bits;
    }

    /// Ends the step. Returns whether anything has reached a node for the first time.
    pub(crate) fn advance(&mut self) -> bool {
        let mut any = 0;
        let nodes = self.seen.iter_mut().zip(&mut self.front).zip(&mut self.next);
        for ((seen, front), next) in nodes {
            *front = mem::take(next) & !*seen;
            *seen |= *front;
            any |= *front;
        }
        any != 0
    }
}

/// Searches in breadth on a network that is here as a whole.
struct Whole<'a> {
    wiring: &'a Wiring,
    /// The distance of each node.
    distance: Vec<u32>,
    /// All nodes in the order of their distance.
    order: Vec<u32>,
    known: Eccentricities,
    /// The distances that were kept, in order, with their nodes.
    kept: Vec<(u32, u32)>,
}

impl<'a> Whole<'a> {
    const UNKNOWN: u32 = u32::MAX;

    fn new(wiring: &'a Wiring) -> Self {
        let nodes = wiring.nodes() as usize;
        let (distance, order) = (vec![Self::UNKNOWN; nodes], Vec::with_capacity(nodes));
        Self { wiring, distance, order, known: Eccentricities::new(nodes), kept: Vec::new() }
    }
}

impl BreadthSearch for Whole<'_> {
    fn run(&mut self, from: u32) -> SweepResult {
        let Self { wiring, distance, order, .. } = self;
        distance.fill(Self::UNKNOWN);
        order.clear();
        distance[from as usize] = 0;
        order.push(from);
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            for port in (0..wiring.degree(node)).map(Port) {
                let to = wiring.across(node, port).node;
                if distance[to as usize] == Self::UNKNOWN {
                    distance[to as usize] = distance[node as usize] + 1;
                    order.push(to);
                }
            }
        }
        assert_eq!(order.len(), distance.len(), "a network is connected");
        let farthest = order.last().copied().unwrap_or(0);
        let radius = distance[farthest as usize];
        let far = order.iter().rev().take_while(|&&node| distance[node as usize] == radius);
        SweepResult { radius, rim: far.count() as u32, farthest }
    }

    fn eccentricity(&mut self, sources: &[u32]) -> u32 {
        let wiring = self.wiring;
        let mut reach = ReachSets::new(wiring.nodes() as usize);
        sources.iter().enumerate().for_each(|(bit, &source)| reach.begin(source, bit));
        for distance in 0.. {
            for node in 0..wiring.nodes() {
                let bits = reach.at(node);
                if bits == 0 {
                    continue;
                }
                for port in (0..wiring.degree(node)).map(Port) {
                    reach.pass(wiring.across(node, port).node, bits);
                }
            }
            if !reach.advance() {
                return distance;
            }
        }
        unreachable!("distances are below the number of nodes")
    }

    fn learn(&mut self, radius: u32) {
        self.known.learn(&self.distance, radius);
    }

    fn nearest(&mut self) -> u32 {
        self.known.least().map_or(0, |(_, node)| node)
    }

    fn busiest(&mut self) -> u32 {
        let nodes = 0..self.wiring.nodes();
        nodes.max_by_key(|&node| (self.wiring.degree(node), Reverse(node))).unwrap_or(0)
    }

    fn keep(&mut self) {
        let distance = |&node: &u32| (self.distance[node as usize], node);
        self.kept = self.order.iter().map(distance).collect();
    }

    fn at(&mut self, distance: u32, known: u32) -> Vec<u32> {
        let begin = self.kept.partition_point(|&(kept, _)| kept < distance);
        let kept = self.kept[begin..].iter().take_while(|&&(kept, _)| kept == distance);
        kept.map(|&(_, node)| node).filter(|&node| self.known.most(node) > known).collect()
    }
}

#[cfg(test)]
mod tests;
