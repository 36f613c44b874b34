//! What the tests share.

use std::{num::NonZero, ops::ControlFlow};
use suffrage_algorithms::Algorithm;
use suffrage_checker::{Conditions, Family, Options, Report, check};

/// What a family's exploration finds, on so many threads.
pub(crate) fn found(row: &Algorithm, family: &Family, options: Options, threads: usize) -> Report {
    let mut conditions = Conditions {
        options,
        keep_going: true,
        threads: NonZero::new(threads).expect("at least one thread"),
        watch: &mut |_| ControlFlow::Continue(()),
    };
    check(row, family, &mut conditions).expect("a family that can be explored")
}
