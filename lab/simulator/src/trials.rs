//! Many elections that differ in their seeds.

use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};
use suffrage_networks::random::Key;
use suffrage_parallel::{Jobs, cores};

/// Runs many elections that differ in their seeds, on all cores.
///
/// The results do not depend on the number of threads. The first trial has the seed of the whole,
/// so a single trial is the same election as one that is run alone.
///
/// ```
/// use std::ops::ControlFlow;
/// use suffrage_algorithms::Algorithm;
/// use suffrage_simulator::{Simulator, Trials};
/// use suffrage_networks::{Ids, wiring::Wiring};
///
/// let algorithm = Algorithm::named("chang-roberts").ok_or("no such algorithm")?;
/// let ring = Wiring::ring(100);
/// let messages = |_trial, seed| {
///     let ids = Ids::Random.assign(100, seed);
///     let outcome = Simulator::new(algorithm, &ring, &ids).seed(seed).run()?;
///     Ok::<_, suffrage_simulator::SimulationError>(Some(outcome.messages.total()))
/// };
/// let all = Trials::new(50).seed(7).run(messages, |_finished| ControlFlow::Continue(()))?;
/// let mean = all.results.iter().sum::<u64>() / 50;
/// assert!(mean < 100 * 99 / 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "no trial is run until `run` is called"]
pub struct Trials {
    count: u64,
    seed: u64,
    threads: usize,
}

/// The results of the trials that were finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished<T> {
    /// The results in the order of the trials, without a gap from the first one on.
    pub results: Vec<T>,
    /// Whether the trials were interrupted before the last one.
    pub interrupted: bool,
}

impl Trials {
    /// Creates this number of trials, with the seed 1, on all cores.
    pub fn new(count: u64) -> Self {
        Self { count, seed: 1, threads: cores() }
    }

    /// Sets the seed from which the seeds of the trials are drawn.
    pub const fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Sets the number of threads; 0 is taken as 1.
    pub const fn threads(self, threads: usize) -> Self {
        Self { threads: if threads == 0 { 1 } else { threads }, ..self }
    }

    /// Returns the seed of a trial, by its number. Trial 0 has the seed itself; others have 53
    /// bits, so that every reader of JSON reads them exactly.
    #[must_use]
    pub fn seed_of(&self, trial: u64) -> u64 {
        match trial {
            0 => self.seed,
            _ => Key::new(self.seed, "trial").at(trial).bits() >> 11,
        }
    }

    /// Runs `trial` with the number and the seed of each trial. A trial that was interrupted returns
    /// `None`.
    ///
    /// `on_progress` is called on this thread with the number of finished trials. No trial is started
    /// after it has returned [`ControlFlow::Break`].
    ///
    /// # Errors
    /// The error of the first trial that fails, by number.
    ///
    /// # Panics
    /// If a trial panics.
    pub fn run<T: Send, E: Send>(
        &self,
        trial: impl Fn(u64, u64) -> Result<Option<T>, E> + Sync,
        mut on_progress: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Finished<T>, E> {
        let interrupted = AtomicBool::new(false);
        let jobs = Jobs { count: self.count, threads: self.threads, interrupted: &interrupted };
        let job = |(): &mut (), number| trial(number, self.seed_of(number));
        let results = jobs.try_map(
            || (),
            job,
            |finished| {
                if on_progress(finished).is_break() {
                    interrupted.store(true, Relaxed);
                }
            },
        )?;
        let interrupted = (results.len() as u64) < self.count;
        Ok(Finished { results, interrupted })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GO_ON: fn(u64) -> ControlFlow<()> = |_| ControlFlow::Continue(());

    #[test]
    fn the_results_are_the_same_on_any_number_of_threads() {
        let run = |threads| {
            Trials::new(50).seed(3).threads(threads).run(|_, seed| Ok::<_, ()>(Some(seed)), GO_ON)
        };
        let one = run(1).unwrap();
        assert_eq!((one.results.len(), one.results[0], one.interrupted), (50, 3, false));
        for threads in [0, 3, 8] {
            assert_eq!(run(threads).unwrap(), one);
        }
    }

    #[test]
    fn an_interrupted_trial_ends_the_results() {
        let trials = Trials::new(20).threads(4);
        let trial = |number, _| Ok::<_, ()>((number != 7).then_some(number));
        let finished = trials.run(trial, GO_ON).unwrap();
        assert!(finished.results.into_iter().eq(0..7));
        assert!(finished.interrupted);
    }

    #[test]
    fn the_error_of_the_first_trial_counts() {
        let trials = Trials::new(100).threads(4);
        let trial = |number, _| if number < 10 { Ok(Some(())) } else { Err(number) };
        assert_eq!(trials.run(trial, GO_ON), Err(10));
    }
}
