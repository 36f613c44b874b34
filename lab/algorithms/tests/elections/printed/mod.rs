//! Forms of algorithms that the catalogue does not have. `errata.rs` runs them.

mod villadangos;

pub(crate) use villadangos::Villadangos;
