//! The rows of the catalogue, and the visitors that give an engine the algorithm as a type.

use crate::{
    AlgorithmHeader, Bound, Claimed, Claims, Form, FormKind, Invariant, PROVED, ProofRecord,
    Property,
};
use alloc::{format, string::String, vec::Vec};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use suffrage_model::{NetworkClass, Timing, Wire};

/// A row of the catalogue.
pub struct Algorithm {
    /// Its name: lower case, words joined by `-`.
    pub name: &'static str,
    /// Its paper in one line: authors, venue, year.
    pub paper: &'static str,
    /// The networks on which it is correct.
    pub network: NetworkClass,
    /// The timing on which it relies.
    pub timing: Timing,
    /// The claims about it.
    pub claims: Claims,
    /// The number of messages for which a bounded link [needs room](Claimed::ROOM).
    pub room: Bound,
    /// The difference from the algorithm of the catalogue, if it is a printed form.
    pub form: Option<Form>,
    /// The algorithm itself: the text of its file.
    pub source: &'static str,
    /// The header of its file.
    pub header: &'static AlgorithmHeader,
    pub(crate) knows: fn(&mut dyn FnMut(&'static str)),
    pub(crate) tag: crate::AlgorithmTag,
}

/// Returns the SHA-256 of a text, in hexadecimal digits.
#[must_use]
pub fn digest(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The algorithms for the same networks, with a sense of direction or without.
#[derive(Debug)]
pub struct Group {
    /// Its name in a word.
    pub name: &'static str,
    /// The networks, without a sense of direction.
    pub class: NetworkClass,
    /// Its name as a heading.
    pub heading: &'static str,
}

impl Group {
    /// The groups, in the order of the catalogue.
    pub const ALL: [Self; 5] = [
        Self { name: "complete", class: NetworkClass::Complete, heading: "Complete networks" },
        Self { name: "ring", class: NetworkClass::Ring, heading: "Rings" },
        Self { name: "hypercube", class: NetworkClass::Hypercube, heading: "Hypercubes" },
        Self { name: "tree", class: NetworkClass::Tree, heading: "Trees" },
        Self { name: "graph", class: NetworkClass::Connected, heading: "All connected networks" },
    ];

    /// Returns whether an algorithm belongs to the group.
    #[must_use]
    pub fn has(&self, algorithm: &Algorithm) -> bool {
        algorithm.network.unoriented() == self.class
    }
}

impl Algorithm {
    /// Returns the difference, as a predicate, if it is a faulty form.
    #[must_use]
    pub fn faulty(&self) -> Option<&'static str> {
        self.form.filter(|form| form.kind == FormKind::Faulty).map(|form| form.difference)
    }

    /// Returns the algorithm's name: for a form, the name of the algorithm that it varies;
    /// otherwise its own.
    #[must_use]
    pub fn base(&self) -> &'static str {
        self.name.split('@').next().unwrap_or(self.name)
    }

    /// Returns the algorithm of this name, the printed form, or the algorithm [under the
    /// synchronizer](crate::SYNCHRONIZED); `None` if there is none.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::rows().find(|algorithm| algorithm.name == name)
    }

    /// Returns whether it is an algorithm in rounds [under the synchronizer](crate::SYNCHRONIZED).
    #[must_use]
    pub fn is_synchronized(&self) -> bool {
        crate::SYNCHRONIZED.iter().any(|row| row.name == self.name)
    }

    /// Returns every row that a name finds: [all algorithms](Self::all), and after them those [under
    /// the synchronizer](crate::SYNCHRONIZED).
    pub fn rows() -> impl Iterator<Item = &'static Self> {
        Self::all().chain(crate::SYNCHRONIZED)
    }

    /// Returns every algorithm, and after them the printed forms.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        Self::correct().chain(crate::FORMS)
    }

    /// Returns every algorithm without the printed forms: those that need no rounds, after them those
    /// that do, and after them those that may err.
    pub fn correct() -> impl Iterator<Item = &'static Self> {
        Self::asynchronous().chain(crate::ROUNDS).chain(crate::MONTE_CARLO)
    }

    /// Returns every algorithm that runs under any delays, without the printed forms: those that
    /// need no random choices, and after them the randomized ones.
    pub fn asynchronous() -> impl Iterator<Item = &'static Self> {
        crate::CATALOGUE.iter().chain(crate::RANDOMIZED)
    }

    /// Returns the names of its invariants, in the order of its header.
    #[must_use]
    pub fn invariants(&self) -> Vec<&'static str> {
        struct InvariantNames;
        impl AlgorithmVisitor for InvariantNames {
            type Output = Vec<&'static str>;
            fn visit<P: Claimed>(self) -> Self::Output {
                P::invariants().iter().map(Invariant::name).collect()
            }
        }
        self.visit(InvariantNames)
    }

    /// Returns what is proved of it for every number of processes, if something is.
    #[must_use]
    pub fn proved(&self) -> Option<&'static ProofRecord> {
        PROVED.iter().find(|record| record.algorithm == self.name)
    }

    /// Returns what a proof leaves open: properties and invariants that are explored for a few processes only.
    #[must_use]
    pub fn explored_only(&self, record: &ProofRecord) -> Vec<&'static str> {
        // A process that sends through a port that it does not have cannot be proved correct, and links are reliable
        // by an axiom.
        let given = [Property::ExistingPorts, Property::ReliableLinks];
        let properties = Property::ALL.iter().filter(|property| !given.contains(property));
        let names = properties.map(|property| property.name());
        let functions = self.statements().filter(|stated| stated.formula.is_none());
        names
            .filter(|name| !record.properties.contains(name))
            .chain(functions.map(|stated| stated.name))
            .collect()
    }

    /// Returns the SHA-256 of its file, in hexadecimal digits.
    #[must_use]
    pub fn digest(&self) -> String {
        digest(self.source)
    }

    /// Returns the name of the stages in which processes compete, "round" or "level"; `None` if
    /// they do not compete.
    #[must_use]
    pub fn stages(&self) -> Option<&'static str> {
        struct StageName;
        impl AlgorithmVisitor for StageName {
            type Output = Option<&'static str>;
            fn visit<P: Claimed>(self) -> Self::Output {
                P::race().map(|race| race.stage)
            }
        }
        self.visit(StageName)
    }

    /// Calls `say` with each phrase that states what a process knows before it starts, without
    /// repetition.
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
pub trait AlgorithmVisitor {
    /// The result of a visit.
    type Output;

    /// Visits the algorithm `P`, whose messages and states can leave the program. A visitor that does not need that
    /// takes any `P: Claimed`.
    fn visit<P: Claimed<Msg: Wire> + Serialize + DeserializeOwned>(self) -> Self::Output;
}
