//! Recurrence: whether a replay returns to an earlier state.

use crate::{medium::Between, node::Node};
use suffrage_process::{Process, Stage};

/// The state of an election at an instant of a replay: everything on which its future depends.
pub(crate) struct Moment<P: Process> {
    /// The number of steps that, according to the recording, lead back to this state.
    pub steps: u64,
    nodes: Vec<(P, Stage)>,
    between: Between<P::Msg>,
}

impl<P: Process> Moment<P> {
    pub(crate) fn new(steps: u64, nodes: &[Node<P>], between: Between<P::Msg>) -> Self {
        let nodes = nodes.iter().map(|node| (node.process.clone(), node.stage)).collect();
        Self { steps, nodes, between }
    }

    /// Returns whether the state is the same as then.
    pub(crate) fn is_again(&self, now: &Self) -> bool {
        now.nodes == self.nodes && now.between == self.between
    }
}
