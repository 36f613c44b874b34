//! Populations.
pub mod check;
pub mod engine;
pub mod ensemble;
pub mod error;
pub mod experiment;
pub mod history;
pub mod ids;
pub mod memory;
pub mod protocol;
pub mod protocols;
pub mod random;
pub mod report;
pub mod reproduce;
pub mod sampling;
pub mod statistics;
pub mod summary;
pub mod trial;
