//! Elections of all nodes in one program, over every medium, with and without faults.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod broken;
mod catalogue;
mod certificates;
mod common;
mod counts;
mod crashes;
mod disagreement;
mod ending;
mod homonyms;
mod hostile;
mod library;
mod logs;
mod many;
mod peer;
mod proxy;
mod unauthenticated;
