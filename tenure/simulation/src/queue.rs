//! The event queue: events by instant, in an order that is always the same.

use std::{cmp::Reverse, collections::BinaryHeap};
use tenure_model::Office;

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum QueuedEvent {
    /// A fault of the script begins, ends or changes.
    Action(u32),
    /// A process comes up for the first time.
    Start(u32),
    /// An alarm of a process is due.
    Wake(u32),
    /// The tenure of a suspended process in an office may be over.
    Lapse(u32, Office),
    /// The application of a process has ended its work in an office.
    Rest(u32, Office),
    /// The first pending write of a process is on stable storage, if this is the process's current
    /// boot.
    Synced(u32, u32),
    /// A message arrives; its place in the mail.
    Arrive(u32),
}

impl QueuedEvent {
    /// Returns the rank of the event among those of one instant: faults come first, and alarms
    /// before messages, as a process handles due alarms before anything else.
    const fn class(self) -> u64 {
        match self {
            Self::Action(_) | Self::Start(_) => 0,
            Self::Wake(_) => 1,
            Self::Lapse(..) => 2,
            Self::Rest(..) => 3,
            Self::Synced(..) => 4,
            Self::Arrive(_) => 5,
        }
    }
}

/// A heap of small entries with whole-number keys. It allocates only when it grows.
#[derive(Default)]
pub(crate) struct EventQueue {
    heap: BinaryHeap<Reverse<(u64, u64, QueuedEvent)>>,
    serial: u64,
}

impl EventQueue {
    /// Adds an event. Events of one instant and class come in the order in which they were added.
    #[inline]
    pub(crate) fn push(&mut self, at: u64, event: QueuedEvent) {
        self.serial += 1;
        self.heap.push(Reverse((at, event.class() << 60 | self.serial, event)));
    }

    /// Removes and returns the next event, if it is not after `end`.
    #[inline]
    pub(crate) fn pop(&mut self, end: u64) -> Option<(u64, QueuedEvent)> {
        if self.heap.peek()?.0.0 > end {
            return None;
        }
        self.heap.pop().map(|Reverse((at, _, event))| (at, event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_by_instant_then_class_then_order_of_adding() {
        let mut queue = EventQueue::default();
        for (at, event) in [
            (5, QueuedEvent::Arrive(1)),
            (5, QueuedEvent::Arrive(0)),
            (5, QueuedEvent::Wake(7)),
            (4, QueuedEvent::Arrive(2)),
            (5, QueuedEvent::Action(0)),
            (9, QueuedEvent::Wake(1)),
        ] {
            queue.push(at, event);
        }
        let order: Vec<_> = std::iter::from_fn(|| queue.pop(8)).collect();
        let expected = [
            (4, QueuedEvent::Arrive(2)),
            (5, QueuedEvent::Action(0)),
            (5, QueuedEvent::Wake(7)),
            (5, QueuedEvent::Arrive(1)),
            (5, QueuedEvent::Arrive(0)),
        ];
        assert_eq!(order, expected);
    }
}
