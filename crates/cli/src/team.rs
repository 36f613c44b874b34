//! An election that several workers hold together: threads, and hosts.

mod forecast;

use crate::error::{Error, complain};
use crate::flags::TeamFlags;
use crate::interrupt;
use crate::number::{count, grouped};
use crate::plan::{Plan, Setup};
use crate::progress::Progress;
use forecast::Forecast;
use std::{fs, ops::ControlFlow, path::Path, process::exit, time::Duration};
use suffrage::simulator::{Experiment, Outcome};
use suffrage_distributed::{Hosts, Lost, Secret, Team, Terms, elect};
use suffrage_parallel::memory::{available, size};

/// The number of messages in a tick below which one worker alone is faster: what workers take to agree
/// about a tick is the time of about as many (`docs/design/distributed.md`).
const WORTHWHILE: u64 = 1000;

/// What takes less memory fits everywhere, and is not worth a word.
const SMALL: u64 = 256 << 20;

/// Returns the error for a flag that is for one worker.
pub(crate) fn clash(given: &str, flag: &str) -> Error {
    Error::new(format!("{flag} is for one worker: leave out one of {given} and {flag}"))
}

/// Holds an election with all workers. Returns `None` where another host has the report.
pub(crate) fn hold(
    setup: &Setup,
    plan: &Plan<'_>,
    flags: &TeamFlags,
) -> Result<Option<Outcome>, Error> {
    let hosts = flags.hosts.as_deref().map(|file| read_hosts(file, flags)).transpose()?;
    let workers = flags.workers.unwrap_or(1);
    let all = workers.saturating_mul(hosts.as_ref().map_or(1, |(hosts, _)| hosts.count()));
    let given = flags.given().unwrap_or_default();
    suffrage::simulator::blocks::Layout::new(&plan.experiment, all)
        .map_err(|error| Error::of(given, error))?;
    if !flags.force && all > 1 {
        worthwhile(setup, given)?;
    }
    room(setup, workers, all)?;
    let team = match hosts {
        None => Team::of_threads(workers),
        Some((hosts, secret)) => {
            let terms = Terms::of(plan.algorithm, &plan.experiment, workers);
            let patience = Duration::from_secs(flags.wait);
            hosts
                .meet(workers, &terms, &secret, patience, lost)
                .map_err(|error| Error::of("--hosts", error))?
        }
    };
    let mut progress = Progress::counting("messages delivered");
    let mut on_progress = |delivered| {
        progress.at(delivered);
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let experiment: &Experiment<'_> = &plan.experiment;
    let outcome = elect(plan.algorithm, experiment, team, &mut on_progress);
    progress.clear();
    outcome.map_err(|error| Error::of(given, error))
}

/// Ends this program: another one has gone.
fn lost(lost: &Lost) -> ! {
    complain(format_args!("error: {lost}"));
    exit(1)
}

/// Reads the list of hosts and the secret.
fn read_hosts(file: &Path, flags: &TeamFlags) -> Result<(Hosts, Secret), Error> {
    let unread =
        |path: &Path, error: std::io::Error| Error::new(format!("{}: {error}", path.display()));
    let text = fs::read_to_string(file).map_err(|error| unread(file, error))?;
    let hosts = Hosts::read(&text, flags.process.unwrap_or_default())
        .map_err(|error| Error::of(format_args!("--hosts {}", file.display()), error))?;
    let file = flags.secret.as_deref().unwrap_or_else(|| Path::new(""));
    let bytes = fs::read(file).map_err(|error| unread(file, error))?;
    let secret = Secret::read(&bytes)
        .map_err(|error| Error::of(format_args!("--secret {}", file.display()), error))?;
    Ok((hosts, secret))
}

/// Refuses an election that one worker alone holds faster.
fn worthwhile(setup: &Setup, given: &str) -> Result<(), Error> {
    let Some(Forecast { per_tick, nodes }) = Forecast::of(setup) else { return Ok(()) };
    if per_tick >= WORTHWHILE {
        return Ok(());
    }
    Err(Error::new(format!(
        "{given}: {} sends about {} in a tick here (by elections of up to {}), and several workers \
         need {} to be faster than one; leave out {given}, or insist with --force",
        setup.algorithm.name,
        count(per_tick, "message"),
        count(nodes.into(), "node"),
        grouped(WORTHWHILE)
    )))
}

/// Says what each worker takes, and refuses what does not fit on this host.
fn room(setup: &Setup, workers: u32, all: u32) -> Result<(), Error> {
    let (whole, divided) = setup.memory();
    let each = divided / u64::from(all);
    let here = whole.saturating_add(each.saturating_mul(workers.into()));
    if here < SMALL {
        return Ok(());
    }
    let words = format!(
        "each of {} takes at least {}, and this host {} for the network and the identities",
        count(all.into(), "worker"),
        size(each),
        size(whole)
    );
    match available() {
        Some(free) if here > free => Err(Error::new(format!(
            "{words}: {} of memory are free here; choose more hosts or a smaller network",
            size(free)
        ))),
        _ => {
            complain(words);
            Ok(())
        }
    }
}
