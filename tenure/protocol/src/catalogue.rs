//! The rows of the catalogue, and the visitors that give an engine the protocol as a type.

use tenure_model::Recoverable;

/// A row of the catalogue.
pub struct Protocol {
    /// Its name: lower case, words joined by `-`.
    pub name: &'static str,
    /// Its paper in one line: authors, venue, year.
    pub paper: &'static str,
    /// The promise that it breaks, for a protocol that is kept for comparison.
    pub faulty: Option<&'static str>,
    /// The text of its file, or of the first one of its folder.
    pub source: &'static str,
    pub(crate) tag: crate::Tag,
}

impl Protocol {
    /// Returns the protocol of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        crate::CATALOGUE.iter().find(|protocol| protocol.name == name)
    }
}

/// An operation on any protocol, such as running it. The catalogue passes the protocol as a type,
/// so that an engine is compiled for each and knows none by name.
pub trait ProtocolVisitor {
    /// The result of a visit.
    type Output;

    /// Visits the protocol `P`.
    fn visit<P: Recoverable>(self) -> Self::Output;
}

/// A [`ProtocolVisitor`] that needs messages which can leave the program.
#[cfg(feature = "serde")]
pub trait WireProtocolVisitor {
    /// The result of a visit.
    type Output;

    /// Visits the protocol `P`.
    fn visit<P: Recoverable<Msg: tenure_model::Wire>>(self) -> Self::Output;
}
