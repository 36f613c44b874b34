//! The event queue of a simulation whose delays are bounded: a ring of buckets, one per tick.

use crate::chunks::{self, Chunk, ChunkList, Pool};

/// Events by tick and, within a tick, in the order in which they were pushed.
///
/// A power-of-two ring of buckets: an event is appended to the bucket of its tick, in constant time
/// and sequentially in memory, where a heap would take a logarithm of scattered accesses.
pub(crate) struct Calendar<E> {
    buckets: Vec<ChunkList<E>>,
    mask: u64,
    /// The present tick, whose events are being read.
    now: u64,
    /// Whether all of them have been taken.
    drained: bool,
    pool: Pool<E>,
    /// A bit for each bucket that holds events.
    occupied: [u64; WORDS],
}

/// The longest delay for which there are buckets: beyond it most of them would be empty.
pub(crate) const LONGEST: u64 = 1024;

/// The words of a bit for each bucket.
const WORDS: usize = (LONGEST + 1).next_power_of_two() as usize / 64;

impl<E: Copy> Calendar<E> {
    /// Creates a calendar at tick 0, for events at most `longest` ticks ahead, of [`LONGEST`].
    pub(crate) fn new(longest: u64) -> Self {
        let buckets = (longest + 1).next_power_of_two();
        Self {
            buckets: chunks::lists(buckets as usize),
            mask: buckets - 1,
            now: 0,
            drained: true,
            pool: Pool::default(),
            occupied: [0; WORDS],
        }
    }

    /// Adds an event at a tick after the present one and at most `longest` ahead.
    #[inline(always)]
    pub(crate) fn push(&mut self, tick: u64, event: E) {
        debug_assert!(tick > self.now && tick - self.now <= self.mask, "{tick} at {}", self.now);
        let place = (tick & self.mask) as usize;
        self.occupied[place / 64 % WORDS] |= 1 << (place % 64);
        self.buckets[place].push(event, &mut self.pool);
    }

    /// Exchanges events that have been read for the next ones of the present tick. Returns their number: 0
    /// if all have been read.
    #[inline(always)]
    pub(crate) fn take(&mut self, read: &mut Chunk<E>) -> usize {
        if self.drained {
            return 0;
        }
        let bucket = &mut self.buckets[(self.now & self.mask) as usize];
        self.drained = bucket.has_room();
        bucket.take(read, &mut self.pool)
    }

    #[inline]
    pub(crate) fn next_tick(&self) -> Option<u64> {
        let next = self.now + 1;
        let place = (next & self.mask) as usize;
        let (word, bit) = (place / 64 % WORDS, place as u32 % 64);
        let here = self.occupied[word] >> bit;
        if here != 0 {
            return Some(next + u64::from(here.trailing_zeros()));
        }
        // Around, up to the bits below in the same word.
        let words = self.buckets.len().div_ceil(64);
        let bits = (self.mask + 1).min(64);
        let mut ahead = bits - u64::from(bit);
        for step in 1..=words {
            let there = self.occupied[(word + step) % words];
            if there != 0 {
                return Some(next + ahead + u64::from(there.trailing_zeros()));
            }
            ahead += bits;
        }
        None
    }

    #[inline(always)]
    pub(crate) const fn now(&self) -> u64 {
        self.now
    }

    /// Makes `tick` the present one. All events before it must have been taken.
    #[inline(always)]
    pub(crate) fn advance(&mut self, tick: u64) {
        debug_assert!(tick >= self.now);
        let place = (tick & self.mask) as usize;
        self.occupied[place / 64 % WORDS] &= !(1 << (place % 64));
        (self.now, self.drained) = (tick, false);
    }
}

#[cfg(test)]
mod tests;
