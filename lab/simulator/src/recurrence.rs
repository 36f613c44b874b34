//! Recurrence: whether a replay returns to an earlier state.

use crate::{
    medium::{Between, Medium},
    node::SimulatedProcess,
    world::World,
};
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

    pub(crate) fn is_again(&self, now: &Self) -> bool {
        now.nodes == self.nodes && now.between == self.between
    }
}

impl<P: Process, T: Medium<P::Msg>> World<'_, '_, P, T> {
    /// Remembers the present state if a recording claims to return to it.
    #[cold]
    pub(crate) fn remember(&mut self) {
        let Some(steps) = self.environment.medium.steps_around() else { return };
        self.remembered = self.moment(steps);
    }

    /// Reports a livelock if the present state is the remembered one.
    pub(crate) fn look_back(&mut self) {
        let Some(then) = self.remembered.take() else { return };
        let Some(now) = self.moment(then.steps) else { return };
        if then.is_again(&now) {
            let detail = format!(
                "livelock: the last {} steps lead back to where they began, so the election can go \
                 around forever",
                then.steps
            );
            self.monitor.add(self.time, Violation { property: Property::Termination, detail });
        }
    }

    fn moment(&self, steps: u64) -> Option<EarlierState<P>> {
        Some(EarlierState::new(steps, &self.nodes, self.environment.medium.between()?))
    }
}
