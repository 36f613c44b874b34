//! Networks whose neighbours follow from the numbers of their nodes.

use suffrage_model::{NetworkClass, Port};

/// A network that is computed and not stored, apart from its port numbers: it takes a few words, and
/// node numbers have 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A link between every two of these nodes.
    Complete(u64),
    /// A cycle of these nodes. One node is linked to itself, two share two links.
    Ring(u64),
    /// A tree, filled level by level: node `i` has the children `children * i + 1` and so on.
    Tree {
        /// The number of children of a node.
        children: u64,
        /// The number of nodes.
        nodes: u64,
    },
    /// Rows and columns, whose nodes are numbered row by row.
    Lattice {
        /// The nodes from top to bottom.
        rows: Side,
        /// The nodes from left to right.
        columns: Side,
    },
    /// The words of this many bits; those that differ in one bit are linked.
    Hypercube(u32),
}

/// A row or a column of a lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The number of its nodes.
    pub length: u64,
    /// Whether its ends are linked, so that it is a ring.
    pub closed: bool,
}

impl Shape {
    /// Returns the grid of these numbers of rows and columns.
    #[must_use]
    pub const fn grid(rows: u32, columns: u32) -> Self {
        Self::Lattice { rows: Side::open(rows), columns: Side::open(columns) }
    }

    /// Returns the torus of these numbers of rows and columns: those of three nodes or more are closed
    /// to rings.
    #[must_use]
    pub const fn torus(rows: u32, columns: u32) -> Self {
        Self::Lattice { rows: Side::ring(rows), columns: Side::ring(columns) }
    }

    /// Returns the number of nodes; saturating.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        match *self {
            Self::Complete(nodes) | Self::Ring(nodes) | Self::Tree { nodes, .. } => nodes,
            Self::Lattice { rows, columns } => rows.length * columns.length,
            Self::Hypercube(dimension) => match 1_u64.checked_shl(dimension) {
                Some(nodes) => nodes,
                None => u64::MAX,
            },
        }
    }

    /// Returns the number of links, each counted once; saturating. A ring of `n` nodes has `n`, even if
    /// `n` is 1 or 2.
    #[must_use]
    pub const fn links(&self) -> u64 {
        match *self {
            Self::Complete(nodes) => nodes * nodes.saturating_sub(1) / 2,
            Self::Ring(nodes) => nodes,
            Self::Tree { nodes, .. } => nodes.saturating_sub(1),
            Self::Lattice { rows, columns } => {
                let across = rows.length.saturating_mul(columns.links());
                across.saturating_add(columns.length.saturating_mul(rows.links()))
            }
            Self::Hypercube(dimension) => (self.nodes() / 2).saturating_mul(dimension as u64),
        }
    }

    /// Returns the diameter: the greatest distance of two nodes, in links. Takes logarithmic time.
    #[must_use]
    pub fn diameter(&self) -> u64 {
        match self {
            Self::Complete(nodes) => u64::from(*nodes > 1),
            Self::Ring(nodes) => nodes / 2,
            Self::Tree { children: 1, nodes } => nodes - 1,
            Self::Tree { children, nodes } => {
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
            Self::Lattice { rows, columns } => rows.diameter() + columns.diameter(),
            Self::Hypercube(dimension) => u64::from(*dimension),
        }
    }

    /// Returns whether an algorithm for `class` can run on it. `oriented` is whether its ports are
    /// numbered in the order of the neighbours, from the node itself on, which gives a ring and a
    /// complete network their sense of direction. A network that is given otherwise, as `torus:1x9`
    /// gives a ring, is not looked at.
    #[must_use]
    pub fn fits(&self, class: NetworkClass, oriented: bool) -> bool {
        match (self, class) {
            (_, NetworkClass::Connected)
            | (Self::Ring(_), NetworkClass::Ring)
            | (Self::Complete(_), NetworkClass::Complete)
            | (Self::Hypercube(_), NetworkClass::Hypercube)
            | (Self::Ring(4), NetworkClass::Hypercube | NetworkClass::Mesh) => true,
            (_, NetworkClass::Tree) => self.links() + 1 == self.nodes(),
            (Self::Ring(_), NetworkClass::OrientedRing | NetworkClass::HomonymRing)
            | (Self::Complete(_), NetworkClass::OrientedComplete) => oriented,
            // One bit has one direction.
            (Self::Complete(nodes), NetworkClass::Hypercube | NetworkClass::OrientedHypercube) => {
                *nodes <= 2
            }
            (Self::Lattice { rows, columns }, NetworkClass::Mesh) => {
                [rows, columns].iter().all(|side| !side.closed && side.length > 1)
            }
            (Self::Lattice { rows, columns }, NetworkClass::Torus) => rows.closed && columns.closed,
            _ => false,
        }
    }

    /// Returns the number of links of a node; a link from the node to itself counts twice.
    #[inline]
    #[must_use]
    pub fn degree(&self, node: u64) -> u32 {
        match self {
            Self::Complete(nodes) => (nodes - 1) as u32,
            Self::Ring(_) => 2,
            Self::Tree { children, nodes } => {
                let below =
                    (children * node + 1).min(*nodes)..(children * (node + 1) + 1).min(*nodes);
                (below.end - below.start) as u32 + u32::from(node > 0)
            }
            Self::Lattice { rows, columns } => {
                let (row, column) = (node / columns.length, node % columns.length);
                rows.degree(row) + columns.degree(column)
            }
            Self::Hypercube(dimension) => *dimension,
        }
    }

    /// Returns the number of the one-way link that leaves `node` through `port`: the links of nodes
    /// are numbered one after the other.
    #[must_use]
    pub fn link(&self, node: u64, port: Port) -> u64 {
        let before = match self {
            Self::Complete(nodes) => node * (nodes - 1),
            Self::Ring(_) => 2 * node,
            Self::Tree { children, nodes } => {
                (children * node).min(nodes - 1) + node.saturating_sub(1)
            }
            Self::Lattice { rows, columns } => {
                let (row, column) = (node / columns.length, node % columns.length);
                row * columns.before(columns.length)
                    + columns.before(column)
                    + columns.length * rows.before(row)
                    + if row < rows.length { column * u64::from(rows.degree(row)) } else { 0 }
            }
            Self::Hypercube(dimension) => node * u64::from(*dimension),
        };
        before + u64::from(port.0)
    }

    /// Returns a neighbour by its place in the order of the neighbours' numbers, from the node itself
    /// on and around; not for complete networks and rings, whose numberings compute it.
    pub(crate) fn neighbour(&self, node: u64, place: u32) -> u64 {
        match self {
            Self::Tree { children, .. } => {
                let own = self.degree(node) - u32::from(node > 0);
                if place < own {
                    children * node + 1 + u64::from(place)
                } else {
                    (node - 1) / children
                }
            }
            Self::Lattice { rows, columns } => around(node, rows, columns).0[place as usize],
            Self::Hypercube(dimension) => {
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
            Self::Complete(_) | Self::Ring(_) => node,
        }
    }

    /// Returns the place of a neighbour, for [`neighbour`](Self::neighbour).
    pub(crate) fn place(&self, node: u64, neighbour: u64) -> u32 {
        match self {
            Self::Tree { children, .. } if neighbour > node => {
                (neighbour - children * node - 1) as u32
            }
            Self::Tree { .. } => self.degree(node) - 1,
            Self::Lattice { rows, columns } => {
                let (all, count) = around(node, rows, columns);
                all[..count].iter().position(|&other| other == neighbour).unwrap_or_default() as u32
            }
            Self::Hypercube(dimension) => {
                let bit = (node ^ neighbour).trailing_zeros();
                let lower = (node & ((1 << bit) - 1)).count_ones();
                // Before a zero come the zeros below it; before a one all zeros, and the ones above it.
                if neighbour > node { bit - lower } else { *dimension - lower - 1 }
            }
            Self::Complete(_) | Self::Ring(_) => 0,
        }
    }
}

impl Side {
    const fn open(length: u32) -> Self {
        Self { length: length as u64, closed: false }
    }

    const fn ring(length: u32) -> Self {
        Self { length: length as u64, closed: length > 2 }
    }

    const fn links(self) -> u64 {
        if self.closed { self.length } else { self.length.saturating_sub(1) }
    }

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
fn around(node: u64, rows: &Side, columns: &Side) -> ([u64; 4], usize) {
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
