#![doc = include_str!("../README.md")]

pub mod memory;

use slab::Slab;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The longest time between two events of [`ordered`].
const TICK: Duration = Duration::from_millis(50);

/// Returns the number of processors available to this program, at least 1.
#[must_use]
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Numbered jobs that are all known beforehand.
#[derive(Clone, Copy, Debug)]
pub struct Jobs<'a> {
    /// The number of jobs: they are numbered `0..count`.
    pub count: u64,
    /// The number of threads, at least 1; more than `count` are not started.
    pub threads: usize,
    /// Ends the map early when it becomes true.
    pub interrupted: &'a AtomicBool,
}

impl Jobs<'_> {
    /// Runs the jobs and returns their results in the order of their numbers: the same results for
    /// any number of threads.
    ///
    /// Each thread calls `state` once and hands the value to every job that it runs. A job that
    /// returns `None` was interrupted. `progress` is called on the calling thread with the number
    /// of finished jobs.
    ///
    /// After an interruption, returns the longest run of results from job 0 on without a gap: what
    /// a map of that many jobs returns. The other finished results are dropped, since jobs that
    /// finish early are not a fair sample of all.
    ///
    /// # Panics
    /// If a job panics.
    pub fn map<S, T: Send>(
        &self,
        state: impl Fn() -> S + Sync,
        job: impl Fn(&mut S, u64) -> Option<T> + Sync,
        progress: impl FnMut(u64),
    ) -> Vec<T> {
        let job = |state: &mut S, number| Ok::<_, Infallible>(job(state, number));
        match self.try_map(state, job, progress) {
            Ok(results) => results,
            Err(never) => match never {},
        }
    }

    /// Runs jobs that may fail, like [`map`](Self::map).
    ///
    /// # Errors
    /// Returns the error of the failing job with the lowest number, if all jobs before it have
    /// finished. No job is started after an error.
    ///
    /// # Panics
    /// If a job panics.
    pub fn try_map<S, T: Send, E: Send>(
        &self,
        state: impl Fn() -> S + Sync,
        job: impl Fn(&mut S, u64) -> Result<Option<T>, E> + Sync,
        mut progress: impl FnMut(u64),
    ) -> Result<Vec<T>, E> {
        let (next, failed) = (AtomicU64::new(0), AtomicBool::new(false));
        let worker = || {
            let mut state = state();
            let (next, failed, job) = (&next, &failed, &job);
            move |stop: &AtomicBool| {
                if stop.load(Relaxed) || self.interrupted.load(Relaxed) || failed.load(Relaxed) {
                    return None;
                }
                let number = next.fetch_add(1, Relaxed);
                if number >= self.count {
                    return None;
                }
                let result = job(&mut state, number);
                if result.is_err() {
                    failed.store(true, Relaxed);
                }
                Some((number, result))
            }
        };
        let threads =
            self.threads.clamp(1, usize::try_from(self.count).unwrap_or(usize::MAX).max(1));
        let (mut results, mut error) = (Vec::new(), None);
        ordered(threads, worker, |event| {
            match event {
                JobEvent::Finished(finished) => progress(finished),
                JobEvent::Next(Ok(Some(result))) => results.push(result),
                JobEvent::Next(Ok(None)) => return ControlFlow::Break(()),
                JobEvent::Next(Err(what)) => {
                    error = Some(what);
                    return ControlFlow::Break(());
                }
                JobEvent::Tick => {}
            }
            ControlFlow::Continue(())
        });
        error.map_or(Ok(results), Err)
    }
}

/// An event for the gathering thread of [`ordered`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobEvent<T> {
    /// This many jobs have finished, in whatever order.
    Finished(u64),
    /// The next result, in the order of the numbers.
    Next(T),
    /// At most 50 ms have passed: an opportunity to draw progress or to stop.
    Tick,
}

/// Runs workers on `threads` threads and gathers their results, in the order of their numbers, on
/// the calling thread.
///
/// `worker` makes each thread's worker. A worker takes a job from wherever jobs come from, runs it,
/// and returns its number and its result; `None` means that there are no more jobs for it. The
/// numbers are `0, 1, 2, ...`, each taken once. A worker gets a flag that is set once `gather`
/// returns `Break`; a long job should look at it now and then.
///
/// After `Break` nothing more is gathered. Results after a number that never comes are dropped.
///
/// # Panics
/// If a worker panics, with that worker's message.
pub fn ordered<T: Send, W>(
    threads: usize,
    worker: impl Fn() -> W + Sync,
    mut gather: impl FnMut(JobEvent<T>) -> ControlFlow<()>,
) where
    W: FnMut(&AtomicBool) -> Option<(u64, T)>,
{
    // The results that have not been gathered yet.
    let slab = Mutex::new(Slab::new());
    let lock = || slab.lock().unwrap_or_else(PoisonError::into_inner);
    let worker = || {
        let mut work = worker();
        let work = move |stop: &AtomicBool| {
            let (number, result) = work(stop)?;
            Some((number, lock().insert(result)))
        };
        Box::new(work) as Box<Worker<'_>>
    };
    in_order(threads, &worker, &mut |event| match event {
        JobEvent::Finished(finished) => gather(JobEvent::Finished(finished)),
        JobEvent::Next(place) => {
            let result = lock().remove(place);
            gather(JobEvent::Next(result))
        }
        JobEvent::Tick => gather(JobEvent::Tick),
    });
}

/// A worker that returns the number of a job and the place of its result.
type Worker<'a> = dyn FnMut(&AtomicBool) -> Option<(u64, usize)> + 'a;

/// Runs [`ordered`] without the results themselves: compiled once, and not for every type of them.
fn in_order<'a>(
    threads: usize,
    worker: &(dyn Fn() -> Box<Worker<'a>> + Sync),
    gather: &mut dyn FnMut(JobEvent<usize>) -> ControlFlow<()>,
) {
    let stop = AtomicBool::new(false);
    let stop = &stop;
    thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        let start = |_| {
            let sender = sender.clone();
            let jobs = move || {
                let _stop_on_panic = StopOnPanic(stop);
                let mut work = worker();
                while let Some(result) = work(stop) {
                    if sender.send(result).is_err() {
                        break;
                    }
                }
            };
            thread::Builder::new().spawn_scoped(scope, jobs).ok()
        };
        // A limit of the system may allow fewer threads, or none but this one.
        let handles: Vec<_> = (0..threads.max(1)).map_while(start).collect();
        drop(sender);
        let mut here = handles.is_empty().then(worker);
        let mut result = || match &mut here {
            Some(work) => work(stop).ok_or(RecvTimeoutError::Disconnected),
            None => results.recv_timeout(TICK),
        };
        let mut early = BTreeMap::new();
        let (mut finished, mut next) = (0, 0);
        // If `gather` panics, the scope waits for workers that would otherwise go on.
        let _stop_on_panic = StopOnPanic(stop);
        'gathering: loop {
            match result() {
                Ok((number, place)) => {
                    finished += 1;
                    early.insert(number, place);
                    if gather(JobEvent::Finished(finished)).is_break() {
                        break;
                    }
                    while let Some(place) = early.remove(&next) {
                        next += 1;
                        if gather(JobEvent::Next(place)).is_break() {
                            break 'gathering;
                        }
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if gather(JobEvent::Tick).is_break() {
                        break;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        stop.store(true, Relaxed);
        drop(results);
        for handle in handles {
            if let Err(panic) = handle.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
}

/// Stops all workers when a thread panics.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
