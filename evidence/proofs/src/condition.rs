//! What conditions are about, and how they are refuted.

use crate::prelude::Status;
use suffrage_algorithms::assertion::Assertion;

/// An invariant with its formula.
pub(crate) struct Lemma {
    pub(crate) name: String,
    pub(crate) assertion: Assertion,
}

/// What must not come of a reaction.
pub(crate) enum ReactionFault<'p> {
    /// The reaction itself.
    Happens,
    /// Afterwards this does not hold.
    Breaks(&'p Lemma),
    /// The process had decided so, and has not any more.
    Revokes(Status),
    /// It sends a message for a second time.
    Repeats,
    /// It sends a message through a port that it does not have.
    Strays,
}

/// How a condition is refuted.
#[derive(Clone, Copy, Debug)]
pub struct Refutation {
    /// The number of clauses.
    pub clauses: usize,
    /// The number of steps of the certificate.
    pub steps: usize,
    /// Whether it assumes invariants that say that something exists.
    pub existential: bool,
}
