//! Components: processes with the messages that are under way to them, numbered once.
//!
//! A configuration without faults and bounds is one component for each process. What a component may do,
//! and which one it is when another message comes to it, is looked up in dense tables, so a step is two or
//! three look-ups, and a configuration one number of 16 bits for each process. Such an exploration finds
//! what the general one would, or nothing: then the general one examines the instance.

pub(crate) mod component;
pub(crate) mod exploration;
mod graph;
mod sweep;
mod tables;
#[cfg(test)]
pub(crate) mod tests;

use crate::components::{graph::ComponentGraph, tables::ComponentTables};

/// The tables of an algorithm, and the graphs of the last instances of at most 8 nodes and of 16.
#[derive(Default)]
pub(crate) struct ComponentStore {
    tables: ComponentTables,
    small: ComponentGraph<2>,
    large: ComponentGraph<4>,
}
