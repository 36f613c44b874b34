//! The direct engine: keeps every agent in an array.
//!
//! [`Reference`] runs any protocol by its definition, one meeting after the other. [`Packed`]
//! runs the elections among numbered agents in eight bytes per agent, from the same meetings: a
//! seed gives the same trial in both.

mod individuals;
mod packed;
mod pages;
mod reference;
#[cfg(test)]
mod tests;

pub(crate) use individuals::Individuals;
pub use packed::{BYTES_PER_AGENT, Packed, TrialTail};
pub use reference::{Reference, RunObserver, WatchElection, WatchUntil};
