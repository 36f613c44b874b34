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
pub(crate) enum DueTimer {
    Wake(u32),
    Alarm(u32),
}

impl From<DueTimer> for Turn {
    fn from(due: DueTimer) -> Self {
        match due {
            DueTimer::Wake(node) => Self::Wake(node),
            DueTimer::Alarm(node) => Self::Alarm(node),
        }
    }
}

/// A tick that never comes.
pub(crate) const NEVER: u64 = u64::MAX;

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

    /// Returns the tick of the next wake-up, or [`NEVER`].
    pub(crate) fn next_wake(&self) -> u64 {
        match self.wakes.as_slice().first() {
            _ if !self.all.is_empty() => 0,
            Some(&(tick, _)) => tick,
            None => NEVER,
        }
    }

    pub(crate) fn next_alarm(&self) -> u64 {
        self.alarms.first().map_or(NEVER, |&(tick, _)| tick)
    }

    pub(crate) fn next_tick(&self) -> u64 {
        self.next_wake().min(self.next_alarm())
    }

    pub(crate) fn precede(&self, tick: u64) -> bool {
        let alarm = self.next_alarm();
        self.next_wake() <= tick || if self.rounds { alarm < tick } else { alarm <= tick }
    }

    /// Removes and returns an event that is due at `now` or before.
    pub(crate) fn pop(&mut self, now: u64) -> Option<DueTimer> {
        if let Some(node) = self.all.next() {
            return Some(DueTimer::Wake(node));
        }
        if self.wakes.as_slice().first().is_some_and(|&(tick, _)| tick <= now) {
            return self.wakes.next().map(|(_, node)| DueTimer::Wake(node));
        }
        let &(tick, node) = self.alarms.first().filter(|&&(tick, _)| tick <= now)?;
        self.alarms.remove(&(tick, node));
        self.set.remove(&node);
        Some(DueTimer::Alarm(node))
    }

    pub(crate) fn to_wake(&self) -> impl Iterator<Item = u32> {
        self.all.clone().chain(self.wakes.as_slice().iter().map(|&(_, node)| node))
    }

    pub(crate) fn alarms(&self) -> impl Iterator<Item = (u64, u32)> {
        self.alarms.iter().copied()
    }

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
mod tests;
