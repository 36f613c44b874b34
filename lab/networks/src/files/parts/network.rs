//! A network in parts: each place holds only some of the nodes.

use super::{
    PartError,
    labels::Named,
    letters::{Post, pairs, told},
    too_large,
};
use crate::topology::Note;
use crate::{graph::Graph, ports::PortArrangement};
use std::{collections::BTreeMap, ops::Range};
use suffrage_model::{End, NetworkClass, Port};

/// Returns the number of nodes in each range, where `nodes` nodes are divided into this many ranges of
/// neighbouring nodes. The last ranges may have fewer.
///
/// # Panics
/// If there are no ranges.
#[must_use]
pub const fn block_width(nodes: u64, ranges: u32) -> u64 {
    let width = nodes.div_ceil(ranges as u64);
    if width == 0 { 1 } else { width }
}

/// One worker's part of a network that was read from an [`EdgeList`](super::EdgeList).
#[derive(Debug)]
pub struct NetworkPart {
    pub(super) nodes: u64,
    pub(super) links: u64,
    pub(super) parts: u32,
    pub(super) number: u32,
    pub(super) kind: &'static str,
    pub(super) notes: Vec<Note>,
    pub(super) diameter: Option<u64>,
    pub(super) source: String,
    pub(super) block: PartBlock,
    pub(super) names: Named,
    /// The name of the first node of the network.
    pub(super) first: String,
    pub(super) asked: BTreeMap<String, u64>,
}

/// The links of some neighbouring nodes.
#[derive(Debug)]
pub(super) struct PartBlock {
    pub(super) begin: u64,
    /// The number of one-way links that leave the nodes before.
    pub(super) links_before: u64,
    /// The ends to which the ports of the node at `row` lead are `ends[first[row]..first[row + 1]]`.
    pub(super) first: Vec<u32>,
    pub(super) ends: Vec<End>,
}

/// A network with numbered ports that was read in parts. Some of the parts are here: the links of a range
/// of nodes, and the names of another range.
///
/// Its nodes, ports, link numbers and names are the same as if one place had read the whole.
#[derive(Debug)]
pub struct PartialNetwork {
    width: u64,
    /// What all parts know.
    common: NetworkPart,
    blocks: Vec<PartBlock>,
    names: Vec<Named>,
}

impl PartialNetwork {
    /// Puts parts together that are here, in the order of their workers' numbers; `None` if there are
    /// none.
    #[must_use]
    pub fn of(parts: Vec<NetworkPart>) -> Option<Self> {
        let (mut blocks, mut names, mut common) = (Vec::new(), Vec::new(), None);
        for mut part in parts {
            let none = PartBlock { begin: 0, links_before: 0, first: Vec::new(), ends: Vec::new() };
            blocks.push(std::mem::replace(&mut part.block, none));
            names.push(std::mem::take(&mut part.names));
            common.get_or_insert(part);
        }
        let common = common?;
        let width = block_width(common.nodes, common.parts);
        Some(Self { width, common, blocks, names })
    }

    /// Returns the number of nodes of the whole network, at least 1.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.common.nodes
    }

    /// Returns the number of two-way links of the whole network.
    #[must_use]
    pub const fn links(&self) -> u64 {
        self.common.links
    }

    /// Returns the number of all parts, here and elsewhere.
    #[must_use]
    pub const fn parts(&self) -> u32 {
        self.common.parts
    }

    /// Returns the kind of the network, as [`Topology::kind`](crate::Topology::kind) does.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        self.common.kind
    }

    /// Returns notes on what was done to the network on its way from its file.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.common.notes
    }

    /// Returns the path of the file as it was given.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.common.source
    }

    /// Returns the diameter, or an upper bound if it was not measured.
    #[must_use]
    pub const fn diameter(&self) -> u64 {
        match self.common.diameter {
            Some(diameter) => diameter,
            None => self.common.nodes - 1,
        }
    }

    /// Returns the name of a node, if it is here.
    #[must_use]
    pub fn label(&self, node: u64) -> Option<&str> {
        self.names.iter().find_map(|names| names.get(node))
    }

    /// Returns the name of the first node.
    #[must_use]
    pub fn first_label(&self) -> &str {
        &self.common.first
    }

    /// Returns the node of a name, if it exists and was asked for.
    #[must_use]
    pub fn node_named(&self, label: &str) -> Option<u64> {
        self.common.asked.get(label).copied()
    }

    /// Returns whether an algorithm for `network` can run on it without changes. Rings, complete networks and similar
    /// classes are not recognized.
    #[must_use]
    pub const fn fits(&self, network: NetworkClass) -> bool {
        match network {
            NetworkClass::Connected => true,
            NetworkClass::Tree => self.common.links + 1 == self.common.nodes,
            _ => false,
        }
    }

    #[inline]
    fn place(&self, node: u64) -> (&PartBlock, usize) {
        let part = (node / self.width) as usize - self.common.number as usize;
        let block = &self.blocks[part];
        (block, (node - block.begin) as usize)
    }

    /// Returns the number of ports of a node.
    ///
    /// # Panics
    /// If the node is not here.
    #[inline]
    #[must_use]
    pub fn degree(&self, node: u64) -> u32 {
        let (block, row) = self.place(node);
        block.first[row + 1] - block.first[row]
    }

    /// Returns the node and the port to which a port leads, or `None` if the node has no such port.
    ///
    /// # Panics
    /// If the node is not here.
    #[inline]
    #[must_use]
    pub fn across(&self, node: u64, port: Port) -> Option<(u64, Port)> {
        let (block, row) = self.place(node);
        let ports = block.first[row] as usize..block.first[row + 1] as usize;
        let end = block.ends[ports].get(port.0 as usize)?;
        Some((end.node.into(), end.port))
    }

    /// Returns the number of the one-way link that leaves a node through a port, as
    /// [`Wiring::link`](crate::wiring::Wiring::link) does.
    ///
    /// # Panics
    /// If the node is not here.
    #[inline]
    #[must_use]
    pub fn link(&self, node: u64, port: Port) -> u64 {
        let (block, row) = self.place(node);
        block.links_before + u64::from(block.first[row] + port.0)
    }

    /// Returns the numbers of the one-way links that leave some neighbouring nodes of one part.
    ///
    /// # Panics
    /// If they are not here, or those of several parts.
    #[must_use]
    pub fn links_of(&self, nodes: &Range<u64>) -> Range<u64> {
        if nodes.is_empty() {
            return 0..0;
        }
        let (block, row) = self.place(nodes.start);
        let last = (nodes.end - block.begin) as usize;
        let link = |row: usize| block.links_before + u64::from(block.first[row]);
        link(row)..link(last)
    }
}

/// The neighbours of the nodes of one worker.
pub(super) struct PartLists {
    /// The number of all nodes, and of those of each worker but the last ones.
    pub(super) nodes: u32,
    width: u32,
    /// The first node.
    pub(super) begin: u32,
    /// Rows of these nodes.
    pub(super) graph: Graph,
}

impl PartLists {
    /// Sends both directions of each link to the owners of its ends, without those from a node to
    /// itself, and makes lists of what comes.
    pub(super) fn exchange(
        nodes: u32,
        links: &[(u32, u32)],
        post: &mut Post<'_>,
    ) -> Result<Self, PartError> {
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
    pub(super) fn wired(
        self,
        order: PortArrangement,
        links_before: u64,
        post: &mut Post<'_>,
    ) -> PartBlock {
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
        let mut ends: Vec<End> = Vec::with_capacity(back.len());
        for row in rows() {
            let neighbours = graph.neighbours(row);
            let place = ends.len();
            let ports = &back[graph.list_of(row)];
            let far = |(&node, &port): (&u32, &u32)| End { node, port: Port(port) };
            ends.extend(neighbours.iter().zip(ports).map(far));
            order.arrange(begin + row, neighbours, &mut ends[place..]);
        }
        PartBlock { begin: begin.into(), links_before, first: graph.bounds().to_vec(), ends }
    }
}
