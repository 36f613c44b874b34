//! Runs many trials of one engine on all cores.

use crate::{
    engine::{Engine, Supervisor},
    random::Seeds,
    trial::Trial,
};
use std::sync::atomic::AtomicBool;
use suffrage_parallel::Jobs;

/// An observer of the progress of an ensemble.
pub trait Progress: Sync {
    /// Called when `finished` trials of `of` are done.
    fn finished(&self, finished: u64, of: u64);

    /// Called when a running trial has come to this many interactions. Called often, from the
    /// threads of the trials.
    fn within(&self, _trial: u64, _interactions: u64) {}
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn finished(&self, _: u64, _: u64) {}
}

/// Passes on the progress of one trial.
struct Watched<'a> {
    trial: u64,
    progress: &'a dyn Progress,
    interrupted: &'a AtomicBool,
}

impl Supervisor for Watched<'_> {
    fn go_on(&self, time: u64) -> Option<()> {
        self.progress.within(self.trial, time);
        self.interrupted.go_on(time)
    }
}

/// Trials of one experiment.
#[derive(Clone, Copy, Debug)]
pub struct Ensemble {
    /// The number of trials.
    pub trials: u64,
    /// The seeds. Trial t depends on them and on t alone.
    pub seeds: Seeds,
    /// The number of trials that run at once, at least one.
    pub threads: usize,
}

impl Ensemble {
    /// Runs the trials, each thread with an engine of its own, and returns them in order. The
    /// results are the same for any number of threads.
    ///
    /// Once `interrupted` is set, running trials are stopped and the finished ones up to the first
    /// missing one are returned: the result of an experiment with that many trials.
    pub fn run<E: Engine>(
        &self,
        make: impl Fn() -> E + Sync,
        progress: &dyn Progress,
        interrupted: &AtomicBool,
    ) -> Vec<Trial> {
        let Self { trials, seeds, threads } = *self;
        let job = |engine: &mut E, trial| {
            let watched = Watched { trial, progress, interrupted };
            engine.trial(&mut seeds.stream(trial), &watched)
        };
        Jobs { count: trials, threads, interrupted }
            .map(make, job, |finished| progress.finished(finished, trials))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::direct::{Packed, Tail},
        meetings::Meetings,
        protocols::SelfTerminating,
    };
    use std::sync::atomic::Ordering::Relaxed;

    fn run(threads: usize, trials: u64, progress: &dyn Progress, stop: &AtomicBool) -> Vec<Trial> {
        let make = || Packed::new(SelfTerminating::default(), Meetings::among(200), Tail::Skipped);
        Ensemble { trials, seeds: Seeds::One(3), threads }.run(make, progress, stop)
    }

    #[test]
    fn seeds_that_follow_each_other_have_the_first_trial_of_each() {
        let never = AtomicBool::new(false);
        let make = || Packed::new(SelfTerminating::default(), Meetings::among(200), Tail::Skipped);
        let run = |trials, seeds| Ensemble { trials, seeds, threads: 2 }.run(make, &Silent, &never);
        let firsts: Vec<Trial> = (7..12).flat_map(|seed| run(1, Seeds::One(seed))).collect();
        assert_eq!(run(5, Seeds::From(7)), firsts);
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

    impl Progress for After<'_> {
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
}
