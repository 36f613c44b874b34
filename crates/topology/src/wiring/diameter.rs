//! The diameter of a network.

use super::{Plan, Wiring};
use std::collections::VecDeque;
use suffrage_process::Port;

impl Wiring {
    /// Returns the diameter: the greatest distance of two nodes, in links.
    ///
    /// Takes constant time on implicit networks, linear time on trees, and on other stored networks
    /// the time of a search from every node.
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
                let (end, _) = self.farthest(0);
                self.farthest(end).1
            }
            Plan::Stored(_) => (0..nodes).map(|node| self.farthest(node).1).max().unwrap_or(0),
        }
    }

    /// Returns the node that is farthest from this one, and its distance.
    fn farthest(&self, from: u32) -> (u32, u32) {
        const UNKNOWN: u32 = u32::MAX;
        let mut distance = vec![UNKNOWN; self.nodes() as usize];
        distance[from as usize] = 0;
        let (mut queue, mut last, mut found) = (VecDeque::from([from]), from, 0);
        while let Some(node) = queue.pop_front() {
            (last, found) = (node, found + 1);
            for port in (0..self.degree(node)).map(Port) {
                let to = self.across(node, port).node;
                if distance[to as usize] == UNKNOWN {
                    distance[to as usize] = distance[node as usize] + 1;
                    queue.push_back(to);
                }
            }
        }
        assert_eq!(found, self.nodes(), "a network is connected");
        (last, distance[last as usize])
    }
}

#[cfg(test)]
mod tests {
    use crate::{Ports, Spec, wiring::Wiring};

    #[test]
    fn diameters_are_those_of_the_families() {
        let of = |spec: &str| {
            let spec: Spec = spec.parse().unwrap();
            spec.build(1).unwrap().wire(Ports::Rotation, 1).diameter()
        };
        for (spec, diameter) in [
            ("path:1", 0),
            ("path:10", 9),
            ("star:10", 2),
            ("tree:2:15", 6),
            ("grid:4x5", 7),
            ("hypercube:4", 4),
            ("torus:4x6", 5),
            ("complete:7", 1),
            ("ring:9", 4),
        ] {
            assert_eq!(of(spec), diameter, "{spec}");
        }
        assert_eq!(Wiring::complete(1).diameter(), 0);
        assert_eq!(Wiring::ring(1).diameter(), 0);
    }
}
