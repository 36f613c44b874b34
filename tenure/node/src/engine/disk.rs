//! The thread that writes the record.

use super::{Action, Inbox};
use crate::records::{Record, Store};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The wait after a failed write before the next attempt.
const RETRY: Duration = Duration::from_millis(500);

/// The disk of a participant. Dropping it does not interrupt a write, but discards its result.
pub(super) struct Disk(Arc<Desk>);

#[derive(Default)]
struct Desk {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    next: Option<(u64, Record)>,
    closed: bool,
}

impl Disk {
    pub(super) fn new(mut store: Box<dyn Store>, inbox: Arc<Inbox>) -> Self {
        let desk = Arc::new(Desk::default());
        let desk_of_thread = desk.clone();
        let work = move || {
            while let Some((number, record)) = desk_of_thread.next() {
                let began = Instant::now();
                while let Err(error) = store.save(&record) {
                    inbox.act(Action::Unwritable(error.to_string()));
                    if desk_of_thread.closed_within(RETRY) {
                        return;
                    }
                }
                let took = began.elapsed().as_nanos() as u64;
                inbox.act(Action::Synced { number, took });
            }
        };
        let named = thread::Builder::new().name("tenure-disk".into());
        if let Err(error) = named.spawn(work) {
            // Then no record is ever synced, so no office is granted.
            tracing::error!(%error, "no thread for the record");
        }
        Self(desk)
    }

    /// Queues a record to be written, in place of one that waits.
    pub(super) fn write(&self, number: u64, record: Record) {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.next = Some((number, record));
        self.0.wake.notify_one();
    }
}

impl Desk {
    fn next(&self) -> Option<(u64, Record)> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = |state: &mut State| state.next.is_none() && !state.closed;
        let mut state = self.wake.wait_while(state, waits).unwrap_or_else(PoisonError::into_inner);
        if state.closed { None } else { state.next.take() }
    }

    fn closed_within(&self, time: Duration) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let open = |state: &mut State| !state.closed;
        let waited = self.wake.wait_timeout_while(state, time, open);
        waited.unwrap_or_else(PoisonError::into_inner).0.closed
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.0.wake.notify_one();
    }
}
