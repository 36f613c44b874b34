//! Many runs as one.

use super::{Report, Violation};
use crate::promises::Promise;
use serde::Serialize;
use std::collections::BTreeMap;

/// What came of many runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many.
    pub runs: u64,
    /// The simulated time of all of them, in nanoseconds.
    pub simulated: u128,
    /// The simulated time of all offices together.
    pub offered: u128,
    /// How much of it they were vacant.
    pub vacant: u128,
    /// How many events there were.
    pub events: u64,
    /// How many messages were sent, by kind.
    pub messages: Vec<(&'static str, u64)>,
    /// Their sizes together, in bytes.
    pub bytes: u64,
    /// How often the writes of a reaction were synced.
    pub syncs: u64,
    /// How often a process crashed.
    pub crashes: u64,
    /// How many messages and commands were rejected.
    pub rejected: u64,
    /// How many tenures began.
    pub tenures: u64,
    /// How many ended without need.
    pub needless: u64,
    /// How long offices were vacant, in nanoseconds, by the kind of fault before.
    pub vacancies: BTreeMap<&'static str, Vec<u64>>,
    /// How long ended tenures were still named, in nanoseconds.
    pub staleness: Vec<u64>,
    /// The first violation of each promise, with the seed of its run: those that the protocol is to
    /// blame for, and those beyond the model.
    pub violations: BTreeMap<Promise, (u64, Violation)>,
    /// The same of runs in which a clock was beyond the bound, or a record an old one.
    pub beyond: BTreeMap<Promise, (u64, Violation)>,
    /// In how many runs each promise was broken, the protocol to blame.
    pub broken: BTreeMap<Promise, u64>,
}

/// How durations spread: percentiles by the nearest rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Spread {
    /// How many there are.
    pub count: u64,
    /// Half of them are at most this, in nanoseconds.
    pub p50: u64,
    /// 99 of 100 are at most this.
    pub p99: u64,
    /// The longest.
    pub max: u64,
}

impl Spread {
    /// Of durations in any order; `None` of none.
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

    /// How many messages were sent.
    #[must_use]
    pub fn all_messages(&self) -> u64 {
        self.messages.iter().map(|(_, count)| count).sum()
    }

    /// A count as a rate per simulated second.
    #[must_use]
    pub fn per_second(&self, count: u64) -> f64 {
        if self.simulated == 0 { 0.0 } else { count as f64 * 1e9 / self.simulated as f64 }
    }

    /// The share of the time that offices were filled, from 0 to 1.
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
