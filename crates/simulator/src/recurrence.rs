//! Recurrence: whether a replay comes back to a state in which it was before.

use crate::medium::Between;
use suffrage_process::{Process, Stage};

/// The state of an election at some moment of a replay: everything on which its future depends.
pub(crate) struct Moment<P: Process> {
    /// The number of steps that are said to lead back to here.
    pub steps: u64,
    pub nodes: Vec<(P, Stage)>,
    pub between: Between<P::Msg>,
}

impl<P: Process> Moment<P> {
    /// Whether everything is as it was then.
    pub(crate) fn is_again(&self, now: &Self) -> bool {
        now.nodes == self.nodes && now.between == self.between
    }
}
