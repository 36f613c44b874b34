//! The alarms of one process, by name.

use rustc_hash::FxHashMap;
use std::{cmp::Reverse, collections::BinaryHeap, hash::Hash};

/// Alarms with the instants at which they are due, on the clock of their process.
///
/// An alarm that is set anew leaves its old entry in the heap, which is passed over when it comes
/// up, and cleared away before such entries are the most.
pub(crate) struct Alarms<A> {
    set: FxHashMap<A, (u64, u64)>,
    heap: BinaryHeap<Reverse<(u64, u64, A)>>,
    serial: u64,
}

impl<A: Copy + Ord + Hash> Alarms<A> {
    pub(crate) fn new() -> Self {
        Self { set: FxHashMap::default(), heap: BinaryHeap::new(), serial: 0 }
    }

    #[inline]
    pub(crate) fn set(&mut self, alarm: A, due: u64) {
        self.serial += 1;
        self.set.insert(alarm, (due, self.serial));
        self.heap.push(Reverse((due, self.serial, alarm)));
        if self.heap.len() > 32 + 4 * self.set.len() {
            let set = &self.set;
            self.heap.retain(|Reverse((_, serial, alarm))| {
                set.get(alarm).is_some_and(|(_, current)| current == serial)
            });
        }
    }

    #[inline]
    pub(crate) fn cancel(&mut self, alarm: A) {
        self.set.remove(&alarm);
    }

    /// When the alarm is due, if it is set.
    #[inline]
    pub(crate) fn due(&self, alarm: A) -> Option<u64> {
        self.set.get(&alarm).map(|&(due, _)| due)
    }

    /// When the next alarm is due.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<u64> {
        loop {
            let &Reverse((due, serial, alarm)) = self.heap.peek()?;
            if self.set.get(&alarm).is_some_and(|&(_, current)| current == serial) {
                return Some(due);
            }
            self.heap.pop();
        }
    }

    /// Takes the next alarm if it is due by `local`.
    #[inline]
    pub(crate) fn pop(&mut self, local: u64) -> Option<(u64, A)> {
        if self.next()? > local {
            return None;
        }
        let Reverse((due, _, alarm)) = self.heap.pop()?;
        self.set.remove(&alarm);
        Some((due, alarm))
    }

    pub(crate) fn clear(&mut self) {
        self.set.clear();
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
        assert_eq!(alarms.next(), Some(5));
        assert_eq!(alarms.pop(4), None);
        assert_eq!(alarms.pop(8), Some((5, 'a')));
        assert_eq!(alarms.due('b'), Some(5));
        assert_eq!(alarms.pop(8), Some((5, 'b')));
        assert_eq!(alarms.pop(8), None);
        assert_eq!(alarms.due('d'), Some(9));
    }

    #[test]
    fn an_alarm_that_is_set_for_ever_anew_takes_no_memory() {
        let mut alarms = Alarms::new();
        for due in 0..10_000 {
            alarms.set('x', 1_000_000 + due);
        }
        assert!(alarms.heap.len() < 100);
        assert_eq!(alarms.next(), Some(1_009_999));
    }
}
