//! The main loop of `tenure lead`: tells [`LeaderState`] what happens, and does what that decides.

use super::candidate::{HeldOffice, OfficeCandidate};
use super::health::{self, HealthProbe};
use super::leader_state::{LeaderInput, LeaderOutput, LeaderState, NO_GUARD};
use super::settings::Args;
use crate::control::client::RELEASE;
use crate::crash_notifier::{NotifierProcess, REAPED};
use crate::done;
use crate::error::CommandError;
use crate::notify::Notify;
use crate::signals::Signals;
use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::sync::Arc;
use suffrage_shell::NEWS;
use tenure_guard::{Guard, Workload};
use tenure_node::{LeaderValue, ReleaseTicket};
use tokio::time::{Instant, sleep_until};
use tracing::{Level, error, info, warn};

/// Something that is under way, if it is.
type Pending<'a, T> = Option<Pin<Box<dyn Future<Output = T> + 'a>>>;

type Stood = Result<(HeldOffice, Option<OwnedFd>), CommandError>;

pub(crate) struct LeaderLoop<'a> {
    settings: &'a Args,
    state: LeaderState<'a>,
    candidate: Arc<OfficeCandidate>,
    notify: Notify,
    signals: Signals,
    workload: Workload,
    value: LeaderValue,
    guard: Guard,
    /// Dropping it withdraws.
    standing: Pending<'a, Stood>,
    asking: Pending<'a, Result<(), CommandError>>,
    probing: Pending<'a, Option<String>>,
    releasing: Pending<'a, ()>,
    held: Option<HeldOffice>,
    notifier: Option<NotifierProcess>,
}

impl<'a> LeaderLoop<'a> {
    pub(crate) fn new(
        settings: &'a Args,
        candidate: OfficeCandidate,
        notify: Notify,
        signals: Signals,
        workload: Workload,
        value: LeaderValue,
    ) -> Result<Self, CommandError> {
        let guard = Guard::spawn(&workload)
            .map_err(|error| CommandError::failed(format!("{NO_GUARD}: {error}")))?;
        let own = matches!(candidate, OfficeCandidate::Here(_));
        Ok(Self {
            settings,
            state: LeaderState::new(settings, own),
            candidate: Arc::new(candidate),
            notify,
            signals,
            workload,
            value,
            guard,
            standing: None,
            asking: None,
            probing: None,
            releasing: None,
            held: None,
            notifier: None,
        })
    }

    /// Runs until this program, which began at `start`, is asked to end, or ends with its command. Returns the exit code.
    pub(crate) async fn run(mut self, start: Instant) -> Result<u8, CommandError> {
        let mut inputs = VecDeque::new();
        loop {
            let input = match inputs.pop_front() {
                Some(input) => input,
                None => self.next(start).await,
            };
            for output in self.state.step(start.elapsed(), input) {
                if let LeaderOutput::Exit(result) = output {
                    return result;
                }
                inputs.extend(self.carry_out(output).await);
            }
        }
    }

    /// Waits for what happens next.
    async fn next(&mut self, start: Instant) -> LeaderInput {
        let alarm = self.state.next_alarm();
        loop {
            tokio::select! {
                biased;
                event = self.guard.event(), if self.state.guarded => return LeaderInput::Guard(event),
                stood = done(self.standing.as_mut()) => {
                    (self.standing, self.asking) = (None, None);
                    return self.stood(stood);
                }
                news = done(self.held.as_mut().map(HeldOffice::next)) => {
                    let until = self.held.as_ref().map(|held| held.until);
                    return LeaderInput::Leadership(news, until.unwrap_or_default().remaining());
                }
                () = done(self.releasing.as_mut()) => {
                    (self.releasing, self.notifier) = (None, None);
                    return LeaderInput::Released;
                }
                how = done(self.notifier.as_mut().map(NotifierProcess::ended)) => {
                    self.notifier = None;
                    return LeaderInput::Notifier(Err(how));
                }
                alarm = done(alarm.map(async |(due, alarm)| { sleep_until(start + due).await; alarm })) => {
                    return LeaderInput::Alarm(alarm);
                }
                failure = done(self.probing.as_mut()) => {
                    self.probing = None;
                    return LeaderInput::Health(failure);
                }
                answer = done(self.asking.as_mut()) => {
                    self.asking = None;
                    return LeaderInput::Asked(answer.map_err(|error| error.to_string()));
                }
                () = self.signals.quit() => return LeaderInput::Quit,
                () = self.notify.beat() => {}
            }
        }
    }

    fn stood(&mut self, stood: Stood) -> LeaderInput {
        match stood {
            Ok((held, kept)) => {
                if kept.is_some_and(|kept| self.guard.keep(kept, Some(RELEASE)).is_err()) {
                    warn!("the guard cannot keep the connection to the member");
                }
                let won = LeaderInput::Won(held.term, held.until.remaining());
                self.held = Some(held);
                won
            }
            Err(error) => LeaderInput::NotWon(error),
        }
    }

    /// Returns the answer, if there is one at once.
    async fn carry_out(&mut self, output: LeaderOutput) -> Option<LeaderInput> {
        match output {
            LeaderOutput::Log(level, text) => match level {
                Level::ERROR => error!("{text}"),
                Level::WARN => warn!("{text}"),
                _ => info!("{text}"),
            },
            LeaderOutput::News(level, text) => match level {
                Level::ERROR => error!(target: NEWS, "{text}"),
                Level::WARN => warn!(target: NEWS, "{text}"),
                _ => info!(target: NEWS, "{text}"),
            },
            LeaderOutput::Status(text) => self.notify.status(&text),
            LeaderOutput::Ready => self.notify.ready(),
            LeaderOutput::Stopping => self.notify.stopping(),
            LeaderOutput::Warn(about, warning) => self.candidate.warn_of(about, warning),
            LeaderOutput::SpawnGuard => {
                let spawned = Guard::spawn(&self.workload).map(|guard| self.guard = guard);
                return Some(LeaderInput::Spawned(spawned.map_err(|error| error.to_string())));
            }
            LeaderOutput::Stand => {
                let (candidate, settings) = (self.candidate.clone(), self.settings);
                let (priority, stop) = (settings.priority, self.workload.stop);
                self.standing = Some(Box::pin(candidate.stand(
                    &settings.office,
                    priority,
                    stop,
                    self.value.clone(),
                    settings.only_try(),
                )));
            }
            LeaderOutput::Withdraw => (self.standing, self.asking) = (None, None),
            LeaderOutput::AskForOffice => {
                let (candidate, member) = (self.candidate.clone(), self.workload.member.clone());
                self.asking = Some(Box::pin(candidate.take(&self.settings.office, member)));
            }
            LeaderOutput::ProbeReadiness => self.guard.probe(false),
            LeaderOutput::ProbeHealth => match &self.settings.health {
                Some(HealthProbe::Http { host, path }) => {
                    let asked = health::ask(host.clone(), path.clone(), self.settings.probe_limit);
                    self.probing = Some(Box::pin(asked));
                }
                _ => self.guard.probe(true),
            },
            LeaderOutput::Prolong(until) => self.guard.prolong(until),
            LeaderOutput::EndCommand(grace) => self.guard.end(grace),
            output => return self.carry_out_leading(output).await,
        }
        None
    }

    /// Does what needs the office to be held.
    async fn carry_out_leading(&mut self, output: LeaderOutput) -> Option<LeaderInput> {
        let held = self.held.as_mut()?;
        match output {
            LeaderOutput::Begin => self.guard.begin(held.term, held.until),
            LeaderOutput::Confirm(until) => held.confirm(until).await,
            LeaderOutput::Tell(news) => held.tell(news).await,
            LeaderOutput::StartNotifier => {
                let (ticket, term) = (held.release_ticket.clone()?, held.term);
                let started = self.start_notifier(ticket, term).map_err(|error| error.to_string());
                return Some(LeaderInput::Notifier(started));
            }
            LeaderOutput::Release => {
                // The member may stand still, and this program may be asked to end meanwhile.
                self.releasing = Some(Box::pin(self.held.take()?.release()));
            }
            LeaderOutput::ReleaseByNotifier => {
                self.notifier.take()?.release();
                self.held = None;
                return Some(LeaderInput::Released);
            }
            _ => {}
        }
        None
    }

    fn start_notifier(&mut self, ticket: ReleaseTicket, term: u64) -> io::Result<()> {
        let notifier = NotifierProcess::start(ticket, &self.settings.office, term)?;
        // A member of another process, which may live on, releases the office itself.
        if matches!(*self.candidate, OfficeCandidate::Here(_)) {
            self.guard.keep(&notifier, Some(REAPED))?;
        }
        self.notifier = Some(notifier);
        Ok(())
    }
}
