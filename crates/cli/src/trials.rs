//! Holds many elections on all cores, until they are interrupted.

use crate::error::Error;
use crate::interrupt;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::thread;
use suffrage::simulator::{Finished, Trials};

/// Returns the number of threads to use.
pub(crate) fn threads(wanted: Option<NonZero<usize>>) -> usize {
    wanted.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get)
}

/// Holds trials `0..count`. A trial that was interrupted is `None`.
pub(crate) fn hold<T: Send>(
    count: u64,
    threads: usize,
    trial: impl Fn(u64) -> Result<Option<T>, Error> + Sync,
    mut progress: impl FnMut(u64),
) -> Result<Finished<T>, Error> {
    let trial = |number, _seed| if interrupt::asked() { Ok(None) } else { trial(number) };
    Trials::new(count).threads(threads).run(trial, |done| {
        progress(done);
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
}
