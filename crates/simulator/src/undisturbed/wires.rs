//! Networks that are known when the loop is compiled.

use suffrage_process::{End, Port};
use suffrage_topology::wiring::{Adjacency, OrientedRing, Rotation};

/// A network.
pub(super) trait Wires: Copy {
    /// The receiving end of a link, in as few bytes as possible.
    type Way: Way;
    /// Whether links are numbered below [`dense_links`](Self::dense_links).
    const DENSE: bool;

    fn degree(self, node: u32) -> u32;
    /// Returns the other end of a link; `None` if there is no such port.
    fn across(self, from: End) -> Option<Self::Way>;
    /// Returns the number of the one-way link that leaves an end.
    fn link(self, from: End) -> u64;
    fn dense_links(self) -> usize;
}

/// The receiving end of a link.
pub(super) trait Way: Copy {
    fn end(self) -> End;
}

impl Way for End {
    #[inline(always)]
    fn end(self) -> End {
        self
    }
}

/// Twice the number of the node, and its port.
#[derive(Clone, Copy)]
pub(super) struct RingWay(u32);

impl Way for RingWay {
    #[inline(always)]
    fn end(self) -> End {
        End { node: self.0 >> 1, port: Port(self.0 & 1) }
    }
}

/// What [`OrientedRing`] needs beside [`Wires`].
pub(super) trait Fits {
    /// Returns whether a node and its port fit into 32 bits.
    fn fits(&self) -> bool;
}

impl Fits for OrientedRing {
    fn fits(&self) -> bool {
        self.nodes <= 1 << 31
    }
}

impl Wires for OrientedRing {
    type Way = RingWay;
    const DENSE: bool = true;

    #[inline(always)]
    fn degree(self, _: u32) -> u32 {
        2
    }

    #[inline(always)]
    fn across(self, from: End) -> Option<RingWay> {
        let End { node, port } = self.try_across(from.node, from.port)?;
        Some(RingWay(node << 1 | port.0))
    }

    #[inline(always)]
    fn link(self, from: End) -> u64 {
        self.link(from.node, from.port)
    }

    fn dense_links(self) -> usize {
        2 * self.nodes as usize
    }
}

impl Wires for Rotation {
    type Way = End;
    const DENSE: bool = false;

    #[inline(always)]
    fn degree(self, _: u32) -> u32 {
        self.nodes - 1
    }

    #[inline(always)]
    fn across(self, from: End) -> Option<End> {
        self.try_across(from.node, from.port)
    }

    #[inline(always)]
    fn link(self, from: End) -> u64 {
        self.link(from.node, from.port)
    }

    fn dense_links(self) -> usize {
        0
    }
}

impl Wires for &Adjacency {
    type Way = End;
    const DENSE: bool = true;

    #[inline(always)]
    fn degree(self, node: u32) -> u32 {
        self.degree(node)
    }

    #[inline(always)]
    fn across(self, from: End) -> Option<End> {
        self.try_across(from.node, from.port)
    }

    #[inline(always)]
    fn link(self, from: End) -> u64 {
        self.link(from.node, from.port)
    }

    fn dense_links(self) -> usize {
        self.links()
    }
}
