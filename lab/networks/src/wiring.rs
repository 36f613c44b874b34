//! Networks with numbered ports, as engines run on them.

mod diameter;
mod feistel;
mod graph;
mod implicit;
mod suits;

use crate::random::Key;
pub(crate) use diameter::{Eccentricities, Found, Reach, Search, diameter};
use feistel::Feistel;
pub use graph::{Adjacency, EndsError};
pub use implicit::{OrientedRing, Rotation};
pub use suffrage_model::End;
use suffrage_model::{NetworkClass, Port};
pub use suits::Unsuited;
pub(crate) use suits::period;

/// A network with numbered ports. Neighbours on implicit networks are computed, not stored:
/// a complete network of any size takes a few words.
#[derive(Clone, Debug)]
pub struct Wiring {
    nodes: u32,
    plan: Plan,
}

/// The numbering of a network's ports: the constructor of [`Wiring`] and its parameters, except for
/// the number of nodes.
#[derive(Clone, Copy, Debug)]
pub enum Numbering<'a> {
    /// The ports of [`Wiring::complete`].
    Complete,
    /// The ports of [`Wiring::complete_shuffled`] with this seed.
    CompleteShuffled(u64),
    /// The ports of [`Wiring::ring`].
    Ring,
    /// The ports of [`Wiring::ring_shuffled`] with this seed.
    RingShuffled(u64),
    /// The ports of [`Wiring::stored`] with these neighbours.
    Stored(&'a Adjacency),
}

// The tag is a byte of its own: an engine reads it for every message.
#[derive(Clone, Debug)]
#[repr(u8)]
enum Plan {
    /// Port `p` of node `i` leads to node `i + p + 1`.
    Rotation,
    /// Port `p` of node `i` leads to node `i + π_i(p) + 1`, with a random permutation `π_i`.
    Shuffled(Feistel, u64),
    /// Port 0 leads to the next node, port 1 to the one before.
    Oriented,
    /// A ring on which a coin of each node decides which of the two ports is which.
    TwoWay(Key, u64),
    /// Neighbours are stored.
    Stored(Adjacency),
}

impl Wiring {
    /// Creates the complete network of `nodes` nodes in which port `p` of node `i` leads to
    /// `i + p + 1` modulo `nodes`.
    #[must_use]
    pub const fn complete(nodes: u32) -> Self {
        Self { nodes, plan: Plan::Rotation }
    }

    /// Creates the complete network of `nodes` nodes in which every node's ports are in a
    /// pseudo-random order of its own, in constant memory.
    #[must_use]
    pub const fn complete_shuffled(nodes: u32, seed: u64) -> Self {
        Self { nodes, plan: Plan::Shuffled(Feistel::new(nodes, seed), seed) }
    }

    /// Creates the oriented ring of `nodes` nodes. A ring of one is a node linked to itself; in a
    /// ring of two, each node is both the next and the previous one of the other.
    #[must_use]
    pub const fn ring(nodes: u32) -> Self {
        Self { nodes, plan: Plan::Oriented }
    }

    /// Creates the ring of `nodes` nodes in which a coin of each node decides whether its port 0 leads
    /// forward or back.
    #[must_use]
    pub const fn ring_shuffled(nodes: u32, seed: u64) -> Self {
        Self { nodes, plan: Plan::TwoWay(Key::new(seed, "ring ports"), seed) }
    }

    /// Creates the hypercube of `2^dimension` nodes in which port `p` of node `i` leads to the node
    /// whose number differs from `i` in bit `p`. Its neighbours are stored.
    ///
    /// # Panics
    /// If there are 2^32 ends of links or more: from dimension 28 on.
    #[must_use]
    pub fn hypercube(dimension: u32) -> Self {
        let nodes = 1_u32 << dimension;
        let first = (0..=nodes).map(|node| node.checked_mul(dimension).expect("fewer than 2^32"));
        let lists = (0..nodes).flat_map(|node| (0..dimension).map(move |bit| node ^ 1 << bit));
        Self::stored(Adjacency::flat(first.collect(), &lists.collect::<Vec<u32>>()))
    }

    /// Creates the torus of `rows` times `columns` nodes, numbered row by row, in which ports 0 and
    /// 1 lead to the next and the previous node of the row, ports 2 and 3 of the column. Its
    /// neighbours are stored.
    ///
    /// # Panics
    /// If there are fewer than three rows or columns, or 2^32 ends of links or more.
    #[must_use]
    pub fn torus(rows: u32, columns: u32) -> Self {
        assert!(rows >= 3 && columns >= 3, "a torus has three rows and columns or more");
        let nodes = rows.checked_mul(columns).filter(|&nodes| nodes < 1 << 30);
        let nodes = nodes.expect("fewer than 2^32 ends of links");
        let lists = (0..nodes).flat_map(|node| {
            let (row, column) = (node / columns, node % columns);
            [
                row * columns + step(column, true, columns),
                row * columns + step(column, false, columns),
                step(row, true, rows) * columns + column,
                step(row, false, rows) * columns + column,
            ]
        });
        let first = (0..=nodes).map(|node| 4 * node).collect();
        Self::stored(Adjacency::flat(first, &lists.collect::<Vec<u32>>()))
    }

    /// Creates a network from stored neighbours.
    #[must_use]
    pub fn stored(adjacency: Adjacency) -> Self {
        Self { nodes: adjacency.nodes(), plan: Plan::Stored(adjacency) }
    }

    /// Returns the numbering of the ports, from which the network was made.
    #[must_use]
    pub const fn numbering(&self) -> Numbering<'_> {
        match &self.plan {
            Plan::Rotation => Numbering::Complete,
            Plan::Shuffled(_, seed) => Numbering::CompleteShuffled(*seed),
            Plan::Oriented => Numbering::Ring,
            Plan::TwoWay(_, seed) => Numbering::RingShuffled(*seed),
            Plan::Stored(adjacency) => Numbering::Stored(adjacency),
        }
    }

    /// Returns the number of nodes.
    #[inline]
    #[must_use]
    pub const fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Returns the number of links, each counted once.
    #[must_use]
    pub fn links(&self) -> u64 {
        let nodes = u64::from(self.nodes);
        match &self.plan {
            Plan::Rotation | Plan::Shuffled(..) => nodes * (nodes - 1) / 2,
            Plan::Oriented | Plan::TwoWay(..) => nodes,
            Plan::Stored(adjacency) => adjacency.links() as u64 / 2,
        }
    }

    /// Returns the memory that the wiring takes, in bytes; 0 where neighbours are computed.
    #[must_use]
    pub fn memory(&self) -> u64 {
        match &self.plan {
            Plan::Stored(adjacency) => adjacency.memory(),
            _ => 0,
        }
    }

    /// Returns whether an algorithm for `network` can run on it as it is wired. A stored network is
    /// assumed to be connected; its creator ensures that. It is examined, in linear time, where a
    /// ring, a complete network, a hypercube, a mesh or a torus is needed; the classes of implicit
    /// networks are known.
    #[must_use]
    pub fn fits(&self, network: NetworkClass) -> bool {
        match (&self.plan, network) {
            (_, NetworkClass::Connected) => true,
            (Plan::Oriented | Plan::TwoWay(..), NetworkClass::Tree) => false,
            (_, NetworkClass::Tree) => self.links() + 1 == u64::from(self.nodes),
            (Plan::Stored(stored), NetworkClass::Ring) => stored.is_ring(),
            (Plan::Stored(stored), NetworkClass::OrientedRing) => {
                stored.is_ring() && stored.is_oriented()
            }
            (Plan::Stored(stored), NetworkClass::HomonymRing) => {
                let next = |node| self.across(node, Port::NEXT).node;
                let in_order = |node: u32| next(node) == (node + 1) % self.nodes;
                stored.is_ring() && stored.is_oriented() && (0..self.nodes).all(in_order)
            }
            (Plan::Stored(stored), NetworkClass::Complete) => stored.is_complete(),
            (Plan::Stored(stored), NetworkClass::OrientedComplete) => {
                stored.is_complete() && stored.is_rotation()
            }
            (Plan::Stored(stored), NetworkClass::Hypercube) => stored.words().is_some(),
            (Plan::Stored(stored), NetworkClass::OrientedHypercube) => stored.is_by_words(),
            (Plan::Stored(stored), NetworkClass::Mesh | NetworkClass::Torus) => {
                stored.lattice(network).is_some()
            }
            (Plan::Stored(stored), NetworkClass::OrientedTorus) => stored.is_by_rows(),
            (Plan::Oriented | Plan::TwoWay(..), NetworkClass::Mesh) => self.nodes == 4,
            (_, NetworkClass::Mesh | NetworkClass::Torus | NetworkClass::OrientedTorus) => false,
            (plan, NetworkClass::Hypercube) => match plan {
                Plan::Oriented | Plan::TwoWay(..) => self.nodes == 4,
                _ => self.nodes <= 2,
            },
            (plan, NetworkClass::OrientedHypercube) => {
                self.nodes <= 2 && matches!(plan, Plan::Rotation | Plan::Shuffled(..))
            }
            (plan, NetworkClass::Ring) => matches!(plan, Plan::Oriented | Plan::TwoWay(..)),
            (plan, NetworkClass::OrientedRing | NetworkClass::HomonymRing) => {
                matches!(plan, Plan::Oriented)
            }
            (plan, NetworkClass::Complete) => matches!(plan, Plan::Rotation | Plan::Shuffled(..)),
            (plan, NetworkClass::OrientedComplete) => matches!(plan, Plan::Rotation),
        }
    }

    /// Returns the number of ports of a node.
    #[inline]
    #[must_use]
    pub fn degree(&self, node: u32) -> u32 {
        match &self.plan {
            Plan::Rotation | Plan::Shuffled(..) => self.nodes - 1,
            Plan::Oriented | Plan::TwoWay(..) => 2,
            Plan::Stored(adjacency) => adjacency.degree(node),
        }
    }

    /// Returns the other end of the link at a port, in constant time.
    ///
    /// # Panics
    /// If the node has no such port; may panic if there is no such node.
    #[inline(always)]
    #[must_use]
    pub fn across(&self, node: u32, port: Port) -> End {
        match self.try_across(node, port) {
            Some(end) => end,
            None => self.no_such_port(node, port),
        }
    }

    #[cold]
    #[inline(never)]
    fn no_such_port(&self, node: u32, port: Port) -> ! {
        let degree = self.degree(node);
        panic!("node {node} has {degree} ports, and none is port {}", port.0)
    }

    /// Returns the other end of the link at a port, or `None` if the node has no such port, in
    /// constant time.
    ///
    /// # Panics
    /// May panic if there is no such node.
    // The check is here, because an engine calls this for every message, and would otherwise have
    // to determine twice what kind of network this is. The parts of many instructions are out of
    // line.
    #[inline(always)]
    #[must_use]
    pub fn try_across(&self, node: u32, port: Port) -> Option<End> {
        match &self.plan {
            Plan::Oriented => OrientedRing { nodes: self.nodes }.try_across(node, port),
            Plan::Rotation => Rotation { nodes: self.nodes }.try_across(node, port),
            Plan::Stored(adjacency) => adjacency.try_across(node, port),
            Plan::Shuffled(..) | Plan::TwoWay(..) => self.across_shuffled(node, port),
        }
    }

    #[inline(never)]
    fn across_shuffled(&self, node: u32, port: Port) -> Option<End> {
        if port.0 >= self.degree(node) {
            return None;
        }
        match &self.plan {
            Plan::Shuffled(feistel, _) => Some(feistel.across(node, port)),
            Plan::TwoWay(key, _) => {
                let forward = (port.0 == 0) ^ flipped(*key, node);
                let to = step(node, forward, self.nodes);
                Some(End { node: to, port: Port(u32::from(forward ^ flipped(*key, to))) })
            }
            Plan::Rotation | Plan::Oriented | Plan::Stored(_) => self.try_across(node, port),
        }
    }

    /// Returns the number of the one-way link that leaves `node` through `port`: unique in the
    /// network, and below [`dense_links`](Self::dense_links) where that is known.
    #[inline]
    #[must_use]
    pub fn link(&self, node: u32, port: Port) -> u64 {
        match &self.plan {
            Plan::Rotation | Plan::Shuffled(..) => Rotation { nodes: self.nodes }.link(node, port),
            Plan::Oriented | Plan::TwoWay(..) => {
                OrientedRing { nodes: self.nodes }.link(node, port)
            }
            Plan::Stored(adjacency) => adjacency.link(node, port),
        }
    }

    /// Returns the number of one-way links, where it grows no faster than the memory that the
    /// network already takes; `None` on complete networks, which have `nodes * (nodes - 1)`.
    #[must_use]
    pub fn dense_links(&self) -> Option<usize> {
        match &self.plan {
            Plan::Rotation | Plan::Shuffled(..) => None,
            Plan::Oriented | Plan::TwoWay(..) => Some(2 * self.nodes as usize),
            Plan::Stored(adjacency) => Some(adjacency.links()),
        }
    }
}

#[inline]
const fn rotate(node: u32, by: u32, nodes: u32) -> u32 {
    let to = node as u64 + by as u64;
    if to >= nodes as u64 { (to - nodes as u64) as u32 } else { to as u32 }
}

#[inline]
const fn step(node: u32, forward: bool, nodes: u32) -> u32 {
    if forward {
        if node + 1 == nodes { 0 } else { node + 1 }
    } else if node == 0 {
        nodes - 1
    } else {
        node - 1
    }
}

#[inline]
const fn flipped(key: Key, node: u32) -> bool {
    key.at(node as u64).bits() & 1 == 1
}

#[cfg(test)]
mod tests;
