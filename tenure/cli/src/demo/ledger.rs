//! A record of the commands that run, and of violations.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, watch};

/// A command that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) host: String,
    pub(crate) term: u64,
}

/// The start or the end of a command.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) at: Instant,
    pub(crate) work: Work,
    /// Whether it has started; it has ended otherwise.
    pub(crate) started: bool,
}

#[derive(Debug, Default)]
struct State {
    /// The commands that run, by the number of their connection.
    alive: BTreeMap<u64, Work>,
    connections: u64,
    /// The greatest term so far.
    term: u64,
    tenures: u64,
    violations: Vec<String>,
    /// When a command last started, and when one last ended.
    started: Option<Instant>,
    ended: Option<Instant>,
    /// Who is told of all starts and ends.
    told: Option<mpsc::UnboundedSender<Event>>,
}

impl State {
    fn tell(&self, at: Instant, work: Work, started: bool) {
        if let Some(told) = &self.told {
            let _ = told.send(Event { at, work, started });
        }
    }
}

/// The starts and ends of all commands. Clones share one ledger.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    state: Arc<Mutex<State>>,
    changed: Arc<watch::Sender<u64>>,
}

impl Ledger {
    pub(crate) fn new() -> Self {
        Self { state: Arc::default(), changed: Arc::new(watch::Sender::new(0)) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
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
        let connection = self.begin(Work { host: host.to_owned(), term });
        // The connection is closed when the process ends, however it ends.
        let _ = stream.read_to_end(&mut Vec::new()).await;
        self.end(connection);
    }

    fn begin(&self, work: Work) -> u64 {
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

    pub(crate) fn events(&self) -> mpsc::UnboundedReceiver<Event> {
        let (told, events) = mpsc::unbounded_channel();
        self.state().told = Some(told);
        events
    }

    pub(crate) fn alive(&self) -> Option<Work> {
        self.state().alive.values().next().cloned()
    }

    pub(crate) fn lives(&self, work: &Work) -> bool {
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

    /// Waits until `is` holds.
    pub(crate) async fn until(&self, is: impl Fn(&Self) -> bool) {
        let mut changes = self.changed.subscribe();
        while !is(self) {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(host: &str, term: u64) -> Work {
        Work { host: host.to_owned(), term }
    }

    #[test]
    fn two_at_once_and_terms_that_do_not_grow_are_violations() {
        let ledger = Ledger::new();
        let first = ledger.begin(work("a", 3));
        ledger.end(first);
        let second = ledger.begin(work("b", 4));
        assert_eq!(ledger.verdict(), (2, vec![]));
        let third = ledger.begin(work("a", 5));
        ledger.end(second);
        ledger.end(third);
        ledger.begin(work("c", 5));
        let (tenures, violations) = ledger.verdict();
        assert_eq!(tenures, 4);
        assert_eq!(violations.len(), 2, "{violations:?}");
        assert!(violations[0].contains("of a at term 5 started while that of b at term 4 lived"));
        assert_eq!(violations[1], "term 5 came after term 5");
    }
}
