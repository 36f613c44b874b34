//! The fast medium: delays, unbounded links.

use crate::{
    agenda::{Agenda, Due},
    calendar::Calendar,
    medium::{Dispatch, Medium, Misfit, Parcel, Step},
    pace::Pace,
};
use std::{cmp::Ordering, collections::BinaryHeap};
use suffrage_topology::wiring::Wiring;

/// Messages wait for their instant of arrival; ties are resolved by the order of sending, which
/// keeps links FIFO. Links themselves are not represented at all.
pub(crate) struct Timed<'a, M> {
    now: u64,
    wiring: &'a Wiring,
    agenda: Agenda,
    /// Something on the agenda is due at this tick, and comes before the arrivals of the tick.
    due: bool,
    pace: Pace,
    queue: Queue<Parcel<M>>,
}

enum Queue<E> {
    /// For delays with a bound.
    Calendar(Calendar<E>),
    /// For unbounded and heavy-tailed ones.
    Heap { heap: BinaryHeap<Entry<E>>, serial: u64 },
}

/// The longest delay for which buckets are used: beyond it most of them would be empty.
const LONGEST_CALENDAR: u64 = 1024;

impl<'a, M: Copy> Timed<'a, M> {
    pub(crate) fn new(wiring: &'a Wiring, agenda: Agenda, pace: Pace) -> Self {
        let queue = match pace.longest() {
            Some(longest) if longest <= LONGEST_CALENDAR => Queue::Calendar(Calendar::new(longest)),
            _ => Queue::Heap { heap: BinaryHeap::new(), serial: 0 },
        };
        let due = agenda.next_tick() == Some(0);
        Self { now: 0, wiring, agenda, due, pace, queue }
    }

    /// Goes on to the next tick at which something happens, if there is one.
    #[cold]
    fn next_tick(&mut self) -> bool {
        let arrival = match &self.queue {
            Queue::Calendar(calendar) => calendar.next_tick(),
            Queue::Heap { heap, .. } => heap.peek().map(|entry| entry.tick),
        };
        let due = self.agenda.next_tick();
        let Some(tick) = [arrival, due].into_iter().flatten().min() else { return false };
        self.now = tick;
        self.due = due == Some(tick);
        if let Queue::Calendar(calendar) = &mut self.queue {
            calendar.advance(tick);
        }
        true
    }

    #[cold]
    fn next_due(&mut self) -> Option<Step<M>> {
        let due = self.agenda.pop(self.now);
        self.due = due.is_some();
        due.map(|due| match due {
            Due::Wake(node) => Step::Wake(node),
            Due::Alarm(node) => Step::Alarm(node),
        })
    }
}

impl<M: Copy> Medium<M> for Timed<'_, M> {
    #[inline]
    fn now(&self) -> u64 {
        self.now
    }

    #[inline]
    fn send(&mut self, Dispatch { from, link, nth, parcel }: Dispatch<M>) {
        let tick = self.pace.arrival(link, from.node, nth, self.now);
        match &mut self.queue {
            Queue::Calendar(calendar) => calendar.push(tick, parcel),
            Queue::Heap { heap, serial } => {
                heap.push(Entry { tick, serial: *serial, event: parcel });
                *serial += 1;
            }
        }
    }

    fn set_alarm(&mut self, node: u32, ticks: u32) {
        self.agenda.set_alarm(node, self.now + u64::from(ticks.max(1)));
    }

    #[inline]
    fn next(&mut self) -> Result<Option<Step<M>>, Misfit> {
        loop {
            if self.due {
                match self.next_due() {
                    Some(step) => return Ok(Some(step)),
                    None => continue,
                }
            }
            let arrived = match &mut self.queue {
                Queue::Calendar(calendar) => calendar.pop(),
                Queue::Heap { heap, .. } => match heap.peek() {
                    Some(entry) if entry.tick == self.now => heap.pop().map(|entry| entry.event),
                    _ => None,
                },
            };
            if let Some(parcel) = arrived {
                if self.pace.follows_arrivals() {
                    let from = self.wiring.across(parcel.to.node, parcel.to.port);
                    self.pace.arrived(self.wiring.link(from.node, from.port));
                }
                return Ok(Some(Step::Deliver(parcel, 0)));
            }
            if !self.next_tick() {
                return Ok(None);
            }
        }
    }

    fn crash(&mut self, _: u32) -> u64 {
        0
    }

    fn blocked(&self) -> u64 {
        0
    }
}

/// An event in a heap: the earliest first, and of one tick the first that was pushed.
struct Entry<E> {
    tick: u64,
    serial: u64,
    event: E,
}

impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.tick, other.serial).cmp(&(self.tick, self.serial))
    }
}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<E> Eq for Entry<E> {}
