//! Invariants, looked at after every event of a run.

use crate::{medium::Medium, world::World};
use suffrage_algorithms::{Configuration, Node, Property, Violation};
use suffrage_process::{End, Process};

impl<P: Process, T: Medium<P::Msg>> World<'_, '_, P, T> {
    /// Holds the configuration to the invariants that have not been violated yet.
    #[inline]
    pub(crate) fn hold_to_invariants(&mut self) {
        if !self.invariants.is_empty() {
            self.check_invariants();
        }
    }

    #[cold]
    fn check_invariants(&mut self) {
        let wiring = self.environment.wiring;
        let across = |end: End| wiring.across(end.node, end.port);
        let nodes = (0..).zip(&self.nodes).zip(self.ids).map(|((number, node), &id)| Node {
            process: &node.process,
            id,
            stage: node.stage,
            woke: node.woke,
            degree: wiring.degree(number),
        });
        let messages = self.environment.medium.under_way();
        let now = Configuration::new(nodes.collect(), messages, &across);
        let broken = self.invariants.iter().filter_map(|invariant| invariant.check(&now).err());
        let broken: Vec<Violation> = broken.collect();
        for violation in broken {
            self.invariants.retain(|of| Property::Invariant(of.name()) != violation.property);
            self.breaches.add(self.environment.medium.now(), violation);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Experiment, Outcome, Schedule, run::run, world::Watch};
    use suffrage_algorithms::{Invariant, Property, ring::LeLann};
    use suffrage_process::{Id, Process, Status};
    use suffrage_topology::wiring::Wiring;

    /// Five tokens go once around a ring of five, held to these bounds on their number and to
    /// nobody's being the leader.
    fn held_to(schedule: Schedule, capacity: Option<u32>, most: usize) -> Outcome {
        let few = Invariant::<LeLann>::new("few-tokens", move |now| {
            let tokens = now.messages().len();
            if tokens > most { Err(format!("{tokens} tokens are under way")) } else { Ok(()) }
        });
        let nobody = Invariant::<LeLann>::new("nobody-leads", |now| {
            match now.nodes().find(|(_, node)| node.process.status() == Status::Leader) {
                Some((node, _)) => Err(format!("{node} leads")),
                None => Ok(()),
            }
        });
        let (wiring, ids) = (Wiring::ring(5), [3, 1, 4, 5, 2].map(Id::new));
        let experiment = Experiment { schedule, capacity, ..Experiment::new(&wiring, &ids) };
        let nobody_watches = Watch { observer: None, pulse: None, invariants: true, stages: false };
        run(None, vec![few, nobody], None, &experiment, nobody_watches).expect("it is possible")
    }

    /// The ticks at which invariants broke first, with the details.
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
        assert_eq!(broken(&outcome), [("nobody-leads", 5, "1 leads")]);
        let outcome = held_to(Schedule::Synchronous, None, 4);
        let few = ("few-tokens", 0, "5 tokens are under way");
        assert_eq!(broken(&outcome), [few, ("nobody-leads", 5, "1 leads")]);
    }

    #[test]
    fn messages_that_wait_for_room_are_under_way() {
        let outcome = held_to(Schedule::Newest, Some(1), 4);
        assert!(broken(&outcome).contains(&("few-tokens", 0, "5 tokens are under way")));
    }
}
