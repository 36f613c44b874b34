//! Runs as drawings and pages, for the whole catalogue.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod drawings;
mod executions;
mod pages;
mod plays;
