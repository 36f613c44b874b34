//! The fast medium of `rounds`: every tick in the order of receivers and ports.

use crate::{
    chunks::{self, ChunkList, Pool},
    delay::Delay,
    medium::{Dispatch, InFlight, Medium, ReplayMismatch, Turn},
    timers::{NEVER, Timers},
};
use slab::Slab;
use std::{collections::BTreeMap, mem, ops::Range};
use suffrage_networks::wiring::{End, Wiring};

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
    present: Ranges<InFlight<M>>,
    ahead: Ahead<M>,
    pool: Pool<InFlight<M>>,
    /// The messages of the range that is being read, in order, and which of them have not been lent.
    reading: Vec<InFlight<M>>,
    unread: Range<usize>,
    sorter: Sorter,
    under_way: u64,
    peak: u64,
}

/// The messages of ticks to come.
pub(crate) enum Ahead<M> {
    /// With unit delays, those of the next one.
    Next(Ranges<InFlight<M>>),
    Later(LaterTicks<InFlight<M>>),
}

impl<M: Copy> Ahead<M> {
    /// Creates an empty one, where delays are as of `delay`.
    pub(crate) fn new(delay: &Delay, nodes: u32) -> Self {
        match delay {
            Delay::Unit => Self::Next(Ranges::new(nodes)),
            _ => Self::Later(LaterTicks::default()),
        }
    }

    /// Adds a message that arrives at `tick`, which with unit delays is the next one.
    #[inline(always)]
    pub(crate) fn push(&mut self, tick: u64, message: InFlight<M>, pool: &mut Pool<InFlight<M>>) {
        match self {
            Self::Next(next) => next.push(message, pool),
            Self::Later(later) => later.push(tick, message, pool),
        }
    }

    /// Returns all messages with the ticks of their arrival, those of one link in the order in which they
    /// were added; `next` is the tick of those that arrive at the next one.
    pub(crate) fn iter(&self, next: u64) -> impl Iterator<Item = (u64, &InFlight<M>)> {
        let (ranges, later) = match self {
            Self::Next(next) => (next.ranges.as_slice(), None),
            Self::Later(later) => ([].as_slice(), Some(later)),
        };
        let unit = ranges.iter().map(move |list| (next, list));
        let lists = unit.chain(later.into_iter().flat_map(LaterTicks::iter));
        lists.flat_map(|(tick, list)| {
            let chunks = (0..list.chunks()).map(|number| list.chunk(number));
            chunks.flatten().map(move |message| (tick, message))
        })
    }

    /// Moves the messages of `tick`, which is the first that has some, into `present`, which is empty.
    pub(crate) fn take(
        &mut self,
        tick: u64,
        present: &mut Ranges<InFlight<M>>,
        pool: &mut Pool<InFlight<M>>,
    ) {
        match self {
            Self::Next(next) => mem::swap(present, next),
            Self::Later(later) => {
                if let Some(list) = later.remove(tick) {
                    for number in 0..list.chunks() {
                        for &message in list.chunk(number) {
                            present.push(message, pool);
                        }
                    }
                    list.leave(pool);
                }
            }
        }
    }
}

/// Lists of messages by the tick of their arrival.
// The map has places of lists, and not lists: so it is compiled once, and not for each type of message.
pub(crate) struct LaterTicks<E> {
    ticks: BTreeMap<u64, usize>,
    lists: Slab<ChunkList<E>>,
}

impl<E> Default for LaterTicks<E> {
    fn default() -> Self {
        Self { ticks: BTreeMap::new(), lists: Slab::new() }
    }
}

impl<E: Copy> LaterTicks<E> {
    fn push(&mut self, tick: u64, event: E, pool: &mut Pool<E>) {
        let lists = &mut self.lists;
        let place = *self.ticks.entry(tick).or_insert_with(|| lists.insert(ChunkList::default()));
        lists[place].push(event, pool);
    }

    fn first(&self) -> Option<u64> {
        self.ticks.first_key_value().map(|(&tick, _)| tick)
    }

    fn remove(&mut self, tick: u64) -> Option<ChunkList<E>> {
        self.ticks.remove(&tick).map(|place| self.lists.remove(place))
    }

    fn iter(&self) -> impl Iterator<Item = (u64, &ChunkList<E>)> {
        self.ticks.iter().map(|(&tick, &place)| (tick, &self.lists[place]))
    }
}

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
            pool: Pool::default(),
            reading: Vec::new(),
            unread: 0..0,
            sorter: Sorter::default(),
            under_way: 0,
            peak: 0,
        };
        rounds.look_at_timers();
        rounds
    }

    fn look_at_timers(&mut self) {
        self.wake = self.timers.next_wake();
        self.alarm = self.timers.next_alarm();
    }

    #[inline(always)]
    fn next_arrival(&self) -> u64 {
        match &self.ahead {
            _ if self.under_way == 0 => NEVER,
            Ahead::Next(_) => self.now + 1,
            Ahead::Later(later) => later.first().unwrap_or(NEVER),
        }
    }

    /// Ends the present tick.
    #[inline]
    fn go_to(&mut self, tick: u64) {
        self.peak = self.peak.max(self.under_way);
        self.now = tick;
        self.ahead.take(tick, &mut self.present, &mut self.pool);
    }
}

impl<M: Copy> Medium<M> for InRounds<'_, M> {
    #[inline]
    fn now(&self) -> u64 {
        self.now
    }

    #[inline(always)]
    fn send(&mut self, Dispatch { from, serial, message }: Dispatch<M>) {
        self.under_way += 1;
        match &mut self.ahead {
            Ahead::Next(next) => next.push(message, &mut self.pool),
            Ahead::Later(later) => {
                let link = self.wiring.link(from.node, from.port);
                let tick = self.delay.arrival(link, from.node.into(), serial, self.now);
                later.push(tick, message, &mut self.pool);
            }
        }
    }

    fn set_alarm(&mut self, node: u32, ticks: u32) {
        self.timers.set_alarm(node, self.now + u64::from(ticks));
        self.look_at_timers();
    }

    #[inline(always)]
    fn lend(&mut self) -> Option<(Vec<InFlight<M>>, Range<usize>)> {
        if self.wake <= self.now {
            return None;
        }
        if self.unread.is_empty() {
            let Self { sorter, present, pool, reading, .. } = self;
            self.unread = 0..sorter.next(present, pool, reading);
            if self.unread.is_empty() {
                return None;
            }
        }
        Some((mem::take(&mut self.reading), self.unread.clone()))
    }

    #[inline(always)]
    fn give_back(&mut self, messages: Vec<InFlight<M>>, delivered: Range<usize>) {
        self.under_way -= delivered.len() as u64;
        (self.reading, self.unread.start) = (messages, delivered.end);
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
    fn turn(&mut self) -> Result<Option<Turn>, ReplayMismatch> {
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

    fn peak_in_flight(&self) -> Option<u64> {
        Some(self.peak)
    }
}

/// What arrives at a port of a process.
pub(crate) trait Addressed: Copy {
    fn to(&self) -> End;
}

impl<M: Copy> Addressed for InFlight<M> {
    #[inline(always)]
    fn to(&self) -> End {
        self.to
    }
}

/// Messages by ranges of receivers.
pub(crate) struct Ranges<E> {
    /// The logarithm of the width of a range.
    shift: u32,
    ranges: Vec<ChunkList<E>>,
    /// A bit for each range that holds messages.
    held: Vec<u64>,
}

impl<E: Copy> Ranges<E> {
    pub(crate) fn new(nodes: u32) -> Self {
        let width = nodes.div_ceil(RANGES).max(1).next_power_of_two();
        let shift = width.trailing_zeros().max(LEAST_WIDTH);
        let count = (nodes.saturating_sub(1) >> shift) as usize + 1;
        Self { shift, ranges: chunks::lists(count), held: vec![0; count.div_ceil(64)] }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, event: E, pool: &mut Pool<E>)
    where
        E: Addressed,
    {
        let range = (event.to().node >> self.shift) as usize;
        self.held[range / 64] |= 1 << (range % 64);
        self.ranges[range].push(event, pool);
    }
}

/// Takes the first bit that is set.
fn take_first(bits: &mut [u64]) -> Option<usize> {
    let word = bits.iter().position(|&word| word != 0)?;
    let bit = word * 64 + bits[word].trailing_zeros() as usize;
    bits[word] &= bits[word] - 1;
    Some(bit)
}

/// What sorts the messages of a range.
#[derive(Default)]
pub(crate) struct Sorter {
    /// Where the next message to each receiver goes.
    places: Vec<u32>,
    /// Where each event comes from in the order of receivers and ports.
    order: Vec<(End, u32)>,
}

impl Sorter {
    /// Moves the messages of the first range that holds some to the beginning of `sorted`, by receiver and
    /// port and then in the order in which they were added. Returns their number: 0 if there are none.
    pub(crate) fn next<E: Addressed>(
        &mut self,
        ranges: &mut Ranges<E>,
        pool: &mut Pool<E>,
        sorted: &mut Vec<E>,
    ) -> usize {
        let Some(range) = take_first(&mut ranges.held) else { return 0 };
        let (first, width) = ((range as u32) << ranges.shift, 1 << ranges.shift);
        let messages = &mut ranges.ranges[range];
        let count = messages.len();
        if sorted.len() < count {
            sorted.resize(count, messages.chunk(0)[0]);
        }
        let all = &mut sorted[..count];
        if count * 16 < width {
            let mut rest = &mut *all;
            for number in 0..messages.chunks() {
                let chunk = messages.chunk(number);
                let (here, after) = rest.split_at_mut(chunk.len());
                here.copy_from_slice(chunk);
                rest = after;
            }
            self.arrange(all);
        } else {
            self.count(messages, first, width, all);
        }
        messages.clear(pool);
        count
    }

    /// Sorts the messages to the `width` receivers from `first` on by counting.
    fn count<E: Addressed>(
        &mut self,
        messages: &ChunkList<E>,
        first: u32,
        width: usize,
        all: &mut [E],
    ) {
        // Where the messages of each receiver begin, and then where the next one goes.
        let places = &mut self.places;
        places.clear();
        places.resize(width + 1, 0);
        for number in 0..messages.chunks() {
            for event in messages.chunk(number) {
                places[(event.to().node - first) as usize + 1] += 1;
            }
        }
        let mut sum = 0;
        for place in &mut *places {
            sum += *place;
            *place = sum;
        }
        for number in 0..messages.chunks() {
            for &event in messages.chunk(number) {
                let place = &mut places[(event.to().node - first) as usize];
                all[*place as usize] = event;
                *place += 1;
            }
        }
        let mut from = 0;
        for receiver in 0..width {
            let end = self.places[receiver];
            let of_one = &mut all[from as usize..end as usize];
            if of_one.len() > 1 && !of_one.is_sorted_by_key(|event| event.to().port) {
                self.arrange(of_one);
            }
            from = end;
        }
    }

    /// Sorts by receiver and port; events with the same ones stay in their order.
    // What is sorted are places, since a sort is much to compile for each type of message.
    fn arrange<E: Addressed>(&mut self, all: &mut [E]) {
        self.order.clear();
        for (place, event) in all.iter().enumerate() {
            self.order.push((event.to(), place as u32));
        }
        self.order.sort_unstable();
        // Each event moves to its place, along the cycles of the permutation.
        for first in 0..all.len() {
            let (held, mut place) = (all[first], first);
            loop {
                let from = mem::replace(&mut self.order[place].1, place as u32) as usize;
                if from == first {
                    break;
                }
                all[place] = all[from];
                place = from;
            }
            all[place] = held;
        }
    }
}

#[cfg(test)]
mod tests;
