//! Algorithms for hypercubes.

pub(crate) mod hyper_elect;

pub use hyper_elect::{Forward, HyperElect};
