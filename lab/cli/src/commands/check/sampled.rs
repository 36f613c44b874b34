//! `suffrage check --sample`: checks random runs of random elections that are too large to explore.

use super::CheckRun;
use crate::error::{CommandEnding, Error, complain};
use crate::interrupt;
use crate::output::print;
use crate::progress::ProgressLine;
use crate::report::{ReportFormat, Sampled, json};
use crate::terminal::fitted;
use crate::trace;
use suffrage::algorithms::Algorithm;
use suffrage::checker::{FaultBudget, SampleScheduler, Sampler};
use suffrage::experiment::{self, CheckSpecification, counts::NumberRange};

/// Which random runs are checked.
#[derive(Clone, Copy)]
pub(super) enum Samples {
    /// This many under one seed.
    Many(u64),
    /// One for each seed.
    OfSeeds(NumberRange<u64>),
}

impl Samples {
    /// The random runs that are asked for, if such are.
    pub(super) fn of(asked: &CheckSpecification) -> Option<Self> {
        match (asked.seeds, asked.sample) {
            (Some(seeds), _) => Some(Self::OfSeeds(seeds)),
            (None, Some(samples)) => Some(Self::Many(samples)),
            (None, None) => None,
        }
    }

    /// Returns the number of the first, and how many there are: the runs of seeds have the seeds as their
    /// numbers, under one and the same seed of the sampler.
    const fn numbers(self) -> (u64, u64) {
        match self {
            Self::Many(samples) => (0, samples),
            Self::OfSeeds(NumberRange { first, last }) => (first, (last - first).saturating_add(1)),
        }
    }
}

pub(super) fn run(
    exploration: &CheckRun<'_>,
    algorithm: &'static Algorithm,
    faults: FaultBudget,
    which: Samples,
) -> Result<CommandEnding, Error> {
    let (first, samples) = which.numbers();
    let asked = exploration.asked;
    let instances = asked.random(algorithm, faults)?;
    let mut progress = ProgressLine::towards(samples, "samples");
    let schedulers: &[SampleScheduler] = match asked.scheduler.as_slice() {
        [] => &SampleScheduler::ALL,
        named => named,
    };
    let report = Sampler::new(algorithm, &instances)
        .samples(samples)
        .first(first)
        .seed(asked.seed)
        .schedulers(schedulers)
        .properties(&asked.property)
        .threads(experiment::threads(exploration.threads))
        .on_progress(|now| {
            if now.samples == samples {
                progress.say("shrinking".to_owned());
            }
            progress.at(now.samples);
            interrupt::stop_if_asked()
        })
        .run();
    progress.clear();
    let report = report.map_err(|invalid| Error::new(invalid.to_string()))?;
    let run = report.violation.as_ref().map(|failure| {
        let found = &failure.counterexample;
        trace::found(algorithm.name, &found.execution, Some(&found.violation))
    });
    if let (Some(path), Some(run)) = (exploration.save, &run) {
        trace::write(run, "--save", path)?;
    }
    let seeds = match which {
        Samples::Many(_) => None,
        Samples::OfSeeds(_) => Some(first),
    };
    let seed = seeds.unwrap_or(asked.seed);
    let mut sampled = Sampled::of(algorithm, &instances, seed, schedulers, &report, run);
    sampled.consecutive = seeds.is_some();
    let invariants = asked.invariants(algorithm, faults);
    sampled.invariants = invariants.into_iter().map(str::to_owned).collect();
    print(&match exploration.format {
        ReportFormat::Text => fitted(&sampled.text()?),
        ReportFormat::Json => json(&sampled, Some(&exploration.specification()))?,
    })?;
    if report.stopped {
        complain("interrupted: the figures are for the samples so far");
    }
    Ok(CommandEnding::of(report.stopped, sampled.is_broken()))
}
