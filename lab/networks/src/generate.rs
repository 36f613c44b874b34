//! Generators of links: lattices, trees and random networks.
//!
//! They take numbers and return links, independently of specifications: [`Spec`](crate::Spec) calls
//! them. `petgraph` 0.8 offers no such generators: its unstable `generate` feature enumerates all
//! graphs of a size.

pub(crate) mod lattice;
pub(crate) mod random;
pub(crate) mod regular;
pub(crate) mod tree;

/// The links of a network under construction.
pub(crate) type Links = Vec<(u32, u32)>;
