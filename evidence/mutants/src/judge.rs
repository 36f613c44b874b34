//! Faults in the judge: each must judge one of these ended elections otherwise than the judge does.

use crate::{examination::choose, list::JUDGE};

/// What a judge says of one of the elections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    /// What the election is.
    pub case: &'static str,
    /// The verdict, in words.
    pub verdict: String,
}

include!(concat!(env!("OUT_DIR"), "/judges.rs"));

/// The first election that a mutant of the judge misjudges.
///
/// # Panics
/// If there is no such mutant.
#[must_use]
pub fn examine(mutant: usize) -> Option<&'static str> {
    let said = |fault| {
        let _alone = choose(fault);
        subject::cases()
    };
    let mut pairs = said(0).into_iter().zip(said(JUDGE[mutant].number));
    pairs.find(|(right, said)| right != said).map(|(right, _)| right.case)
}
