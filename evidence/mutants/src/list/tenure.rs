//! The seeded faults of Tenure.
//!
//! Each names the evidence that must find it, and the expected finding.

mod candidate;
mod granter;
mod process;

/// A seeded fault of Tenure.
#[derive(Debug)]
pub struct Fault {
    /// What is wrong, in a few words; no other fault has this name.
    pub name: &'static str,
    /// What is changed.
    pub edits: &'static [Edit],
    /// All that must find it; nothing finds what is equivalent.
    pub found: &'static [Found],
    /// Why it is wrong or, if it is equivalent, why not.
    pub because: &'static str,
}

/// A text that is replaced.
#[derive(Debug)]
pub struct Edit {
    /// The file, in the sources of Tenure.
    pub file: &'static str,
    /// How the function begins in which the text is; empty for the whole file.
    pub within: &'static str,
    /// The text: an expression, or statements. It occurs once in the function.
    pub was: &'static str,
    /// What stands in its place.
    pub is: &'static str,
}

/// By what a mutant is found, and a part of the words in which it is told what is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Found {
    /// Exhaustive exploration of the row of this name.
    Explored(&'static str, &'static str),
    /// Random walks in the climate of this name, or the calm at the end of one.
    Walked(&'static str, &'static str),
    /// Simulated runs of the cluster of this name, with faults of every kind: this promise is broken.
    Simulated(&'static str, &'static str),
}

/// All of them, in their order.
pub fn faults() -> impl Iterator<Item = &'static Fault> {
    [candidate::FAULTS, granter::FAULTS, process::FAULTS].into_iter().flatten()
}

const fn fault(
    name: &'static str,
    edits: &'static [Edit],
    found: &'static [Found],
    because: &'static str,
) -> Fault {
    Fault { name, edits, found, because }
}

/// An edit in a function of a file.
const fn edit(
    file: &'static str,
    within: &'static str,
    was: &'static str,
    is: &'static str,
) -> Edit {
    Edit { file, within, was, is }
}
