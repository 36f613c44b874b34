//! The transition relation: which steps are enabled in a configuration, and what they do.

pub(crate) mod automaton;
pub(crate) mod configuration;
pub(crate) mod instance;
pub(crate) mod interner;
pub(crate) mod links;
pub(crate) mod processes;
mod rounds;

use crate::model::{
    automaton::{Automaton, Input},
    configuration::{Configuration, NEW, Round, Token},
    instance::{Instance, Wake},
    links::Links,
};
use suffrage_model::{Diameter, Facts, Multiplicity, Place, Size, Stage};

/// An instance, prepared for exploration.
pub(crate) struct Model<'a> {
    pub instance: &'a Instance,
    pub links: Links,
    initiators: u64,
    capacity: usize,
}

/// An enabled event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A process reacts.
    React(u16, Input),
    /// The first message of a link is lost.
    Lose(u16),
    /// The first message of a link is duplicated.
    Double(u16),
    /// In rounds, the tick ends.
    Tick,
}

/// A step: an event with one of its effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A process reacts, with this effect.
    React(u16, u32),
    Lose(u16),
    Double(u16),
    Tick,
}

impl<'a> Model<'a> {
    pub(crate) fn new(instance: &'a Instance) -> Self {
        Self {
            links: Links::of(&instance.wiring),
            initiators: instance.initiators.iter().fold(0, |set, node| set | 1 << node),
            capacity: instance.capacity.map_or(usize::MAX, |capacity| capacity as usize),
            instance,
        }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.links.nodes()
    }

    pub(crate) fn first(&self, automaton: &mut Automaton) -> Configuration {
        let mut first = Configuration::new(self.nodes(), self.links.len());
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

    pub(crate) fn begins(&self, configuration: &Configuration, automaton: &Automaton) -> bool {
        self.instance.wake == Wake::AtStart
            && (0..self.nodes()).any(|node| self.may_wake(node, configuration, automaton))
    }

    pub(crate) fn may_wake(
        &self,
        node: usize,
        configuration: &Configuration,
        automaton: &Automaton,
    ) -> bool {
        self.initiators >> node & 1 == 1
            && automaton.view(configuration.locals[node]).stage == Stage::Asleep
    }

    /// Finds the events that are enabled at a set of processes: wake-ups, alarms, deliveries and,
    /// if there are faults, crashes, losses and duplications.
    pub(crate) fn events(
        &self,
        configuration: &Configuration,
        automaton: &Automaton,
        of: u64,
        events: &mut Vec<Event>,
    ) {
        events.clear();
        if self.begins(configuration, automaton) {
            let first = (0..self.nodes()).find(|&n| self.may_wake(n, configuration, automaton));
            events.extend(first.map(|node| Event::React(node as u16, Input::Wake)));
            return;
        }
        if let Some(round) = &configuration.round {
            return self.events_in(round, configuration, automaton, events);
        }
        for node in (0..self.nodes()).filter(|node| of >> node & 1 == 1) {
            let view = automaton.view(configuration.locals[node]);
            let number = node as u16;
            if view.stage == Stage::Crashed {
                continue;
            }
            if configuration.budget[2] > 0 && view.stage != Stage::Halted {
                events.push(Event::React(number, Input::Crash));
            }
            let waits = !configuration.outboxes[node].is_empty();
            if !waits {
                if self.may_wake(node, configuration, automaton) {
                    events.push(Event::React(number, Input::Wake));
                }
                if view.alarm {
                    events.push(Event::React(number, Input::Alarm));
                }
            }
            for port in 0..self.links.degree(node) {
                let link = self.links.entering(node, port);
                let queue = &configuration.queues[link];
                let Some(first) = queue.first() else { continue };
                if !waits && self.instance.faults.no_fifo {
                    // Messages are sorted: equal ones are the same event.
                    let mut last = None;
                    for token in queue {
                        if last.replace(token.msg) != Some(token.msg) {
                            let input = Input::Deliver(port as u16, token.msg);
                            events.push(Event::React(number, input));
                        }
                    }
                } else if !waits {
                    events.push(Event::React(number, Input::Deliver(port as u16, first.msg)));
                }
                if configuration.budget[0] > 0 {
                    events.push(Event::Lose(link as u16));
                }
                if configuration.budget[1] > 0 && queue.len() < self.capacity {
                    events.push(Event::Double(link as u16));
                }
            }
        }
    }

    /// Passes the steps of an event to `each`: one for each result of the random choices.
    pub(crate) fn steps(
        &self,
        event: Event,
        configuration: &Configuration,
        automaton: &mut Automaton,
        mut each: impl FnMut(&mut Automaton, Step),
    ) {
        match event {
            Event::React(node, input) => {
                let reaction = automaton.react(configuration.locals[usize::from(node)], input);
                for effect in automaton.reaction(reaction).1 {
                    each(automaton, Step::React(node, effect));
                }
            }
            Event::Lose(link) => each(automaton, Step::Lose(link)),
            Event::Double(link) => each(automaton, Step::Double(link)),
            Event::Tick => each(automaton, Step::Tick),
        }
    }

    /// Applies a step. Returns the message that was received, if any.
    pub(crate) fn apply(
        &self,
        step: Step,
        configuration: &mut Configuration,
        automaton: &Automaton,
    ) -> Option<Token> {
        match step {
            Step::Tick => {
                self.tick(configuration, automaton);
                None
            }
            Step::Lose(link) => {
                configuration.budget[0] -= 1;
                configuration.queues[usize::from(link)].remove(0);
                self.flow(self.links.from(link.into()).node as usize, configuration, automaton);
                None
            }
            Step::Double(link) => {
                configuration.budget[1] -= 1;
                let queue = &mut configuration.queues[usize::from(link)];
                queue.insert(0, queue[0]);
                None
            }
            Step::React(node, effect) => {
                let node = usize::from(node);
                let effect = automaton.effect(effect);
                configuration.locals[node] = effect.to;
                let mut received = None;
                if let Input::Deliver(port, msg) = effect.input {
                    let link = self.links.entering(node, port.into());
                    let queue = &mut configuration.queues[link];
                    let at = queue.iter().position(|token| token.msg == msg)?;
                    received = Some(queue.remove(at));
                    self.flow(self.links.from(link).node as usize, configuration, automaton);
                }
                for &(port, msg) in automaton.sends(effect) {
                    let link = self.links.leaving(node, port.into());
                    self.send(link, Token { msg, tag: NEW }, configuration, automaton);
                }
                let stage = automaton.view(effect.to).stage;
                if let Some(round) = &mut configuration.round {
                    round.reacted(node, effect.input, effect.alarm, stage);
                }
                if effect.input == Input::Crash {
                    self.bury(node, configuration, automaton);
                }
                received
            }
        }
    }

    /// Sends a message: into the link, or, if that is full or the process waits already, into its
    /// outbox.
    fn send(
        &self,
        link: usize,
        token: Token,
        configuration: &mut Configuration,
        automaton: &Automaton,
    ) {
        let from = self.links.from(link).node as usize;
        if configuration.round.is_some() {
            return self.keep(from, link, token, configuration);
        }
        let waits = !configuration.outboxes[from].is_empty();
        if waits || !self.enter(link, token, configuration, automaton) {
            configuration.outboxes[from].push((link as u16, token));
        }
    }

    /// Puts a message on its link. Returns whether there was room.
    fn enter(
        &self,
        link: usize,
        token: Token,
        configuration: &mut Configuration,
        automaton: &Automaton,
    ) -> bool {
        let to = self.links.to(link).node as usize;
        if automaton.view(configuration.locals[to]).stage == Stage::Crashed {
            return true; // And is lost.
        }
        let queue = &mut configuration.queues[link];
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
    fn flow(&self, node: usize, configuration: &mut Configuration, automaton: &Automaton) {
        if configuration.round.is_some() {
            return; // Links in rounds are unbounded.
        }
        while let Some(&(link, token)) = configuration.outboxes[node].first() {
            if !self.enter(link.into(), token, configuration, automaton) {
                return;
            }
            configuration.outboxes[node].remove(0);
        }
    }

    /// Removes the messages that a crashed process has not sent yet, and those on their way to it.
    fn bury(&self, node: usize, configuration: &mut Configuration, automaton: &Automaton) {
        configuration.budget[2] -= 1;
        if configuration.round.is_none() {
            configuration.outboxes[node].clear();
        }
        for port in 0..self.links.degree(node) {
            let link = self.links.entering(node, port);
            configuration.queues[link].clear();
            self.flow(self.links.from(link).node as usize, configuration, automaton);
        }
    }
}
