//! Recurrence: whether a replay returns to an earlier state.

use crate::{medium::Between, node::SimulatedProcess};
use suffrage_algorithms::{Property, Violation};
use suffrage_model::{Process, Stage};

/// The state of an election at an instant of a replay: everything on which its future depends.
pub(crate) struct EarlierState<P: Process> {
    /// The number of steps that, according to the recording, lead back to this state.
    pub steps: u64,
    nodes: Vec<(P, Stage)>,
    between: Between<P::Msg>,
}

impl<P: Process> EarlierState<P> {
    pub(crate) fn new(steps: u64, nodes: &[SimulatedProcess<P>], between: Between<P::Msg>) -> Self {
        let nodes = nodes.iter().map(|node| (node.process.clone(), node.stage)).collect();
        Self { steps, nodes, between }
    }

    /// Returns the livelock if the present state is this one.
    pub(crate) fn livelock(&self, now: &Self) -> Option<Violation> {
        let detail = || {
            format!(
                "livelock: the last {} steps lead back to where they began, so the election can go \
                 around forever",
                self.steps
            )
        };
        (now.nodes == self.nodes && now.between == self.between)
            .then(|| Violation { property: Property::Termination, detail: detail() })
    }
}
