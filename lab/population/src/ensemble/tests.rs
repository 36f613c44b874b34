use super::*;
use crate::{
    engine::direct::{Packed, TrialTail},
    meetings::Meetings,
    protocols::SelfTerminating,
};
use std::sync::atomic::Ordering::Relaxed;

fn run(threads: usize, trials: u64, progress: &dyn TrialProgress, stop: &AtomicBool) -> Vec<Trial> {
    let make = || Packed::new(SelfTerminating::default(), Meetings::among(200), TrialTail::Skipped);
    Ensemble { trials, seeds: TrialSeeds::One(3), threads }.run(make, progress, stop)
}

#[test]
fn seeds_that_follow_each_other_have_the_first_trial_of_each() {
    let never = AtomicBool::new(false);
    let make = || Packed::new(SelfTerminating::default(), Meetings::among(200), TrialTail::Skipped);
    let run = |trials, seeds| Ensemble { trials, seeds, threads: 2 }.run(make, &Silent, &never);
    let firsts: Vec<Trial> = (7..12).flat_map(|seed| run(1, TrialSeeds::One(seed))).collect();
    assert_eq!(run(5, TrialSeeds::From(7)), firsts);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let never = AtomicBool::new(false);
    let one = run(1, 100, &Silent, &never);
    assert_eq!(one.len(), 100);
    for threads in [2, 3, 8, 1000] {
        assert_eq!(run(threads, 100, &Silent, &never), one);
    }
}

/// Interrupts after a number of trials.
struct After<'a>(u64, &'a AtomicBool);

impl TrialProgress for After<'_> {
    fn finished(&self, finished: u64, of: u64) {
        assert!(finished <= of);
        if finished >= self.0 {
            self.1.store(true, Relaxed);
        }
    }
}

#[test]
fn an_interrupted_ensemble_is_a_shorter_one() {
    for threads in [1, 2, 5] {
        let stop = AtomicBool::new(false);
        let some = run(threads, 1 << 40, &After(40, &stop), &stop);
        assert!(some.len() >= 30, "{}", some.len());
        let shorter = run(2, some.len() as u64, &Silent, &AtomicBool::new(false));
        assert_eq!(some, shorter);
    }
}
