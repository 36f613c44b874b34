//! Members that communicate over QUIC, with records on disk.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod certificates;
mod clients;
mod configuration;
mod crash_notifiers;
mod dialling;
mod failover;
mod garbage;
mod hosts;
#[cfg(feature = "http")]
mod http;
mod leases;
mod limits;
mod lossy;
mod members;
#[cfg(feature = "http")]
mod metrics;
mod operators;
mod versions;
