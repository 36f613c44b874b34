//! The stages of a tenure in the guard: a hook, the command, its end, a hook.

use super::lease::{Lease, Place};
use super::{Guard, Step};
use crate::Boottime;
use crate::deadlines::{Deadlines, Due};
use crate::wire::{Exit, Report};
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::time::Duration;

/// How long after a tenure the next one is prepared: first the member releases the office, and often it ends
/// then.
const REST: Duration = Duration::from_millis(50);

/// The stage of a tenure.
enum Stage {
    /// The hook of a new tenure runs.
    Winning(Step),
    /// The command runs.
    Running(Step),
    /// No process runs: the command has ended by itself, or could not be started.
    Idle,
    /// The remaining processes have been asked to stop.
    Stopping,
    /// The hook of the tenure's end runs.
    Losing(Step),
    /// The tenure is over.
    Over,
}

/// A tenure: the time in which an office is held.
pub(super) struct Tenure {
    term: u64,
    pub(super) deadlines: Deadlines,
    stage: Stage,
    lease: Option<Lease>,
    /// How the process of this stage ended.
    exit: Option<Exit>,
    /// Whether SIGTERM has been sent.
    asked: bool,
    /// Whether a process had to be killed at the deadline.
    killed: bool,
    /// For how long processes outlived the leadership and the stop time.
    late: Duration,
    /// Whether a hook or the command has been started.
    begun: bool,
}

impl Tenure {
    pub(super) const fn step(&self) -> Option<&Step> {
        match &self.stage {
            Stage::Winning(step) | Stage::Running(step) | Stage::Losing(step) => Some(step),
            Stage::Idle | Stage::Stopping | Stage::Over => None,
        }
    }

    pub(super) const fn lease(&self) -> Option<&Lease> {
        self.lease.as_ref()
    }

    pub(super) fn alarm(&self, now: Boottime) -> Option<Boottime> {
        match (&self.stage, self.deadlines.due(now)) {
            (Stage::Losing(_) | Stage::Over, _) => None,
            (_, Due::Run(alarm) | Due::Terminate(alarm)) => Some(alarm),
            (_, Due::Kill) => Some(now),
        }
    }

    pub(super) fn prolong(&mut self, until: Boottime) {
        // A tenure that has been ended stays so.
        if matches!(self.stage, Stage::Losing(_) | Stage::Over) {
            return;
        }
        self.deadlines.until = self.deadlines.until.max(until);
        if let Some(lease) = &mut self.lease {
            lease.say(self.deadlines.until);
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

impl Guard {
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
            if matches!(tenure.stage, Stage::Idle) && tenure.term == term {
                tenure.prolong(until);
                return self.launch();
            }
            return Ok(());
        }
        let workload = &self.workload;
        let (stop, margin) = (workload.stop, workload.margin);
        let deadlines = Deadlines { until, stop, margin, ending: None };
        let due = deadlines.due(Boottime::now());
        self.tenure = Some(Tenure {
            term,
            deadlines,
            stage: Stage::Idle,
            lease: None,
            exit: None,
            asked: false,
            killed: false,
            late: Duration::ZERO,
            begun: false,
        });
        if !matches!(due, Due::Run(_)) {
            // Too late: it is over before it began.
            return Ok(());
        }
        let office = &self.workload.office;
        let place = self.place.take().map_or_else(|| Place::make(office), Ok);
        let lease = place.and_then(|place| Lease::begin(place, office, term, until));
        if let Some(tenure) = &mut self.tenure {
            tenure.begun = true;
            match lease {
                Ok(lease) => tenure.lease = Some(lease),
                Err(error) => {
                    let why = format!("cannot say how long the leadership is valid: {error}");
                    self.report(&Report::Hook { name: "the lease's file".to_owned(), why });
                }
            }
        }
        if !matches!(deadlines.due(Boottime::now()), Due::Run(_)) {
            // The file took too long.
            return Ok(());
        }
        match self.workload.on_win.clone().filter(|_| hook) {
            None => self.launch(),
            Some(line) => {
                let step = self.hook(&line)?;
                self.enter(Stage::Winning(step));
                Ok(())
            }
        }
    }

    /// Starts a hook.
    fn hook(&self, line: &str) -> io::Result<Step> {
        let mut runner = self.shell(line)?;
        runner.let_go(&self.environment())?;
        let limit = Some(Boottime::now().after(self.workload.hook_limit));
        Ok(Step { runner, limit })
    }

    /// Starts the command.
    fn launch(&mut self) -> io::Result<()> {
        if self.prepared.is_none() {
            self.prepare_command()?;
        }
        if let Some(runner) = self.prepared.take() {
            runner.go(&self.environment())?;
            self.enter(Stage::Running(Step { runner, limit: None }));
        }
        Ok(())
    }

    fn enter(&mut self, stage: Stage) {
        if let Some(tenure) = &mut self.tenure {
            tenure.exit = None;
            tenure.stage = stage;
        }
    }

    /// Takes the actions that are due in the tenure, if there is one.
    pub(super) fn advance(&mut self, now: Boottime, childless: bool) -> io::Result<()> {
        let Some(tenure) = &mut self.tenure else {
            if self.member && self.prepared.is_none() && now >= self.prepare_at {
                self.prepare()?;
            }
            return Ok(());
        };
        if let Stage::Losing(step) = &tenure.stage {
            let failure = match tenure.exit {
                Some(exit) if exit.is_success() => None,
                Some(exit) => Some(format!("it ended with {exit}")),
                None if step.is_late(now) => {
                    Some(format!("it took more than {:?}", self.workload.hook_limit))
                }
                None => return Ok(()),
            };
            return self.over(failure);
        }
        match tenure.deadlines.due(now) {
            Due::Kill => {
                tenure.killed = match tenure.stage {
                    Stage::Winning(_) | Stage::Running(_) => tenure.exit.is_none(),
                    Stage::Stopping => !childless,
                    Stage::Idle | Stage::Losing(_) | Stage::Over => false,
                };
                return self.close();
            }
            Due::Terminate(_) => {
                tenure.ask();
                let done = match tenure.stage {
                    Stage::Idle => true,
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
            Due::Run(_) => {}
        }
        self.follow(now)
    }

    /// Handles progress or the end of the command or of the first hook.
    fn follow(&mut self, now: Boottime) -> io::Result<()> {
        let Some(tenure) = &mut self.tenure else { return Ok(()) };
        let (exit, asked) = (tenure.exit, tenure.asked);
        match &mut tenure.stage {
            Stage::Winning(step) => {
                let why = match exit {
                    // A hook that was asked to stop is not followed by the command.
                    Some(exit) if exit.is_success() && !asked => return self.launch(),
                    Some(exit) => format!("it ended with {exit}"),
                    None if step.is_late(now) => {
                        format!("it took more than {:?}", self.workload.hook_limit)
                    }
                    None => return Ok(()),
                };
                if asked {
                    self.enter(Stage::Stopping);
                    return Ok(());
                }
                self.report(&Report::Hook { name: "on-win".to_owned(), why: why.clone() });
                self.clear();
                self.report(&Report::Refused { why: format!("the hook on-win: {why}") });
            }
            Stage::Running(step) => {
                let pid = step.runner.pid.as_raw_nonzero().get();
                match step.runner.executed() {
                    Some(Ok(())) => self.report(&Report::Started { pid }),
                    Some(Err(why)) => {
                        self.clear();
                        self.report(&Report::Refused { why });
                        return Ok(());
                    }
                    None => {}
                }
                match exit {
                    Some(_) if asked => self.enter(Stage::Stopping),
                    Some(exit) => {
                        self.clear();
                        self.report(&Report::Exited { exit });
                    }
                    None => {}
                }
            }
            Stage::Idle | Stage::Stopping | Stage::Losing(_) | Stage::Over => {}
        }
        Ok(())
    }

    /// Kills the processes that a command left behind when it ended by itself.
    fn clear(&mut self) {
        self.exterminate();
        self.enter(Stage::Idle);
    }

    /// Closes the tenure: kills the remaining processes, and runs the last hook.
    fn close(&mut self) -> io::Result<()> {
        // Its process group first, since finding all descendants takes a while.
        let running = self.tenure.as_ref().filter(|tenure| tenure.exit.is_none());
        if let Some(step) = running.and_then(Tenure::step) {
            step.signal(Signal::KILL);
        }
        self.exterminate();
        let Some(tenure) = &mut self.tenure else { return Ok(()) };
        if tenure.begun && !matches!(tenure.stage, Stage::Idle) {
            let last = tenure.deadlines.until.after(tenure.deadlines.stop);
            tenure.late = Boottime::now().since(last);
            if !self.member && !tenure.late.is_zero() {
                // No other process is left to report it.
                let (office, term, late) = (&self.workload.office, tenure.term, tenure.late);
                let _ = writeln!(
                    io::stderr(),
                    "tenure: the command outlived its leadership of {office} in term {term} by \
                     {late:?}: another one may have started"
                );
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
                self.report(&Report::Reaped);
                let step = self.hook(&line)?;
                self.enter(Stage::Losing(step));
                Ok(())
            }
        }
    }

    /// Ends the tenure and reports it.
    fn over(&mut self, failure: Option<String>) -> io::Result<()> {
        self.exterminate();
        if let Some(why) = failure {
            self.report(&Report::Hook { name: "on-lose".to_owned(), why });
        }
        self.enter(Stage::Over);
        for (kept, word) in std::mem::take(&mut self.kept) {
            if let Some(word) = word.filter(|_| !self.member) {
                let _ = File::from(kept).write_all(word.as_bytes());
            }
        }
        let ended = self.tenure.take();
        let (killed, late) =
            ended.as_ref().map_or((false, Duration::ZERO), |tenure| (tenure.killed, tenure.late));
        self.report(&Report::Ended { killed, late });
        // A successor waits for the report, and not for the lease's files to be removed.
        drop(ended);
        self.prepare_at = Boottime::now().after(REST);
        Ok(())
    }
}
