//! Proofs for every number of processes, from the files of the algorithms that run.
//!
//! The file of an algorithm is compiled a second time, unchanged, against a [`prelude`] in which identities are
//! [`symbols`]. Each path through a reaction becomes a row of a [`table`]. The header of the file states invariants
//! with their formulas, and [`proof`] shows by induction that every reaction keeps them, on every schedule and for
//! every number of processes, and what follows from them.

// Tests in this crate need no algorithm, and all together take longer to compile than everything else here; so there is
// no use of what they need.
#![cfg_attr(test, allow(dead_code, unused_imports))]

extern crate alloc;

// Files of algorithms name these by their places in their own crate.
#[allow(warnings, clippy::all, clippy::pedantic)]
#[path = "../../../lab/algorithms/src/around.rs"]
mod around;
#[allow(warnings, clippy::all, clippy::pedantic)]
#[path = "../../../lab/algorithms/src/extinction.rs"]
mod extinction;
pub mod prelude;
mod wave {
    // A wave knows no identities.
    pub(crate) use suffrage_algorithms::wave::{Token, Wave};
}
mod ports {
    pub(crate) use crate::sets::SymbolicWaitedPorts as WaitedPorts;
}
mod fibonacci {
    /// Stands in for what bounds count, which nothing here evaluates.
    pub(crate) const fn phases(_: u64) -> u64 {
        0
    }

    /// Stands in for what is computed of counts, of which nothing is known.
    pub(crate) const fn fibonacci(_: u32) -> u64 {
        0
    }
}

mod divisors {
    /// Stands in for what bounds count, which nothing here evaluates.
    pub(crate) const fn divisor_sum(_: u64) -> u64 {
        0
    }
}

mod harmonic {
    /// Stands in for what bounds count, which nothing here evaluates.
    pub(crate) const fn times_harmonic(_: u64, _: u64) -> u64 {
        0
    }
}

pub mod certificate;
pub mod condition;
mod counterexample;
pub mod document;
mod equation;
pub mod export;
mod ground;
pub mod proof;
mod queue;
pub mod relation;
pub mod sat;
pub mod set_number;
pub mod sets;
mod shapes;
pub mod smt;
pub mod subjects;
pub mod symbols;
mod system;
pub mod systems;
pub mod table;
pub mod theory;

#[cfg(not(test))]
include!(concat!(env!("OUT_DIR"), "/subjects.rs"));

/// What is proved.
#[cfg(test)]
pub static SUBJECTS: &[subjects::ProvedAlgorithm] = &[];
