//! The guard: a process between a member and its command, which ends the command in time.

pub(crate) mod lease;
mod tenure;
pub(crate) mod tree;

use crate::cgroup::Cgroup;
use crate::complaint::complain;
use crate::priority::run_first;
use crate::privileges::{kills_others, unkillable};
use crate::runner::CommandRunner;
use crate::wire::{self, Exit, GuardEvent, GuardOrder, GuardReport, NoGroup};
use crate::{Boottime, Workload};
use lease::LeaseFolder;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, getppid, kill_process_group, pidfd_open};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tenure::GuardedTenure;
use tree::KnownDescendants;

/// The `main` of a guard: `__guard NONCE SETTINGS COMMAND ..`, with the member at the other end of the
/// standard input.
pub(crate) fn main(arguments: Vec<OsString>) -> ExitCode {
    let [nonce, settings, command @ ..] = arguments.as_slice() else { return ExitCode::from(2) };
    let nonce = nonce.to_str().and_then(|text| text.parse().ok());
    let settings = settings.to_str().and_then(|text| serde_json::from_str::<Workload>(text).ok());
    let (Some(nonce), Some(mut workload)) = (nonce, settings) else { return ExitCode::from(2) };
    workload.command = command.to_vec();
    match GuardProcess::new(workload, nonce).and_then(|mut guard| guard.watch()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("the guard of the command: {error}"));
            // The command, if it runs, dies with this process; the member does the rest.
            ExitCode::from(1)
        }
    }
}

/// Has no effect of the signals that are sent to all processes of a unit, or of a name: the member decides what
/// happens.
pub(crate) fn ignore_requests_to_end() -> io::Result<()> {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT] {
        signal_hook::flag::register(signal.as_raw(), Arc::new(AtomicBool::new(false)))?;
    }
    Ok(())
}

/// A process that was started, and its deadline.
struct LimitedProcess {
    runner: CommandRunner,
    limit: Option<Boottime>,
}

impl LimitedProcess {
    fn signal(&self, signal: Signal) {
        let _ = kill_process_group(self.runner.pid, signal);
    }

    fn is_late(&self, now: Boottime) -> bool {
        self.limit.is_some_and(|limit| limit <= now)
    }

    /// Returns whether it has ended, or has to, since `limit` has passed; with the reason if it has failed.
    fn result(
        &self,
        exit: Option<Exit>,
        now: Boottime,
        limit: Duration,
    ) -> Option<Result<(), String>> {
        match exit {
            Some(exit) if exit.is_success() => Some(Ok(())),
            Some(exit) => Some(Err(format!("it ended with {exit}"))),
            None => self.is_late(now).then(|| Err(format!("it took more than {limit:?}"))),
        }
    }
}

/// Returns whether the process of a descriptor has ended.
fn has_ended(process: &OwnedFd) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&now)).is_ok_and(|ready| ready > 0)
}

struct GuardProcess {
    workload: Workload,
    control: OwnedFd,
    /// Readable when the keeper has ended.
    keeper: OwnedFd,
    /// Whether the member and the keeper are there.
    member: bool,
    timer: OwnedFd,
    /// Readable when a child has ended: also one that was adopted when its parent died.
    children: UnixStream,
    cgroup: Option<Cgroup>,
    /// What there is to kill, where there is no control group.
    family: KnownDescendants,
    /// Descriptors that are closed when the tenure has ended, and not before; with the word that is
    /// written to them if the member is gone then.
    kept: Vec<(OwnedFd, Option<String>)>,
    prepared: Option<CommandRunner>,
    /// Whether it has reported that `/proc/uptime` shows another clock than the one of the deadlines.
    clock_told: bool,
    /// The place of the next lease.
    place: Option<LeaseFolder>,
    /// When to prepare the next tenure, if it is not prepared.
    prepare_at: Boottime,
    tenure: Option<GuardedTenure>,
    /// A probe that runs, and whether it is the health probe.
    probe: Option<(LimitedProcess, bool)>,
}

impl GuardProcess {
    fn new(workload: Workload, nonce: u64) -> io::Result<Self> {
        ignore_requests_to_end()?;
        let (children, ended) = UnixStream::pair()?;
        children.set_nonblocking(true)?;
        signal_hook::low_level::pipe::register(Signal::CHILD.as_raw(), ended)?;
        run_first();
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        for group in Cgroup::left_behind(&workload.office) {
            group.clear();
        }
        lease::remove_left_behind(&workload.office);
        let made = match workload.cgroup {
            true => Cgroup::make(&workload.office, std::process::id(), nonce)
                .map_err(|error| error.to_string()),
            false => Err("it is not wanted".to_owned()),
        };
        let mut no_cgroup = made.as_ref().err().cloned();
        let mut guard = Self {
            workload,
            control: io::stdin().as_fd().try_clone_to_owned()?,
            keeper: pidfd_open(getppid().unwrap_or(Pid::INIT), PidfdFlags::empty())?,
            member: true,
            timer: timerfd_create(TimerfdClockId::Boottime, TimerfdFlags::CLOEXEC)?,
            children,
            cgroup: made.ok(),
            family: KnownDescendants::default(),
            kept: Vec::new(),
            prepared: None,
            clock_told: false,
            place: None,
            prepare_at: Boottime::default(),
            tenure: None,
            probe: None,
        };
        if let Some(why) = guard.prepare()? {
            guard.cgroup = None;
            no_cgroup = Some(why);
        }
        let no_cgroup = no_cgroup.map(|why| NoGroup {
            why,
            confined: !kills_others(),
            unkillable: guard.workload.command.first().and_then(|program| unkillable(program)),
        });
        guard.report(GuardEvent::Ready { guard: std::process::id(), no_cgroup });
        Ok(guard)
    }

    /// Prepares the next tenure, so that little is left to do when it is won. Returns the reason if the process
    /// that will become the command is in no control group.
    fn prepare(&mut self) -> io::Result<Option<String>> {
        if self.place.is_none() {
            // If it fails, it is tried again in the tenure.
            self.place = LeaseFolder::make(&self.workload.office).ok();
        }
        self.prepare_command()
    }

    fn prepare_command(&mut self) -> io::Result<Option<String>> {
        let (runner, why) = self.spawn(&self.workload.command)?;
        self.prepared = Some(runner);
        Ok(why)
    }

    /// Prepares a process for a shell's command line.
    fn shell(&self, line: &str) -> io::Result<CommandRunner> {
        let command = ["/bin/sh".into(), "-c".into(), OsString::from(line)];
        Ok(self.spawn(&command)?.0)
    }

    fn spawn(&self, command: &[OsString]) -> io::Result<(CommandRunner, Option<String>)> {
        CommandRunner::spawn(command, self.cgroup.as_ref(), self.workload.nice)
    }

    /// Reports an event to the member. Errors are ignored: without the member the work goes on.
    fn report(&self, event: GuardEvent) {
        let _ = wire::send(&self.control, &GuardReport::Event(event), None);
    }

    /// Reports what has failed, if anything has.
    fn failed(&self, why: Option<String>) {
        if let Some(why) = why {
            self.report(GuardEvent::Failed { why });
        }
    }

    /// Runs the guard until the member is gone and none of its processes is left.
    fn watch(&mut self) -> io::Result<()> {
        loop {
            self.step()?;
            if !self.member && self.tenure.is_none() {
                self.exterminate();
                return Ok(());
            }
            self.wait()?;
            self.listen()?;
        }
    }

    fn wait(&self) -> io::Result<()> {
        let now = Boottime::now();
        let tenure = self.tenure.as_ref();
        let probe = self.probe.as_ref().map(|(step, _)| step);
        let steps = || tenure.and_then(GuardedTenure::step).into_iter().chain(probe);
        let limits = steps().filter_map(|step| step.limit);
        let next = match tenure {
            Some(tenure) => tenure.alarm(now),
            None => self.prepared.is_none().then_some(self.prepare_at),
        };
        let alarm = next.into_iter().chain(limits).min();
        let value = alarm.map_or(Timespec { tv_sec: 0, tv_nsec: 0 }, |alarm| {
            // Zero would disarm it.
            alarm.max(Boottime::from_nanos(1)).timespec()
        });
        let never = Timespec { tv_sec: 0, tv_nsec: 0 };
        let setting = Itimerspec { it_interval: never, it_value: value };
        timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &setting)?;
        let flags = PollFlags::IN;
        let mut sources = vec![PollFd::new(&self.timer, flags), PollFd::new(&self.children, flags)];
        if self.member {
            sources.push(PollFd::new(&self.control, flags));
            sources.push(PollFd::new(&self.keeper, flags));
        }
        if let Some(lease) = tenure.and_then(GuardedTenure::lease) {
            sources.push(PollFd::new(lease.listener(), flags));
        }
        for socket in steps().filter_map(|step| step.runner.socket.as_ref()) {
            sources.push(PollFd::new(socket, flags));
        }
        match poll(&mut sources, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Handles what has arrived: orders, questions about the lease, ends of processes.
    fn listen(&mut self) -> io::Result<()> {
        // Which children have ended is looked up in each step.
        while (&self.children).read(&mut [0; 64]).is_ok_and(|bytes| bytes > 0) {}
        if self.member && has_ended(&self.keeper) {
            self.abandoned();
        }
        while self.member {
            match wire::receive(&self.control, false) {
                Ok(Some((order, descriptor))) => self.obey(order, descriptor)?,
                Ok(None) => self.abandoned(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        if let Some(lease) = self.tenure.as_ref().and_then(GuardedTenure::lease) {
            lease.answer();
        }
        Ok(())
    }

    /// Ends the tenure, since the member or the keeper is gone.
    fn abandoned(&mut self) {
        self.member = false;
        let stop = self.workload.stop;
        if let Some(tenure) = &mut self.tenure {
            tenure.deadlines.end(Boottime::now(), stop);
        }
    }

    fn obey(&mut self, order: GuardOrder, descriptor: Option<OwnedFd>) -> io::Result<()> {
        match order {
            GuardOrder::Keep { word } => {
                self.kept.retain(|(_, other)| other.is_none() || *other != word);
                self.kept.extend(descriptor.map(|kept| (kept, word)));
            }
            GuardOrder::Begin { term, until, hook } => {
                self.begin(term, until, hook)?;
                self.report(GuardEvent::Knows { until });
            }
            GuardOrder::Prolong { until } => {
                if let Some(tenure) = &mut self.tenure {
                    let failure = tenure.prolong(until);
                    let spare = tenure.spare(Boottime::now());
                    self.report(GuardEvent::Knows { until });
                    self.failed(failure);
                    if let Some(spare) = spare.filter(|_| self.cgroup.is_none()) {
                        self.family.look(rustix::process::getpid(), spare);
                    }
                }
            }
            GuardOrder::End { grace } => {
                if let Some(tenure) = &mut self.tenure {
                    tenure.deadlines.end(Boottime::now(), grace);
                }
            }
            GuardOrder::Probe { health } => self.start_probe(health)?,
        }
        Ok(())
    }

    fn start_probe(&mut self, health: bool) -> io::Result<()> {
        let line = if health { &self.workload.health } else { &self.workload.ready };
        let (None, Some(line)) = (&self.probe, line) else { return Ok(()) };
        let mut runner = match self.shell(line) {
            Ok(runner) => runner,
            Err(error) => {
                let failure = Some(format!("no process can be started for it: {error}"));
                self.report(GuardEvent::Probed { health, failure });
                return Ok(());
            }
        };
        runner.let_go(&self.environment())?;
        let limit = Some(Boottime::now().after(self.workload.probe_limit));
        self.probe = Some((LimitedProcess { runner, limit }, health));
        Ok(())
    }

    /// Reports that a probe has ended: by itself, stopped by the guard, or at its time limit.
    fn probed(&mut self, failure: Option<String>) {
        if let Some((step, health)) = self.probe.take() {
            step.signal(Signal::KILL);
            self.report(GuardEvent::Probed { health, failure });
        }
    }

    fn step(&mut self) -> io::Result<()> {
        let now = Boottime::now();
        let reaped = tree::reap();
        for &(pid, exit) in &reaped.ended {
            self.ended(pid, exit);
        }
        if self.probe.as_ref().is_some_and(|(step, _)| step.is_late(now)) {
            let limit = self.workload.probe_limit;
            self.probed(Some(format!("it took more than {limit:?}")));
        }
        self.advance(now, reaped.childless)
    }

    fn ended(&mut self, pid: Pid, exit: Exit) {
        if self.probe.as_ref().is_some_and(|(step, _)| step.runner.pid == pid) {
            self.probed((!exit.is_success()).then(|| format!("it ended with {exit}")));
        } else if self.prepared.as_ref().is_some_and(|runner| runner.pid == pid) {
            self.prepared = None;
        } else if let Some(tenure) = &mut self.tenure {
            tenure.ended(pid, exit);
        }
    }

    /// Kills and reaps all descendants. Returns how many lived.
    fn exterminate(&mut self) -> usize {
        let lived = tree::exterminate(self.cgroup.as_ref());
        self.prepared = None;
        self.probed(Some("it was killed with the command".to_owned()));
        lived
    }
}
