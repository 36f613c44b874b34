//! The direct engine: keeps every agent in an array.
//!
//! [`Reference`] runs any protocol by its definition, one meeting after the other. [`Packed`]
//! runs the elections among numbered agents in eight bytes per agent, from the same meetings: a
//! seed gives the same trial in both.

mod news;
mod packed;
mod pages;
mod reference;
#[cfg(test)]
mod tests;

pub use packed::{BYTES_PER_AGENT, Packed, TrialTail};
pub(crate) use reference::meet;
pub use reference::{Reference, RunObserver, WatchElection, WatchUntil};
