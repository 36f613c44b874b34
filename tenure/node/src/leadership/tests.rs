use super::*;
use crate::clock::{BootClock, DeadlineClock, TestClock};
use std::time::Instant;

fn shared() -> (Arc<TestClock>, Arc<SharedLeadership>) {
    let clock = Arc::new(TestClock::new(1_000_000));
    let office = OfficeName::new("office").unwrap();
    (clock.clone(), Arc::new(SharedLeadership::new(office, Term(7), Ends::new(clock).unwrap())))
}

#[test]
fn validity_is_read_from_the_clock_at_each_call() {
    let (clock, shared) = shared();
    shared.begin(Some(clock.now() + 3_600_000_000_000));
    assert!(shared.valid_for() > Duration::from_secs(3_000));
    clock.advance(Duration::from_secs(3_601));
    assert_eq!(shared.valid_for(), Duration::ZERO);
}

#[test]
fn what_was_over_once_is_never_prolonged() {
    let (clock, shared) = shared();
    shared.begin(Some(clock.now() + 1_000_000_000));
    assert!(shared.lasts(Some(clock.now() + 2_000_000_000)));
    clock.advance(Duration::from_secs(3));
    assert_eq!(shared.valid_for(), Duration::ZERO);
    assert!(!shared.lasts(Some(clock.now() + 60_000_000_000)));
    assert_eq!(shared.valid_for(), Duration::ZERO);
}

/// A clock on which a leadership is extended between two readings of its end.
#[derive(Debug, Default)]
struct Extends(Mutex<Option<(thread::ThreadId, Arc<SharedLeadership>)>>);

impl DeadlineClock for Extends {
    fn now(&self) -> u64 {
        let mut extended = self.0.lock().unwrap();
        // Not when the thread that watches the ends looks at it.
        let here = |(id, _): &mut (_, _)| *id == thread::current().id();
        if let Some((_, shared)) = extended.take_if(here) {
            assert!(shared.lasts(Some(3_000)));
        }
        2_000
    }
}

#[test]
fn one_that_is_extended_while_its_end_is_looked_at_is_not_over() {
    let clock = Arc::new(Extends::default());
    let office = OfficeName::new("office").unwrap();
    let shared =
        Arc::new(SharedLeadership::new(office, Term(7), Ends::new(clock.clone()).unwrap()));
    assert!(shared.lasts(Some(1_000)));
    *clock.0.lock().unwrap() = Some((thread::current().id(), shared.clone()));
    assert_eq!(shared.look(), Some(3_000));
    assert_eq!(
        (shared.valid_for(), shared.stage()),
        (Duration::from_nanos(1_000), LeadershipStage::Leading)
    );
}

#[tokio::test]
async fn extensions_are_told_and_no_other_changes() {
    let (clock, shared) = shared();
    let mut extensions = Extensions(shared.extended.subscribe());
    let until = clock.now() + 1_000_000_000;
    shared.begin(Some(until));
    assert!(shared.lasts(Some(until)));
    assert!(!extensions.0.has_changed().unwrap());
    assert!(shared.lasts(Some(until + 1)));
    extensions.next().await;
    assert!(!extensions.0.has_changed().unwrap());
}

#[test]
fn a_leadership_without_a_deadline_lasts_until_it_is_ended() {
    let (_, shared) = shared();
    shared.begin(None);
    assert_eq!(shared.valid_for(), Duration::MAX);
    shared.end();
    assert_eq!(shared.valid_for(), Duration::ZERO);
}

const SECOND: u64 = 1_000_000_000;

fn leaderships(
    clock: Arc<dyn DeadlineClock>,
    count: u64,
    until: u64,
) -> Vec<Arc<SharedLeadership>> {
    let ends = Ends::new(clock).unwrap();
    let begin = |term| {
        let office = OfficeName::new("office").unwrap();
        let shared = Arc::new(SharedLeadership::new(office, Term(term), ends.clone()));
        shared.begin(Some(until));
        shared
    };
    (1..=count).map(begin).collect()
}

/// Waits until these are over, and returns how long that took.
fn over(shared: &[Arc<SharedLeadership>]) -> Duration {
    let begin = Instant::now();
    while !shared.iter().all(|one| one.stage() == LeadershipStage::Over) {
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
    assert!(extended.iter().all(|one| one.stage() == LeadershipStage::Leading));
}

#[test]
fn one_that_is_to_end_sooner_is_told_sooner() {
    let all = leaderships(Arc::new(BootClock), 2, BootClock.now() + 3600 * SECOND);
    thread::sleep(Duration::from_millis(20));
    assert!(all[1].lasts(Some(BootClock.now() + SECOND / 20)));
    // Not by the look that comes each second.
    assert!(over(&all[1..]) < LOOK_AGAIN / 2);
    assert_eq!(all[0].stage(), LeadershipStage::Leading);
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
