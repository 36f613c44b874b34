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
mod tests {
    use super::*;
    use crate::clock::{BootClock, TestClock};
    use crate::leadership::Stage;
    use crate::office::OfficeName;
    use std::time::Instant;
    use tenure_model::Term;

    const SECOND: u64 = 1_000_000_000;

    fn leaderships(clock: Arc<dyn Clock>, count: u64, until: u64) -> Vec<Arc<Shared>> {
        let ends = Ends::new(clock);
        let begin = |term| {
            let office = OfficeName::new("office").unwrap();
            let shared = Arc::new(Shared::new(office, Term(term), ends.clone()));
            shared.begin(Some(until));
            shared
        };
        (1..=count).map(begin).collect()
    }

    /// Waits until these are over, and returns how long that took.
    fn over(shared: &[Arc<Shared>]) -> Duration {
        let begin = Instant::now();
        while !shared.iter().all(|one| one.stage() == Stage::Over) {
            assert!(begin.elapsed() < Duration::from_secs(20), "they are not told");
            thread::sleep(Duration::from_millis(1));
        }
        begin.elapsed()
    }

    #[test]
    fn a_thousand_leaderships_are_told_by_one_thread_when_the_loop_does_not() {
        let all = leaderships(Arc::new(BootClock), 1000, BootClock.now() + SECOND / 20);
        let (extended, others) = all.split_at(10);
        assert!(extended.iter().all(|one| one.lasts(Some(BootClock.now() + 3600 * SECOND))));
        over(others);
        assert!(extended.iter().all(|one| one.stage() == Stage::Leading));
    }

    #[test]
    fn one_that_is_to_end_sooner_is_told_sooner() {
        let all = leaderships(Arc::new(BootClock), 2, BootClock.now() + 3600 * SECOND);
        thread::sleep(Duration::from_millis(20));
        assert!(all[1].lasts(Some(BootClock.now() + SECOND / 20)));
        // Not by the look that comes each second.
        assert!(over(&all[1..]) < LOOK_AGAIN / 2);
        assert_eq!(all[0].stage(), Stage::Leading);
    }

    #[test]
    fn after_a_suspension_they_are_told_although_no_timer_has_rung() {
        let clock = Arc::new(TestClock::new(1_000_000));
        let all = leaderships(clock.clone(), 3, clock.now() + 3600 * SECOND);
        clock.advance(Duration::from_secs(3601));
        over(&all);
    }

    #[test]
    fn the_thread_ends_with_the_participant_and_its_leaderships() {
        let all = leaderships(Arc::new(BootClock), 3, BootClock.now() + 3600 * SECOND);
        let first = Arc::downgrade(&all[0].ends().first);
        drop(all);
        let begin = Instant::now();
        while first.strong_count() > 0 {
            assert!(begin.elapsed() < Duration::from_secs(20), "it goes on");
            thread::sleep(Duration::from_millis(5));
        }
    }
}
