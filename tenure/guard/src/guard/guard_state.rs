//! What a guard decides: when to start a hook, the command or a probe, when to kill, and what to report.
//!
//! This is a state machine: [the loop](super::GuardProcess) tells it what has happened, and when, and carries out what
//! it answers. It reads no clock and does no I/O. The folder `scenarios` has its histories.
//!
//! # Why in this order
//! - *Begin*: the lease's file is written before the hook and the command start, since both may read it. Each
//!   step may take long, so the deadlines are looked at again after it: a tenure that is over by then starts
//!   nothing.
//! - *Each step*: deadlines come before progress. A command that ends at its deadline counts as stopped, and
//!   nothing new is started for a leadership that is over.
//! - *Close*: the descendants that are known are stopped first, and the process group is killed, since to find
//!   and kill all descendants takes a while, then the descendants. Only when all are dead does the lease's file say 0:
//!   that may take its time, and a command that reads 0 must not be able to act on it late. The hook `on-lose` follows.
//! - *End*: the word of the crash notifier is written before the report to the member, and both after
//!   everything is reaped: each of them lets another host lead. The files of the lease are removed after them,
//!   so that no successor waits for a disk, and the next tenure is prepared a moment later.

#![allow(missing_docs, reason = "public for simulations alone")]

use super::tree::Reaped;
use crate::deadlines::{Deadlines, DueAction};
use crate::wire::{Exit, GuardEvent, GuardOrder};
use crate::{Boottime, Workload};
use rustix::process::{Pid, Signal};
use std::collections::BTreeMap;
use std::mem::{replace, take};
use std::time::Duration;

/// How long after a tenure the next one is prepared: first the member releases the office, and often it ends
/// then.
const REST: Duration = Duration::from_millis(50);

/// How long after a failure to prepare the next tenure it is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// How long it may take to kill and reap one of many processes, where processors are busy.
const KILL: Duration = Duration::from_micros(200);

const OTHER_CLOCK: &str = "/proc/uptime shows another clock than CLOCK_BOOTTIME here, as in some containers, so that \
                           the first line of TENURE_LEASE says 0: ask by `tenure valid`";

/// Why a probe has failed.
const STOPS: &str = "the command is being stopped";

/// Variables for the command, a hook or a probe.
pub(crate) type Environment = BTreeMap<String, String>;

/// What has happened. The loop gives the answer to an output before it tells anything else.
pub enum GuardInput {
    Order(GuardOrder),
    /// The member or the keeper is gone.
    Abandoned,
    /// What is seen of the processes whenever the loop wakes, also for an alarm.
    Seen {
        reaped: Reaped,
        /// Whether the command has been executed, or why not; `None` if that is not known yet.
        executed: Option<Result<(), String>>,
    },
    Prepared(Result<Pid, String>),
    /// The lease's file is written: the variables that tell where, and whether `/proc/uptime` shows its clock.
    Published(Result<(Environment, bool), String>),
    /// The lease's file is not renewed.
    NotRenewed(String),
    ShellStarted(Result<Pid, String>),
    /// The number of descendants that were found.
    Found(usize),
    /// No descendant is left. The number says how many lived at the same time.
    Exterminated(usize),
}

/// What the loop has to do, in this order.
pub enum GuardOutput {
    Report(GuardEvent),
    /// Say it where no member can.
    Complain(String),
    /// Start a process that waits to become the command. Answered by `Prepared`.
    Prepare,
    /// Let that process execute the command.
    Launch(Environment),
    /// Start a shell for a command line, of a hook or a probe. Answered by `ShellStarted`.
    StartShell(String, Environment),
    /// Write the lease's file for a term, until when, and wait for it. Answered by `Published`.
    Publish(u64, Boottime),
    /// Let the file be renewed. Answered by `NotRenewed` if that is impossible.
    Renew(Boottime),
    /// Let the file say that the leadership is over, and wait for it until this instant.
    EndLease(Boottime),
    RemoveLease,
    /// Look for descendants, for this long. Answered by `Found`.
    LookForDescendants(Duration),
    /// Stop the descendants that were found.
    Freeze,
    /// Signal a process group.
    Signal(Pid, Signal),
    /// Kill and reap all descendants, however long it takes. Answered by `Exterminated`.
    Exterminate,
    /// Close the kept descriptors, perhaps after writing their words.
    ReleaseKept(bool),
    /// End the guard.
    Exit,
}

/// A process with a time limit. Without an ID it is being started.
#[derive(Clone, Copy, Default)]
struct LimitedProcess {
    pid: Option<Pid>,
    limit: Option<Boottime>,
    exit: Option<Exit>,
}

impl LimitedProcess {
    /// Returns whether it has ended, or has to, since `limit` has passed; with the reason if it has failed.
    fn result(&self, now: Boottime, limit: Duration) -> Option<Result<(), String>> {
        match self.exit {
            Some(exit) if exit.is_success() => Some(Ok(())),
            Some(exit) => Some(Err(format!("it ended with {exit}"))),
            None if self.limit? <= now => Some(Err(format!("it took more than {limit:?}"))),
            None => None,
        }
    }
}

#[derive(Default)]
enum TenureStage {
    /// The lease's file is being written.
    Publishing,
    /// The hook of a new tenure runs.
    Winning,
    /// The command runs.
    Running,
    /// No process runs: the command has ended by itself, or could not be started.
    #[default]
    Idle,
    /// The remaining processes have been asked to stop.
    Stopping,
    /// All processes are being killed and reaped.
    Clearing(Next),
    /// The hook of the tenure's end runs.
    Losing,
}

/// What follows when no process is left.
enum Next {
    Refuse(String),
    Exited(Exit),
    /// Whether a process may have outlived the leadership.
    Close(bool),
    /// Why the last hook has failed, if it has.
    End(Option<String>),
}

/// A tenure: the time in which an office is held.
#[derive(Default)]
struct GuardedTenure {
    term: u64,
    deadlines: Deadlines,
    stage: TenureStage,
    /// Whether the hook on-win has to succeed before the command starts.
    hook: bool,
    /// The process of this stage.
    process: LimitedProcess,
    /// The variables that tell where the lease is.
    lease: Option<Environment>,
    asked: bool,
    /// Whether a process had to be killed at the deadline.
    killed: bool,
    /// For how long processes outlived the leadership and the stop time.
    late: Duration,
    /// Whether a hook or the command has been started.
    begun: bool,
}

impl GuardedTenure {
    /// Returns whether the answer to an output is awaited.
    const fn awaits(&self) -> bool {
        use TenureStage::{Clearing, Losing, Publishing, Running, Winning};
        let starts = matches!(self.stage, Winning | Running | Losing) && self.process.pid.is_none();
        starts || matches!(self.stage, Publishing | Clearing(_))
    }

    /// Returns whether something may be started.
    fn is_valid(&self, now: Boottime) -> bool {
        matches!(self.deadlines.due(now), DueAction::Run(_))
    }

    fn enter(&mut self, stage: TenureStage) {
        (self.stage, self.process) = (stage, LimitedProcess::default());
    }
}

pub struct GuardState {
    pub workload: Workload,
    now: Boottime,
    outputs: Vec<GuardOutput>,
    /// Whether the member and the keeper are there.
    pub member: bool,
    /// The process that waits to become the command.
    prepared: Option<Pid>,
    /// When to prepare the next tenure.
    prepare_at: Option<Boottime>,
    /// Whether no descendant is left.
    childless: bool,
    /// Whether it has reported that `/proc/uptime` shows another clock than the one of the deadlines.
    clock_told: bool,
    tenure: Option<GuardedTenure>,
    /// A probe that runs, and whether it is the health probe.
    probe: Option<(LimitedProcess, bool)>,
}

impl GuardState {
    pub fn new(workload: Workload, prepared: Pid) -> Self {
        Self {
            workload,
            now: Boottime::default(),
            outputs: Vec::new(),
            member: true,
            prepared: Some(prepared),
            prepare_at: None,
            childless: false,
            clock_told: false,
            tenure: None,
            probe: None,
        }
    }

    /// Returns when to look at the deadlines next.
    pub fn next_alarm(&self) -> Option<Boottime> {
        let next = match &self.tenure {
            None => self.prepare_at,
            Some(GuardedTenure { stage: TenureStage::Losing, .. }) => None,
            Some(tenure) => match tenure.deadlines.due(self.now) {
                DueAction::Run(alarm) | DueAction::Terminate(alarm) => Some(alarm),
                DueAction::Kill => Some(self.now),
            },
        };
        let limit = self.tenure.as_ref().and_then(|tenure| tenure.process.limit);
        let probe = self.probe.and_then(|(probe, _)| probe.limit);
        next.into_iter().chain(limit).chain(probe).min()
    }

    /// Reacts to what has happened, at this instant.
    pub fn step(&mut self, now: Boottime, input: GuardInput) -> Vec<GuardOutput> {
        self.now = now;
        let mut executed = None;
        match input {
            GuardInput::Order(order) => self.obey(order),
            GuardInput::Abandoned => {
                self.member = false;
                self.obey(GuardOrder::End { grace: self.workload.stop });
            }
            GuardInput::Seen { reaped, executed: known } => {
                self.see(&reaped);
                executed = known;
            }
            GuardInput::Prepared(prepared) => self.prepared(prepared),
            GuardInput::Published(lease) => self.published(lease),
            GuardInput::NotRenewed(why) => self.report(GuardEvent::Failed { why }),
            GuardInput::ShellStarted(shell) => self.shell_started(shell),
            GuardInput::Found(number) => self.found(number),
            GuardInput::Exterminated(lived) => self.exterminated(lived),
        }
        self.advance(executed);
        take(&mut self.outputs)
    }

    fn put(&mut self, output: GuardOutput) {
        self.outputs.push(output);
    }

    fn report(&mut self, event: GuardEvent) {
        self.put(GuardOutput::Report(event));
    }

    fn enter(&mut self, stage: TenureStage) {
        if let Some(tenure) = &mut self.tenure {
            tenure.enter(stage);
        }
    }

    fn environment(&self) -> Environment {
        let mut all = BTreeMap::from([
            ("TENURE_OFFICE".to_owned(), self.workload.office.clone()),
            ("TENURE_MEMBER".to_owned(), self.workload.member.clone()),
        ]);
        if let Some(tenure) = &self.tenure {
            all.insert("TENURE_TERM".to_owned(), tenure.term.to_string());
            // Also if it is empty: the value of another leadership may be inherited.
            all.insert("TENURE_VALUE".to_owned(), self.workload.value.clone());
            all.extend(tenure.lease.clone().unwrap_or_default());
        }
        all
    }

    fn obey(&mut self, order: GuardOrder) {
        match order {
            GuardOrder::Begin { term, until, again } => self.begin(term, until, again),
            GuardOrder::Prolong { until } if self.tenure.is_some() => self.prolong(until),
            // The loop keeps the descriptor.
            GuardOrder::Prolong { .. } | GuardOrder::Keep { .. } => {}
            GuardOrder::End { grace } => {
                if let Some(tenure) = &mut self.tenure {
                    tenure.deadlines.end(self.now, grace);
                }
            }
            GuardOrder::Probe { health } => self.start_probe(health),
        }
    }

    /// Begins the tenure, or runs the command once more.
    fn begin(&mut self, term: u64, until: Boottime, again: bool) {
        let Workload { stop, margin, .. } = self.workload;
        let deadlines = Deadlines { until, stop, margin, ending: None };
        match &self.tenure {
            // The member ordered it before it heard that the tenure has ended. Then it releases the office.
            None if again => return,
            None => {
                let hook = self.workload.on_win.is_some();
                let tenure = GuardedTenure { term, deadlines, hook, ..GuardedTenure::default() };
                let tenure = self.tenure.insert(tenure);
                if tenure.is_valid(self.now) {
                    tenure.enter(TenureStage::Publishing);
                    return self.put(GuardOutput::Publish(term, until));
                }
                // It is over before it began.
            }
            Some(tenure) if matches!(tenure.stage, TenureStage::Idle) && tenure.term == term => {
                self.extend(until);
                self.start();
            }
            Some(_) => {}
        }
        self.report(GuardEvent::Knows { until });
    }

    fn published(&mut self, lease: Result<(Environment, bool), String>) {
        match &lease {
            Ok((_, false)) if !replace(&mut self.clock_told, true) => {
                self.report(GuardEvent::Failed { why: OTHER_CLOCK.to_owned() });
            }
            Ok(_) => {}
            Err(error) => {
                let why = format!("TENURE_LEASE is missing: the lease's file: {error}");
                self.report(GuardEvent::Failed { why });
            }
        }
        let Some(tenure) = &mut self.tenure else { return };
        (tenure.begun, tenure.lease) = (true, lease.ok().map(|(variables, _)| variables));
        let until = tenure.deadlines.until;
        tenure.enter(TenureStage::Idle);
        self.start();
        self.report(GuardEvent::Knows { until });
    }

    /// Starts the hook on-win until it has succeeded in this tenure, and the command from then on.
    fn start(&mut self) {
        let now = self.now;
        let Some(tenure) = &mut self.tenure else { return };
        match self.workload.on_win.clone().filter(|_| tenure.hook && tenure.is_valid(now)) {
            Some(line) => {
                tenure.enter(TenureStage::Winning);
                self.start_shell(line);
            }
            None => self.launch(),
        }
    }

    fn start_shell(&mut self, line: String) {
        self.put(GuardOutput::StartShell(line, self.environment()));
    }

    fn shell_started(&mut self, shell: Result<Pid, String>) {
        self.childless &= shell.is_err();
        let probe = self.probe.is_some_and(|(probe, _)| probe.pid.is_none());
        let limit = if probe { self.workload.probe_limit } else { self.workload.hook_limit };
        let limit = Some(self.now.after(limit));
        let stage = self.tenure.as_ref().map(|tenure| &tenure.stage);
        match (shell, stage) {
            (Ok(pid), _) => {
                let process = LimitedProcess { pid: Some(pid), limit, exit: None };
                match (&mut self.probe, &mut self.tenure) {
                    (Some((shell, _)), _) if probe => *shell = process,
                    (_, Some(tenure)) => tenure.process = process,
                    _ => {}
                }
            }
            (Err(why), _) if probe => {
                self.probed(Some(format!("no process can be started for it: {why}")));
            }
            (Err(why), Some(TenureStage::Winning)) => self.not_won(&why),
            (Err(why), _) => self.clear(Next::End(Some(why))),
        }
    }

    /// Reports that the command is not started, since the hook has failed.
    fn not_won(&mut self, why: &str) {
        self.report(GuardEvent::Hook { name: "on-win".to_owned(), why: why.to_owned() });
        self.clear(Next::Refuse(format!("the hook on-win: {why}")));
    }

    /// Lets the command run, unless it is too late.
    fn launch(&mut self) {
        let environment = self.environment();
        let Some(tenure) = &mut self.tenure else { return };
        tenure.enter(TenureStage::Idle);
        if tenure.is_valid(self.now) {
            tenure.enter(TenureStage::Running);
            tenure.process.pid = self.prepared.take();
            let ready = tenure.process.pid.is_some();
            self.put(if ready { GuardOutput::Launch(environment) } else { GuardOutput::Prepare });
        }
    }

    fn prepared(&mut self, prepared: Result<Pid, String>) {
        let launching = self.tenure.is_some();
        match prepared {
            Ok(pid) => {
                (self.prepared, self.childless) = (Some(pid), false);
                if launching {
                    self.launch();
                }
            }
            Err(why) if launching => {
                self.clear(Next::Refuse(format!("no process can be started: {why}")));
            }
            Err(why) => {
                self.prepare_at = Some(self.now.after(AGAIN));
                let failure = "no process can be started for the command, which is tried again";
                self.report(GuardEvent::Failed { why: format!("{failure}: {why}") });
            }
        }
    }

    fn prolong(&mut self, until: Boottime) {
        self.extend(until);
        self.report(GuardEvent::Knows { until });
        // A part of the time until the next deadline is to spare while a command runs.
        if let Some(tenure) = &self.tenure
            && let (TenureStage::Running, DueAction::Run(next)) =
                (&tenure.stage, tenure.deadlines.due(self.now))
        {
            self.put(GuardOutput::LookForDescendants(next.since(self.now) / 4));
        }
    }

    /// The more there is to kill, the earlier that begins.
    fn found(&mut self, number: usize) {
        let (Workload { margin, spare, .. }, number) = (&self.workload, u32::try_from(number));
        let more = KILL.saturating_mul(number.unwrap_or(u32::MAX)).min(*spare);
        if let Some(tenure) = &mut self.tenure {
            tenure.deadlines.margin = *margin + more;
        }
    }

    /// Extends the leadership. A tenure that has been ended stays so. (In the last hook the instant is reported all the
    /// same. That does no harm: nothing of the command is left, and the office is only held until the hook has ended.)
    fn extend(&mut self, until: Boottime) {
        if let Some(tenure) = &mut self.tenure
            && !matches!(tenure.stage, TenureStage::Losing)
        {
            tenure.deadlines.until = tenure.deadlines.until.max(until);
            let renewed = tenure.lease.is_some().then_some(tenure.deadlines.until);
            self.outputs.extend(renewed.map(GuardOutput::Renew));
        }
    }

    fn start_probe(&mut self, health: bool) {
        let line = if health { &self.workload.health } else { &self.workload.ready };
        let (None, Some(line)) = (&self.probe, line.clone()) else { return };
        self.probe = Some((LimitedProcess::default(), health));
        match &self.tenure {
            Some(it) if it.asked || !it.is_valid(self.now) => self.probed(Some(STOPS.to_owned())),
            _ => self.start_shell(line),
        }
    }

    /// Kills a probe, and what it has started.
    fn stop_probe(&mut self, failure: Option<String>) {
        if let Some((LimitedProcess { pid: Some(pid), .. }, _)) = self.probe {
            self.put(GuardOutput::Signal(pid, Signal::KILL));
            self.probed(failure);
        }
    }

    /// Reports that a probe has ended: by itself, stopped by the guard, or at its time limit.
    fn probed(&mut self, failure: Option<String>) {
        if let Some((_, health)) = self.probe.take() {
            self.report(GuardEvent::Probed { health, failure });
        }
    }

    /// Notes which processes have ended.
    fn see(&mut self, reaped: &Reaped) {
        self.childless = reaped.childless;
        for &(pid, exit) in &reaped.ended {
            if self.prepared == Some(pid) {
                (self.prepared, self.prepare_at) = (None, Some(self.now));
            }
            let probe = self.probe.as_mut().map(|(process, _)| process);
            let process = self.tenure.as_mut().map(|tenure| &mut tenure.process);
            for process in probe.into_iter().chain(process) {
                if process.pid == Some(pid) {
                    process.exit = Some(exit);
                }
            }
        }
    }

    /// Takes the actions that are due.
    fn advance(&mut self, executed: Option<Result<(), String>>) {
        match &self.tenure {
            Some(tenure) if tenure.awaits() => {}
            Some(_) => self.advance_tenure(executed),
            None if !self.member => {
                self.put(GuardOutput::Exterminate);
                self.probed(Some("it was killed with the command".to_owned()));
                self.put(GuardOutput::Exit);
            }
            None if self.prepare_at.is_some_and(|at| at <= self.now) => {
                self.prepare_at = None;
                self.put(GuardOutput::Prepare);
            }
            None => {}
        }
        let limit = self.workload.probe_limit;
        if let Some(result) = self.probe.and_then(|(probe, _)| probe.result(self.now, limit))
            && !self.tenure.as_ref().is_some_and(GuardedTenure::awaits)
        {
            self.stop_probe(result.err());
        }
    }

    fn advance_tenure(&mut self, executed: Option<Result<(), String>>) {
        let Some(tenure) = &mut self.tenure else { return };
        match tenure.deadlines.due(self.now) {
            _ if matches!(tenure.stage, TenureStage::Losing) => {}
            DueAction::Kill => {
                tenure.killed = match tenure.stage {
                    TenureStage::Winning | TenureStage::Running => tenure.process.exit.is_none(),
                    TenureStage::Stopping => !self.childless,
                    _ => false,
                };
                return self.close();
            }
            DueAction::Run(_) => {}
            DueAction::Terminate(_) => {
                let done = self.childless || matches!(tenure.stage, TenureStage::Idle);
                let asked = replace(&mut tenure.asked, true);
                // An extension does not resume a command that was asked to stop, and gives it no more time: a process
                // that ignores SIGTERM would live for as long as the leadership.
                let deadlines = &mut tenure.deadlines;
                deadlines.ending = deadlines.ending.or(Some(deadlines.last()));
                if let Some(pid) = tenure.process.pid.filter(|_| !asked) {
                    self.put(GuardOutput::Signal(pid, Signal::TERM));
                }
                if done {
                    return self.close();
                }
                // Neither is asked to stop: they would keep us waiting.
                if let Some(pid) = self.prepared.take() {
                    self.put(GuardOutput::Signal(pid, Signal::KILL));
                }
                self.stop_probe(Some(STOPS.to_owned()));
            }
        }
        self.follow(executed);
    }

    /// Handles progress or the end of the command or of a hook.
    fn follow(&mut self, executed: Option<Result<(), String>>) {
        let Some(tenure) = &mut self.tenure else { return };
        let (process, asked) = (tenure.process, tenure.asked);
        match tenure.stage {
            TenureStage::Winning => match process.result(self.now, self.workload.hook_limit) {
                None => {}
                // A hook that was asked to stop is not followed by the command.
                Some(_) if asked => tenure.enter(TenureStage::Stopping),
                Some(Ok(())) => {
                    tenure.hook = false;
                    self.launch();
                }
                Some(Err(why)) => self.not_won(&why),
            },
            TenureStage::Losing => {
                if let Some(result) = process.result(self.now, self.workload.hook_limit) {
                    self.clear(Next::End(result.err()));
                }
            }
            TenureStage::Running => {
                match (executed, process.pid) {
                    (Some(Ok(())), Some(pid)) => {
                        self.report(GuardEvent::Started { pid: pid.as_raw_nonzero().get() });
                    }
                    (Some(Err(why)), _) => return self.clear(Next::Refuse(why)),
                    _ => {}
                }
                match process.exit {
                    Some(_) if asked => self.enter(TenureStage::Stopping),
                    Some(exit) => self.clear(Next::Exited(exit)),
                    None => {}
                }
            }
            _ => {}
        }
    }

    /// Kills and reaps all processes.
    fn clear(&mut self, next: Next) {
        self.enter(TenureStage::Clearing(next));
        self.put(GuardOutput::Exterminate);
    }

    /// Closes the tenure: kills the remaining processes, and runs the last hook.
    fn close(&mut self) {
        let Some(tenure) = &self.tenure else { return };
        let ran = tenure.begun && !matches!(tenure.stage, TenureStage::Idle);
        let alive = tenure.process.pid.filter(|_| tenure.process.exit.is_none());
        // What is known can do nothing from now on. Then its process group, since finding all descendants takes a while.
        self.put(GuardOutput::Freeze);
        if let Some(pid) = alive {
            self.put(GuardOutput::Signal(pid, Signal::KILL));
        }
        self.clear(Next::Close(ran));
    }

    fn exterminated(&mut self, lived: usize) {
        // A probe is none of those that a command has left.
        let left = if self.probe.is_some() { 0 } else { lived };
        (self.prepared, self.childless) = (None, true);
        self.probed(Some("it was killed with the command".to_owned()));
        let stage = self.tenure.as_mut().map(|tenure| take(&mut tenure.stage));
        let Some(TenureStage::Clearing(next)) = stage else { return };
        match next {
            Next::Refuse(why) => self.report(GuardEvent::Refused { why }),
            Next::Exited(exit) => self.report(GuardEvent::Exited { exit, left }),
            Next::Close(ran) => self.closed(ran),
            Next::End(failure) => self.end(failure),
        }
    }

    fn closed(&mut self, ran: bool) {
        let Some(tenure) = &mut self.tenure else { return };
        let (Deadlines { until, stop, .. }, margin) = (tenure.deadlines, self.workload.margin);
        if ran {
            tenure.late = self.now.since(until.after(stop));
        }
        let (begun, leased) = (tenure.begun, tenure.lease.is_some());
        if !self.member && !tenure.late.is_zero() {
            // No other process is left to report it.
            let (office, term, late) = (&self.workload.office, tenure.term, tenure.late);
            let text = format!(
                "the command outlived its leadership of {office} in term {term} by {late:?}: another one may have \
                 started"
            );
            self.put(GuardOutput::Complain(text));
        }
        // Before the office is released, and not before the command is dead, since this may take its time. The
        // member waits for us until half of the margin is left.
        if leased {
            self.put(GuardOutput::EndLease(until.before(margin * 3 / 4)));
        }
        match self.workload.on_lose.clone().filter(|_| begun) {
            None => self.end(None),
            Some(line) => {
                self.report(GuardEvent::Reaped);
                self.enter(TenureStage::Losing);
                self.start_shell(line);
            }
        }
    }

    fn end(&mut self, failure: Option<String>) {
        if let Some(why) = failure {
            self.report(GuardEvent::Hook { name: "on-lose".to_owned(), why });
        }
        self.put(GuardOutput::ReleaseKept(!self.member));
        let ended = self.tenure.take();
        let (killed, late) = ended.map_or_else(Default::default, |it| (it.killed, it.late));
        self.report(GuardEvent::Ended { killed, late });
        // A successor waits for the report, and not for the lease's files to be removed.
        self.put(GuardOutput::RemoveLease);
        self.prepare_at = Some(self.now.after(REST));
    }
}

#[cfg(test)]
mod tests;
