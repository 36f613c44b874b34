//! When a member is dialled again, and what is told of it: what decides, without a clock or a network.

use std::time::Duration;
use suffrage_net::backoff::Backoff;
use suffrage_net::log_limit::without_numbers;

/// The first and the longest pause after an attempt that has failed.
const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(100));
/// The interval between two looks whether a member is to be dialled that dials this side.
const LOOK: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct DialState {
    backoff: Backoff,
    /// Why there was no connection, as was told last.
    told: String,
}

impl DialState {
    pub(crate) fn new(seed: u64) -> Self {
        Self { backoff: Backoff::new(PAUSES.0, PAUSES.1, seed), told: String::new() }
    }

    /// Returns when to look again whether a peer is to be dialled that is not now. If it is no member, that is when
    /// others become members.
    pub(crate) const fn looks_again(is_member: bool) -> Duration {
        if is_member { LOOK } else { Duration::MAX }
    }

    pub(crate) fn connected(&mut self) {
        self.told.clear();
        self.backoff.reset();
    }

    /// There is no connection, for this reason. Returns whether the log is to have that, and how long to pause.
    pub(crate) fn is_over(&mut self, why: &str) -> (bool, Duration) {
        let reason = without_numbers(why);
        let tells = reason != self.told;
        self.told = reason;
        (tells, self.backoff.failed())
    }
}

#[cfg(test)]
mod tests;
