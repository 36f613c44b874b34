//! The process that releases the office when `tenure lead` was killed.
//!
//! It is this program, executed again while the office is held, in a process group of its own. The
//! guard of the command tells it when no process of the command is left; it tells the members, and a
//! successor can lead at once. If the guard was killed, too, the crash notifier stays silent, since processes
//! of the command may be left; then successors wait until the lease is over.

use crate::error::CommandError;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{ExitCode, Stdio};
use tenure_node::ReleaseTicket;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};

/// The first argument of this program when it is executed again as a crash notifier.
pub(crate) const CRASH_NOTIFIER: &str = "__crash-notifier";

/// The line after which the crash notifier releases the office.
pub(crate) const REAPED: &str = "reaped\n";

/// The first line of a crash notifier's input.
#[derive(Serialize, Deserialize)]
struct NotifierInput {
    release_ticket: ReleaseTicket,
    office: String,
    term: u64,
}

/// A crash notifier. Dropping it ends its input, and so the process; nothing is released.
pub(crate) struct NotifierProcess {
    child: Child,
    input: File,
}

impl NotifierProcess {
    /// Starts a crash notifier for the leadership of an office.
    pub(crate) fn start(
        release_ticket: ReleaseTicket,
        office: &str,
        term: u64,
    ) -> io::Result<Self> {
        let mut line =
            serde_json::to_vec(&NotifierInput { release_ticket, office: office.to_owned(), term })?;
        line.push(b'\n');
        let mut child = Command::new("/proc/self/exe")
            .arg(CRASH_NOTIFIER)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()?;
        let input = child.stdin.take().ok_or_else(|| io::Error::other("no pipe"))?;
        let mut input = File::from(input.into_owned_fd()?);
        // Shorter than a pipe's buffer.
        input.write_all(&line)?;
        Ok(Self { child, input })
    }

    /// Waits until the process has ended, and returns how. Cancellation-safe.
    pub(crate) async fn ended(&mut self) -> String {
        match self.child.wait().await {
            Ok(status) => format!("it has ended ({status})"),
            Err(error) => format!("it cannot be waited for: {error}"),
        }
    }

    /// Has the office released. No process of the command may be left.
    pub(crate) fn release(&mut self) {
        // If the crash notifier is gone, successors wait until the lease is over.
        let _ = self.input.write_all(REAPED.as_bytes());
    }
}

impl AsFd for NotifierProcess {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.input.as_fd()
    }
}

/// The `main` of a crash notifier.
pub(crate) fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let done =
        runtime.map_err(|error| CommandError::failed(error.to_string())).and_then(|runtime| {
            let done = runtime.block_on(run());
            runtime.shutdown_background();
            done
        });
    crate::ended(done)
}

async fn run() -> Result<u8, CommandError> {
    let failed = |error: &dyn std::fmt::Display| {
        CommandError::failed(format!("the crash notifier: {error}"))
    };
    // Sent to all processes of a unit: this process ends with its input.
    let ignored = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
    let _ignored = ignored.map(signal);
    let input = io::stdin().as_fd().try_clone_to_owned().and_then(pipe::Receiver::from_owned_fd);
    let mut lines = BufReader::new(input.map_err(|error| failed(&error))?).lines();
    let Some(line) = lines.next_line().await.map_err(|error| failed(&error))? else {
        return Ok(0);
    };
    let NotifierInput { release_ticket, office, term } =
        serde_json::from_str(&line).map_err(|error| failed(&error))?;
    let notifier = tenure_node::CrashNotifier::start(release_ticket, &office, term);
    let notifier = notifier.map_err(|error| failed(&error))?;
    while let Ok(Some(line)) = lines.next_line().await {
        if line == REAPED.trim_end() {
            notifier.release().await;
            break;
        }
    }
    Ok(0)
}
