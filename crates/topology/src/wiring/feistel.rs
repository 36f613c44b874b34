//! Random port orders of a complete network in constant memory.

use super::{End, rotate};
use crate::random::Key;
use suffrage_process::Port;

/// A pseudo-random permutation of `0..nodes - 1` for each node: a keyed Feistel network of four
/// rounds (M. Luby, C. Rackoff, SIAM J. Comput. 17(2), 1988) on the smallest even number of bits
/// that holds the range, walked along its cycle until it lands inside (J. Black, P. Rogaway,
/// CT-RSA 2002). Fewer than four steps are expected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feistel {
    nodes: u32,
    /// The number of bits of one half.
    half: u32,
    key: Key,
}

const ROUNDS: u64 = 4;

impl Feistel {
    pub(super) const fn new(nodes: u32, seed: u64) -> Self {
        let bits = match nodes {
            0..=2 => 1,
            _ => (nodes - 2).ilog2() + 1,
        };
        Self { nodes, half: bits.div_ceil(2), key: Key::new(seed, "complete ports") }
    }

    // Out of line: two permutations are a few hundred instructions, and would push everything
    // else in an engine's inner loop out of registers.
    #[inline(never)]
    pub(super) fn across(&self, node: u32, port: Port) -> End {
        let offset = self.permute(node, port.0, false);
        let to = rotate(node, offset + 1, self.nodes);
        End { node: to, port: Port(self.permute(to, self.nodes - 2 - offset, true)) }
    }

    fn permute(&self, node: u32, value: u32, inverse: bool) -> u32 {
        let key = self.key.at(u64::from(node));
        let mut value = value;
        loop {
            value = self.rounds(key, value, inverse);
            if value < self.nodes - 1 {
                return value;
            }
        }
    }

    fn rounds(&self, key: Key, value: u32, inverse: bool) -> u32 {
        let (mut left, mut right) = (value >> self.half, value & ((1 << self.half) - 1));
        for round in 0..ROUNDS {
            let scramble = |half: u32, round: u64| {
                (key.at(round << 32 | u64::from(half)).bits() >> (64 - self.half)) as u32
            };
            if inverse {
                (left, right) = (right ^ scramble(left, ROUNDS - 1 - round), left);
            } else {
                (left, right) = (right, left ^ scramble(right, round));
            }
        }
        left << self.half | right
    }
}
