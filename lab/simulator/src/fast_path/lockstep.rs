//! Every message takes one tick.

use super::{
    pace::{FastMessage, MessagePace},
    wires::Wires,
};
use crate::chunks::{self, Chunk, ChunkList, Pool};
use std::mem;
use suffrage_model::End;

/// The pace of a synchronous network on which all initiators wake at tick 0 and no alarm is set.
///
/// Depths are not stored, because the causal depth of every message is the tick at which it arrives.
/// By induction: a message that arrives at tick 1 was sent by a process that woke, and one that
/// arrives at tick `t + 1` was sent in reaction to one that arrived at `t`, when its sender had
/// received messages of depth `t` at most. Likewise every tick is a round: no message that was sent
/// before a tick is left after it.
pub(super) struct Lockstep<'a, E> {
    now: u64,
    /// The last messages that were sent for the next tick, up to `filled`.
    filling: Chunk<E>,
    filled: usize,
    waiting: &'a mut LockstepQueue<E>,
}

/// The messages of ticks that have more of them than go into a chunk.
// What the pace owns is borrowed: a destructor would take its address, and what has an address is in memory.
pub(super) struct LockstepQueue<E> {
    /// Those of this tick that have not been taken, and those of the next before the last.
    present: ChunkList<E>,
    next: ChunkList<E>,
    pool: Pool<E>,
}

impl<E> Default for LockstepQueue<E> {
    fn default() -> Self {
        Self { present: ChunkList::default(), next: ChunkList::default(), pool: Pool::default() }
    }
}

impl<E: Copy> LockstepQueue<E> {
    /// Goes to the next tick, whose last messages are given. Returns an empty chunk.
    #[cold]
    #[inline(never)]
    fn turn(&mut self, last: Chunk<E>, filled: usize) -> Chunk<E> {
        mem::swap(&mut self.present, &mut self.next);
        self.present.close(last, filled)
    }
}

impl<'a, E: Copy> Lockstep<'a, E> {
    pub(super) const fn new(waiting: &'a mut LockstepQueue<E>) -> Self {
        Self { now: 0, filling: None, filled: 0, waiting }
    }
}

impl<W: Wires, M: Copy> MessagePace<W, M> for Lockstep<'_, FastMessage<W::Way, (), M>> {
    type Mark = ();
    type Depth = ();
    type Buffer = Chunk<FastMessage<W::Way, (), M>>;

    #[inline(always)]
    fn push(&mut self, _: W, _: End, _: u32, (): &mut (), way: W::Way, msg: M) {
        let event = FastMessage { way, mark: (), msg };
        if let Some(chunk) = &mut self.filling
            && let Some(place) = chunk.get_mut(self.filled)
        {
            *place = event;
            self.filled += 1;
            return;
        }
        let LockstepQueue { next, pool, .. } = &mut *self.waiting;
        self.filling = next.exchange(self.filling.take(), Box::new(event), pool);
        self.filled = 1;
    }

    #[inline(always)]
    fn advance(&mut self, read: &mut Self::Buffer) -> usize {
        let count = mem::take(&mut self.filled);
        self.now += u64::from(count > 0);
        if self.waiting.next.has_room() {
            mem::swap(&mut self.filling, read);
            return count;
        }
        self.filling = self.waiting.turn(self.filling.take(), count);
        MessagePace::<W, M>::more(self, read)
    }

    #[inline(always)]
    fn more(&mut self, read: &mut Self::Buffer) -> usize {
        let LockstepQueue { present, pool, .. } = &mut *self.waiting;
        if present.len() == 0 { 0 } else { present.take(read, pool) }
    }

    #[inline(always)]
    fn messages(read: &Self::Buffer, count: usize) -> &[FastMessage<W::Way, (), M>] {
        chunks::first(read, count)
    }

    #[inline(always)]
    fn now(&self) -> u64 {
        self.now
    }

    #[inline(always)]
    fn in_flight(&self, unread: usize) -> u64 {
        let LockstepQueue { present, next, .. } = &*self.waiting;
        (present.len() + unread + next.len() + self.filled) as u64
    }
}

#[cfg(test)]
mod tests;
