//! Summaries of many runs.

use super::{PromiseViolation, SimulationReport, report::is_zero};
use crate::promises::Promise;
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, collections::BTreeMap, time::Duration};
use suffrage_numbers::statistics::quantile;

/// The combined result of many runs: whole numbers and lists, which add up with those of further runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimulationSummary {
    /// The number of runs.
    pub runs: u64,
    /// The number of faults in the first run.
    pub first_faults: u64,
    /// The simulated time of all of them.
    pub simulated: Duration,
    /// The simulated time of all offices together.
    pub offered: Duration,
    /// The time for which they were vacant, of all offices together.
    pub vacant: Duration,
    /// The number of events.
    pub events: u64,
    /// The number of messages sent, by kind.
    pub messages: Vec<(Cow<'static, str>, u64)>,
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
    pub vacancies: BTreeMap<Cow<'static, str>, Vec<u64>>,
    /// The durations for which ended tenures were still named, in nanoseconds.
    pub staleness: Vec<u64>,
    /// The number of values that leaders have set.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub values: u64,
    /// The durations until a value of a leader was shown, in nanoseconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub value_delays: Vec<u64>,
    /// The first violation of each promise for which the protocol is to blame, with the seed of its
    /// run.
    pub violations: BTreeMap<Promise, (u64, PromiseViolation)>,
    /// The first violation of each promise in runs in which a clock was beyond the bound, or a
    /// record an old one.
    pub beyond: BTreeMap<Promise, (u64, PromiseViolation)>,
    /// The number of runs in which each promise was broken, with the protocol to blame.
    pub broken: BTreeMap<Promise, u64>,
}

/// The spread of durations: percentiles by the nearest rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DurationSpread {
    /// The number of durations.
    pub count: u64,
    /// The median: half of them are at most this, in nanoseconds.
    pub p50: u64,
    /// The 99th percentile: 99 of 100 are at most this.
    pub p99: u64,
    /// The longest duration.
    pub max: u64,
}

impl DurationSpread {
    /// Computes the spread of durations in any order; `None` if there are none.
    #[must_use]
    pub fn of<'a>(durations: impl IntoIterator<Item = &'a u64>) -> Option<Self> {
        let mut sorted: Vec<u64> = durations.into_iter().copied().collect();
        sorted.sort_unstable();
        let rank = |percent| quantile(&sorted, percent, 100);
        Some(Self { count: sorted.len() as u64, p50: rank(50)?, p99: rank(99)?, max: rank(100)? })
    }
}

impl<'a> FromIterator<&'a SimulationReport> for SimulationSummary {
    fn from_iter<I: IntoIterator<Item = &'a SimulationReport>>(reports: I) -> Self {
        let mut all = Self::default();
        reports.into_iter().for_each(|report| all.merge(report.into()));
        all
    }
}

impl From<&SimulationReport> for SimulationSummary {
    /// Returns the summary of one run.
    fn from(report: &SimulationReport) -> Self {
        let simulated = Duration::from_nanos(report.length.0);
        let named = |(&kind, all): (&&'static str, &Vec<u64>)| (Cow::Borrowed(kind), all.clone());
        let mut summary = Self {
            runs: 1,
            first_faults: report.script.0.len() as u64,
            simulated,
            offered: times(simulated, report.offices),
            vacant: Duration::from_nanos(report.vacant),
            events: report.events,
            messages: report.messages.iter().map(|&(kind, n)| (kind.into(), n)).collect(),
            bytes: report.bytes,
            syncs: report.syncs,
            crashes: report.crashes,
            rejected: report.rejected,
            tenures: report.tenures,
            needless: report.needless,
            vacancies: report.vacancies.iter().map(named).collect(),
            staleness: report.staleness.clone(),
            values: report.values,
            value_delays: report.value_delays.clone(),
            ..Self::default()
        };
        for violation in &report.violations {
            let promise = violation.breach.promise();
            let first = (report.seed, violation.clone());
            if violation.beyond.is_some() {
                summary.beyond.insert(promise, first);
            } else {
                summary.broken.insert(promise, 1);
                summary.violations.insert(promise, first);
            }
        }
        summary
    }
}

impl SimulationSummary {
    /// Adds the runs that follow in the order of their seeds. The sum is the summary of all runs.
    pub fn merge(&mut self, further: Self) {
        if self.runs == 0 {
            self.first_faults = further.first_faults;
        }
        self.runs += further.runs;
        self.simulated += further.simulated;
        self.offered += further.offered;
        self.vacant += further.vacant;
        self.events += further.events;
        // They are in the order of the protocol's kinds.
        for (place, (kind, count)) in further.messages.into_iter().enumerate() {
            match self.messages.get_mut(place) {
                Some(sum) => sum.1 += count,
                None => self.messages.push((kind, count)),
            }
        }
        self.bytes += further.bytes;
        self.syncs += further.syncs;
        self.crashes += further.crashes;
        self.rejected += further.rejected;
        self.tenures += further.tenures;
        self.needless += further.needless;
        for (kind, vacancies) in further.vacancies {
            self.vacancies.entry(kind).or_default().extend(vacancies);
        }
        self.staleness.extend(further.staleness);
        self.values += further.values;
        self.value_delays.extend(further.value_delays);
        for (promise, first) in further.violations {
            self.violations.entry(promise).or_insert(first);
        }
        for (promise, first) in further.beyond {
            self.beyond.entry(promise).or_insert(first);
        }
        for (promise, runs) in further.broken {
            *self.broken.entry(promise).or_default() += runs;
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
        let nanos = self.simulated.as_nanos();
        if nanos == 0 { 0.0 } else { count as f64 * 1e9 / nanos as f64 }
    }

    /// Returns the share of the time for which offices were filled, from 0 to 1.
    #[must_use]
    pub fn availability(&self) -> f64 {
        let (vacant, offered) = (self.vacant.as_nanos(), self.offered.as_nanos());
        if offered == 0 { 0.0 } else { 1.0 - vacant as f64 / offered as f64 }
    }
}

/// Multiplies a duration by a number that may have more than 32 bits.
fn times(each: Duration, number: u64) -> Duration {
    const SECOND: u128 = 1_000_000_000;
    let nanos = each.as_nanos().saturating_mul(number.into());
    let seconds = u64::try_from(nanos / SECOND).unwrap_or(u64::MAX);
    Duration::new(seconds, (nanos % SECOND) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let durations: Vec<u64> = (1..=200).rev().collect();
        let spread = DurationSpread::of(&durations).unwrap();
        assert_eq!(spread, DurationSpread { count: 200, p50: 100, p99: 198, max: 200 });
        assert_eq!(DurationSpread::of(&[]), None);
        assert_eq!(
            DurationSpread::of(&[7]),
            Some(DurationSpread { count: 1, p50: 7, p99: 7, max: 7 })
        );
    }
}
