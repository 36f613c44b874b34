//! Seeded faults: can the checker find them?
//!
//! `build.rs` makes a copy of each algorithm's own file with the faults of the [list](list::SUITES) in it, and a run
//! chooses one. [`examine`] checks every mutant, and every unchanged algorithm, for the
//! properties of its row in the catalogue and, separately, for its invariants: on every schedule of
//! every small election, and if that finds nothing, in random runs of larger ones. [`judge`] does
//! the same for faults in the judge.

// Nothing in here has tests: where those of all libraries are compiled (`--lib`), this one is not compiled twice.
#![cfg(not(test))]

extern crate alloc;

mod examination;
pub mod judge;
pub mod list;
mod report;
pub mod tenure;

pub use examination::{
    Fate, Finding, Hold, Question, SAMPLES, SEEDS, examine, examine_all, is_whole, suites,
};
pub use report::{place, report, row};

use examination::{chosen, hold};

/// The most nodes of elections that are explored for properties.
pub const MOST_NODES: u32 = 5;

include!(concat!(env!("OUT_DIR"), "/subjects.rs"));
