//! The fast medium of `rounds`: every tick in the order of receivers and ports.

use crate::{
    delay::Delay,
    medium::{Dispatch, Medium, Misfit, Parcel, Turn},
    timers::Timers,
};
use std::{collections::BTreeMap, mem, ops::Range};
use suffrage_topology::wiring::Wiring;

/// A medium in which the messages of a tick arrive by receiver and port, those of one link in the
/// order of sending; wake-ups come before them, alarms after.
///
/// Receivers are divided into ranges. A message is appended to its range as it is sent, and a range
/// is sorted in the cache just before its messages arrive. So everything is read and written in
/// streams, where in the order of sending each receiver is somewhere else in memory.
pub(crate) struct InRounds<'a, M> {
    now: u64,
    wiring: &'a Wiring,
    timers: Timers,
    /// The ticks of the next wake-up and of the next alarm.
    wake: u64,
    alarm: u64,
    delay: Delay,
    /// The messages of the present tick, in the ranges that have not been read.
    present: Ranges<M>,
    ahead: Ahead<M>,
    pool: Vec<Vec<Parcel<M>>>,
    /// The messages of the range that is being read, in order, up to `cursor`.
    reading: Vec<Parcel<M>>,
    cursor: usize,
    sorter: Sorter<M>,
    under_way: u64,
    peak: u64,
}

/// The messages of ticks to come.
pub(crate) enum Ahead<M> {
    /// With unit delays, those of the next one.
    Next(Ranges<M>),
    Later(BTreeMap<u64, Chunks<M>>),
}

impl<M: Copy> Ahead<M> {
    /// Creates an empty one, where delays are as of `delay`.
    pub(crate) fn new(delay: &Delay, nodes: u32) -> Self {
        match delay {
            Delay::Unit => Self::Next(Ranges::new(nodes)),
            _ => Self::Later(BTreeMap::new()),
        }
    }

    /// Adds a message that arrives at `tick`, which with unit delays is the next one.
    #[inline(always)]
    pub(crate) fn push(&mut self, tick: u64, parcel: Parcel<M>, pool: &mut Vec<Vec<Parcel<M>>>) {
        match self {
            Self::Next(next) => next.push(parcel, pool),
            Self::Later(later) => later.entry(tick).or_default().push(parcel, pool),
        }
    }

    /// Returns all messages with the ticks of their arrival, those of one link in the order in which they
    /// were added; `next` is the tick of those that arrive at the next one.
    pub(crate) fn iter(&self, next: u64) -> impl Iterator<Item = (u64, &Parcel<M>)> {
        let (ranges, later) = match self {
            Self::Next(next) => (next.ranges.as_slice(), None),
            Self::Later(later) => ([].as_slice(), Some(later)),
        };
        let unit = ranges.iter().flat_map(Chunks::iter).map(move |parcel| (next, parcel));
        let drawn = later.into_iter().flatten();
        unit.chain(drawn.flat_map(|(&tick, all)| all.iter().map(move |parcel| (tick, parcel))))
    }

    /// Moves the messages of `tick`, which is the first that has some, into `present`, which is empty.
    pub(crate) fn take(
        &mut self,
        tick: u64,
        present: &mut Ranges<M>,
        pool: &mut Vec<Vec<Parcel<M>>>,
    ) {
        match self {
            Self::Next(next) => mem::swap(present, next),
            Self::Later(later) => {
                if let Some(chunks) = later.remove(&tick) {
                    for mut chunk in chunks.full.into_iter().chain([chunks.filling]) {
                        for parcel in chunk.drain(..) {
                            present.push(parcel, pool);
                        }
                        pool.push(chunk);
                    }
                }
            }
        }
    }
}

/// A tick that never comes.
const NEVER: u64 = u64::MAX;

/// The number of messages in a chunk: as in the calendar, but there are more lists.
const CHUNK: usize = 256;

/// The greatest number of ranges: the end of each of their lists is in the first-level cache.
const RANGES: u32 = 512;

/// The logarithm of the least width of a range, so that a range mostly holds many messages.
const LEAST_WIDTH: u32 = 10;

impl<'a, M: Copy> InRounds<'a, M> {
    pub(crate) fn new(wiring: &'a Wiring, timers: Timers, delay: Delay) -> Self {
        let nodes = wiring.nodes();
        let ahead = Ahead::new(&delay, nodes);
        let mut rounds = Self {
            now: 0,
            wiring,
            timers,
            wake: NEVER,
            alarm: NEVER,
            delay,
            present: Ranges::new(nodes),
            ahead,
            pool: Vec::new(),
            reading: Vec::new(),
            cursor: 0,
            sorter: Sorter::default(),
            under_way: 0,
            peak: 0,
        };
        rounds.look_at_timers();
        rounds
    }

    fn look_at_timers(&mut self) {
        self.wake = self.timers.next_wake().unwrap_or(NEVER);
        self.alarm = self.timers.next_alarm().unwrap_or(NEVER);
    }

    /// Returns the next tick at which a message arrives, when all of the present one have.
    #[inline(always)]
    fn next_arrival(&self) -> u64 {
        match &self.ahead {
            _ if self.under_way == 0 => NEVER,
            Ahead::Next(_) => self.now + 1,
            Ahead::Later(later) => later.first_key_value().map_or(NEVER, |(&tick, _)| tick),
        }
    }

    /// Ends the present tick.
    #[inline]
    fn go_to(&mut self, tick: u64) {
        self.peak = self.peak.max(self.under_way);
        self.now = tick;
        self.ahead.take(tick, &mut self.present, &mut self.pool);
    }

    /// Sorts the next range of the present tick, if there is one.
    fn next_range(&mut self) -> bool {
        let spent = mem::take(&mut self.reading);
        self.sorter.take_back(spent, &mut self.pool);
        self.cursor = 0;
        match self.sorter.next(&mut self.present, &mut self.pool) {
            Some(sorted) => self.reading = sorted,
            None => return false,
        }
        true
    }
}

impl<M: Copy> Medium<M> for InRounds<'_, M> {
    #[inline]
    fn now(&self) -> u64 {
        self.now
    }

    #[inline(always)]
    fn send(&mut self, Dispatch { from, serial, parcel }: Dispatch<M>) {
        self.under_way += 1;
        match &mut self.ahead {
            Ahead::Next(next) => next.push(parcel, &mut self.pool),
            Ahead::Later(later) => {
                let link = self.wiring.link(from.node, from.port);
                let tick = self.delay.arrival(link, from.node.into(), serial, self.now);
                later.entry(tick).or_default().push(parcel, &mut self.pool);
            }
        }
    }

    fn set_alarm(&mut self, node: u32, ticks: u32) {
        self.timers.set_alarm(node, self.now + u64::from(ticks));
        self.look_at_timers();
    }

    #[inline(always)]
    fn lend(&mut self) -> Option<(Vec<Parcel<M>>, usize)> {
        if self.wake <= self.now {
            return None;
        }
        if self.cursor == self.reading.len() && !self.next_range() {
            return None;
        }
        Some((mem::take(&mut self.reading), self.cursor))
    }

    #[inline(always)]
    fn give_back(&mut self, parcels: Vec<Parcel<M>>, delivered: Range<usize>) {
        self.under_way -= delivered.len() as u64;
        self.cursor = delivered.end;
        self.reading = parcels;
    }

    #[inline(always)]
    fn advance(&mut self) -> bool {
        let tick = self.next_arrival();
        // The alarms of the tick come after its messages.
        if tick < self.wake && tick <= self.alarm && tick != NEVER && self.alarm > self.now {
            self.go_to(tick);
            return true;
        }
        false
    }

    #[inline(never)]
    fn turn(&mut self) -> Result<Option<Turn>, Misfit> {
        let tick = self.next_arrival().min(self.wake).min(self.alarm);
        if tick == NEVER {
            return Ok(None);
        }
        if tick > self.now {
            self.go_to(tick);
            return Ok(Some(Turn::Onward));
        }
        let due = self.timers.pop(self.now);
        self.look_at_timers();
        Ok(Some(due.map_or(Turn::Onward, Into::into)))
    }

    fn crash(&mut self, _: u32) -> u64 {
        0
    }

    fn blocked(&self) -> u64 {
        0
    }

    fn peak_in_flight(&self) -> Option<u64> {
        Some(self.peak)
    }
}

/// Messages in the order in which they were added.
pub(crate) struct Chunks<M> {
    full: Vec<Vec<Parcel<M>>>,
    filling: Vec<Parcel<M>>,
}

impl<M> Default for Chunks<M> {
    fn default() -> Self {
        Self { full: Vec::new(), filling: Vec::new() }
    }
}

impl<M: Copy> Chunks<M> {
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.filling.len() == self.filling.capacity()
    }

    #[inline(always)]
    fn push(&mut self, parcel: Parcel<M>, pool: &mut Vec<Vec<Parcel<M>>>) {
        if self.is_full() {
            self.new_chunk(pool);
        }
        self.filling.push(parcel);
    }

    #[cold]
    fn new_chunk(&mut self, pool: &mut Vec<Vec<Parcel<M>>>) {
        let next = pool.pop().unwrap_or_else(|| Vec::with_capacity(CHUNK));
        let filled = mem::replace(&mut self.filling, next);
        if !filled.is_empty() {
            self.full.push(filled);
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Parcel<M>> {
        self.full.iter().flatten().chain(&self.filling)
    }
}

/// Messages by ranges of receivers.
pub(crate) struct Ranges<M> {
    /// The logarithm of the width of a range.
    shift: u32,
    ranges: Vec<Chunks<M>>,
    /// A bit for each range that holds messages.
    held: Vec<u64>,
}

impl<M: Copy> Ranges<M> {
    pub(crate) fn new(nodes: u32) -> Self {
        let width = nodes.div_ceil(RANGES).max(1).next_power_of_two();
        let shift = width.trailing_zeros().max(LEAST_WIDTH);
        let count = (nodes.saturating_sub(1) >> shift) as usize + 1;
        let ranges = (0..count).map(|_| Chunks::default()).collect();
        Self { shift, ranges, held: vec![0; count.div_ceil(64)] }
    }

    #[inline(always)]
    fn push(&mut self, parcel: Parcel<M>, pool: &mut Vec<Vec<Parcel<M>>>) {
        let range = (parcel.to.node >> self.shift) as usize;
        let chunks = &mut self.ranges[range];
        if chunks.is_full() {
            self.held[range / 64] |= 1 << (range % 64);
            chunks.new_chunk(pool);
        }
        chunks.filling.push(parcel);
    }

    /// Removes the messages of the first range that holds some, and returns them with its number.
    fn take_first(&mut self) -> Option<(usize, Chunks<M>)> {
        let word = self.held.iter().position(|&word| word != 0)?;
        let range = word * 64 + self.held[word].trailing_zeros() as usize;
        self.held[word] &= self.held[word] - 1;
        Some((range, mem::take(&mut self.ranges[range])))
    }
}

/// What sorts the messages of a range.
pub(crate) struct Sorter<M> {
    counts: Vec<u32>,
    /// A buffer of the length of the longest range so far, unless it is `lent`.
    sorted: Vec<Parcel<M>>,
    lent: bool,
}

impl<M> Default for Sorter<M> {
    fn default() -> Self {
        Self { counts: Vec::new(), sorted: Vec::new(), lent: false }
    }
}

impl<M: Copy> Sorter<M> {
    /// Returns the messages of the first range that holds some, in order.
    pub(crate) fn next(
        &mut self,
        ranges: &mut Ranges<M>,
        pool: &mut Vec<Vec<Parcel<M>>>,
    ) -> Option<Vec<Parcel<M>>> {
        let (range, chunks) = ranges.take_first()?;
        let first = (range as u32) << ranges.shift;
        Some(self.sort(chunks, first, 1 << ranges.shift, pool))
    }

    /// Returns the messages to the `width` receivers from `first` on, by receiver and port and then
    /// in the order given.
    fn sort(
        &mut self,
        chunks: Chunks<M>,
        first: u32,
        width: usize,
        pool: &mut Vec<Vec<Parcel<M>>>,
    ) -> Vec<Parcel<M>> {
        if chunks.full.is_empty() && chunks.filling.len() * 16 < width {
            let mut few = chunks.filling;
            if few.len() > 1 {
                few.sort_by_key(|parcel| parcel.to);
            }
            return few;
        }
        // By counting: where the messages of each receiver begin, and then where the next one goes.
        let Self { counts, sorted, lent } = self;
        counts.clear();
        counts.resize(width + 1, 0);
        for parcel in chunks.iter() {
            counts[(parcel.to.node - first) as usize + 1] += 1;
        }
        let mut sum = 0;
        for count in &mut *counts {
            sum += *count;
            *count = sum;
        }
        let any = chunks.filling[0];
        let mut all = mem::take(sorted);
        *lent = true;
        all.resize(sum as usize, any);
        for mut chunk in chunks.full.into_iter().chain([chunks.filling]) {
            for parcel in chunk.drain(..) {
                let place = &mut counts[(parcel.to.node - first) as usize];
                all[*place as usize] = parcel;
                *place += 1;
            }
            pool.push(chunk);
        }
        let mut from = 0;
        for &end in &counts[..width] {
            let of_one = &mut all[from as usize..end as usize];
            if of_one.len() > 1 && !of_one.is_sorted_by_key(|parcel| parcel.to.port) {
                of_one.sort_by_key(|parcel| parcel.to.port);
            }
            from = end;
        }
        all
    }

    /// Takes messages back that have arrived.
    pub(crate) fn take_back(&mut self, mut spent: Vec<Parcel<M>>, pool: &mut Vec<Vec<Parcel<M>>>) {
        if mem::take(&mut self.lent) {
            self.sorted = spent;
        } else if spent.capacity() > 0 {
            spent.clear();
            pool.push(spent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::medium::Depth;
    use suffrage_process::{End, Port};
    use suffrage_topology::random::Generator;

    /// Messages that are numbered in the order of sending.
    fn parcels(count: u32, nodes: u32, ports: u32) -> Vec<Parcel<u32>> {
        let mut random = Generator::new(u64::from(count), "rounds");
        let mut below = |bound| random.below(u64::from(bound)) as u32;
        (0..count)
            .map(|msg| {
                let to = End { node: below(nodes), port: Port(below(ports)) };
                Parcel { to, depth: Depth::new(1, false), msg }
            })
            .collect()
    }

    #[test]
    fn ranges_give_all_by_receiver_and_port_and_then_as_they_were_sent() {
        for (count, nodes, ports) in [
            (1, 1, 1),
            (3, 10, 2),
            (300, 5, 2),
            (5000, 3000, 3),
            (20_000, 700_000, 2),
            (9, 1 << 20, 1),
        ] {
            let mut sent = parcels(count, nodes, ports);
            let mut ranges = Ranges::new(nodes);
            let (mut pool, mut arrived) = (Vec::new(), Vec::<Parcel<u32>>::new());
            let mut sorter = Sorter::default();
            for &parcel in &sent {
                ranges.push(parcel, &mut pool);
            }
            while let Some(sorted) = sorter.next(&mut ranges, &mut pool) {
                arrived.extend(&sorted);
                sorter.take_back(sorted, &mut pool);
            }
            sent.sort_by_key(|parcel| (parcel.to.node, parcel.to.port, parcel.msg));
            assert_eq!(arrived, sent, "{count} to {nodes}");
        }
    }

    #[test]
    fn chunks_are_used_again() {
        let mut ranges = Ranges::new(5000);
        let mut pool = Vec::new();
        let mut sorter = Sorter::default();
        for _ in 0..50 {
            for parcel in parcels(3000, 5000, 2) {
                ranges.push(parcel, &mut pool);
            }
            while let Some(sorted) = sorter.next(&mut ranges, &mut pool) {
                sorter.take_back(sorted, &mut pool);
            }
        }
        // Five ranges of at most four chunks each.
        assert!(pool.len() <= 20, "{} chunks for 3000 messages at a time", pool.len());
    }
}
