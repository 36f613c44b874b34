//! What came of a run.

use super::{
    Nanos, Script,
    plan::Plan,
    world::{World, bytes},
};
use crate::promises::{Breach, Promise};
use serde::Serialize;
use std::collections::BTreeMap;
use suffrage_process::{Message, recovery::Recoverable};

/// The first time that a promise was broken in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// When.
    pub at: Nanos,
    /// In which office.
    pub office: u64,
    /// How.
    pub breach: Breach,
    /// What had happened by then that no promise holds after: a clock beyond the bound, an old
    /// record. `None` if the protocol is to blame.
    pub beyond: Option<String>,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The seed of the run.
    pub seed: u64,
    /// How long it was, in simulated time.
    pub length: Nanos,
    /// What went wrong, when.
    #[serde(serialize_with = "as_lines")]
    pub script: Script,
    /// How many events there were.
    pub events: u64,
    /// How many messages were sent, by kind, in the order of the protocol's kinds.
    pub messages: Vec<(&'static str, u64)>,
    /// Their sizes together: a tag, 8 bytes for a term or serial number, 4 for a participant.
    pub bytes: u64,
    /// How often a reaction's writes were synced.
    pub syncs: u64,
    /// How often a process crashed.
    pub crashes: u64,
    /// How many messages and commands were rejected; the first: by whom and why. A correct protocol
    /// rejects nothing.
    pub rejected: u64,
    /// The first of them.
    pub first_rejection: Option<(u32, &'static str)>,
    /// How many tenures began, in all offices.
    pub tenures: u64,
    /// How many of them ended though the holder could exchange messages with a majority.
    pub needless: u64,
    /// For how many nanoseconds offices were vacant, by the kind of fault that came before. `start`
    /// is the time to the first tenure, `none` a vacancy long after all faults.
    pub vacancies: BTreeMap<&'static str, Vec<u64>>,
    /// How many offices were vacant at the end.
    pub vacant_at_the_end: u64,
    /// The sum of all vacancies.
    pub vacant: u64,
    /// The number of offices.
    pub offices: u64,
    /// For how many nanoseconds a process still named a leader whose tenure had ended.
    pub staleness: Vec<u64>,
    /// The first violation of each promise, in the order of time.
    pub violations: Vec<Violation>,
    /// How often each promise was broken.
    pub broken: BTreeMap<Promise, u64>,
}

impl Report {
    pub(crate) fn new<P: Recoverable, W: super::Watch<P>>(
        plan: &Plan,
        world: World<'_, P, W>,
    ) -> Self {
        let length = Nanos(world.now());
        let syncs = world.syncs();
        let (tally, offices) = (world.tally, world.offices);
        let names = P::Msg::KINDS.iter().map(|kind| kind.name);
        let bytes = bytes::<P::Msg>().iter().zip(&tally.messages).map(|(each, n)| each * n).sum();
        let violation = |(found, beyond): (super::offices::Found, _)| Violation {
            at: Nanos(found.at),
            office: u64::from(found.office),
            breach: found.breach,
            beyond,
        };
        Self {
            seed: plan.seed,
            length,
            script: plan.script.clone(),
            events: tally.events,
            messages: names.zip(tally.messages).collect(),
            bytes,
            syncs,
            crashes: tally.crashes,
            rejected: tally.rejected,
            first_rejection: tally.first_rejection,
            tenures: offices.tenures,
            needless: offices.needless,
            offices: offices.len(),
            vacancies: offices.vacancies,
            vacant: offices.vacant,
            vacant_at_the_end: offices.vacant_at_the_end,
            staleness: offices.staleness,
            violations: world.found.into_iter().map(violation).collect(),
            broken: offices.broken,
        }
    }

    /// The first violation of a promise.
    #[must_use]
    pub fn broken(&self, promise: Promise) -> Option<&Violation> {
        self.violations.iter().find(|violation| violation.breach.promise() == promise)
    }

    /// The first violation that the protocol is to blame for.
    #[must_use]
    pub fn blamed(&self) -> Option<&Violation> {
        self.violations.iter().find(|violation| violation.beyond.is_none())
    }

    /// The longest time that an office was vacant, in nanoseconds, the start included.
    #[must_use]
    pub fn longest_vacancy(&self) -> u64 {
        self.vacancies.values().flatten().max().copied().unwrap_or(0)
    }

    /// The share of the time that offices were filled, from 0 to 1.
    #[must_use]
    pub fn availability(&self) -> f64 {
        let all = self.length.0 as f64 * self.offices as f64;
        if all > 0.0 { 1.0 - self.vacant as f64 / all } else { 0.0 }
    }

    /// How many messages were sent.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.messages.iter().map(|(_, count)| count).sum()
    }
}

fn as_lines<S: serde::Serializer>(script: &Script, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(script.0.iter().map(ToString::to_string))
}
