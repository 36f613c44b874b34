//! Proves two instances isomorphic by running their processes side by side.
//!
//! One instance has been explored, the other has not. There is a map of its nodes to those of the
//! other, initiators to initiators, and so of links to links and of ports to ports. For every node
//! the local states of the two processes are put into pairs: first the initial ones, then, for each
//! pair, those after each event that may happen to both, in any order: waking, if it is an
//! initiator; an alarm; every message that is sent to it on any schedule of the explored instance.
//! Messages are put into pairs as well, link by link, as both processes send them. In each pair
//! both must have the same observable state (asleep, awake or halted; status; the leader named,
//! through the map), make the same random choices, violate the same properties, and send on every
//! link the same number of messages, of the same kinds, in the same order. No local state of a
//! process, and no message of a link, may be in two pairs.
//!
//! *Then the two have the same schedules.* Take a reachable configuration of the explored instance,
//! and replace each local state and each message by the other of its pair: this is a configuration
//! of the other instance, and the initial ones correspond. Every event that is enabled in the one
//! is enabled in the other: a wake-up or an alarm, because the local states have the same
//! observable part; a delivery, because the queues correspond. The successors correspond again,
//! because the pair was compared for just this event: the local state is in a pair, since the pairs
//! are closed under all messages that are sent to the process on *any* schedule, whose set is known
//! from the exploration (Theorem 1 in docs/why/design/checker.md: every run is equivalent to an
//! explored one, in which the same messages are sent). So the replacement is a bijection from the
//! reachable configurations of the one to those of the other that preserves steps. What was found
//! of the one holds of the other: terminal configurations, costs, causal depth, claims; winners
//! through the map. The claimed rule of who wins refers to identities, and is compared through the
//! map separately. What the exploration ruled out is not compared: a reaction that sends a message
//! never sent, or rejects one where no message may be rejected, belongs to no schedule.
//!
//! The order in which a process sends through *different* ports makes no difference unless links
//! are bounded; there it must be the same. Without FIFO queues correspond as sets.

use crate::{
    explorer::ScheduleExplorer,
    instance::{Instance, Wake},
    model::{
        Transition, TransitionSystem,
        processes::{AnyMessage, LocalInput, LocalViolation},
    },
    outcome::{CheckVerdict, Exploration},
    specification::Properties,
    state_graph::postorder,
    symmetry::canonical_form::{CanonicalForm, Representative},
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use suffrage_algorithms::Property;
use suffrage_model::{Id, Stage};

/// The bound on the number of local states that are compared, as a multiple of those that occur.
const ROOM: usize = 4;

/// An error: two instances are not isomorphic by this map of nodes, or not known to be.
struct NotBisimilar;

impl ScheduleExplorer {
    /// Returns the explored instance as a representative; `None` if nothing follows from it for
    /// others, because it violates a property or was not explored completely.
    pub(crate) fn representative(
        &mut self,
        instance: &Instance,
        form: &CanonicalForm,
        found: &Exploration,
        specification: &dyn Properties,
    ) -> Option<Representative> {
        // The messages sent on all schedules are known only if every schedule terminates.
        let complete = matches!(found.verdict, CheckVerdict::Holds)
            && (found.costs.is_some()
                || self.is_by_components()
                || postorder(&self.graph).is_some());
        if !complete {
            return None;
        }
        let model = TransitionSystem::new(instance);
        let mut locals = FxHashSet::default();
        let (mut known, mut sent) = (FxHashSet::default(), Vec::new());
        for (node, effect) in self.reactions(model.nodes()) {
            let effect = self.automaton.effect(effect);
            locals.insert((node, effect.to));
            let sends = self.automaton.sends(effect);
            for &(port, msg) in sends {
                let link = model.links.leaving(node.into(), port.into()) as u16;
                if known.insert((link, msg)) {
                    sent.push((link, self.automaton.message(msg)));
                }
            }
        }
        // The instance is first compared with itself: if its pairs of local states exceed the
        // bound, no instance can be compared with it.
        let most = ROOM * locals.len();
        let itself = (0..model.nodes()).collect();
        Bisimulation::new(&model, &model, itself, specification).run(self, &sent, most).ok()?;
        let instance = instance.clone();
        let found = Exploration { worst: None, ..found.clone() };
        Some(Representative { instance, order: form.orders.first()?.clone(), sent, most, found })
    }

    /// Returns the different reactions of the processes in the last exploration, as effects, in the order of their
    /// discovery.
    pub(crate) fn reactions(&self, nodes: usize) -> Vec<(u16, u32)> {
        let mut known = FxHashSet::default();
        let mut is_new = |reaction: &(u16, u32)| known.insert(*reaction);
        match &self.components {
            Some(components) if self.is_by_components() => {
                let mut all = components.reactions(nodes);
                all.retain(is_new);
                all
            }
            _ => {
                let steps = (0..self.graph.len() as u32).flat_map(|of| self.graph.steps(of));
                let reactions = steps.filter_map(|edge| match edge.step {
                    Transition::React(node, effect) => Some((node, effect)),
                    _ => None,
                });
                reactions.filter(&mut is_new).collect()
            }
        }
    }

    /// Returns the result that an exploration of the instance would have, if it is isomorphic to
    /// the representative.
    pub(crate) fn infer(
        &mut self,
        representative: &Representative,
        instance: &Instance,
        form: &CanonicalForm,
        specification: &dyn Properties,
    ) -> Option<Exploration> {
        let (here, there) =
            (TransitionSystem::new(&representative.instance), TransitionSystem::new(instance));
        for order in &form.orders {
            let mut to = vec![0; order.len()];
            for (&node, &image) in representative.order.iter().zip(order) {
                to[usize::from(node)] = usize::from(image);
            }
            let mut lockstep = Bisimulation::new(&here, &there, to, specification);
            let alike = lockstep.run(self, &representative.sent, representative.most).is_ok();
            if alike && lockstep.same_rule() {
                let found = representative.found.clone();
                let winners = found.winners.iter().filter_map(|&id| lockstep.image(id));
                return Some(Exploration { winners: winners.collect(), ..found });
            }
        }
        None
    }
}

/// A pair: of the explored instance, and of the other one.
type Pair<T> = (T, T);

#[derive(Clone, Default)]
struct Bijection {
    all: Vec<Pair<u32>>,
    there: FxHashMap<u32, u32>,
    back: FxHashMap<u32, u32>,
}

impl Bijection {
    /// Adds a pair. Returns whether it is new.
    fn join(&mut self, here: u32, there: u32) -> Result<bool, NotBisimilar> {
        match (self.there.get(&here), self.back.get(&there)) {
            (Some(&known), _) if known == there => Ok(false),
            (None, None) => {
                self.all.push((here, there));
                self.there.insert(here, there);
                self.back.insert(there, here);
                Ok(true)
            }
            _ => Err(NotBisimilar),
        }
    }
}

/// A bisimulation under construction, between an explored instance (`here`) and another one
/// (`there`).
struct Bisimulation<'a> {
    here: &'a TransitionSystem<'a>,
    there: &'a TransitionSystem<'a>,
    specification: &'a dyn Properties,
    /// The image of each node.
    to: Vec<usize>,
    /// The image of each port, by node.
    ports: Vec<Vec<u16>>,
    /// The bijection of local states, by node.
    locals: Vec<Bijection>,
    /// The bijection of messages, by link.
    messages: Vec<Bijection>,
    /// The messages that are sent on some schedule, with their links.
    sent: FxHashSet<(u16, u32)>,
    /// The pairs of inputs that are still to be compared, each with the node and the pair of local
    /// states.
    open: VecDeque<(usize, Pair<u32>, Pair<LocalInput>)>,
}

impl<'a> Bisimulation<'a> {
    fn new(
        here: &'a TransitionSystem<'a>,
        there: &'a TransitionSystem<'a>,
        to: Vec<usize>,
        specification: &'a dyn Properties,
    ) -> Self {
        let neighbour = |model: &TransitionSystem<'_>, node: usize, port: usize| {
            model.links.to(model.links.leaving(node, port)).node as usize
        };
        let port = |node: usize, port: usize| {
            let image = to[neighbour(here, node, port)];
            let mut ports = 0..there.links.degree(to[node]);
            ports.find(|&other| neighbour(there, to[node], other) == image)
        };
        let ports = (0..here.nodes()).map(|node| {
            let images = (0..here.links.degree(node)).map_while(|from| port(node, from));
            images.map(|port| port as u16).collect()
        });
        Self {
            here,
            there,
            specification,
            ports: ports.collect(),
            locals: vec![Bijection::default(); here.nodes()],
            messages: vec![Bijection::default(); here.links.len()],
            sent: FxHashSet::default(),
            open: VecDeque::new(),
            to,
        }
    }

    /// Constructs the bisimulation, up to a number of local states.
    fn run(
        &mut self,
        with: &mut ScheduleExplorer,
        sent: &[(u16, AnyMessage)],
        most: usize,
    ) -> Result<(), NotBisimilar> {
        let automaton = &mut with.automaton;
        self.sent = sent.iter().map(|(link, msg)| (*link, automaton.number(msg))).collect();
        for node in 0..self.here.nodes() {
            if self.ports[node].len() != self.there.links.degree(self.to[node]) {
                return Err(NotBisimilar);
            }
        }
        let (here, there) = (self.here.first(automaton), self.there.first(automaton));
        for node in 0..self.here.nodes() {
            self.local(node, (here.locals[node], there.locals[self.to[node]]), with)?;
        }
        while let Some((node, locals, inputs)) = self.open.pop_front() {
            self.compare(node, locals, inputs, with)?;
            if self.locals.iter().map(|pairs| pairs.all.len()).sum::<usize>() > most {
                return Err(NotBisimilar);
            }
        }
        let met: usize = self.messages.iter().map(|pairs| pairs.all.len()).sum();
        if met == self.sent.len() { Ok(()) } else { Err(NotBisimilar) }
    }

    fn local(
        &mut self,
        node: usize,
        locals: Pair<u32>,
        with: &ScheduleExplorer,
    ) -> Result<(), NotBisimilar> {
        if !self.locals[node].join(locals.0, locals.1)? {
            return Ok(());
        }
        let (here, there) = (with.automaton.view(locals.0), with.automaton.view(locals.1));
        let alike = (here.stage, here.status, here.woke, here.alarm)
            == (there.stage, there.status, there.woke, there.alarm)
            && match here.leader {
                Some(id) => there.leader.is_some() && self.image(id) == there.leader,
                None => there.leader.is_none(),
            };
        if !alike {
            return Err(NotBisimilar);
        }
        if here.stage == Stage::Halted {
            return Ok(()); // It drops what still comes, here and there.
        }
        let mut both = |input| self.open.push_back((node, locals, (input, input)));
        if here.stage == Stage::Asleep && self.here.instance.initiators.contains(&(node as u32)) {
            both(LocalInput::Wake);
        }
        if here.alarm {
            both(LocalInput::Alarm);
        }
        for port in 0..self.here.links.degree(node) {
            let link = self.here.links.entering(node, port);
            for at in 0..self.messages[link].all.len() {
                let messages = self.messages[link].all[at];
                self.open.push_back((node, locals, self.delivery(node, port, messages)));
            }
        }
        Ok(())
    }

    fn message(
        &mut self,
        link: usize,
        messages: Pair<u32>,
        with: &ScheduleExplorer,
    ) -> Result<(), NotBisimilar> {
        if !self.messages[link].join(messages.0, messages.1)? {
            return Ok(());
        }
        if with.automaton.kind(messages.0) != with.automaton.kind(messages.1) {
            return Err(NotBisimilar);
        }
        let end = self.here.links.to(link);
        let (node, port) = (end.node as usize, end.port.0 as usize);
        let inputs = self.delivery(node, port, messages);
        for &locals in &self.locals[node].all {
            if with.automaton.view(locals.0).stage != Stage::Halted {
                self.open.push_back((node, locals, inputs));
            }
        }
        Ok(())
    }

    fn delivery(&self, node: usize, port: usize, messages: (u32, u32)) -> Pair<LocalInput> {
        let through = self.ports[node][port];
        (LocalInput::Deliver(port as u16, messages.0), LocalInput::Deliver(through, messages.1))
    }

    fn compare(
        &mut self,
        node: usize,
        locals: Pair<u32>,
        inputs: Pair<LocalInput>,
        with: &mut ScheduleExplorer,
    ) -> Result<(), NotBisimilar> {
        let automaton = &mut with.automaton;
        let here = automaton.react(locals.0, inputs.0);
        let there = automaton.react(locals.1, inputs.1);
        let (here, there) = (automaton.reaction(here).1, automaton.reaction(there).1);
        let link =
            |model: &TransitionSystem<'_>, port: u16| model.links.leaving(node, port.into()) as u16;
        let never = here.clone().any(|effect| {
            let effect = automaton.effect(effect);
            let rejects = matches!(effect.fault, Some(LocalViolation::Rejected(_)));
            let unsent =
                |&(port, msg): &(u16, u32)| !self.sent.contains(&(link(self.here, port), msg));
            rejects && self.specification.requires(Property::PossibleMessages)
                || automaton.sends(effect).iter().any(unsent)
        });
        if never {
            return Ok(());
        }
        // At the start processes wake one after another, in the order of their numbers.
        let drawn = inputs.0 == LocalInput::Wake && self.here.instance.wake == Wake::AtStart;
        if here.len() != there.len() || drawn && here.len() > 1 {
            return Err(NotBisimilar);
        }
        for (here, there) in here.zip(there) {
            let (here, there) = (with.automaton.effect(here), with.automaton.effect(there));
            if here.coins != there.coins || here.fault != there.fault {
                return Err(NotBisimilar);
            }
            let to = (here.to, there.to);
            let (here, there) = (with.automaton.sends(here), with.automaton.sends(there));
            if here.len() != there.len() {
                return Err(NotBisimilar);
            }
            let bounded = self.here.instance.capacity.is_some();
            let ways = if bounded { 1 } else { self.ports[node].len() as u16 };
            for way in 0..ways {
                let ports = &self.ports[node];
                let through = |port: u16| bounded || port == way;
                let here = here.iter().filter(|(port, _)| through(*port));
                let image = |&&(port, _): &&(u16, u32)| bounded || port == ports[usize::from(way)];
                let mut there = there.iter().filter(image);
                let mut pairs = Vec::new();
                for &(port, msg) in here {
                    match there.next() {
                        Some(&(other, image)) if other == ports[usize::from(port)] => {
                            pairs.push((link(self.here, port).into(), (msg, image)));
                        }
                        _ => return Err(NotBisimilar),
                    }
                }
                if there.next().is_some() {
                    return Err(NotBisimilar);
                }
                for (link, messages) in pairs {
                    self.message(link, messages, with)?;
                }
            }
            self.local(node, to, with)?;
        }
        Ok(())
    }

    fn image(&self, id: Id) -> Option<Id> {
        let node = self.here.instance.ids.iter().position(|&other| other == id)?;
        Some(self.there.instance.ids[self.to[node]])
    }

    /// Returns whether the claimed rule names the image of the same process, for every set of
    /// initiators that wake.
    fn same_rule(&self) -> bool {
        let Some(claims) = self.specification.claims() else { return true };
        let initiators = &self.here.instance.initiators;
        let mut back = vec![0; self.to.len()];
        for (node, &image) in self.to.iter().enumerate() {
            back[image] = node;
        }
        (0..1_u64 << initiators.len()).all(|set| {
            let woke = |node: usize| {
                let place = initiators.iter().position(|&other| other as usize == node);
                place.is_some_and(|place| set >> place & 1 == 1)
            };
            // Each instance in the order of its own nodes: a rule may name the place of the winner.
            let nodes = 0..self.here.nodes();
            let here = nodes.clone().map(|node| (self.here.instance.ids[node], woke(node)));
            let there = nodes.map(|image| (self.there.instance.ids[image], woke(back[image])));
            let here = claims.rule.winner(here).map(|winner| self.to[winner.node as usize]);
            here == claims.rule.winner(there).map(|winner| winner.node as usize)
        })
    }
}
