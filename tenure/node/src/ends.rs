//! The ends of the leaderships of one participant, by the clock.
//!
//! The loop tells a leadership that it is over. In case the loop is late, a thread watches the clock as well,
//! for all leaderships of the participant at once. Most of them last until the same instant, since one
//! renewal extends them all. With a timer for each, a thousand leaderships would wake a thousand programs at
//! each heartbeat.

use crate::clock::Clock;
use crate::leadership::Shared;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

/// The longest time between two readings of the clock: timers stop while the host is suspended.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// The shortest time between two readings.
const LOOK_LATER: Duration = Duration::from_micros(100);

/// The watch over the leaderships of a participant. It ends when the participant and all its
/// leaderships are dropped.
#[derive(Debug)]
pub(crate) struct Ends {
    clock: Arc<dyn Clock>,
    /// The first end of a leadership, as the thread knows it.
    first: Arc<AtomicU64>,
    /// Takes the leaderships to watch; `None` has the thread look sooner.
    thread: Sender<Option<Weak<Shared>>>,
}

impl Ends {
    /// Starts the thread.
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Arc<Self> {
        let (thread, news) = channel();
        let first = Arc::new(AtomicU64::new(u64::MAX));
        let ends = Self { clock: clock.clone(), first: first.clone(), thread };
        let watch = move || Watch { clock, first, watched: Vec::new() }.run(&news);
        if let Err(error) = thread::Builder::new().name("tenure-ends".into()).spawn(watch) {
            // Then only the loop tells leaderships that they are over.
            tracing::error!(%error, "no thread for the ends of leaderships");
        }
        Arc::new(ends)
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// Watches a leadership until it is over or dropped.
    pub(crate) fn watch(&self, shared: &Arc<Shared>) {
        let _ = self.thread.send(Some(Arc::downgrade(shared)));
    }

    /// Notes that a leadership that is watched now ends at this instant, after its end was changed.
    pub(crate) fn note(&self, until: u64) {
        if until < self.first.load(Ordering::SeqCst) {
            let _ = self.thread.send(None);
        }
    }
}

/// The thread's part.
struct Watch {
    clock: Arc<dyn Clock>,
    first: Arc<AtomicU64>,
    watched: Vec<Weak<Shared>>,
}

impl Watch {
    fn run(&mut self, news: &Receiver<Option<Weak<Shared>>>) {
        loop {
            let first = self.look();
            let left = self.clock.wait(first.saturating_sub(self.clock.now()));
            let wait = left.clamp(LOOK_LATER, LOOK_AGAIN);
            let heard = match self.watched.is_empty() {
                true => news.recv().map_err(|_| RecvTimeoutError::Disconnected),
                false => news.recv_timeout(wait),
            };
            match heard {
                Ok(heard) => {
                    self.watched.extend(heard.into_iter().chain(news.try_iter().flatten()));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Tells the leaderships whose ends are due that they are over, and returns the first end of
    /// the others.
    fn look(&mut self) -> u64 {
        loop {
            let mut first = u64::MAX;
            self.watched.retain(|watched| {
                let until = watched.upgrade().and_then(|shared| shared.look());
                first = first.min(until.unwrap_or(u64::MAX));
                until.is_some()
            });
            // One that was made to end sooner meanwhile has compared its end with the value of
            // before, or is seen in another look.
            if first <= self.first.swap(first, Ordering::SeqCst) {
                return first;
            }
        }
    }
}

#[cfg(test)]
mod tests;
