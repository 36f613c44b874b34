//! Rare events: important decisions, forbidden actions, progress.

use crate::{
    Experiment,
    environment::{Coins, Misstep},
    monitor::{ElectionMonitor, endless},
    verdict::Accounts,
    world::{PULSE, Pulse},
};
use suffrage_model::{Port, Status};

/// A forbidden action: its tick, its process, the number of messages that this one had sent and
/// received before its reaction, what it did, and the number of its ports where that matters.
#[derive(Clone, Copy)]
struct Forbidden {
    tick: u64,
    node: u32,
    before: u32,
    misstep: Misstep,
    degree: u32,
}

/// What happens seldom, and changes behind the back of the loop: in memory of its own, so that the
/// loop's variables stay in registers. None of this is compiled for each process.
pub(super) struct RareEvents<'a> {
    /// The number of messages that reached processes which had halted.
    pub late: u64,
    monitor: ElectionMonitor,
    /// The forbidden action of a reaction. It is recorded after what the reaction decides, so it
    /// waits until there is something of another reaction to record.
    misstep: Option<Forbidden>,
    coins: Coins,
    /// The tick at which the loop gives up: 0 as soon as an alarm is set.
    end: u64,
    event_limit: u64,
    pulse: Pulse<'a>,
    interrupted: bool,
}

impl<'a> RareEvents<'a> {
    pub(super) fn new(experiment: &Experiment<'_>, end: u64, pulse: Pulse<'a>) -> Self {
        Self {
            late: 0,
            monitor: ElectionMonitor::default(),
            misstep: None,
            coins: Coins::of(experiment),
            end,
            event_limit: experiment.event_limit,
            pulse,
            interrupted: false,
        }
    }

    /// Records a decision other than to follow for the first time, which breaks nothing.
    #[cold]
    #[inline(never)]
    pub(super) fn decide(&mut self, tick: u64, node: u32, before: u32, old: Status, new: Status) {
        if !self.is_of(node, before) {
            self.record_misstep();
        }
        self.monitor.decide(tick, node, old, new);
    }

    #[cold]
    #[inline(never)]
    pub(super) fn reject(&mut self, tick: u64, node: u32, before: u32, why: &'static str) {
        // Of one reaction the first counts.
        if !self.is_of(node, before) {
            self.record_misstep();
            let misstep = Misstep::Rejects(why);
            self.misstep = Some(Forbidden { tick, node, before, misstep, degree: 0 });
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn no_such_port(
        &mut self,
        tick: u64,
        node: u32,
        before: u32,
        port: Port,
        degree: u32,
    ) {
        if !self.is_of(node, before) {
            self.record_misstep();
        }
        let misstep = Misstep::NoSuchPort(port);
        self.misstep = Some(Forbidden { tick, node, before, misstep, degree });
    }

    fn is_of(&self, node: u32, before: u32) -> bool {
        self.misstep.is_some_and(|then| (then.node, then.before) == (node, before))
    }

    fn record_misstep(&mut self) {
        if let Some(Forbidden { tick, node, misstep, degree, .. }) = self.misstep.take() {
            self.monitor.add(tick, misstep.violation(node, || degree));
        }
    }

    #[inline(never)]
    pub(super) fn choose(&mut self, node: u32, max: u32) -> u32 {
        self.coins.draw(node.into(), max).unwrap_or_default()
    }

    #[cold]
    #[inline(never)]
    pub(super) fn set_alarm(&mut self) {
        self.end = 0;
    }

    #[inline(always)]
    pub(super) fn gives_up(&self, now: u64) -> bool {
        now >= self.end
    }

    pub(super) fn first_checkpoint(&self) -> u64 {
        PULSE.min(self.event_limit)
    }

    /// Tells of the progress. Returns the next checkpoint; `None` if the run is to stop here.
    #[cold]
    #[inline(never)]
    pub(super) fn checkpoint(&mut self, delivered: u64, now: u64, in_flight: u64) -> Option<u64> {
        if delivered < self.event_limit {
            if (self.pulse)(delivered).is_break() {
                self.interrupted = true;
                return None;
            }
            return Some(delivered.saturating_add(PULSE).min(self.event_limit));
        }
        if in_flight > 0 {
            self.record_misstep();
            self.monitor.add(now, endless(self.event_limit));
        }
        None
    }

    pub(super) const fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    /// Enters what has happened into the accounts of the run.
    pub(super) fn close(mut self, accounts: &mut Accounts) {
        self.record_misstep();
        accounts.late = self.late;
        accounts.monitor = self.monitor;
    }
}
