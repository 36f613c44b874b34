//! Pseudo-random permutations of large ranges in constant memory.

use crate::random::Key;

/// Pseudo-random permutations of `0..count`, one for each key: a Feistel network of four rounds (M.
/// Luby, C. Rackoff, SIAM J. Comput. 17(2), 1988) on the smallest even number of bits that holds the
/// range, walked along its cycle until it lands inside (J. Black, P. Rogaway, CT-RSA 2002). Fewer than
/// four steps are expected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Permutation {
    count: u64,
    /// The number of bits of one half.
    half: u32,
}

const ROUNDS: u64 = 4;

impl Permutation {
    pub(crate) const fn new(count: u64) -> Self {
        let bits = match count {
            0..=1 => 1,
            _ => (count - 1).ilog2() + 1,
        };
        Self { count, half: bits.div_ceil(2) }
    }

    pub(crate) fn apply(&self, key: Key, value: u64) -> u64 {
        self.walk(key, value, false)
    }

    pub(crate) fn invert(&self, key: Key, value: u64) -> u64 {
        self.walk(key, value, true)
    }

    fn walk(&self, key: Key, value: u64, inverse: bool) -> u64 {
        let mut value = value;
        loop {
            value = self.rounds(key, value, inverse);
            if value < self.count {
                return value;
            }
        }
    }

    fn rounds(&self, key: Key, value: u64, inverse: bool) -> u64 {
        let (mut left, mut right) = (value >> self.half, value & ((1 << self.half) - 1));
        for round in 0..ROUNDS {
            let scramble =
                |half: u64, round: u64| key.at(round << 32 | half).bits() >> (64 - self.half);
            if inverse {
                (left, right) = (right ^ scramble(left, ROUNDS - 1 - round), left);
            } else {
                (left, right) = (right, left ^ scramble(right, round));
            }
        }
        left << self.half | right
    }
}

#[cfg(test)]
mod tests;
