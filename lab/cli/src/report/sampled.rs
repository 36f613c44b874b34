//! The result of sampled checking, as serializable facts and as text.

use super::checked::{CheckedInstance, as_faults, fault_words};
use super::sheet::Sheet;
use crate::error::Error;
use crate::terminal::Emphasis;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use std::collections::BTreeMap;
use suffrage::algorithms::{Algorithm, Property};
use suffrage::checker::{self, FaultBudget, RandomInstances, SampleReport, SampleScheduler};
use suffrage::experiment::number::{Decimal, count, grouped};
use suffrage::experiment::report::{Sum, TimeBound, TrialSeeds, either};
use suffrage::networks::Fault;
use suffrage::run::Run;

/// The result of sampled checking. Its keys are those of the JSON report.
#[derive(Serialize, Deserialize)]
pub(crate) struct Sampled {
    pub(super) algorithm: String,
    nodes: [u32; 2],
    /// The seed, or the first of several.
    seed: u64,
    /// Whether every sample has a seed of its own.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(crate) consecutive: bool,
    #[serde(serialize_with = "as_faults", deserialize_with = "faults")]
    faults: FaultBudget,
    /// The invariants that were checked after every step.
    pub(crate) invariants: Vec<String>,
    #[serde(serialize_with = "super::as_texts", deserialize_with = "schedulers")]
    schedulers: Vec<SampleScheduler>,
    samples: u64,
    of: u64,
    steps: u64,
    /// The number of samples that were stopped because they took too many steps.
    endless: u64,
    bound: Option<SampledBound>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_bound: Option<TimeBound>,
    pct: Vec<SampleGuarantee>,
    verdict: SampleVerdict,
    failure: Option<SampledFailure>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SampleVerdict {
    NotViolated,
    Broken,
    Interrupted,
}

/// The samples that come nearest to the bound.
#[derive(Serialize, Deserialize)]
struct SampledBound {
    formula: String,
    messages: u64,
    most: u64,
    ratio: Option<Decimal>,
}

/// The guarantee of probabilistic concurrency testing for bugs of a depth.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(from = "WrittenGuarantee")]
struct SampleGuarantee {
    depth: u32,
    threads: u64,
    steps: u64,
    samples: u64,
    probability: f64,
}

/// What is read of a guarantee.
#[derive(Deserialize)]
struct WrittenGuarantee {
    depth: u32,
    threads: u64,
    steps: u64,
    samples: u64,
}

impl From<WrittenGuarantee> for SampleGuarantee {
    fn from(WrittenGuarantee { depth, threads, steps, samples }: WrittenGuarantee) -> Self {
        Self::of(&checker::DetectionGuarantee { depth, threads, steps, samples })
    }
}

impl SampleGuarantee {
    fn of(known: &checker::DetectionGuarantee) -> Self {
        Self {
            depth: known.depth,
            threads: known.threads,
            steps: known.steps,
            samples: known.samples,
            probability: known.probability(),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct SampledFailure {
    sample: u64,
    #[serde(serialize_with = "super::as_text", deserialize_with = "scheduler")]
    scheduler: SampleScheduler,
    nodes: u32,
    initiators: u64,
    steps: u64,
    property: Property,
    detail: String,
    shortest: bool,
    shrunk_steps: usize,
    instance: CheckedInstance,
    run: Option<Run>,
}

impl SampledBound {
    /// The one of two that is nearer to its bound; of equally near ones the one with more messages.
    fn nearer(self, other: Self) -> Self {
        let key = |bound: &Self, of: &Self| {
            (u128::from(bound.most) * u128::from(of.messages), bound.most)
        };
        if key(&other, &self) > key(&self, &other) { other } else { self }
    }
}

/// The one of two times that is nearer to its bound; of equally near ones the longer one.
fn nearest_to_time(one: TimeBound, other: TimeBound) -> TimeBound {
    let key = |bound: &TimeBound, of: &TimeBound| {
        (u128::from(bound.units) * u128::from(of.most), bound.units)
    };
    if key(&other, &one) > key(&one, &other) { other } else { one }
}

/// Reads faults as values of `--fault`.
fn faults<'de, D: Deserializer<'de>>(from: D) -> Result<FaultBudget, D::Error> {
    let words = Vec::<String>::deserialize(from)?;
    let list: Result<Vec<Fault>, _> = words.iter().map(|word| word.parse()).collect();
    FaultBudget::of(&list.map_err(D::Error::custom)?).map_err(D::Error::custom)
}

fn scheduler<'de, D: Deserializer<'de>>(from: D) -> Result<SampleScheduler, D::Error> {
    String::deserialize(from)?.parse().map_err(D::Error::custom)
}

fn schedulers<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<SampleScheduler>, D::Error> {
    let words = Vec::<String>::deserialize(from)?;
    words.iter().map(|word| word.parse().map_err(D::Error::custom)).collect()
}

impl Sampled {
    pub(crate) fn of(
        algorithm: &'static Algorithm,
        instances: &RandomInstances,
        seed: u64,
        schedulers: &[SampleScheduler],
        report: &SampleReport,
        run: Option<Run>,
    ) -> Self {
        let failure = report.violation.as_ref().map(|failure| {
            let found = &failure.counterexample;
            SampledFailure {
                sample: failure.sample,
                scheduler: failure.scheduler,
                nodes: failure.nodes,
                initiators: failure.initiators,
                steps: failure.steps,
                property: found.violation.property,
                detail: found.violation.detail.clone(),
                shortest: found.shortest,
                shrunk_steps: found.execution.moves.len(),
                instance: CheckedInstance::new(0, &found.execution.instance),
                run,
            }
        });
        Self {
            algorithm: algorithm.name.to_owned(),
            nodes: [*instances.nodes.start(), *instances.nodes.end()],
            seed,
            consecutive: false,
            faults: instances.faults,
            invariants: Vec::new(),
            schedulers: schedulers.to_vec(),
            samples: report.samples,
            of: report.of,
            steps: report.steps,
            endless: report.endless,
            bound: report.nearest.map(|(most, messages)| SampledBound {
                formula: algorithm.claims.formula(),
                messages,
                most,
                ratio: Decimal::ratio(most.into(), messages.into()),
            }),
            time_bound: algorithm
                .claims
                .time
                .zip(report.longest)
                .map(|(claim, (units, most))| TimeBound::new(&claim, units, most)),
            pct: report.guarantees.iter().map(SampleGuarantee::of).collect(),
            verdict: match report {
                SampleReport { violation: Some(_), .. } => SampleVerdict::Broken,
                SampleReport { stopped: true, .. } => SampleVerdict::Interrupted,
                _ => SampleVerdict::NotViolated,
            },
            failure,
        }
    }

    /// Returns the first seed and the number of seeds. The number is 0 unless all seeds that were asked for
    /// are covered; seeds that were skipped because an earlier one failed count as covered.
    pub(super) fn seeds(&self) -> (u64, u64) {
        let complete = self.consecutive && self.verdict != SampleVerdict::Interrupted;
        (self.seed, if complete { self.of } else { 0 })
    }

    pub(crate) const fn is_broken(&self) -> bool {
        self.failure.is_some()
    }

    /// Adds the samples that follow: none, if one of these failed, since they would not have been taken.
    pub(super) fn add(&mut self, further: Self) {
        self.of = self.of.saturating_add(further.of);
        if self.is_broken() {
            return;
        }
        self.samples += further.samples;
        self.steps += further.steps;
        self.endless += further.endless;
        self.bound = either(self.bound.take(), further.bound, SampledBound::nearer);
        self.time_bound = either(self.time_bound.take(), further.time_bound, nearest_to_time);
        for more in further.pct {
            match self.pct.iter_mut().find(|known| known.depth == more.depth) {
                Some(known) => {
                    let samples = known.samples + more.samples;
                    let least = if more.probability < known.probability { more } else { *known };
                    *known = SampleGuarantee { samples, ..least };
                }
                None => self.pct.push(more),
            }
        }
        self.pct.sort_by_key(|guarantee| guarantee.depth);
        (self.verdict, self.failure) = (further.verdict, further.failure);
    }

    /// Sets the command that the failing run names.
    pub(super) fn set_command(&mut self, command: &str) {
        if let Some(run) = self.failure.as_mut().and_then(|failure| failure.run.as_mut()) {
            run.header.command = Some(command.to_owned());
        }
    }

    fn seeds_in_words(&self) -> String {
        match self.consecutive && self.of > 1 {
            true => format!("seeds {} to {}", self.seed, self.seed + (self.of - 1)),
            false => format!("seed {}", self.seed),
        }
    }

    /// Formats the report for people, with a diagram of the run if a property is broken.
    pub(crate) fn text(&self) -> Result<String, Error> {
        let [least, most] = self.nodes;
        let size = match least == most {
            true => count(least.into(), "node").into_owned(),
            false => format!("{least} to {most} nodes"),
        };
        let mut sheet = Sheet::titled(&format!("{}: a sample, {size}", self.algorithm));
        let faults = fault_words(&self.faults).map(|fault| format!("; fault {fault}"));
        sheet.line(
            "drawn",
            &format!(
                "networks, ports, ids, initiators and schedules at random, {}{}",
                self.seeds_in_words(),
                faults.collect::<String>()
            ),
        );
        if !self.invariants.is_empty() {
            sheet.line("invariants", &self.invariants.join(", "));
        }
        let schedulers: Vec<_> = self.schedulers.iter().map(SampleScheduler::to_string).collect();
        sheet.line("schedules", &schedulers.join(", "));
        self.taken(&mut sheet);
        sheet.plain("");
        let Some(failure) = &self.failure else {
            sheet.line("verdict", "no sample breaks a property, which proves nothing");
            return Ok(sheet.into_text());
        };
        self.broken(failure, &mut sheet);
        let mut text = sheet.into_text();
        if let Some(run) = &failure.run {
            text.push('\n');
            text.push_str(&crate::trace::drawn(run)?);
        }
        Ok(text)
    }

    /// Adds what was sampled, and how near it came to the bounds.
    fn taken(&self, sheet: &mut Sheet) {
        let (samples, of, steps) =
            (grouped(self.samples), grouped(self.of), count(self.steps, "step"));
        sheet.line("samples", &format!("{samples} of {of}, {steps}"));
        if self.endless > 0 {
            sheet.line("given up", &format!("{} after 2^20 steps", count(self.endless, "sample")));
        }
        if let Some(SampledBound { formula, messages, most, ratio: Some(ratio) }) = &self.bound {
            sheet.line("bound", &format!("{formula}; nearest: {most} of {messages} ({ratio})"));
        }
        if let Some(time) = &self.time_bound {
            sheet.line("time bound", &time.nearest());
        }
        for SampleGuarantee { depth, threads, steps, samples, probability } in &self.pct {
            sheet.line(
                &format!("pct, depth {depth}"),
                &format!(
                    "a fault of depth {depth} in an instance is found by one sample of it with \
                     probability at least {probability:.1e} (at most {} links and initiators, {} \
                     steps); {} samples",
                    grouped(*threads),
                    grouped(*steps),
                    grouped(*samples)
                ),
            );
        }
    }

    /// Adds the failure.
    fn broken(&self, failure: &SampledFailure, sheet: &mut Sheet) {
        sheet.emphasized(
            "BROKEN",
            &format!("{}: {}", failure.property, failure.detail),
            Emphasis::Broken,
        );
        let words = match failure.shortest {
            true => "no run with fewer steps breaks a property there",
            false => "shrunk; there may be shorter runs",
        };
        sheet.line("run", &format!("{}; {words}", count(failure.shrunk_steps as u64, "step")));
        sheet.line("on", &failure.instance.words(&BTreeMap::new()));
        sheet.line(
            "found by",
            &format!(
                "{} ({}): {}, {}, {}",
                match self.consecutive {
                    true => format!("seed {}", failure.sample),
                    false => format!("sample {}", grouped(failure.sample + 1)),
                },
                failure.scheduler,
                count(failure.nodes.into(), "node"),
                count(failure.initiators, "initiator"),
                count(failure.steps, "step")
            ),
        );
    }
}

impl Sum for Sampled {
    fn subject(&self) -> String {
        format!("a sample of {}", self.algorithm)
    }

    fn seeds(&self) -> TrialSeeds<'_> {
        let (first, count) = Self::seeds(self);
        TrialSeeds::From(first, count)
    }

    fn add(&mut self, further: Self) {
        self.add(further);
    }

    fn set_command(&mut self, command: &str) {
        self.set_command(command);
    }
}
