//! Stored neighbours.

use super::End;
use suffrage_process::Port;

/// For every node the ends that its ports lead to, in one flat array.
#[derive(Clone, Debug)]
pub struct Adjacency {
    /// `ends[first[node]..first[node + 1]]` are those of `node`.
    first: Vec<u32>,
    ends: Vec<End>,
}

impl Adjacency {
    /// Numbers the ports of each node in the order in which its neighbours are listed.
    ///
    /// Takes time and memory linear in the number of links, times a logarithm of the degree.
    ///
    /// # Panics
    /// If a list names a node twice, names itself or an unknown node, if one of two nodes lists
    /// the other and is not listed by it, or if there are 2^32 one-way links or more.
    #[must_use]
    pub fn new(neighbours: &[Vec<u32>]) -> Self {
        let mut first = Vec::with_capacity(neighbours.len() + 1);
        let mut total = 0_u32;
        first.push(0);
        for list in neighbours {
            total = u32::try_from(list.len())
                .ok()
                .and_then(|len| total.checked_add(len))
                .expect("fewer than 2^32 one-way links");
            first.push(total);
        }
        // Ports of each node in the order of the neighbours' numbers: who asks "which of your
        // ports leads to me?" finds it by bisection.
        let sorted: Vec<Vec<(u32, u32)>> = neighbours
            .iter()
            .map(|list| {
                let mut ports: Vec<_> = list.iter().copied().zip(0..).collect();
                ports.sort_unstable();
                ports
            })
            .collect();
        let port_to = |from: u32, to: u32| {
            let ports = &sorted[from as usize];
            let at = ports.partition_point(|&(node, _)| node < to);
            assert!(ports[at].0 == to && ports.get(at + 1).is_none_or(|&(node, _)| node != to));
            Port(ports[at].1)
        };
        let mut ends = Vec::with_capacity(total as usize);
        for (node, list) in (0_u32..).zip(neighbours) {
            for &neighbour in list {
                assert_ne!(node, neighbour, "a node is not its own neighbour");
                ends.push(End { node: neighbour, port: port_to(neighbour, node) });
            }
        }
        Self { first, ends }
    }

    pub(super) fn nodes(&self) -> u32 {
        (self.first.len() - 1) as u32
    }

    pub(super) fn links(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    pub(super) fn degree(&self, node: u32) -> u32 {
        self.first[node as usize + 1] - self.first[node as usize]
    }

    #[inline]
    pub(super) fn across(&self, node: u32, port: Port) -> End {
        self.ends[(self.first[node as usize] + port.0) as usize]
    }

    #[inline]
    pub(super) fn link(&self, node: u32, port: Port) -> u64 {
        u64::from(self.first[node as usize] + port.0)
    }
}
