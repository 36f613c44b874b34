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
            // In a tree the farthest node from any is an end of a longest path.
            Plan::Stored(_) if self.links() + 1 == u64::from(nodes) => {
                let mut search = Search::new(self);
                search.run(0);
                search.run(search.farthest());
                search.radius()
            }
            Plan::Stored(_) => self.diameter_by_the_middle(),
        }
    }

    fn diameter_by_the_middle(&self) -> u32 {
        let mut search = Search::new(self);
        let busiest = (0..self.nodes()).max_by_key(|&node| (self.degree(node), Reverse(node)));
        // From each node the distance of the farthest of those that were searched: no node is nearer to all.
        let mut least = vec![0; self.nodes() as usize];
        let mut middle = (u32::MAX, u32::MAX, 0);
        let (mut from, mut found) = (busiest.unwrap_or(0), 0);
        for _ in 0..SWEEPS {
            search.run(from);
            search.raise(&mut least);
            middle = middle.min((search.radius(), search.rim(), from));
            search.run(search.farthest());
            search.raise(&mut least);
            found = found.max(search.radius());
            from = (0..self.nodes()).min_by_key(|&node| least[node as usize]).unwrap_or(0);
        }
        search.run(middle.2);
        let inwards: Vec<(u32, u32)> =
            search.order.iter().rev().map(|&node| (search.distance[node as usize], node)).collect();
        for (distance, node) in inwards {
            // Two nodes that are this near to the middle, or nearer, are no farther apart.
            if found >= 2 * distance {
                break;
            }
            search.run(node);
            found = found.max(search.radius());
        }
        found
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

    /// Raises these numbers to the distances of the nodes.
    fn raise(&self, least: &mut [u32]) {
        for (least, &distance) in least.iter_mut().zip(&self.distance) {
            *least = distance.max(*least);
        }
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
        assert!((7..=12).contains(&wiring.diameter()));
    }
}
