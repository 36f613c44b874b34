//! Random port orders of a complete network in constant memory.

use super::{End, rotate};
use crate::{permutation::Permutation, random::Key};
use suffrage_model::Port;

/// A pseudo-random permutation of `0..nodes - 1` for each node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feistel {
    nodes: u32,
    permutation: Permutation,
    key: Key,
}

impl Feistel {
    pub(super) const fn new(nodes: u32, seed: u64) -> Self {
        let permutation = Permutation::new(nodes.saturating_sub(1) as u64);
        Self { nodes, permutation, key: Key::new(seed, "complete ports") }
    }

    // Out of line: two permutations are a few hundred instructions, and would push everything
    // else in an engine's inner loop out of registers.
    #[inline(never)]
    pub(super) fn across(&self, node: u32, port: Port) -> End {
        let key = |node: u32| self.key.at(node.into());
        let offset = self.permutation.apply(key(node), port.0.into()) as u32;
        let to = rotate(node, offset + 1, self.nodes);
        let back = u64::from(self.nodes - 2 - offset);
        End { node: to, port: Port(self.permutation.invert(key(to), back) as u32) }
    }
}
