//! Components: processes with the messages that are under way to them, numbered once.
//!
//! A configuration without faults and bounds is one component for each process. What a component may do,
//! and which one it is when another message comes to it, is looked up in dense tables, so a step is two or
//! three look-ups, and a configuration one number of 16 bits for each process. Such an exploration finds
//! what the general one would, or nothing: then the general one examines the instance.

mod check_memory;
pub(crate) mod component;
pub(crate) mod exploration;
mod formula_memory;
mod graph;
mod scene;
mod sweep;
mod tables;
#[cfg(test)]
pub(crate) mod tests;
mod time;
mod ways;
mod word;

use crate::components::{graph::ComponentGraph, tables::ComponentTables};

/// The tables of an algorithm, and the graphs of the last instances of at most 8 nodes and of 16.
#[derive(Default)]
pub(crate) struct ComponentStore {
    tables: ComponentTables,
    small: ComponentGraph<2>,
    large: ComponentGraph<4>,
}

/// The greatest number of nodes of a small graph.
const MOST_OF_SMALL: usize = 8;

impl ComponentStore {
    /// Returns the reactions of the processes of the last instance, which has this many nodes, as effects, in the
    /// order of their discovery: those of each component once.
    pub(crate) fn reactions(&self, nodes: usize) -> Vec<(u16, u32)> {
        match nodes {
            0..=MOST_OF_SMALL => self.small.reactions(&self.tables, nodes),
            _ => self.large.reactions(&self.tables, nodes),
        }
    }
}
