//! A record of the commands that run, and of violations; and the command itself, which reports to it.

use std::collections::BTreeMap;
use std::env::var;
use std::io::{Read, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, watch};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunningCommand {
    pub(crate) host: String,
    pub(crate) term: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct CommandEvent {
    pub(crate) at: Instant,
    pub(crate) work: RunningCommand,
    /// Whether it has started; it has ended otherwise.
    pub(crate) started: bool,
}

#[derive(Debug, Default)]
struct MonitorState {
    /// The commands that run, by the number of their connection.
    alive: BTreeMap<u64, RunningCommand>,
    connections: u64,
    term: u64,
    tenures: u64,
    violations: Vec<String>,
    /// When a command last started, and when one last ended.
    started: Option<Instant>,
    ended: Option<Instant>,
    /// Who is told of all starts and ends.
    told: Option<mpsc::UnboundedSender<CommandEvent>>,
}

impl MonitorState {
    fn tell(&self, at: Instant, work: RunningCommand, started: bool) {
        if let Some(told) = &self.told {
            let _ = told.send(CommandEvent { at, work, started });
        }
    }
}

/// The starts and ends of all commands. Clones share one monitor.
#[derive(Clone, Debug)]
pub(crate) struct CommandMonitor {
    state: Arc<Mutex<MonitorState>>,
    changed: Arc<watch::Sender<u64>>,
}

impl CommandMonitor {
    pub(crate) fn new() -> Self {
        Self { state: Arc::default(), changed: Arc::new(watch::Sender::new(0)) }
    }

    fn state(&self) -> MutexGuard<'_, MonitorState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records every command that connects.
    pub(crate) async fn keep(self, listener: UnixListener) {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(self.clone().follow(stream));
        }
    }

    async fn follow(self, stream: UnixStream) {
        let mut stream = BufReader::new(stream.take(1 << 16));
        let mut line = String::new();
        if stream.read_line(&mut line).await.is_err() {
            return;
        }
        let Some((term, host)) = line.trim_end().split_once(' ') else { return };
        let Ok(term) = term.parse() else { return };
        let connection = self.begin(RunningCommand { host: host.to_owned(), term });
        // The connection is closed when the process ends, however it ends.
        let _ = stream.read_to_end(&mut Vec::new()).await;
        self.end(connection);
    }

    fn begin(&self, work: RunningCommand) -> u64 {
        let mut guard = self.state();
        let state = &mut *guard;
        for other in state.alive.values() {
            state.violations.push(format!(
                "the command of {} at term {} started while that of {} at term {} lived",
                work.host, work.term, other.host, other.term
            ));
        }
        if work.term <= state.term {
            state.violations.push(format!("term {} came after term {}", work.term, state.term));
        }
        state.term = state.term.max(work.term);
        state.tenures += 1;
        state.connections += 1;
        let connection = state.connections;
        let now = Instant::now();
        state.tell(now, work.clone(), true);
        state.alive.insert(connection, work);
        state.started = Some(now);
        drop(guard);
        self.changed.send_modify(|changes| *changes += 1);
        connection
    }

    fn end(&self, connection: u64) {
        let mut state = self.state();
        let now = Instant::now();
        if let Some(work) = state.alive.remove(&connection) {
            state.tell(now, work, false);
        }
        state.ended = Some(now);
        drop(state);
        self.changed.send_modify(|changes| *changes += 1);
    }

    pub(crate) fn events(&self) -> mpsc::UnboundedReceiver<CommandEvent> {
        let (told, events) = mpsc::unbounded_channel();
        self.state().told = Some(told);
        events
    }

    pub(crate) fn alive(&self) -> Option<RunningCommand> {
        self.state().alive.values().next().cloned()
    }

    pub(crate) fn lives(&self, work: &RunningCommand) -> bool {
        self.state().alive.values().any(|alive| alive == work)
    }

    pub(crate) fn started(&self) -> Option<Instant> {
        self.state().started
    }

    pub(crate) fn ended(&self) -> Option<Instant> {
        self.state().ended
    }

    pub(crate) fn verdict(&self) -> (u64, Vec<String>) {
        let state = self.state();
        (state.tenures, state.violations.clone())
    }

    pub(crate) async fn until(&self, is: impl Fn(&Self) -> bool) {
        let mut changes = self.changed.subscribe();
        while !is(self) {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }
}

/// The first argument of a program that is executed again as this command.
pub(crate) const WORK: &str = "__work";

/// The `main` of the command, `__work SOCKET`: it sends the term in which it leads over a connection, which is
/// closed when it ends.
pub(crate) fn work(path: Option<std::ffi::OsString>) -> ExitCode {
    let report = || -> std::io::Result<()> {
        let mut stream = std::os::unix::net::UnixStream::connect(path.unwrap_or_default())?;
        let said = |name| var(name).unwrap_or_default();
        writeln!(stream, "{} {}", said("TENURE_TERM"), said("TENURE_MEMBER"))?;
        // Until it is killed, or the demonstration ends.
        stream.read_to_end(&mut Vec::new()).map(drop)
    };
    if report().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests;
