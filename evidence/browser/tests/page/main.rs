//! The page of a run in a real browser.
//!
//! Skipped where there is no Chromium (`CHROMIUM` may name one). `UPDATE_GOLDEN=1` makes the pictures of
//! the documents anew.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod pictures;
mod reading;
mod runs;
mod scheduler;
mod tried;
