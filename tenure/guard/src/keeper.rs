//! The keeper of a guard: a process between the member and the guard, for the case that one of these is killed and the
//! other one stands still.
//!
//! It waits for the end of the guard, whose descendants become its own then, and kills them. If the member is gone, it
//! resumes the guard. A guard whose keeper is gone ends its command, as without its member. So of the three processes
//! any two may fail, one killed and one suspended, and the command ends.

use crate::cgroup::Cgroup;
use crate::complaint::complain;
use crate::guard::{lease, tree};
use crate::priority::run_first;
use crate::{GUARD, Workload};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, getppid, pidfd_open, pidfd_send_signal};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// How often a guard without a member is resumed.
const AGAIN: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// The `main` of a keeper: `__keeper NONCE SETTINGS COMMAND ..`. The guard gets its arguments and standard input.
pub(crate) fn main(arguments: &[OsString]) -> ExitCode {
    match keep(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("the keeper of the guard: {error}"));
            ExitCode::from(1)
        }
    }
}

fn keep(arguments: &[OsString]) -> io::Result<()> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidInput);
    let text = |number: usize| arguments.get(number).and_then(|text| text.to_str());
    let nonce = text(0).and_then(|text| text.parse::<u64>().ok()).ok_or_else(invalid)?;
    let workload: Workload = serde_json::from_str(text(1).ok_or_else(invalid)?)?;
    let member = open(getppid())?;
    crate::guard::ignore_requests_to_end()?;
    run_first();
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let guard =
        Command::new("/proc/self/exe").arg(GUARD).args(arguments).process_group(0).spawn()?;
    // The guard alone holds this end of the socket now: it ends with the guard.
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    watch(&open(Some(Pid::from_child(&guard)))?, &member)?;
    tree::exterminate(Cgroup::of(&workload.office, guard.id(), nonce).as_ref());
    lease::remove(&workload.office, guard.id());
    Ok(())
}

fn open(process: Option<Pid>) -> io::Result<OwnedFd> {
    let process = process.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
    Ok(pidfd_open(process, PidfdFlags::empty())?)
}

/// Waits until the guard has ended.
fn watch(guard: &OwnedFd, member: &OwnedFd) -> io::Result<()> {
    let mut alone = false;
    loop {
        let mut sources = vec![PollFd::new(guard, PollFlags::IN)];
        if !alone {
            sources.push(PollFd::from_borrowed_fd(member.as_fd(), PollFlags::IN));
        }
        match poll(&mut sources, alone.then_some(&AGAIN)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ended = |number: usize| {
            sources.get(number).is_some_and(|source| source.revents().contains(PollFlags::IN))
        };
        if ended(0) {
            return Ok(());
        }
        alone |= ended(1);
        if alone {
            let _ = pidfd_send_signal(guard, Signal::CONT);
        }
    }
}
