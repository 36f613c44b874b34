//! Many elections on all cores, until they are stopped or the mean is known.

use crate::error::Error;
use crate::monitor::Monitor;
use crate::text::textual;
use std::fmt;
use std::num::NonZero;
use std::ops::Range;
use std::str::FromStr;
use std::thread;
use suffrage_numbers::short;
use suffrage_numbers::statistics::Distribution;
use suffrage_simulator::{Finished, Trials};

/// How many trials are run, and when that is enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Many {
    /// The most that are run.
    pub most: u64,
    /// How well the mean number of messages is to be known; if this is given, fewer may do.
    pub precision: Option<Precision>,
}

/// A share of a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision(pub f64);

impl FromStr for Precision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = match text.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
            None => text.parse::<f64>(),
        };
        match share {
            Ok(share) if share > 0.0 && share < 1.0 => Ok(Self(share)),
            _ => Err("write a share of the mean, such as 1% or 0.01".to_owned()),
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&short(self.0))
    }
}

textual!(Precision);

/// The number of trials after which the precision is looked at first.
const FIRST: u64 = 20;

/// The number of threads: as many as are wanted, or all cores.
#[must_use]
pub fn threads(wanted: Option<NonZero<usize>>) -> usize {
    wanted.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get)
}

/// Runs trials from 0 on until there are enough. `figure` is that whose mean is to be known. A
/// trial that was interrupted is `None`.
pub(crate) fn run<T: Send>(
    many: Many,
    threads: usize,
    trial: impl Fn(u64) -> Result<Option<T>, Error> + Sync,
    figure: impl Fn(&T) -> u64,
    monitor: &dyn Monitor,
    mut progress: impl FnMut(u64),
) -> Result<Finished<T>, Error> {
    let Some(precision) = many.precision else {
        return range(0..many.most, threads, &trial, monitor, &mut progress);
    };
    let mut all = Finished { results: Vec::new(), interrupted: false };
    // Where one looks must not depend on the threads, nor does it.
    let mut goal = FIRST.min(many.most);
    loop {
        let held = all.results.len() as u64;
        let part = range(held..goal, threads, &trial, monitor, &mut progress)?;
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

/// Runs the trials of these numbers.
fn range<T: Send>(
    numbers: Range<u64>,
    threads: usize,
    trial: &(impl Fn(u64) -> Result<Option<T>, Error> + Sync),
    monitor: &dyn Monitor,
    progress: &mut impl FnMut(u64),
) -> Result<Finished<T>, Error> {
    let first = numbers.start;
    let trial = |number, _seed| if monitor.is_stopped() { Ok(None) } else { trial(first + number) };
    Trials::new(numbers.end - first).threads(threads).run(trial, |done| {
        progress(first + done);
        monitor.go_on()
    })
}
