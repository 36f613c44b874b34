//! Invariants, checked after every event of a run.

use crate::{node, world::World};
use suffrage_algorithms::{Configuration, InTransit, Invariant, Node, Violation};
use suffrage_model::{End, Id, Process};
use suffrage_networks::wiring::Wiring;

impl<P: Process> World<'_, '_, P> {
    /// Checks the invariants that have not been violated yet.
    #[inline]
    pub(crate) fn hold_to_invariants(&mut self) {
        if !self.invariants.is_empty() {
            self.check_invariants();
        }
    }

    #[cold]
    fn check_invariants(&mut self) {
        let messages = self.environment.medium.under_way();
        let wiring = self.environment.wiring;
        for violation in broken(&mut self.invariants, wiring, &self.nodes, self.ids, messages) {
            self.monitor.add(self.environment.medium.now(), violation);
        }
    }
}

/// Removes and returns the invariants that are violated.
fn broken<P: Process>(
    invariants: &mut Vec<Invariant<P>>,
    wiring: &Wiring,
    nodes: &[node::SimulatedProcess<P>],
    ids: &[Id],
    messages: Vec<InTransit<P::Msg>>,
) -> Vec<Violation> {
    let across = |end: End| wiring.across(end.node, end.port);
    let mut all = Vec::with_capacity(nodes.len());
    for number in 0..nodes.len() {
        let node::SimulatedProcess { process, stage, woke, .. } = &nodes[number];
        let (id, degree) = (ids[number], wiring.degree(number as u32));
        all.push(Node { process, id, stage: *stage, woke: *woke, degree, number: None });
    }
    let now = Configuration::new(all, messages, &across);
    let (mut broken, mut next) = (Vec::new(), 0);
    while let Some(invariant) = invariants.get(next) {
        match invariant.check(&now) {
            Ok(_) => next += 1,
            Err(violation) => {
                broken.push(violation);
                invariants.remove(next);
            }
        }
    }
    broken
}

#[cfg(test)]
mod tests;
