//! What the tests share.

use std::{num::NonZero, ops::ControlFlow};
use suffrage_algorithms::Algorithm;
use suffrage_checker::{Conditions, Family, Options, Report, check};

/// What a family's exploration finds, each instance by itself, on so many threads.
pub(crate) fn found(row: &Algorithm, family: &Family, options: Options, threads: usize) -> Report {
    conditions(options, true, threads, |conditions| check(row, family, conditions))
        .expect("a family that can be explored")
}

/// Conditions under which everything is explored, each instance by itself or not.
pub(crate) fn conditions<T>(
    options: Options,
    each: bool,
    threads: usize,
    then: impl FnOnce(&mut Conditions<'_>) -> T,
) -> T {
    then(&mut Conditions {
        options,
        keep_going: true,
        each,
        threads: NonZero::new(threads).expect("at least one thread"),
        watch: &mut |_| ControlFlow::Continue(()),
    })
}
