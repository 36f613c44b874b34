//! What the simulator lets happen, and what its judge finds.

#![expect(clippy::unwrap_used, reason = "a test may")]

mod catalogue;
mod faults;
mod judge;
mod landlord;
mod members;
mod shrinking;
mod values;
