//! The main loop of `tenure lead`: stand, lead, leave, and stand again.

use super::candidate::{HeldOffice, LeadershipNews, OfficeCandidate};
use super::health::{self, HealthProbe};
use super::settings::{Args, OnExit};
use super::take_back::TakeBack;
use crate::control::CommandNews;
use crate::crash_notifier::{NotifierProcess, REAPED};
use crate::error::CommandError;
use crate::notify::Notify;
use crate::signals::Signals;
use std::cell::Cell;
use std::future::{Future, pending};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use suffrage_net::backoff::Backoff;
use suffrage_shell::NEWS;
use tenure_guard::{Exit, Guard, GuardEvent, NoGroup, Workload};
use tenure_node::ReleaseTicket;
use tokio::time::{Instant, sleep, sleep_until};
use tracing::{error, info, warn};

/// The shortest wait before standing again after a member could not be reached.
const RETRY: Duration = Duration::from_millis(200);

/// The first and the longest wait between starts of a command that ends soon.
const RESTARTS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));

/// A command that has run for this long resets these waits.
const STEADY: Duration = Duration::from_secs(30);

/// How long after the command the crash notifier starts, whose handshakes would keep processors from it.
const CRASH_NOTIFIER: Duration = Duration::from_millis(20);

/// The pause before what could not be started is tried again.
const AGAIN: Duration = Duration::from_secs(1);

const NO_GUARD: &str = "no guard for the command can be started";

/// The part of the program that its warnings are about.
const NOTIFIER: &str = "the crash notifier";

type Asking = Pin<Box<dyn Future<Output = Option<String>> + Send>>;

pub(crate) struct LeaderLoop<'a> {
    settings: &'a Args,
    candidate: Arc<OfficeCandidate>,
    notify: Notify,
    signals: Signals,
    workload: Workload,
    guard: Guard,
    /// Whether the guard can start the command at once.
    prepared: bool,
    backoff: Backoff,
    take_back: TakeBack,
    /// Whether the guard was lost, and has to be replaced.
    guard_lost: bool,
    /// Why the command has no control group, if it has none.
    no_cgroup: Option<NoGroup>,
    /// Whether this host may stand, according to the last readiness probe.
    fit: bool,
    /// Whether this program has been asked to end.
    quitting: bool,
    /// The exit code, once the end of the command ends this program, too.
    ended: Option<u8>,
}

struct CommandRun {
    term: u64,
    /// What the command does, for operators.
    news: CommandNews,
    started: Option<Instant>,
    restart: Option<Instant>,
    /// When to ask for its health next.
    probe: Option<Instant>,
    asking: Option<Asking>,
    failures: u32,
    /// Whether it has been healthy in this run.
    healthy: bool,
    /// Whether this program is ending the tenure.
    ending: bool,
    /// How long to wait before standing again.
    pause: Duration,
}

impl CommandRun {
    fn new(term: u64) -> Self {
        Self {
            term,
            news: CommandNews::Idle("it is being started".to_owned()),
            started: None,
            restart: None,
            probe: None,
            asking: None,
            failures: 0,
            healthy: false,
            ending: false,
            pause: Duration::ZERO,
        }
    }
}

/// The crash notifier of a leadership, which is replaced when it has ended.
struct NotifierSupervisor {
    process: Option<NotifierProcess>,
    /// When to start one, if none runs.
    start: Option<Instant>,
    pauses: Backoff,
}

impl NotifierSupervisor {
    fn new() -> Self {
        Self {
            process: None,
            start: Some(Instant::now() + CRASH_NOTIFIER),
            pauses: Backoff::exact(AGAIN, STEADY),
        }
    }

    /// Waits until one is to be started, or the one that runs has ended: then with how. Cancellation-safe.
    async fn due(&mut self) -> Option<String> {
        match &mut self.process {
            Some(process) => Some(process.ended().await),
            None => {
                at(self.start).await;
                None
            }
        }
    }
}

impl<'a> LeaderLoop<'a> {
    pub(crate) fn new(
        settings: &'a Args,
        candidate: OfficeCandidate,
        notify: Notify,
        signals: Signals,
        workload: Workload,
    ) -> Result<Self, CommandError> {
        let guard = spawn(&workload)?;
        let fit = settings.ready.is_none();
        let backoff = Backoff::exact(RESTARTS.0, RESTARTS.1);
        Ok(Self {
            settings,
            candidate: Arc::new(candidate),
            notify,
            signals,
            workload,
            guard,
            prepared: false,
            backoff,
            take_back: TakeBack::new(settings.take_back),
            guard_lost: false,
            no_cgroup: None,
            fit,
            quitting: false,
            ended: None,
        })
    }

    /// Runs until this program is asked to end, or ends with its command. Returns the exit code.
    pub(crate) async fn run(mut self) -> Result<u8, CommandError> {
        loop {
            self.notify.status(&format!("stands for {}", self.settings.office));
            let Some(held) = self.stand().await? else { break };
            let pause = self.lead(held).await?;
            if self.quitting || self.ended.is_some() {
                break;
            }
            if !pause.is_zero() {
                info!("stands for {} again in {pause:?}", self.settings.office);
                self.pause(pause).await?;
            }
            if self.quitting {
                break;
            }
        }
        self.notify.stopping();
        Ok(self.ended.unwrap_or(0))
    }

    /// Starts another guard in place of one that was lost. Where none can be started, tries again until one is, or this
    /// program is asked to end.
    async fn replace_guard(&mut self) {
        error!("the guard of the command was lost; all that it guarded has been killed");
        (self.guard_lost, self.prepared) = (false, false);
        let mut told = false;
        while !self.quitting {
            match Guard::spawn(&self.workload) {
                Ok(guard) => {
                    self.guard = guard;
                    break;
                }
                Err(error) if !std::mem::replace(&mut told, true) => {
                    let why = format!("this host cannot lead: {NO_GUARD}: {error}");
                    error!("{why}; tries again");
                    self.candidate.warn_of("the guard of COMMAND", Some(why));
                }
                Err(_) => {}
            }
            tokio::select! {
                () = sleep(AGAIN) => {}
                () = self.signals.quit() => self.quitting = true,
                () = self.notify.beat() => {}
            }
        }
        self.candidate.warn_of("the guard of COMMAND", None);
    }

    /// Handles an event of the guard while no office is held.
    async fn idle(&mut self, event: GuardEvent) -> Result<(), CommandError> {
        match event {
            GuardEvent::Ready { no_cgroup, .. } => {
                self.grouped(no_cgroup)?;
                self.prepared = true;
                self.notify.ready();
            }
            GuardEvent::Probed { health: false, failure } => {
                if let Some(why) = failure.as_ref().filter(|_| self.fit) {
                    warn!("this host is not ready, and does not stand: {why}");
                } else if failure.is_none() && !self.fit {
                    info!("this host is ready, and stands for {}", self.settings.office);
                }
                self.fit = failure.is_none();
            }
            GuardEvent::Lost { .. } => self.replace_guard().await,
            GuardEvent::Failed { why } => self.failed(why),
            _ => {}
        }
        Ok(())
    }

    /// Says that the guard could not do something, in the status until the next tenure has ended.
    fn failed(&self, why: String) {
        error!("{why}");
        self.candidate.warn_of("COMMAND", Some(why));
    }

    /// Says what it means that the command has no control group, if it has none.
    fn grouped(&mut self, no_cgroup: Option<NoGroup>) -> Result<(), CommandError> {
        if let Some(why) = no_cgroup.as_ref().and_then(|no| no.unkillable.as_ref()) {
            return Err(CommandError::usage(format!(
                "COMMAND: {why}, and without a control group it could not be killed at the end of the leadership. \
                 Run this program as root, or in a systemd unit with Delegate=yes; or give COMMAND's user or \
                 capabilities to this program (User=, AmbientCapabilities=)"
            )));
        }
        if let Some(no) = no_cgroup.as_ref().filter(|_| no_cgroup != self.no_cgroup) {
            let privileges = match no.confined {
                true => {
                    "; and neither COMMAND nor hooks and probes can gain privileges (sudo, set-uid, setcap)"
                }
                false => "",
            };
            warn!(
                "COMMAND has no control group of its own ({}). So killing it takes longer the more processes it has, \
                 and may take longer than --margin{privileges}",
                no.why
            );
        }
        self.no_cgroup = no_cgroup;
        Ok(())
    }

    async fn pause(&mut self, pause: Duration) -> Result<(), CommandError> {
        let end = Instant::now() + pause;
        while !self.quitting {
            tokio::select! {
                () = sleep_until(end) => break,
                event = self.guard.event() => self.idle(event).await?,
                () = self.signals.quit() => self.quitting = true,
                () = self.notify.beat() => {}
            }
        }
        Ok(())
    }

    /// Stands until the office is held; `None` if this program is asked to end.
    async fn stand(&mut self) -> Result<Option<HeldOffice>, CommandError> {
        let mut told = String::new();
        loop {
            // Withdrawn where this host is not ready.
            let may = self.prepared && self.fit;
            let candidate = self.candidate.clone();
            let (settings, stop) = (self.settings, self.workload.stop);
            let standing = async {
                match may {
                    true => candidate.stand(&settings.office, settings.priority, stop).await,
                    false => pending().await,
                }
            };
            let member = self.workload.member.clone();
            let (after, asked) = (self.take_back.after().filter(|_| may), Cell::new(false));
            let taking = take(&candidate, &settings.office, &member, after, &asked);
            tokio::pin!(standing, taking);
            let mut probe = settings.ready.as_ref().map(|_| Instant::now());
            let event = loop {
                tokio::select! {
                    held = &mut standing => break Ok(held),
                    () = &mut taking => {}
                    event = self.guard.event() => {
                        let stays = matches!(&event, GuardEvent::Probed { failure, .. } if failure.is_none() == self.fit);
                        if !stays {
                            break Err(event);
                        }
                    }
                    () = at(probe) => {
                        self.guard.probe(false);
                        probe = Some(Instant::now() + settings.interval);
                    }
                    () = self.signals.quit() => return Ok(None),
                    () = self.notify.beat() => {}
                }
            };
            match event {
                Err(event) => {
                    self.idle(event).await?;
                    if self.quitting {
                        return Ok(None);
                    }
                }
                Ok(Ok((held, kept))) => {
                    if let Some(kept) = kept.filter(|kept| self.guard.keep(kept, None).is_err()) {
                        warn!("the guard cannot keep the connection to the member");
                        drop(kept);
                    }
                    self.take_back.won(asked.get());
                    return Ok(Some(held));
                }
                Ok(Err(error)) => {
                    if error.is_usage() || matches!(*self.candidate, OfficeCandidate::Here(_)) {
                        return Err(error);
                    }
                    // A local member may come back. The same reason is reported once.
                    let why = error.to_string();
                    if why != told {
                        warn!("{why}");
                        told = why;
                    }
                    self.pause(RETRY).await?;
                    if self.quitting {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Holds the office until the tenure is over. Returns how long to wait before standing again.
    async fn lead(&mut self, mut held: HeldOffice) -> Result<Duration, CommandError> {
        let settings = self.settings;
        let mut run = CommandRun::new(held.term);
        self.until_begun(&mut held).await;
        // The command first: who waits for it does not wait for the log.
        self.guard.begin(held.term, held.until);
        info!(target: NEWS, "leads {} in term {}", settings.office, held.term);
        self.notify.status(&format!("leads {} in term {}", settings.office, held.term));
        let mut notifier = NotifierSupervisor::new();
        let mut told = None;
        loop {
            if told.as_ref() != Some(&run.news) {
                held.tell(run.news.clone()).await;
                told = Some(run.news.clone());
            }
            tokio::select! {
                biased;
                event = self.guard.event() => match event {
                    // The guard is well, and so is this loop, or it would not get here.
                    GuardEvent::Knows { until } => held.confirm(until).await,
                    event => if self.heard(event, &mut run)? {
                        break;
                    },
                },
                news = held.next() => self.changed(news, &mut held, &mut run).await,
                ended = notifier.due() => self.supervise(&mut notifier, &held, ended),
                () = at(run.restart) => {
                    run.restart = None;
                    self.guard.begin(held.term, held.until);
                }
                () = at(run.probe) => {
                    run.probe = None;
                    self.ask_health(&mut run);
                }
                failure = answered(&mut run.asking) => {
                    run.asking = None;
                    self.probed(failure, &mut run);
                }
                () = self.signals.quit() => {
                    // A second request does not wait.
                    let grace = if self.quitting { Duration::ZERO } else { settings.grace };
                    self.quitting = true;
                    self.notify.stopping();
                    self.end(&mut run, grace);
                }
                () = self.notify.beat() => {}
            }
        }
        // No process of the command is left: now, and not before, another host may lead.
        match &mut notifier.process {
            Some(notifier) if held.is_orphaned() => notifier.release(),
            _ => held.release().await,
        }
        info!(target: NEWS, "has left {}", settings.office);
        self.candidate.warn_of("COMMAND", None);
        self.candidate.warn_of(NOTIFIER, None);
        if self.guard_lost {
            self.replace_guard().await;
        }
        Ok(run.pause)
    }

    async fn changed(&mut self, news: LeadershipNews, held: &mut HeldOffice, run: &mut CommandRun) {
        let office = &self.settings.office;
        match news {
            LeadershipNews::Valid(until) => self.guard.prolong(until),
            LeadershipNews::Stopping => {
                info!(target: NEWS, "is to leave {office}");
                self.take_back.asked_to_leave(office);
                self.end(run, self.settings.grace);
            }
            // The guard knows until when it was valid.
            LeadershipNews::Over => warn!(target: NEWS, "has lost {office} in term {}", held.term),
            LeadershipNews::Gone => {
                warn!("the member that held {office} is gone");
                self.end(run, self.settings.grace);
            }
        }
    }

    fn ask_health(&self, run: &mut CommandRun) {
        match &self.settings.health {
            Some(HealthProbe::Http { host, path }) => {
                let asked = health::ask(host.clone(), path.clone(), self.settings.probe_limit);
                run.asking = Some(Box::pin(asked));
            }
            Some(HealthProbe::Command(_)) => self.guard.probe(true),
            None => {}
        }
    }

    /// Waits, where an office was won with less of its lease left than the margin, until it is renewed, which
    /// takes a heartbeat, or is over. Left at once, it would be won by one that may be no better off.
    async fn until_begun(&mut self, held: &mut HeldOffice) {
        if held.until.remaining() <= self.workload.margin {
            let why = "its start waits for a renewal: less of the lease is left than --margin";
            held.tell(CommandNews::Idle(why.to_owned())).await;
        }
        while held.until.remaining() <= self.workload.margin {
            tokio::select! {
                news = held.next() => match news {
                    // No command runs, so that it is as good as the guard's knowledge.
                    LeadershipNews::Valid(until) => held.confirm(until).await,
                    _ => return,
                },
                () = self.signals.quit() => {
                    self.quitting = true;
                    return;
                }
                () = self.notify.beat() => {}
            }
        }
    }

    /// Starts the process that releases the office if this one is killed; or prepares to start another one, if it
    /// has `ended`.
    fn supervise(
        &self,
        notifier: &mut NotifierSupervisor,
        held: &HeldOffice,
        ended: Option<String>,
    ) {
        (notifier.process, notifier.start) = (None, None);
        let started = match (ended, held.release_ticket.clone()) {
            (Some(how), _) => Err(how),
            (None, Some(ticket)) => {
                self.start_notifier(ticket, held.term).map_err(|error| error.to_string())
            }
            // This member alone votes.
            (None, None) => return,
        };
        let why = match started {
            Ok(process) => {
                notifier.process = Some(process);
                None
            }
            Err(why) => {
                let pause = notifier.pauses.failed();
                notifier.start = Some(Instant::now() + pause);
                let why = format!(
                    "no crash notifier, which would release the office at once if this program were killed: {why}"
                );
                warn!("{why}; starts another one in {pause:?}");
                Some(why)
            }
        };
        self.candidate.warn_of(NOTIFIER, why);
    }

    fn start_notifier(&self, ticket: ReleaseTicket, term: u64) -> io::Result<NotifierProcess> {
        let notifier = NotifierProcess::start(ticket, &self.settings.office, term)?;
        // A member of another process, which may live on, releases the office itself.
        if matches!(*self.candidate, OfficeCandidate::Here(_)) {
            self.guard.keep(&notifier, Some(REAPED))?;
        }
        Ok(notifier)
    }

    fn end(&self, run: &mut CommandRun, grace: Duration) {
        run.ending = true;
        run.restart = None;
        run.probe = None;
        run.asking = None;
        self.guard.end(grace);
    }

    /// Handles an event of the guard while the office is held. Returns whether the tenure is over.
    fn heard(&mut self, event: GuardEvent, run: &mut CommandRun) -> Result<bool, CommandError> {
        match event {
            GuardEvent::Started { pid } => {
                info!("the command runs: process {pid}");
                run.started = Some(Instant::now());
                run.news = CommandNews::Runs;
                run.probe =
                    self.settings.health.as_ref().map(|_| Instant::now() + self.settings.interval);
                (run.failures, run.healthy) = (0, false);
            }
            GuardEvent::Refused { why } => {
                error!("the command does not start: {why}");
                self.exited(Exit::Code(127), run, format!("it does not start: {why}"));
            }
            GuardEvent::Exited { exit, left } => {
                if exit.is_success() {
                    info!("the command has ended");
                } else {
                    warn!("the command has ended with {exit}");
                }
                let mut why = format!("it has ended with {exit}");
                if left > 0 {
                    let hint = format!(
                        "it left processes behind ({left}), which were killed: COMMAND has to stay in the foreground (many \
                         programs have a flag for it), since the leadership lasts as long as it does"
                    );
                    warn!("{hint}");
                    why += &format!("; {hint}");
                }
                self.exited(exit, run, why);
            }
            GuardEvent::Probed { health: true, failure } => self.probed(failure, run),
            GuardEvent::Hook { name, why } => error!("the hook {name} has failed: {why}"),
            GuardEvent::Ended { killed, late } => {
                if killed {
                    warn!(target: NEWS, "the command had to be killed");
                }
                self.outlived(late, run);
                return Ok(true);
            }
            GuardEvent::Lost { late } => {
                self.outlived(late, run);
                self.guard_lost = true;
                return Ok(true);
            }
            GuardEvent::Probed { health: false, .. } => {
                // The guard runs one probe at a time: it has ignored the order for the other one.
                let waits = run.started.is_some() && run.probe.is_none() && !run.ending;
                if waits && matches!(self.settings.health, Some(HealthProbe::Command(_))) {
                    self.guard.probe(true);
                }
            }
            GuardEvent::Failed { why } => self.failed(why),
            GuardEvent::Ready { .. } | GuardEvent::Knows { .. } => {}
        }
        Ok(false)
    }

    /// Says that the command lived on after its leadership, for longer than `--margin` could make up for.
    fn outlived(&self, late: Duration, run: &CommandRun) {
        if !late.is_zero() {
            let (office, term) = (&self.settings.office, run.term);
            let why = match self.no_cgroup {
                Some(_) => {
                    "without a control group killing takes longer the more processes there are, \
                            and so does it where processors are busy"
                }
                None => "processors are too busy for it",
            };
            error!(
                target: NEWS,
                "the command outlived its leadership of {office} in term {term} by {late:?}: another one \
                 may have started. --margin is too short: {why}"
            );
        }
    }

    /// Returns how long to wait before the next start of a command that has run for this long: longer each time,
    /// if it ends soon.
    fn wait_after(&mut self, run: Duration) -> Duration {
        if run >= STEADY {
            self.backoff.reset();
            self.take_back.steady();
        }
        self.take_back.failed(&self.settings.office);
        self.backoff.failed()
    }

    fn exited(&mut self, exit: Exit, run: &mut CommandRun, why: String) {
        run.news = CommandNews::Idle(why);
        run.probe = None;
        run.asking = None;
        let lasted = run.started.take().map_or(Duration::ZERO, |started| started.elapsed());
        if run.ending {
            return;
        }
        match self.settings.on_exit {
            OnExit::Restart => {
                let wait = self.wait_after(lasted);
                info!("starts it again in {wait:?}");
                run.restart = Some(Instant::now() + wait);
                if let CommandNews::Idle(why) = &mut run.news {
                    *why += &format!("; it starts again {wait:?} after that");
                }
            }
            OnExit::Release => {
                run.pause = self.wait_after(lasted);
                self.end(run, Duration::ZERO);
            }
            OnExit::Stop => {
                self.ended = Some(u8::try_from(exit.code()).unwrap_or(1));
                self.end(run, Duration::ZERO);
            }
        }
    }

    fn probed(&mut self, failure: Option<String>, run: &mut CommandRun) {
        if run.ending {
            return;
        }
        let Some(why) = failure else {
            (run.failures, run.healthy) = (0, true);
            run.probe = Some(Instant::now() + self.settings.interval);
            return;
        };
        let running = run.started.map_or(Duration::ZERO, |started| started.elapsed());
        if run.healthy || running >= self.settings.warm_up {
            run.failures += 1;
            warn!(
                "the command is not healthy ({} of {}): {why}",
                run.failures, self.settings.failures
            );
        }
        if run.failures >= self.settings.failures {
            error!("the command is not healthy: leaves {}", self.settings.office);
            run.pause = self.wait_after(running);
            self.end(run, self.settings.grace);
        } else {
            run.probe = Some(Instant::now() + self.settings.interval);
        }
    }
}

fn spawn(workload: &Workload) -> Result<Guard, CommandError> {
    Guard::spawn(workload).map_err(|error| CommandError::failed(format!("{NO_GUARD}: {error}")))
}

/// Asks the leader of an office again and again to leave it to this member, each time after this wait. Without one,
/// never asks. `asked` says whether it was told to.
async fn take(
    candidate: &OfficeCandidate,
    office: &str,
    member: &str,
    after: Option<Duration>,
    asked: &Cell<bool>,
) {
    let Some(after) = after else { return pending().await };
    loop {
        sleep(after).await;
        info!("this host has been able to lead for {after:?}, and asks for {office}");
        asked.set(true);
        if let Err(why) = candidate.take(office, member).await {
            info!("{office} is not transferred: {why}");
            asked.set(false);
        }
    }
}

/// Waits until `instant`. Without one, never returns.
async fn at(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => pending().await,
    }
}

/// Waits for the result of a probe. Without a probe, never returns. Cancellation-safe.
async fn answered(asking: &mut Option<Asking>) -> Option<String> {
    match asking {
        Some(asking) => asking.await,
        None => pending().await,
    }
}
