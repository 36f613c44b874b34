//! Every message takes one tick.

use super::{
    Wires,
    pace::{Event, Pace},
};
use std::mem;
use suffrage_process::End;

/// The pace of a synchronous network on which all initiators wake at tick 0 and no alarm is set.
///
/// Depths are not stored, because the causal depth of every message is the tick at which it arrives.
/// By induction: a message that arrives at tick 1 was sent by a process that woke, and one that
/// arrives at tick `t + 1` was sent in reaction to one that arrived at `t`, when its sender had
/// received messages of depth `t` at most. Likewise every tick is a round: no message that was sent
/// before a tick is left after it.
pub(super) struct Lockstep<E> {
    /// The messages of this tick, from `read` to `end`, and from 0 to `written` those of the next, in
    /// the places of those that were taken: most processes send no more than they receive, and what
    /// was read is in a cache. Filled beforehand, so that no length changes.
    messages: Vec<E>,
    read: usize,
    end: usize,
    /// The end of the messages that are ready.
    stop: usize,
    written: usize,
    now: u64,
    /// The number of messages for which there is room at first.
    first: usize,
}

impl<E: Copy> Lockstep<E> {
    pub(super) const fn new(first: usize) -> Self {
        Self { messages: Vec::new(), read: 0, end: 0, stop: 0, written: 0, now: 0, first }
    }

    /// Makes room before the messages that have not been taken: more the more of them would have to
    /// be moved again, and the more have been written.
    #[inline(always)]
    fn make_room(&mut self, filler: E) {
        if self.messages.is_empty() {
            self.messages = vec![filler];
        }
        let gap = ((self.end - self.read) / 4).max(self.written / 2).max(self.first).max(16);
        self.first = 0;
        self.messages = widened(mem::take(&mut self.messages), self.read, self.end, gap);
        self.read += gap;
        self.end += gap;
        self.stop += gap;
    }
}

/// Returns messages of which those from `read` to `end` have been moved back by `gap`.
#[cold]
#[inline(never)]
fn widened<E: Copy>(mut messages: Vec<E>, read: usize, end: usize, gap: usize) -> Vec<E> {
    if messages.len() < end + gap {
        let (filler, more) = (messages[0], end + gap - messages.len());
        messages.reserve_exact(more);
        messages.resize(end + gap, filler);
    }
    messages.copy_within(read..end, read + gap);
    messages
}

impl<W: Wires, M: Copy> Pace<W, M> for Lockstep<Event<W::Way, (), M>> {
    type Mark = ();
    type Depth = ();

    #[inline(always)]
    fn push(&mut self, _: W, _: End, _: u32, (): (), way: W::Way, msg: M) {
        // It is passed to no function, not even where room is made: a message that has an address
        // lives in memory, and costs two stalls on its way through it, wherever it is sent.
        let event = Event { way, mark: (), msg };
        if self.written == self.read {
            self.make_room(event);
        }
        self.messages[self.written] = event;
        self.written += 1;
    }

    #[inline(always)]
    fn advance(&mut self) -> Option<u64> {
        (self.read, self.end, self.written) = (0, self.written, 0);
        if self.end == 0 {
            return None;
        }
        self.now += 1;
        Some(self.now)
    }

    #[inline(always)]
    fn ready(&mut self, most: usize) -> usize {
        let count = most.min(self.end - self.read);
        self.stop = self.read + count;
        count
    }

    #[inline(always)]
    fn soon(&self, count: usize) -> &[Event<W::Way, (), M>] {
        &self.messages[self.read..self.read + count]
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<Event<W::Way, (), M>> {
        if self.read == self.stop {
            return None;
        }
        let event = self.messages[self.read];
        self.read += 1;
        Some(event)
    }

    #[inline(always)]
    fn in_flight(&self) -> u64 {
        (self.end - self.read + self.written) as u64
    }

    #[inline(always)]
    fn arrive(&mut self, (): ()) {}

    #[inline(always)]
    fn deepen(_: &mut (), (): ()) {}

    #[inline(always)]
    fn fetch(&self, _: W, _: u32) -> u32 {
        0
    }

    fn rounds(&self) -> u64 {
        self.now
    }

    fn causal_depth(last_reaction: u64) -> u32 {
        last_reaction as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use suffrage_process::Port;
    use suffrage_topology::{random::Generator, wiring::OrientedRing};

    /// Sends and takes messages at random, in batches of random sizes, and compares with a queue
    /// per tick.
    #[test]
    fn messages_come_tick_by_tick_in_the_order_of_sending_however_many_are_sent() {
        let ring = OrientedRing { nodes: 8 };
        let from = End { node: 0, port: Port::NEXT };
        let way = Wires::across(ring, from).unwrap();
        let mut random = Generator::new(1, "lockstep");
        for first in [0, 1, 3, 40] {
            let mut pace = Lockstep::new(first);
            let (mut next, mut tick, mut number) = (Vec::new(), Vec::new(), 0_u32);
            let mut push = |pace: &mut Lockstep<_>, next: &mut Vec<u32>| {
                pace.push(ring, from, 0, (), way, number);
                next.push(number);
                number += 1;
            };
            (0..first).for_each(|_| push(&mut pace, &mut next));
            for now in 1..400 {
                let before = Pace::<OrientedRing, u32>::advance(&mut pace);
                if next.is_empty() {
                    assert_eq!(before, None);
                    break;
                }
                assert_eq!(before, Some(now));
                tick.append(&mut next);
                let mut taken = 0;
                loop {
                    let most = 1 + random.below(40) as usize;
                    let count = Pace::<OrientedRing, u32>::ready(&mut pace, most);
                    assert!(count <= most && (count > 0 || taken == tick.len()));
                    if count == 0 {
                        break;
                    }
                    for _ in 0..count {
                        let event = Pace::<OrientedRing, u32>::pop(&mut pace).unwrap();
                        assert_eq!(event.msg, tick[taken]);
                        taken += 1;
                        let mean_is_one = [0, 0, 1, 1, 2, 2, 0, 2][random.below(8) as usize];
                        (0..mean_is_one).for_each(|_| push(&mut pace, &mut next));
                        let under_way = (tick.len() - taken + next.len()) as u64;
                        assert_eq!(Pace::<OrientedRing, u32>::in_flight(&pace), under_way);
                    }
                    assert!(Pace::<OrientedRing, u32>::pop(&mut pace).is_none());
                }
                tick.clear();
            }
        }
    }
}
