//! The main loop of `tenure lead`: stand, lead, leave, and stand again.

use super::health;
use super::plan::{Backoff, Health, OnExit, Plan};
use super::seat::{Candidacy, News, Seat};
use crate::error::Error;
use crate::herald::{Herald, REAPED};
use crate::notify::Notify;
use crate::signals::Signals;
use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tenure_guard::{Event, Exit, Guard, Workload};
use tokio::time::{Instant, sleep, sleep_until};
use tracing::{debug, error, info, warn};

/// The shortest wait before standing again after a member could not be reached.
const RETRY: Duration = Duration::from_millis(200);

/// How long after the command the herald starts, whose handshakes would keep processors from it.
const HERALD: Duration = Duration::from_millis(20);

/// A pending probe over HTTP.
type Asking = Pin<Box<dyn Future<Output = Option<String>> + Send>>;

/// The state of `tenure lead`.
pub(crate) struct Conductor<'a> {
    plan: &'a Plan,
    candidacy: Arc<Candidacy>,
    notify: Notify,
    signals: Signals,
    workload: Workload,
    guard: Guard,
    /// Whether the guard can start the command at once.
    prepared: bool,
    backoff: Backoff,
    /// Whether this host may stand, according to the last readiness probe.
    fit: bool,
    /// Whether this program has been asked to end.
    quitting: bool,
    /// The exit code, once the end of the command ends this program, too.
    ended: Option<u8>,
}

/// The state of the command in a tenure.
struct Run {
    term: u64,
    started: Option<Instant>,
    /// When to start it again.
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

impl<'a> Conductor<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        candidacy: Candidacy,
        notify: Notify,
        signals: Signals,
        workload: Workload,
    ) -> Result<Self, Error> {
        let guard = spawn(&workload)?;
        let fit = plan.ready.is_none();
        let backoff = Backoff::new();
        Ok(Self {
            plan,
            candidacy: Arc::new(candidacy),
            notify,
            signals,
            workload,
            guard,
            prepared: false,
            backoff,
            fit,
            quitting: false,
            ended: None,
        })
    }

    /// Runs until this program is asked to end, or ends with its command. Returns the exit code.
    pub(crate) async fn conduct(mut self) -> Result<u8, Error> {
        loop {
            self.notify.status(&format!("stands for {}", self.plan.office));
            let Some(seat) = self.stand().await? else { break };
            let pause = self.lead(seat).await?;
            if self.quitting || self.ended.is_some() {
                break;
            }
            if !pause.is_zero() {
                info!("stands for {} again in {pause:?}", self.plan.office);
                self.pause(pause).await?;
            }
            if self.quitting {
                break;
            }
        }
        self.notify.stopping();
        Ok(self.ended.unwrap_or(0))
    }

    /// Replaces a guard that is lost.
    fn replace_guard(&mut self) -> Result<(), Error> {
        error!("the guard of the command was lost; all that it guarded has been killed");
        self.guard = spawn(&self.workload)?;
        self.prepared = false;
        Ok(())
    }

    /// Handles an event of the guard while no office is held.
    fn idle(&mut self, event: Event) -> Result<(), Error> {
        match event {
            Event::Ready { no_cgroup } => {
                if let Some(why) = no_cgroup {
                    debug!("the command has no control group of its own: {why}");
                }
                self.prepared = true;
                self.notify.ready();
            }
            Event::Probed { health: false, failure } => {
                if let Some(why) = failure.as_ref().filter(|_| self.fit) {
                    warn!("this host is not ready, and does not stand: {why}");
                } else if failure.is_none() && !self.fit {
                    info!("this host is ready, and stands for {}", self.plan.office);
                }
                self.fit = failure.is_none();
            }
            Event::Lost { .. } => self.replace_guard()?,
            _ => {}
        }
        Ok(())
    }

    /// Waits without standing.
    async fn pause(&mut self, pause: Duration) -> Result<(), Error> {
        let end = Instant::now() + pause;
        while !self.quitting {
            tokio::select! {
                () = sleep_until(end) => break,
                event = self.guard.event() => self.idle(event)?,
                () = self.signals.quit() => self.quitting = true,
                () = self.notify.beat() => {}
            }
        }
        Ok(())
    }

    /// Stands until the office is held; `None` if this program is asked to end.
    async fn stand(&mut self) -> Result<Option<Seat>, Error> {
        let mut told = String::new();
        loop {
            // Withdrawn where this host is not ready.
            let may = self.prepared && self.fit;
            let candidacy = self.candidacy.clone();
            let (plan, stop) = (self.plan, self.workload.stop);
            let standing = async {
                match may {
                    true => candidacy.stand(&plan.office, plan.priority, stop).await,
                    false => pending().await,
                }
            };
            let member = self.workload.member.clone();
            let taking = async {
                let Some(after) = plan.take_back.filter(|_| may) else { return pending().await };
                loop {
                    sleep(after).await;
                    info!(
                        "this host has been able to lead for {after:?}, and asks for {}",
                        plan.office
                    );
                    if let Err(why) = candidacy.take(&plan.office, &member).await {
                        info!("{} is not transferred: {why}", plan.office);
                    }
                }
            };
            tokio::pin!(standing, taking);
            let mut probe = plan.ready.as_ref().map(|_| Instant::now());
            let event = loop {
                tokio::select! {
                    seat = &mut standing => break Ok(seat),
                    () = &mut taking => {}
                    event = self.guard.event() => {
                        let stays = matches!(&event, Event::Probed { failure, .. } if failure.is_none() == self.fit);
                        if !stays {
                            break Err(event);
                        }
                    }
                    () = at(probe) => {
                        self.guard.probe(false);
                        probe = Some(Instant::now() + plan.interval);
                    }
                    () = self.signals.quit() => return Ok(None),
                    () = self.notify.beat() => {}
                }
            };
            match event {
                Err(event) => self.idle(event)?,
                Ok(Ok((seat, kept))) => {
                    if let Some(kept) = kept.filter(|kept| self.guard.keep(kept, None).is_err()) {
                        warn!("the guard cannot keep the connection to the member");
                        drop(kept);
                    }
                    return Ok(Some(seat));
                }
                Ok(Err(error)) => {
                    if error.is_usage() || matches!(*self.candidacy, Candidacy::Here(_)) {
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
    async fn lead(&mut self, mut seat: Seat) -> Result<Duration, Error> {
        let plan = self.plan;
        let mut run = Run {
            term: seat.term,
            started: None,
            restart: None,
            probe: None,
            asking: None,
            failures: 0,
            healthy: false,
            ending: false,
            pause: Duration::ZERO,
        };
        self.until_begun(&mut seat).await;
        // The command first: who waits for it does not wait for the log.
        self.guard.begin(seat.term, seat.until);
        info!("leads {} in term {}", plan.office, seat.term);
        self.notify.status(&format!("leads {} in term {}", plan.office, seat.term));
        let (mut herald, mut herald_at) = (None, Some(Instant::now() + HERALD));
        loop {
            tokio::select! {
                biased;
                event = self.guard.event() => {
                    if self.heard(event, &mut run)? {
                        break;
                    }
                }
                news = seat.next() => match news {
                    News::Valid(until) => {
                        self.guard.prolong(until);
                        seat.confirm(until).await;
                    }
                    News::Stopping => {
                        info!("is to leave {}", plan.office);
                        self.end(&mut run, plan.grace);
                    }
                    // The guard knows until when it was valid.
                    News::Over => warn!("has lost {} in term {}", plan.office, seat.term),
                    News::Gone => {
                        warn!("the member that held {} is gone", plan.office);
                        self.end(&mut run, plan.grace);
                    }
                },
                () = at(herald_at) => {
                    herald_at = None;
                    herald = self.herald(&mut seat);
                }
                () = at(run.restart) => {
                    run.restart = None;
                    self.guard.begin(seat.term, seat.until);
                }
                () = at(run.probe) => {
                    run.probe = None;
                    match &plan.health {
                        Some(Health::Http { host, path }) => {
                            let asked = health::ask(host.clone(), path.clone(), plan.probe_limit);
                            run.asking = Some(Box::pin(asked));
                        }
                        Some(Health::Command(_)) => self.guard.probe(true),
                        None => {}
                    }
                }
                failure = answered(&mut run.asking) => {
                    run.asking = None;
                    self.probed(failure, &mut run);
                }
                () = self.signals.quit() => {
                    // A second request does not wait.
                    let grace = if self.quitting { Duration::ZERO } else { plan.grace };
                    self.quitting = true;
                    self.notify.stopping();
                    self.end(&mut run, grace);
                }
                () = self.notify.beat() => {}
            }
        }
        // No process of the command is left: now, and not before, another host may lead.
        match &mut herald {
            Some(herald) if seat.is_orphaned() => herald.release(),
            _ => seat.release().await,
        }
        info!("has left {}", plan.office);
        Ok(run.pause)
    }

    /// Waits, where an office was won with less of its lease left than the margin, until it is renewed, which
    /// takes a heartbeat, or is over. Left at once, it would be won by one that may be no better off.
    async fn until_begun(&mut self, seat: &mut Seat) {
        while seat.until.remaining() <= self.workload.margin {
            tokio::select! {
                news = seat.next() => match news {
                    // No command runs, so that it is as good as the guard's knowledge.
                    News::Valid(until) => seat.confirm(until).await,
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

    /// Starts the process that releases the office if this one is killed.
    fn herald(&self, seat: &mut Seat) -> Option<Herald> {
        let started = Herald::start(seat.errand.take()?, &self.plan.office, seat.term);
        let kept = started.and_then(|herald| {
            // A member of another process, which may live on, releases the office itself.
            if matches!(*self.candidacy, Candidacy::Here(_)) {
                self.guard.keep(&herald, Some(REAPED))?;
            }
            Ok(herald)
        });
        let failed = |error| warn!("no herald, which would release the office: {error}");
        kept.map_err(failed).ok()
    }

    fn end(&self, run: &mut Run, grace: Duration) {
        run.ending = true;
        run.restart = None;
        run.probe = None;
        run.asking = None;
        self.guard.end(grace);
    }

    /// Handles an event of the guard while the office is held. Returns whether the tenure is over.
    fn heard(&mut self, event: Event, run: &mut Run) -> Result<bool, Error> {
        match event {
            Event::Started { pid } => {
                info!("the command runs: process {pid}");
                run.started = Some(Instant::now());
                run.probe = self.plan.health.as_ref().map(|_| Instant::now() + self.plan.interval);
                (run.failures, run.healthy) = (0, false);
            }
            Event::Refused { why } => {
                error!("the command does not start: {why}");
                self.exited(Exit::Code(127), run);
            }
            Event::Exited { exit } => {
                if exit.is_success() {
                    info!("the command has ended");
                } else {
                    warn!("the command has ended with {exit}");
                }
                self.exited(exit, run);
            }
            Event::Probed { health: true, failure } => self.probed(failure, run),
            Event::Hook { name, why } => error!("the hook {name} has failed: {why}"),
            Event::Ended { killed, late } => {
                if killed {
                    warn!("the command had to be killed");
                }
                self.outlived(late, run);
                return Ok(true);
            }
            Event::Lost { late } => {
                self.outlived(late, run);
                self.replace_guard()?;
                return Ok(true);
            }
            Event::Probed { health: false, .. } => {
                // The guard runs one probe at a time: it has ignored the order for the other one.
                let waits = run.started.is_some() && run.probe.is_none() && !run.ending;
                if waits && matches!(self.plan.health, Some(Health::Command(_))) {
                    self.guard.probe(true);
                }
            }
            Event::Ready { .. } => {}
        }
        Ok(false)
    }

    /// Says that the command lived on after its leadership, for longer than `--margin` could make up for.
    fn outlived(&self, late: Duration, run: &Run) {
        if !late.is_zero() {
            let (office, term) = (&self.plan.office, run.term);
            error!(
                "the command outlived its leadership of {office} in term {term} by {late:?}: another one \
                 may have started. Processors are too busy for this --margin"
            );
        }
    }

    /// Handles a command that has ended by itself.
    fn exited(&mut self, exit: Exit, run: &mut Run) {
        run.probe = None;
        run.asking = None;
        let lasted = run.started.take().map_or(Duration::ZERO, |started| started.elapsed());
        if run.ending {
            return;
        }
        match self.plan.on_exit {
            OnExit::Restart => {
                let wait = self.backoff.after(lasted);
                info!("starts it again in {wait:?}");
                run.restart = Some(Instant::now() + wait);
            }
            OnExit::Release => {
                run.pause = self.backoff.after(lasted);
                self.end(run, Duration::ZERO);
            }
            OnExit::Stop => {
                self.ended = Some(u8::try_from(exit.code()).unwrap_or(1));
                self.end(run, Duration::ZERO);
            }
        }
    }

    /// Handles the result of a health probe.
    fn probed(&mut self, failure: Option<String>, run: &mut Run) {
        if run.ending {
            return;
        }
        let Some(why) = failure else {
            (run.failures, run.healthy) = (0, true);
            run.probe = Some(Instant::now() + self.plan.interval);
            return;
        };
        let running = run.started.map_or(Duration::ZERO, |started| started.elapsed());
        if run.healthy || running >= self.plan.warm_up {
            run.failures += 1;
            warn!("the command is not healthy ({} of {}): {why}", run.failures, self.plan.failures);
        }
        if run.failures >= self.plan.failures {
            error!("the command is not healthy: leaves {}", self.plan.office);
            run.pause = self.backoff.after(running);
            self.end(run, self.plan.grace);
        } else {
            run.probe = Some(Instant::now() + self.plan.interval);
        }
    }
}

fn spawn(workload: &Workload) -> Result<Guard, Error> {
    Guard::spawn(workload)
        .map_err(|error| Error::failed(format!("no guard for the command can be started: {error}")))
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
