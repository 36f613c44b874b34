//! The result of simulations of leadership that survives crashes, as serializable facts and as text.

use super::sheet::Sheet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use suffrage::experiment::number::{count, grouped, on_a_line};
use suffrage::experiment::report::{Sum, TrialSeeds};
use suffrage::tenure::simulation::promises::Promise;
use suffrage::tenure::simulation::{
    DurationSpread, Nanos, PromiseViolation, Shrunk, SimulationSummary,
};

/// The results of the runs. Its keys are those of the JSON report.
///
/// What follows from the [`sums`](Self::sums) is not read: [`complete`](Self::complete) computes it.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Tenures {
    pub(crate) protocol: String,
    pub(crate) members: u32,
    pub(crate) clients: u32,
    pub(crate) offices: u32,
    pub(crate) profile: String,
    pub(crate) faults: String,
    /// The seed of the first run.
    pub(crate) seed: u64,
    #[serde(skip_deserializing)]
    runs: u64,
    #[serde(skip_deserializing)]
    simulated_seconds: f64,
    #[serde(skip_deserializing)]
    availability: f64,
    pub(crate) bound_nanos: u64,
    #[serde(skip_deserializing)]
    vacancy: BTreeMap<String, DurationSpread>,
    #[serde(skip_deserializing)]
    staleness: Option<DurationSpread>,
    #[serde(skip_deserializing)]
    tenures: u64,
    #[serde(skip_deserializing)]
    needless: u64,
    /// The number of values that leaders have set, and how long it took until they were shown.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    values: Option<u64>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    value_delay: Option<DurationSpread>,
    #[serde(skip_deserializing)]
    crashes: u64,
    #[serde(skip_deserializing)]
    rejected: u64,
    #[serde(skip_deserializing)]
    events: u64,
    #[serde(skip_deserializing)]
    messages_per_second: f64,
    #[serde(skip_deserializing)]
    bytes_per_second: f64,
    #[serde(skip_deserializing)]
    syncs_per_second: f64,
    #[serde(skip_deserializing)]
    messages: BTreeMap<String, u64>,
    /// The number of runs in which each promise was broken.
    #[serde(skip_deserializing)]
    broken: BTreeMap<Promise, u64>,
    #[serde(skip_deserializing)]
    violations: Vec<BrokenPromise>,
    #[serde(skip_deserializing)]
    beyond_the_model: Vec<BrokenPromise>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shrunk: Option<Small>,
    /// The data behind these figures; present only if results of other seeds are to be added.
    #[serde(serialize_with = "some_on_a_line", skip_serializing_if = "Option::is_none")]
    pub(crate) sums: Option<SimulationSummary>,
    #[serde(skip)]
    first_faults: u64,
}

/// The first violation of a promise.
#[derive(Serialize)]
struct BrokenPromise {
    promise: Promise,
    seed: u64,
    why: String,
    #[serde(flatten)]
    violation: PromiseViolation,
}

/// The shortest script with which a promise is broken.
#[derive(Serialize, Deserialize)]
struct Small {
    seed: u64,
    promise: Promise,
    why: String,
    at: Nanos,
    script: Vec<String>,
    runs: u64,
}

fn some_on_a_line<S: serde::Serializer>(
    sums: &Option<SimulationSummary>,
    to: S,
) -> Result<S::Ok, S::Error> {
    on_a_line(sums, to)
}

impl BrokenPromise {
    fn all(of: &BTreeMap<Promise, (u64, PromiseViolation)>) -> Vec<Self> {
        let broken = |(&promise, (seed, violation)): (&Promise, &(u64, PromiseViolation))| Self {
            promise,
            seed: *seed,
            why: violation.breach.to_string(),
            violation: violation.clone(),
        };
        of.iter().map(broken).collect()
    }
}

impl Small {
    fn of(shrunk: &Shrunk) -> Option<Self> {
        let violation = shrunk.report.violations.last()?;
        Some(Self {
            seed: shrunk.report.seed,
            promise: violation.breach.promise(),
            why: violation.breach.to_string(),
            at: violation.at,
            script: shrunk.script.0.iter().map(ToString::to_string).collect(),
            runs: shrunk.runs,
        })
    }
}

impl Tenures {
    /// Creates the results of these runs, without saying what they are runs of; the first failure, if there
    /// is one, is also given shrunk.
    pub(crate) fn new(sums: SimulationSummary, shrunk: Option<&Shrunk>) -> Self {
        let shrunk = shrunk.and_then(Small::of);
        let mut whole = Self { sums: Some(sums), shrunk, ..Self::default() };
        whole.complete();
        whole
    }

    /// Computes what follows from the sums.
    pub(crate) fn complete(&mut self) {
        let Some(sums) = &self.sums else { return };
        let spreads = sums.vacancies.iter();
        self.runs = sums.runs;
        self.simulated_seconds = sums.simulated.as_nanos() as f64 / 1e9;
        self.availability = sums.availability();
        self.vacancy = spreads
            .filter_map(|(kind, all)| Some((kind.to_string(), DurationSpread::of(all)?)))
            .collect();
        self.staleness = DurationSpread::of(&sums.staleness);
        self.tenures = sums.tenures;
        self.needless = sums.needless;
        self.values = Some(sums.values).filter(|&values| values > 0);
        self.value_delay = DurationSpread::of(&sums.value_delays);
        self.crashes = sums.crashes;
        self.rejected = sums.rejected;
        self.events = sums.events;
        self.messages_per_second = sums.per_second(sums.all_messages());
        self.bytes_per_second = sums.per_second(sums.bytes);
        self.syncs_per_second = sums.per_second(sums.syncs);
        self.messages =
            sums.messages.iter().map(|(kind, count)| (kind.to_string(), *count)).collect();
        self.broken = sums.broken.clone();
        self.violations = BrokenPromise::all(&sums.violations);
        self.beyond_the_model = BrokenPromise::all(&sums.beyond);
        self.first_faults = sums.first_faults;
    }

    pub(crate) const fn runs(&self) -> u64 {
        self.runs
    }

    pub(crate) const fn is_broken(&self) -> bool {
        !self.violations.is_empty()
    }

    pub(super) fn added_up(&self) -> u64 {
        self.sums.as_ref().map_or(0, |sums| sums.runs)
    }

    /// Adds the results of the runs that follow.
    pub(super) fn add(&mut self, further: Self) {
        // It is the first violation of the first promise that is shrunk.
        let promise = |tenures: &Self| tenures.violations.first().map(|broken| broken.promise);
        self.shrunk = match (promise(self), promise(&further)) {
            (Some(mine), Some(theirs)) if theirs < mine => further.shrunk,
            (None, _) => further.shrunk,
            _ => self.shrunk.take(),
        };
        if let (Some(sums), Some(more)) = (&mut self.sums, further.sums) {
            sums.merge(more);
        }
        self.complete();
    }

    /// Formats the results for people.
    pub(crate) fn text(&self) -> String {
        let mut sheet = Sheet::titled(&format!(
            "{}: {}, {}, {}, {}, faults: {}",
            self.protocol,
            count(self.members.into(), "member"),
            count(self.clients.into(), "client"),
            count(self.offices.into(), "office"),
            self.profile,
            self.faults
        ));
        let seeds = match self.runs {
            1 => format!("1, seed {}", self.seed),
            runs => format!("{}, seeds {} to {}", grouped(runs), self.seed, self.seed + runs - 1),
        };
        sheet.line("runs", &seeds);
        sheet.line(
            "simulated",
            &format!(
                "{} in all, {}, {} in the first run",
                Nanos((self.simulated_seconds * 1e9) as u64),
                count(self.events, "event"),
                count(self.first_faults, "fault")
            ),
        );
        for promise in Promise::ALL {
            sheet.line(promise.name(), &self.kept(promise));
        }
        sheet.line("availability", &format!("{:.4} %", 100.0 * self.availability));
        sheet.line(
            "tenures",
            &format!("{} ({} ended without need)", grouped(self.tenures), self.needless),
        );
        if let Some(values) = self.values {
            sheet.line("values", &format!("{} set by leaders", grouped(values)));
        }
        let rate = |rate: f64, of: &str| count(rate.round() as u64, of);
        sheet.line(
            "each second",
            &format!(
                "{}, {}, {:.2} disk syncs",
                rate(self.messages_per_second, "message"),
                rate(self.bytes_per_second, "byte"),
                self.syncs_per_second
            ),
        );
        if self.rejected > 0 {
            sheet.line("rejected", &format!("{} messages or commands", grouped(self.rejected)));
        }
        self.vacancies(&mut sheet);
        sheet.into_text()
    }

    /// Adds how long offices were vacant, and the shortest script that fails.
    fn vacancies(&self, sheet: &mut Sheet) {
        sheet.plain("");
        sheet
            .plain("  vacancy in ms, by the fault before      count       p50       p99       max");
        let row = |name: &str, spread: &DurationSpread| {
            let millis = |nanos: u64| format!("{:.1}", nanos as f64 / 1e6);
            format!(
                "  {name:<34} {:>10} {:>9} {:>9} {:>9}",
                grouped(spread.count),
                millis(spread.p50),
                millis(spread.p99),
                millis(spread.max)
            )
        };
        for (kind, spread) in &self.vacancy {
            sheet.plain(&row(kind, spread));
        }
        if let Some(staleness) = &self.staleness {
            sheet.plain("");
            sheet.plain(&row("age of answers of who leads", staleness));
        }
        if let Some(delay) = &self.value_delay {
            sheet.plain(&row("time until a new value is shown", delay));
        }
        if let Some(small) = &self.shrunk {
            sheet.plain("");
            sheet.plain(&format!(
                "  The shortest script with which seed {} fails, found in {} ({} at {:.3} s):",
                small.seed,
                count(small.runs, "run"),
                small.promise,
                small.at.0 as f64 / 1e9
            ));
            sheet.plain("");
            for line in &small.script {
                sheet.plain(&format!("    {line}"));
            }
            if small.script.is_empty() {
                sheet.plain("    # empty: no fault is needed");
            }
        }
    }

    /// Whether a promise was kept, and if not, where it was broken.
    fn kept(&self, promise: Promise) -> String {
        let beyond = self.beyond_the_model.iter().find(|broken| broken.promise == promise);
        let broken = self.violations.iter().find(|broken| broken.promise == promise);
        match (broken, beyond) {
            (Some(broken), _) => format!(
                "BROKEN in {} of {}; seed {} at {:.3} s: {}",
                self.broken[&promise],
                count(self.runs, "run"),
                broken.seed,
                broken.violation.at.0 as f64 / 1e9,
                broken.why
            ),
            (None, Some(beyond)) => format!(
                "broken beyond the model: {}; seed {} at {:.3} s: {}",
                beyond.violation.beyond.as_deref().unwrap_or_default(),
                beyond.seed,
                beyond.violation.at.0 as f64 / 1e9,
                beyond.why
            ),
            (None, None) if promise == Promise::Tellable && self.values.is_some() => {
                "kept: only a process that has led is named, its values in order and in time"
                    .to_owned()
            }
            (None, None) => format!("kept: {}", meaning(promise)),
        }
    }
}

impl Sum for Tenures {
    fn subject(&self) -> String {
        format!("{} with {} members", self.protocol, self.members)
    }

    fn seeds(&self) -> TrialSeeds<'_> {
        TrialSeeds::From(self.seed, self.added_up())
    }

    fn add(&mut self, further: Self) {
        self.add(further);
    }
}

/// What a promise promises.
const fn meaning(promise: Promise) -> &'static str {
    match promise {
        Promise::One => "no two lead at a time",
        Promise::EverNewer => "each tenure has a greater term than all before it",
        Promise::Soon => "a vacant office is filled within a bound",
        Promise::Stable => "a leader that reaches a majority stays",
        Promise::Tellable => "only a process that has led is named as the leader",
    }
}
