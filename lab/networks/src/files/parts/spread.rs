//! The links of a range of the nodes, which many workers have read.

use super::{
    End,
    letters::{Post, pairs, told},
    network::{Block, block_width},
    too_large,
};
use crate::graph::{Graph, PortOrder};
use suffrage_model::{End as Far, Port};

/// The neighbours of the nodes of one worker.
pub(super) struct Lists {
    /// The number of all nodes, and of those of each worker but the last ones.
    pub(super) nodes: u32,
    width: u32,
    /// The first node.
    pub(super) begin: u32,
    /// Rows of these nodes.
    pub(super) graph: Graph,
}

impl Lists {
    /// Sends both directions of each link to the owners of its ends, without those from a node to
    /// itself, and makes lists of what comes.
    pub(super) fn exchange(
        nodes: u32,
        links: &[(u32, u32)],
        post: &mut Post<'_>,
    ) -> Result<Self, End> {
        let width = block_width(nodes.into(), post.all()) as u32;
        for &(a, b) in links.iter().filter(|(a, b)| a != b) {
            post.write(a / width, &[a, b], &[]);
            post.write(b / width, &[b, a], &[]);
        }
        let letters = post.exchange();
        let bytes: u64 = letters.iter().map(|(_, letter)| letter.len() as u64).sum();
        let most = told(post, &(bytes / 8)).into_iter().max().unwrap_or(0);
        if most > u32::MAX.into() {
            return Err(too_large(format!(
                "a worker has {most} ends of links, and can have 4294967295 at most: choose more workers"
            )));
        }
        let begin = post.me().saturating_mul(width).min(nodes);
        let rows = width.min(nodes - begin);
        let ends = || letters.iter().flat_map(|(_, letter)| pairs(letter));
        let graph = Graph::of_ends(rows, || ends().map(|(from, to)| (from - begin, to)));
        Ok(Self { nodes, width, begin, graph })
    }

    pub(super) const fn owner(&self, node: u32) -> u32 {
        node / self.width
    }

    pub(super) fn row(&self, node: u32) -> Option<u32> {
        node.checked_sub(self.begin).filter(|&row| row < self.graph.nodes())
    }

    /// Numbers the ports of all nodes, and tells the owners of their neighbours.
    pub(super) fn wired(self, order: PortOrder, links_before: u64, post: &mut Post<'_>) -> Block {
        let Self { begin, width, graph, .. } = self;
        let rows = || 0..graph.nodes();
        let lists = graph.in_order_of_ports(begin, order);
        for row in rows() {
            for (port, &to) in (0..).zip(&lists[graph.list_of(row)]) {
                post.write(to / width, &[to, port], &[]);
            }
        }
        drop(lists);
        // Workers come in the order of their numbers, and each tells of its nodes in their order: so what
        // comes for a node comes in the order of its neighbours.
        let mut next: Vec<u32> = rows().map(|row| graph.list_of(row).start as u32).collect();
        let mut back = vec![0; graph.ends() as usize];
        for (_, letter) in post.exchange() {
            for (node, port) in pairs(&letter) {
                let next = &mut next[(node - begin) as usize];
                back[*next as usize] = port;
                *next += 1;
            }
        }
        drop(next);
        let mut ends: Vec<Far> = Vec::with_capacity(back.len());
        for row in rows() {
            let neighbours = graph.neighbours(row);
            let place = ends.len();
            let ports = &back[graph.list_of(row)];
            let far = |(&node, &port): (&u32, &u32)| Far { node, port: Port(port) };
            ends.extend(neighbours.iter().zip(ports).map(far));
            order.arrange(begin + row, neighbours, &mut ends[place..]);
        }
        Block { begin: begin.into(), links_before, first: graph.bounds().to_vec(), ends }
    }
}
