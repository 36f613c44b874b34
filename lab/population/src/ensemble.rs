//! Runs many trials of one engine on all cores.

use crate::{
    engine::{Supervisor, TrialEngine},
    random::{RandomStream, TrialSeeds},
    trial::Trial,
};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use suffrage_parallel::Jobs;

/// An observer of the progress of an ensemble.
pub trait TrialProgress: Sync {
    /// Called when `finished` trials of `of` are done.
    fn finished(&self, finished: u64, of: u64);

    /// Called when a running trial has come to this many interactions. Called often, from the
    /// threads of the trials.
    fn within(&self, _trial: u64, _interactions: u64) {}
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl TrialProgress for Silent {
    fn finished(&self, _: u64, _: u64) {}
}

/// Passes on the progress of one trial.
struct WatchedTrial<'a> {
    trial: u64,
    progress: &'a dyn TrialProgress,
    interrupted: &'a AtomicBool,
}

impl Supervisor for WatchedTrial<'_> {
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
    pub seeds: TrialSeeds,
    /// The number of trials that run at once, at least one.
    pub threads: usize,
}

impl Ensemble {
    /// Runs the trials, each thread with an engine of its own, and returns them in order. The
    /// results are the same for any number of threads.
    ///
    /// Once `interrupted` is set, running trials are stopped and the finished ones up to the first
    /// missing one are returned: the result of an experiment with that many trials.
    pub fn run<E: TrialEngine>(
        &self,
        make: impl Fn() -> E + Sync,
        progress: &dyn TrialProgress,
        interrupted: &AtomicBool,
    ) -> Vec<Trial> {
        self.map(make, E::trial, progress, interrupted)
    }

    /// Runs trials of any result, as [`run`](Self::run) does.
    pub fn map<E, T: Send>(
        &self,
        make: impl Fn() -> E + Sync,
        trial: impl Fn(&mut E, &mut RandomStream, &dyn Supervisor) -> Option<T> + Sync,
        progress: &dyn TrialProgress,
        interrupted: &AtomicBool,
    ) -> Vec<T> {
        let Self { trials, seeds, threads } = *self;
        let job = |engine: &mut E, number| {
            let watched = WatchedTrial { trial: number, progress, interrupted };
            trial(engine, &mut seeds.stream(number), &watched)
        };
        Jobs { count: trials, threads, interrupted }
            .map(make, job, |finished| progress.finished(finished, trials))
    }
}

/// The combined progress of several ensembles.
pub(crate) struct OverallProgress<'a> {
    whole: &'a dyn TrialProgress,
    finished: AtomicU64,
    of: u64,
}

impl<'a> OverallProgress<'a> {
    /// Creates the progress of ensembles that have `of` trials together.
    pub(crate) const fn new(whole: &'a dyn TrialProgress, of: u64) -> Self {
        Self { whole, finished: AtomicU64::new(0), of }
    }
}

impl TrialProgress for OverallProgress<'_> {
    fn finished(&self, _: u64, _: u64) {
        self.whole.finished(self.finished.fetch_add(1, Relaxed) + 1, self.of);
    }
}

#[cfg(test)]
mod tests;
