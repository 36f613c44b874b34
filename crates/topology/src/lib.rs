//! Networks for leader election: implicit, generated and read from files.

pub mod random;
pub mod wiring;
