//! The guard: a process between a member and its command, which ends the command in time.

pub(crate) mod guard_state;
pub(crate) mod lease;
pub(crate) mod tree;

use crate::cgroup::Cgroup;
use crate::complaint::complain;
use crate::priority::run_first;
use crate::privileges::{kills_others, unkillable};
use crate::runner::CommandRunner;
use crate::wire::{self, GuardEvent, GuardOrder, NoGroup};
use crate::{Boottime, Workload};
use guard_state::{Environment, GuardInput, GuardOutput, GuardState};
use lease::{LeaseFolder, PublishedLease};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, getppid, kill_process_group, pidfd_open};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::mem::take;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
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

/// Returns whether the process of a descriptor has ended.
fn has_ended(process: &OwnedFd) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&now)).is_ok_and(|ready| ready > 0)
}

/// The loop of a guard: tells [`GuardState`] what happens, and does what that decides.
struct GuardProcess {
    state: GuardState,
    exited: bool,
    control: OwnedFd,
    /// Readable when the keeper has ended.
    keeper: OwnedFd,
    timer: OwnedFd,
    /// Readable when a child has ended: also one that was adopted when its parent died.
    children: UnixStream,
    cgroup: Option<Cgroup>,
    /// What there is to kill.
    family: KnownDescendants,
    /// Descriptors that are closed when the tenure has ended, and not before; with the word that is
    /// written to them if the member is gone then.
    kept: Vec<(OwnedFd, Option<String>)>,
    /// The process that waits to become the command.
    prepared: Option<CommandRunner>,
    /// The process that has been told to become it.
    launched: Option<CommandRunner>,
    /// The place of the next lease.
    place: Option<LeaseFolder>,
    lease: Option<PublishedLease>,
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
        // If it fails, it is tried again in the tenure.
        let place = LeaseFolder::make(&workload.office).ok();
        let (prepared, outside) =
            CommandRunner::spawn(&workload.command, made.as_ref().ok(), workload.nice)?;
        let cgroup = outside.map_or(made, Err);
        let no_cgroup = cgroup.as_ref().err().map(|why| NoGroup {
            why: why.clone(),
            confined: !kills_others(),
            unkillable: workload.command.first().and_then(|program| unkillable(program)),
        });
        let guard = Self {
            state: GuardState::new(workload, prepared.pid),
            exited: false,
            control: io::stdin().as_fd().try_clone_to_owned()?,
            keeper: pidfd_open(getppid().unwrap_or(Pid::INIT), PidfdFlags::empty())?,
            timer: timerfd_create(TimerfdClockId::Boottime, TimerfdFlags::CLOEXEC)?,
            children,
            cgroup: cgroup.ok(),
            family: KnownDescendants::default(),
            kept: Vec::new(),
            prepared: Some(prepared),
            launched: None,
            place,
            lease: None,
        };
        let ready = GuardEvent::Ready { guard: std::process::id(), no_cgroup };
        let _ = wire::send(&guard.control, &ready, None);
        Ok(guard)
    }

    /// Runs the guard until the member is gone and none of its processes is left.
    fn watch(&mut self) -> io::Result<()> {
        loop {
            let reaped = tree::reap();
            let executed = self.launched.as_mut().and_then(CommandRunner::executed);
            self.tell(GuardInput::Seen { reaped, executed })?;
            if self.exited {
                return Ok(());
            }
            self.wait()?;
            self.listen()?;
        }
    }

    /// Tells what has happened, and then the answers to what has to be done.
    fn tell(&mut self, input: GuardInput) -> io::Result<()> {
        let mut inputs = VecDeque::from([input]);
        while let Some(input) = inputs.pop_front().filter(|_| !self.exited) {
            for output in self.state.step(Boottime::now(), input) {
                inputs.extend(self.carry_out(output)?);
            }
        }
        Ok(())
    }

    fn wait(&self) -> io::Result<()> {
        let never = Timespec { tv_sec: 0, tv_nsec: 0 };
        // Zero would disarm it.
        let soonest = Boottime::from_nanos(1);
        let value = self.state.next_alarm().map_or(never, |alarm| alarm.max(soonest).timespec());
        let setting = Itimerspec { it_interval: never, it_value: value };
        timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &setting)?;
        let flags = PollFlags::IN;
        let mut sources = vec![PollFd::new(&self.timer, flags), PollFd::new(&self.children, flags)];
        if self.state.member {
            sources.push(PollFd::new(&self.control, flags));
            sources.push(PollFd::new(&self.keeper, flags));
        }
        if let Some(lease) = &self.lease {
            sources.push(PollFd::new(lease.listener(), flags));
        }
        if let Some(socket) = self.launched.as_ref().and_then(|runner| runner.socket.as_ref()) {
            sources.push(PollFd::new(socket, flags));
        }
        match poll(&mut sources, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Handles what has arrived: orders, and questions about the lease.
    fn listen(&mut self) -> io::Result<()> {
        // Which children have ended is looked up in each round.
        while (&self.children).read(&mut [0; 64]).is_ok_and(|bytes| bytes > 0) {}
        if self.state.member && has_ended(&self.keeper) {
            self.tell(GuardInput::Abandoned)?;
        }
        while self.state.member {
            match wire::receive(&self.control, false) {
                Ok(Some((GuardOrder::Keep { word }, descriptor))) => {
                    self.kept.retain(|(_, other)| other.is_none() || *other != word);
                    self.kept.extend(descriptor.map(|kept| (kept, word)));
                }
                Ok(Some((order, _))) => self.tell(GuardInput::Order(order))?,
                Ok(None) => self.tell(GuardInput::Abandoned)?,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        if let Some(lease) = &self.lease {
            lease.answer();
        }
        Ok(())
    }

    /// Returns the answer, if there is one.
    fn carry_out(&mut self, output: GuardOutput) -> io::Result<Option<GuardInput>> {
        match output {
            // Errors are ignored: without the member the work goes on.
            GuardOutput::Report(report) => _ = wire::send(&self.control, &report, None),
            GuardOutput::Complain(text) => complain(&text),
            GuardOutput::Prepare => {
                if self.place.is_none() && self.lease.is_none() {
                    self.place = LeaseFolder::make(&self.state.workload.office).ok();
                }
                let runner = self.spawn(&self.state.workload.command);
                let pid = runner.as_ref().map(|runner| runner.pid).map_err(Clone::clone);
                self.prepared = runner.ok();
                return Ok(Some(GuardInput::Prepared(pid)));
            }
            GuardOutput::Launch(environment) => {
                self.launched = self.prepared.take();
                if let Some(runner) = &self.launched {
                    runner.go(&environment)?;
                }
            }
            GuardOutput::StartShell(line, environment) => {
                let shell = self.shell(line, &environment);
                return Ok(Some(GuardInput::ShellStarted(shell)));
            }
            GuardOutput::Publish(term, until) => {
                return Ok(Some(GuardInput::Published(self.publish(term, until))));
            }
            GuardOutput::Renew(until) => {
                let failure = self.lease.as_mut().and_then(|lease| lease.say(until));
                return Ok(failure.map(GuardInput::NotRenewed));
            }
            GuardOutput::EndLease(last) => {
                if let Some(lease) = &mut self.lease {
                    lease.end(last);
                }
            }
            GuardOutput::RemoveLease => self.lease = None,
            GuardOutput::LookForDescendants(limit) => {
                let own = rustix::process::getpid();
                let number = self.family.look(own, self.cgroup.as_ref(), limit);
                return Ok(Some(GuardInput::Found(number)));
            }
            GuardOutput::Freeze => self.family.stop(),
            GuardOutput::Signal(pid, signal) => _ = kill_process_group(pid, signal),
            GuardOutput::Exterminate => {
                let lived = tree::exterminate(self.cgroup.as_ref());
                (self.prepared, self.launched) = (None, None);
                return Ok(Some(GuardInput::Exterminated(lived)));
            }
            GuardOutput::ReleaseKept(words) => {
                for (kept, word) in take(&mut self.kept) {
                    if let Some(word) = word.filter(|_| words) {
                        let _ = File::from(kept).write_all(word.as_bytes());
                    }
                }
            }
            GuardOutput::Exit => self.exited = true,
        }
        Ok(None)
    }

    fn spawn(&self, command: &[OsString]) -> Result<CommandRunner, String> {
        CommandRunner::spawn(command, self.cgroup.as_ref(), self.state.workload.nice)
            .map(|(runner, _)| runner)
            .map_err(|error| error.to_string())
    }

    /// Starts a shell for a command line, and does not wait until it is executed: how it ends tells.
    fn shell(&self, line: String, environment: &Environment) -> Result<Pid, String> {
        let runner = self.spawn(&["/bin/sh".into(), "-c".into(), line.into()])?;
        runner.go(environment).map_err(|error| error.to_string())?;
        Ok(runner.pid)
    }

    fn publish(&mut self, term: u64, until: Boottime) -> Result<(Environment, bool), String> {
        let office = &self.state.workload.office;
        let place = self.place.take().map_or_else(|| LeaseFolder::make(office), Ok);
        let lease = place
            .and_then(|place| PublishedLease::begin(place, office, term, until))
            .map_err(|error| error.to_string())?;
        let told = (lease.variables(), lease.is_on_uptime());
        self.lease = Some(lease);
        Ok(told)
    }
}
