//! Components.

use suffrage_algorithms::FormulaReading;

/// A process, and the messages on the link that enters each of its ports, the oldest first.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Component {
    pub local: u32,
    pub queues: Vec<Vec<u32>>,
}

/// What a formula reads of a component: of the process, and of the messages that it reads in each queue.
pub(crate) type ComponentReading = (Option<FormulaReading>, Vec<Vec<FormulaReading>>);
