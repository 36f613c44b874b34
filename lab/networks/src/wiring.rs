//! Networks with numbered ports, as engines run on them.

mod diameter;
mod graph;
mod suits;

use crate::permutation::Permutation;
use crate::random::Key;
use crate::shape::Shape;
pub(crate) use diameter::{BreadthSearch, Eccentricities, ReachSets, SweepResult, diameter};
pub use graph::{Adjacency, EndsError};
pub use suffrage_model::End;
use suffrage_model::{NetworkClass, Port};
pub use suits::Unsuited;
pub(crate) use suits::period;

/// A network with numbered ports. Neighbours on implicit networks are computed, not stored:
/// a complete network of any size takes a few words.
#[derive(Clone, Debug)]
pub struct Wiring {
    nodes: u32,
    plan: PortPlan,
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
enum PortPlan {
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
        Self { nodes, plan: PortPlan::Rotation }
    }

    /// Creates the complete network of `nodes` nodes in which every node's ports are in a
    /// pseudo-random order of its own, in constant memory.
    #[must_use]
    pub const fn complete_shuffled(nodes: u32, seed: u64) -> Self {
        Self { nodes, plan: PortPlan::Shuffled(Feistel::new(nodes, seed), seed) }
    }

    /// Creates the oriented ring of `nodes` nodes. A ring of one is a node linked to itself; in a
    /// ring of two, each node is both the next and the previous one of the other.
    #[must_use]
    pub const fn ring(nodes: u32) -> Self {
        Self { nodes, plan: PortPlan::Oriented }
    }

    /// Creates the ring of `nodes` nodes in which a coin of each node decides whether its port 0 leads
    /// forward or back.
    #[must_use]
    pub const fn ring_shuffled(nodes: u32, seed: u64) -> Self {
        Self { nodes, plan: PortPlan::TwoWay(Key::new(seed, "ring ports"), seed) }
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
        Self { nodes: adjacency.nodes(), plan: PortPlan::Stored(adjacency) }
    }

    /// Returns the numbering of the ports, from which the network was made.
    #[must_use]
    pub const fn numbering(&self) -> Numbering<'_> {
        match &self.plan {
            PortPlan::Rotation => Numbering::Complete,
            PortPlan::Shuffled(_, seed) => Numbering::CompleteShuffled(*seed),
            PortPlan::Oriented => Numbering::Ring,
            PortPlan::TwoWay(_, seed) => Numbering::RingShuffled(*seed),
            PortPlan::Stored(adjacency) => Numbering::Stored(adjacency),
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
            PortPlan::Rotation | PortPlan::Shuffled(..) => nodes * (nodes - 1) / 2,
            PortPlan::Oriented | PortPlan::TwoWay(..) => nodes,
            PortPlan::Stored(adjacency) => adjacency.links() as u64 / 2,
        }
    }

    /// Returns the memory that the wiring takes, in bytes; 0 where neighbours are computed.
    #[must_use]
    pub fn memory(&self) -> u64 {
        match &self.plan {
            PortPlan::Stored(adjacency) => adjacency.memory(),
            _ => 0,
        }
    }

    /// Returns whether an algorithm for `network` can run on it. A stored network is assumed to be
    /// connected; its creator ensures that. It is examined, in linear time, if a ring, a complete
    /// network, a hypercube, a mesh or a torus is needed; the classes of implicit networks are
    /// known.
    #[must_use]
    pub fn fits(&self, network: NetworkClass) -> bool {
        let (shape, oriented) = match &self.plan {
            PortPlan::Stored(stored) => return stored.fits(network),
            PortPlan::Rotation => (Shape::Complete(self.nodes.into()), true),
            PortPlan::Shuffled(..) => (Shape::Complete(self.nodes.into()), false),
            PortPlan::Oriented => (Shape::Ring(self.nodes.into()), true),
            PortPlan::TwoWay(..) => (Shape::Ring(self.nodes.into()), false),
        };
        shape.fits(network, oriented)
    }

    /// Returns the number of ports of a node.
    #[inline]
    #[must_use]
    pub fn degree(&self, node: u32) -> u32 {
        match &self.plan {
            PortPlan::Rotation | PortPlan::Shuffled(..) => self.nodes - 1,
            PortPlan::Oriented | PortPlan::TwoWay(..) => 2,
            PortPlan::Stored(adjacency) => adjacency.degree(node),
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
            PortPlan::Oriented => OrientedRing { nodes: self.nodes }.try_across(node, port),
            PortPlan::Rotation => Rotation { nodes: self.nodes }.try_across(node, port),
            PortPlan::Stored(adjacency) => adjacency.try_across(node, port),
            PortPlan::Shuffled(..) | PortPlan::TwoWay(..) => self.across_shuffled(node, port),
        }
    }

    #[inline(never)]
    fn across_shuffled(&self, node: u32, port: Port) -> Option<End> {
        if port.0 >= self.degree(node) {
            return None;
        }
        match &self.plan {
            PortPlan::Shuffled(feistel, _) => Some(feistel.across(node, port)),
            PortPlan::TwoWay(key, _) => {
                let forward = (port.0 == 0) ^ flipped(*key, node);
                let to = step(node, forward, self.nodes);
                Some(End { node: to, port: Port(u32::from(forward ^ flipped(*key, to))) })
            }
            PortPlan::Rotation | PortPlan::Oriented | PortPlan::Stored(_) => {
                self.try_across(node, port)
            }
        }
    }

    /// Returns the number of the one-way link that leaves `node` through `port`: unique in the
    /// network, and below [`dense_links`](Self::dense_links) if that is `Some`.
    #[inline]
    #[must_use]
    pub fn link(&self, node: u32, port: Port) -> u64 {
        match &self.plan {
            PortPlan::Rotation | PortPlan::Shuffled(..) => {
                Rotation { nodes: self.nodes }.link(node, port)
            }
            PortPlan::Oriented | PortPlan::TwoWay(..) => {
                OrientedRing { nodes: self.nodes }.link(node, port)
            }
            PortPlan::Stored(adjacency) => adjacency.link(node, port),
        }
    }

    /// Returns the number of one-way links, if it grows no faster than the memory that the network
    /// already takes; `None` on complete networks, which have `nodes * (nodes - 1)`.
    #[must_use]
    pub fn dense_links(&self) -> Option<usize> {
        match &self.plan {
            PortPlan::Rotation | PortPlan::Shuffled(..) => None,
            PortPlan::Oriented | PortPlan::TwoWay(..) => Some(2 * self.nodes as usize),
            PortPlan::Stored(adjacency) => Some(adjacency.links()),
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

// Implicit networks as types of their own: an engine that is compiled for one of them need not ask,
// for every message, what kind of network it is.

/// The network of [`Wiring::ring`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrientedRing {
    /// The number of nodes.
    pub nodes: u32,
}

impl OrientedRing {
    /// The same as [`Wiring::try_across`].
    #[inline(always)]
    #[must_use]
    pub const fn try_across(self, node: u32, port: Port) -> Option<End> {
        if port.0 < 2 {
            Some(End { node: step(node, port.0 == 0, self.nodes), port: Port(1 - port.0) })
        } else {
            None
        }
    }

    /// The same as [`Wiring::link`].
    #[inline(always)]
    #[must_use]
    pub const fn link(self, node: u32, port: Port) -> u64 {
        2 * node as u64 + port.0 as u64
    }
}

/// The network of [`Wiring::complete`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// The number of nodes.
    pub nodes: u32,
}

impl Rotation {
    /// The same as [`Wiring::try_across`].
    #[inline(always)]
    #[must_use]
    pub const fn try_across(self, node: u32, port: Port) -> Option<End> {
        if port.0 < self.nodes - 1 {
            let back = Port(self.nodes - 2 - port.0);
            Some(End { node: rotate(node, port.0 + 1, self.nodes), port: back })
        } else {
            None
        }
    }

    /// The same as [`Wiring::link`].
    #[inline(always)]
    #[must_use]
    pub const fn link(self, node: u32, port: Port) -> u64 {
        node as u64 * (self.nodes - 1) as u64 + port.0 as u64
    }
}

/// A pseudo-random permutation of `0..nodes - 1` for each node.
#[derive(Clone, Copy, Debug)]
struct Feistel {
    nodes: u32,
    permutation: Permutation,
    key: Key,
}

impl Feistel {
    const fn new(nodes: u32, seed: u64) -> Self {
        let permutation = Permutation::new(nodes.saturating_sub(1) as u64);
        Self { nodes, permutation, key: Key::new(seed, "complete ports") }
    }

    // Out of line: two permutations are a few hundred instructions, and would push everything
    // else in an engine's inner loop out of registers.
    #[inline(never)]
    fn across(&self, node: u32, port: Port) -> End {
        let key = |node: u32| self.key.at(node.into());
        let offset = self.permutation.apply(key(node), port.0.into()) as u32;
        let to = rotate(node, offset + 1, self.nodes);
        let back = u64::from(self.nodes - 2 - offset);
        End { node: to, port: Port(self.permutation.invert(key(to), back) as u32) }
    }
}

#[cfg(test)]
mod tests;
