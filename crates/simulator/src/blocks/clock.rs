//! What all blocks agree about: the tick, and what must be known of all to run it.

use super::{Arrival, Election, Layout, Moment, lookahead::goes_ahead};
use crate::breach::{Breaches, endless};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use suffrage_algorithms::Violation;
use suffrage_process::{Port, Status};

/// What a block tells of a tick.
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
    /// What went on with wake-ups, and then with messages.
    pub(super) on_wake_up: Vec<Incident>,
    pub(super) on_arrival: Vec<Incident>,
    /// Whether a process has set an alarm.
    pub(super) alarmed: bool,
}

/// What all blocks must know of a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Incident {
    /// It leads, or has changed its decision.
    Decides { node: u64, old: Status, new: Status },
    /// It has done what it may not.
    Violates(Violation),
}

/// The clock of an election in blocks. Clocks that were given the same accounts are the same.
#[derive(Clone)]
pub struct Clock {
    event_limit: u64,
    pub(super) now: u64,
    end: Option<Ending>,
    /// The numbers of messages that arrive at each tick to come, by block.
    arrivals: BTreeMap<u64, Vec<u64>>,
    /// The ticks of wake-ups to come.
    pub(super) wakes: VecDeque<u64>,
    /// Whether the present tick has wake-ups.
    waking: bool,
    blocks: u32,
    pub(super) in_flight: u64,
    pub(super) delivered: u64,
    pub(super) peak_in_flight: u64,
    /// The tick of the last event.
    pub(super) time: u64,
    pub(super) rounds: Rounds,
    pub(super) breaches: Breaches,
    alarmed: bool,
    /// The tick before which the present stretch ends, if it has more than one.
    pub(super) until: u64,
    pub(super) tick_by_tick: bool,
}

/// An error: there were too many events in the middle of a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many events before the last tick of a stretch")]
pub struct Overrun;

/// Why an election is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// Nothing is left to happen, or too much has happened.
    Quiet,
    Interrupted,
}

/// The rounds of [`suffrage_algorithms::Rounds`], counted by blocks.
///
/// A round ends with the first arrival after all messages have arrived that were sent before it began.
/// The last of these is known beforehand, since every sender knows when its messages arrive.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Rounds {
    round: u64,
    /// The round of the last wake-up.
    woken: u64,
    /// The last arrival of what was sent before the round began.
    old: Option<Arrival>,
    /// The last arrival of all that has been sent.
    latest: Option<Arrival>,
}

impl Rounds {
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

impl Clock {
    /// Creates the clock of an election, before its first tick.
    #[must_use]
    pub fn new(election: &Election<'_>, layout: Layout) -> Self {
        let wakes: BTreeSet<u64> = match &election.wakes {
            None => [0].into(),
            Some(wakes) => wakes.iter().map(|&(tick, _)| tick).collect(),
        };
        let mut clock = Self {
            event_limit: election.event_limit,
            now: 0,
            end: None,
            arrivals: BTreeMap::new(),
            wakes: wakes.into_iter().collect(),
            waking: false,
            blocks: layout.blocks(),
            in_flight: 0,
            delivered: 0,
            peak_in_flight: 0,
            time: 0,
            rounds: Rounds::default(),
            breaches: Breaches::default(),
            alarmed: false,
            until: 0,
            tick_by_tick: !goes_ahead(election),
        };
        clock.go_on();
        clock
    }

    /// Returns the tick that is to be run; `None` when the election is over.
    #[must_use]
    pub const fn tick(&self) -> Option<u64> {
        if self.end.is_some() { None } else { Some(self.now) }
    }

    /// Returns the number of messages delivered.
    #[must_use]
    pub const fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Returns whether a process has set an alarm, which blocks do not have: then the election is over,
    /// and has no outcome.
    #[must_use]
    pub const fn alarmed(&self) -> bool {
        self.alarmed
    }

    pub(super) const fn is_interrupted(&self) -> bool {
        matches!(self.end, Some(Ending::Interrupted))
    }

    #[inline(always)]
    pub(super) const fn now(&self) -> u64 {
        self.now
    }

    /// Returns the mark of messages that are sent in the present round.
    pub(super) const fn mark(&self) -> bool {
        self.rounds.round % 2 == 1
    }

    /// Returns whether the present round is over when a message of this mark arrives now.
    #[inline(always)]
    pub(super) fn ends_round(&self, node: u64, port: Port, mark: bool) -> bool {
        let Some(old) = self.rounds.old else { return true };
        let arrival = (self.now, node, port.0);
        // On the same link the old messages come first.
        arrival > old || arrival == old && mark == self.mark()
    }

    /// Returns how many of the present tick's messages may arrive at a block before there were too many
    /// events.
    pub(super) fn allowance(&self, block: u32) -> u64 {
        let Some(arriving) = self.arrivals.get(&self.now) else { return 0 };
        let before: u64 = arriving[..block as usize].iter().sum();
        self.budget().saturating_sub(before).min(arriving[block as usize])
    }

    /// Returns the number of messages that may arrive at the present tick.
    fn budget(&self) -> u64 {
        self.event_limit.saturating_sub(self.delivered).max(1)
    }

    /// Returns the clock with the state of another moment of the same election.
    pub(super) fn at(self, moment: Moment) -> Self {
        let Moment { now, in_flight, delivered, peak_in_flight, time, rounds, breaches } = moment;
        Self { now, in_flight, delivered, peak_in_flight, time, rounds, breaches, ..self }
    }

    /// Ends the tick, of which the blocks tell this, in the order of their numbers.
    pub fn advance(&mut self, accounts: Vec<Account>) {
        let budget = self.budget();
        let arriving: u64 = self.arrivals.remove(&self.now).iter().flatten().sum();
        for account in &accounts {
            self.alarmed |= account.alarmed;
            self.delivered += account.delivered;
            self.in_flight -= account.delivered;
            if account.woken + account.delivered > 0 {
                self.time = self.now;
            }
            for &(tick, block, count) in &account.sent {
                self.arriving(tick)[block as usize] += count;
                self.in_flight += count;
            }
        }
        self.rounds.advance(&accounts);
        let (wakes, arrivals): (Vec<_>, Vec<_>) =
            accounts.into_iter().map(|account| (account.on_wake_up, account.on_arrival)).unzip();
        for incident in wakes.into_iter().chain(arrivals).flatten() {
            self.record(incident);
        }
        if arriving >= budget && self.in_flight > 0 {
            self.breaches.add(self.time, endless(self.event_limit));
            self.end = Some(Ending::Quiet);
            return;
        }
        self.peak_in_flight = self.peak_in_flight.max(self.in_flight);
        self.go_on();
        if self.alarmed {
            self.interrupt();
        }
    }

    /// Stops the election, if it is not over.
    pub(super) fn interrupt(&mut self) {
        self.end.get_or_insert(Ending::Interrupted);
    }

    pub(super) const fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Returns whether the messages of the present tick are the last that may arrive.
    pub(super) fn is_too_much(&self) -> bool {
        let arriving: u64 = self.arrivals.get(&self.now).into_iter().flatten().sum();
        arriving >= self.budget()
    }

    /// Returns whether from now on every tick with an arrival is a round, with unit delays: no process is
    /// to wake, and no message of the present tick was sent before the round began.
    pub(super) fn is_regular(&self) -> bool {
        let old = self.rounds.old.map_or(0, |(tick, ..)| tick);
        !self.waking && self.wakes.is_empty() && old < self.now
    }

    /// Returns the numbers of messages that arrive at a tick, by block.
    pub(super) fn arriving(&mut self, tick: u64) -> &mut [u64] {
        self.arrivals.entry(tick).or_insert_with(|| vec![0; self.blocks as usize])
    }

    fn go_on(&mut self) {
        let arrival = self.arrivals.first_key_value().map(|(&tick, _)| tick);
        match [arrival, self.wakes.front().copied()].into_iter().flatten().min() {
            Some(tick) => {
                self.now = tick;
                self.waking = self.wakes.front() == Some(&tick);
                if self.waking {
                    self.wakes.pop_front();
                }
            }
            None => self.end = Some(Ending::Quiet),
        }
    }

    fn record(&mut self, incident: Incident) {
        match incident {
            Incident::Violates(violation) => self.breaches.add(self.now, violation),
            Incident::Decides { node, old, new } => self.breaches.decide(self.now, node, old, new),
        }
    }
}
