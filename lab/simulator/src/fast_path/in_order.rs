//! Every message takes one tick, and those of a tick arrive by receiver and port.

use super::{
    pace::{FastMessage, MessagePace},
    wires::Wires,
};
use crate::{
    chunks::Pool,
    rounds::{Ranges, Sorter},
};
use std::mem;
use suffrage_model::End;

/// The pace of `rounds`, where all initiators wake at tick 0 and no alarm is set. Depths are not stored, as
/// in [`Lockstep`](super::Lockstep).
pub(super) struct InOrder<'a, E> {
    now: u64,
    /// The numbers of messages of this tick that have not been taken, and of those of the next.
    present: usize,
    next: usize,
    ordered: &'a mut Ordered<E>,
}

pub(super) struct Ordered<E> {
    present: Ranges<E>,
    next: Ranges<E>,
    pool: Pool<E>,
    sorter: Sorter,
}

impl<E: Copy> Ordered<E> {
    pub(super) fn new(nodes: u32) -> Self {
        let (present, next) = (Ranges::new(nodes), Ranges::new(nodes));
        Self { present, next, pool: Pool::default(), sorter: Sorter::default() }
    }
}

impl<'a, E: Copy> InOrder<'a, E> {
    pub(super) const fn new(ordered: &'a mut Ordered<E>) -> Self {
        Self { now: 0, present: 0, next: 0, ordered }
    }
}

impl<W: Wires, M: Copy> MessagePace<W, M> for InOrder<'_, FastMessage<W::Way, (), M>> {
    type Mark = ();
    type Depth = ();
    type Buffer = Vec<FastMessage<W::Way, (), M>>;
    const PEAK_AT_ENDS: bool = true;

    #[inline(always)]
    fn push(&mut self, _: W, _: End, _: u32, (): &mut (), way: W::Way, msg: M) {
        self.next += 1;
        let Ordered { next, pool, .. } = &mut *self.ordered;
        next.push(FastMessage { way, mark: (), msg }, pool);
    }

    #[inline(always)]
    fn advance(&mut self, read: &mut Self::Buffer) -> usize {
        if self.next == 0 {
            return 0;
        }
        self.now += 1;
        self.present = mem::take(&mut self.next);
        let Ordered { present, next, .. } = &mut *self.ordered;
        mem::swap(present, next);
        MessagePace::<W, M>::more(self, read)
    }

    #[inline(always)]
    fn more(&mut self, read: &mut Self::Buffer) -> usize {
        if self.present == 0 {
            return 0;
        }
        let Ordered { present, pool, sorter, .. } = &mut *self.ordered;
        let count = sorter.next(present, pool, read);
        self.present -= count;
        count
    }

    #[inline(always)]
    fn messages(read: &Self::Buffer, count: usize) -> &[FastMessage<W::Way, (), M>] {
        &read[..count]
    }

    #[inline(always)]
    fn now(&self) -> u64 {
        self.now
    }

    #[inline(always)]
    fn in_flight(&self, unread: usize) -> u64 {
        (self.present + unread + self.next) as u64
    }
}
