//! An election as a model of stateright: the same processes, another engine.

use stateright::{Model, Property};
use std::{collections::VecDeque, marker::PhantomData};
use suffrage_checker::{Instance, Wake};
use suffrage_model::{
    Diameter, Facts, Knowledge, Multiplicity, Net, Place, Port, Process, Size, Status,
};

/// An instance without faults, alarms and coins, on links of unbounded capacity.
pub(crate) struct Election<P> {
    instance: Instance,
    process: PhantomData<P>,
}

/// A configuration: everything that a later step can depend on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Configuration<P: Process> {
    nodes: Vec<Node<P>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node<P: Process> {
    process: P,
    asleep: bool,
    /// Whether it woke by itself, on which the rule of who wins depends.
    woke: bool,
    /// The messages on their way to it, by port.
    mail: Vec<VecDeque<P::Msg>>,
}

/// An event at a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Wake(u32),
    Deliver(u32, Port),
}

impl<P: Process> Election<P> {
    pub(crate) fn new(instance: Instance) -> Self {
        assert!(instance.faults.is_none() && instance.capacity.is_none());
        Self { instance, process: PhantomData }
    }

    fn asleep(&self) -> Configuration<P> {
        let Instance { wiring, ids, .. } = &self.instance;
        let size = Size(wiring.nodes());
        let multiplicity = Multiplicity::of(&mut ids.clone());
        let node = |(node, &id)| {
            let (place, degree) = (Place(node), wiring.degree(node));
            // No algorithm that is compared knows it.
            let diameter = Diameter(0);
            let facts = Facts { id, size, place, diameter, multiplicity };
            Node {
                process: P::new(P::Knows::of(&facts), degree),
                asleep: true,
                woke: false,
                mail: vec![VecDeque::new(); degree as usize],
            }
        };
        Configuration { nodes: (0..).zip(ids).map(node).collect() }
    }

    /// Runs a reaction of a process and puts its messages on their links.
    fn react(
        &self,
        configuration: &mut Configuration<P>,
        number: u32,
        reaction: impl FnOnce(&mut P, &mut Outbox<P::Msg>),
    ) {
        let mut outbox = Outbox { degree: self.instance.wiring.degree(number), sent: Vec::new() };
        let node = &mut configuration.nodes[number as usize];
        node.asleep = false;
        reaction(&mut node.process, &mut outbox);
        for (port, msg) in outbox.sent {
            let there = self.instance.wiring.across(number, port);
            let mail = &mut configuration.nodes[there.node as usize].mail;
            mail[there.port.0 as usize].push_back(msg);
        }
    }

    fn wake(&self, configuration: &mut Configuration<P>, number: u32) {
        configuration.nodes[number as usize].woke = true;
        self.react(configuration, number, P::wake);
    }
}

impl<P: Process> Model for Election<P> {
    type State = Configuration<P>;
    type Action = Action;

    fn init_states(&self) -> Vec<Configuration<P>> {
        let mut first = self.asleep();
        if self.instance.wake == Wake::AtStart {
            for &node in &self.instance.initiators {
                self.wake(&mut first, node);
            }
        }
        vec![first]
    }

    fn actions(&self, configuration: &Configuration<P>, actions: &mut Vec<Action>) {
        for (number, node) in (0..).zip(&configuration.nodes) {
            if node.asleep && self.instance.initiators.contains(&number) {
                actions.push(Action::Wake(number));
            }
            let full = (0..).zip(&node.mail).filter(|(_, queue)| !queue.is_empty());
            actions.extend(full.map(|(port, _)| Action::Deliver(number, Port(port))));
        }
    }

    fn next_state(
        &self,
        configuration: &Configuration<P>,
        action: Action,
    ) -> Option<Configuration<P>> {
        let mut next = configuration.clone();
        match action {
            Action::Wake(number) => self.wake(&mut next, number),
            Action::Deliver(number, port) => {
                let node = &mut next.nodes[number as usize];
                let msg = node.mail[port.0 as usize].pop_front()?;
                // Messages to a process that has halted are dropped.
                if !node.process.halted() {
                    self.react(&mut next, number, |process, outbox| {
                        process.receive(port, msg, outbox);
                    });
                }
            }
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        fn leaders<P: Process>(configuration: &Configuration<P>) -> usize {
            let status = configuration.nodes.iter().map(|node| node.process.status());
            status.filter(|&status| status == Status::Leader).count()
        }
        vec![
            Property::always("never two leaders", |_, now| leaders(now) < 2),
            // Not `eventually`, which misses ends that are reached by more than one execution.
            Property::always("ends with a leader whom all know", |model: &Self, now| {
                let mut actions = Vec::new();
                model.actions(now, &mut actions);
                let named = now.nodes[0].process.leader();
                !actions.is_empty()
                    || leaders(now) == 1
                        && now.nodes.iter().all(|node| {
                            node.process.halted()
                                && node.process.leader().is_some()
                                && node.process.leader() == named
                        })
            }),
        ]
    }
}

/// Collects the messages that a process sends.
struct Outbox<M> {
    degree: u32,
    sent: Vec<(Port, M)>,
}

impl<M: Copy> Net<M> for Outbox<M> {
    fn degree(&self) -> u32 {
        self.degree
    }

    fn send(&mut self, to: Port, msg: M) {
        self.sent.push((to, msg));
    }

    fn choose(&mut self, _: u32) -> u32 {
        unimplemented!("no algorithm of the catalogue draws lots")
    }

    fn set_alarm(&mut self, _: u32) {
        unimplemented!("no algorithm of the catalogue sets an alarm")
    }

    fn reject(&mut self, why: &'static str) {
        panic!("links are reliable, and yet a message was rejected: {why}");
    }
}
