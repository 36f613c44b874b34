//! Elections of all nodes in one program, over every medium, in fair weather and foul.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod broken;
mod catalogue;
mod common;
mod counts;
mod crashes;
mod disagreement;
mod library;
mod many;
mod proxy;
mod strangers;
