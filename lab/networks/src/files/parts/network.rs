//! A network in parts: each place holds only some of the nodes.

use super::labels::Named;
use crate::topology::Note;
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

/// What one worker has of a network that was read from an [`EdgeList`](super::EdgeList).
#[derive(Debug)]
pub struct Part {
    pub(super) nodes: u64,
    pub(super) links: u64,
    pub(super) parts: u32,
    pub(super) number: u32,
    pub(super) kind: &'static str,
    pub(super) notes: Vec<Note>,
    pub(super) diameter: Option<u64>,
    pub(super) source: String,
    pub(super) block: Block,
    pub(super) names: Named,
    /// The name of the first node of the network.
    pub(super) first: String,
    pub(super) asked: BTreeMap<String, u64>,
}

/// The links of some neighbouring nodes.
#[derive(Debug)]
pub(super) struct Block {
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
    common: Part,
    blocks: Vec<Block>,
    names: Vec<Named>,
}

impl PartialNetwork {
    /// Puts parts together that are here, in the order of their workers' numbers; `None` if there are
    /// none.
    #[must_use]
    pub fn of(parts: Vec<Part>) -> Option<Self> {
        let (mut blocks, mut names, mut common) = (Vec::new(), Vec::new(), None);
        for mut part in parts {
            let none = Block { begin: 0, links_before: 0, first: Vec::new(), ends: Vec::new() };
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

    /// Returns the diameter; an upper bound of it where it was not measured.
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

    /// Returns whether an algorithm for `network` can run on it as it is. Rings, complete networks and
    /// the like are not recognized.
    #[must_use]
    pub const fn fits(&self, network: NetworkClass) -> bool {
        match network {
            NetworkClass::Connected => true,
            NetworkClass::Tree => self.common.links + 1 == self.common.nodes,
            _ => false,
        }
    }

    #[inline]
    fn place(&self, node: u64) -> (&Block, usize) {
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
