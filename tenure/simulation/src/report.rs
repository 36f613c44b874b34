//! The result of a run.

use super::{FaultScript, Nanos};
use crate::promises::{Breach, Promise};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The first violation of a promise in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromiseViolation {
    /// The instant of the violation.
    pub at: Nanos,
    /// The office whose promise was broken.
    pub office: u64,
    /// The breach.
    pub breach: Breach,
    /// The event, before the violation, after which no promise holds: a clock beyond the bound, or
    /// an old record. `None` if the protocol is to blame.
    pub beyond: Option<String>,
}

/// The result of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SimulationReport {
    /// The seed of the run.
    pub seed: u64,
    /// The length of the run, in simulated time.
    pub length: Nanos,
    /// The faults of the run.
    pub script: FaultScript,
    /// The number of events.
    pub events: u64,
    /// The number of messages sent, by kind, in the order of the protocol's kinds.
    pub messages: Vec<(&'static str, u64)>,
    /// The total size of the messages: a tag, 8 bytes for a term or serial number, 4 for a
    /// participant.
    pub bytes: u64,
    /// The number of syncs of the disks.
    pub syncs: u64,
    /// The number of crashes.
    pub crashes: u64,
    /// The number of messages and commands that were rejected. A correct protocol rejects none.
    pub rejected: u64,
    /// The first rejection: the process that rejected, and why.
    pub first_rejection: Option<(u32, &'static str)>,
    /// The number of tenures that began, in all offices.
    pub tenures: u64,
    /// The number of tenures that ended although the holder could exchange messages with a
    /// majority.
    pub needless: u64,
    /// The durations of vacancies of offices, in nanoseconds, by the kind of fault that came
    /// before. `start` is the time to the first tenure, `none` a vacancy long after all faults.
    pub vacancies: BTreeMap<&'static str, Vec<u64>>,
    /// The number of offices that were vacant at the end.
    pub vacant_at_the_end: u64,
    /// The sum of all vacancies.
    pub vacant: u64,
    /// The number of offices.
    pub offices: u64,
    /// The durations for which a process still named a leader whose tenure had ended, in
    /// nanoseconds.
    pub staleness: Vec<u64>,
    /// The number of values that leaders have set, if their protocol has values.
    #[serde(skip_serializing_if = "is_zero")]
    pub values: u64,
    /// The durations from when a leader has set a value, or a process has begun to name it, until that process shows it,
    /// in nanoseconds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub value_delays: Vec<u64>,
    /// The first violation of each promise, in the order of time.
    pub violations: Vec<PromiseViolation>,
    /// The number of times that each promise was broken.
    pub broken: BTreeMap<Promise, u64>,
}

pub(crate) const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl SimulationReport {
    /// Records the end of a vacancy, if there was one: its beginning, and the kind of fault before.
    pub(crate) fn filled(&mut self, now: u64, vacancy: Option<(u64, &'static str)>) {
        if let Some((since, kind)) = vacancy {
            self.vacancies.entry(kind).or_default().push(now - since);
            self.vacant += now - since;
        }
    }

    /// Returns the first violation of a promise.
    #[must_use]
    pub fn broken(&self, promise: Promise) -> Option<&PromiseViolation> {
        self.violations.iter().find(|violation| violation.breach.promise() == promise)
    }

    /// Returns the first violation for which the protocol is to blame.
    #[must_use]
    pub fn blamed(&self) -> Option<&PromiseViolation> {
        self.violations.iter().find(|violation| violation.beyond.is_none())
    }

    /// Returns the longest time for which an office was vacant, in nanoseconds, the start included.
    #[must_use]
    pub fn longest_vacancy(&self) -> u64 {
        self.vacancies.values().flatten().max().copied().unwrap_or(0)
    }

    /// Returns the share of the time for which offices were filled, from 0 to 1.
    #[must_use]
    pub fn availability(&self) -> f64 {
        let all = self.length.0 as f64 * self.offices as f64;
        if all > 0.0 { 1.0 - self.vacant as f64 / all } else { 0.0 }
    }

    /// Returns the number of messages sent.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.messages.iter().map(|(_, count)| count).sum()
    }
}
