//! The diameter of a network.

use super::{Plan, Wiring};
use std::cmp::Reverse;
use suffrage_process::Port;

/// How often a node in the middle is looked for.
const SWEEPS: u32 = 4;

impl Wiring {
    /// Returns the diameter: the greatest distance of two nodes, in links.
    ///
    /// Takes constant time on implicit networks and linear time on trees. On other stored networks it
    /// takes the time of a few searches where few nodes are far from the centre, as in most networks
    /// that grow, in grids and in roads, and where all nodes are alike, as in a torus, that of a search
    /// from every second one. The algorithm is that of P. Crescenzi, R. Grossi, M. Habib, L. Lanzi,
    /// A. Marino, "On computing the diameter of real-world undirected graphs", *Theoretical Computer
    /// Science* 514, 2013, from memory: from a node in the middle, nodes are searched from the farthest
    /// inwards, until two nodes that are nearer could not be as far apart as two that were found.
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
                let is_tree = self.links() + 1 == u64::from(nodes);
                diameter(&mut Whole::new(self), is_tree)
            }
        }
    }
}

/// Searches in breadth on a connected network.
pub(crate) trait Search {
    /// Finds the distances of all nodes from this one.
    fn run(&mut self, from: u32) -> Found;

    /// Notes the distances that were found last.
    fn raise(&mut self);

    /// Returns the first node of those from which no noted search began far away: the greatest of the
    /// noted distances is the least there.
    fn nearest(&mut self) -> u32;

    /// Returns the first of the nodes with the most neighbours.
    fn busiest(&mut self) -> u32;

    /// Keeps the distances that were found last.
    fn keep(&mut self);

    /// Returns the nodes of which this distance was kept.
    fn at(&mut self, distance: u32) -> Vec<u32>;
}

/// What a search has found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    /// The distance of the farthest nodes.
    pub(crate) radius: u32,
    /// The number of these nodes.
    pub(crate) rim: u32,
    /// One of them.
    pub(crate) farthest: u32,
}

/// Returns the diameter of a network, which may be a tree.
pub(crate) fn diameter(search: &mut impl Search, is_tree: bool) -> u32 {
    // In a tree the farthest node from any is an end of a longest path.
    if is_tree {
        let end = search.run(0).farthest;
        return search.run(end).radius;
    }
    let mut middle = (u32::MAX, u32::MAX, 0);
    let (mut from, mut diameter) = (search.busiest(), 0);
    for _ in 0..SWEEPS {
        let found = search.run(from);
        search.raise();
        middle = middle.min((found.radius, found.rim, from));
        diameter = diameter.max(search.run(found.farthest).radius);
        search.raise();
        from = search.nearest();
    }
    let radius = search.run(middle.2).radius;
    search.keep();
    for distance in (0..=radius).rev() {
        for node in search.at(distance) {
            // Two nodes that are this near to the middle, or nearer, are no farther apart.
            if diameter >= 2 * distance {
                return diameter;
            }
            diameter = diameter.max(search.run(node).radius);
        }
    }
    diameter
}

/// Searches in breadth on a network that is here as a whole.
struct Whole<'a> {
    wiring: &'a Wiring,
    /// The distance of each node.
    distance: Vec<u32>,
    /// All nodes in the order of their distance.
    order: Vec<u32>,
    /// From each node the distance of the farthest of those that were searched from.
    least: Vec<u32>,
    /// The distances that were kept, in order, with their nodes.
    kept: Vec<(u32, u32)>,
}

impl<'a> Whole<'a> {
    const UNKNOWN: u32 = u32::MAX;

    fn new(wiring: &'a Wiring) -> Self {
        let nodes = wiring.nodes() as usize;
        let (distance, order) = (vec![Self::UNKNOWN; nodes], Vec::with_capacity(nodes));
        Self { wiring, distance, order, least: vec![0; nodes], kept: Vec::new() }
    }
}

impl Search for Whole<'_> {
    fn run(&mut self, from: u32) -> Found {
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
        Found { radius, rim: far.count() as u32, farthest }
    }

    fn raise(&mut self) {
        for (least, &distance) in self.least.iter_mut().zip(&self.distance) {
            *least = distance.max(*least);
        }
    }

    fn nearest(&mut self) -> u32 {
        let nodes = 0..self.wiring.nodes();
        nodes.min_by_key(|&node| self.least[node as usize]).unwrap_or(0)
    }

    fn busiest(&mut self) -> u32 {
        let nodes = 0..self.wiring.nodes();
        nodes.max_by_key(|&node| (self.wiring.degree(node), Reverse(node))).unwrap_or(0)
    }

    fn keep(&mut self) {
        let distance = |&node: &u32| (self.distance[node as usize], node);
        self.kept = self.order.iter().map(distance).collect();
    }

    fn at(&mut self, distance: u32) -> Vec<u32> {
        let begin = self.kept.partition_point(|&(kept, _)| kept < distance);
        let kept = self.kept[begin..].iter().take_while(|&&(kept, _)| kept == distance);
        kept.map(|&(_, node)| node).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Search, Whole};
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
            "barabasi-albert:80:1",
            "barabasi-albert:80:2",
            "barabasi-albert:300:2",
        ] {
            for seed in 0..40 {
                let wiring = wired(spec, seed);
                let mut search = Whole::new(&wiring);
                let from = |node| search.run(node).radius;
                let greatest = (0..wiring.nodes()).map(from).max();
                assert_eq!(Some(wiring.diameter()), greatest, "{spec}, seed {seed}");
            }
        }
    }

    #[test]
    fn that_of_a_large_network_that_grew_is_found() {
        let wiring = wired("barabasi-albert:100000:2", 1);
        assert!((7..=12).contains(&wiring.diameter()));
    }
}
