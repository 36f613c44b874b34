//! The seeded faults: what is changed in which file, why that is wrong, and what it breaks.
//!
//! Which property a fault breaks is reasoned out beforehand: one that is killed by another has
//! been killed by accident, and fails the test.

mod complete;
mod conquest;
mod other;
mod ring;

/// The faults of one algorithm.
#[derive(Debug)]
pub struct Suite {
    /// Its name in the catalogue.
    pub algorithm: &'static str,
    /// Its file, in the sources of the algorithms.
    pub file: &'static str,
    /// The type that runs.
    pub process: &'static str,
    /// Whether every port numbering is explored, and not one alone, of up to 4 nodes.
    pub all_ports: bool,
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
    /// The name of the property that must be the first to break.
    pub breaks: &'static str,
    /// Why that one.
    pub because: &'static str,
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
    SeededFault { name, shared: None, was, is, breaks, because }
}

/// A fault in the announcement.
const fn announced(fault: SeededFault) -> SeededFault {
    SeededFault { shared: Some("announced.rs"), ..fault }
}

/// Every seeded fault, by algorithm.
pub const SUITES: &[Suite] = &[
    complete::ALL_TO_ALL,
    conquest::HUMBLET,
    conquest::AFEK_GAFNI,
    complete::VILLADANGOS,
    ring::LELANN,
    ring::CHANG_ROBERTS,
    ring::DOLEV_KLAWE_RODEH,
    other::TREE_WAVE,
    other::ECHO_EXTINCTION,
];
