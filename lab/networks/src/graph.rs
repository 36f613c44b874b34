//! Stored networks as compressed lists of neighbours.

use crate::ports::PortArrangement;
use petgraph::unionfind::UnionFind;
use std::ops::Range;

/// A simple graph: the neighbours of each node in ascending order, in one array.
///
/// `petgraph::csr::Csr` has this layout, but grows by inserting into the middle; building it from
/// a list of links in any order would take quadratic time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Graph {
    /// The bounds of the lists: `neighbours[first[node]..first[node + 1]]` are those of `node`.
    first: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// Creates the graph of these links, without those from a node to itself, and with one of
    /// several between the same two nodes.
    ///
    /// There must be fewer than 2^31 links, between nodes below `nodes`.
    pub(crate) fn new(nodes: u32, links: &[(u32, u32)]) -> Self {
        let proper = || links.iter().filter(|(a, b)| a != b);
        Self::of_ends(nodes, || proper().flat_map(|&(a, b)| [(a, b), (b, a)]))
    }

    /// Creates the lists of `rows` neighbouring nodes of a graph, numbered from 0: each end is such a
    /// node and a neighbour, which may be one of all nodes. There is one of several equal ends.
    ///
    /// There must be fewer than 2^32 ends.
    pub(crate) fn of_ends<I>(rows: u32, ends: impl Fn() -> I) -> Self
    where
        I: Iterator<Item = (u32, u32)>,
    {
        let mut first = vec![0_u32; rows as usize + 1];
        for (from, _) in ends() {
            first[from as usize] += 1;
        }
        let mut total = 0;
        for end in &mut first {
            total += *end;
            *end = total;
        }
        // Filled from the back: when all are placed, each end has become a beginning.
        let mut neighbours = vec![0; total as usize];
        for (from, to) in ends() {
            first[from as usize] -= 1;
            neighbours[first[from as usize] as usize] = to;
        }

        let mut graph = Self { first, neighbours };
        graph.sort();
        graph
    }

    /// Sorts each list, and removes duplicates from it.
    fn sort(&mut self) {
        let mut kept = 0;
        let mut begin = 0;
        for node in 0..self.first.len() - 1 {
            let end = self.first[node + 1] as usize;
            self.neighbours[begin..end].sort_unstable();
            self.first[node] = kept as u32;
            for at in begin..end {
                let neighbour = self.neighbours[at];
                if at == begin || neighbour != self.neighbours[kept - 1] {
                    self.neighbours[kept] = neighbour;
                    kept += 1;
                }
            }
            begin = end;
        }
        let nodes = self.first.len() - 1;
        self.first[nodes] = kept as u32;
        self.neighbours.truncate(kept);
        self.neighbours.shrink_to_fit();
    }

    pub(crate) fn nodes(&self) -> u32 {
        (self.first.len() - 1) as u32
    }

    pub(crate) fn links(&self) -> u64 {
        self.ends() / 2
    }

    pub(crate) fn ends(&self) -> u64 {
        self.neighbours.len() as u64
    }

    pub(crate) fn neighbours(&self, node: u32) -> &[u32] {
        &self.neighbours[self.list_of(node)]
    }

    pub(crate) fn list_of(&self, node: u32) -> Range<usize> {
        self.first[node as usize] as usize..self.first[node as usize + 1] as usize
    }

    /// Returns the index at which each node's list begins, and the index at which the last one
    /// ends.
    pub(crate) fn bounds(&self) -> &[u32] {
        &self.first
    }

    /// Returns all lists one after the other, each in the order of the ports of its node. The first node
    /// has the number `begin`.
    pub(crate) fn in_order_of_ports(&self, begin: u32, order: PortArrangement) -> Vec<u32> {
        let mut lists = self.neighbours.clone();
        for row in 0..self.nodes() {
            order.arrange(begin + row, self.neighbours(row), &mut lists[self.list_of(row)]);
        }
        lists
    }
}

/// Returns for each node the smallest node that it is connected with: one number for each
/// component.
pub(crate) fn components(nodes: u32, links: &[(u32, u32)]) -> Vec<u32> {
    let mut sets = UnionFind::<u32>::new(nodes as usize);
    for &(a, b) in links {
        sets.union(a, b);
    }
    let mut component = sets.into_labeling();
    // The representatives are any member; the first visited is the smallest.
    let mut smallest = vec![u32::MAX; nodes as usize];
    for (node, representative) in (0..).zip(&mut component) {
        let name = &mut smallest[*representative as usize];
        *name = node.min(*name);
        *representative = *name;
    }
    component
}

pub(crate) fn connected(nodes: u32, links: &[(u32, u32)]) -> bool {
    let mut sets = UnionFind::<u32>::new(nodes as usize);
    let joined = links.iter().filter(|&&(a, b)| sets.union(a, b)).count();
    joined + 1 == nodes as usize
}

#[cfg(test)]
mod tests;
