//! Invariants, checked after every event of a run.

use crate::{medium::Medium, node, world::World};
use suffrage_algorithms::{Configuration, InTransit, Invariant, Node, Violation};
use suffrage_model::{End, Id, Process};
use suffrage_networks::wiring::Wiring;

impl<P: Process, T: Medium<P::Msg>> World<'_, '_, P, T> {
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
            self.breaches.add(self.environment.medium.now(), violation);
        }
    }
}

/// Removes and returns the invariants that are violated.
fn broken<P: Process>(
    invariants: &mut Vec<Invariant<P>>,
    wiring: &Wiring,
    nodes: &[node::Node<P>],
    ids: &[Id],
    messages: Vec<InTransit<P::Msg>>,
) -> Vec<Violation> {
    let across = |end: End| wiring.across(end.node, end.port);
    let mut all = Vec::with_capacity(nodes.len());
    for ((number, node), &id) in (0..).zip(nodes).zip(ids) {
        let node::Node { process, stage, woke, .. } = node;
        let degree = wiring.degree(number);
        all.push(Node { process, id, stage: *stage, woke: *woke, degree });
    }
    let now = Configuration::new(all, messages, &across);
    let mut broken = Vec::new();
    invariants.retain(|invariant| match invariant.check(&now) {
        Ok(()) => true,
        Err(violation) => {
            broken.push(violation);
            false
        }
    });
    broken
}

#[cfg(test)]
mod tests {
    use crate::{Experiment, Outcome, Schedule, run::run, world::Watch};
    use suffrage_algorithms::{Invariant, Property, ring::LeLann};
    use suffrage_model::{Id, Process, Status};
    use suffrage_networks::wiring::Wiring;

    /// Runs an election in which five tokens go once around a ring of five, with a bound on their
    /// number and an invariant that no process leads.
    fn held_to(schedule: Schedule, capacity: Option<u32>, most: usize) -> Outcome {
        let few = Invariant::<LeLann>::new("few-tokens", move |now| {
            let tokens = now.messages().len();
            if tokens > most { Err(format!("{tokens} tokens are under way")) } else { Ok(()) }
        });
        let no_leader = Invariant::<LeLann>::new("no-leader", |now| {
            match now.nodes().find(|(_, node)| node.process.status() == Status::Leader) {
                Some((node, _)) => Err(format!("{node} leads")),
                None => Ok(()),
            }
        });
        let (wiring, ids) = (Wiring::ring(5), [3, 1, 4, 5, 2].map(Id::new));
        let experiment = Experiment { schedule, capacity, ..Experiment::new(&wiring, &ids) };
        let watch = Watch { observer: None, pulse: None, invariants: true, stages: false };
        run(None, vec![few, no_leader], None, &experiment, watch).expect("it is possible")
    }

    /// Returns the ticks at which invariants broke first, with the details.
    fn broken(outcome: &Outcome) -> Vec<(&'static str, u64, &str)> {
        let breaches =
            outcome.violations.iter().filter_map(|breach| match breach.violation.property {
                Property::Invariant(name) => {
                    Some((name, breach.at, breach.violation.detail.as_str()))
                }
                _ => None,
            });
        breaches.collect()
    }

    #[test]
    fn a_broken_invariant_is_named_with_the_first_tick_at_which_it_breaks() {
        let outcome = held_to(Schedule::Synchronous, None, 5);
        assert_eq!(broken(&outcome), [("no-leader", 5, "1 leads")]);
        let outcome = held_to(Schedule::Synchronous, None, 4);
        let few = ("few-tokens", 0, "5 tokens are under way");
        assert_eq!(broken(&outcome), [few, ("no-leader", 5, "1 leads")]);
    }

    #[test]
    fn messages_that_wait_for_room_are_under_way() {
        let outcome = held_to(Schedule::Newest, Some(1), 4);
        assert!(broken(&outcome).contains(&("few-tokens", 0, "5 tokens are under way")));
    }
}
