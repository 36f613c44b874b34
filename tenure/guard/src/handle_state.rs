//! What a member decides of its guard: what to order, and from when on it counts as stuck.
//!
//! This is a state machine as [`GuardState`](crate::guard::guard_state::GuardState) is, without a clock and I/O.

use crate::wire::{GuardEvent, GuardOrder};
use crate::{Boottime, Workload};
use std::time::Duration;

/// What a member knows of its guard.
#[derive(Debug)]
pub struct HandleState {
    workload: Workload,
    /// The process ID of the guard, when it is ready.
    guard: Option<u32>,
    /// The deadline of the command, or of the last hook, while there is a tenure.
    last: Option<Boottime>,
    /// Whether the tenure was over before it began.
    void: bool,
}

impl HandleState {
    /// Begins with a guard that was just spawned.
    #[must_use]
    pub const fn new(workload: Workload) -> Self {
        Self { workload, guard: None, last: None, void: false }
    }

    pub(crate) const fn workload(&self) -> &Workload {
        &self.workload
    }

    pub(crate) const fn guard(&self) -> Option<u32> {
        self.guard
    }

    /// Begins a tenure at this instant, or runs the command once more.
    pub fn begin(&mut self, now: Boottime, term: u64, until: Boottime) -> Option<GuardOrder> {
        let again = self.last.is_some();
        if !again && until.since(now) <= self.workload.margin {
            self.void = true;
            return None;
        }
        self.last = self.last.max(Some(until.after(self.workload.stop)));
        Some(GuardOrder::Begin { term, until, again })
    }

    /// Extends the leadership, if there is a tenure.
    #[must_use]
    pub fn prolong(&self, until: Boottime) -> Option<GuardOrder> {
        self.last.map(|_| GuardOrder::Prolong { until })
    }

    /// Returns the instant from which on a guard that reports nothing counts as stuck. The guard starts a margin before
    /// the deadline; half of that is left to do its work here.
    #[must_use]
    pub fn overdue(&self) -> Option<Boottime> {
        self.last.map(|last| last.before(self.workload.margin / 2))
    }

    /// Returns the end of a tenure that was over before it began.
    pub fn end_void(&mut self) -> Option<GuardEvent> {
        let void = std::mem::take(&mut self.void);
        void.then_some(GuardEvent::Ended { killed: false, late: Duration::ZERO })
    }

    /// Hears what the guard reports at this instant.
    pub fn hear(&mut self, now: Boottime, event: &GuardEvent) {
        match *event {
            GuardEvent::Ready { guard, .. } => self.guard = Some(guard),
            GuardEvent::Reaped => self.last = Some(now.after(self.workload.hook_limit * 2)),
            GuardEvent::Ended { .. } => self.last = None,
            GuardEvent::Knows { until } => {
                let until = until.after(self.workload.stop);
                self.last = self.last.map(|last| last.max(until));
            }
            _ => {}
        }
    }

    /// Gives up a guard that is gone or overdue. Returns the deadline of what it guarded, if there is a tenure.
    pub fn lose(&mut self) -> Option<Boottime> {
        self.last.take()
    }
}
