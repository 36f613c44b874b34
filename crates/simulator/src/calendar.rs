//! The event queue of a simulation whose delays are bounded: a ring of buckets, one per tick.

use std::{collections::VecDeque, mem};

/// Events by tick and, within a tick, in the order in which they were pushed.
///
/// A power-of-two ring of buckets: an event is appended to the bucket of its tick, in constant time
/// and sequentially in memory, where a heap would take a logarithm of scattered accesses. A bucket
/// is a list of chunks that return to a pool when they have been read, so that memory follows the
/// events in flight, not the largest that each bucket has ever been.
pub(crate) struct Calendar<E> {
    buckets: Vec<Bucket<E>>,
    mask: u64,
    /// The present tick, whose events are being read.
    now: u64,
    /// The chunk of that tick that is being read, up to `cursor`.
    chunk: Vec<E>,
    cursor: usize,
    /// The end of the events that are ready.
    stop: usize,
    /// Whether the chunk is the last of its tick.
    last: bool,
    /// Empty chunks for reuse.
    pool: Vec<Vec<E>>,
    /// A bit for each bucket that holds events, in words of 64.
    occupied: Vec<u64>,
}

/// The events of one tick: chunks that are full, and the one that is being filled.
struct Bucket<E> {
    full: VecDeque<Vec<E>>,
    filling: Vec<E>,
}

/// The number of events in a chunk: large enough that the end of one is rare, small enough that the
/// part-filled chunks of all buckets take little memory.
const CHUNK: usize = 1024;

impl<E> Bucket<E> {
    /// Replaces the chunk that is being filled, which is full or missing.
    #[cold]
    #[inline(never)]
    fn new_chunk(&mut self, pool: &mut Vec<Vec<E>>) {
        let next = pool.pop().filter(|chunk| chunk.capacity() > 0);
        let next = next.unwrap_or_else(|| Vec::with_capacity(CHUNK));
        let filled = mem::replace(&mut self.filling, next);
        if !filled.is_empty() {
            self.full.push_back(filled);
        }
    }
}

impl<E: Copy> Calendar<E> {
    /// Creates a calendar at tick 0, for events at most `longest` ticks ahead.
    pub(crate) fn new(longest: u64) -> Self {
        let buckets = (longest + 1).next_power_of_two();
        let empty = || Bucket { full: VecDeque::new(), filling: Vec::new() };
        Self {
            buckets: (0..buckets).map(|_| empty()).collect(),
            mask: buckets - 1,
            now: 0,
            chunk: Vec::new(),
            cursor: 0,
            stop: 0,
            last: false,
            pool: Vec::new(),
            occupied: vec![0; buckets.div_ceil(64) as usize],
        }
    }

    /// Adds an event at a tick after the present one and at most `longest` ahead.
    #[inline(always)]
    pub(crate) fn push(&mut self, tick: u64, event: E) {
        debug_assert!(tick > self.now && tick - self.now <= self.mask, "{tick} at {}", self.now);
        let place = (tick & self.mask) as usize;
        self.occupied[place / 64] |= 1 << (place % 64);
        let bucket = &mut self.buckets[place];
        if bucket.filling.len() == bucket.filling.capacity() {
            bucket.new_chunk(&mut self.pool);
        }
        bucket.filling.push(event);
    }

    /// Lends a chunk of the events of the present tick, with the position of the first unread one.
    #[inline(always)]
    pub(crate) fn lend(&mut self) -> Option<(Vec<E>, usize)> {
        if self.cursor == self.chunk.len() && !self.next_chunk() {
            return None;
        }
        Some((mem::take(&mut self.chunk), self.cursor))
    }

    /// Takes the chunk back, read up to `cursor`.
    #[inline(always)]
    pub(crate) fn give_back(&mut self, chunk: Vec<E>, cursor: usize) {
        self.chunk = chunk;
        self.cursor = cursor;
    }

    /// Moves to the next chunk of the present tick, if there is one.
    #[inline]
    fn next_chunk(&mut self) -> bool {
        if self.last {
            return false;
        }
        let place = (self.now & self.mask) as usize;
        let bucket = &mut self.buckets[place];
        self.chunk.clear();
        self.cursor = 0;
        if let Some(next) = bucket.full.pop_front() {
            self.pool.push(mem::replace(&mut self.chunk, next));
            true
        } else {
            // The common case: a tick of few events. The two buffers are swapped.
            mem::swap(&mut self.chunk, &mut bucket.filling);
            self.last = true;
            self.occupied[place / 64] &= !(1 << (place % 64));
            !self.chunk.is_empty()
        }
    }

    /// Returns the first tick after the present one that has events.
    #[inline]
    pub(crate) fn next_tick(&self) -> Option<u64> {
        let next = self.now + 1;
        let place = (next & self.mask) as usize;
        let (word, bit) = (place / 64, place as u32 % 64);
        let here = self.occupied[word] >> bit;
        if here != 0 {
            return Some(next + u64::from(here.trailing_zeros()));
        }
        // Around, up to the bits below in the same word.
        let words = self.occupied.len();
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

    /// Makes unread events of the present tick ready, at most `most`, and returns their number; 0 if
    /// all have been read.
    #[inline(always)]
    pub(crate) fn ready(&mut self, most: usize) -> usize {
        if self.cursor == self.chunk.len() {
            self.next_chunk();
        }
        let count = most.min(self.chunk.len() - self.cursor);
        self.stop = self.cursor + count;
        count
    }

    /// Returns the first `count` events that are ready.
    #[inline(always)]
    pub(crate) fn soon(&self, count: usize) -> &[E] {
        &self.chunk[self.cursor..self.cursor + count]
    }

    /// Takes the next event that is ready, if one is left.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<E> {
        if self.cursor == self.stop {
            return None;
        }
        let event = self.chunk[self.cursor];
        self.cursor += 1;
        Some(event)
    }

    /// Makes `tick` the present one. All events before it must have been popped.
    pub(crate) fn advance(&mut self, tick: u64) {
        debug_assert!(tick >= self.now);
        self.now = tick;
        self.last = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{cmp::Reverse, collections::BinaryHeap};
    use suffrage_topology::random::Generator;

    /// Returns all events of a calendar, in the order in which it returns them, while `more` events
    /// are added in between.
    fn drain(calendar: &mut Calendar<u64>, mut more: impl FnMut(u64) -> Vec<u64>) -> Vec<u64> {
        let mut order = Vec::new();
        let mut serial = 1_000_000;
        while let Some(tick) = calendar.next_tick() {
            calendar.advance(tick);
            while let Some((chunk, unread)) = calendar.lend() {
                // One event at a time, so that chunks are also given back half read.
                order.push(chunk[unread]);
                for delay in more(tick) {
                    calendar.push(tick + delay, serial);
                    serial += 1;
                }
                calendar.give_back(chunk, unread + 1);
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
        let mut random = Generator::new(1, "calendar");
        let mut calendar = Calendar::new(10);
        let mut heap = BinaryHeap::new();
        for event in 0..5000 {
            let tick = 1 + random.below(10);
            calendar.push(tick, event);
            heap.push(Reverse((tick, event)));
        }
        let (mut budget, mut serial) = (20_000_u64, 1_000_000);
        let order = drain(&mut calendar, |tick| {
            let delays = random.below(3).min(budget);
            budget -= delays;
            (0..delays)
                .map(|_| {
                    let delay = 1 + random.below(10);
                    heap.push(Reverse((tick + delay, serial)));
                    serial += 1;
                    delay
                })
                .collect()
        });
        let expected: Vec<u64> =
            std::iter::from_fn(|| heap.pop()).map(|Reverse((_, event))| event).collect();
        assert_eq!(order, expected);
    }

    #[test]
    fn chunks_are_used_again() {
        let mut calendar = Calendar::new(1);
        for round in 0..50 {
            for event in 0..3 * CHUNK as u64 {
                calendar.push(round + 1, event);
            }
            calendar.advance(round + 1);
            while let Some((chunk, _)) = calendar.lend() {
                let read = chunk.len();
                calendar.give_back(chunk, read);
            }
        }
        assert!(calendar.pool.len() <= 4, "{} chunks for 3 at a time", calendar.pool.len());
    }
}
