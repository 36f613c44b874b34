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
