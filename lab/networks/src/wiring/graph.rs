//! Wirings whose neighbours are stored.

use super::{End, rotate};
use crate::generate::Stopped;
use crate::hypercube;
use crate::lattice::Lattice;
use suffrage_model::{NetworkClass, Port};

/// The ends to which the ports of every node lead, in one flat array.
#[derive(Clone, Debug)]
pub struct Adjacency {
    /// The bounds of the lists: `ends[first[node]..first[node + 1]]` are those of `node`.
    first: Vec<u32>,
    ends: Vec<End>,
}

impl Adjacency {
    /// Numbers the ports of each node in the order in which its neighbours are listed.
    ///
    /// # Panics
    /// The same as those of [`flat`](Self::flat).
    #[must_use]
    pub fn new(neighbours: &[Vec<u32>]) -> Self {
        let mut first = vec![0];
        for list in neighbours {
            let end = first[first.len() - 1] as usize + list.len();
            first.push(u32::try_from(end).expect("fewer than 2^32 one-way links"));
        }
        Self::flat(first, &neighbours.concat())
    }

    /// Creates the network like [`new`](Self::new), with all lists in one array: the neighbours of
    /// `node` are `neighbours[first[node]..first[node + 1]]`, so `first` is one longer than there
    /// are nodes.
    ///
    /// Takes time linear in the number of links, and temporarily 16 bytes for each one-way link: 8
    /// that remain, and 8 to find the port of a neighbour that leads back.
    ///
    /// # Panics
    /// If a list names a node twice, names itself or an unknown node, if one of two nodes lists
    /// the other and is not listed by it, or if `first` does not cut `neighbours` into lists.
    #[must_use]
    pub fn flat(first: Vec<u32>, neighbours: &[u32]) -> Self {
        Self::flat_unless(first, neighbours, &|| false).expect("it is never stopped")
    }

    /// Creates the network like [`flat`](Self::flat), unless it is `stopped`, which is asked for every node:
    /// then there is none.
    pub(crate) fn flat_unless(
        first: Vec<u32>,
        neighbours: &[u32],
        stopped: Stopped<'_>,
    ) -> Option<Self> {
        assert_eq!(first.first(), Some(&0), "the first list starts at 0");
        assert_eq!(first.last().map(|&end| end as usize), Some(neighbours.len()));
        let nodes = (first.len() - 1) as u32;
        let list = |node: u32| first[node as usize] as usize..first[node as usize + 1] as usize;

        // The ends that list a node, in ascending order: visiting the nodes in order sorts for free.
        let mut free = first[..nodes as usize].to_vec();
        let mut back = vec![End { node: 0, port: Port(0) }; neighbours.len()];
        for node in 0..nodes {
            if stopped() {
                return None;
            }
            for (port, &to) in (0..).map(Port).zip(&neighbours[list(node)]) {
                assert_ne!(node, to, "a node is not its own neighbour");
                let place = free[to as usize] as usize;
                assert!(list(to).contains(&place), "{to} does not list {node} as well");
                let twice = place > list(to).start && back[place - 1].node == node;
                assert!(!twice, "{node} lists {to} twice");
                back[place] = End { node, port };
                free[to as usize] += 1;
            }
        }

        // `back` of a node is sorted by neighbour, and so is what it lists itself when it is
        // visited from its neighbours in their order: the two agree place by place.
        let mut next = first[..nodes as usize].to_vec();
        let mut ends = vec![End { node: 0, port: Port(0) }; neighbours.len()];
        for node in 0..nodes {
            if stopped() {
                return None;
            }
            for end in &back[list(node)] {
                let from = end.node as usize;
                let answer = back[next[from] as usize];
                assert_eq!(answer.node, node, "neighbours list each other");
                next[from] += 1;
                ends[(first[from] + end.port.0) as usize] = answer;
            }
        }
        Some(Self { first, ends })
    }

    /// Creates the network in which port `p` of node `i` leads to `ends[i][p]`. Unlike a simple
    /// graph it may have links from a node to itself and several between two nodes, as the rings of
    /// one and of two nodes do.
    ///
    /// Takes linear time.
    ///
    /// # Errors
    /// If the ends are not those of a connected network: the first error found.
    pub fn from_ends(ends: &[Vec<End>]) -> Result<Self, EndsError> {
        let at = |End { node, port }: End| ends.get(node as usize)?.get(port.0 as usize).copied();
        if ends.is_empty() {
            return Err(EndsError::Empty);
        }
        let mut first = vec![0];
        for (node, list) in (0..).zip(ends) {
            for (port, &to) in (0..).map(Port).zip(list) {
                let from = End { node, port };
                let back = at(to).ok_or(EndsError::Nowhere { from, to })?;
                if back != from {
                    return Err(EndsError::NotBack { from, to, back });
                }
                if to == from {
                    return Err(EndsError::Itself(from));
                }
            }
            let end = first[first.len() - 1] as usize + list.len();
            first.push(u32::try_from(end).map_err(|_| EndsError::TooMany)?);
        }
        let adjacency = Self { first, ends: ends.concat() };
        match adjacency.unreached() {
            Some(node) => Err(EndsError::Unreached(node)),
            None => Ok(adjacency),
        }
    }

    fn unreached(&self) -> Option<u32> {
        let mut reached = vec![false; self.nodes() as usize];
        reached[0] = true;
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            for port in (0..self.degree(node)).map(Port) {
                let to = self.across(node, port).node;
                if !std::mem::replace(&mut reached[to as usize], true) {
                    open.push(to);
                }
            }
        }
        (0..).zip(reached).find_map(|(node, reached)| (!reached).then_some(node))
    }

    /// Returns whether an algorithm for `network` can run on it; see [`Wiring::fits`](super::Wiring::fits).
    pub(super) fn fits(&self, network: NetworkClass) -> bool {
        let is_around = || {
            (0..self.nodes()).all(|at| self.across(at, Port::NEXT).node == (at + 1) % self.nodes())
        };
        match network {
            NetworkClass::Connected => true,
            NetworkClass::Tree => self.links() / 2 + 1 == self.nodes() as usize,
            NetworkClass::Ring => self.is_ring(),
            NetworkClass::OrientedRing => self.is_ring() && self.is_oriented(),
            NetworkClass::HomonymRing => self.is_ring() && self.is_oriented() && is_around(),
            NetworkClass::Complete => self.is_complete(),
            NetworkClass::OrientedComplete => self.is_complete() && self.is_rotation(),
            NetworkClass::Hypercube => self.words().is_some(),
            NetworkClass::OrientedHypercube => self.is_by_words(),
            NetworkClass::Mesh | NetworkClass::Torus => {
                let list = |node: u32| {
                    let ports = (0..self.degree(node)).map(Port);
                    ports.map(|port| self.across(node, port).node).collect()
                };
                Lattice::of(network, self.nodes(), &list).is_some()
            }
            NetworkClass::OrientedTorus => self.is_by_rows(),
        }
    }

    fn is_ring(&self) -> bool {
        let nodes = self.nodes();
        if nodes == 0 || (0..nodes).any(|node| self.degree(node) != 2) {
            return false;
        }
        // Once around: with two ports everywhere it comes back to where it began.
        let mut steps = 0;
        let mut at = End { node: 0, port: Port(0) };
        loop {
            let to = self.across(at.node, at.port);
            at = End { node: to.node, port: Port(1 - to.port.0) };
            steps += 1;
            if at.node == 0 {
                return steps == nodes;
            }
        }
    }

    fn is_oriented(&self) -> bool {
        (0..self.nodes()).all(|node| self.across(node, Port::NEXT).port == Port::PREVIOUS)
    }

    fn is_complete(&self) -> bool {
        let nodes = self.nodes();
        let mut seen_from = vec![u32::MAX; nodes as usize];
        nodes > 0
            && (0..nodes).all(|node| {
                self.degree(node) == nodes - 1
                    && (0..nodes - 1).map(Port).all(|port| {
                        let to = self.across(node, port).node;
                        let before = std::mem::replace(&mut seen_from[to as usize], node);
                        to != node && before != node
                    })
            })
    }

    /// Returns whether port `p` of node `i` leads to port `nodes - 2 - p` of node `i + p + 1`,
    /// modulo `nodes`; only for a complete network.
    fn is_rotation(&self) -> bool {
        let nodes = self.nodes();
        (0..nodes).all(|node| {
            (0..self.degree(node)).all(|port| {
                let end = End { node: rotate(node, port + 1, nodes), port: Port(nodes - 2 - port) };
                self.across(node, Port(port)) == end
            })
        })
    }

    fn words(&self) -> Option<Vec<u32>> {
        let neighbour = |node, port| self.across(node, Port(port)).node;
        hypercube::words(self.nodes(), |node| self.degree(node), neighbour)
    }

    /// Returns whether it is a hypercube in which a port leads to a port of the same number, by the
    /// bit of that number.
    fn is_by_words(&self) -> bool {
        let Some(words) = self.words() else { return false };
        (0..self.nodes()).all(|node| {
            (0..self.degree(node)).map(Port).all(|port| {
                let end = self.across(node, port);
                let flips = words[node as usize] ^ words[end.node as usize];
                end.port == port && flips == 1 << port.0
            })
        })
    }

    /// Returns whether it is a torus of three rows and columns or more in which ports 0 and 1 lead
    /// to the next and the previous node of a row, ports 2 and 3 of a column.
    fn is_by_rows(&self) -> bool {
        let nodes = self.nodes();
        if (0..nodes).any(|node| self.degree(node) != 4) {
            return false;
        }
        // One step ahead and one down lead to the same node as one down and one ahead: so all nodes
        // move together, and the moves ahead and down make up a commutative group. The network is a
        // torus if the size of the group is the nodes of a row times the nodes of a column.
        let to = |node: u32, port| self.across(node, Port(port));
        let moves = (0..nodes).all(|node| {
            let (ahead, down) = (to(node, 0), to(node, 2));
            let back = [ahead.port, down.port] == [Port(1), Port(3)];
            back && to(ahead.node, 2).node == to(down.node, 0).node
        });
        let around = |port| {
            let mut node = to(0, port).node;
            let mut steps = 1_u64;
            while node != 0 && steps <= u64::from(nodes) {
                (node, steps) = (to(node, port).node, steps + 1);
            }
            steps
        };
        moves && {
            let (columns, rows) = (around(0), around(2));
            rows.min(columns) >= 3 && rows * columns == u64::from(nodes)
        }
    }

    pub(super) fn memory(&self) -> u64 {
        (self.first.len() * size_of::<u32>() + self.ends.len() * size_of::<End>()) as u64
    }

    pub(super) fn nodes(&self) -> u32 {
        (self.first.len() - 1) as u32
    }

    /// Returns the number of one-way links.
    #[must_use]
    pub fn links(&self) -> usize {
        self.ends.len()
    }

    /// Returns the number of ports of a node.
    #[inline]
    #[must_use]
    pub fn degree(&self, node: u32) -> u32 {
        self.first[node as usize + 1] - self.first[node as usize]
    }

    /// The same as [`Wiring::try_across`](super::Wiring::try_across).
    #[inline]
    #[must_use]
    pub fn try_across(&self, node: u32, port: Port) -> Option<End> {
        let ports = self.first[node as usize] as usize..self.first[node as usize + 1] as usize;
        self.ends[ports].get(port.0 as usize).copied()
    }

    fn across(&self, node: u32, port: Port) -> End {
        self.ends[self.first[node as usize] as usize + port.0 as usize]
    }

    /// The same as [`Wiring::link`](super::Wiring::link).
    #[inline]
    #[must_use]
    pub fn link(&self, node: u32, port: Port) -> u64 {
        u64::from(self.first[node as usize] + port.0)
    }
}

/// The reason why ends are not those of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndsError {
    /// There is no node.
    #[error("a network has at least one node")]
    Empty,
    /// A port leads to an end that does not exist.
    #[error("{} leads to {}, which is not there", words(*.from), words(*.to))]
    Nowhere {
        /// The port.
        from: End,
        /// The end that is missing.
        to: End,
    },
    /// The other end of a link leads elsewhere.
    #[error(
        "{} leads to {}, which leads to {} and not back",
        words(*.from), words(*.to), words(*.back)
    )]
    NotBack {
        /// The port.
        from: End,
        /// The end to which it leads.
        to: End,
        /// The end to which that one leads.
        back: End,
    },
    /// A port is its own other end.
    #[error("{} leads to itself; a link has two ends", words(*.0))]
    Itself(End),
    /// The network is not connected.
    #[error("node {0} cannot be reached from node 0; a network is connected")]
    Unreached(u32),
    /// There are 2^32 ends or more.
    #[error("a network has fewer than 2^32 ends of links")]
    TooMany,
}

fn words(End { node, port }: End) -> String {
    format!("port {} of node {node}", port.0)
}

#[cfg(test)]
mod tests;
