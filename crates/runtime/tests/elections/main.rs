//! Elections of all nodes in one program, over every medium.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod catalogue;
mod common;
