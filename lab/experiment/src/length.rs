//! Limits on the length of elections: an election that takes longer than anybody waits is refused, and one
//! that exceeds its event limit counts as endless.

use crate::election::Prepared;
use crate::error::Error;
use crate::number::grouped;
use crate::recording;
use suffrage_algorithms::Parameters;
use suffrage_model::Id;
use suffrage_simulator::{Schedule, Wakes};

/// The events that are simulated in an hour: some ten million in a second.
const PER_HOUR: u64 = 36_000_000_000;

/// The number of events from which on an election is held only on request.
const TOO_MANY: u64 = 3 * PER_HOUR;

/// How long an election may take in which processes wait for as long as an identity says.
struct Wait {
    formula: String,
    /// Saturating.
    ticks: u64,
    /// How many alarms ring that are set for `u32::MAX` ticks, the most at a time; of a synchronizer, how many messages
    /// it sends.
    alarms: u64,
}

impl Prepared {
    /// The number of events after which an election with these parameters counts as endless, if all start.
    ///
    /// # Errors
    /// If the election certainly takes too long.
    pub fn event_limit(&self, parameters: &Parameters, initiators: u64) -> Result<u64, Error> {
        let asked = self.conditions.event_limit;
        let known = Parameters { initiators, ..*parameters };
        let wait = self.wait(&known);
        if !matches!(self.schedule, Schedule::Replay(_)) {
            if let Some(wait) = &wait {
                self.check_wait(wait, known.winner)?;
            }
            if asked.is_none() {
                self.check_length(&known)?;
            }
        }
        let messages = self.algorithm.claims.bound(parameters).saturating_mul(64);
        let alarms = wait.map_or_else(|| self.pulses(parameters), |wait| wait.alarms);
        Ok(asked.unwrap_or(messages.saturating_add(alarms).saturating_add(100_000)))
    }

    /// Refuses an election that certainly sends too many messages.
    fn check_length(&self, parameters: &Parameters) -> Result<(), Error> {
        let Self { algorithm, source, .. } = self;
        let least = algorithm.claims.least(parameters);
        if least < TOO_MANY {
            return Ok(());
        }
        let bound = algorithm.claims.stated();
        let (sends, exactly) = match algorithm.claims.is_exact() {
            true => ("sends", format!(", {}", bound.plain())),
            false => ("sends at least", String::new()),
        };
        let (because, advice) = match bound.formula.contains("max") {
            true => (
                format!(", where the largest identity is {}", grouped(parameters.largest)),
                "give smaller ones, as --ids random does",
            ),
            false => (String::new(), "take a smaller network"),
        };
        Err(Error::new(format!(
            "{} on {} {sends} {} messages{exactly}{because}, which would take about {} hours; \
             {advice}, or allow that many with --event-limit",
            algorithm.name,
            source.text(),
            grouped(least),
            grouped(least / PER_HOUR),
        )))
    }

    /// How long processes wait, if an identity determines the time.
    fn wait(&self, parameters: &Parameters) -> Option<Wait> {
        let time = self.algorithm.claims.time.filter(|time| time.depends_on_winner(parameters))?;
        let ticks = time.at(parameters);
        let alarms = parameters.nodes.saturating_mul(ticks / u64::from(u32::MAX));
        let alarms = alarms.saturating_add(self.pulses(parameters));
        Some(Wait { formula: time.stated().plain(), ticks, alarms })
    }

    /// The messages of pulses: of a synchronizer, two on each link in each of the units that the election may take.
    fn pulses(&self, parameters: &Parameters) -> u64 {
        let time = self.algorithm.claims.time.filter(|_| self.algorithm.is_synchronized());
        let units = time.map_or(0, |time| time.at(parameters));
        units.saturating_mul(parameters.links.saturating_mul(2))
    }

    /// Refuses an election in which processes may wait for longer than anybody else does.
    fn check_wait(&self, wait: &Wait, winner: u64) -> Result<(), Error> {
        let Wait { formula, ticks, alarms } = wait;
        let on_request = self.conditions.event_limit.is_some();
        let (length, otherwise) = match (*ticks, *alarms) {
            (u64::MAX, _) => ("2^64 ticks or more, which no clock counts".to_owned(), ""),
            (ticks, alarms @ TOO_MANY..) if !on_request => {
                let hours = grouped(alarms / PER_HOUR);
                let (ticks, alarms) = (grouped(ticks), grouped(alarms));
                let what = if self.algorithm.is_synchronized() { "messages" } else { "alarms" };
                let length =
                    format!("{ticks} ticks with {alarms} {what}, which is about {hours} hours");
                (length, ", or allow that many with --event-limit")
            }
            _ => return Ok(()),
        };
        Err(Error::new(format!(
            "{} on {} may take {length}: {formula}, where the identity of the winner, v, is {}; let \
             processes with smaller identities start, or give smaller ones{otherwise}",
            self.algorithm.name,
            self.source.text(),
            grouped(winner),
        )))
    }

    /// The process that wins by the rule, or one with a larger identity; `None` if nothing depends on
    /// it.
    pub(crate) fn winner(&self, known: &Parameters, ids: &[Id], wakes: &Wakes) -> Option<Id> {
        self.wait(known)?;
        let mut woken = vec![matches!(wakes, Wakes::All); ids.len()];
        let mut wake = |node: u32| {
            if let Some(woken) = woken.get_mut(node as usize) {
                *woken = true;
            }
        };
        match (&self.schedule, wakes) {
            (Schedule::Replay(recording), _) => recording::initiators(recording).for_each(wake),
            // One that wakes later may be reached asleep, and be no initiator.
            (_, Wakes::At(wakes)) => {
                let first = wakes.iter().map(|&(tick, _)| tick).min();
                let first = wakes.iter().filter(|&&(tick, _)| Some(tick) == first);
                first.for_each(|&(_, node)| wake(node));
            }
            (_, Wakes::All) => {}
        }
        let winner = self.algorithm.claims.rule.winner(ids.iter().copied().zip(woken));
        winner.map(|winner| winner.id)
    }
}
