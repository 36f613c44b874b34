//! A row of the catalogue, and how an engine gets the algorithm as a type.

use crate::{Claimed, Claims, Invariant};
use alloc::vec::Vec;
use suffrage_process::NetworkClass;
#[cfg(feature = "serde")]
use suffrage_process::Wire;

/// A row of the catalogue.
pub struct Algorithm {
    /// Its name: lower case, words joined by `-`.
    pub name: &'static str,
    /// Its paper in one line: authors, venue, year.
    pub paper: &'static str,
    /// The networks on which it is correct.
    pub network: NetworkClass,
    /// What is claimed of it.
    pub claims: Claims,
    /// Why the algorithm fails, for one that is kept as a warning.
    pub faulty: Option<&'static str>,
    /// The algorithm itself: the text of its file.
    pub source: &'static str,
    pub(crate) knows: fn(&mut dyn FnMut(&'static str)),
    pub(crate) tag: crate::Tag,
}

impl Algorithm {
    /// The algorithm of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        crate::CATALOGUE.iter().find(|algorithm| algorithm.name == name)
    }

    /// The names of its invariants, in the order of its header.
    #[must_use]
    pub fn invariants(&self) -> Vec<&'static str> {
        struct Names;
        impl Visitor for Names {
            type Output = Vec<&'static str>;
            fn visit<P: Claimed>(self) -> Self::Output {
                P::invariants().iter().map(Invariant::name).collect()
            }
        }
        self.visit(Names)
    }

    /// What the stages in which processes compete are called, "round" or "level"; `None` if they do
    /// not.
    #[must_use]
    pub fn stages(&self) -> Option<&'static str> {
        struct Name;
        impl Visitor for Name {
            type Output = Option<&'static str>;
            fn visit<P: Claimed>(self) -> Self::Output {
                P::race().map(|race| race.stage)
            }
        }
        self.visit(Name)
    }

    /// Passes what a process knows before it starts to `say`: one phrase a call, and none twice.
    pub fn knows(&self, say: &mut dyn FnMut(&'static str)) {
        // A wrapper knows what it needs itself, and again what the process inside it needs.
        let mut said = Vec::new();
        (self.knows)(&mut |phrase| {
            if !said.contains(&phrase) {
                said.push(phrase);
                say(phrase);
            }
        });
    }
}

/// An operation on any algorithm: to simulate it, to measure its states.
///
/// The catalogue passes the algorithm as a type, so that an engine is compiled for each algorithm
/// and knows none by name.
pub trait Visitor {
    /// The result of a visit.
    type Output;

    /// Visits the algorithm `P`.
    fn visit<P: Claimed>(self) -> Self::Output;
}

/// A [`Visitor`] that needs messages which can leave the program.
#[cfg(feature = "serde")]
pub trait WireVisitor {
    /// The result of a visit.
    type Output;

    /// Visits the algorithm `P`.
    fn visit<P: Claimed<Msg: Wire>>(self) -> Self::Output;
}
