//! Recurrence: whether a replay returns to an earlier state.

use crate::{medium::Between, node::SimulatedProcess};
use suffrage_algorithms::{Property, Violation};
use suffrage_model::{Process, Stage};

/// The state of an election at an instant of a replay: everything on which its future depends.
pub(crate) struct EarlierState<P: Process> {
    /// The number of steps that, according to the recording, lead back to this state.
    pub steps: u64,
    processes: Vec<P>,
    stages: Vec<Stage>,
    between: Between<P::Msg>,
}

impl<P: Process> EarlierState<P> {
    pub(crate) fn new(steps: u64, nodes: &[SimulatedProcess<P>], between: Between<P::Msg>) -> Self {
        let (mut processes, mut stages) = (Vec::new(), Vec::new());
        for node in nodes {
            processes.push(node.process.clone());
            stages.push(node.stage);
        }
        Self { steps, processes, stages, between }
    }

    /// Returns the livelock if the present state is this one.
    pub(crate) fn livelock(&self, now: &Self) -> Option<Violation> {
        let recurs = now.processes == self.processes
            && now.stages == self.stages
            && now.between == self.between;
        recurs.then(|| livelock(self.steps))
    }
}

fn livelock(steps: u64) -> Violation {
    let detail = format!(
        "livelock: the last {steps} steps lead back to where they began, so the election can go around forever"
    );
    Violation { property: Property::Termination, detail }
}
