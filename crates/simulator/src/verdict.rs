//! The verdict on the end of a run.

use crate::{Experiment, medium::Medium, outcome::Messages, world::World};
use suffrage_algorithms::{Claims, Ended, Property, Sent, Verdict, judge};
use suffrage_process::{Phase, Process};

impl<P: Process, T: Medium<P::Msg>> World<'_, '_, P, T> {
    /// Judges the last state and the number of messages sent. In an `unfinished` replay more events
    /// could have happened.
    pub(crate) fn judge(
        &mut self,
        claims: Option<&Claims>,
        experiment: &Experiment<'_>,
        messages: &Messages,
        unfinished: bool,
    ) -> Verdict {
        let faultless = experiment.is_faultless();
        let (nodes, units) = (&self.nodes, self.units());
        let verdict = judge(
            claims,
            &Ended {
                nodes: experiment.wiring.nodes(),
                links: experiment.wiring.links(),
                process: &|node| nodes[node as usize].final_state(experiment.ids[node as usize]),
                blocked: self.environment.medium.blocked(),
                sent: Some(Sent {
                    election: messages.of(Phase::Election),
                    announcement: messages.of(Phase::Announcement),
                }),
                units,
                diameter: &|| experiment.wiring.diameter().into(),
                late: self.late,
                lost: if faultless { self.environment.lost } else { 0 },
                faultless,
                // An election that goes on forever has not violated what must hold in the end.
                unfinished: unfinished || self.breaches.contains(Property::Termination),
            },
        );
        for violation in &verdict.violations {
            self.breaches.add(self.time, violation.clone());
        }
        verdict
    }
}
