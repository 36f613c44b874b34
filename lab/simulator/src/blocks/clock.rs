//! The agreement of all blocks: the tick, and the facts about all blocks that are needed to run it.
//!
//! # Why in this order
//! `World` sees the events of a tick one after another; a clock sees what each block did in all of it.
//! [`RoundClock::advance`] puts them back in order:
//!
//! 1. Too many alarms are an error before anything has changed, because the tick is run again by a clock that
//!    knows their numbers.
//! 2. What has arrived leaves the counts before what was sent enters them, so that none is counted twice.
//! 3. Rounds end before incidents are recorded; neither needs the other.
//! 4. Incidents come by kind, then by block: all wake-ups of a tick come before its messages, and these before
//!    its alarms. The first violation of a property is reported.
//! 5. The limit of events is looked at when all messages are counted: an election that has sent its last
//!    message is over, even if it has used up its limit.
//! 6. The peak is counted at the end of the tick, and the next tick is looked for after it.
//! 7. An alarm that may not be set interrupts last, since it ends the election even if nothing is left.

use super::{Arrival, BlockLayout, Election};
use crate::monitor::{ElectionMonitor, endless};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    mem,
};
use suffrage_algorithms::Violation;
use suffrage_model::{Port, Status};

/// A block's report of a tick.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    pub(super) woken: u64,
    pub(super) delivered: u64,
    /// The messages sent: the tick of their arrival, the receiving block, their number.
    pub(super) sent: Vec<(u64, u32, u64)>,
    /// Whether the round ended before or with a message that arrived here.
    pub(super) advanced: bool,
    /// The last arrival of what was sent, and of what was sent in the round.
    pub(super) latest: Option<Arrival>,
    pub(super) latest_of_round: Option<Arrival>,
    /// The number of alarms that rang, whether a process heard one, and whether more are due.
    pub(super) rung: u64,
    pub(super) alerted: bool,
    pub(super) more: bool,
    /// The tick of the next alarm, unless others know it: `u64::MAX` if there is none.
    pub(super) next_alarm: Option<u64>,
    /// What went on with wake-ups, then with messages, and then with alarms.
    pub(super) on_wake_up: Vec<Incident>,
    pub(super) on_arrival: Vec<Incident>,
    pub(super) on_alarm: Vec<Incident>,
    /// Whether a process has set an alarm where there are none.
    pub(super) alarmed: bool,
}

/// What all blocks must know of a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Incident {
    /// It leads, or has changed its decision.
    Decides { node: u64, old: Status, new: Status },
    /// It has violated a property.
    Violates(Violation),
}

/// The clock of an election in blocks. Clocks that were given the same accounts are the same.
#[derive(Clone)]
pub struct RoundClock {
    event_limit: u64,
    pub(super) state: ClockState,
    end: Option<ClockEnd>,
    /// The numbers of messages that arrive at each tick to come, by block.
    arrivals: BTreeMap<u64, Vec<u64>>,
    /// The ticks of wake-ups to come.
    pub(super) wakes: VecDeque<u64>,
    /// Whether the present tick has wake-ups.
    waking: bool,
    blocks: u32,
    /// The tick of the next alarm of each block, `u64::MAX` if there is none.
    pub(super) alarms: Vec<u64>,
    /// A tick at which more alarms would ring than are allowed, and how many would ring in each block.
    known: Option<(u64, Vec<u64>)>,
    alarmed: bool,
    /// The tick before which the present stretch ends, if it has more than one.
    pub(super) until: u64,
    pub(super) tick_by_tick: bool,
}

/// The state of the clock of an election between two ticks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ClockState {
    pub(super) now: u64,
    pub(super) in_flight: u64,
    pub(super) delivered: u64,
    /// The number of alarms that have rung.
    rung: u64,
    pub(super) peak_in_flight: u64,
    /// The tick of the last event, and of the last wake-up.
    pub(super) time: u64,
    pub(super) woken_at: u64,
    pub(super) rounds: RoundCount,
    #[serde(rename = "breaches")]
    pub(super) monitor: ElectionMonitor,
}

impl ClockState {
    /// Returns the tick to run.
    #[must_use]
    pub const fn tick(&self) -> u64 {
        self.now
    }
}

/// An error: there were too many events before the blocks knew of it. The election must be run again by a
/// clock that [knows](RoundClock::knowing) it.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("too many events before the blocks knew of it")]
pub struct Overrun {
    /// How many alarms would ring in each block at a tick, if it was because of them.
    rung: Option<(u64, Vec<u64>)>,
}

/// Why an election is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClockEnd {
    /// Nothing is left to happen, or too much has happened.
    Quiet,
    Interrupted,
}

/// The rounds of [`suffrage_algorithms::Rounds`], counted by blocks.
///
/// A round ends with the first arrival after all messages have arrived that were sent before it began.
/// The last of these is known beforehand, since every sender knows when its messages arrive.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct RoundCount {
    round: u64,
    /// The round of the last wake-up.
    woken: u64,
    /// The last arrival of what was sent before the round began.
    old: Option<Arrival>,
    /// The last arrival of all that has been sent.
    latest: Option<Arrival>,
}

impl RoundCount {
    fn advance(&mut self, accounts: &[Account]) {
        if accounts.iter().any(|account| account.woken > 0) {
            self.woken = self.round;
        }
        let latest = |of: fn(&Account) -> Option<Arrival>| accounts.iter().filter_map(of).max();
        if accounts.iter().any(|account| account.advanced) {
            self.round += 1;
            self.old = self.latest.max(latest(|account| account.latest_of_round));
        }
        self.latest = self.latest.max(latest(|account| account.latest));
    }

    pub(super) const fn since_last_wake(&self) -> u64 {
        self.round - self.woken
    }
}

impl RoundClock {
    /// Creates the clock of an election, before its first tick.
    #[must_use]
    pub fn new(election: &Election<'_>, layout: BlockLayout) -> Self {
        let wakes: BTreeSet<u64> = match &election.wakes {
            None => [0].into(),
            Some(wakes) => wakes.iter().map(|&(tick, _)| tick).collect(),
        };
        let mut clock = Self {
            event_limit: election.event_limit,
            state: ClockState::default(),
            end: None,
            arrivals: BTreeMap::new(),
            wakes: wakes.into_iter().collect(),
            waking: false,
            blocks: layout.blocks(),
            alarms: vec![u64::MAX; layout.blocks() as usize],
            known: None,
            alarmed: false,
            until: 0,
            tick_by_tick: !election.goes_ahead(),
        };
        clock.go_on();
        clock
    }

    /// Returns the tick to run; `None` when the election is over.
    #[must_use]
    pub const fn tick(&self) -> Option<u64> {
        if self.end.is_some() { None } else { Some(self.state.now) }
    }

    /// Returns the number of messages delivered.
    #[must_use]
    pub const fn delivered(&self) -> u64 {
        self.state.delivered
    }

    /// Makes every stretch a single tick, and gives the blocks the facts about an [`Overrun`].
    #[must_use]
    pub fn knowing(self, overrun: Overrun) -> Self {
        Self { tick_by_tick: true, known: overrun.rung, ..self }
    }

    /// Returns whether a process has set an alarm whose algorithm does not run in rounds: then the election
    /// is over, and has no outcome.
    #[must_use]
    pub const fn alarmed(&self) -> bool {
        self.alarmed
    }

    pub(super) const fn is_interrupted(&self) -> bool {
        matches!(self.end, Some(ClockEnd::Interrupted))
    }

    #[inline(always)]
    pub(super) const fn now(&self) -> u64 {
        self.state.now
    }

    pub(super) const fn mark(&self) -> bool {
        self.state.rounds.round % 2 == 1
    }

    #[inline(always)]
    pub(super) fn ends_round(&self, node: u64, port: Port, mark: bool) -> bool {
        let Some(old) = self.state.rounds.old else { return true };
        let arrival = (self.state.now, node, port.0);
        // On the same link the old messages come first.
        arrival > old || arrival == old && mark == self.mark()
    }

    /// Returns how many of the present tick's messages may arrive at a block before there were too many
    /// events.
    pub(super) fn allowance(&self, block: u32) -> u64 {
        let Some(arriving) = self.arrivals.get(&self.state.now) else { return 0 };
        let before: u64 = arriving[..block as usize].iter().sum();
        self.budget().saturating_sub(before).min(arriving[block as usize])
    }

    fn budget(&self) -> u64 {
        self.event_limit.saturating_sub(self.state.delivered + self.state.rung).max(1)
    }

    fn due(&self) -> u64 {
        self.arrivals.get(&self.state.now).into_iter().flatten().sum()
    }

    fn rings_left(&self) -> u64 {
        let delivered = self.state.delivered + self.due().min(self.budget());
        self.event_limit.saturating_sub(delivered + self.state.rung)
    }

    pub(super) fn rings(&self, block: u32) -> u64 {
        let before: u64 = match &self.known {
            Some((tick, rung)) if *tick == self.state.now => rung[..block as usize].iter().sum(),
            _ => 0,
        };
        self.rings_left().saturating_sub(before)
    }

    pub(super) fn assumed(&self, block: u32) -> u64 {
        let known = self.alarms[block as usize];
        if known > self.state.now { known } else { u64::MAX }
    }

    /// Ends the tick, given the accounts of the blocks in the order of their numbers.
    ///
    /// # Errors
    /// If more alarms have rung in all blocks together than are allowed. The blocks could not know this: they
    /// only know how many messages arrive.
    pub fn advance(&mut self, accounts: Vec<Account>) -> Result<(), Overrun> {
        let (budget, arriving, rings) = (self.budget(), self.due(), self.rings_left());
        let rung: Vec<u64> = accounts.iter().map(|account| account.rung).collect();
        if rung.iter().sum::<u64>() > rings {
            return Err(Overrun { rung: Some((self.state.now, rung)) });
        }
        self.arrivals.remove(&self.state.now);
        for (block, account) in (0..).zip(&accounts) {
            self.alarms[block as usize] = account.next_alarm.unwrap_or(self.assumed(block));
            self.state.rung += account.rung;
            self.alarmed |= account.alarmed;
            self.state.delivered += account.delivered;
            self.state.in_flight -= account.delivered;
            if account.woken + account.delivered > 0 || account.alerted {
                self.state.time = self.state.now;
            }
            if account.woken > 0 {
                self.state.woken_at = self.state.now;
            }
            for &(tick, block, count) in &account.sent {
                self.arriving(tick)[block as usize] += count;
                self.state.in_flight += count;
            }
        }
        self.state.rounds.advance(&accounts);
        let of_all: [fn(&mut Account) -> &mut Vec<Incident>; 3] = [
            |account| &mut account.on_wake_up,
            |account| &mut account.on_arrival,
            |account| &mut account.on_alarm,
        ];
        let more = accounts.iter().any(|account| account.more);
        let mut accounts = accounts;
        for incidents in of_all {
            for incident in accounts.iter_mut().flat_map(|account| mem::take(incidents(account))) {
                self.record(incident);
            }
        }
        if more || arriving >= budget && self.state.in_flight > 0 {
            self.state.monitor.add(self.state.time, endless(self.event_limit));
            self.end = Some(ClockEnd::Quiet);
            return Ok(());
        }
        self.state.peak_in_flight = self.state.peak_in_flight.max(self.state.in_flight);
        self.go_on();
        if self.alarmed {
            self.interrupt();
        }
        Ok(())
    }

    /// Stops the election, if it is not over.
    pub(super) fn interrupt(&mut self) {
        self.end.get_or_insert(ClockEnd::Interrupted);
    }

    pub(super) const fn blocks(&self) -> u32 {
        self.blocks
    }

    pub(super) fn is_too_much(&self, accounts: &[Account]) -> bool {
        let rung: u64 = accounts.iter().map(|account| account.rung).sum();
        self.due() + rung >= self.budget() || accounts.iter().any(|account| account.more)
    }

    /// Returns whether from now on every tick with an arrival is a round, with unit delays: no process is
    /// to wake, and no message of the present tick was sent before the round began.
    pub(super) fn is_regular(&self) -> bool {
        let old = self.state.rounds.old.map_or(0, |(tick, ..)| tick);
        !self.waking && self.wakes.is_empty() && old < self.state.now
    }

    pub(super) fn arriving(&mut self, tick: u64) -> &mut [u64] {
        self.arrivals.entry(tick).or_insert_with(|| vec![0; self.blocks as usize])
    }

    fn go_on(&mut self) {
        let arrival = self.arrivals.first_key_value().map(|(&tick, _)| tick);
        let alarm = self.alarms.iter().copied().min().filter(|&tick| tick != u64::MAX);
        match [arrival, self.wakes.front().copied(), alarm].into_iter().flatten().min() {
            Some(tick) => {
                self.state.now = tick;
                self.waking = self.wakes.front() == Some(&tick);
                if self.waking {
                    self.wakes.pop_front();
                }
            }
            None => self.end = Some(ClockEnd::Quiet),
        }
    }

    fn record(&mut self, incident: Incident) {
        match incident {
            Incident::Violates(violation) => self.state.monitor.add(self.state.now, violation),
            Incident::Decides { node, old, new } => {
                self.state.monitor.decide(self.state.now, node, old, new);
            }
        }
    }
}

#[cfg(test)]
mod tests;
