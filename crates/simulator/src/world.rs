//! The processes of an election, and what happens when something happens to one.

use crate::{
    Experiment, Fault, Property,
    medium::{Dispatch, Medium, Misfit, Parcel, Step},
    property::Violations,
    trace::{Event, Observer, Passage},
};
use std::ops::ControlFlow;
use suffrage_process::{Facts, Knowledge, Message, Net, Place, Port, Process, Size, Status};
use suffrage_topology::{
    random::{Generator, Key},
    wiring::{End, Wiring},
};

/// Who watches a run.
#[derive(Default)]
pub struct Watch<'a> {
    /// Sees every event.
    pub observer: Option<&'a mut dyn Observer>,
    /// Is told now and then how many messages have been delivered, and may stop the run.
    pub pulse: Option<&'a mut dyn FnMut(u64) -> ControlFlow<()>>,
}

/// How many deliveries lie between two pulses.
const PULSE: u64 = 1 << 16;

/// All processes, and all that is outside of them.
pub(crate) struct World<'e, 'w, P: Process, T> {
    pub nodes: Vec<Node<P>>,
    pub outside: Outside<'e, 'w, T>,
    pub leaders: u32,
    pub delivered: u64,
    pub late: u64,
    pub woken: u64,
    pub peak_in_flight: u64,
    pub violations: Violations,
    /// Crashes to come, the latest first.
    crashes: Vec<(u64, u32)>,
}

/// A process, and what the engine keeps about it beside it.
pub(crate) struct Node<P> {
    pub process: P,
    /// The longest chain of messages that has reached it.
    pub depth: u32,
    pub sent: u32,
    pub received: u32,
    pub status: Status,
    pub stage: Stage,
    /// It woke by itself.
    pub woke: bool,
}

/// Where a process is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Asleep,
    Running,
    Halted,
    Crashed,
}

/// What a process's reactions act on.
pub(crate) struct Outside<'e, 'w, T> {
    pub medium: T,
    wiring: &'e Wiring,
    observer: Option<&'w mut dyn Observer>,
    /// Messages sent, by kind.
    pub counts: [u64; KINDS],
    pub in_flight: u64,
    pub lost: u64,
    /// Probabilities of loss and duplication, where a network has these faults.
    noise: Option<Noise>,
    coins: Generator,
    rejected: Option<&'static str>,
}

/// The most kinds of messages that an algorithm may have.
pub(crate) const KINDS: usize = 16;

/// The number of values of a 53-bit coin: a probability times it is exact in an `f64`.
const TWO_TO_THE_53: f64 = (1_u64 << 53) as f64;

struct Noise {
    key: Key,
    loss: f64,
    duplicate: f64,
}

impl<'e, 'w, P: Process, T: Medium<P::Msg>> World<'e, 'w, P, T> {
    pub(crate) fn new(
        experiment: &Experiment<'e>,
        medium: T,
        observer: Option<&'w mut dyn Observer>,
    ) -> Self {
        let wiring = experiment.wiring;
        let size = Size(wiring.nodes());
        let nodes = (0..).zip(experiment.ids).map(|(node, &id)| Node {
            process: P::new(
                P::Knows::of(&Facts { id, size, place: Place(node) }),
                wiring.degree(node),
            ),
            depth: 0,
            sent: 0,
            received: 0,
            status: Status::Undecided,
            stage: Stage::Asleep,
            woke: false,
        });
        let (mut loss, mut duplicate, mut crashes) = (0.0, 0.0, Vec::new());
        for fault in &experiment.faults {
            match *fault {
                Fault::NoFifo => {}
                Fault::Loss(p) => loss = p,
                Fault::Duplicate(p) => duplicate = p,
                Fault::Crash { node, at } => crashes.push((at, node)),
            }
        }
        crashes.sort_unstable_by(|a, b| b.cmp(a));
        let key = Key::new(experiment.seed, "noise");
        Self {
            nodes: nodes.collect(),
            outside: Outside {
                medium,
                wiring,
                observer,
                counts: [0; KINDS],
                in_flight: 0,
                lost: 0,
                noise: (loss + duplicate > 0.0).then_some(Noise { key, loss, duplicate }),
                coins: Generator::new(experiment.seed, "coins"),
                rejected: None,
            },
            leaders: 0,
            delivered: 0,
            late: 0,
            woken: 0,
            peak_in_flight: 0,
            violations: Violations::default(),
            crashes,
        }
    }

    /// Runs until nothing is left to happen, or `patience` deliveries. Says whether it came to
    /// its end.
    pub(crate) fn run(
        &mut self,
        patience: u64,
        mut pulse: Option<&mut dyn FnMut(u64) -> ControlFlow<()>>,
    ) -> Result<bool, Misfit> {
        let mut next_pulse = PULSE.min(patience);
        while let Some(step) = self.outside.medium.next()? {
            if !self.crashes.is_empty() {
                self.crash_who_must();
            }
            match step {
                Step::Deliver(parcel, overtakes) => self.deliver(parcel, overtakes),
                Step::Wake(node) => self.wake(node),
                Step::Alarm(node) => self.alarm(node),
            }
            if self.delivered >= next_pulse {
                if self.delivered >= patience && self.outside.in_flight > 0 {
                    self.violations.add(Property::Termination, self.outside.medium.now(), || {
                        format!("after {patience} deliveries the election is still going on")
                    });
                    return Ok(true);
                }
                next_pulse = (self.delivered + PULSE).min(patience.max(self.delivered + 1));
                if let Some(pulse) = &mut pulse
                    && pulse(self.delivered).is_break()
                {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    #[inline]
    fn deliver(&mut self, parcel: Parcel<P::Msg>, overtakes: u32) {
        let Parcel { to, depth, msg } = parcel;
        self.delivered += 1;
        self.outside.in_flight -= 1;
        let node = &mut self.nodes[to.node as usize];
        if matches!(node.stage, Stage::Halted | Stage::Crashed) {
            return self.discard(parcel, overtakes);
        }
        node.stage = Stage::Running;
        node.received += 1;
        node.depth = node.depth.max(depth);
        if self.outside.observer.is_some() {
            let from = self.outside.wiring.across(to.node, to.port);
            let passage = Outside::<'_, '_, T>::passage(from, to, &msg);
            self.outside.tell(depth, &Event::Deliver(passage, overtakes));
        }
        let mut net = Reaction {
            outside: &mut self.outside,
            node: to.node,
            depth: node.depth,
            sent: &mut node.sent,
        };
        node.process.receive(to.port, msg, &mut net);
        self.settle(to.node);
    }

    /// A message has reached a process that has halted or crashed.
    #[cold]
    fn discard(&mut self, Parcel { to, depth, msg }: Parcel<P::Msg>, overtakes: u32) {
        if self.nodes[to.node as usize].stage == Stage::Halted {
            self.late += 1;
        } else {
            self.outside.lost += 1;
        }
        let from = self.outside.wiring.across(to.node, to.port);
        let passage = Outside::<'_, '_, T>::passage(from, to, &msg);
        self.outside.tell(depth, &Event::Discard(passage, overtakes));
    }

    fn wake(&mut self, node: u32) {
        let state = &mut self.nodes[node as usize];
        if state.stage != Stage::Asleep {
            return; // A message came first: it is no initiator any more.
        }
        state.stage = Stage::Running;
        state.woke = true;
        self.woken += 1;
        self.outside.tell(0, &Event::Wake(node));
        let mut net =
            Reaction { outside: &mut self.outside, node, depth: 0, sent: &mut state.sent };
        state.process.wake(&mut net);
        self.settle(node);
    }

    fn alarm(&mut self, node: u32) {
        let state = &mut self.nodes[node as usize];
        if state.stage != Stage::Running {
            return;
        }
        let depth = state.depth;
        self.outside.tell(depth, &Event::Alarm(node));
        let mut net = Reaction { outside: &mut self.outside, node, depth, sent: &mut state.sent };
        state.process.alarm(&mut net);
        self.settle(node);
    }

    /// After a reaction: what has it decided?
    #[inline]
    fn settle(&mut self, node: u32) {
        self.peak_in_flight = self.peak_in_flight.max(self.outside.in_flight);
        let state = &mut self.nodes[node as usize];
        if state.process.status() != state.status {
            self.decide(node);
        }
        if self.nodes[node as usize].process.halted() {
            self.halt(node);
        }
        if self.outside.rejected.is_some() {
            self.reject(node);
        }
    }

    #[cold]
    fn decide(&mut self, node: u32) {
        let now = self.outside.medium.now();
        let state = &mut self.nodes[node as usize];
        let (old, new) = (state.status, state.process.status());
        state.status = new;
        let depth = state.depth;
        if old != Status::Undecided {
            self.violations.add(Property::IrrevocableStatus, now, || {
                format!("process {node} was {old:?} and is now {new:?}")
            });
        }
        self.leaders -= u32::from(old == Status::Leader);
        self.leaders += u32::from(new == Status::Leader);
        if new == Status::Leader && self.leaders > 1 {
            let leads = |other: &Node<P>| other.status == Status::Leader;
            let first = self.nodes.iter().position(leads).unwrap_or_default();
            let last = self.nodes.iter().rposition(leads).unwrap_or_default();
            self.violations.add(Property::AtMostOneLeader, now, || {
                format!("processes {first} and {last} are both leaders")
            });
        }
        self.outside.tell(depth, &Event::Status(node, new));
    }

    #[cold]
    fn halt(&mut self, node: u32) {
        let state = &mut self.nodes[node as usize];
        state.stage = Stage::Halted;
        let depth = state.depth;
        self.outside.tell(depth, &Event::Halt(node));
    }

    #[cold]
    fn reject(&mut self, node: u32) {
        let Some(why) = self.outside.rejected.take() else { return };
        let now = self.outside.medium.now();
        self.violations.add(Property::PossibleMessages, now, || {
            format!("process {node} received a message it cannot receive, because {why}")
        });
        let depth = self.nodes[node as usize].depth;
        self.outside.tell(depth, &Event::Reject(node, why));
    }

    #[cold]
    fn crash_who_must(&mut self) {
        let now = self.outside.medium.now();
        while self.crashes.last().is_some_and(|&(at, _)| at <= now) {
            let Some((_, node)) = self.crashes.pop() else { return };
            let state = &mut self.nodes[node as usize];
            state.stage = Stage::Crashed;
            let depth = state.depth;
            let lost = self.outside.medium.crash(node);
            self.outside.lost += lost;
            self.outside.in_flight -= lost;
            self.outside.tell(depth, &Event::Crash(node));
        }
    }
}

impl<T> Outside<'_, '_, T> {
    fn passage<M: Message>(from: End, to: End, msg: &M) -> Passage<'_> {
        Passage { from, to, kind: M::KINDS[msg.kind()].name, message: msg }
    }
}

impl<T> Outside<'_, '_, T> {
    /// How often a message arrives where messages are lost and doubled: 0, 1 or 2 times.
    #[cold]
    fn copies<M: Message>(&mut self, from: End, nth: u32, parcel: &Parcel<M>) -> u32
    where
        T: Medium<M>,
    {
        let Some(Noise { key, loss, duplicate }) = &self.noise else { return 1 };
        let key = key.at(u64::from(from.node) << 32 | u64::from(nth));
        let strikes = |place, p: f64| ((key.at(place).bits() >> 11) as f64) < p * TWO_TO_THE_53;
        let passage = Self::passage(from, parcel.to, &parcel.msg);
        if strikes(0, *loss) {
            self.lost += 1;
            self.tell(parcel.depth, &Event::Lose(passage));
            0
        } else if strikes(1, *duplicate) {
            self.counts[parcel.msg.kind()] += 1;
            self.tell(parcel.depth, &Event::Duplicate(passage));
            2
        } else {
            1
        }
    }

    #[inline]
    fn tell<M>(&mut self, clock: u32, event: &Event<'_>)
    where
        T: Medium<M>,
    {
        if let Some(observer) = &mut self.observer {
            observer.event(self.medium.now(), clock, event);
        }
    }
}

/// The net of a process, for one reaction.
struct Reaction<'r, 'e, 'w, T> {
    outside: &'r mut Outside<'e, 'w, T>,
    node: u32,
    /// The longest chain of messages that has reached the process.
    depth: u32,
    sent: &'r mut u32,
}

impl<M: Message, T: Medium<M>> Net<M> for Reaction<'_, '_, '_, T> {
    #[inline]
    fn degree(&self) -> u32 {
        self.outside.wiring.degree(self.node)
    }

    #[inline]
    fn send(&mut self, to: Port, msg: M) {
        let node = self.node;
        assert!(
            to.0 < self.degree(),
            "process {node} sends through port {} which it has not",
            to.0
        );
        let outside = &mut *self.outside;
        let nth = *self.sent;
        *self.sent += 1;
        outside.counts[msg.kind()] += 1;
        let from = End { node, port: to };
        let end = outside.wiring.across(node, to);
        let depth = self.depth + 1;
        if outside.observer.is_some() {
            outside.tell(depth, &Event::Send(Outside::<'_, '_, T>::passage(from, end, &msg)));
        }
        let parcel = Parcel { to: end, depth, msg };
        let link = outside.wiring.link(node, to);
        let copies = if outside.noise.is_some() { outside.copies(from, nth, &parcel) } else { 1 };
        for copy in 0..copies {
            // A copy is a message of its own to whatever draws delays.
            outside.in_flight += 1;
            outside.medium.send(Dispatch { from, link, nth: nth ^ copy << 31, parcel });
        }
    }

    fn choose(&mut self, max: u32) -> u32 {
        self.outside.coins.below(u64::from(max) + 1) as u32
    }

    fn set_alarm(&mut self, ticks: u32) {
        self.outside.medium.set_alarm(self.node, ticks);
    }

    fn reject(&mut self, why: &'static str) {
        self.outside.rejected = Some(why);
    }
}
