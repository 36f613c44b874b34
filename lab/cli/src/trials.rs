//! Holds many elections on all cores, until they are interrupted or the mean is known.

use crate::error::Error;
use crate::flags::Many;
use crate::interrupt;
use std::num::NonZero;
use std::ops::Range;
use std::thread;
use suffrage::simulator::{Finished, Trials};
use suffrage::statistics::Distribution;

/// The number of trials after which the precision is looked at first.
const FIRST: u64 = 20;

pub(crate) fn threads(wanted: Option<NonZero<usize>>) -> usize {
    wanted.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get)
}

/// Holds trials from 0 on until there are enough. `figure` is that whose mean is to be known. A
/// trial that was interrupted is `None`.
pub(crate) fn hold<T: Send>(
    many: Many,
    threads: usize,
    trial: impl Fn(u64) -> Result<Option<T>, Error> + Sync,
    figure: impl Fn(&T) -> u64,
    mut progress: impl FnMut(u64),
) -> Result<Finished<T>, Error> {
    let Some(precision) = many.precision else {
        return range(0..many.most, threads, &trial, &mut progress);
    };
    let mut all = Finished { results: Vec::new(), interrupted: false };
    // Where one looks must not depend on the threads, nor does it.
    let mut goal = FIRST.min(many.most);
    loop {
        let held = all.results.len() as u64;
        let part = range(held..goal, threads, &trial, &mut progress)?;
        all.results.extend(part.results);
        all.interrupted = part.interrupted;
        let figures: Distribution = all.results.iter().map(&figure).collect();
        let known = figures.half_width().zip(figures.mean());
        let enough = known.is_some_and(|(width, mean)| width <= precision.0 * mean);
        if enough || all.interrupted || goal == many.most {
            return Ok(all);
        }
        goal = (goal + goal / 2).min(many.most);
    }
}

/// Holds the trials of these numbers.
fn range<T: Send>(
    numbers: Range<u64>,
    threads: usize,
    trial: &(impl Fn(u64) -> Result<Option<T>, Error> + Sync),
    progress: &mut impl FnMut(u64),
) -> Result<Finished<T>, Error> {
    let first = numbers.start;
    let trial = |number, _seed| if interrupt::asked() { Ok(None) } else { trial(first + number) };
    Trials::new(numbers.end - first).threads(threads).run(trial, |done| {
        progress(first + done);
        interrupt::stop_if_asked()
    })
}
