//! What is said of a protocol, and how an engine gets hold of it.

use suffrage_process::recovery::Recoverable;

/// A row of the catalogue.
pub struct Protocol {
    /// The name by which people call it: lower case, words joined by `-`.
    pub name: &'static str,
    /// Who found it, where and when, in a line.
    pub paper: &'static str,
    /// Which promise it does not keep, for one that is kept for comparison.
    pub faulty: Option<&'static str>,
    /// The text of its file, or of the first one of its folder.
    pub source: &'static str,
    pub(crate) tag: crate::Tag,
}

impl Protocol {
    /// The protocol of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        crate::CATALOGUE.iter().find(|protocol| protocol.name == name)
    }
}

/// Something that can be done with any protocol, such as running it. The catalogue hands over the
/// protocol as a type, so that an engine is compiled for each and knows none by name.
pub trait Visitor {
    /// The result of a visit.
    type Output;

    /// Visits the protocol `P`.
    fn visit<P: Recoverable>(self) -> Self::Output;
}

/// A [`Visitor`] that needs messages which can leave the program.
#[cfg(feature = "serde")]
pub trait WireVisitor {
    /// The result of a visit.
    type Output;

    /// Visits the protocol `P`.
    fn visit<P: Recoverable<Msg: suffrage_process::Wire>>(self) -> Self::Output;
}
