//! A command that runs while a leadership lasts, and not a moment longer.
//!
//! A [`Guard`] is a small process between a member and the command that it runs: our own program,
//! executed again. It knows until when the leadership is valid, and ends the command by itself when
//! that is over, whatever has become of the member: killed, suspended, stuck. The command's whole
//! family is killed and reaped before the guard says that the tenure has ended.
//!
//! # What is guaranteed
//! - **The member is gone** (exits, crashes, `kill -9`): the socket to the guard ends, and the guard
//!   ends the command at once: SIGKILL, or with a [stop time](Workload::stop) SIGTERM first.
//! - **The member stands still** (SIGSTOP, a stuck loop): the guard ends the command at the deadline,
//!   on `CLOCK_BOOTTIME`.
//! - **The guard is gone**: the kernel kills the command (parent-death signal), and the member kills
//!   and reaps the rest of its family. **The guard stands still**: the member kills it at the
//!   deadline, with all that it guards.
//! - **The family** is every descendant: also those that have left the process group or the session,
//!   or whose parents have died, since guard and member are child subreapers; and every process in
//!   the command's control group, where one could be made (`cgroup.kill`).
//!
//! # What is not
//! - If member and guard are killed by SIGKILL in the same instant, the command itself dies with them,
//!   but grandchildren survive until a guard of the same office starts on this host, unless something
//!   else kills them: a control group of systemd (the default in a unit), a PID namespace.
//! - If member and guard are both suspended and the command is not, it goes on. Its resource has to
//!   compare terms: `SUFFRAGE_TERM` is the fencing token.
//! - A command that executes a program with set-uid or capabilities loses the parent-death signal.
//! - Without a control group, processes that fork faster than they are found may escape for a while;
//!   what the command asks another daemon to start is not of its family.
//! - A process in an uninterruptible system call dies when that returns. Until then the tenure is not
//!   said to have ended.
//!
//! Linux only: elsewhere this crate is empty.

#![cfg(target_os = "linux")]

mod client;
mod clock;
mod deadlines;
mod guard;
mod runner;
mod wire;

pub use client::{Event, Guard, Workload};
pub use clock::Boottime;
pub use wire::Exit;

use std::ffi::OsString;
use std::process::ExitCode;

/// The first argument of a program that is executed again as a guard.
const GUARD: &str = "__guard";

/// The first argument of a program that is executed again to become a command.
const RUN: &str = "__run";

/// Does the work of a program that a [`Guard`] has executed again, and says how it ended; `None` if
/// this is not such a program. To be called first in `main`, before there are other threads.
///
/// `arguments` are those of the process, without its name.
pub fn enter(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter();
    let first = arguments.next()?;
    match first.to_str()? {
        GUARD => Some(guard::main(arguments.collect())),
        RUN => Some(runner::main(arguments.collect())),
        _ => None,
    }
}
