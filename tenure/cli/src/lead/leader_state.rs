//! What `tenure lead` decides: when to stand, to start COMMAND, to end it, and to leave.
//!
//! This is a state machine: the loop tells it what has happened, and when, and carries out what it answers. It reads no
//! clock and does no I/O. The folder `scenarios` has its histories.

#![allow(missing_docs, reason = "public for simulations alone")]

use super::health::HealthProbe;
use super::office_session::LeadershipNews;
use super::settings::{Args, OnExit};
use super::take_back::TakeBack;
use crate::control::CommandNews;
use crate::error::CommandError;
use std::collections::BTreeMap;
use std::mem::{replace, take};
use std::time::Duration;
use suffrage_net::backoff::Backoff;
use tenure_guard::{Boottime, Exit, GuardEvent, NoGroup};
use tracing::Level;

/// The wait before standing again after a member could not be reached.
const RETRY: Duration = Duration::from_millis(200);

/// The first and the longest wait between starts of a command that ends soon.
const RESTARTS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));

/// A command that has run for this long resets these waits.
const STEADY: Duration = Duration::from_secs(30);

/// How long after the command the crash notifier starts, whose handshakes would keep processors from it.
const CRASH_NOTIFIER: Duration = Duration::from_millis(20);

/// The pause before what could not be started is tried again.
const AGAIN: Duration = Duration::from_secs(1);

pub(super) const NO_GUARD: &str = "no guard for the command can be started";

/// The parts of the program that its warnings are about.
const GUARD: &str = "the guard of COMMAND";
const COMMAND: &str = "COMMAND";
const NOTIFIER: &str = "the crash notifier";

/// Adds a line of the log to the outputs.
macro_rules! say {
    ($state:ident, $kind:ident $level:ident: $($text:tt)+) => {
        $state.put(LeaderOutput::$kind(Level::$level, format!($($text)+)))
    };
}

/// What has happened.
#[derive(Debug)]
pub enum LeaderInput {
    Guard(GuardEvent),
    /// A guard was spawned in place of a lost one, or why not.
    Spawned(Result<(), String>),
    /// The office is held in this term, with this much of the lease left.
    Won(u64, Duration),
    /// The participant does not stand for this program.
    NotWon(CommandError),
    /// The leader has answered to the request to transfer the office.
    Asked(Result<(), String>),
    /// News of the leadership, with how much of the lease is left.
    Leadership(LeadershipNews, Duration),
    /// The server that was asked is healthy, or why not.
    Health(Option<String>),
    /// A crash notifier runs, or why not.
    Notifier(Result<(), String>),
    Released,
    /// A signal asks this program to end.
    Quit,
    /// What [`LeaderState::next_alarm`] returned is due.
    Alarm(LeaderAlarm),
}

/// What the loop has to do, in this order.
#[derive(Debug)]
pub enum LeaderOutput {
    Log(Level, String),
    /// As `Log`, for the lines that a quiet log has, too.
    News(Level, String),
    /// For the service manager, as the two that follow.
    Status(String),
    Ready,
    Stopping,
    /// Add a warning about a part of the program to the participant's status, or take it back.
    Warn(&'static str, Option<String>),
    /// Answered by `Spawned`.
    SpawnGuard,
    /// Answered by `Won` or `NotWon`.
    Stand,
    /// Stand no more, and forget what was asked.
    Withdraw,
    /// Ask the leader to transfer the office to this host. Answered by `Asked`.
    AskForOffice,
    ProbeReadiness,
    /// Answered by `Health`, or by the guard. What was asked before is forgotten.
    ProbeHealth,
    /// For the guard, as the two that follow: run the command.
    Begin,
    Prolong(Boottime),
    EndCommand(Duration),
    /// Tell the participant until when the guard knows the leadership to be valid.
    Confirm(Boottime),
    /// Tell the participant what the command does.
    Tell(CommandNews),
    /// Answered by `Notifier`, unless this member alone votes.
    StartNotifier,
    /// Answered by `Released`, as is the next one, which is for a member that is gone.
    Release,
    ReleaseByNotifier,
    /// End the loop with this result.
    Exit(Result<u8, CommandError>),
}

/// What this program waits for. If several are due, the first one rings first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeaderAlarm {
    SpawnGuard,
    Stand,
    ProbeReadiness,
    AskForOffice,
    Restart,
    ProbeHealth,
    StartNotifier,
    GiveUp,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum LeadStage {
    /// The command is not started before the lease is renewed.
    #[default]
    Waiting,
    Leading,
    /// This program is ending the tenure.
    Ending,
    /// No process of the command is left.
    Releasing,
}

/// A tenure of this host.
#[derive(Default)]
struct CommandRun {
    term: u64,
    stage: LeadStage,
    /// Whether the guard was told in time to start the command.
    begun: bool,
    /// When the command started, while it runs.
    started: Option<Duration>,
    /// Whether the answer to a probe is awaited.
    probing: bool,
    failures: u32,
    /// Whether it has been healthy in this run.
    healthy: bool,
    /// How long to wait before standing again.
    pause: Duration,
    /// Whether the member that holds the office is gone.
    orphaned: bool,
    notifier_runs: bool,
}

pub struct LeaderState<'a> {
    settings: &'a Args,
    /// Whether the participant is part of this program. Another one may come back.
    own: bool,
    now: Duration,
    outputs: Vec<LeaderOutput>,
    alarms: BTreeMap<LeaderAlarm, Duration>,
    /// Whether there is a guard, which may report something.
    pub guarded: bool,
    /// Whether it can start the command at once.
    prepared: bool,
    /// Whether it was said that there is no guard.
    unguarded: bool,
    /// Why the command has no control group, if it has none.
    no_cgroup: Option<NoGroup>,
    /// Whether this host may stand, according to the last readiness probe.
    fit: bool,
    standing: bool,
    /// Why the participant did not stand at last; the log says it once.
    not_won: Option<String>,
    /// Whether the leader was asked to transfer the office.
    asked: bool,
    take_back: TakeBack,
    backoff: Backoff,
    guard_pauses: Backoff,
    notifier_pauses: Backoff,
    /// While the office is held.
    run: Option<CommandRun>,
    /// Whether this program has been asked to end.
    quitting: bool,
    /// The exit code, once the end of the command ends this program, too.
    ended: Option<u8>,
    /// Why the command was ended, if it has not ended by itself.
    cut_short: Option<String>,
}

impl<'a> LeaderState<'a> {
    pub fn new(settings: &'a Args, own: bool) -> Self {
        Self {
            settings,
            own,
            now: Duration::ZERO,
            outputs: Vec::new(),
            alarms: [(LeaderAlarm::Stand, Duration::ZERO)]
                .into_iter()
                .chain(give_up(settings))
                .collect(),
            guarded: true,
            prepared: false,
            unguarded: false,
            no_cgroup: None,
            fit: settings.ready.is_none(),
            standing: false,
            not_won: None,
            asked: false,
            take_back: TakeBack::new(settings.take_back),
            backoff: Backoff::exact(RESTARTS.0, RESTARTS.1),
            guard_pauses: Backoff::exact(AGAIN, STEADY),
            notifier_pauses: Backoff::exact(AGAIN, STEADY),
            run: None,
            quitting: false,
            ended: None,
            cut_short: None,
        }
    }

    /// Returns when to ring next, and for what.
    pub fn next_alarm(&self) -> Option<(Duration, LeaderAlarm)> {
        self.alarms.iter().map(|(&alarm, &due)| (due, alarm)).min()
    }

    /// Reacts to what has happened at this time since the loop began.
    pub fn step(&mut self, now: Duration, input: LeaderInput) -> Vec<LeaderOutput> {
        self.now = now;
        match &input {
            LeaderInput::Alarm(alarm) => _ = self.alarms.remove(alarm),
            LeaderInput::Guard(GuardEvent::Lost { .. }) => {
                say!(self, Log ERROR: "the guard of the command was lost; all that it guarded has been killed");
                if !self.prepared {
                    // As where no further process may be started.
                    let pause = self.guard_pauses.failed();
                    self.cannot_lead("the guard of the command ends before it is ready");
                    say!(self, Log WARN: "another guard is started in {pause:?}");
                }
                (self.guarded, self.prepared) = (false, false);
            }
            LeaderInput::Guard(GuardEvent::Failed { why }) => {
                // In the status until the next tenure has ended.
                say!(self, Log ERROR: "{why}");
                self.put(LeaderOutput::Warn(COMMAND, Some(why.clone())));
            }
            _ => {}
        }
        match self.run.take() {
            None => self.idle(input),
            Some(run) if matches!(input, LeaderInput::Released) => self.left(&run),
            Some(mut run) => {
                self.lead(input, &mut run);
                self.run = Some(run);
            }
        }
        take(&mut self.outputs)
    }

    fn put(&mut self, output: LeaderOutput) {
        self.outputs.push(output);
    }

    fn ring_after(&mut self, wait: Duration, alarm: LeaderAlarm) {
        self.alarms.insert(alarm, self.now.saturating_add(wait));
    }

    /// Reacts while no office is held.
    fn idle(&mut self, input: LeaderInput) {
        let office = &self.settings.office;
        match input {
            LeaderInput::Guard(event) => self.heard_idle(event),
            LeaderInput::Spawned(Ok(())) => {
                self.guarded = true;
                self.stand();
            }
            LeaderInput::Spawned(Err(error)) => {
                self.cannot_lead(&format!("{NO_GUARD}: {error}"));
                self.ring_after(AGAIN, LeaderAlarm::SpawnGuard);
            }
            LeaderInput::Alarm(LeaderAlarm::SpawnGuard) => self.put(LeaderOutput::SpawnGuard),
            LeaderInput::Alarm(LeaderAlarm::Stand) => self.stand_anew(),
            LeaderInput::Alarm(LeaderAlarm::ProbeReadiness) => self.probe_readiness(),
            LeaderInput::Alarm(LeaderAlarm::AskForOffice) => {
                let after = self.take_back.after().unwrap_or_default();
                say!(self, Log INFO: "this host has been able to lead for {after:?}, and asks for {office}");
                self.asked = true;
                self.put(LeaderOutput::AskForOffice);
            }
            LeaderInput::Asked(answer) => {
                if let Err(why) = answer {
                    say!(self, Log INFO: "{office} is not transferred: {why}");
                    self.asked = false;
                }
                self.ask_for_office();
            }
            LeaderInput::Alarm(LeaderAlarm::GiveUp) => self.give_up(),
            LeaderInput::Won(term, left) => self.won(term, left),
            LeaderInput::NotWon(error) => self.not_won(error),
            LeaderInput::Quit => self.finish(),
            _ => {}
        }
    }

    /// Handles an event of the guard while no office is held.
    fn heard_idle(&mut self, event: GuardEvent) {
        match event {
            GuardEvent::Ready { no_cgroup, .. } => match self.grouped(no_cgroup) {
                Ok(()) => {
                    self.prepared = true;
                    self.guard_pauses.reset();
                    if take(&mut self.unguarded) {
                        self.put(LeaderOutput::Warn(GUARD, None));
                    }
                    self.put(LeaderOutput::Ready);
                    self.stand();
                }
                Err(error) => self.put(LeaderOutput::Exit(Err(error))),
            },
            GuardEvent::Probed { health: false, failure } if failure.is_none() != self.fit => {
                self.fit = failure.is_none();
                match failure {
                    Some(why) => {
                        say!(self, Log WARN: "this host is not ready, and does not stand: {why}");
                    }
                    None => {
                        say!(self, Log INFO: "this host is ready, and stands for {}", self.settings.office);
                    }
                }
                self.stand();
            }
            GuardEvent::Lost { .. } => {
                self.stand();
                self.replace_guard();
            }
            _ => {}
        }
    }

    /// Spawns another guard: at once, unless the last one did not begin to work.
    fn replace_guard(&mut self) {
        let pause = self.guard_pauses.pause();
        if pause.is_zero() {
            self.put(LeaderOutput::SpawnGuard);
        } else {
            self.ring_after(pause, LeaderAlarm::SpawnGuard);
        }
    }

    /// Says why there is no guard, once until one is ready.
    fn cannot_lead(&mut self, why: &str) {
        if !replace(&mut self.unguarded, true) {
            let why = format!("this host cannot lead: {why}");
            say!(self, Log ERROR: "{why}; tries again");
            self.put(LeaderOutput::Warn(GUARD, Some(why)));
        }
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
            say!(self, Log WARN: "COMMAND has no control group of its own ({}). So killing it takes longer the more \
                processes it has, and may take longer than --margin{privileges}", no.why);
        }
        self.no_cgroup = no_cgroup;
        Ok(())
    }

    fn stand_anew(&mut self) {
        if self.not_won.is_none() {
            self.put(LeaderOutput::Status(format!("stands for {}", self.settings.office)));
        }
        self.stand();
    }

    /// Stands from now on if this host may, and withdraws if not.
    fn stand(&mut self) {
        self.alarms.remove(&LeaderAlarm::ProbeReadiness);
        self.alarms.remove(&LeaderAlarm::AskForOffice);
        if take(&mut self.standing) {
            self.put(LeaderOutput::Withdraw);
        }
        if !self.guarded || self.alarms.contains_key(&LeaderAlarm::Stand) {
            return;
        }
        if self.prepared && self.fit {
            (self.standing, self.asked) = (true, false);
            self.put(LeaderOutput::Stand);
            self.ask_for_office();
        }
        if self.settings.ready.is_some() {
            self.probe_readiness();
        }
    }

    fn probe_readiness(&mut self) {
        self.put(LeaderOutput::ProbeReadiness);
        self.ring_after(self.settings.interval, LeaderAlarm::ProbeReadiness);
    }

    /// Asks the leader for the office when this host has been able to lead for long enough.
    fn ask_for_office(&mut self) {
        if let Some(after) = self.take_back.after() {
            self.ring_after(after, LeaderAlarm::AskForOffice);
        }
    }

    fn not_won(&mut self, error: CommandError) {
        self.standing = false;
        if error.is_usage() || error.is_not_led() || self.own {
            return self.put(LeaderOutput::Exit(Err(error)));
        }
        // A local member may come back. The same reason is reported once.
        let why = error.to_string();
        if self.not_won.as_ref() != Some(&why) {
            say!(self, Log WARN: "{why}");
            self.not_won = Some(why);
        }
        self.ring_after(RETRY, LeaderAlarm::Stand);
        self.stand();
    }

    fn won(&mut self, term: u64, left: Duration) {
        self.alarms.clear();
        (self.standing, self.not_won) = (false, None);
        self.take_back.won(self.asked);
        self.notifier_pauses.reset();
        let mut run = CommandRun { term, ..CommandRun::default() };
        if left > self.settings.margin {
            run.begun = true;
            self.begin(&mut run);
        } else {
            // Left at once, the office would be won by one that may be no better off.
            let why = "its start waits for a renewal: less of the lease is left than --margin";
            self.put(LeaderOutput::Tell(CommandNews::idle(why.to_owned())));
        }
        self.run = Some(run);
    }

    fn begin(&mut self, run: &mut CommandRun) {
        run.stage = LeadStage::Leading;
        // The command first: who waits for it does not wait for the log.
        self.put(LeaderOutput::Begin);
        let leads = format!("leads {} in term {}", self.settings.office, run.term);
        say!(self, News INFO: "{leads}");
        self.put(LeaderOutput::Status(leads));
        self.put(LeaderOutput::Tell(CommandNews::idle("it is being started".to_owned())));
        self.ring_after(CRASH_NOTIFIER, LeaderAlarm::StartNotifier);
    }

    /// Reacts while the office is held.
    fn lead(&mut self, input: LeaderInput, run: &mut CommandRun) {
        match input {
            LeaderInput::Quit => {
                // A second request does not wait.
                let again = replace(&mut self.quitting, true);
                self.cut_short("this program was asked to end".to_owned());
                let grace = if again { Duration::ZERO } else { self.settings.grace };
                match run.stage {
                    LeadStage::Waiting => self.begin(run),
                    // As where the member stands still.
                    LeadStage::Releasing if again => self.finish(),
                    LeadStage::Releasing => {}
                    LeadStage::Leading | LeadStage::Ending => {
                        self.put(LeaderOutput::Stopping);
                        self.end(run, grace);
                    }
                }
            }
            _ if run.stage == LeadStage::Releasing => {}
            LeaderInput::Guard(event) => self.heard(event, run),
            LeaderInput::Leadership(news, left) if run.stage == LeadStage::Waiting => {
                match news {
                    // No command runs, so that it is as good as the guard's knowledge.
                    LeadershipNews::Valid(until) => {
                        self.put(LeaderOutput::Confirm(until));
                        if left > self.settings.margin {
                            run.begun = true;
                            self.begin(run);
                        }
                    }
                    // The guard begins nothing so late, and says that the tenure has ended.
                    _ => self.begin(run),
                }
            }
            LeaderInput::Leadership(news, _) => self.changed(news, run),
            LeaderInput::Notifier(started) => self.supervise(started, run),
            LeaderInput::Health(failure) if run.probing => self.probed(failure, run),
            LeaderInput::Alarm(LeaderAlarm::Restart) => self.put(LeaderOutput::Begin),
            LeaderInput::Alarm(LeaderAlarm::StartNotifier) => self.put(LeaderOutput::StartNotifier),
            LeaderInput::Alarm(LeaderAlarm::ProbeHealth) => {
                run.probing = true;
                self.put(LeaderOutput::ProbeHealth);
            }
            _ => {}
        }
    }

    fn changed(&mut self, news: LeadershipNews, run: &mut CommandRun) {
        let office = &self.settings.office;
        match news {
            LeadershipNews::Valid(until) => self.put(LeaderOutput::Prolong(until)),
            LeadershipNews::Stopping => {
                say!(self, News INFO: "is to leave {office}");
                self.cut_short(format!("this host was told to leave {office}"));
                let suspicion = self.take_back.asked_to_leave(office);
                self.outputs.extend(suspicion.map(|text| LeaderOutput::Log(Level::WARN, text)));
                self.end(run, self.settings.grace);
            }
            // The guard knows until when it was valid.
            LeadershipNews::Over => {
                let lost = format!("has lost {office} in term {}", run.term);
                say!(self, News WARN: "{lost}");
                self.cut_short(format!("this host {lost}"));
            }
            LeadershipNews::Gone => {
                let gone = format!("the member that held {office} is gone");
                say!(self, Log WARN: "{gone}");
                self.cut_short(gone);
                run.orphaned = true;
                self.end(run, self.settings.grace);
            }
        }
    }

    /// Handles that a crash notifier, which releases the office if this program is killed, runs or not.
    fn supervise(&mut self, started: Result<(), String>, run: &mut CommandRun) {
        run.notifier_runs = started.is_ok();
        let warning = started.err().map(|why| {
            let pause = self.notifier_pauses.failed();
            self.ring_after(pause, LeaderAlarm::StartNotifier);
            let why = format!(
                "no crash notifier, which would release the office at once if this program were killed: {why}"
            );
            say!(self, Log WARN: "{why}; starts another one in {pause:?}");
            why
        });
        self.put(LeaderOutput::Warn(NOTIFIER, warning));
    }

    /// Notes why the command is ended. The first reason counts.
    fn cut_short(&mut self, why: String) {
        self.cut_short.get_or_insert(why);
    }

    fn end(&mut self, run: &mut CommandRun, grace: Duration) {
        run.stage = LeadStage::Ending;
        self.alarms.remove(&LeaderAlarm::Restart);
        self.stop_probing(run);
        self.put(LeaderOutput::EndCommand(grace));
    }

    fn stop_probing(&mut self, run: &mut CommandRun) {
        run.probing = false;
        self.alarms.remove(&LeaderAlarm::ProbeHealth);
    }

    fn probe_later(&mut self) {
        if self.settings.health.is_some() {
            self.ring_after(self.settings.interval, LeaderAlarm::ProbeHealth);
        }
    }

    /// Handles an event of the guard while the office is held.
    fn heard(&mut self, event: GuardEvent, run: &mut CommandRun) {
        match event {
            // The guard is well, and so is the loop, or this would not be reached.
            GuardEvent::Knows { until } => self.put(LeaderOutput::Confirm(until)),
            GuardEvent::Started { pid } => {
                say!(self, Log INFO: "the command runs: process {pid}");
                (run.started, run.failures, run.healthy) = (Some(self.now), 0, false);
                if run.stage == LeadStage::Leading {
                    self.probe_later();
                }
                self.put(LeaderOutput::Tell(CommandNews::RUNS));
            }
            GuardEvent::Refused { why } => {
                say!(self, Log ERROR: "the command does not start: {why}");
                self.exited(Exit::Code(127), format!("it does not start: {why}"), run);
            }
            GuardEvent::Exited { exit, left } => {
                match exit.is_success() {
                    true => say!(self, Log INFO: "the command has ended"),
                    false => say!(self, Log WARN: "the command has ended with {exit}"),
                }
                let mut why = format!("it has ended with {exit}");
                if left > 0 {
                    let hint = format!(
                        "it left processes behind ({left}), which were killed: COMMAND has to stay in the foreground (many \
                         programs have a flag for it), since the leadership lasts as long as it does"
                    );
                    say!(self, Log WARN: "{hint}");
                    why += &format!("; {hint}");
                }
                self.exited(exit, why, run);
            }
            GuardEvent::Probed { health: true, failure } if run.probing => {
                self.probed(failure, run);
            }
            GuardEvent::Reaped => {
                let why = "it has ended, and the hook on-lose runs";
                self.put(LeaderOutput::Tell(CommandNews::idle(why.to_owned())));
            }
            GuardEvent::Hook { name, why } => {
                say!(self, Log ERROR: "the hook {name} has failed: {why}");
            }
            GuardEvent::Ended { killed, late } => {
                if killed {
                    say!(self, News WARN: "the command had to be killed");
                }
                self.release(late, run);
            }
            GuardEvent::Lost { late } => {
                self.cut_short("the guard of COMMAND was lost".to_owned());
                self.release(late, run);
            }
            // The guard runs one probe at a time: it has ignored the order for the other one.
            GuardEvent::Probed { health: false, .. } if run.probing => {
                if matches!(self.settings.health, Some(HealthProbe::Command(_))) {
                    self.put(LeaderOutput::ProbeHealth);
                }
            }
            GuardEvent::Probed { .. } | GuardEvent::Ready { .. } | GuardEvent::Failed { .. } => {}
        }
    }

    fn exited(&mut self, exit: Exit, mut why: String, run: &mut CommandRun) {
        self.stop_probing(run);
        let lasted = run.started.take().map_or(Duration::ZERO, |started| self.now - started);
        if run.stage != LeadStage::Ending {
            match self.settings.on_exit() {
                OnExit::Restart => {
                    let wait = self.wait_after(lasted);
                    say!(self, Log INFO: "starts it again in {wait:?}");
                    self.ring_after(wait, LeaderAlarm::Restart);
                    why += &format!("; it starts again {wait:?} after that");
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
        self.put(LeaderOutput::Tell(CommandNews::idle(why)));
    }

    /// Returns how long to wait before the next start of a command that has run for this long: longer each time,
    /// if it ends soon.
    fn wait_after(&mut self, run: Duration) -> Duration {
        if run >= STEADY {
            self.backoff.reset();
            self.take_back.steady();
        }
        let longer = self.take_back.failed(&self.settings.office);
        self.outputs.extend(longer.map(|text| LeaderOutput::Log(Level::WARN, text)));
        self.backoff.failed()
    }

    fn probed(&mut self, failure: Option<String>, run: &mut CommandRun) {
        run.probing = false;
        let Some(why) = failure else {
            (run.failures, run.healthy) = (0, true);
            return self.probe_later();
        };
        let most = self.settings.failures;
        let running = run.started.map_or(Duration::ZERO, |started| self.now - started);
        if run.healthy || running >= self.settings.warm_up {
            run.failures += 1;
            say!(self, Log WARN: "the command is not healthy ({} of {most}): {why}", run.failures);
        }
        if run.failures < most {
            return self.probe_later();
        }
        say!(self, Log ERROR: "the command is not healthy: leaves {}", self.settings.office);
        self.cut_short(format!("it is not healthy: {why}"));
        run.pause = self.wait_after(running);
        self.end(run, self.settings.grace);
    }

    /// Releases the office. No process of the command is left: now, and not before, another host may lead. Says it if
    /// the command lived on after its leadership, for longer than `--margin` could make up for.
    fn release(&mut self, late: Duration, run: &mut CommandRun) {
        if !late.is_zero() {
            let (office, term) = (&self.settings.office, run.term);
            let group =
                if self.no_cgroup.is_some() { ", without a control group still more" } else { "" };
            say!(self, News ERROR: "the command outlived its leadership of {office} in term {term} by {late:?}: another \
                one may have started. --margin is too short: killing takes longer the more processes there are, and the \
                busier the processors{group}");
        }
        run.stage = LeadStage::Releasing;
        self.alarms.clear();
        self.put(match run.orphaned && run.notifier_runs {
            true => LeaderOutput::ReleaseByNotifier,
            false => LeaderOutput::Release,
        });
    }

    /// Stands again after the pause of the tenure, unless this program is to end.
    fn left(&mut self, run: &CommandRun) {
        let office = &self.settings.office;
        say!(self, News INFO: "has left {office}");
        self.put(LeaderOutput::Warn(COMMAND, None));
        self.put(LeaderOutput::Warn(NOTIFIER, None));
        // One that was to be started may have run, if only for an instant.
        if self.quitting || self.ended.is_some() || (self.settings.once && run.begun) {
            // The guard may have noticed before the participant told.
            self.cut_short(format!("this host has lost {office} in term {}", run.term));
            return self.finish();
        }
        self.cut_short = None;
        self.alarms.extend(give_up(self.settings));
        if !self.guarded {
            self.replace_guard();
        }
        if run.pause.is_zero() {
            self.stand_anew();
        } else {
            say!(self, Log INFO: "stands for {office} again in {:?}", run.pause);
            self.ring_after(run.pause, LeaderAlarm::Stand);
        }
    }

    /// Ends without having led in the time that was given.
    fn give_up(&mut self) {
        let (office, wait) =
            (&self.settings.office, self.settings.longest_wait().unwrap_or_default());
        let why = match &self.not_won {
            _ if !self.fit => "this host is not ready (--ready)",
            _ if self.unguarded => "no guard for COMMAND can be started",
            Some(why) => why,
            None => {
                "another host leads, or no majority can vote (`tenure office show` says who leads)"
            }
        };
        let error = CommandError::not_led(format!("{office} was not won within {wait:?}: {why}"));
        self.put(LeaderOutput::Exit(Err(error)));
    }

    fn finish(&mut self) {
        self.put(LeaderOutput::Stopping);
        let result = match (self.ended, self.cut_short.take()) {
            (Some(code), _) => Ok(code),
            (None, Some(why)) if self.settings.once => {
                Err(CommandError::failed(format!("COMMAND did not run to its end: {why}")))
            }
            (None, _) => asked_to_end(self.settings),
        };
        self.put(LeaderOutput::Exit(result));
    }
}

/// The result of a program that is asked to end before it leads.
pub(super) fn asked_to_end(settings: &Args) -> Result<u8, CommandError> {
    if settings.once {
        return Err(CommandError::failed("COMMAND was not started: this program was asked to end"));
    }
    Ok(0)
}

/// When to stand no longer.
fn give_up(settings: &Args) -> Option<(LeaderAlarm, Duration)> {
    Some((LeaderAlarm::GiveUp, settings.longest_wait()?))
}

#[cfg(test)]
mod tests;
