//! Stored networks as compressed lists of neighbours.

use crate::generate::lattice;
use crate::random::Key;
use petgraph::unionfind::UnionFind;

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
        let mut first = vec![0_u32; nodes as usize + 1];
        let proper = || links.iter().filter(|(a, b)| a != b);
        for &(a, b) in proper() {
            first[a as usize] += 1;
            first[b as usize] += 1;
        }
        let mut total = 0;
        for end in &mut first {
            total += *end;
            *end = total;
        }
        // Filled from the back: when all are placed, each end has become a beginning.
        let mut neighbours = vec![0; total as usize];
        for &(a, b) in proper() {
            for (from, to) in [(a, b), (b, a)] {
                first[from as usize] -= 1;
                neighbours[first[from as usize] as usize] = to;
            }
        }

        let mut graph = Self { first, neighbours };
        graph.sort();
        graph
    }

    /// Creates the hypercube whose nodes are the words of this many bits.
    pub(crate) fn hypercube(dimension: u32) -> Self {
        Self::new(1 << dimension, &lattice::hypercube(dimension))
    }

    /// Creates the torus of these many rows and columns, whose nodes are numbered row by row.
    pub(crate) fn torus(rows: u32, columns: u32) -> Self {
        Self::new(rows * columns, &lattice::torus(rows, columns))
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
        self.neighbours.len() as u64 / 2
    }

    /// Returns the neighbours of a node, ascending.
    pub(crate) fn neighbours(&self, node: u32) -> &[u32] {
        &self.neighbours[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }

    /// Returns the index at which each node's list begins, and the index at which the last one
    /// ends.
    pub(crate) fn bounds(&self) -> &[u32] {
        &self.first
    }

    /// Returns all lists one after the other, each rotated so that it begins with the first
    /// neighbour after the node itself.
    pub(crate) fn rotated(&self) -> Vec<u32> {
        let mut lists = self.neighbours.clone();
        for node in 0..self.nodes() {
            let smaller = self.neighbours(node).partition_point(|&neighbour| neighbour < node);
            self.list_of(node, &mut lists).rotate_left(smaller);
        }
        lists
    }

    /// Returns all lists one after the other, each in a uniformly random order that depends on the
    /// key and the node alone.
    pub(crate) fn shuffled(&self, key: Key) -> Vec<u32> {
        let mut lists = self.rotated();
        for node in 0..self.nodes() {
            let key = key.at(u64::from(node));
            let list = self.list_of(node, &mut lists);
            for i in (1..list.len()).rev() {
                list.swap(i, key.at(i as u64).below(i as u64 + 1) as usize);
            }
        }
        lists
    }

    fn list_of<'a>(&self, node: u32, lists: &'a mut [u32]) -> &'a mut [u32] {
        &mut lists[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
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

/// Returns whether every node can reach every other one.
pub(crate) fn connected(nodes: u32, links: &[(u32, u32)]) -> bool {
    let mut sets = UnionFind::<u32>::new(nodes as usize);
    let joined = links.iter().filter(|&&(a, b)| sets.union(a, b)).count();
    joined + 1 == nodes as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_and_parallel_links_vanish() {
        let graph = Graph::new(4, &[(2, 1), (1, 2), (3, 3), (0, 1), (2, 1)]);
        let lists: Vec<_> = (0..4).map(|node| graph.neighbours(node)).collect();
        assert_eq!(lists, [&[1][..], &[0, 2], &[1], &[]]);
        assert_eq!((graph.nodes(), graph.links()), (4, 2));
    }

    #[test]
    fn rotation_begins_after_the_node_itself() {
        let graph = Graph::new(4, &[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
        assert_eq!(graph.rotated(), [1, 2, 3, 2, 3, 0, 3, 0, 1, 0, 1, 2]);
    }

    #[test]
    fn components_are_named_by_their_smallest_node() {
        assert_eq!(components(6, &[(5, 1), (4, 2), (1, 3)]), [0, 1, 2, 1, 2, 1]);
        assert!(connected(1, &[]));
        assert!(connected(3, &[(0, 2), (2, 1), (1, 0)]));
        assert!(!connected(3, &[(0, 2), (2, 0)]));
    }

    #[test]
    fn a_node_is_shuffled_the_same_whatever_the_others_are() {
        let key = Key::new(5, "ports");
        let star: Vec<_> = (1..20).map(|leaf| (0, leaf)).collect();
        let (small, large) = (Graph::new(20, &star), {
            let mut links = star.clone();
            links.extend((20..40).map(|leaf| (1, leaf)));
            Graph::new(40, &links)
        });
        assert_eq!(small.shuffled(key)[..19], large.shuffled(key)[..19]);
        assert_ne!(small.shuffled(key), small.rotated());
        assert_ne!(small.shuffled(key), small.shuffled(Key::new(6, "ports")));
    }

    #[test]
    fn nodes_are_shuffled_independently() {
        let links: Vec<_> = (0..20).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
        let lists = Graph::new(20, &links).shuffled(Key::new(1, "ports"));
        let turns: std::collections::BTreeSet<Vec<u32>> = (0..)
            .zip(lists.chunks(19))
            .map(|(node, list)| list.iter().map(|other| (other + 20 - node) % 20).collect())
            .collect();
        assert_eq!(turns.len(), 20, "no two nodes have the same order, as seen from themselves");
    }
}
