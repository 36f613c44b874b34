//! The table of samples: random schedules of elections that are too large to be explored.

use super::Verifier;
use anyhow::Context;
use indicatif::HumanCount;
use std::io::Write;
use std::ops::RangeInclusive;
use suffrage_algorithms::Algorithm;
use suffrage_checker::{RandomInstances, Sampler};

/// The sizes of the networks.
const NODES: RangeInclusive<u32> = 5..=32;

/// The number of samples of an algorithm.
const SAMPLES: u64 = 200;

const INTRODUCTION: &str = "
## Random schedules of larger elections

200 elections of each algorithm with 5 to 32 processes, as by `suffrage check NAME --nodes 5..32
--sample 200`: random networks, port numberings, identities and initiators, and schedules that are drawn
by every scheduler of the sampler. All promises hold in each election, and the invariants in every
configuration. *Nearest* has the messages and the time of the election that comes nearest to its bound; a dash means that
there is no claim about a single election. For algorithms in rounds, whose schedule is fixed, the simulator
makes such runs: `suffrage elect NAME --nodes 32 --schedule rounds --trials 200 --invariants`.

| algorithm | steps | messages, nearest | time, nearest |
|---|---:|---:|---:|
";

/// Writes the table. Returns whether a property is broken.
pub(super) fn write(out: &mut dyn Write, explorer: &Verifier) -> anyhow::Result<bool> {
    out.write_all(INTRODUCTION.as_bytes())?;
    let mut broken = false;
    for algorithm in Algorithm::asynchronous() {
        broken |= write_of(out, explorer, algorithm)?;
    }
    Ok(broken)
}

/// Writes the row of one algorithm. Returns whether a property is broken.
pub(super) fn write_of(
    out: &mut dyn Write,
    explorer: &Verifier,
    algorithm: &Algorithm,
) -> anyhow::Result<bool> {
    let instances = RandomInstances::new(algorithm.network, NODES);
    let sampler = Sampler::new(algorithm, &instances).samples(SAMPLES).seed(1);
    let report = sampler.threads(explorer.threads.get()).run();
    let report = report.with_context(|| algorithm.name)?;
    let beside = |nearest: Option<(u64, u64)>, sure: bool| match nearest.filter(|_| sure) {
        Some((most, of)) => format!("{} of {}", HumanCount(most), HumanCount(of)),
        None => "—".to_owned(),
    };
    let claims = &algorithm.claims;
    let sure = claims.guarantee().is_sure();
    let broken = report.violation.as_ref().map(|failure| failure.violation.property.to_string());
    writeln!(
        out,
        "| `{}` | {} | {} | {} |",
        algorithm.name,
        HumanCount(report.steps),
        broken.clone().unwrap_or_else(|| beside(report.nearest, sure)),
        beside(report.longest, claims.time.is_some_and(|time| time.is_sure())),
    )?;
    Ok(broken.is_some() || report.endless > 0)
}
