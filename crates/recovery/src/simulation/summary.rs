//! Summaries of many runs.

use super::{Report, Violation};
use crate::promises::Promise;
use serde::Serialize;
use std::collections::BTreeMap;

/// The combined result of many runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The number of runs.
    pub runs: u64,
    /// The simulated time of all of them, in nanoseconds.
    pub simulated: u128,
    /// The simulated time of all offices together.
    pub offered: u128,
    /// The time for which they were vacant, of all offices together.
    pub vacant: u128,
    /// The number of events.
    pub events: u64,
    /// The number of messages sent, by kind.
    pub messages: Vec<(&'static str, u64)>,
    /// The total size of the messages, in bytes.
    pub bytes: u64,
    /// The number of syncs of the disks.
    pub syncs: u64,
    /// The number of crashes.
    pub crashes: u64,
    /// The number of messages and commands that were rejected.
    pub rejected: u64,
    /// The number of tenures that began.
    pub tenures: u64,
    /// The number of tenures that ended without need.
    pub needless: u64,
    /// The durations of vacancies, in nanoseconds, by the kind of fault before.
    pub vacancies: BTreeMap<&'static str, Vec<u64>>,
    /// The durations for which ended tenures were still named, in nanoseconds.
    pub staleness: Vec<u64>,
    /// The first violation of each promise for which the protocol is to blame, with the seed of its
    /// run.
    pub violations: BTreeMap<Promise, (u64, Violation)>,
    /// The first violation of each promise in runs in which a clock was beyond the bound, or a
    /// record an old one.
    pub beyond: BTreeMap<Promise, (u64, Violation)>,
    /// The number of runs in which each promise was broken, with the protocol to blame.
    pub broken: BTreeMap<Promise, u64>,
}

/// The spread of durations: percentiles by the nearest rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Spread {
    /// The number of durations.
    pub count: u64,
    /// The median: half of them are at most this, in nanoseconds.
    pub p50: u64,
    /// The 99th percentile: 99 of 100 are at most this.
    pub p99: u64,
    /// The longest duration.
    pub max: u64,
}

impl Spread {
    /// Computes the spread of durations in any order; `None` if there are none.
    #[must_use]
    pub fn of<'a>(durations: impl IntoIterator<Item = &'a u64>) -> Option<Self> {
        let mut sorted: Vec<u64> = durations.into_iter().copied().collect();
        sorted.sort_unstable();
        let rank = |percent: usize| (sorted.len() * percent).div_ceil(100).max(1) - 1;
        let max = *sorted.last()?;
        Some(Self { count: sorted.len() as u64, p50: sorted[rank(50)], p99: sorted[rank(99)], max })
    }
}

impl Summary {
    /// Adds a run. The order matters only for which violation is the first.
    pub fn add(&mut self, report: &Report) {
        self.runs += 1;
        self.simulated += u128::from(report.length.0);
        self.offered += u128::from(report.length.0) * u128::from(report.offices);
        self.vacant += u128::from(report.vacant);
        self.events += report.events;
        if self.messages.is_empty() {
            self.messages.clone_from(&report.messages);
        } else {
            for (sum, (_, count)) in self.messages.iter_mut().zip(&report.messages) {
                sum.1 += count;
            }
        }
        self.bytes += report.bytes;
        self.syncs += report.syncs;
        self.crashes += report.crashes;
        self.rejected += report.rejected;
        self.tenures += report.tenures;
        self.needless += report.needless;
        for (kind, vacancies) in &report.vacancies {
            self.vacancies.entry(kind).or_default().extend(vacancies);
        }
        self.staleness.extend(&report.staleness);
        for violation in &report.violations {
            let promise = violation.breach.promise();
            let first = (report.seed, violation.clone());
            if violation.beyond.is_some() {
                self.beyond.entry(promise).or_insert(first);
            } else {
                *self.broken.entry(promise).or_default() += 1;
                self.violations.entry(promise).or_insert(first);
            }
        }
    }

    /// Returns the number of messages sent.
    #[must_use]
    pub fn all_messages(&self) -> u64 {
        self.messages.iter().map(|(_, count)| count).sum()
    }

    /// Converts a count to a rate per simulated second.
    #[must_use]
    pub fn per_second(&self, count: u64) -> f64 {
        if self.simulated == 0 { 0.0 } else { count as f64 * 1e9 / self.simulated as f64 }
    }

    /// Returns the share of the time for which offices were filled, from 0 to 1.
    #[must_use]
    pub fn availability(&self) -> f64 {
        if self.offered == 0 { 0.0 } else { 1.0 - self.vacant as f64 / self.offered as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let durations: Vec<u64> = (1..=200).rev().collect();
        let spread = Spread::of(&durations).unwrap();
        assert_eq!(spread, Spread { count: 200, p50: 100, p99: 198, max: 200 });
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[7]), Some(Spread { count: 1, p50: 7, p99: 7, max: 7 }));
    }
}
