//! Runs a command while a leadership lasts, and ends it when the leadership ends.
//!
//! A [`Guard`] is a small process between a member and the command that it runs: our own program,
//! executed again. A second one, its keeper, acts if the guard is killed. It knows until when the leadership is valid, and ends the command by itself when
//! that is over, even if the member was killed, is suspended or stuck. All descendants of the
//! command are killed and reaped before the guard reports that the tenure has ended.
//!
//! # What is guaranteed
//! - **The member is gone** (exits, crashes, `kill -9`): the socket to the guard ends, and the guard
//!   ends the command at once: SIGKILL, or with a [stop time](Workload::stop) SIGTERM first.
//! - **The member is stuck** (SIGSTOP, an endless loop): the guard ends the command at the
//!   deadline, on `CLOCK_BOOTTIME`.
//! - **The guard is gone**: the kernel kills the command (parent-death signal), and the member, or the guard's keeper
//!   where the member is stuck, kills and reaps its descendants. **The guard is stuck**: the member kills it at the
//!   deadline, with all that it guards.
//! - **The keeper is gone**: the guard ends the command at once.
//! - **Descendants** include those that have left the process group or the session, or whose
//!   parents have died, since guard and member are child subreapers; and every process in the
//!   command's control group, where one could be created (`cgroup.kill`).
//!
//! # What is not guaranteed
//! - If member, keeper and guard are killed by SIGKILL in the same instant, the command itself dies with them,
//!   but grandchildren survive until a guard of the same office starts on this host, unless something
//!   else kills them: a control group of systemd (the default in a unit), a PID namespace.
//! - If member and guard are both suspended and the command is not, it goes on. The resource that
//!   it uses has to compare terms: `TENURE_TERM` is the fencing token.
//! - A command that executes a program with set-uid or capabilities loses the parent-death signal. Where such a
//!   program could not be killed ([`NoGroup`]), the kernel starts it without its privileges.
//! - Without a control group, killing takes longer the more processes there are. Those that are known are stopped before,
//!   and processes that fork faster than they are found may escape for a while. With or without one, a process that another daemon starts at the
//!   command's request is not a descendant, and a privileged one may leave its control group.
//! - A process in an uninterruptible system call dies when the call returns. Until then the tenure
//!   is not reported as ended.
//!
//! Linux only: elsewhere this crate is empty.

#![cfg(target_os = "linux")]

mod cgroup;
mod clock;
mod complaint;
mod deadlines;
mod guard;
mod handle;
mod handle_state;
mod keeper;
mod priority;
mod privileges;
mod runner;
#[doc(hidden)]
pub mod testing;
mod wire;

pub use clock::Boottime;
pub use guard::lease::certain_for;
pub use handle::{Guard, Workload};
pub use priority::raise_priority;
pub use privileges::program_file;
pub use wire::{Exit, GuardEvent, NoGroup};

use std::ffi::OsString;
use std::process::ExitCode;

/// The first argument of a program that is executed again as the keeper of a guard.
const KEEPER: &str = "__keeper";

/// The first argument of a program that is executed again as a guard.
const GUARD: &str = "__guard";

/// The first argument of a program that is executed again to become a command.
const RUN: &str = "__run";

/// Runs this process as a guard, its keeper or a command if a [`Guard`] has executed it as such, and returns
/// its exit code; `None` otherwise. To be called first in `main`, before other threads are started.
///
/// `arguments` are those of the process, without its name.
pub fn enter(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter();
    let first = arguments.next()?;
    match first.to_str()? {
        KEEPER => Some(keeper::main(&arguments.collect::<Vec<_>>())),
        GUARD => Some(guard::main(arguments.collect())),
        RUN => Some(runner::main(arguments.collect())),
        _ => None,
    }
}
