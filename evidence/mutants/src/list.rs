//! The seeded faults: the change and its file, why it is wrong, and the property that it breaks.
//!
//! Each fault names the property that it must break: if another one kills the mutant, that is an
//! accident, and the test fails.

mod afek_gafni;
mod complete;
mod complete_rounds;
mod extinction;
mod fokkink_pang;
mod graph;
mod homonyms;
mod humblet;
mod hypercube;
mod itai_rodeh;
mod judge;
mod one_way;
mod oriented;
mod other;
mod probabilistic_franklin;
mod ring;
mod rounds;
pub mod tenure;
mod tree_identify;
mod two_way;

pub use judge::JUDGE;

/// The faults of one algorithm.
#[derive(Debug)]
pub struct Suite {
    /// Its name in the catalogue.
    pub algorithm: &'static str,
    /// Its file, in the sources of the algorithms.
    pub file: &'static str,
    /// The type that runs.
    pub process: &'static str,
    /// The faults.
    pub faults: &'static [SeededFault],
}

/// A seeded fault.
#[derive(Debug)]
pub struct SeededFault {
    /// What is wrong, in a few words; no other fault has this name.
    pub name: &'static str,
    /// The file that is changed, if it is not the algorithm's own.
    pub shared: Option<&'static str>,
    /// The text that is replaced. It occurs once.
    pub was: &'static str,
    /// What stands in its place.
    pub is: &'static str,
    /// What must become of it.
    pub expected: Expected,
    /// Why.
    pub because: &'static str,
}

/// What must become of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Exploration of small elections finds that this property breaks, and no other before it.
    Explored(&'static str),
    /// Exploration of small elections finds nothing. Among samples of larger ones this property is
    /// the first to break.
    Sampled(&'static str),
    /// No property breaks, but this invariant does.
    Invariant(&'static str),
    /// Nothing breaks: it behaves as the algorithm does.
    Equivalent,
}

impl SeededFault {
    /// The file that is changed.
    pub fn file(&self, suite: &Suite) -> &'static str {
        self.shared.unwrap_or(suite.file)
    }
}

/// A fault in an algorithm's own file.
const fn fault(
    name: &'static str,
    was: &'static str,
    is: &'static str,
    breaks: &'static str,
    because: &'static str,
) -> SeededFault {
    SeededFault { name, shared: None, was, is, expected: Expected::Explored(breaks), because }
}

/// The same fault, if only samples find it.
const fn sampled(fault: SeededFault) -> SeededFault {
    let expected = match fault.expected {
        Expected::Explored(property) => Expected::Sampled(property),
        other => other,
    };
    SeededFault { expected, ..fault }
}

/// A change after which the algorithm breaks nothing but this invariant.
const fn only_invariant(
    name: &'static str,
    was: &'static str,
    is: &'static str,
    invariant: &'static str,
    because: &'static str,
) -> SeededFault {
    let expected = Expected::Invariant(invariant);
    SeededFault { name, shared: None, was, is, expected, because }
}

/// A change that changes nothing, and why.
const fn equivalent(
    name: &'static str,
    was: &'static str,
    is: &'static str,
    because: &'static str,
) -> SeededFault {
    SeededFault { name, shared: None, was, is, expected: Expected::Equivalent, because }
}

/// A fault in the announcement.
const fn announced(fault: SeededFault) -> SeededFault {
    SeededFault { shared: Some("announced.rs"), ..fault }
}

/// Every seeded fault, by algorithm.
pub const SUITES: &[Suite] = &[
    complete::ALL_TO_ALL,
    humblet::HUMBLET,
    afek_gafni::AFEK_GAFNI,
    complete::VILLADANGOS,
    complete::KORACH_MORAN_ZAKS,
    oriented::BULLY,
    oriented::LOUI_MATSUSHITA_WEST,
    ring::LELANN,
    ring::CHANG_ROBERTS,
    two_way::HIRSCHBERG_SINCLAIR,
    ring::DOLEV_KLAWE_RODEH,
    two_way::FRANKLIN,
    one_way::PETERSON,
    two_way::STAGES_WITH_FEEDBACK,
    two_way::ALTERNATING_STEPS,
    one_way::HIGHAM_PRZYTYCKA,
    extinction::RING_EXTINCTION,
    homonyms::LYNDON_WORD,
    two_way::CONTENT_OBLIVIOUS,
    hypercube::HYPER_ELECT,
    other::TREE_WAVE,
    extinction::TREE_EXTINCTION,
    other::ECHO_EXTINCTION,
    extinction::DEPTH_FIRST_EXTINCTION,
    graph::GALLAGER_HUMBLET_SPIRA,
    graph::KORACH_KUTTEN_MORAN,
    graph::YO_YO,
    itai_rodeh::ITAI_RODEH,
    fokkink_pang::A,
    fokkink_pang::B,
    probabilistic_franklin::PROBABILISTIC_FRANKLIN,
    tree_identify::TREE_IDENTIFY,
    complete_rounds::AFEK_GAFNI_A,
    rounds::TIME_SLICE,
    rounds::VARIABLE_SPEEDS,
    rounds::FLOOD_MAX,
    rounds::LEAST_ELEMENT_LISTS,
    complete_rounds::RANDOM_REFEREES,
];
