//! The pending alarms of all processes, and which of them must ring before which.
//!
//! The order in which alarms were set matters only through this relation, so nothing else of it is
//! kept: two orders that allow the same future are equal.

/// The greatest number of alarms that may be pending at a time.
const MOST: usize = 64;

/// Pending alarms, ascending by number.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PendingAlarms {
    pub alarms: Vec<u32>,
    /// For each alarm, the set of those that must ring before it, one bit each.
    pub before: Vec<u64>,
}

impl Clone for PendingAlarms {
    fn clone(&self) -> Self {
        Self { alarms: self.alarms.clone(), before: self.before.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.alarms.clone_from(&other.alarms);
        self.before.clone_from(&other.before);
    }
}

impl PendingAlarms {
    pub(super) fn remove(&mut self, at: usize) -> u32 {
        let low = (1 << at) - 1;
        self.before.remove(at);
        for before in &mut self.before {
            *before = *before & low | *before >> 1 & !low;
        }
        self.alarms.remove(at)
    }

    pub(super) fn retain(&mut self, keep: impl Fn(u32) -> bool) {
        for at in (0..self.alarms.len()).rev() {
            if !keep(self.alarms[at]) {
                self.remove(at);
            }
        }
    }

    /// Adds an alarm that is set now; some of the pending alarms must ring before it.
    ///
    /// # Panics
    /// If more than 64 alarms are pending.
    pub(super) fn set(&mut self, alarm: u32, precedes: impl Fn(u32) -> bool) {
        assert!(self.alarms.len() < MOST, "more than {MOST} alarms are pending");
        let at = self.alarms.partition_point(|&other| other < alarm);
        let low = (1_u64 << at) - 1;
        for before in &mut self.before {
            *before = *before & low | (*before & !low) << 1;
        }
        self.alarms.insert(at, alarm);
        let others = self.alarms.iter().enumerate();
        let mask = others.filter(|&(i, &other)| i != at && precedes(other));
        self.before.insert(at, mask.fold(0, |mask, (i, _)| mask | 1 << i));
    }

    pub(super) fn may_ring(&self) -> impl Iterator<Item = usize> {
        (0..self.alarms.len()).filter(|&at| self.before[at] == 0)
    }

    /// Renumbers the alarms.
    pub(super) fn renumber(&mut self, number: impl Fn(u32) -> u32) {
        self.alarms.iter_mut().for_each(|alarm| *alarm = number(*alarm));
        if self.alarms.is_sorted() {
            return;
        }
        let mut order: Vec<usize> = (0..self.alarms.len()).collect();
        order.sort_unstable_by_key(|&at| self.alarms[at]);
        let moved = |mask: u64| {
            let bit = |(to, &from): (usize, &usize)| (mask >> from & 1) << to;
            order.iter().enumerate().map(bit).fold(0, |mask, bit| mask | bit)
        };
        self.before = order.iter().map(|&from| moved(self.before[from])).collect();
        self.alarms.sort_unstable();
    }

    pub(super) fn in_order(&self) -> Vec<u32> {
        let mut left: Vec<usize> = (0..self.alarms.len()).collect();
        let mut set = 0_u64;
        let mut order = Vec::new();
        // An alarm that others must precede was set after them.
        while let Some(i) = left.iter().position(|&at| self.before[at] & !set == 0) {
            let at = left.remove(i);
            set |= 1 << at;
            order.push(self.alarms[at]);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alarm_rings_after_those_that_precede_it() {
        let mut pending = PendingAlarms::default();
        pending.set(7, |_| true);
        pending.set(3, |other| other == 7);
        pending.set(5, |other| other == 3);
        assert_eq!(pending.may_ring().map(|at| pending.alarms[at]).collect::<Vec<_>>(), [7]);
        assert_eq!(pending.in_order(), [7, 3, 5]);
        pending.remove(2);
        assert_eq!(pending.alarms, [3, 5]);
        assert_eq!(pending.before, [0, 1]);
        pending.renumber(|alarm| if alarm == 3 { 9 } else { 2 });
        assert_eq!((&*pending.alarms, &*pending.before), (&[2, 9][..], &[2, 0][..]));
    }

    #[test]
    fn the_order_of_setting_matters_only_where_one_must_precede() {
        let precedes = |earlier: u32, later: u32| earlier == 1 && later == 3;
        let set = |order: [u32; 3]| {
            let mut pending = PendingAlarms::default();
            for alarm in order {
                pending.set(alarm, |other| precedes(other, alarm));
            }
            pending
        };
        assert_eq!(set([1, 2, 3]), set([2, 1, 3]));
        assert_eq!(set([1, 2, 3]), set([1, 3, 2]));
        assert_ne!(set([1, 2, 3]), set([3, 1, 2]));
    }
}
