//! The diameter of a network.

use super::{Plan, Wiring};
use std::{cmp::Reverse, mem};
use suffrage_process::{NetworkClass, Port};

/// How often a node in the middle is looked for.
const SWEEPS: u32 = 4;

/// The number of nodes from which one search is made: the bits of a word.
const TOGETHER: usize = 64;

/// The classes of networks in which all nodes are alike.
const ALIKE: [NetworkClass; 4] =
    [NetworkClass::Ring, NetworkClass::Complete, NetworkClass::Hypercube, NetworkClass::Torus];

impl Wiring {
    /// Returns the diameter: the greatest distance of two nodes, in links.
    ///
    /// Takes constant time on implicit networks. On stored ones it takes the time of one search in
    /// breadth where all nodes are alike, and of two on trees. On others it takes that of some searches
    /// where few nodes are far from the middle, as in most networks that grow, in grids and in roads,
    /// and that of a search for every 64 nodes at worst, as in random regular graphs. The algorithm is
    /// that of P. Crescenzi, R. Grossi, M. Habib, L. Lanzi, A. Marino, "On computing the diameter of
    /// real-world undirected graphs", *Theoretical Computer Science* 514, 2013, from memory: from a node
    /// in the middle, nodes are searched from the farthest inwards, until two nodes that are nearer
    /// could not be as far apart as two that were found. Here many of them are searched at once.
    ///
    /// # Panics
    /// If the network is not connected.
    #[must_use]
    pub fn diameter(&self) -> u32 {
        let nodes = self.nodes();
        match self.plan {
            Plan::Rotation | Plan::Shuffled(..) => u32::from(nodes > 1),
            Plan::Oriented | Plan::TwoWay(..) => nodes / 2,
            Plan::Stored(_) => {
                let mut search = Search::new(self);
                search.run(0);
                if ALIKE.iter().any(|&class| self.fits(class)) {
                    return search.radius();
                }
                // In a tree the farthest node from any is an end of a longest path.
                search.run(search.farthest());
                match self.links() + 1 == u64::from(nodes) {
                    true => search.radius(),
                    false => self.diameter_by_the_middle(search),
                }
            }
        }
    }

    /// Searches from the nodes that are farthest from a node in the middle, and inwards, until two that
    /// are nearer could not be as far apart as two that were found.
    fn diameter_by_the_middle(&self, mut search: Search<'_>) -> u32 {
        let mut known = Eccentricities::new(self.nodes());
        let busiest = (0..self.nodes()).max_by_key(|&node| (self.degree(node), Reverse(node)));
        let mut middle = (u32::MAX, u32::MAX, 0);
        let mut from = busiest.unwrap_or(0);
        for _ in 0..SWEEPS {
            search.run(from);
            known.learn(&search);
            middle = middle.min((search.radius(), search.rim(), from));
            search.run(search.farthest());
            known.learn(&search);
            from = known.least();
        }
        search.run(middle.2);
        let Search { distance, mut order, .. } = search;
        order.reverse();
        order.retain(|&node| known.may_be_greater(node));
        let mut greatest = known.greatest;
        for sources in order.chunks(TOGETHER) {
            if greatest >= 2 * distance[sources[0] as usize] {
                break;
            }
            greatest = greatest.max(self.eccentricity(sources));
        }
        greatest
    }

    /// Returns the greatest distance of any node from any of these sources, [`TOGETHER`] at most: one
    /// search for all of them, of which each has a bit (M. Then and others, "The more the merrier:
    /// efficient multi-source graph traversal", *Proceedings of the VLDB Endowment* 8(4), 2014).
    fn eccentricity(&self, sources: &[u32]) -> u32 {
        let none = vec![0_u64; self.nodes() as usize];
        let (mut seen, mut frontier, mut next) = (none.clone(), none.clone(), none);
        for (bit, &source) in sources.iter().enumerate() {
            seen[source as usize] |= 1 << bit;
            frontier[source as usize] |= 1 << bit;
        }
        for distance in 0.. {
            for node in (0..self.nodes()).filter(|&node| frontier[node as usize] != 0) {
                for port in (0..self.degree(node)).map(Port) {
                    next[self.across(node, port).node as usize] |= frontier[node as usize];
                }
            }
            let mut any = 0;
            for ((seen, frontier), next) in seen.iter_mut().zip(&mut frontier).zip(&mut next) {
                *frontier = mem::take(next) & !*seen;
                *seen |= *frontier;
                any |= *frontier;
            }
            if any == 0 {
                return distance;
            }
        }
        unreachable!("distances are below the number of nodes")
    }
}

/// What is known of the eccentricity of each node: of its distance to the farthest one.
struct Eccentricities {
    least: Vec<u32>,
    most: Vec<u32>,
    /// The greatest that was found.
    greatest: u32,
}

impl Eccentricities {
    fn new(nodes: u32) -> Self {
        let nodes = nodes as usize;
        Self { least: vec![0; nodes], most: vec![u32::MAX; nodes], greatest: 0 }
    }

    /// Learns from the distances of all nodes from one.
    fn learn(&mut self, search: &Search<'_>) {
        let radius = search.radius();
        self.greatest = self.greatest.max(radius);
        let bounds = self.least.iter_mut().zip(&mut self.most);
        for ((least, most), &distance) in bounds.zip(&search.distance) {
            *least = distance.max(*least);
            *most = (radius + distance).min(*most);
        }
    }

    /// Returns a node that may be nearer to all others than any other node.
    fn least(&self) -> u32 {
        let nodes = 0..self.least.len() as u32;
        nodes.min_by_key(|&node| self.least[node as usize]).unwrap_or(0)
    }

    /// Returns whether a node may be farther from another one than two that were found.
    fn may_be_greater(&self, node: u32) -> bool {
        self.most[node as usize] > self.greatest
    }
}

/// A search in breadth.
struct Search<'a> {
    wiring: &'a Wiring,
    /// The distance of each node.
    distance: Vec<u32>,
    /// All nodes in the order of their distance.
    order: Vec<u32>,
}

impl<'a> Search<'a> {
    const UNKNOWN: u32 = u32::MAX;

    fn new(wiring: &'a Wiring) -> Self {
        let nodes = wiring.nodes() as usize;
        Self { wiring, distance: vec![Self::UNKNOWN; nodes], order: Vec::with_capacity(nodes) }
    }

    /// Finds the distances from this node.
    fn run(&mut self, from: u32) {
        let Self { wiring, distance, order } = self;
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
    }

    /// The last node that was found, one of the farthest.
    fn farthest(&self) -> u32 {
        self.order.last().copied().unwrap_or(0)
    }

    /// The distance of the farthest node.
    fn radius(&self) -> u32 {
        self.distance[self.farthest() as usize]
    }

    /// The number of nodes that are as far as the farthest.
    fn rim(&self) -> u32 {
        let radius = self.radius();
        let far = self.order.iter().rev();
        far.take_while(|&&node| self.distance[node as usize] == radius).count() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::Search;
    use crate::{Ports, Spec, wiring::Wiring};

    fn wired(spec: &str, seed: u64) -> Wiring {
        let spec: Spec = spec.parse().unwrap();
        spec.build(seed).unwrap().wire(Ports::Rotation, seed)
    }

    #[test]
    fn diameters_are_those_of_the_families() {
        for (spec, diameter) in [
            ("path:1", 0),
            ("path:10", 9),
            ("star:10", 2),
            ("tree:2:15", 6),
            ("grid:4x5", 7),
            ("grid:300x300", 598),
            ("hypercube:4", 4),
            ("torus:4x6", 5),
            ("torus:5x7", 5),
            ("complete:7", 1),
            ("ring:9", 4),
        ] {
            assert_eq!(wired(spec, 1).diameter(), diameter, "{spec}");
        }
        assert_eq!(Wiring::complete(1).diameter(), 0);
        assert_eq!(Wiring::ring(1).diameter(), 0);
    }

    #[test]
    fn it_is_the_greatest_of_the_distances_from_every_node() {
        for spec in [
            "erdos-renyi:40:0.1",
            "erdos-renyi:60:0.08",
            "erdos-renyi:9:0.4",
            "regular:30:3",
            "regular:50:4",
            "regular:200:3",
            "barabasi-albert:80:1",
            "barabasi-albert:80:2",
            "barabasi-albert:300:2",
        ] {
            for seed in 0..40 {
                let wiring = wired(spec, seed);
                let mut search = Search::new(&wiring);
                let from = |node| {
                    search.run(node);
                    search.radius()
                };
                let greatest = (0..wiring.nodes()).map(from).max();
                assert_eq!(Some(wiring.diameter()), greatest, "{spec}, seed {seed}");
            }
        }
    }

    #[test]
    fn that_of_a_large_network_that_grew_is_found() {
        let wiring = wired("barabasi-albert:100000:2", 1);
        assert_eq!(wiring.diameter(), 10);
    }

    #[test]
    fn where_all_nodes_are_alike_one_is_searched() {
        assert_eq!(wired("torus:400x300", 1).diameter(), 350);
        assert_eq!(wired("hypercube:16", 1).diameter(), 16);
    }
}
