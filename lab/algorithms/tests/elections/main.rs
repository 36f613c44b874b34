//! Elections on random and on chosen interleavings of small networks.

mod catalogue;
mod claims;
mod driver;
mod errata;
mod every_schedule;
mod invariants;
mod lemmas;
mod networks;
mod printed;
