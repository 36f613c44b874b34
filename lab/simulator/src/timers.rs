//! Timers: wake-ups and alarms.

use crate::medium::Turn;
use std::collections::{BTreeMap, BTreeSet};

/// The initiators, and the ticks at which they wake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wakes {
    /// Every process, at the start.
    All,
    /// These processes, each at its tick.
    At(Vec<(u64, u32)>),
}

/// An event that is due at a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Wake(u32),
    Alarm(u32),
}

impl From<Due> for Turn {
    fn from(due: Due) -> Self {
        match due {
            Due::Wake(node) => Self::Wake(node),
            Due::Alarm(node) => Self::Alarm(node),
        }
    }
}

/// Wake-ups to come, in the order of their ticks and then of the processes, and alarms.
///
/// Wake-ups come before alarms of the same tick, and both before the messages that arrive then; or,
/// in [rounds](crate::Schedule::Rounds), alarms come after these.
pub(crate) struct Timers {
    wakes: std::vec::IntoIter<(u64, u32)>,
    /// The processes that are still to wake, if all wake at once. Takes constant memory.
    all: std::ops::Range<u32>,
    alarms: BTreeSet<(u64, u32)>,
    /// The tick at which the alarm of each process that has set one rings.
    set: BTreeMap<u32, u64>,
    /// Whether the alarms of a tick come after the messages that arrive then.
    rounds: bool,
}

impl Timers {
    pub(crate) fn new(wakes: &Wakes, nodes: u32, rounds: bool) -> Self {
        let (all, mut listed) = match wakes {
            Wakes::All => (0..nodes, Vec::new()),
            Wakes::At(listed) => (0..0, listed.clone()),
        };
        listed.sort_unstable();
        let wakes = listed.into_iter();
        Self { wakes, all, alarms: BTreeSet::new(), set: BTreeMap::new(), rounds }
    }

    /// Sets the alarm of a process, in place of one already set.
    pub(crate) fn set_alarm(&mut self, node: u32, tick: u64) {
        if let Some(old) = self.set.insert(node, tick) {
            self.alarms.remove(&(old, node));
        }
        self.alarms.insert((tick, node));
    }

    /// Returns the tick of the next wake-up.
    pub(crate) fn next_wake(&self) -> Option<u64> {
        if !self.all.is_empty() {
            return Some(0);
        }
        self.wakes.as_slice().first().map(|&(tick, _)| tick)
    }

    /// Returns the tick of the next alarm.
    pub(crate) fn next_alarm(&self) -> Option<u64> {
        self.alarms.first().map(|&(tick, _)| tick)
    }

    /// Returns the tick of the next event that is due.
    pub(crate) fn next_tick(&self) -> Option<u64> {
        [self.next_wake(), self.next_alarm()].into_iter().flatten().min()
    }

    /// Returns whether an event is due before the messages that arrive at `tick`.
    pub(crate) fn precede(&self, tick: u64) -> bool {
        let late = |alarm| if self.rounds { alarm < tick } else { alarm <= tick };
        self.next_wake().is_some_and(|wake| wake <= tick) || self.next_alarm().is_some_and(late)
    }

    /// Removes and returns an event that is due at `now` or before.
    pub(crate) fn pop(&mut self, now: u64) -> Option<Due> {
        if let Some(node) = self.all.next() {
            return Some(Due::Wake(node));
        }
        if self.wakes.as_slice().first().is_some_and(|&(tick, _)| tick <= now) {
            return self.wakes.next().map(|(_, node)| Due::Wake(node));
        }
        let &(tick, node) = self.alarms.first().filter(|&&(tick, _)| tick <= now)?;
        self.alarms.remove(&(tick, node));
        self.set.remove(&node);
        Some(Due::Alarm(node))
    }

    /// Returns the initiators that have not been asked to wake yet.
    pub(crate) fn to_wake(&self) -> impl Iterator<Item = u32> {
        self.all.clone().chain(self.wakes.as_slice().iter().map(|&(_, node)| node))
    }

    /// Returns the alarms that have not rung, in their order.
    pub(crate) fn alarms(&self) -> impl Iterator<Item = (u64, u32)> {
        self.alarms.iter().copied()
    }

    /// Returns the processes that have set an alarm which has not rung.
    pub(crate) fn alarmed(&self) -> impl Iterator<Item = u32> {
        self.set.keys().copied()
    }

    /// Removes the alarm of a process, whenever it was due. Returns whether there was one.
    pub(crate) fn take_alarm(&mut self, node: u32) -> bool {
        match self.set.remove(&node) {
            Some(tick) => self.alarms.remove(&(tick, node)),
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_alarm_takes_the_place_of_the_old_one() {
        let mut timers = Timers::new(&Wakes::At(vec![]), 3, false);
        timers.set_alarm(1, 10);
        timers.set_alarm(1, 4);
        assert_eq!(timers.next_tick(), Some(4));
        assert_eq!(timers.pop(4), Some(Due::Alarm(1)));
        assert_eq!(timers.next_tick(), None);
    }

    #[test]
    fn what_is_due_comes_by_tick_and_wakes_before_alarms() {
        let mut timers = Timers::new(&Wakes::At(vec![(5, 2), (0, 1), (5, 0)]), 3, false);
        timers.set_alarm(0, 5);
        assert_eq!(timers.pop(0), Some(Due::Wake(1)));
        assert_eq!(timers.pop(0), None);
        let at_five: Vec<_> = std::iter::from_fn(|| timers.pop(5)).collect();
        assert_eq!(at_five, [Due::Wake(0), Due::Wake(2), Due::Alarm(0)]);
    }

    #[test]
    fn when_all_wake_at_once_nothing_is_stored() {
        let mut timers = Timers::new(&Wakes::All, 3, false);
        assert_eq!(timers.next_tick(), Some(0));
        let order: Vec<_> = std::iter::from_fn(|| timers.pop(0)).collect();
        assert_eq!(order, [Due::Wake(0), Due::Wake(1), Due::Wake(2)]);
    }

    #[test]
    fn in_rounds_the_alarms_of_a_tick_come_after_its_messages() {
        for rounds in [false, true] {
            let mut timers = Timers::new(&Wakes::At(vec![(5, 2)]), 3, rounds);
            timers.set_alarm(0, 5);
            assert!(!timers.precede(4) && timers.precede(5), "the wake-up comes first");
            assert_eq!(timers.pop(5), Some(Due::Wake(2)));
            assert_eq!(timers.precede(5), !rounds);
            assert!(timers.precede(6));
        }
    }
}
