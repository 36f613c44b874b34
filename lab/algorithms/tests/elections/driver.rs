//! A small driver: any network, any interleaving, links that hold any number of messages or a few.

use crate::networks::{Rng, Wiring};
use std::collections::VecDeque;
use suffrage_algorithms::{
    Algorithm, Configuration, Ending, Guarantee, InTransit, Invariant, Node, Parameters, Problem,
    Violation,
};
use suffrage_model::{
    Diameter, End, Facts, Id, Knowledge, Message, Multiplicity, Net, Phase, Place, Port, Process,
    Size, Stage, Status,
};

/// What can happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Wake(usize),
    /// Node and port where the next message arrives.
    Deliver(usize, usize),
}
use Event::{Deliver, Wake};

/// What a process does in one reaction.
struct Reaction<'a, M> {
    degree: u32,
    coins: &'a mut Rng,
    sent: &'a mut VecDeque<(usize, M)>,
}

impl<M: Copy> Net<M> for Reaction<'_, M> {
    fn degree(&self) -> u32 {
        self.degree
    }
    fn send(&mut self, to: Port, msg: M) {
        assert!(to.0 < self.degree, "{to:?} of {}", self.degree);
        self.sent.push_back((to.0 as usize, msg));
    }
    fn choose(&mut self, max: u32) -> u32 {
        self.coins.below(max as usize + 1) as u32
    }
    fn set_alarm(&mut self, _: u32) {
        unreachable!("no algorithm here sets alarms")
    }
    fn reject(&mut self, why: &'static str) {
        panic!("rejected: {why}");
    }
}

/// A network of processes, in the middle of a run. It panics where a property breaks.
pub(crate) struct Run<'a, P: Process> {
    wiring: &'a Wiring,
    ids: &'a [u64],
    capacity: usize,
    pub(crate) nodes: Vec<P>,
    /// Messages under way, by the node and port where they will arrive.
    links: Vec<Vec<VecDeque<P::Msg>>>,
    /// Messages that did not fit into their link: until they do, their sender does nothing else.
    blocked: Vec<VecDeque<(usize, P::Msg)>>,
    /// Initiators that have neither woken nor been reached.
    pub(crate) asleep: Vec<bool>,
    pub(crate) woken: Vec<bool>,
    reached: Vec<bool>,
    pub(crate) by_kind: Vec<u64>,
    /// Messages that have arrived at a process that had halted.
    pub(crate) late: u64,
    /// Those among them that were sent after it had.
    pub(crate) sent_to_halted: u64,
    /// What the last reaction sent.
    pub(crate) last_sent: Vec<P::Msg>,
    /// What processes choose.
    pub(crate) coins: Rng,
}

impl<'a, P: Process> Run<'a, P> {
    pub(crate) fn new(
        wiring: &'a Wiring,
        ids: &'a [u64],
        initiators: &[usize],
        capacity: usize,
    ) -> Self {
        let n = wiring.len();
        let facts = |i: usize| Facts {
            id: Id::new(ids[i]),
            size: Size(n as u32),
            place: Place(i as u32),
            diameter: Diameter(0),
            multiplicity: Multiplicity::ONE,
        };
        Self {
            wiring,
            ids,
            capacity,
            nodes: (0..n)
                .map(|i| P::new(P::Knows::of(&facts(i)), wiring[i].len() as u32))
                .collect(),
            links: wiring.iter().map(|ports| vec![VecDeque::new(); ports.len()]).collect(),
            blocked: vec![VecDeque::new(); n],
            asleep: (0..n).map(|i| initiators.contains(&i)).collect(),
            woken: vec![false; n],
            reached: vec![false; n],
            by_kind: vec![0; P::Msg::KINDS.len()],
            late: 0,
            sent_to_halted: 0,
            last_sent: Vec::new(),
            coins: Rng(n as u64),
        }
    }

    pub(crate) fn possible(&self) -> Vec<Event> {
        let free = (0..self.nodes.len()).filter(|&i| self.blocked[i].is_empty());
        free.flat_map(|i| {
            let arrivals = (0..self.links[i].len()).filter(move |&p| !self.links[i][p].is_empty());
            self.asleep[i]
                .then_some(Wake(i))
                .into_iter()
                .chain(arrivals.map(move |p| Deliver(i, p)))
        })
        .collect()
    }

    /// The message that an event delivers.
    pub(crate) fn delivers(&self, event: Event) -> Option<P::Msg> {
        match event {
            Wake(_) => None,
            Deliver(node, port) => self.links[node][port].front().copied(),
        }
    }

    /// An event that may happen now, at random, where one in `eagerness` is a wake-up while others
    /// are possible; `None` at the end.
    pub(crate) fn draw(&self, eagerness: usize, rng: &mut Rng) -> Option<Event> {
        let mut events = self.possible();
        let is_wake = |event: &Event| matches!(event, Wake(_));
        if events.iter().any(is_wake) && !events.iter().all(is_wake) {
            let wakes = rng.below(eagerness) == 0;
            events.retain(|event| is_wake(event) == wakes);
        }
        (!events.is_empty()).then(|| events[rng.below(events.len())])
    }

    /// Lets these events happen, in this order.
    pub(crate) fn script(&mut self, events: &[Event]) {
        events.iter().for_each(|&event| self.happen(event));
    }

    pub(crate) fn happen(&mut self, event: Event) {
        let (Wake(node) | Deliver(node, _)) = event;
        let before = (self.nodes[node].status(), self.nodes[node].leader());
        self.reached[node] = true;
        let mut sent = VecDeque::new();
        let degree = self.wiring[node].len() as u32;
        let mut net = Reaction { degree, coins: &mut self.coins, sent: &mut sent };
        assert!(std::mem::replace(&mut self.asleep[node], false) || event != Wake(node));
        match event {
            Wake(_) => {
                self.woken[node] = true;
                self.nodes[node].wake(&mut net);
            }
            Deliver(_, port) => {
                let msg = self.links[node][port].pop_front().expect("a message is under way");
                if self.nodes[node].halted() {
                    self.late += 1;
                } else {
                    self.nodes[node].receive(Port(port as u32), msg, &mut net);
                }
                self.unblock(self.wiring[node][port].0);
            }
        }
        for &(port, msg) in &sent {
            let (to, _) = self.wiring[node][port];
            self.sent_to_halted += u64::from(self.nodes[to].halted());
            self.by_kind[msg.kind()] += 1;
        }
        self.last_sent = sent.iter().map(|&(_, msg)| msg).collect();
        self.blocked[node].extend(sent);
        self.unblock(node);
        let after = (self.nodes[node].status(), self.nodes[node].leader());
        assert!(before.0 == Status::Undecided || before.0 == after.0, "{before:?}, {after:?}");
        assert!(before.1.is_none() || before.1 == after.1, "{before:?}, {after:?}");
        assert!(self.leaders().len() <= 1, "two leaders");
    }

    fn unblock(&mut self, node: usize) {
        while let Some(&(port, msg)) = self.blocked[node].front() {
            let (to, at) = self.wiring[node][port];
            if self.links[to][at].len() == self.capacity {
                break;
            }
            self.links[to][at].push_back(msg);
            self.blocked[node].pop_front();
        }
    }

    /// Runs to the end: initiators wake as one in `eagerness` events, while others are possible.
    pub(crate) fn finish(&mut self, eagerness: usize, rng: &mut Rng) {
        self.finish_checked(eagerness, rng, &mut |_| {});
    }

    /// As [`finish`](Self::finish), with a look at every configuration.
    pub(crate) fn finish_checked(
        &mut self,
        eagerness: usize,
        rng: &mut Rng,
        check: &mut dyn FnMut(&Self),
    ) {
        while let Some(event) = self.draw(eagerness, rng) {
            self.happen(event);
            check(self);
        }
    }

    /// Holds the present configuration to the invariants.
    pub(crate) fn check(&self, invariants: &[Invariant<P>]) -> Result<(), Violation> {
        let end = |(node, port): (usize, usize)| End { node: node as u32, port: Port(port as u32) };
        let across = |End { node, port }: End| end(self.wiring[node as usize][port.0 as usize]);
        let nodes = (0..self.nodes.len()).map(|i| Node {
            process: &self.nodes[i],
            id: Id::new(self.ids[i]),
            stage: match (self.reached[i], self.nodes[i].halted()) {
                (false, _) => Stage::Asleep,
                (true, false) => Stage::Running,
                (true, true) => Stage::Halted,
            },
            woke: self.woken[i],
            degree: self.wiring[i].len() as u32,
            number: None,
        });
        let mut messages = Vec::new();
        for (i, ports) in self.links.iter().enumerate() {
            for (port, queue) in ports.iter().enumerate() {
                let (to, from) = (end((i, port)), end(self.wiring[i][port]));
                messages.extend(queue.iter().map(|&msg| InTransit { from, to, msg, number: None }));
            }
        }
        for (i, queue) in self.blocked.iter().enumerate() {
            for &(port, msg) in queue {
                let from = end((i, port));
                messages.push(InTransit { from, to: across(from), msg, number: None });
            }
        }
        let now = Configuration::new(nodes.collect(), messages, &across);
        invariants.iter().try_for_each(|invariant| invariant.check(&now).map(|_| ()))
    }

    pub(crate) fn leaders(&self) -> Vec<u64> {
        let leads = |&i: &usize| self.nodes[i].status() == Status::Leader;
        (0..self.nodes.len()).filter(leads).map(|i| self.ids[i]).collect()
    }

    pub(crate) fn messages(&self, phase: Phase) -> u64 {
        P::Msg::KINDS
            .iter()
            .zip(&self.by_kind)
            .filter(|(kind, _)| kind.phase == phase)
            .map(|(_, n)| n)
            .sum()
    }

    /// At the end: one leader, by the rule, on whom all agree, within the bounds.
    pub(crate) fn assert_elected(&self, row: &Algorithm) {
        assert!(self.blocked.iter().all(VecDeque::is_empty), "{}: blocked", row.name);
        let [leader] = self.leaders()[..] else { panic!("{}: no leader", row.name) };
        for node in &self.nodes {
            let explicit = row.claims.problem == Problem::Explicit;
            let name = explicit.then_some(Id::new(leader));
            assert_eq!(node.leader(), name, "{}: {node:?}", row.name);
            assert!(node.halted() && node.status() != Status::Undecided, "{}: {node:?}", row.name);
        }
        let ids = self.ids.iter().map(|&id| Id::new(id)).zip(self.woken.iter().copied());
        assert!(
            row.claims.rule.winner(ids).is_none_or(|winner| winner.id.get() == leader),
            "{}",
            row.name
        );
        assert!(self.late == 0 || row.claims.ending == Ending::LateMessages, "{}: late", row.name);

        let parameters = Parameters::new(
            self.nodes.len() as u64,
            self.wiring.iter().map(Vec::len).sum::<usize>() as u64 / 2,
            self.woken.iter().filter(|&&woken| woken).count() as u64,
        );
        let ids = self.ids.iter().map(|&id| Id::new(id));
        let parameters = row.claims.identified(parameters, ids);
        for (bound, phase) in
            [(row.claims.election, Phase::Election), (row.claims.announcement, Phase::Announcement)]
        {
            let (sent, most) = (self.messages(phase), bound.at(&parameters));
            let kept = match bound.guarantee {
                Guarantee::Exactly => sent == most,
                Guarantee::AtMost => sent <= most,
                _ => true, // A single election is held to no expectation.
            };
            assert!(kept, "{}: {sent} messages for {} = {most}", row.name, bound.formula);
        }
    }
}
