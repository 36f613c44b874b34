//! From the flags to the report: the workers, their terms, and the election.

use crate::divided::{Divided, Outline, Parted};
use crate::flags::{Flags, TeamFlags, command_of_one_core};
use crate::forecast::TickForecast;
use std::{
    fmt::Display,
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::exit,
    sync::{Arc, atomic::Ordering::Relaxed},
    time::{Duration, Instant},
};
use suffrage::algorithms::Algorithm;
use suffrage::experiment::choice::by_name;
use suffrage::experiment::conditions::Conditions;
use suffrage::experiment::number::{count, grouped};
use suffrage::experiment::report::{ElectionReport, RunTiming};
use suffrage::experiment::source::natural;
use suffrage::experiment::{
    DEFAULT_NODES, Error, ExperimentProgress, Monitor, NetworkSource, Prepared, Specification,
    choose,
};
use suffrage::model::NetworkClass;
use suffrage::networks::parts::EdgeList;
use suffrage::simulator::{Outcome, blocks::Election};
use suffrage_cli::election::{
    CommandEnding, ReportFormat, Terminal, complain, fitted, json_of, print, text,
};
use suffrage_distributed::{
    Checkpoint, Checkpoints, Ended, Hosts, Lost, MeetingError, ReadError, Secret, Storage, Team,
    Terms, check, elect_stored,
};
use suffrage_net::{small_file, tasks::have_threads};
use suffrage_parallel::memory::{available, size};

/// The number of messages in a tick below which one worker alone is faster: what workers take to agree
/// about a tick is the time of about as many (`docs/why/design/distributed.md`).
const WORTHWHILE: u64 = 1000;

/// A table of this size is not reported.
const MARGINAL: u64 = 1 << 20;

/// Smaller amounts of memory fit everywhere, and are not reported.
const SMALL: u64 = 256 << 20;

/// Runs the election, and prints its report, unless another host has the report.
pub(super) fn report(flags: &Flags) -> Result<CommandEnding, Error> {
    let start = Instant::now();
    let asked = flags.specification();
    let conditions = asked.conditions()?;
    if conditions.invariants {
        return Err(Error::new("--invariants: only `suffrage elect` checks them; leave it out"));
    }
    let named = flags.algorithm.as_deref().map(by_name).transpose()?;
    let (source, parted) = network(flags, named, &conditions)?;
    let (algorithm, reason) = match named {
        Some(algorithm) => (algorithm, None),
        None => choose(&source, &conditions)?,
    };
    let prepared = Prepared::of_any_size(algorithm, source, conditions)?;
    if let Some(Parted { network, .. }) = parted.as_deref() {
        let misfit = |misfit| Error::new(format!("{}: {misfit}", algorithm.name));
        network.check(algorithm.network).map_err(misfit)?;
    }
    let Some((outcome, mut facts)) = hold(&prepared, parted, &flags.team)? else {
        return Ok(CommandEnding::Fine);
    };
    facts.choice = reason;
    facts.by_default = flags.nodes.is_none() && flags.topology.is_none();
    if flags.timing {
        let seconds = start.elapsed().as_secs_f64();
        facts.timing = Some(RunTiming::of(facts.messages.total, seconds));
    }
    print(&match flags.format {
        ReportFormat::Text => fitted(&text(&facts)),
        ReportFormat::Json => json_of(command_of_one_core(), &facts, Specification::Elect(asked))?,
    })?;
    if outcome.interrupted {
        complain("interrupted: the figures are for the run so far");
    }
    Ok(CommandEnding::of(outcome.interrupted, !facts.violations.is_empty() || outcome.unfinished))
}

/// The network, and its parts if an algorithm is named and workers can read it so.
fn network(
    flags: &Flags,
    named: Option<&Algorithm>,
    conditions: &Conditions,
) -> Result<(NetworkSource, Option<Arc<Parted>>), Error> {
    let Some(text) = &flags.topology else {
        if let Some(flag) = flags.file.given() {
            return Err(Error::new(format!("{flag} is for files: name one with --topology")));
        }
        let network = named.map_or(NetworkClass::Complete, |algorithm| algorithm.network);
        return Ok((
            NetworkSource::Made(natural(network, flags.nodes.unwrap_or(DEFAULT_NODES))?),
            None,
        ));
    };
    let parts = match named {
        Some(algorithm) => read(text, algorithm, conditions, flags)?,
        None => None,
    };
    Ok(match parts {
        Some(parts) => (parts.source(), Some(Arc::new(parts))),
        None => (NetworkSource::of_any_size(text, flags.file.options())?, None),
    })
}

/// Runs an election on all workers. Returns `None` where another host has the report.
fn hold(
    prepared: &Prepared,
    parted: Option<Arc<Parted>>,
    flags: &TeamFlags,
) -> Result<Option<(Outcome, ElectionReport)>, Error> {
    let workers = AllWorkers::of(flags)?;
    let given = flags.given();
    let possible = |election: &Election<'_>| {
        let checked = check(prepared.algorithm, election, workers.count());
        checked.map(drop).map_err(|error| Error::of(given, error))
    };
    let worthwhile = || {
        if flags.force || workers.count() == 1 { Ok(()) } else { worthwhile(prepared, given) }
    };
    if let Some(outline) = Outline::of(prepared, parted)? {
        possible(&outline.election())?;
        worthwhile()?;
        room("", outline.memory(prepared), &workers)?;
        let divided = outline.filled(prepared)?;
        let election = divided.election(prepared)?;
        possible(&election)?;
        let ended = run(prepared, &election, divided.terms(), &workers, flags)?;
        return Ok(ended.map(|Ended { outcome, names }| {
            let facts = divided.facts(prepared, &outcome, &names);
            (outcome, facts)
        }));
    }
    // All hosts have the whole network.
    let demands = prepared.demands();
    let whole = [demands.network, demands.ids, demands.initiators];
    let whole = whole.into_iter().fold(0, u64::saturating_add);
    room("", (whole, demands.divided), &workers)?;
    let instance = prepared.instance(prepared.conditions.seed)?;
    let experiment = instance.experiment();
    let election = Election::of(&experiment).map_err(|error| Error::of(given, error))?;
    possible(&election)?;
    worthwhile()?;
    let ended = run(prepared, &election, None, &workers, flags)?;
    Ok(ended.map(|Ended { outcome, .. }| {
        let facts = ElectionReport::of(prepared, &instance, &outcome);
        (outcome, facts)
    }))
}

/// Reads the network of an election with all workers, if it is in a file that they can read together, and if an
/// election under these conditions can run on it without changes.
fn read(
    text: &str,
    algorithm: &Algorithm,
    conditions: &Conditions,
    Flags { file, team: flags, .. }: &Flags,
) -> Result<Option<Parted>, Error> {
    let Some(asked) = Divided::asked(algorithm, conditions) else { return Ok(None) };
    if !Path::new(text).is_file() {
        return Ok(None);
    }
    let of_file = |error: &dyn Display| Error::of("--topology", error);
    let list = EdgeList::open(text, file.options()).map_err(|error| of_file(&error))?;
    let Some(list) = list else { return Ok(None) };
    let all = AllWorkers::of(flags)?;
    room(&format!("to read {text}, "), (0, list.memory()), &all)?;
    let terms = Terms::of_file(&list, &asked, all.workers)
        .map_err(|error| Error::new(format!("{text}: {error}")))?;
    let team = all.meet(&terms, flags, false)?;
    let network = suffrage_distributed::read(&list, &asked, team).map_err(|error| match error {
        ReadError::File(error) => of_file(&error),
        error => Error::of(flags.given(), error),
    })?;
    Ok(Some(Parted { network, options: file.options(), terms }))
}

/// The workers of all hosts.
struct AllWorkers {
    hosts: Option<(Hosts, Secret)>,
    /// Those of each host.
    workers: u32,
}

impl AllWorkers {
    fn of(flags: &TeamFlags) -> Result<Self, Error> {
        let hosts = flags.hosts.as_deref().map(|file| read_hosts(file, flags)).transpose()?;
        Ok(Self { hosts, workers: flags.workers.unwrap_or(1) })
    }

    /// Their number.
    fn count(&self) -> u32 {
        self.workers.saturating_mul(self.hosts.as_ref().map_or(1, |(hosts, _)| hosts.count()))
    }

    /// Brings them together on these terms, after they have read a network or for the first time.
    fn meet(&self, terms: &Terms, flags: &TeamFlags, again: bool) -> Result<Team, Error> {
        // One more waits until all has been sent.
        have_threads(self.workers as usize + 1).map_err(|error| Error::of("--workers", error))?;
        let Some((hosts, secret)) = &self.hosts else { return Ok(Team::of_threads(self.workers)) };
        let patience = Duration::from_secs(flags.wait);
        let team = hosts.meet(self.workers, terms, secret, patience, lost);
        team.map_err(|error| match error {
            MeetingError::Absent { host, patience, .. } if again => {
                let why = format!("it has not come back within {}", count(patience, "second"));
                lost(&Lost { host, why })
            }
            error => Error::of("--hosts", error),
        })
    }
}

/// Runs an election on a network that was read on these terms, if it was read in parts.
fn run(
    prepared: &Prepared,
    election: &Election<'_>,
    read: Option<&Terms>,
    workers: &AllWorkers,
    flags: &TeamFlags,
) -> Result<Option<Ended>, Error> {
    let terms = Terms::of(prepared.algorithm, election, workers.workers);
    let terms = if let Some(read) = read { terms.after(read) } else { terms };
    let storage = storage(flags, &terms)?;
    let from = storage.resume.as_ref().map_or("the beginning", Checkpoint::digest);
    let every = flags.every.map_or_else(|| "never".to_owned(), |ticks| ticks.to_string());
    let terms = terms.with("the checkpoint", from).with("--every", every);
    let team = workers.meet(&terms, flags, read.is_some())?;
    let terminal = Terminal::default();
    let mut on_progress = |delivered| {
        let what = "messages delivered";
        terminal.progress(ExperimentProgress::Done { what, done: delivered, of: None });
        match terminal.stop().load(Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let ended = elect_stored(prepared.algorithm, election, team, &storage, &mut on_progress);
    terminal.progress(ExperimentProgress::Ended);
    ended.map_err(|error| Error::of(flags.given(), error))
}

/// Finds the checkpoint from which to resume, and prepares the directory for new ones.
fn storage(flags: &TeamFlags, terms: &Terms) -> Result<Storage, Error> {
    let find = |directory: &PathBuf| {
        Checkpoint::find(directory, terms).map_err(|error| Error::of("--resume", error))
    };
    let save = flags.checkpoint.clone().zip(flags.every);
    let save =
        save.map(|(directory, every)| Checkpoints { directory, every, terms: terms.clone() });
    if let Some(save) = &save {
        save.prepare().map_err(|error| Error::of("--checkpoint", error))?;
    }
    Ok(Storage { save, resume: flags.resume.as_ref().map(find).transpose()? })
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
    let text = small_file::text(file).map_err(|error| unread(file, error))?;
    let hosts = Hosts::read(&text, flags.process.unwrap_or_default())
        .map_err(|error| Error::of(format_args!("--hosts {}", file.display()), error))?;
    let file = flags.secret.as_deref().unwrap_or_else(|| Path::new(""));
    let bytes = small_file::read(file).map_err(|error| unread(file, error))?;
    let secret = Secret::read(&bytes)
        .map_err(|error| Error::of(format_args!("--secret {}", file.display()), error))?;
    Ok((hosts, secret))
}

/// Refuses an election that one worker alone holds faster.
fn worthwhile(prepared: &Prepared, given: &str) -> Result<(), Error> {
    let Some(TickForecast { per_tick, tried }) = TickForecast::of(prepared) else { return Ok(()) };
    if per_tick >= WORTHWHILE {
        return Ok(());
    }
    Err(Error::new(format!(
        "{given}: {} sends about {} in a tick here (by elections on networks up to {tried}), and \
         several workers need {} to be faster than one; use `suffrage elect`, or --force",
        prepared.algorithm.name,
        count(per_tick, "message"),
        grouped(WORTHWHILE)
    )))
}

/// Says what each worker takes for this purpose, and refuses what does not fit on this host.
fn room(purpose: &str, (whole, divided): (u64, u64), workers: &AllWorkers) -> Result<(), Error> {
    let all = workers.count();
    let each = divided / u64::from(all);
    let here = whole.saturating_add(each.saturating_mul(workers.workers.into()));
    if here < SMALL {
        return Ok(());
    }
    let tables = match whole {
        0..=MARGINAL => "no tables of the whole network".to_owned(),
        whole => format!("{} at this host for tables of the whole network", size(whole)),
    };
    let words = format!(
        "{purpose}each of {} takes at least {}, and {tables}",
        count(all.into(), "worker"),
        size(each)
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
