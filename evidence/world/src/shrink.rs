//! Worlds that break a promise, made small.

use crate::clock::SECOND;
use crate::{WorldPlan, WorldReport, run};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// When the first fault of a small world begins, in nanoseconds.
const FIRST: u64 = 10 * SECOND;

/// A world whose faults span less than this is tried with other seeds, too, since each omitted fault changes the delays.
const SHORT: u64 = 120 * SECOND;
const SEEDS: u64 = 24;

/// How much is simulated at most before the world is small enough as it is, in nanoseconds.
const MOST: u64 = 5 * 3600 * SECOND;

/// Leaves out faults of a world that breaks a promise, for as long as it breaks that one, perhaps with other delays.
/// Returns the smaller world and its report, which is the same in each run.
///
/// # Errors
/// As [`run`].
pub fn shrink(
    plan: &WorldPlan,
    interrupted: &AtomicBool,
) -> anyhow::Result<(WorldPlan, WorldReport)> {
    let mut least = (plan.clone(), run(plan, false, interrupted)?);
    let Some((at, why)) = least.1.broken.first().cloned() else { return Ok(least) };
    let breaks = ScriptBreaks { kind: kind(&why), left: Cell::new(MOST), interrupted };
    let before = plan.faults.iter().filter(|fault| fault.at.0 <= at).count();
    // Most often the last faults suffice, and a world of these is short.
    let mut last = 1;
    while last < before {
        if let Some(fewer) = breaks.with(plan, before - last..before)? {
            least = fewer;
            break;
        }
        last *= 2;
    }
    let mut part = least.0.faults.len();
    while part > 0 {
        let (mut first, length) = (0, least.0.faults.len());
        while first < least.0.faults.len() {
            let all = least.0.faults.len();
            let mut fewer = least.0.clone();
            fewer.faults.drain(first..all.min(first + part));
            match breaks.with(&fewer, 0..fewer.faults.len())? {
                Some(fewer) => least = fewer,
                None => first += part,
            }
        }
        // Until no single one can be left out.
        part = if part == 1 && least.0.faults.len() < length { 1 } else { part / 2 };
    }
    Ok(least)
}

/// Returns the kind of a breach: its text without numbers of hosts and terms.
fn kind(why: &str) -> String {
    why.split(|c: char| c.is_ascii_digit()).collect()
}

struct ScriptBreaks<'a> {
    kind: String,
    left: Cell<u64>,
    interrupted: &'a AtomicBool,
}

impl ScriptBreaks<'_> {
    /// Returns the world with these faults alone, if that breaks the promise, with what was seen.
    fn with(
        &self,
        plan: &WorldPlan,
        faults: std::ops::Range<usize>,
    ) -> anyhow::Result<Option<(WorldPlan, WorldReport)>> {
        let mut fewer = WorldPlan { faults: plan.faults[faults].to_vec(), ..plan.clone() };
        let (first, last) = (fewer.faults.first(), fewer.faults.last());
        let [first, last] = [first, last].map(|fault| fault.map_or(FIRST, |fault| fault.at.0));
        let is_short = last - first < SHORT;
        if is_short {
            for fault in &mut fewer.faults {
                fault.at.0 = fault.at.0 - first + FIRST;
            }
        }
        for seed in 0..if is_short { SEEDS } else { 1 } {
            if self.left.get() == 0 || self.interrupted.load(Ordering::Relaxed) {
                break;
            }
            let other = WorldPlan { seed: plan.seed.wrapping_add(seed), ..fewer.clone() };
            let report = run(&other, false, self.interrupted)?;
            self.left.set(self.left.get().saturating_sub(report.length));
            if report.broken.iter().any(|(_, why)| kind(why) == self.kind) {
                return Ok(Some((other, report)));
            }
        }
        Ok(None)
    }
}
