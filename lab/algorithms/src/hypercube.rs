//! Algorithms for hypercubes.

mod hyper_elect;

pub use hyper_elect::{Forward, HyperElect};
