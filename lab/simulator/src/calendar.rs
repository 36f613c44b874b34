//! The event queue of a simulation whose delays are bounded: a ring of buckets, one per tick.

use crate::chunks::{Chunk, Chunks, Pool};

/// Events by tick and, within a tick, in the order in which they were pushed.
///
/// A power-of-two ring of buckets: an event is appended to the bucket of its tick, in constant time
/// and sequentially in memory, where a heap would take a logarithm of scattered accesses.
pub(crate) struct Calendar<E> {
    buckets: Vec<Chunks<E>>,
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
            buckets: (0..buckets).map(|_| Chunks::default()).collect(),
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

    /// Returns the first tick after the present one that has events.
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

    /// Returns the present tick.
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
mod tests {
    use super::*;
    use crate::chunks;
    use std::{cmp::Reverse, collections::BinaryHeap};
    use suffrage_networks::random::Generator;

    /// Returns all events of a calendar, in the order in which it returns them, while `more` events
    /// are added in between.
    fn drain(calendar: &mut Calendar<u64>, mut more: impl FnMut(u64) -> Vec<u64>) -> Vec<u64> {
        let (mut order, mut read) = (Vec::new(), None);
        let mut serial = 1_000_000;
        while let Some(tick) = calendar.next_tick() {
            calendar.advance(tick);
            loop {
                let count = calendar.take(&mut read);
                if count == 0 {
                    break;
                }
                for &event in chunks::first(&read, count) {
                    order.push(event);
                    for delay in more(tick) {
                        calendar.push(tick + delay, serial);
                        serial += 1;
                    }
                }
            }
        }
        order
    }

    #[test]
    fn events_come_by_tick_and_then_in_the_order_of_pushing() {
        let mut calendar = Calendar::new(5);
        for (event, tick) in [(0, 3), (1, 1), (2, 3), (3, 5), (4, 1)] {
            calendar.push(tick, event);
        }
        assert_eq!(drain(&mut calendar, |_| vec![]), [1, 4, 0, 2, 3]);
    }

    #[test]
    fn a_calendar_and_a_heap_agree() {
        for longest in [1, 10, 63, 64, 200, LONGEST] {
            let mut random = Generator::new(longest, "calendar");
            let mut calendar = Calendar::new(longest);
            let mut heap = BinaryHeap::new();
            for event in 0..5000 {
                let tick = 1 + random.below(longest);
                calendar.push(tick, event);
                heap.push(Reverse((tick, event)));
            }
            let (mut budget, mut serial) = (20_000_u64, 1_000_000);
            let order = drain(&mut calendar, |tick| {
                let delays = random.below(3).min(budget);
                budget -= delays;
                (0..delays)
                    .map(|_| {
                        let delay = 1 + random.below(longest);
                        heap.push(Reverse((tick + delay, serial)));
                        serial += 1;
                        delay
                    })
                    .collect()
            });
            let expected: Vec<u64> =
                std::iter::from_fn(|| heap.pop()).map(|Reverse((_, event))| event).collect();
            assert_eq!(order, expected, "at most {longest} ticks ahead");
        }
    }
}
