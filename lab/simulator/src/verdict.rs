//! The end of a run: its accounts, the verdict, the outcome.

use crate::{
    Busiest, CompetitionRounds, Experiment, Outcome,
    monitor::ElectionMonitor,
    node::{Depths, SimulatedProcess},
    outcome::MessagesByKind,
    reaction::KINDS,
};
use suffrage_algorithms::{Claims, Ended, FinalStates, Property, Sent, Verdict, judge};
use suffrage_model::{Action, Id, Kind, Message, Phase, Process};

/// What an engine has counted in a run, beside what it keeps of each process. The fields are those
/// of [`Outcome`].
#[derive(Default)]
pub(crate) struct Accounts {
    /// Whether the run came to its end, and was not interrupted.
    pub ended: bool,
    pub unfinished: bool,
    pub possible: Vec<Action>,
    /// The number of messages sent, by kind.
    pub counts: [u64; KINDS],
    pub time: u64,
    pub units: Option<u64>,
    /// The causal depth, where processes do not keep theirs.
    pub causal_depth: u32,
    pub peak_in_flight: u64,
    pub delivered: u64,
    pub late: u64,
    pub lost: u64,
    /// The number of processes that wait for room on a link.
    pub blocked: u64,
    pub woken: u64,
    pub stages: Option<CompetitionRounds>,
    pub monitor: ElectionMonitor,
}

pub(crate) fn conclude<P: Process, D: Depths>(
    nodes: &[SimulatedProcess<P, D>],
    accounts: Accounts,
    experiment: &Experiment<'_>,
    claims: Option<&Claims>,
) -> Outcome {
    let (mut busiest, mut depth) = (Busiest::default(), accounts.causal_depth);
    for (number, node) in nodes.iter().enumerate() {
        let messages = u64::from(node.load);
        depth = depth.max(node.depth.get());
        if messages > busiest.messages {
            busiest = Busiest { node: number as u64, messages };
        }
    }
    let ids = experiment.ids;
    let state = |node: u64| nodes[node as usize].final_state(ids[node as usize]);
    accounts.of_experiment(&state, P::Msg::KINDS, busiest, depth, experiment, claims)
}

/// What the judge knows of an experiment.
pub(crate) struct JudgedSetting<'a> {
    pub nodes: u64,
    pub links: u64,
    pub diameter: &'a dyn Fn() -> u64,
    /// Whether there are no faults.
    pub faultless: bool,
}

impl Accounts {
    // All that does not depend on the process: it is compiled once.
    fn of_experiment(
        self,
        states: &dyn FinalStates,
        kinds: &'static [Kind],
        busiest: Busiest,
        causal_depth: u32,
        experiment: &Experiment<'_>,
        claims: Option<&Claims>,
    ) -> Outcome {
        let Experiment { wiring, ids, .. } = *experiment;
        let largest = ids.iter().copied().max().unwrap_or(Id::new(0));
        let messages = MessagesByKind::new(kinds, &self.counts, largest, ids.len() as u64);
        let setting = JudgedSetting {
            nodes: wiring.nodes().into(),
            links: wiring.links(),
            diameter: &|| wiring.diameter().into(),
            faultless: experiment.is_faultless(),
        };
        self.outcome(states, messages, busiest, causal_depth, &setting, claims)
    }

    pub(crate) fn outcome(
        mut self,
        states: &dyn FinalStates,
        messages: MessagesByKind,
        busiest: Busiest,
        causal_depth: u32,
        setting: &JudgedSetting<'_>,
        claims: Option<&Claims>,
    ) -> Outcome {
        let verdict = self.ended.then(|| self.judge(states, &messages, setting, claims));
        let Verdict { leader, agreed, halted, .. } = verdict.unwrap_or_default();
        Outcome {
            leader,
            agreed,
            halted,
            messages,
            time: self.time,
            units: self.units,
            causal_depth,
            busiest,
            peak_in_flight: self.peak_in_flight,
            delivered: self.delivered,
            late: self.late,
            lost: self.lost,
            woken: self.woken,
            stages: self.stages,
            violations: self.monitor.promised(claims),
            interrupted: !self.ended,
            unfinished: self.unfinished,
            possible: self.possible,
        }
    }

    /// Judges the last state and the number of messages sent. In an unfinished replay more events
    /// could have happened.
    fn judge(
        &mut self,
        states: &dyn FinalStates,
        messages: &MessagesByKind,
        &JudgedSetting { nodes, links, diameter, faultless }: &JudgedSetting<'_>,
        claims: Option<&Claims>,
    ) -> Verdict {
        let verdict = judge(
            claims,
            &Ended {
                nodes,
                links,
                process: states,
                blocked: self.blocked,
                sent: Some(Sent {
                    election: messages.of(Phase::Election),
                    announcement: messages.of(Phase::Announcement),
                }),
                units: self.units,
                diameter,
                late: self.late,
                lost: if faultless { self.lost } else { 0 },
                faultless,
                // An election that goes on forever has not violated what must hold in the end.
                unfinished: self.unfinished || self.monitor.contains(Property::Termination),
            },
        );
        for violation in &verdict.violations {
            self.monitor.add(self.time, violation.clone());
        }
        verdict
    }
}
