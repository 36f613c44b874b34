//! Rounds: the steps of processes that count them together.
//!
//! A message sent in a tick waits in the outbox of its sender, and enters the link as the tick
//! ends. Then the next tick begins: any of the sleeping initiators wake; the messages on the links
//! are delivered, those to one process in every order of its ports; alarms that are due ring.
//! Nothing that happens at one process reaches another one within the same tick. So the steps of
//! different processes commute, and are explored in one order of processes. Only the configurations
//! within a tick depend on that order, not those after it.

use crate::model::{
    EnabledEvent, TransitionSystem,
    automaton::Automaton,
    configuration::{GlobalState, LinkMessage, Round},
    processes::LocalInput,
};
use suffrage_model::Stage;

impl TransitionSystem<'_> {
    pub(super) fn events_in(
        &self,
        round: &Round,
        here: &GlobalState,
        automaton: &Automaton,
        of: u128,
        events: &mut Vec<EnabledEvent>,
    ) {
        let stage = |node: usize| automaton.view(here.locals[node]).stage;
        let present = |node: &usize| stage(*node) != Stage::Crashed;
        let entering = |node: usize| {
            let ports = 0..self.links.degree(node);
            ports.filter_map(move |port| {
                let link = self.links.entering(node, port);
                here.queues[link].first().map(|first| (port, link, first.msg))
            })
        };
        let others = round.begins || here.budget != [0; 3];
        for node in (0..self.nodes()).filter(|_| others).filter(present) {
            if here.budget[2] > 0 && stage(node) != Stage::Halted {
                events.push(EnabledEvent::React(node as u16, LocalInput::Crash));
            }
            for (_, link, _) in entering(node) {
                if here.budget[0] > 0 {
                    events.push(EnabledEvent::Lose(link as u16));
                }
                if here.budget[1] > 0 {
                    events.push(EnabledEvent::Double(link as u16));
                }
            }
            if round.begins && self.may_wake(node, here, automaton) {
                events.push(EnabledEvent::React(node as u16, LocalInput::Wake));
            }
        }
        let mut receivers = (0..self.nodes()).filter(|node| of >> node & 1 == 1).filter(present);
        let arriving = receivers.find(|&to| entering(to).next().is_some());
        if let Some(to) = arriving {
            let deliver = |(port, _, msg)| {
                EnabledEvent::React(to as u16, LocalInput::Deliver(port as u16, msg))
            };
            events.extend(entering(to).map(deliver));
        } else if let Some(node) = round.alarms.iter().position(|&alarm| alarm == Some(0)) {
            events.push(EnabledEvent::React(node as u16, LocalInput::Alarm));
        } else if self.is_going_on(round, here)
            || !round.begins && self.may_any_wake(here, automaton)
        {
            events.push(EnabledEvent::Tick);
        }
    }

    fn is_going_on(&self, round: &Round, here: &GlobalState) -> bool {
        round.alarms.iter().any(Option::is_some)
            || here.outboxes.iter().any(|outbox| !outbox.is_empty())
    }

    fn may_any_wake(&self, here: &GlobalState, automaton: &Automaton) -> bool {
        (0..self.nodes()).any(|node| self.may_wake(node, here, automaton))
    }

    /// Returns the number of ticks until the next one in which something can happen: if no
    /// message is under way and no process may wake, the one in which the next alarm rings.
    pub(crate) fn ticks(&self, here: &GlobalState, automaton: &Automaton) -> u32 {
        let Some(round) = &here.round else { return 0 };
        let under_way = here.outboxes.iter().any(|outbox| !outbox.is_empty());
        if under_way || self.may_any_wake(here, automaton) {
            return 1;
        }
        round.alarms.iter().flatten().copied().min().unwrap_or(1)
    }

    /// Ends the tick.
    pub(super) fn tick(&self, here: &mut GlobalState, automaton: &Automaton) {
        let ticks = self.ticks(here, automaton);
        if let Some(round) = &mut here.round {
            round.begins = true;
            for alarm in round.alarms.iter_mut().flatten() {
                *alarm = alarm.saturating_sub(ticks);
            }
        }
        for node in 0..self.nodes() {
            for (link, token) in std::mem::take(&mut here.outboxes[node]) {
                self.enter(link.into(), token, here, automaton);
            }
        }
    }

    /// Keeps what a process sends until the tick ends. The order of different links has no meaning,
    /// so they are sorted.
    pub(super) fn keep(&self, node: usize, link: usize, token: LinkMessage, to: &mut GlobalState) {
        let outbox = &mut to.outboxes[node];
        let at = outbox.partition_point(|&(other, _)| usize::from(other) <= link);
        outbox.insert(at, (link as u16, token));
    }
}

impl Round {
    /// Records that a process has reacted to an input: whether it set an alarm, and its stage.
    pub(super) fn reacted(
        &mut self,
        node: usize,
        input: LocalInput,
        set: Option<u32>,
        stage: Stage,
    ) {
        self.begins &= matches!(input, LocalInput::Wake | LocalInput::Crash);
        let alarm = &mut self.alarms[node];
        if input == LocalInput::Alarm {
            *alarm = None;
        }
        *alarm = match stage {
            Stage::Halted | Stage::Crashed => None,
            Stage::Asleep | Stage::Running => set.or(*alarm),
        };
    }
}
