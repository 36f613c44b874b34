//! `suffrage check --sample`: checks random runs of random elections that are too large to explore.

use super::Args;
use crate::error::{Ending, Error, complain};
use crate::interrupt;
use crate::output::print;
use crate::progress::Progress;
use crate::report::{Format, Sampled, json};
use crate::terminal::fitted;
use crate::{trace, trials};
use suffrage::algorithms::Algorithm;
use suffrage::checker::{Faults, Sampler, Scheduler};

pub(super) fn run(
    args: &Args,
    algorithm: &'static Algorithm,
    faults: Faults,
    samples: u64,
) -> Result<Ending, Error> {
    let instances = args.family.random(algorithm, faults)?;
    let mut progress = Progress::towards(samples, "samples");
    let schedulers: &[Scheduler] = match &*args.schedulers {
        [] => &Scheduler::ALL,
        named => named,
    };
    let report = Sampler::new(algorithm, &instances)
        .samples(samples)
        .seed(args.family.seed)
        .schedulers(schedulers)
        .properties(&args.properties)
        .threads(trials::threads(args.threads))
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
    let run = report.failure.as_ref().map(|failure| {
        let found = &failure.counterexample;
        trace::found(algorithm.name, &found.execution, Some(&found.broken))
    });
    if let (Some(path), Some(run)) = (&args.save, &run) {
        trace::write(run, "--save", path)?;
    }
    let mut sampled =
        Sampled::of(algorithm, &instances, args.family.seed, schedulers, &report, run);
    sampled.invariants = args.invariants(algorithm, faults);
    print(&match args.format {
        Format::Text => fitted(&sampled.text()?),
        Format::Json => json(&sampled)?,
    })?;
    if report.stopped {
        complain("interrupted: the figures are those of the samples taken until then");
    }
    Ok(Ending::of(report.stopped, report.failure.is_some()))
}
