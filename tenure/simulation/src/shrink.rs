//! Shrinking: the search for a short schedule of faults that still fails.

use super::{FaultScript, Faults, Invalid, Nanos, Simulation, SimulationReport, TimedFault};
use crate::promises::Promise;
use tenure_model::Recoverable;

/// A failing run, reduced.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The remaining faults.
    pub script: FaultScript,
    /// The report of the run with them; it ends where the promise is broken.
    pub report: SimulationReport,
    /// The number of runs that the reduction took.
    pub runs: u64,
}

/// Reduces the faults of a failing run in number and duration, such that the same promise is still
/// broken, and the protocol is still to blame if it was. Returns `None` if the run does not break
/// this promise.
///
/// The first phase is delta debugging: parts of the script are left out, halves, then quarters,
/// down to single faults, as long as the run fails (A. Zeller, R. Hildebrandt, "Simplifying and
/// isolating failure-inducing input", *IEEE Transactions on Software Engineering* 28(2), 2002). The
/// result no longer fails if any one fault is removed from it. Then each of the remaining faults is
/// made to last shorter, and to begin at a rounder time. `go_on` is called before each run.
///
/// # Errors
/// If the simulation is invalid.
pub fn shrink<P: Recoverable>(
    simulation: &Simulation<P>,
    promise: Promise,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<Option<Shrunk>, Invalid> {
    let script = simulation.script()?;
    let simulation = simulation.clone().stop_at(promise);
    let mut runs = 0;
    let mut fails = |entries: &[TimedFault]| -> Result<Option<SimulationReport>, Invalid> {
        if runs > 0 && !go_on(runs) {
            return Ok(None);
        }
        runs += 1;
        let mut entries = entries.to_vec();
        entries.sort_by_key(|entry| entry.at);
        let report = simulation.clone().faults(Faults::Script(FaultScript(entries))).run()?;
        Ok(Some(report).filter(|report| report.broken(promise).is_some()))
    };
    let Some(mut report) = fails(&script.0)? else { return Ok(None) };
    let blamed = is_blamed(&report, promise);
    // Faults that begin after the end of the run, or are only there because of it, have no part in
    // it.
    let mut entries = script.0;
    entries.retain(|entry| entry.at <= report.length);
    let mut still = |entries: &[TimedFault]| -> Result<bool, Invalid> {
        let smaller = fails(entries)?.filter(|smaller| is_blamed(smaller, promise) == blamed);
        let Some(smaller) = smaller else { return Ok(false) };
        report = smaller;
        Ok(true)
    };
    leave_out(&mut entries, &mut still)?;
    for i in 0..entries.len() {
        shorten(&mut entries, i, &mut still)?;
        round(&mut entries, i, &mut still)?;
    }
    // Shorter faults may make others superfluous.
    leave_out(&mut entries, &mut still)?;
    let script = report.script.clone();
    Ok(Some(Shrunk { script, report, runs }))
}

fn is_blamed(report: &SimulationReport, promise: Promise) -> bool {
    report.broken(promise).is_some_and(|violation| violation.beyond.is_none())
}

/// Whether the run still fails with these faults.
type StillFails<'a> = &'a mut dyn FnMut(&[TimedFault]) -> Result<bool, Invalid>;

/// Removes entries that are not needed: first nearly all, then ever smaller parts.
fn leave_out(entries: &mut Vec<TimedFault>, fails: StillFails<'_>) -> Result<(), Invalid> {
    if entries.is_empty() || fails(&[])? {
        entries.clear();
        return Ok(());
    }
    let mut parts = 2;
    while entries.len() >= 2 {
        let size = entries.len().div_ceil(parts);
        let mut smaller = None;
        for from in (0..entries.len()).step_by(size) {
            let to = (from + size).min(entries.len());
            let rest = [&entries[..from], &entries[to..]].concat();
            if fails(&rest)? {
                smaller = Some(rest);
                break;
            }
        }
        match smaller {
            Some(rest) => {
                *entries = rest;
                parts = (parts - 1).max(2);
            }
            None if size == 1 => break,
            None => parts = (2 * parts).min(entries.len()),
        }
    }
    Ok(())
}

/// Shortens one fault, by halves.
fn shorten(entries: &mut [TimedFault], i: usize, fails: StillFails<'_>) -> Result<(), Invalid> {
    while let Some(lasts) = entries[i].lasts.filter(|lasts| *lasts > Nanos::millis(1)) {
        entries[i].lasts = Some(Nanos(lasts.0 / 2));
        if !fails(entries)? {
            entries[i].lasts = Some(lasts);
            break;
        }
    }
    Ok(())
}

/// Rounds the times of one fault: to seconds, or tenths of them, and so on.
fn round(entries: &mut [TimedFault], i: usize, fails: StillFails<'_>) -> Result<(), Invalid> {
    let rounded: [fn(&mut TimedFault, u64); 2] = [
        |fault, unit| fault.at = Nanos(fault.at.0 / unit * unit),
        |fault, unit| fault.lasts = fault.lasts.map(|it| Nanos(it.0.div_ceil(unit) * unit)),
    ];
    for rounded in rounded {
        for unit in [1_000_000_000, 100_000_000, 10_000_000, 1_000_000] {
            let before = entries[i].clone();
            rounded(&mut entries[i], unit);
            if before == entries[i] || fails(entries)? {
                break;
            }
            entries[i] = before;
        }
    }
    Ok(())
}
