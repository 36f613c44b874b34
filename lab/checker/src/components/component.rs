//! Components.

use suffrage_algorithms::FormulaReading;

/// A process, and the messages on the link that enters each of its ports, the oldest first.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Component {
    pub local: u32,
    pub queues: Vec<Vec<u32>>,
}

/// Invariants that are formulas, and are looked up together.
#[derive(Clone, Copy)]
pub(crate) struct FormulaSet {
    /// Their numbers, as bits.
    pub formulas: u64,
    pub places: PlacesRead,
    pub subjects: Subjects,
}

/// Whether it matters to formulas where the processes are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlacesRead {
    /// They hold alike wherever they are.
    No,
    /// Only in which order they follow each other on the ring, and which are neighbours.
    Order,
    Yes,
    /// It matters where they are, and no identity does.
    Alone,
}

/// The components on which a breach depends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subjects {
    All,
    /// Two, or a single one.
    Two,
    /// Three: one for each subject of the formula. Where one component is two of them, its messages count together.
    Three,
}

impl Subjects {
    /// Returns how often each component is read: as each subject, if these are told apart, and as a whole.
    pub(crate) const fn readings(self) -> usize {
        match self {
            Self::All | Self::Two => 1,
            Self::Three => 4,
        }
    }
}

/// What the formulas of a set read of a process, or of a message.
pub(crate) type SetReading = Vec<FormulaReading>;

/// The reading of a component that cannot be a subject of a breach.
pub(crate) const NO_SUBJECT: u16 = u16::MAX;
