//! The stages of a tenure in the guard: a hook, the command, its end, a hook.
//!
//! # Why in this order
//! - *Begin*: the lease's file is written before the hook and the command start, since both may read it. Each
//!   step may take long, so the deadlines are looked at again after it: a tenure that is over by then starts
//!   nothing.
//! - *Each round*: deadlines come before progress. A command that ends at its deadline counts as stopped, and
//!   nothing new is started for a leadership that is over.
//! - *Close*: the descendants that are known are stopped first, and the process group is killed, since to find
//!   and kill all descendants takes a while, then the descendants. Only when all are dead does the lease's file say 0: that may take its time, and a command
//!   that reads 0 must not be able to act on it late. The hook `on-lose` follows.
//! - *Over*: the word of the crash notifier is written before the report to the member, and both after
//!   everything is reaped: each of them lets another host lead. The files of the lease are removed after them,
//!   so that no successor waits for a disk, and the next tenure is prepared a moment later.

use super::lease::{LeaseFolder, PublishedLease};
use super::{GuardProcess, LimitedProcess};
use crate::Boottime;
use crate::complaint::complain;
use crate::deadlines::{Deadlines, DueAction};
use crate::wire::{self, Exit, GuardEvent, GuardReport};
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::time::Duration;

/// How long after a tenure the next one is prepared: first the member releases the office, and often it ends
/// then.
const REST: Duration = Duration::from_millis(50);

/// How long after a failure to prepare the next tenure it is tried again.
const AGAIN: Duration = Duration::from_secs(1);

#[derive(Default)]
enum TenureStage {
    /// The hook of a new tenure runs.
    Winning(LimitedProcess),
    /// The command runs.
    Running(LimitedProcess),
    /// No process runs: the command has ended by itself, or could not be started.
    #[default]
    Idle,
    /// The remaining processes have been asked to stop.
    Stopping,
    /// The hook of the tenure's end runs.
    Losing(LimitedProcess),
    Over,
}

/// A tenure: the time in which an office is held.
#[derive(Default)]
pub(super) struct GuardedTenure {
    term: u64,
    pub(super) deadlines: Deadlines,
    stage: TenureStage,
    lease: Option<PublishedLease>,
    /// How the process of this stage ended.
    exit: Option<Exit>,
    asked: bool,
    /// Whether a process had to be killed at the deadline.
    killed: bool,
    /// For how long processes outlived the leadership and the stop time.
    late: Duration,
    /// Whether a hook or the command has been started.
    begun: bool,
}

impl GuardedTenure {
    pub(super) const fn step(&self) -> Option<&LimitedProcess> {
        match &self.stage {
            TenureStage::Winning(step) | TenureStage::Running(step) | TenureStage::Losing(step) => {
                Some(step)
            }
            TenureStage::Idle | TenureStage::Stopping | TenureStage::Over => None,
        }
    }

    pub(super) const fn lease(&self) -> Option<&PublishedLease> {
        self.lease.as_ref()
    }

    pub(super) fn alarm(&self, now: Boottime) -> Option<Boottime> {
        match (&self.stage, self.deadlines.due(now)) {
            (TenureStage::Losing(_) | TenureStage::Over, _) => None,
            (_, DueAction::Run(alarm) | DueAction::Terminate(alarm)) => Some(alarm),
            (_, DueAction::Kill) => Some(now),
        }
    }

    /// Extends the leadership. Returns what has failed.
    pub(super) fn prolong(&mut self, until: Boottime) -> Option<String> {
        // A tenure that has been ended stays so.
        if matches!(self.stage, TenureStage::Losing(_) | TenureStage::Over) {
            return None;
        }
        self.deadlines.until = self.deadlines.until.max(until);
        self.lease.as_mut().and_then(|lease| lease.say(self.deadlines.until))
    }

    /// Returns for how long the guard may do something else: a part of the time until its next deadline; `None` where no
    /// command runs.
    pub(super) fn spare(&self, now: Boottime) -> Option<Duration> {
        let TenureStage::Running(_) = self.stage else { return None };
        match self.deadlines.due(now) {
            DueAction::Run(next) => Some(next.since(now) / 4),
            DueAction::Terminate(_) | DueAction::Kill => None,
        }
    }

    pub(super) fn ended(&mut self, pid: Pid, exit: Exit) {
        if self.step().is_some_and(|step| step.runner.pid == pid) {
            self.exit = Some(exit);
        }
    }

    /// Sends SIGTERM to the command, once.
    fn ask(&mut self) {
        if !std::mem::replace(&mut self.asked, true)
            && let Some(step) = self.step()
        {
            step.signal(Signal::TERM);
        }
    }
}

impl GuardProcess {
    pub(super) fn environment(&self) -> BTreeMap<String, String> {
        let mut all = BTreeMap::from([
            ("TENURE_OFFICE".to_owned(), self.workload.office.clone()),
            ("TENURE_MEMBER".to_owned(), self.workload.member.clone()),
        ]);
        if let Some(tenure) = &self.tenure {
            all.insert("TENURE_TERM".to_owned(), tenure.term.to_string());
            if let Some(lease) = &tenure.lease {
                let text = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
                all.insert("TENURE_LEASE".to_owned(), text(lease.file()));
                all.insert("TENURE_LEASE_SOCKET".to_owned(), text(lease.socket()));
            }
        }
        all
    }

    /// Begins the tenure, or runs the command once more.
    pub(super) fn begin(&mut self, term: u64, until: Boottime, hook: bool) -> io::Result<()> {
        if let Some(tenure) = &mut self.tenure {
            if matches!(tenure.stage, TenureStage::Idle) && tenure.term == term {
                let failure = tenure.prolong(until);
                self.failed(failure);
                return self.launch();
            }
            return Ok(());
        }
        let workload = &self.workload;
        let (stop, margin) = (workload.stop, workload.margin);
        let deadlines = Deadlines { until, stop, margin, ending: None };
        let due = deadlines.due(Boottime::now());
        self.tenure = Some(GuardedTenure { term, deadlines, ..GuardedTenure::default() });
        if !matches!(due, DueAction::Run(_)) {
            // Too late: it is over before it began.
            return Ok(());
        }
        let office = &self.workload.office;
        let place = self.place.take().map_or_else(|| LeaseFolder::make(office), Ok);
        let lease = place.and_then(|place| PublishedLease::begin(place, office, term, until));
        let failure = match &lease {
            Ok(lease) if lease.is_on_uptime() || self.clock_told => None,
            Ok(_) => {
                self.clock_told = true;
                Some("/proc/uptime shows another clock than CLOCK_BOOTTIME here, as in some containers, so that \
                      the first line of TENURE_LEASE says 0: ask by `tenure valid`".to_owned())
            }
            Err(error) => Some(format!("TENURE_LEASE is missing: the lease's file: {error}")),
        };
        if let Some(why) = failure {
            self.report(GuardEvent::Failed { why });
        }
        if let Some(tenure) = &mut self.tenure {
            tenure.begun = true;
            tenure.lease = lease.ok();
        }
        if !matches!(deadlines.due(Boottime::now()), DueAction::Run(_)) {
            // The file took too long.
            return Ok(());
        }
        match self.workload.on_win.clone().filter(|_| hook) {
            None => self.launch(),
            Some(line) => match self.hook(&line) {
                Ok(step) => {
                    self.enter(TenureStage::Winning(step));
                    Ok(())
                }
                Err(error) => self.not_won(&error.to_string()),
            },
        }
    }

    fn hook(&self, line: &str) -> io::Result<LimitedProcess> {
        let mut runner = self.shell(line)?;
        runner.let_go(&self.environment())?;
        let limit = Some(Boottime::now().after(self.workload.hook_limit));
        Ok(LimitedProcess { runner, limit })
    }

    /// Reports that the command is not started, since the hook has failed.
    fn not_won(&mut self, why: &str) -> io::Result<()> {
        self.report(GuardEvent::Hook { name: "on-win".to_owned(), why: why.to_owned() });
        self.clear();
        self.report(GuardEvent::Refused { why: format!("the hook on-win: {why}") });
        Ok(())
    }

    fn launch(&mut self) -> io::Result<()> {
        if self.prepared.is_none()
            && let Err(error) = self.prepare_command()
        {
            self.clear();
            self.report(GuardEvent::Refused { why: format!("no process can be started: {error}") });
            return Ok(());
        }
        if let Some(runner) = self.prepared.take() {
            runner.go(&self.environment())?;
            self.enter(TenureStage::Running(LimitedProcess { runner, limit: None }));
        }
        Ok(())
    }

    fn enter(&mut self, stage: TenureStage) {
        if let Some(tenure) = &mut self.tenure {
            tenure.exit = None;
            tenure.stage = stage;
        }
    }

    /// Takes the actions that are due in the tenure, if there is one.
    pub(super) fn advance(&mut self, now: Boottime, childless: bool) -> io::Result<()> {
        let Some(tenure) = &mut self.tenure else {
            if self.member && self.prepared.is_none() && now >= self.prepare_at {
                let failure = self.prepare().err();
                if failure.is_some() {
                    self.prepare_at = now.after(AGAIN);
                }
                self.failed(failure.map(|error| {
                    format!(
                        "no process can be started for the command, which is tried again: {error}"
                    )
                }));
            }
            return Ok(());
        };
        if let TenureStage::Losing(step) = &tenure.stage {
            let result = step.result(tenure.exit, now, self.workload.hook_limit);
            return result.map_or(Ok(()), |result| self.over(result.err()));
        }
        match tenure.deadlines.due(now) {
            DueAction::Kill => {
                tenure.killed = match tenure.stage {
                    TenureStage::Winning(_) | TenureStage::Running(_) => tenure.exit.is_none(),
                    TenureStage::Stopping => !childless,
                    TenureStage::Idle | TenureStage::Losing(_) | TenureStage::Over => false,
                };
                return self.close();
            }
            DueAction::Terminate(_) => {
                tenure.ask();
                let done = match tenure.stage {
                    TenureStage::Idle => true,
                    _ => childless,
                };
                if done {
                    return self.close();
                }
                // Neither is asked to stop: they would keep us waiting.
                if let Some(runner) = self.prepared.take() {
                    let _ = kill_process_group(runner.pid, Signal::KILL);
                }
                if self.probe.is_some() {
                    self.probed(Some("the command is being stopped".to_owned()));
                }
            }
            DueAction::Run(_) => {}
        }
        self.follow(now)
    }

    /// Handles progress or the end of the command or of the first hook.
    fn follow(&mut self, now: Boottime) -> io::Result<()> {
        let Some(tenure) = &mut self.tenure else { return Ok(()) };
        let (exit, asked) = (tenure.exit, tenure.asked);
        match &mut tenure.stage {
            TenureStage::Winning(step) => {
                let why = match step.result(exit, now, self.workload.hook_limit) {
                    None => return Ok(()),
                    // A hook that was asked to stop is not followed by the command.
                    Some(_) if asked => {
                        self.enter(TenureStage::Stopping);
                        return Ok(());
                    }
                    Some(Ok(())) => return self.launch(),
                    Some(Err(why)) => why,
                };
                return self.not_won(&why);
            }
            TenureStage::Running(step) => {
                let pid = step.runner.pid.as_raw_nonzero().get();
                match step.runner.executed() {
                    Some(Ok(())) => self.report(GuardEvent::Started { pid }),
                    Some(Err(why)) => {
                        self.clear();
                        self.report(GuardEvent::Refused { why });
                        return Ok(());
                    }
                    None => {}
                }
                match exit {
                    Some(_) if asked => self.enter(TenureStage::Stopping),
                    Some(exit) => {
                        let left = self.clear();
                        self.report(GuardEvent::Exited { exit, left });
                    }
                    None => {}
                }
            }
            TenureStage::Idle
            | TenureStage::Stopping
            | TenureStage::Losing(_)
            | TenureStage::Over => {}
        }
        Ok(())
    }

    /// Kills the processes that a command left behind when it ended by itself. Returns how many.
    fn clear(&mut self) -> usize {
        // A probe is none of them.
        let probes = self.probe.is_some();
        let left = self.exterminate();
        self.enter(TenureStage::Idle);
        if probes { 0 } else { left }
    }

    /// Closes the tenure: kills the remaining processes, and runs the last hook.
    fn close(&mut self) -> io::Result<()> {
        // What is known can do nothing from now on. Then its process group, since finding all descendants takes a while.
        self.family.stop();
        let running = self.tenure.as_ref().filter(|tenure| tenure.exit.is_none());
        if let Some(step) = running.and_then(GuardedTenure::step) {
            step.signal(Signal::KILL);
        }
        self.exterminate();
        let Some(tenure) = &mut self.tenure else { return Ok(()) };
        if tenure.begun && !matches!(tenure.stage, TenureStage::Idle) {
            let last = tenure.deadlines.until.after(tenure.deadlines.stop);
            tenure.late = Boottime::now().since(last);
            if !self.member && !tenure.late.is_zero() {
                // No other process is left to report it.
                let (office, term, late) = (&self.workload.office, tenure.term, tenure.late);
                complain(&format!(
                    "the command outlived its leadership of {office} in term {term} by {late:?}: another one may \
                     have started"
                ));
            }
        }
        // Before the office is released, and not before the command is dead, since this may take its time. The
        // member waits for us until half of the margin is left.
        let last = tenure.deadlines.until.before(tenure.deadlines.margin * 3 / 4);
        if let Some(lease) = &mut tenure.lease {
            lease.end(last);
        }
        let begun = tenure.begun;
        match self.workload.on_lose.clone().filter(|_| begun) {
            None => self.over(None),
            Some(line) => {
                let _ = wire::send(&self.control, &GuardReport::Reaped, None);
                match self.hook(&line) {
                    Ok(step) => self.enter(TenureStage::Losing(step)),
                    Err(error) => return self.over(Some(error.to_string())),
                }
                Ok(())
            }
        }
    }

    fn over(&mut self, failure: Option<String>) -> io::Result<()> {
        self.exterminate();
        if let Some(why) = failure {
            self.report(GuardEvent::Hook { name: "on-lose".to_owned(), why });
        }
        self.enter(TenureStage::Over);
        for (kept, word) in std::mem::take(&mut self.kept) {
            if let Some(word) = word.filter(|_| !self.member) {
                let _ = File::from(kept).write_all(word.as_bytes());
            }
        }
        let ended = self.tenure.take();
        let (killed, late) =
            ended.as_ref().map_or((false, Duration::ZERO), |tenure| (tenure.killed, tenure.late));
        self.report(GuardEvent::Ended { killed, late });
        // A successor waits for the report, and not for the lease's files to be removed.
        drop(ended);
        self.prepare_at = Boottime::now().after(REST);
        Ok(())
    }
}
