//! Networks whose neighbours are computed, with 64-bit node numbers.

use crate::{Ports, Spec, random::Key, wiring::Wiring};
use std::fmt;
use suffrage_model::{NetworkClass, Port};

/// A network whose neighbours are computed and not stored, with its ports numbered.
///
/// It has the nodes, ports and link numbers of the [`Wiring`] that
/// [`Spec::build`] and [`Topology::wire`](crate::Topology::wire) make of the same specification, but
/// takes a few words, and may have more nodes than a `Wiring`.
///
/// ```
/// use suffrage_model::Port;
/// use suffrage_networks::{Ports, Spec};
///
/// let torus = Spec::unlimited("torus:100000x100000")?.implicit(Ports::Rotation, 1);
/// let torus = torus.ok_or("no such network")?;
/// assert_eq!(torus.nodes(), 10_000_000_000);
/// let (node, back) = torus.across(5_000_000_000, Port(0)).ok_or("no such port")?;
/// assert_eq!((node, torus.across(node, back)), (5_000_000_001, Some((5_000_000_000, Port(0)))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Implicit {
    spec: Spec,
    ports: Ports,
    seed: u64,
    key: Key,
    shape: Shape,
}

#[derive(Clone, Debug)]
enum Shape {
    /// A complete network: a node has as many ports as there are others, and ports have 32 bits.
    Complete(Wiring),
    Ring {
        nodes: u64,
    },
    /// Node `i` has the children `children * i + 1` and so on.
    Tree {
        children: u64,
        nodes: u64,
    },
    Lattice {
        rows: Line,
        columns: Line,
    },
    Hypercube {
        dimension: u32,
    },
}

/// The greatest number of nodes, so that no sum of links overflows.
const MOST: u64 = 1 << 48;

/// The greatest number of ports of a node that are numbered at random.
const SHUFFLED: u32 = 64;

impl Spec {
    /// Returns the network, its ports numbered, as one whose neighbours are computed; `None` if that is
    /// not possible: for random networks and chordal rings, for those of more than 2^48 nodes, and for
    /// random port numbers where a node of a tree has more than 64 ports.
    ///
    /// Takes constant time and memory.
    #[must_use]
    pub fn implicit(&self, ports: Ports, seed: u64) -> Option<Implicit> {
        if self.size().0 > MOST {
            return None;
        }
        let shape = match *self {
            Self::Complete { nodes } if ports == Ports::Random => {
                Shape::Complete(Wiring::complete_shuffled(nodes, seed))
            }
            Self::Complete { nodes } => Shape::Complete(Wiring::complete(nodes)),
            Self::Ring { nodes } => Shape::Ring { nodes: nodes.into() },
            Self::Path { nodes } => Shape::Tree { children: 1, nodes: nodes.into() },
            Self::Star { nodes } => {
                Shape::Tree { children: u64::from(nodes - 1).max(1), nodes: nodes.into() }
            }
            Self::Tree { children, nodes } => {
                Shape::Tree { children: children.into(), nodes: nodes.into() }
            }
            Self::Grid { rows, columns } => {
                let line = |length: u32| Line { length: length.into(), closed: false };
                Shape::Lattice { rows: line(rows), columns: line(columns) }
            }
            Self::Torus { rows, columns } => {
                let line = |length: u32| Line { length: length.into(), closed: length > 2 };
                Shape::Lattice { rows: line(rows), columns: line(columns) }
            }
            Self::Hypercube { dimension } => Shape::Hypercube { dimension },
            Self::Chordal { .. }
            | Self::RandomTree { .. }
            | Self::Regular { .. }
            | Self::ErdosRenyi { .. }
            | Self::BarabasiAlbert { .. } => return None,
        };
        let wide = matches!(shape, Shape::Tree { children, nodes }
            if children.min(nodes - 1) + u64::from(nodes - 1 > children) > u64::from(SHUFFLED));
        if ports == Ports::Random && wide {
            return None;
        }
        let purpose = match shape {
            Shape::Ring { .. } => "ring ports",
            _ => "ports",
        };
        Some(Implicit { spec: *self, ports, seed, key: Key::new(seed, purpose), shape })
    }
}

impl Implicit {
    /// Returns the number of nodes.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        match &self.shape {
            Shape::Complete(wiring) => wiring.nodes() as u64,
            Shape::Ring { nodes } | Shape::Tree { nodes, .. } => *nodes,
            Shape::Lattice { rows, columns } => rows.length * columns.length,
            Shape::Hypercube { dimension } => 1 << *dimension,
        }
    }

    /// Returns the number of links, each counted once.
    #[must_use]
    pub fn links(&self) -> u64 {
        self.link(self.nodes(), Port(0)) / 2
    }

    /// Returns the specification.
    #[must_use]
    pub const fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Returns the diameter: the greatest distance of two nodes, in links. Takes logarithmic time.
    #[must_use]
    pub fn diameter(&self) -> u64 {
        match &self.shape {
            Shape::Complete(wiring) => wiring.diameter().into(),
            Shape::Ring { nodes } => nodes / 2,
            Shape::Tree { children: 1, nodes } => nodes - 1,
            Shape::Tree { children, nodes } => {
                // The two deepest leaves of different branches of the root.
                let (mut depth, mut level, mut above) = (0, 1, 1);
                while above < *nodes {
                    depth += 1;
                    level *= children;
                    above += level;
                }
                let deepest = nodes + level - above;
                if depth > 0 && deepest <= level / children { 2 * depth - 1 } else { 2 * depth }
            }
            Shape::Lattice { rows, columns } => rows.diameter() + columns.diameter(),
            Shape::Hypercube { dimension } => u64::from(*dimension),
        }
    }

    /// Returns whether an algorithm for `network` can run on it as its ports are numbered. A network
    /// that is given otherwise, as `torus:1x9` gives a ring, is not looked at.
    #[must_use]
    pub fn fits(&self, network: NetworkClass) -> bool {
        match (&self.shape, network) {
            (_, NetworkClass::Connected) | (Shape::Ring { .. }, NetworkClass::Ring) => true,
            (Shape::Complete(wiring), _) => wiring.fits(network),
            (Shape::Ring { .. }, NetworkClass::OrientedRing | NetworkClass::HomonymRing) => {
                self.ports == Ports::Rotation
            }
            (Shape::Ring { .. }, _) => false,
            (_, NetworkClass::Tree) => self.links() + 1 == self.nodes(),
            _ => false,
        }
    }

    /// Returns the number of ports of a node.
    #[inline]
    #[must_use]
    pub fn degree(&self, node: u64) -> u32 {
        match &self.shape {
            Shape::Complete(wiring) => wiring.nodes() - 1,
            Shape::Ring { .. } => 2,
            Shape::Tree { children, nodes } => {
                let below =
                    (children * node + 1).min(*nodes)..(children * (node + 1) + 1).min(*nodes);
                (below.end - below.start) as u32 + u32::from(node > 0)
            }
            Shape::Lattice { rows, columns } => {
                let (row, column) = (node / columns.length, node % columns.length);
                rows.degree(row) + columns.degree(column)
            }
            Shape::Hypercube { dimension } => *dimension,
        }
    }

    /// Returns the other end of the link at a port, or `None` if the node has no such port. Takes
    /// constant time, or time linear in the degrees of both nodes where ports are numbered at random.
    #[inline]
    #[must_use]
    pub fn across(&self, node: u64, port: Port) -> Option<(u64, Port)> {
        if port.0 >= self.degree(node) {
            return None;
        }
        match &self.shape {
            Shape::Complete(wiring) => {
                let end = wiring.across(node as u32, port);
                Some((end.node.into(), end.port))
            }
            Shape::Ring { nodes } => {
                let flipped =
                    |node: u64| self.ports == Ports::Random && self.key.at(node).bits() & 1 == 1;
                let forward = (port.0 == 0) ^ flipped(node);
                let to = match forward {
                    true if node + 1 == *nodes => 0,
                    true => node + 1,
                    false if node == 0 => nodes - 1,
                    false => node - 1,
                };
                Some((to, Port(u32::from(forward ^ flipped(to)))))
            }
            _ if self.ports == Ports::Rotation => {
                let to = self.neighbour(node, port.0);
                Some((to, Port(self.place(to, node))))
            }
            _ => {
                let to = self.neighbour(node, self.order(node)[port.0 as usize].into());
                let place = self.place(to, node);
                let back = self.order(to).iter().position(|&at| u32::from(at) == place);
                Some((to, Port(back.unwrap_or_default() as u32)))
            }
        }
    }

    /// Returns the number of the one-way link that leaves `node` through `port`: the links of nodes
    /// are numbered one after the other.
    #[must_use]
    pub fn link(&self, node: u64, port: Port) -> u64 {
        let before = match &self.shape {
            Shape::Complete(wiring) => node * u64::from(wiring.nodes() - 1),
            Shape::Ring { .. } => 2 * node,
            Shape::Tree { children, nodes } => {
                (children * node).min(nodes - 1) + node.saturating_sub(1)
            }
            Shape::Lattice { rows, columns } => {
                let (row, column) = (node / columns.length, node % columns.length);
                row * columns.before(columns.length)
                    + columns.before(column)
                    + columns.length * rows.before(row)
                    + if row < rows.length { column * u64::from(rows.degree(row)) } else { 0 }
            }
            Shape::Hypercube { dimension } => node * u64::from(*dimension),
        };
        before + u64::from(port.0)
    }

    /// Returns the number of one-way links of these nodes, where it grows no faster than their number;
    /// `None` on complete networks.
    #[must_use]
    pub fn dense_links(&self) -> Option<u64> {
        match &self.shape {
            Shape::Complete(_) => None,
            _ => Some(self.link(self.nodes(), Port(0))),
        }
    }

    fn neighbour(&self, node: u64, place: u32) -> u64 {
        match &self.shape {
            Shape::Tree { children, .. } => {
                let own = self.degree(node) - u32::from(node > 0);
                if place < own {
                    children * node + 1 + u64::from(place)
                } else {
                    (node - 1) / children
                }
            }
            Shape::Lattice { rows, columns } => around(node, rows, columns).0[place as usize],
            Shape::Hypercube { dimension } => {
                // Zeros become ones, from the lowest; then ones become zeros, from the highest.
                let zeros = *dimension - node.count_ones();
                let mut bits = (0..*dimension).filter(|bit| node >> bit & 1 == 0);
                let mut ones = (0..*dimension).rev().filter(|bit| node >> bit & 1 == 1);
                let bit = match place.checked_sub(zeros) {
                    None => bits.nth(place as usize),
                    Some(place) => ones.nth(place as usize),
                };
                node ^ 1 << bit.unwrap_or_default()
            }
            Shape::Complete(_) | Shape::Ring { .. } => node,
        }
    }

    fn place(&self, node: u64, neighbour: u64) -> u32 {
        match &self.shape {
            Shape::Tree { children, .. } if neighbour > node => {
                (neighbour - children * node - 1) as u32
            }
            Shape::Tree { .. } => self.degree(node) - 1,
            Shape::Lattice { rows, columns } => {
                let (all, count) = around(node, rows, columns);
                all[..count].iter().position(|&other| other == neighbour).unwrap_or_default() as u32
            }
            Shape::Hypercube { dimension } => {
                let bit = (node ^ neighbour).trailing_zeros();
                let lower = (node & ((1 << bit) - 1)).count_ones();
                // Before a zero come the zeros below it; before a one all zeros, and the ones above it.
                if neighbour > node { bit - lower } else { *dimension - lower - 1 }
            }
            Shape::Complete(_) | Shape::Ring { .. } => 0,
        }
    }

    fn order(&self, node: u64) -> [u8; SHUFFLED as usize] {
        let key = self.key.at(node);
        let mut order = std::array::from_fn(|place| place as u8);
        for i in (1..u64::from(self.degree(node))).rev() {
            order.swap(i as usize, key.at(i).below(i + 1) as usize);
        }
        order
    }
}

/// A row or a column of a lattice.
#[derive(Clone, Copy, Debug)]
struct Line {
    length: u64,
    closed: bool,
}

impl Line {
    const fn diameter(self) -> u64 {
        if self.closed { self.length / 2 } else { self.length - 1 }
    }

    const fn degree(self, at: u64) -> u32 {
        match (self.closed, self.length) {
            (true, _) => 2,
            (false, length) => (at > 0) as u32 + (at + 1 < length) as u32,
        }
    }

    const fn before(self, count: u64) -> u64 {
        match (self.closed, count) {
            (_, 0) => 0,
            (true, _) => 2 * count,
            (false, _) => 2 * count - 1 - (count == self.length) as u64,
        }
    }

    const fn beside(self, at: u64) -> [Option<u64>; 2] {
        let before = match at {
            0 if self.closed => Some(self.length - 1),
            0 => None,
            _ => Some(at - 1),
        };
        let after = match at + 1 == self.length {
            true if self.closed => Some(0),
            true => None,
            false => Some(at + 1),
        };
        [before, after]
    }
}

/// Returns the neighbours of a node of a lattice, in the order that begins after the node itself, and
/// their number.
fn around(node: u64, rows: &Line, columns: &Line) -> ([u64; 4], usize) {
    let (row, column) = (node / columns.length, node % columns.length);
    let (mut all, mut count) = ([0; 4], 0);
    let across = columns.beside(column).map(|at| Some(row * columns.length + at?));
    let along = rows.beside(row).map(|at| Some(at? * columns.length + column));
    for other in across.into_iter().chain(along).flatten() {
        all[count] = other;
        count += 1;
    }
    all[..count].sort_unstable_by_key(|other| other.wrapping_sub(node));
    (all, count)
}

impl fmt::Display for Implicit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.spec)?;
        match self.ports {
            Ports::Rotation => Ok(()),
            Ports::Random => write!(f, ", ports random, seed {}", self.seed),
        }
    }
}

#[cfg(test)]
mod tests;
