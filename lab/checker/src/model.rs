//! The transition relation: the enabled steps of a configuration, and their effects.

pub(crate) mod automaton;
pub(crate) mod configuration;
pub(crate) mod processes;
mod rounds;

use crate::{
    instance::{ElectionClass, Instance, Wake},
    model::{
        automaton::Automaton,
        configuration::{GlobalState, LinkMessage, NEW, Round},
        processes::{LocalInput, Observation},
    },
};
use std::collections::BTreeMap;
use suffrage_algorithms::{Claims, FactMemory, Parameters};
use suffrage_model::{Diameter, Facts, Id, Multiplicity, Place, Port, Size, Stage, Status};
use suffrage_networks::wiring::{End, Wiring};

/// An instance, prepared for exploration.
pub(crate) struct TransitionSystem<'a> {
    pub instance: &'a Instance,
    pub links: OneWayLinks,
    initiators: u128,
    capacity: usize,
    /// What formulas have seen of states and messages.
    pub memory: FactMemory,
}

/// A configuration, with the tables and the instance that give its numbers a meaning.
#[derive(Clone, Copy)]
pub(crate) struct StateView<'a> {
    pub state: &'a GlobalState,
    pub automaton: &'a Automaton,
    pub model: &'a TransitionSystem<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EnabledEvent {
    /// A process reacts.
    React(u16, LocalInput),
    /// The first message of a link is lost.
    Lose(u16),
    /// The first message of a link is duplicated.
    Double(u16),
    /// In rounds, the tick ends.
    Tick,
}

impl EnabledEvent {
    pub(crate) const fn is_fault(&self) -> bool {
        matches!(self, Self::Lose(_) | Self::Double(_) | Self::React(_, LocalInput::Crash))
    }
}

/// A step: an event with one of its effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transition {
    /// A process reacts, with this effect.
    React(u16, u32),
    Lose(u16),
    Double(u16),
    Tick,
}

impl<'a> TransitionSystem<'a> {
    pub(crate) fn new(instance: &'a Instance) -> Self {
        Self {
            links: OneWayLinks::of(&instance.wiring),
            initiators: instance.initiators.iter().fold(0, |set, node| set | 1 << node),
            capacity: instance.capacity.map_or(usize::MAX, |capacity| capacity as usize),
            instance,
            memory: FactMemory::default(),
        }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.links.nodes()
    }

    pub(crate) fn first(&self, automaton: &mut Automaton) -> GlobalState {
        let mut first = GlobalState::new(self.nodes(), self.links.len());
        let facts = self.facts(automaton);
        for node in 0..self.nodes() {
            first.locals[node] = self.start(node, Place(node as u32), &facts, automaton);
        }
        let faults = &self.instance.faults;
        first.budget = [faults.loss, faults.duplicate, faults.crash];
        if automaton.timing().in_rounds() {
            first.round = Some(Round { begins: true, alarms: vec![None; self.nodes()] });
        }
        first
    }

    /// Returns the facts from which processes take what they know: those about the network, with the
    /// identity and the place of node 0.
    pub(crate) fn facts(&self, automaton: &Automaton) -> Facts {
        let asked = automaton.asks_for_diameter();
        Facts {
            id: self.instance.ids[0],
            size: Size(self.nodes() as u32),
            place: Place(0),
            diameter: Diameter(if asked { self.instance.wiring.diameter() } else { 0 }),
            multiplicity: Multiplicity::of(&mut self.instance.ids.clone()),
        }
    }

    pub(crate) fn start(
        &self,
        node: usize,
        place: Place,
        facts: &Facts,
        automaton: &mut Automaton,
    ) -> u32 {
        let facts = Facts { id: self.instance.ids[node], place, ..*facts };
        automaton.fresh(&facts, self.links.degree(node) as u32)
    }

    /// Returns the set of the processes that have woken by themselves.
    pub(crate) fn woken(&self, here: &GlobalState, automaton: &Automaton) -> u128 {
        let woke = |node: &usize| automaton.view(here.locals[*node]).woke;
        (0..self.nodes()).filter(woke).fold(0, |set, node| set | 1 << node)
    }

    /// Returns the quantities on which bounds depend, where these processes have woken by themselves.
    pub(crate) fn parameters(&self, claims: &Claims, woken: u128) -> Parameters {
        let initiators = woken.count_ones().into();
        self.instance
            .parameters_of(claims, ElectionClass { initiators, winner: self.winner(claims, woken) })
    }

    /// Returns the identity that wins where these processes have woken by themselves, if the rule determines it.
    fn winner(&self, claims: &Claims, woken: u128) -> Option<Id> {
        let ids = self.instance.ids.iter().copied().enumerate();
        let woke = ids.map(|(node, id)| (id, woken >> node & 1 == 1));
        claims.rule.winner(woke).map(|winner| winner.id)
    }

    /// Returns the time that is claimed of an election in which these processes have woken by themselves.
    pub(crate) fn claimed_time(&self, claims: Option<&Claims>, woken: u128) -> Option<u64> {
        let (claims, time) = (claims?, claims?.time?);
        let diameter = || self.instance.wiring.diameter().into();
        Some(time.within(&self.parameters(claims, woken), &diameter))
    }

    pub(crate) fn begins(&self, here: &GlobalState, automaton: &Automaton) -> bool {
        self.instance.wake == Wake::AtStart
            && (0..self.nodes()).any(|node| self.may_wake(node, here, automaton))
    }

    pub(crate) fn may_wake(&self, node: usize, here: &GlobalState, automaton: &Automaton) -> bool {
        self.initiators >> node & 1 == 1 && automaton.view(here.locals[node]).stage == Stage::Asleep
    }

    /// Returns whether an election may end in a configuration with these enabled events: whether there are
    /// none, or only wake-ups that need never happen, for some set of initiators that does not include those.
    pub(crate) fn is_end(&self, enabled: &[EnabledEvent]) -> bool {
        let sleeping = enabled.len() as u32;
        let others = sleeping < self.initiators.count_ones();
        enabled.is_empty() || others && enabled.iter().all(|event| self.may_not_happen(event))
    }

    /// Returns whether an event is a wake-up that need never happen.
    pub(crate) fn may_not_happen(&self, event: &EnabledEvent) -> bool {
        let wakes = matches!(event, EnabledEvent::React(_, LocalInput::Wake));
        wakes && !self.counts_all()
    }

    /// Returns whether all processes that may wake count as initiators, and not only those that have.
    pub(crate) fn counts_all(&self) -> bool {
        self.instance.wake != Wake::AnyTimeOrNever
    }

    /// Returns the greatest of some numbers for each [class](ElectionClass), given those of the elections in
    /// which each set of processes has woken. As in an instance with that many initiators, fewer may have woken
    /// by themselves. (Where an election ends while others sleep, it is one of fewer sets; with claims about its
    /// algorithm, that is a violation.)
    pub(crate) fn by_class(
        &self,
        claims: Option<&Claims>,
        by_woken: impl Iterator<Item = (u128, u64)>,
    ) -> BTreeMap<ElectionClass, u64> {
        let all = self.instance.initiators.len() as u64;
        let claims = claims.filter(|claims| claims.depends_on_identities());
        let mut greatest = BTreeMap::new();
        for (woken, number) in by_woken {
            let least = if self.counts_all() { all } else { woken.count_ones().into() };
            let winner = claims.and_then(|claims| self.winner(claims, woken));
            for initiators in least..=all {
                let known = greatest.entry(ElectionClass { initiators, winner }).or_insert(number);
                *known = number.max(*known);
            }
        }
        greatest
    }

    /// Finds the events that are enabled at a set of processes: wake-ups, alarms, deliveries and,
    /// if there are faults, crashes, losses and duplications. In rounds, messages of the present tick must be on their
    /// way only to these.
    pub(crate) fn events(
        &self,
        here: &GlobalState,
        automaton: &Automaton,
        of: u128,
        events: &mut Vec<EnabledEvent>,
    ) {
        events.clear();
        if self.begins(here, automaton) {
            let first = (0..self.nodes()).find(|&n| self.may_wake(n, here, automaton));
            events.extend(first.map(|node| EnabledEvent::React(node as u16, LocalInput::Wake)));
            return;
        }
        if let Some(round) = &here.round {
            return self.events_in(round, here, automaton, of, events);
        }
        for node in (0..self.nodes()).filter(|node| of >> node & 1 == 1) {
            let view = automaton.view(here.locals[node]);
            let number = node as u16;
            if view.stage == Stage::Crashed {
                continue;
            }
            if here.budget[2] > 0 && view.stage != Stage::Halted {
                events.push(EnabledEvent::React(number, LocalInput::Crash));
            }
            let waits = !here.outboxes[node].is_empty();
            if !waits {
                if self.may_wake(node, here, automaton) {
                    events.push(EnabledEvent::React(number, LocalInput::Wake));
                }
                if view.alarm {
                    events.push(EnabledEvent::React(number, LocalInput::Alarm));
                }
            }
            for port in 0..self.links.degree(node) {
                let link = self.links.entering(node, port);
                let queue = &here.queues[link];
                let Some(first) = queue.first() else { continue };
                if !waits && self.instance.faults.no_fifo {
                    // Messages are sorted: equal ones are the same event.
                    let mut last = None;
                    for token in queue {
                        if last.replace(token.msg) != Some(token.msg) {
                            let input = LocalInput::Deliver(port as u16, token.msg);
                            events.push(EnabledEvent::React(number, input));
                        }
                    }
                } else if !waits {
                    events.push(EnabledEvent::React(
                        number,
                        LocalInput::Deliver(port as u16, first.msg),
                    ));
                }
                if here.budget[0] > 0 {
                    events.push(EnabledEvent::Lose(link as u16));
                }
                if here.budget[1] > 0 && queue.len() < self.capacity {
                    events.push(EnabledEvent::Double(link as u16));
                }
            }
        }
    }

    /// Passes the steps of an event to `each`: one for each result of the random choices.
    pub(crate) fn steps(
        &self,
        event: EnabledEvent,
        here: &GlobalState,
        automaton: &mut Automaton,
        mut each: impl FnMut(&mut Automaton, Transition),
    ) {
        match event {
            EnabledEvent::React(node, input) => {
                let reaction = automaton.react(here.locals[usize::from(node)], input);
                for effect in automaton.reaction(reaction).1 {
                    each(automaton, Transition::React(node, effect));
                }
            }
            EnabledEvent::Lose(link) => each(automaton, Transition::Lose(link)),
            EnabledEvent::Double(link) => each(automaton, Transition::Double(link)),
            EnabledEvent::Tick => each(automaton, Transition::Tick),
        }
    }

    /// Applies a step. Returns the message that was received, if any.
    pub(crate) fn apply(
        &self,
        step: Transition,
        here: &mut GlobalState,
        automaton: &Automaton,
    ) -> Option<LinkMessage> {
        match step {
            Transition::Tick => {
                self.tick(here, automaton);
                None
            }
            Transition::Lose(link) => {
                here.budget[0] -= 1;
                here.queues[usize::from(link)].remove(0);
                self.flow(self.links.from(link.into()).node as usize, here, automaton);
                None
            }
            Transition::Double(link) => {
                here.budget[1] -= 1;
                let queue = &mut here.queues[usize::from(link)];
                queue.insert(0, queue[0]);
                None
            }
            Transition::React(node, effect) => {
                let node = usize::from(node);
                let effect = automaton.effect(effect);
                here.locals[node] = effect.to;
                let mut received = None;
                if let LocalInput::Deliver(port, msg) = effect.input {
                    let link = self.links.entering(node, port.into());
                    let queue = &mut here.queues[link];
                    let at = queue.iter().position(|token| token.msg == msg)?;
                    received = Some(queue.remove(at));
                    self.flow(self.links.from(link).node as usize, here, automaton);
                }
                for &(port, msg) in automaton.sends(effect) {
                    let link = self.links.leaving(node, port.into());
                    self.send(link, LinkMessage { msg, tag: NEW }, here, automaton);
                }
                let stage = automaton.view(effect.to).stage;
                if let Some(round) = &mut here.round {
                    round.reacted(node, effect.input, effect.alarm, stage);
                }
                if effect.input == LocalInput::Crash {
                    self.bury(node, here, automaton);
                }
                received
            }
        }
    }

    /// Sends a message: into the link, or, if that is full or the process waits already, into its
    /// outbox.
    fn send(&self, link: usize, token: LinkMessage, here: &mut GlobalState, automaton: &Automaton) {
        let from = self.links.from(link).node as usize;
        if here.round.is_some() {
            return self.keep(from, link, token, here);
        }
        let waits = !here.outboxes[from].is_empty();
        if waits || !self.enter(link, token, here, automaton) {
            here.outboxes[from].push((link as u16, token));
        }
    }

    /// Puts a message on its link. Returns whether there was room.
    fn enter(
        &self,
        link: usize,
        token: LinkMessage,
        here: &mut GlobalState,
        automaton: &Automaton,
    ) -> bool {
        let to = self.links.to(link).node as usize;
        if automaton.view(here.locals[to]).stage == Stage::Crashed {
            return true; // And is lost.
        }
        let queue = &mut here.queues[link];
        if queue.len() >= self.capacity {
            return false;
        }
        let at = match self.instance.faults.no_fifo {
            true => queue.partition_point(|other| other.msg <= token.msg),
            false => queue.len(),
        };
        queue.insert(at, token);
        true
    }

    /// Moves messages that wait for room from an outbox to links, while there is room.
    fn flow(&self, node: usize, here: &mut GlobalState, automaton: &Automaton) {
        if here.round.is_some() {
            return; // Links in rounds are unbounded.
        }
        while let Some(&(link, token)) = here.outboxes[node].first() {
            if !self.enter(link.into(), token, here, automaton) {
                return;
            }
            here.outboxes[node].remove(0);
        }
    }

    /// Removes the messages that a crashed process has not sent yet, and those on their way to it.
    fn bury(&self, node: usize, here: &mut GlobalState, automaton: &Automaton) {
        here.budget[2] -= 1;
        if here.round.is_none() {
            here.outboxes[node].clear();
        }
        for port in 0..self.links.degree(node) {
            let link = self.links.entering(node, port);
            here.queues[link].clear();
            self.flow(self.links.from(link).node as usize, here, automaton);
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct OneWayLinks {
    /// The outgoing link of each port of each node.
    out: Vec<Vec<u16>>,
    /// The incoming link of each port of each node.
    into: Vec<Vec<u16>>,
    /// The sending and the receiving end of each link.
    ends: Vec<(End, End)>,
}

impl OneWayLinks {
    pub(crate) fn of(wiring: &Wiring) -> Self {
        let mut links = Self { out: Vec::new(), into: Vec::new(), ends: Vec::new() };
        for node in 0..wiring.nodes() {
            let first = links.ends.len() as u16;
            let ports = (0..wiring.degree(node)).map(Port);
            links.ends.extend(ports.map(|port| (End { node, port }, wiring.across(node, port))));
            links.out.push((first..links.ends.len() as u16).collect());
        }
        let back = |&link: &u16| {
            let far = links.ends[usize::from(link)].1;
            links.out[far.node as usize][far.port.0 as usize]
        };
        links.into = links.out.iter().map(|out| out.iter().map(back).collect()).collect();
        links
    }

    pub(crate) fn nodes(&self) -> usize {
        self.out.len()
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn degree(&self, node: usize) -> usize {
        self.out[node].len()
    }

    pub(crate) fn leaving(&self, node: usize, port: usize) -> usize {
        usize::from(self.out[node][port])
    }

    pub(crate) fn entering(&self, node: usize, port: usize) -> usize {
        usize::from(self.into[node][port])
    }

    pub(crate) fn from(&self, link: usize) -> End {
        self.ends[link].0
    }

    pub(crate) fn to(&self, link: usize) -> End {
        self.ends[link].1
    }
}

/// Returns the processes that lead and have not crashed.
pub(crate) fn leaders(here: &GlobalState, automaton: &Automaton) -> impl Iterator<Item = usize> {
    let views = here.locals.iter().map(|&local| automaton.view(local)).enumerate();
    let leads = |view: &Observation| view.status == Status::Leader && view.stage != Stage::Crashed;
    views.filter(move |(_, view)| leads(view)).map(|(node, _)| node)
}
