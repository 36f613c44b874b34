//! The fast medium: delays and unbounded links.

use crate::{
    calendar::{Calendar, LONGEST},
    delay::Delay,
    medium::{Dispatch, InFlight, Medium, ReplayMismatch, Turn},
    timers::{NEVER, Timers},
};
use slab::Slab;
use std::{cmp::Reverse, collections::BinaryHeap, mem, ops::Range};
use suffrage_model::Port;
use suffrage_networks::wiring::Wiring;

/// A medium in which messages wait for their arrival tick; ties are resolved by the order of
/// sending, which keeps links FIFO. Links themselves are not represented.
pub(crate) struct Timed<'a, M> {
    now: u64,
    wiring: &'a Wiring,
    timers: Timers,
    /// The tick at which the next timer is due. It comes before the arrivals of that tick.
    due: u64,
    delay: Delay,
    /// Whether arrivals must be reported to the delay.
    followed: bool,
    queue: TimedQueue<InFlight<M>>,
    /// Messages that arrive at the present tick, and which of them have not been lent.
    arriving: Vec<InFlight<M>>,
    unread: Range<usize>,
}

// The tag is a byte of its own: hidden in a pointer's niche it would take four instructions more
// to read, for every message.
#[repr(u8)]
#[expect(clippy::large_enum_variant, reason = "a run has one, and most have the larger")]
enum TimedQueue<E> {
    /// The queue for bounded delays.
    Calendar(Calendar<E>),
    /// The queue for unbounded and heavy-tailed delays: ticks, serial numbers, and where the events are. So the heap is
    /// compiled once, and not for each type of message.
    Heap { heap: BinaryHeap<Reverse<(u64, u64, usize)>>, serial: u64, events: Slab<E> },
}

impl<'a, M: Copy> Timed<'a, M> {
    pub(crate) fn new(wiring: &'a Wiring, timers: Timers, delay: Delay) -> Self {
        let queue = match delay.longest() {
            Some(longest) if longest <= LONGEST => TimedQueue::Calendar(Calendar::new(longest)),
            _ => TimedQueue::Heap { heap: BinaryHeap::new(), serial: 0, events: Slab::new() },
        };
        let due = timers.next_tick();
        let followed = delay.follows_arrivals();
        let (arriving, unread) = (Vec::new(), 0..0);
        Self { now: 0, wiring, timers, due, delay, followed, queue, arriving, unread }
    }

    #[inline(always)]
    fn next_arrival(&self) -> u64 {
        let tick = match &self.queue {
            TimedQueue::Calendar(calendar) => calendar.next_tick(),
            TimedQueue::Heap { heap, .. } => heap.peek().map(|&Reverse((tick, ..))| tick),
        };
        tick.unwrap_or(NEVER)
    }

    #[inline(always)]
    fn go_to(&mut self, tick: u64) {
        self.now = tick;
        if let TimedQueue::Calendar(calendar) = &mut self.queue {
            calendar.advance(tick);
        }
    }

    #[cold]
    fn take_due(&mut self) -> Turn {
        let due = self.timers.pop(self.now);
        self.due = self.timers.next_tick();
        due.map_or(Turn::Onward, Into::into)
    }
}

impl<M: Copy> Medium<M> for Timed<'_, M> {
    #[inline]
    fn now(&self) -> u64 {
        self.now
    }

    #[inline(always)]
    fn send(&mut self, Dispatch { from, serial, message }: Dispatch<M>) {
        let tick = match &mut self.delay {
            Delay::Unit => self.now + 1,
            delay => {
                let link = self.wiring.link(from.node, from.port);
                delay.arrival(link, from.node.into(), serial, self.now)
            }
        };
        match &mut self.queue {
            TimedQueue::Calendar(calendar) => calendar.push(tick, message),
            TimedQueue::Heap { heap, serial, events } => {
                heap.push(Reverse((tick, *serial, events.insert(message))));
                *serial += 1;
            }
        }
    }

    fn set_alarm(&mut self, node: u32, ticks: u32) {
        self.timers.set_alarm(node, self.now + u64::from(ticks.max(1)));
        self.due = self.timers.next_tick();
    }

    #[inline(always)]
    fn lend(&mut self) -> Option<(Vec<InFlight<M>>, Range<usize>)> {
        if self.due <= self.now {
            return None;
        }
        if self.unread.is_empty() {
            let count = match &mut self.queue {
                TimedQueue::Calendar(calendar) => {
                    let mut chunk = mem::take(&mut self.arriving).try_into().ok();
                    let count = calendar.take(&mut chunk);
                    self.arriving =
                        chunk.map_or_else(Vec::new, |chunk| Vec::from(chunk as Box<[_]>));
                    count
                }
                TimedQueue::Heap { heap, events, .. } => {
                    self.arriving.clear();
                    while let Some(&Reverse((tick, _, place))) = heap.peek()
                        && tick == self.now
                    {
                        heap.pop();
                        self.arriving.push(events.remove(place));
                    }
                    self.arriving.len()
                }
            };
            if count == 0 {
                return None;
            }
            self.unread = 0..count;
        }
        Some((mem::take(&mut self.arriving), self.unread.clone()))
    }

    #[inline(always)]
    fn give_back(&mut self, messages: Vec<InFlight<M>>, delivered: Range<usize>) {
        if self.followed {
            // No more than these: messages that are lent in two parts arrive once.
            for message in &messages[delivered.clone()] {
                let from = self.wiring.across(message.to.node, message.to.port);
                self.delay.arrived(self.wiring.link(from.node, from.port));
            }
        }
        (self.arriving, self.unread.start) = (messages, delivered.end);
    }

    #[inline]
    fn fetch(&self, soon: &[InFlight<M>]) {
        // The links of a process are next to each other, so the first stands for all.
        let first_link = |message: &InFlight<M>| self.wiring.link(message.to.node, Port(0));
        self.delay.fetch(soon.iter().map(first_link));
    }

    #[inline(always)]
    fn advance(&mut self) -> bool {
        let tick = self.next_arrival();
        if tick < self.due {
            self.go_to(tick);
            return true;
        }
        false
    }

    #[inline(never)]
    fn turn(&mut self) -> Result<Option<Turn>, ReplayMismatch> {
        if self.due <= self.now {
            return Ok(Some(self.take_due()));
        }
        let tick = self.next_arrival().min(self.due);
        if tick == NEVER {
            return Ok(None);
        }
        self.go_to(tick);
        Ok(Some(Turn::Onward))
    }
}
