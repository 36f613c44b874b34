//! The result of random runs for people.

use super::checked;
use crate::error::Error;
use crate::report::sheet::Sheet;
use crate::terminal::Emphasis;
use std::collections::BTreeMap;
use suffrage::checker::SampleScheduler;
use suffrage::experiment::number::{count, grouped};
use suffrage::experiment::report::{
    SampleGuarantee, Sampled, SampledBound, SampledFailure, fault_words,
};

fn seeds_in_words(sampled: &Sampled) -> String {
    match sampled.consecutive && sampled.of > 1 {
        true => format!("seeds {} to {}", sampled.seed, sampled.seed + (sampled.of - 1)),
        false => format!("seed {}", sampled.seed),
    }
}

/// Formats the report for people, with a diagram of the run if a property is broken.
pub(crate) fn text(sampled: &Sampled) -> Result<String, Error> {
    let [least, most] = sampled.nodes;
    let mut size = match least == most {
        true => count(least.into(), "node").into_owned(),
        false => format!("{least} to {most} nodes"),
    };
    if let Some([least, most]) = sampled.larger {
        size.push_str(&format!(", one in 32 of {least} to {most}"));
    }
    let mut sheet = Sheet::titled(&format!("{}: a sample, {size}", sampled.algorithm));
    let faults = fault_words(&sampled.faults).map(|fault| format!("; fault {fault}"));
    sheet.line(
        "drawn",
        &format!(
            "networks, ports, ids, initiators and schedules at random, {}{}",
            seeds_in_words(sampled),
            faults.collect::<String>()
        ),
    );
    if !sampled.invariants.is_empty() {
        sheet.line("invariants", &sampled.invariants.join(", "));
    }
    let schedulers: Vec<_> = sampled.schedulers.iter().map(SampleScheduler::to_string).collect();
    sheet.line("schedules", &schedulers.join(", "));
    taken(sampled, &mut sheet);
    sheet.plain("");
    for refuted in sampled.chances.iter().filter(|judged| judged.refuted) {
        sheet.emphasized("BROKEN", &refuted.why(), Emphasis::Broken);
    }
    let Some(failure) = &sampled.failure else {
        if sampled.is_broken() {
            return Ok(sheet.into_text());
        }
        sheet.line("verdict", "no sample breaks a property, which proves nothing");
        return Ok(sheet.into_text());
    };
    broken(sampled, failure, &mut sheet);
    let mut text = sheet.into_text();
    if let Some(run) = &failure.run {
        text.push('\n');
        text.push_str(&crate::trace::drawn(run)?);
    }
    Ok(text)
}

/// Adds what was sampled, and how near it came to the bounds.
fn taken(sampled: &Sampled, sheet: &mut Sheet) {
    let (samples, of, steps) =
        (grouped(sampled.samples), grouped(sampled.of), count(sampled.steps, "step"));
    sheet.line("samples", &format!("{samples} of {of}, {steps}"));
    if sampled.endless > 0 {
        sheet.line("given up", &format!("{} after 2^20 steps", count(sampled.endless, "sample")));
    }
    if let Some(bound @ SampledBound { messages, most, ratio: Some(ratio), .. }) = &sampled.bound {
        let stated = bound.claim.stated();
        let nearest = match stated.guarantee.is_sure() {
            true => format!("nearest: {} of {} ({ratio})", grouped(most), grouped(messages)),
            // It may be more than the bound, which is none on a single sample.
            false => format!("the most in one sample: {}", grouped(most)),
        };
        sheet.line("bound", &format!("{}; {nearest}", stated.sentence()));
    }
    if let Some(time) = &sampled.time_bound {
        sheet.line("time bound", &time.nearest());
    }
    for judged in &sampled.chances {
        sheet.line("chance", &judged.text());
    }
    for SampleGuarantee { depth, threads, steps, samples, probability } in &sampled.pct {
        sheet.line(
            &format!("pct, depth {depth}"),
            &format!(
                "a fault of depth {depth} in an instance is found by one sample of it with \
                 probability at least {probability:.1e} (at most {} links and initiators, {}); {}",
                grouped(*threads),
                count(*steps, "step"),
                count(*samples, "sample")
            ),
        );
    }
}

/// Adds the failure.
fn broken(sampled: &Sampled, failure: &SampledFailure, sheet: &mut Sheet) {
    sheet.emphasized(
        "BROKEN",
        &format!("{}: {}", failure.property, failure.detail),
        Emphasis::Broken,
    );
    let words = match failure.shortest {
        true => "no run with fewer steps breaks a property there",
        false => "shrunk; there may be shorter runs, also of fewer processes",
    };
    sheet.line("run", &format!("{}; {words}", count(failure.shrunk_steps as u64, "step")));
    sheet.line("on", &checked::words(&failure.instance, &BTreeMap::new()));
    sheet.line(
        "found by",
        &format!(
            "{} ({}): {}, {}, {}",
            match sampled.consecutive {
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
