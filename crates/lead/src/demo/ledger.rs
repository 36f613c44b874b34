//! Which commands live, and what must never be.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;

/// A command that lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) host: String,
    pub(crate) term: u64,
}

#[derive(Debug, Default)]
struct State {
    /// By their connections.
    alive: BTreeMap<u64, Work>,
    connections: u64,
    /// The greatest term so far.
    term: u64,
    tenures: u64,
    violations: Vec<String>,
    /// When the last command started, and when the last one ended.
    started: Option<Instant>,
    ended: Option<Instant>,
}

/// What has been seen of all commands.
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

    /// Takes note of all commands that connect, for ever.
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
        // It ends with the process, however that ended.
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
        state.alive.insert(connection, work);
        state.started = Some(Instant::now());
        drop(guard);
        self.changed.send_modify(|changes| *changes += 1);
        connection
    }

    fn end(&self, connection: u64) {
        let mut state = self.state();
        state.alive.remove(&connection);
        state.ended = Some(Instant::now());
        drop(state);
        self.changed.send_modify(|changes| *changes += 1);
    }

    /// The command that lives.
    pub(crate) fn alive(&self) -> Option<Work> {
        self.state().alive.values().next().cloned()
    }

    /// Whether this one lives.
    pub(crate) fn lives(&self, work: &Work) -> bool {
        self.state().alive.values().any(|alive| alive == work)
    }

    /// When the last command started.
    pub(crate) fn started(&self) -> Option<Instant> {
        self.state().started
    }

    /// When the last command ended.
    pub(crate) fn ended(&self) -> Option<Instant> {
        self.state().ended
    }

    /// The number of tenures, and what must not have been.
    pub(crate) fn verdict(&self) -> (u64, Vec<String>) {
        let state = self.state();
        (state.tenures, state.violations.clone())
    }

    /// Waits until this is so of the ledger.
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
