//! The result of sampled checking, as serializable facts and as text.

use super::checked::{Instance, as_faults, fault_words};
use super::facts::TimeBound;
use super::text::Sheet;
use crate::error::Error;
use crate::number::count;
use crate::number::{Decimal, grouped};
use crate::terminal::Emphasis;
use serde::Serialize;
use std::collections::BTreeMap;
use suffrage::algorithms::{Algorithm, Property};
use suffrage::checker::{Faults, RandomInstances, SampleReport, Scheduler};
use suffrage::run::Run;

/// The result of sampled checking. Its keys are those of the JSON report.
#[derive(Serialize)]
pub(crate) struct Sampled {
    algorithm: &'static str,
    nodes: [u32; 2],
    seed: u64,
    #[serde(serialize_with = "as_faults")]
    faults: Faults,
    /// The invariants that were checked after every step.
    pub(crate) invariants: Vec<&'static str>,
    #[serde(serialize_with = "super::as_texts")]
    schedulers: Vec<Scheduler>,
    samples: u64,
    of: u64,
    steps: u64,
    /// The number of samples that were stopped because they took too many steps.
    endless: u64,
    bound: Option<Bound>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_bound: Option<TimeBound>,
    pct: Vec<Guarantee>,
    verdict: Verdict,
    failure: Option<Failure>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    NotViolated,
    Broken,
    Interrupted,
}

/// The samples that come nearest to the bound.
#[derive(Serialize)]
struct Bound {
    formula: String,
    messages: u64,
    most: u64,
    ratio: Option<Decimal>,
}

/// The guarantee of probabilistic concurrency testing for bugs of a depth.
#[derive(Serialize)]
struct Guarantee {
    depth: u32,
    threads: u64,
    steps: u64,
    samples: u64,
    probability: f64,
}

#[derive(Serialize)]
struct Failure {
    sample: u64,
    #[serde(serialize_with = "super::as_text")]
    scheduler: Scheduler,
    nodes: u32,
    initiators: u64,
    steps: u64,
    property: Property,
    detail: String,
    shortest: bool,
    shrunk_steps: usize,
    instance: Instance,
    run: Option<Run>,
}

impl Sampled {
    pub(crate) fn of(
        algorithm: &'static Algorithm,
        instances: &RandomInstances,
        seed: u64,
        schedulers: &[Scheduler],
        report: &SampleReport,
        run: Option<Run>,
    ) -> Self {
        let guarantee = |known: &suffrage::checker::Guarantee| Guarantee {
            depth: known.depth,
            threads: known.threads,
            steps: known.steps,
            samples: known.samples,
            probability: known.probability(),
        };
        let failure = report.failure.as_ref().map(|failure| {
            let found = &failure.counterexample;
            Failure {
                sample: failure.sample,
                scheduler: failure.scheduler,
                nodes: failure.nodes,
                initiators: failure.initiators,
                steps: failure.steps,
                property: found.broken.property,
                detail: found.broken.detail.clone(),
                shortest: found.shortest,
                shrunk_steps: found.execution.moves.len(),
                instance: Instance::new(0, &found.execution.instance),
                run,
            }
        });
        Self {
            algorithm: algorithm.name,
            nodes: [*instances.nodes.start(), *instances.nodes.end()],
            seed,
            faults: instances.faults,
            invariants: Vec::new(),
            schedulers: schedulers.to_vec(),
            samples: report.samples,
            of: report.of,
            steps: report.steps,
            endless: report.endless,
            bound: report.nearest.map(|(most, messages)| Bound {
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
            pct: report.guarantees.iter().map(guarantee).collect(),
            verdict: match report {
                SampleReport { failure: Some(_), .. } => Verdict::Broken,
                SampleReport { stopped: true, .. } => Verdict::Interrupted,
                _ => Verdict::NotViolated,
            },
            failure,
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
                "networks, ports, ids, initiators and schedules at random, seed {}{}",
                self.seed,
                faults.collect::<String>()
            ),
        );
        if !self.invariants.is_empty() {
            sheet.line("invariants", &self.invariants.join(", "));
        }
        let schedulers: Vec<_> = self.schedulers.iter().map(Scheduler::to_string).collect();
        sheet.line("schedules", &schedulers.join(", "));
        sheet.line(
            "samples",
            &format!(
                "{} of {}, {}",
                grouped(self.samples),
                grouped(self.of),
                count(self.steps, "step")
            ),
        );
        if self.endless > 0 {
            sheet.line("given up", &format!("{} after 2^20 steps", count(self.endless, "sample")));
        }
        if let Some(Bound { formula, messages, most, ratio: Some(ratio) }) = &self.bound {
            sheet.line("bound", &format!("{formula}; nearest: {most} of {messages} ({ratio})"));
        }
        if let Some(time) = &self.time_bound {
            sheet.line("time bound", &time.nearest());
        }
        for Guarantee { depth, threads, steps, samples, probability } in &self.pct {
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
        sheet.plain("");
        let Some(failure) = &self.failure else {
            sheet.line("verdict", "no sample breaks a property, which proves nothing");
            return Ok(sheet.into_text());
        };
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
                "sample {} ({}): {}, {}, {}",
                grouped(failure.sample + 1),
                failure.scheduler,
                count(failure.nodes.into(), "node"),
                count(failure.initiators, "initiator"),
                count(failure.steps, "step")
            ),
        );
        let mut text = sheet.into_text();
        if let Some(run) = &failure.run {
            text.push('\n');
            text.push_str(&crate::trace::drawn(run)?);
        }
        Ok(text)
    }
}
