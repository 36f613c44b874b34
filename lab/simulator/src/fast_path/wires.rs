//! Networks that are known when the loop is compiled.

use suffrage_model::{End, Port};
use suffrage_networks::wiring::{Adjacency, OrientedRing, Rotation};

pub(super) trait Wires: Copy {
    /// The receiving end of a link, in as few bytes as possible.
    type Way: Way;
    /// A number for each link that leaves a process, where a process has few and always as many; nothing
    /// elsewhere.
    type Each: Copy + Default;

    fn degree(self, node: u32) -> u32;
    fn across(self, from: End) -> Option<Self::Way>;
    fn link(self, from: End) -> u64;
    /// Returns how many numbers a table has with one for each link of the network: 0 if they are with the
    /// processes, or links too many.
    fn table(self) -> usize {
        0
    }
    /// Returns the number of a link that exists, of those with its process or of the table; `None` if there is
    /// none.
    fn number<'n>(
        self,
        from: End,
        own: &'n mut Self::Each,
        table: &'n mut [u32],
    ) -> Option<&'n mut u32>;
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

impl RingWay {
    /// The greatest number of nodes.
    pub(super) const MOST: u32 = 1 << 31;
}

impl Way for RingWay {
    #[inline(always)]
    fn end(self) -> End {
        End { node: self.0 >> 1, port: Port(self.0 & 1) }
    }
}

impl Wires for OrientedRing {
    type Way = RingWay;
    // A process and its numbers are in one place, and cost one cache miss.
    type Each = [u32; 2];

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

    #[inline(always)]
    fn number<'n>(self, from: End, own: &'n mut [u32; 2], _: &'n mut [u32]) -> Option<&'n mut u32> {
        own.get_mut(from.port.0 as usize)
    }
}

impl Wires for Rotation {
    type Way = End;
    type Each = ();

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

    #[inline(always)]
    fn number<'n>(self, _: End, (): &'n mut (), _: &'n mut [u32]) -> Option<&'n mut u32> {
        None
    }
}

impl Wires for &Adjacency {
    type Way = End;
    type Each = ();

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

    fn table(self) -> usize {
        self.links()
    }

    #[inline(always)]
    fn number<'n>(self, from: End, (): &'n mut (), table: &'n mut [u32]) -> Option<&'n mut u32> {
        Some(&mut table[self.link(from.node, from.port) as usize])
    }
}
