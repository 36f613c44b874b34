//! Many trials, on all cores.

use crate::{
    engine::{Engine, Supervisor},
    random::Stream,
    trial::Trial,
};
use std::{
    sync::atomic::{
        AtomicBool, AtomicU64,
        Ordering::{Relaxed, SeqCst},
    },
    thread,
};

/// Who wants to know how far an ensemble is. Called from its threads.
pub trait Progress: Sync {
    /// `finished` trials of `of` are done. May be called out of order.
    fn finished(&self, finished: u64, of: u64);

    /// A trial that is not finished has come to so many interactions. Called often.
    fn within(&self, _trial: u64, _interactions: u64) {}
}

/// Nobody does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn finished(&self, _: u64, _: u64) {}
}

/// Watches one trial for those who watch the ensemble.
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
    /// How many.
    pub trials: u64,
    /// The seed. Trial t depends on the seed and on t alone.
    pub seed: u64,
    /// How many run at once, at least one.
    pub threads: usize,
}

impl Ensemble {
    /// Runs the trials, each thread with an engine of its own.
    ///
    /// Returns the trials in their order: the same for any number of threads. When `interrupted`
    /// is set, the running trials are given up and the longest prefix without a gap is returned:
    /// what an experiment with so many trials gives. (All finished trials would not be a fair
    /// sample, since short ones finish first.)
    pub fn run<E: Engine>(
        &self,
        make: impl Fn() -> E + Sync,
        progress: &dyn Progress,
        interrupted: &AtomicBool,
    ) -> Vec<Trial> {
        let (next, finished) = (AtomicU64::new(0), AtomicU64::new(0));
        let work = || {
            let mut engine = make();
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Relaxed);
                if number >= self.trials {
                    return done;
                }
                let mut stream = Stream::of_trial(self.seed, number);
                let watched = Watched { trial: number, progress, interrupted };
                let Some(trial) = engine.trial(&mut stream, &watched) else { return done };
                done.push((number, trial));
                progress.finished(finished.fetch_add(1, SeqCst) + 1, self.trials);
            }
        };
        let threads =
            self.threads.clamp(1, usize::try_from(self.trials).unwrap_or(usize::MAX).max(1));
        let mut done = thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut done = work();
            for other in others {
                match other.join() {
                    Ok(theirs) => done.extend(theirs),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            done
        });
        done.sort_unstable_by_key(|&(number, _)| number);
        let gapless = (0..).zip(&done).take_while(|(place, (number, _))| place == number).count();
        done.into_iter().take(gapless).map(|(_, trial)| trial).collect()
    }
}

/// As many threads as there are cores.
#[must_use]
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::direct::{Packed, Tail},
        protocols::SelfTerminating,
    };

    fn run(threads: usize, trials: u64, progress: &dyn Progress, stop: &AtomicBool) -> Vec<Trial> {
        let make = || Packed::new(SelfTerminating::default(), 200, Tail::Skipped);
        Ensemble { trials, seed: 3, threads }.run(make, progress, stop)
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
                self.1.store(true, SeqCst);
            }
        }
    }

    #[test]
    fn an_interrupted_ensemble_is_a_shorter_one() {
        let never = AtomicBool::new(false);
        let all = run(1, 100, &Silent, &never);
        for threads in [1, 2, 5] {
            let stop = AtomicBool::new(false);
            let some = run(threads, 100, &After(40, &stop), &stop);
            assert!((30..=50).contains(&some.len()), "{}", some.len());
            assert_eq!(some, all[..some.len()]);
        }
    }
}
