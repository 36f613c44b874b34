//! Hands the end of a run to the judge.

use crate::{Experiment, medium::Medium, world::World};
use suffrage_algorithms::{Claims, Ended, FinalState, Property, Sent, Verdict, judge};
use suffrage_process::{Message, Phase, Process};

impl<P: Process, T: Medium<P::Msg>> World<'_, '_, P, T> {
    /// Judges the last state. In an `unfinished` replay more could have happened.
    pub(crate) fn judge(
        &mut self,
        claims: Option<&Claims>,
        experiment: &Experiment<'_>,
        unfinished: bool,
    ) -> Verdict {
        let faultless = experiment.is_faultless();
        let (nodes, units) = (&self.nodes, self.units(experiment));
        let verdict = judge(
            claims,
            &Ended {
                nodes: experiment.wiring.nodes(),
                links: experiment.wiring.links(),
                process: &|node| {
                    let state = &nodes[node as usize];
                    FinalState {
                        id: experiment.ids[node as usize],
                        woke: state.woke,
                        stage: state.stage,
                        status: state.status,
                        leader: state.process.leader(),
                    }
                },
                blocked: self.environment.medium.blocked(),
                sent: Some(Sent {
                    election: self.sent(Phase::Election),
                    announcement: self.sent(Phase::Announcement),
                }),
                units,
                diameter: &|| experiment.wiring.diameter().into(),
                late: self.late,
                lost: if faultless { self.environment.lost } else { 0 },
                faultless,
                // An election that goes on for ever has not missed what must hold in the end.
                unfinished: unfinished || self.breaches.contains(Property::Termination),
            },
        );
        for violation in &verdict.violations {
            self.breaches.add(self.time, violation.clone());
        }
        verdict
    }

    fn sent(&self, phase: Phase) -> u64 {
        let counts = P::Msg::KINDS.iter().zip(&self.environment.counts);
        counts.filter(|(kind, _)| kind.phase == phase).map(|(_, &count)| count).sum()
    }
}
