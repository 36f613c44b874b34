//! The library under one name: what its parts do together.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod agents;
mod course;
mod members;
mod own_property;
mod readme;
mod verdicts;
