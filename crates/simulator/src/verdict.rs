//! How an election has ended, held against what it was to be.

use crate::{
    Experiment, Leader, Property,
    medium::Medium,
    world::{Stage, World},
};
use suffrage_algorithms::{Algorithm, Ending, Setting};
use suffrage_process::{Message, Phase, Process, Status};

/// How an election has ended.
#[derive(Default)]
pub(crate) struct Verdict {
    pub leader: Option<Leader>,
    pub agreed: bool,
    pub halted: bool,
}

impl<P: Process, T: Medium<P::Msg>> World<'_, '_, P, T> {
    /// Looks at the last state: is there one leader, do all know it, have all halted?
    ///
    /// What must hold in the end is not looked at where more could have happened, in a replay that is
    /// `unfinished`.
    pub(crate) fn judge(&mut self, experiment: &Experiment<'_>, unfinished: bool) -> Verdict {
        let now = self.time;
        let alive = || (0_u32..).zip(&self.nodes).filter(|(_, node)| node.stage != Stage::Crashed);
        let leads = |node: u32| Leader { node, id: experiment.ids[node as usize] };
        let mut leaders = alive()
            .filter(|(_, node)| node.status == Status::Leader)
            .map(|(number, _)| leads(number));
        let first = leaders.next();
        let leader = if leaders.next().is_some() { None } else { first };
        let running = alive().filter(|(_, node)| node.stage != Stage::Halted);
        let waiting = running.clone().count();
        let halted = waiting == 0;
        let mut agreed = leader.is_some();
        let mut dissent = None;
        for (number, node) in alive() {
            let named = node.process.leader();
            agreed &= named.is_some() && named == leader.map(|leader| leader.id);
            if let (Some(named), Some(first)) = (named, first)
                && named != first.id
                && dissent.is_none()
            {
                dissent = Some((number, named, first));
            }
        }
        if self.violations.contains(Property::Termination) {
            // What must hold in the end cannot be missed before it.
            return Verdict { leader, agreed, halted };
        }
        if unfinished {
            // A leader may still come; one that is wrongly named is wrong already.
        } else if first.is_none() {
            let blocked = self.environment.medium.blocked();
            let undecided = alive().filter(|(_, node)| node.status == Status::Undecided).count();
            let asleep = alive().filter(|(_, node)| node.stage == Stage::Asleep).count();
            self.violations.add(Property::ExactlyOneLeader, now, || {
                format!(
                    "nothing is under way any more and there is no leader; {undecided} processes \
                     are undecided, {asleep} of them were never reached, and {blocked} wait to send"
                )
            });
        } else if leader.is_none() {
            let leaders = self.leaders;
            self.violations
                .add(Property::ExactlyOneLeader, now, || format!("there are {leaders} leaders"));
        }
        if let Some((number, named, first)) = dissent {
            self.violations.add(Property::Agreement, now, || {
                format!("process {number} names {named}, but the leader is {}", first.id)
            });
        }
        if !halted && !unfinished {
            let some: Vec<String> = (0_u32..)
                .zip(&self.nodes)
                .filter(|(_, node)| !matches!(node.stage, Stage::Crashed | Stage::Halted))
                .take(5)
                .map(|(number, _)| number.to_string())
                .collect();
            let blocked = self.environment.medium.blocked();
            self.violations.add(Property::EveryoneHalted, now, || {
                let more = if waiting > some.len() { ", ..." } else { "" };
                format!(
                    "{waiting} processes wait for ever ({}{more}), {blocked} of them to send",
                    some.join(", ")
                )
            });
        }
        Verdict { leader, agreed, halted }
    }

    /// Compares what happened with what the catalogue says of the algorithm. Where more could have
    /// happened, whoever sleeps may still become an initiator, and nothing has yet been too little.
    pub(crate) fn hold_to(
        &mut self,
        algorithm: &Algorithm,
        leader: Option<Leader>,
        experiment: &Experiment<'_>,
        unfinished: bool,
    ) {
        let now = self.time;
        let processes = experiment.ids.iter().zip(&self.nodes).map(|(&id, node)| (id, node.woke));
        if let (Some(must), Some(leader)) = (algorithm.rule.winner(processes), leader)
            && must != leader.id
        {
            self.violations.add(Property::WinnerByRule, now, || {
                format!("{} has won, but the {} is {must}", leader.id, algorithm.rule.words())
            });
        }
        if algorithm.ending == Ending::Silent && self.late > 0 {
            let late = self.late;
            self.violations.add(Property::SilentEnding, now, || {
                format!("{late} messages reached processes that had halted")
            });
        }
        let asleep = self.nodes.iter().filter(|node| node.stage == Stage::Asleep).count();
        let setting = Setting {
            nodes: u64::from(experiment.wiring.nodes()),
            links: experiment.wiring.links(),
            initiators: self.woken + if unfinished { asleep as u64 } else { 0 },
        };
        for (bound, phase, what) in [
            (&algorithm.election, Phase::Election, "election"),
            (&algorithm.announcement, Phase::Announcement, "announcement"),
        ] {
            let sent: u64 = P::Msg::KINDS
                .iter()
                .zip(&self.environment.counts)
                .filter(|(kind, _)| kind.phase == phase)
                .map(|(_, &count)| count)
                .sum();
            let most = (bound.messages)(&setting);
            if sent > most || (bound.exact && sent != most && leader.is_some() && !unfinished) {
                self.violations.add(Property::MessageBound, now, || {
                    let must = if bound.exact { "exactly" } else { "at most" };
                    format!(
                        "{sent} {what} messages, where there are {must} {} = {most}",
                        bound.formula
                    )
                });
            }
        }
    }
}
