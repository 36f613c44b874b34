//! Populations.
pub mod engine;
pub mod protocol;
pub mod protocols;
pub mod random;
pub mod sampling;
pub mod statistics;
pub mod trial;
