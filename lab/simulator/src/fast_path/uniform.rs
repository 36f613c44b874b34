//! Delays that are uniform, on FIFO links.

use super::{
    pace::{FastMessage, MessagePace},
    wires::Wires,
};
use crate::{
    calendar::Calendar,
    chunks::{self, Chunk},
    delay::Epochs,
    medium::MarkedDepth,
    node::Depths,
};
use prefetch_index::prefetch_index;
use suffrage_algorithms::Rounds;
use suffrage_model::{End, Port};
use suffrage_networks::random::Key;

/// The pace of `uniform:D`, where all initiators wake at tick 0 and no alarm is set. The arrival
/// ticks are those of [`Delay`](crate::delay::Delay).
// What it owns is borrowed: a destructor would take its address, and what has an address is in memory.
pub(super) struct UniformPace<'a, E> {
    calendar: &'a mut Calendar<E>,
    key: Key,
    most: u64,
    /// The last arrival of every link, where there is a table of them.
    last: &'a mut [u32],
    /// The instants of delivery, where last arrivals are not remembered.
    epochs: Epochs,
    rounds: Rounds,
}

/// The causal depth of a process, and the last arrivals on its links, where they are with it.
#[derive(Clone, Copy, Default)]
pub(super) struct DepthAndArrivals<L> {
    depth: u32,
    last: L,
}

impl<L: Copy + Default> Depths for DepthAndArrivals<L> {
    fn get(self) -> u32 {
        self.depth
    }
}

impl<'a, E: Copy> UniformPace<'a, E> {
    pub(super) fn new(
        calendar: &'a mut Calendar<E>,
        last: &'a mut [u32],
        key: Key,
        most: u64,
    ) -> Self {
        let (epochs, rounds) = (Epochs::new(key, most), Rounds::default());
        Self { calendar, key, most, last, epochs, rounds }
    }
}

impl<W: Wires, M: Copy> MessagePace<W, M> for UniformPace<'_, FastMessage<W::Way, MarkedDepth, M>> {
    type Mark = MarkedDepth;
    type Depth = DepthAndArrivals<W::Each>;
    type Buffer = Chunk<FastMessage<W::Way, MarkedDepth, M>>;

    #[inline(always)]
    fn push(
        &mut self,
        wires: W,
        from: End,
        serial: u32,
        DepthAndArrivals { depth, last }: &mut DepthAndArrivals<W::Each>,
        way: W::Way,
        msg: M,
    ) {
        let now = self.calendar.now();
        let tick = if let Some(last) = wires.number(from, last, self.last) {
            let key = self.key.at(u64::from(from.node) << 32 | u64::from(serial));
            let drawn = now + 1 + key.below(self.most);
            *last = (drawn as u32).max(*last);
            u64::from(*last)
        } else {
            self.epochs.arrival(wires.link(from), now)
        };
        let mark = MarkedDepth::new(*depth + 1, self.rounds.send());
        self.calendar.push(tick, FastMessage { way, mark, msg });
    }

    #[inline(always)]
    fn advance(&mut self, read: &mut Self::Buffer) -> usize {
        let Some(tick) = self.calendar.next_tick() else { return 0 };
        self.calendar.advance(tick);
        self.calendar.take(read)
    }

    #[inline(always)]
    fn more(&mut self, read: &mut Self::Buffer) -> usize {
        self.calendar.take(read)
    }

    #[inline(always)]
    fn messages(read: &Self::Buffer, count: usize) -> &[FastMessage<W::Way, MarkedDepth, M>] {
        chunks::first(read, count)
    }

    #[inline(always)]
    fn now(&self) -> u64 {
        self.calendar.now()
    }

    #[inline(always)]
    fn in_flight(&self, _: usize) -> u64 {
        self.rounds.under_way()
    }

    #[inline(always)]
    fn arrive(&mut self, mark: MarkedDepth) {
        self.rounds.receive(mark.mark());
    }

    #[inline(always)]
    fn deepen(past: &mut Self::Depth, mark: MarkedDepth) {
        past.depth = mark.get().max(past.depth);
    }

    #[inline(always)]
    fn fetch(&self, wires: W, node: u32) {
        if !self.last.is_empty() {
            // The links of a process are next to each other, so the first stands for all.
            prefetch_index(&*self.last, wires.link(End { node, port: Port(0) }) as usize);
        }
    }

    fn rounds(&self) -> u64 {
        self.rounds.since_last_wake()
    }

    fn causal_depth(_: u64) -> u32 {
        0
    }
}
