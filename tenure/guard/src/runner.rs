//! The process that becomes a command: it prepares itself, waits for the go-ahead, and executes it.
//!
//! What other programs do between `fork` and `execve` is done here after a first `execve`. This
//! needs no `unsafe`, and all of it but the second `execve` happens before the office is won.

use crate::cgroup::Cgroup;
use crate::priority::lower;
use crate::privileges::{confine, kills_others};
use crate::{RUN, wire};
use rustix::process::{Pid, Signal, getppid};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// Variables of the service manager that the command must not inherit.
const OURS: [&str; 3] = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"];

/// A process that waits for the go-ahead, or has become its command.
pub(crate) struct CommandRunner {
    pub(crate) pid: Pid,
    /// Closed by the other end when the command has been executed.
    pub(crate) socket: Option<OwnedFd>,
}

impl CommandRunner {
    /// Executes this program again, in a process group of its own. Returns when it waits for the
    /// go-ahead; with the reason, if it could not join the control group.
    pub(crate) fn spawn(
        command: &[OsString],
        cgroup: Option<&Cgroup>,
        nice: i32,
    ) -> io::Result<(Self, Option<String>)> {
        let (ours, theirs) = wire::pair()?;
        let child = Command::new("/proc/self/exe")
            .arg(RUN)
            .arg(std::process::id().to_string())
            .arg(cgroup.map(Cgroup::members).unwrap_or_default())
            .arg(nice.to_string())
            .args(command)
            .stdin(Stdio::from(theirs))
            .process_group(0)
            .spawn()?;
        let pid = Pid::from_child(&child);
        let Some((no_cgroup, _)) = wire::receive(&ours, true)? else {
            return Err(io::Error::other("a process ended before it had prepared itself"));
        };
        Ok((Self { pid, socket: Some(ours) }, no_cgroup))
    }

    /// Gives the go-ahead. Without the socket the process goes on, and how it ends tells whether it was executed.
    pub(crate) fn go(&self, environment: &BTreeMap<String, String>) -> io::Result<()> {
        self.socket.as_ref().map_or(Ok(()), |socket| wire::send(socket, environment, None))
    }

    /// Returns whether the command has been executed: `Err` with the reason if it could not be,
    /// `None` if that is not known yet.
    pub(crate) fn executed(&mut self) -> Option<Result<(), String>> {
        match wire::receive::<String>(self.socket.as_ref()?, false) {
            Ok(Some((why, _))) => {
                self.socket = None;
                Some(Err(why))
            }
            Ok(None) => {
                self.socket = None;
                Some(Ok(()))
            }
            Err(_) => None,
        }
    }
}

/// The `main` of such a process: `__run GUARD CGROUP NICE COMMAND ..`.
pub(crate) fn main(arguments: Vec<OsString>) -> ExitCode {
    let [guard, cgroup, nice, program, rest @ ..] = arguments.as_slice() else {
        return ExitCode::from(2);
    };
    // From here on the kernel kills this process, also after `execve`, when the guard is gone.
    if rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).is_err()
        || getppid().map(|pid| pid.as_raw_nonzero().to_string()) != guard.to_str().map(Into::into)
    {
        return ExitCode::from(1);
    }
    let joined = if cgroup.is_empty() {
        None
    } else {
        std::fs::write(Path::new(cgroup), "0").err().map(|error| error.to_string())
    };
    // Without the group it could not be killed as another user.
    let grouped = !cgroup.is_empty() && joined.is_none();
    if !grouped && !kills_others() && confine().is_err() {
        return ExitCode::from(1);
    }
    // The standard input is replaced by `exec`, also when that fails.
    let Ok(socket) = io::stdin().as_fd().try_clone_to_owned() else { return ExitCode::from(1) };
    if wire::send(&socket, &joined, None).is_err() {
        return ExitCode::from(1);
    }
    // Only now: the guard waits for that word, and misses deadlines where a process of the usual priority takes long
    // to say it, on a busy host.
    if let Some(nice) = nice.to_str().and_then(|nice| nice.parse().ok()) {
        lower(nice);
    }
    let Ok(Some((environment, _))) = wire::receive::<BTreeMap<String, String>>(&socket, true)
    else {
        return ExitCode::SUCCESS;
    };
    let mut command = Command::new(program);
    command.args(rest).envs(environment).stdin(Stdio::null());
    for name in OURS {
        command.env_remove(name);
    }
    let error = command.exec();
    let _ = wire::send(&socket, &format!("{}: {error}", program.display()), None);
    ExitCode::from(127)
}
