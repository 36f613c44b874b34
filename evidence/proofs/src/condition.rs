//! What conditions are about, and how they are refuted.

use crate::prelude::Status;
use std::collections::BTreeSet;
use std::sync::Arc;
use suffrage_algorithms::assertion::{Assertion, AssertionPart, CountedTerm};

/// An invariant with its formula.
pub(crate) struct Lemma {
    pub(crate) name: Arc<str>,
    pub(crate) assertion: Assertion,
}

impl Lemma {
    pub(crate) fn is_equation(&self) -> bool {
        self.assertion.equation().is_some()
    }

    /// Whether it says that something exists, and is no equation.
    pub(crate) fn says_what_exists(&self) -> bool {
        self.assertion.is_existential() && !self.is_equation()
    }

    /// What it says when no message is under way.
    pub(crate) fn when_silent(&self) -> Self {
        let formula = when_silent(&self.assertion.formula);
        Self { name: self.name.clone(), assertion: Assertion { formula, ..self.assertion.clone() } }
    }
}

/// What a claim says when no message is under way.
pub(crate) fn when_silent(claim: &AssertionPart) -> AssertionPart {
    use AssertionPart::{All, Any, AsMany, Exists, If, Message, Not};
    let is = |holds| {
        move |part: &AssertionPart| part == &if holds { All(Vec::new()) } else { Any(Vec::new()) }
    };
    let silent = |parts: &[AssertionPart]| parts.iter().map(when_silent).collect::<Vec<_>>();
    match claim {
        Message(..) => Any(Vec::new()),
        Not(of) => match when_silent(of) {
            of if is(true)(&of) => Any(Vec::new()),
            of if is(false)(&of) => All(Vec::new()),
            of => Not(of.into()),
        },
        All(parts) => {
            let mut parts = silent(parts);
            if parts.iter().any(is(false)) {
                return Any(Vec::new());
            }
            parts.retain(|part| !is(true)(part));
            All(parts)
        }
        Any(parts) => {
            let mut parts = silent(parts);
            if parts.iter().any(is(true)) {
                return All(Vec::new());
            }
            parts.retain(|part| !is(false)(part));
            Any(parts)
        }
        If(one, other) => match (when_silent(one), when_silent(other)) {
            (one, other) if is(false)(&one) || is(true)(&other) => All(Vec::new()),
            (one, other) => If(one.into(), other.into()),
        },
        Exists(bound, of) => {
            let of = when_silent(of);
            let mut bound = bound.clone();
            bound.retain(|variable| of.mentions(&|other| other == *variable));
            if bound.is_empty() { of } else { Exists(bound, of.into()) }
        }
        AsMany(terms) => {
            let terms =
                terms.iter().map(|term| CountedTerm { such: when_silent(&term.such), ..*term });
            AsMany(terms.filter(|term| !is(false)(&term.such)).collect())
        }
        other => other.clone(),
    }
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
#[derive(Clone, Debug)]
pub struct Refutation {
    /// The number of clauses.
    pub clauses: usize,
    /// The number of steps of the certificate.
    pub steps: usize,
    /// Whether it assumes invariants that say that something exists.
    pub existential: bool,
    /// The invariants that it rests on.
    pub invariants: BTreeSet<Arc<str>>,
}
