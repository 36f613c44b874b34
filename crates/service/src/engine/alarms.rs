//! The alarms of the process, by name.

use std::collections::BTreeMap;

/// Alarms with the instants at which they are due, in nanoseconds of the participant's clock.
#[derive(Debug)]
pub(super) struct Alarms<A> {
    /// When each alarm is due, and the serial number of its setting.
    set: BTreeMap<A, (u64, u64)>,
    queue: BTreeMap<(u64, u64), A>,
    serial: u64,
}

impl<A: Copy + Ord> Alarms<A> {
    pub(super) const fn new() -> Self {
        Self { set: BTreeMap::new(), queue: BTreeMap::new(), serial: 0 }
    }

    pub(super) fn set(&mut self, alarm: A, due: u64) {
        self.serial += 1;
        let place = (due, self.serial);
        if let Some(old) = self.set.insert(alarm, place) {
            self.queue.remove(&old);
        }
        self.queue.insert(place, alarm);
    }

    pub(super) fn cancel(&mut self, alarm: A) {
        if let Some(place) = self.set.remove(&alarm) {
            self.queue.remove(&place);
        }
    }

    /// Returns when the alarm is due, if it is set.
    pub(super) fn due(&self, alarm: A) -> Option<u64> {
        self.set.get(&alarm).map(|&(due, _)| due)
    }

    /// Returns when the next alarm is due.
    pub(super) fn next(&self) -> Option<u64> {
        self.queue.first_key_value().map(|(&(due, _), _)| due)
    }

    /// Takes the next alarm if it is due by `now`.
    pub(super) fn pop(&mut self, now: u64) -> Option<(u64, A)> {
        if self.next()? > now {
            return None;
        }
        let ((due, _), alarm) = self.queue.pop_first()?;
        self.set.remove(&alarm);
        Some((due, alarm))
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
}
