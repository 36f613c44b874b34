//! The result of sampled checking.

use super::chance::{JudgedClaim, none_refuted};
use super::checked::{CheckedInstance, as_faults};
use super::election::{ClaimedBound, TimeBound};
use super::sum::{Sum, TrialSeeds, either};
use crate::number::Decimal;
use crate::text;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use std::ops::RangeInclusive;
use suffrage_algorithms::{Claims, Property};
use suffrage_checker::{
    DetectionGuarantee, FaultBudget, RandomInstances, SampleReport, SampleScheduler,
};
use suffrage_figures::run::Run;
use suffrage_networks::Fault;

/// The result of sampled checking. Its keys are those of the JSON report.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sampled {
    /// The name of the algorithm.
    pub algorithm: String,
    /// The least and the greatest number of nodes.
    pub nodes: [u32; 2],
    /// The same of one sample in 32, if these are larger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub larger: Option<[u32; 2]>,
    /// The seed, or the first of several.
    pub seed: u64,
    /// Whether every sample has a seed of its own.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub consecutive: bool,
    /// The faults.
    #[serde(serialize_with = "as_faults", deserialize_with = "faults")]
    pub faults: FaultBudget,
    /// The invariants that were checked after every step.
    pub invariants: Vec<String>,
    /// The schedulers.
    #[serde(with = "text::several")]
    pub schedulers: Vec<SampleScheduler>,
    /// The number of samples taken.
    pub samples: u64,
    /// The number of samples that were asked for.
    pub of: u64,
    /// The number of their steps.
    pub steps: u64,
    /// The number of samples that were stopped because they took too many steps.
    pub endless: u64,
    /// The samples that come nearest to the bound on messages.
    pub bound: Option<SampledBound>,
    /// The samples that come nearest to the bound on time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_bound: Option<TimeBound>,
    /// The claims about chance, held to all samples together.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub chances: Vec<JudgedClaim>,
    /// The guarantees of probabilistic concurrency testing.
    pub pct: Vec<SampleGuarantee>,
    /// The verdict.
    pub verdict: SampleVerdict,
    /// The sample that broke a property.
    pub failure: Option<SampledFailure>,
}

/// The verdict of sampled checking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SampleVerdict {
    /// No sample breaks a property.
    NotViolated,
    /// One does.
    Broken,
    /// It was stopped.
    Interrupted,
}

/// The samples that come nearest to the bound.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SampledBound {
    /// The claim.
    #[serde(flatten)]
    pub claim: ClaimedBound,
    /// The bound.
    pub messages: u64,
    /// The messages sent.
    pub most: u64,
    /// The ratio of both.
    pub ratio: Option<Decimal>,
}

/// The guarantee of probabilistic concurrency testing for bugs of a depth.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(from = "WrittenGuarantee")]
pub struct SampleGuarantee {
    /// The depth.
    pub depth: u32,
    /// The most links and initiators.
    pub threads: u64,
    /// The most steps.
    pub steps: u64,
    /// The number of samples.
    pub samples: u64,
    /// The least probability that one sample finds a bug.
    pub probability: f64,
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
        Self::of(&DetectionGuarantee { depth, threads, steps, samples })
    }
}

impl SampleGuarantee {
    fn of(known: &DetectionGuarantee) -> Self {
        Self {
            depth: known.depth,
            threads: known.threads,
            steps: known.steps,
            samples: known.samples,
            probability: known.probability(),
        }
    }
}

/// A sample that broke a property.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SampledFailure {
    /// Its number, or its seed.
    pub sample: u64,
    /// Its scheduler.
    #[serde(with = "text::single")]
    pub scheduler: SampleScheduler,
    /// The number of its nodes.
    pub nodes: u32,
    /// The number of its initiators.
    pub initiators: u64,
    /// The number of its steps.
    pub steps: u64,
    /// The property.
    pub property: Property,
    /// What happens.
    pub detail: String,
    /// Whether no run with fewer steps breaks a property there.
    pub shortest: bool,
    /// The number of steps after shrinking.
    pub shrunk_steps: usize,
    /// The instance after shrinking.
    pub instance: CheckedInstance,
    /// The run after shrinking.
    pub run: Option<Run>,
}

impl SampledBound {
    /// The claim, and the sample that comes nearest to it.
    fn of(claims: &Claims, most: u64, messages: u64) -> Self {
        let ratio = Decimal::ratio(most.into(), messages.into());
        Self { claim: ClaimedBound::of(claims.stated(), None), messages, most, ratio }
    }

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

const fn ends(range: &RangeInclusive<u32>) -> [u32; 2] {
    [*range.start(), *range.end()]
}

/// Reads faults as values of `--fault`.
fn faults<'de, D: Deserializer<'de>>(from: D) -> Result<FaultBudget, D::Error> {
    let words = Vec::<String>::deserialize(from)?;
    let list: Result<Vec<Fault>, _> = words.iter().map(|word| word.parse()).collect();
    FaultBudget::of(&list.map_err(D::Error::custom)?).map_err(D::Error::custom)
}

impl Sampled {
    pub(crate) fn of(
        (algorithm, claims): (&str, Option<&Claims>),
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
            algorithm: algorithm.to_owned(),
            nodes: ends(&instances.nodes),
            larger: instances
                .second_tier
                .as_ref()
                .filter(|tier| tier.nodes != instances.nodes)
                .map(|tier| ends(&tier.nodes)),
            seed,
            consecutive: false,
            faults: instances.faults,
            invariants: Vec::new(),
            schedulers: schedulers.to_vec(),
            samples: report.samples,
            of: report.of,
            steps: report.steps,
            endless: report.endless,
            bound: claims
                .zip(report.nearest)
                .map(|(claims, (most, messages))| SampledBound::of(claims, most, messages)),
            time_bound: claims
                .and_then(|claims| claims.time)
                .zip(report.longest)
                .map(|(claim, (units, most))| TimeBound::new(&claim, units, most)),
            chances: claims.map_or_else(Vec::new, |claims| {
                JudgedClaim::all(claims, |claim| {
                    report.chances.get(&claim).cloned().unwrap_or_default()
                })
            }),
            pct: report.guarantees.iter().map(SampleGuarantee::of).collect(),
            verdict: match report {
                SampleReport { violation: Some(_), .. } => SampleVerdict::Broken,
                refuting if refuting.refuted().next().is_some() => SampleVerdict::Broken,
                SampleReport { stopped: true, .. } => SampleVerdict::Interrupted,
                _ => SampleVerdict::NotViolated,
            },
            failure,
        }
    }

    /// Whether a sample broke a property, or the samples together refute a claim about chance.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.failure.is_some() || !none_refuted(&self.chances)
    }
}

impl Sum for Sampled {
    fn subject(&self) -> String {
        format!("a sample of {}", self.algorithm)
    }

    fn seeds(&self) -> TrialSeeds<'_> {
        // Seeds that were skipped because an earlier one failed count as covered.
        let complete = self.consecutive && self.verdict != SampleVerdict::Interrupted;
        TrialSeeds::From(self.seed, if complete { self.of } else { 0 })
    }

    /// Adds the samples that follow: none, if one of these failed, since they would not have been taken.
    fn add(&mut self, further: Self) {
        self.of = self.of.saturating_add(further.of);
        if self.failure.is_some() {
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
        JudgedClaim::add(&mut self.chances, further.chances);
        (self.verdict, self.failure) = (further.verdict, further.failure);
        if self.is_broken() {
            self.verdict = SampleVerdict::Broken;
        } else if self.verdict == SampleVerdict::Broken {
            self.verdict = SampleVerdict::NotViolated;
        }
    }

    fn set_command(&mut self, command: &str) {
        if let Some(run) = self.failure.as_mut().and_then(|failure| failure.run.as_mut()) {
            run.header.command = Some(command.to_owned());
        }
    }
}
