//! Many elections at once, on all cores, with the same result on any number of them.

use crate::error::Error;
use crate::interrupt;
use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

/// The trials that were finished, without a gap from the first one on.
pub(crate) struct Finished<T> {
    pub(crate) results: Vec<T>,
    /// Somebody asked for an end before the last one.
    pub(crate) interrupted: bool,
}

/// How many threads there are to use.
pub(crate) fn threads(wanted: Option<NonZero<usize>>) -> usize {
    wanted.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get)
}

/// Holds trials `0..count`. A trial that was interrupted is `None`.
///
/// Results come in the order of the trials and the first error is that of the first trial that has
/// one, so that nothing depends on which thread was faster.
pub(crate) fn hold<T: Send>(
    count: u64,
    threads: usize,
    trial: impl Fn(u64) -> Result<Option<T>, Error> + Sync,
    mut progress: impl FnMut(u64),
) -> Result<Finished<T>, Error> {
    let next = AtomicU64::new(0);
    let enough = AtomicBool::new(false);
    let threads = threads.min(usize::try_from(count).unwrap_or(usize::MAX));
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..threads {
            let (sender, next, enough, trial) = (sender.clone(), &next, &enough, &trial);
            scope.spawn(move || {
                while !enough.load(Ordering::Relaxed) && !interrupt::asked() {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count || sender.send((number, trial(number))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut results = Vec::new();
        let mut early = BTreeMap::new();
        for (done, (number, result)) in (1..).zip(receiver) {
            progress(done);
            if result.is_err() {
                enough.store(true, Ordering::Relaxed);
            }
            early.insert(number, result);
            while let Some(result) = early.remove(&(results.len() as u64)) {
                match result {
                    Ok(Some(result)) => results.push(result),
                    Ok(None) => return Ok(Finished { results, interrupted: true }),
                    Err(error) => return Err(error),
                }
            }
        }
        let interrupted = (results.len() as u64) < count;
        Ok(Finished { results, interrupted })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_trials() {
        for threads in [1, 3, 8] {
            // Earlier trials take longer.
            let trial = |number: u64| {
                let work =
                    (0..(50 - number) * 1000).fold(number, |sum, i| sum ^ i.wrapping_mul(sum));
                Ok(Some((number, work)))
            };
            let finished = hold(50, threads, trial, |_| {}).unwrap();
            assert!(finished.results.iter().map(|&(number, _)| number).eq(0..50));
            assert!(!finished.interrupted);
        }
    }

    #[test]
    fn the_first_error_by_number_counts() {
        let trial = |number| match number {
            0..10 => Ok(Some(number)),
            _ => Err(Error::new(format!("trial {number}"))),
        };
        for threads in [1, 4] {
            let error = hold(1000, threads, trial, |_| {}).map(|_| ()).unwrap_err();
            assert_eq!(error.to_string(), "trial 10");
        }
    }

    #[test]
    fn an_interrupted_trial_ends_the_sequence() {
        let trial = |number| Ok((number != 7).then_some(number));
        let finished = hold(20, 4, trial, |_| {}).unwrap();
        assert_eq!(finished.results, [0, 1, 2, 3, 4, 5, 6]);
        assert!(finished.interrupted);
    }
}
