//! The pending alarms of one process, for engines that have a clock.

use alloc::collections::{BTreeMap, BinaryHeap};
use core::cmp::Reverse;

/// The pending alarms of one process: by name, with the instants at which they are due.
///
/// It keeps the order that the [model](crate) promises: alarms ring in the order in which
/// they are due, and those due at the same instant in the order in which they were set. Instants are
/// in any unit of the engine's. [`set`](Self::set) and [`pop`](Self::pop) take O(log *n*) amortized
/// time, where *n* alarms are pending; memory is O(*n*), however often an alarm is set again.
///
/// ```
/// use tenure_model::Alarms;
///
/// let mut alarms = Alarms::new();
/// alarms.set("renew", 50);
/// alarms.set("lapse", 250);
/// alarms.set("renew", 100);
/// assert_eq!(alarms.pop(99), None);
/// assert_eq!(alarms.pop(100), Some((100, "renew")));
/// assert_eq!(alarms.next_due(), Some(250));
/// ```
#[derive(Clone, Debug)]
pub struct Alarms<A> {
    /// The instant at which each alarm is due, and its serial number among all that were ever set.
    pending: BTreeMap<A, (u64, u64)>,
    /// The alarms in the order in which they are due. It also has entries of alarms that were
    /// cancelled or set again since, which are skipped when they come up, and removed when the heap
    /// has more than 32 entries and four for each pending alarm.
    heap: BinaryHeap<Reverse<(u64, u64, A)>>,
    serial: u64,
}

impl<A: Copy + Ord> Default for Alarms<A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A: Copy + Ord> Alarms<A> {
    /// Creates an empty set of alarms.
    #[must_use]
    pub const fn new() -> Self {
        Self { pending: BTreeMap::new(), heap: BinaryHeap::new(), serial: 0 }
    }

    /// Sets an alarm, which replaces a pending one of the same name.
    #[inline]
    pub fn set(&mut self, alarm: A, due: u64) {
        self.serial += 1;
        self.pending.insert(alarm, (due, self.serial));
        self.heap.push(Reverse((due, self.serial, alarm)));
        if self.heap.len() > 32 + 4 * self.pending.len() {
            let pending = &self.pending;
            self.heap.retain(|Reverse((_, serial, alarm))| {
                pending.get(alarm).is_some_and(|(_, current)| current == serial)
            });
        }
    }

    /// Cancels an alarm, if it is pending.
    #[inline]
    pub fn cancel(&mut self, alarm: A) {
        self.pending.remove(&alarm);
    }

    /// Returns the instant at which the alarm is due, if it is pending.
    #[inline]
    #[must_use]
    pub fn due(&self, alarm: A) -> Option<u64> {
        self.pending.get(&alarm).map(|&(due, _)| due)
    }

    /// Returns the instant at which the next alarm is due.
    #[inline]
    pub fn next_due(&mut self) -> Option<u64> {
        loop {
            let &Reverse((due, serial, alarm)) = self.heap.peek()?;
            if self.pending.get(&alarm).is_some_and(|&(_, current)| current == serial) {
                return Some(due);
            }
            self.heap.pop();
        }
    }

    /// Removes and returns the next alarm, and the instant at which it was due, if that is at `now`
    /// or before.
    #[inline]
    pub fn pop(&mut self, now: u64) -> Option<(u64, A)> {
        if self.next_due()? > now {
            return None;
        }
        let Reverse((due, _, alarm)) = self.heap.pop()?;
        self.pending.remove(&alarm);
        Some((due, alarm))
    }

    /// Cancels all alarms, as a crash does.
    pub fn clear(&mut self) {
        self.pending.clear();
        self.heap.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alarms_ring_when_due_and_then_in_the_order_of_setting() {
        let mut alarms = Alarms::new();
        for (alarm, due) in [('a', 5), ('b', 3), ('c', 5), ('b', 5), ('d', 9)] {
            alarms.set(alarm, due);
        }
        alarms.cancel('c');
        assert_eq!(alarms.next_due(), Some(5));
        assert_eq!(alarms.pop(4), None);
        assert_eq!(alarms.pop(8), Some((5, 'a')));
        assert_eq!(alarms.due('b'), Some(5));
        assert_eq!(alarms.pop(8), Some((5, 'b')));
        assert_eq!(alarms.pop(8), None);
        assert_eq!(alarms.due('d'), Some(9));
        alarms.clear();
        assert_eq!(alarms.next_due(), None);
    }

    #[test]
    fn an_alarm_that_is_set_for_ever_anew_takes_no_memory() {
        let mut alarms = Alarms::new();
        for due in 0..10_000 {
            alarms.set('x', 1_000_000 + due);
        }
        assert!(alarms.heap.len() < 100);
        assert_eq!(alarms.next_due(), Some(1_009_999));
    }
}
