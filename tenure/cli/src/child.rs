//! A command that runs as a child of this one, and ends before it.

use crate::error::CommandError;
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;
use tenure_guard::program_file;
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// Checks that a command can be started.
pub(crate) fn check(command: &[OsString]) -> Result<(), CommandError> {
    let program = program(command);
    match program_file(program) {
        Some(_) => Ok(()),
        None => Err(CommandError::usage(format!(
            "COMMAND: there is no program `{}`, or it cannot be executed",
            program.display()
        ))),
    }
}

/// Starts a command. It is killed where the child is dropped.
pub(crate) fn start(
    command: &[OsString],
    environment: &[(&str, &str)],
) -> Result<Child, CommandError> {
    let program = program(command);
    let mut process = Command::new(program);
    process.args(command.iter().skip(1)).envs(environment.iter().copied()).kill_on_drop(true);
    process
        .spawn()
        .map_err(|error| CommandError::failed(format!("COMMAND: `{}`: {error}", program.display())))
}

/// Ends a command: by SIGTERM, and if it takes longer than that, by SIGKILL. Returns its exit code.
pub(crate) async fn stop(mut running: Child, grace: Duration) -> u8 {
    let pid = running.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    if let Some(pid) = pid {
        // It may have ended by itself.
        let _ = kill_process(pid, Signal::TERM);
    }
    if timeout(grace, running.wait()).await.is_err() {
        let _ = running.kill().await;
    }
    running.wait().await.map_or(1, exit_code)
}

/// Returns the exit code of a command, as a shell has it.
pub(crate) fn exit_code(status: ExitStatus) -> u8 {
    let signal = status.signal().map(|signal| 128 + signal);
    status.code().or(signal).and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

fn program(command: &[OsString]) -> &OsStr {
    command.first().map_or(OsStr::new(""), OsString::as_os_str)
}
