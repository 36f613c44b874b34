//! Implicit networks as types of their own: an engine that is compiled for one of them need not ask,
//! for every message, what kind of network it is.

use super::{End, rotate, step};
use suffrage_model::Port;

/// The network of [`Wiring::ring`](super::Wiring::ring).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrientedRing {
    /// The number of nodes.
    pub nodes: u32,
}

impl OrientedRing {
    /// The same as [`Wiring::try_across`](super::Wiring::try_across).
    #[inline(always)]
    #[must_use]
    pub const fn try_across(self, node: u32, port: Port) -> Option<End> {
        if port.0 < 2 {
            Some(End { node: step(node, port.0 == 0, self.nodes), port: Port(1 - port.0) })
        } else {
            None
        }
    }

    /// The same as [`Wiring::link`](super::Wiring::link).
    #[inline(always)]
    #[must_use]
    pub const fn link(self, node: u32, port: Port) -> u64 {
        2 * node as u64 + port.0 as u64
    }
}

/// The network of [`Wiring::complete`](super::Wiring::complete).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// The number of nodes.
    pub nodes: u32,
}

impl Rotation {
    /// The same as [`Wiring::try_across`](super::Wiring::try_across).
    #[inline(always)]
    #[must_use]
    pub const fn try_across(self, node: u32, port: Port) -> Option<End> {
        if port.0 < self.nodes - 1 {
            let back = Port(self.nodes - 2 - port.0);
            Some(End { node: rotate(node, port.0 + 1, self.nodes), port: back })
        } else {
            None
        }
    }

    /// The same as [`Wiring::link`](super::Wiring::link).
    #[inline(always)]
    #[must_use]
    pub const fn link(self, node: u32, port: Port) -> u64 {
        node as u64 * (self.nodes - 1) as u64 + port.0 as u64
    }
}
