//! The order of alarms: time without numbers.
//!
//! Pending alarms are kept in the order in which they were set. Let an alarm of duration `d` have
//! been set at the instant `t`, on a clock that runs at a rate between `slowest` and `fastest`. It is
//! due between `t + d / fastest` and `t + d / slowest`. If another alarm of duration `e` was set at an
//! instant `s <= t` on another clock, that is due at `s + e / slowest` at the latest. Where
//! `e / slowest < d / fastest`, it is due first, and in every real timing rings first.
//!
//! Conversely, an order of ringing that breaks no such constraint between any two alarms may still
//! have no timing, since a chain of constraints can be stronger than each of them. The exploration
//! therefore covers at least every possible timing, and what holds in all of it holds in every
//! timing.
//!
//! Alarms of one process follow one clock: the one that was set earlier and is not longer rings first,
//! and so does the shorter one of two that were set by one reaction.

use tenure_model::{Peer, Ratio};

/// The relevant data of a pending alarm: its process and its duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingAlarm {
    /// The process that has set it.
    pub of: Peer,
    /// Its duration, in ticks of that process's clock.
    pub ticks: u32,
}

/// Returns whether `earlier`, which was set before `later` and has not rung, rings before it on all
/// clocks whose rates are within the ratio.
#[must_use]
pub fn precedes(earlier: PendingAlarm, later: PendingAlarm, clocks: Ratio) -> bool {
    if earlier.of == later.of {
        return earlier.ticks <= later.ticks;
    }
    let [e, d] = [earlier.ticks, later.ticks].map(u64::from);
    e * u64::from(clocks.fastest) < d * u64::from(clocks.slowest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn alarm(of: u32, ticks: u32) -> PendingAlarm {
        PendingAlarm { of: Peer(of), ticks }
    }
    const SKEWED: Ratio = Ratio { fastest: 5, slowest: 4 };

    fn ringing(alarms: &[PendingAlarm], clocks: Ratio) -> Vec<usize> {
        let free = |&later: &usize| {
            !alarms[..later].iter().any(|&earlier| precedes(earlier, alarms[later], clocks))
        };
        (0..alarms.len()).filter(free).collect()
    }

    #[test]
    fn a_short_alarm_that_was_set_first_rings_first() {
        assert_eq!(ringing(&[alarm(0, 8), alarm(1, 9)], Ratio::ONE), [0]);
        assert_eq!(ringing(&[alarm(0, 8), alarm(1, 8)], Ratio::ONE), [0, 1]);
        assert_eq!(ringing(&[alarm(1, 9), alarm(0, 8)], Ratio::ONE), [0, 1]);
    }

    #[test]
    fn clocks_of_different_rates_need_a_longer_distance() {
        assert_eq!(ringing(&[alarm(0, 8), alarm(1, 10)], SKEWED), [0, 1]);
        assert_eq!(ringing(&[alarm(0, 8), alarm(1, 11)], SKEWED), [0]);
    }

    #[test]
    fn one_clock_keeps_its_order() {
        assert_eq!(ringing(&[alarm(0, 8), alarm(0, 8)], SKEWED), [0]);
        assert_eq!(ringing(&[alarm(0, 9), alarm(0, 8)], SKEWED), [0, 1]);
    }
}
