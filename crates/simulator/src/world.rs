//! The processes of an election, and what happens when something happens to one.

use crate::{
    Experiment, Fault, Property,
    medium::{Dispatch, Medium, Misfit, Parcel, Turn},
    property::Violations,
    trace::{Event, Observer, Passage},
};
use std::{hint::black_box, ops::ControlFlow};
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

/// How many messages are looked ahead for the processes that they will reach.
const AHEAD: usize = 32;

/// All processes, and all that is outside of them.
pub(crate) struct World<'e, 'w, P: Process, T> {
    pub nodes: Vec<Node<P>>,
    pub outside: Outside<'e, 'w, T>,
    pub leaders: u32,
    /// The tick of the last event.
    pub time: u64,
    pub delivered: u64,
    /// Alarms that have rung.
    alarms: u64,
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
    /// Messages that it has sent and received.
    pub load: u32,
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
            load: 0,
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
            time: 0,
            delivered: 0,
            alarms: 0,
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
        let mut checkpoint = PULSE.min(patience);
        // After so many deliveries it looks ahead and around.
        let mut look = checkpoint.min(AHEAD as u64);
        loop {
            while let Some(parcel) = self.outside.medium.arrival() {
                self.crash_who_must();
                self.deliver(parcel);
                if self.delivered >= look {
                    self.fetch_ahead();
                    look = (self.delivered + AHEAD as u64)
                        .min(checkpoint.saturating_sub(self.alarms).max(self.delivered + 1));
                    if self.delivered + self.alarms >= checkpoint {
                        break;
                    }
                }
            }
            if self.delivered + self.alarms >= checkpoint {
                if checkpoint < patience {
                    if let Some(pulse) = &mut pulse
                        && pulse(self.delivered).is_break()
                    {
                        return Ok(false);
                    }
                    checkpoint = (checkpoint + PULSE).min(patience);
                    continue;
                }
                // It may have come to its end with the last event.
                if self.outside.in_flight > 0 {
                    return Ok(self.lose_patience(patience));
                }
            }
            let Some(turn) = self.outside.medium.turn()? else { return Ok(true) };
            self.crash_who_must();
            match turn {
                Turn::Onward => {}
                Turn::Wake(node) => self.wake(node),
                Turn::Alarm(_) if self.delivered + self.alarms >= patience => {
                    return Ok(self.lose_patience(patience));
                }
                Turn::Alarm(node) => self.alarm(node),
            }
        }
    }

    /// The election counts as endless, and with that as ended.
    #[cold]
    fn lose_patience(&mut self, patience: u64) -> bool {
        self.violations.add(Property::Termination, self.time, || {
            format!("after {patience} events the election is still going on")
        });
        true
    }

    /// Reads a little of each process that is to act soon. In a large network every one of them is
    /// a cache miss; read together they are waited for together.
    #[inline]
    fn fetch_ahead(&self) {
        let upcoming = self.outside.medium.upcoming();
        let depths = upcoming.iter().take(AHEAD).map(|p| self.nodes[p.to.node as usize].depth);
        black_box(depths.fold(0, |all, depth| all | depth));
    }

    #[inline(always)]
    fn deliver(&mut self, parcel: Parcel<P::Msg>) {
        let Parcel { to, depth, msg } = parcel;
        self.delivered += 1;
        self.outside.in_flight -= 1;
        let node = &mut self.nodes[to.node as usize];
        if matches!(node.stage, Stage::Halted | Stage::Crashed) {
            return self.discard(parcel);
        }
        node.stage = Stage::Running;
        node.load += 1;
        node.depth = node.depth.max(depth);
        if self.outside.observer.is_some() {
            self.outside.tell_arrival(parcel, false);
        }
        let mut net = Reaction {
            outside: &mut self.outside,
            node: to.node,
            depth: node.depth,
            load: &mut node.load,
        };
        node.process.receive(to.port, msg, &mut net);
        self.settle(to.node);
    }

    /// A message has reached a process that has halted or crashed.
    #[cold]
    fn discard(&mut self, parcel: Parcel<P::Msg>) {
        self.time = self.outside.medium.now();
        if self.nodes[parcel.to.node as usize].stage == Stage::Halted {
            self.late += 1;
        } else {
            self.delivered -= 1;
            self.outside.lost += 1;
        }
        self.outside.tell_arrival(parcel, true);
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
            Reaction { outside: &mut self.outside, node, depth: 0, load: &mut state.load };
        state.process.wake(&mut net);
        self.settle(node);
    }

    fn alarm(&mut self, node: u32) {
        self.alarms += 1;
        let state = &mut self.nodes[node as usize];
        if state.stage != Stage::Running {
            return;
        }
        let depth = state.depth;
        self.outside.tell(depth, &Event::Alarm(node));
        let mut net = Reaction { outside: &mut self.outside, node, depth, load: &mut state.load };
        state.process.alarm(&mut net);
        self.settle(node);
    }

    /// After a reaction: what has it decided?
    #[inline(always)]
    fn settle(&mut self, node: u32) {
        self.peak_in_flight = self.peak_in_flight.max(self.outside.in_flight);
        self.time = self.outside.medium.now();
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
            let leads =
                |other: &Node<P>| other.status == Status::Leader && other.stage != Stage::Crashed;
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

    #[inline]
    fn crash_who_must(&mut self) {
        if !self.crashes.is_empty() {
            self.crash_now();
        }
    }

    #[cold]
    fn crash_now(&mut self) {
        let now = self.outside.medium.now();
        while self.crashes.last().is_some_and(|&(at, _)| at <= now) {
            let Some((_, node)) = self.crashes.pop() else { return };
            let state = &mut self.nodes[node as usize];
            if state.stage == Stage::Crashed {
                continue;
            }
            state.stage = Stage::Crashed;
            self.time = now;
            self.leaders -= u32::from(state.status == Status::Leader);
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
    /// Sends where messages are lost and doubled.
    #[cold]
    #[inline(never)]
    fn send_noisily<M: Message>(&mut self, dispatch: Dispatch<M>)
    where
        T: Medium<M>,
    {
        let Some(Noise { key, loss, duplicate }) = &self.noise else { return };
        let Dispatch { from, serial, parcel } = dispatch;
        let key = key.at(u64::from(from.node) << 32 | u64::from(serial));
        let strikes = |place, p: f64| ((key.at(place).bits() >> 11) as f64) < p * TWO_TO_THE_53;
        let (lost, doubled) = (strikes(0, *loss), strikes(1, *duplicate));
        let passage = Self::passage(from, parcel.to, &parcel.msg);
        if lost {
            self.lost += 1;
            self.tell(parcel.depth, &Event::Lose(passage));
            return;
        }
        self.in_flight += 1;
        self.medium.send(dispatch);
        if doubled {
            self.counts[parcel.msg.kind()] += 1;
            self.tell(parcel.depth, &Event::Duplicate(passage));
            self.in_flight += 1;
            // The copy draws a delay of its own.
            self.medium.send(Dispatch { from, serial: serial ^ 1 << 31, parcel });
        }
    }

    // Messages are handed over by value: in an engine's inner loop a message whose address is
    // taken lives in memory, and costs two stalls on its way through it.
    #[cold]
    #[inline(never)]
    fn tell_arrival<M: Message>(&mut self, Parcel { to, depth, msg }: Parcel<M>, discarded: bool)
    where
        T: Medium<M>,
    {
        let from = self.wiring.across(to.node, to.port);
        let overtakes = self.medium.overtaken();
        let event = if discarded { Event::Discard } else { Event::Deliver };
        self.tell(depth, &event(Self::passage(from, to, &msg), overtakes));
    }

    #[cold]
    #[inline(never)]
    fn tell_sending<M: Message>(&mut self, from: End, Parcel { to, depth, msg }: Parcel<M>)
    where
        T: Medium<M>,
    {
        self.tell(depth, &Event::Send(Self::passage(from, to, &msg)));
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
    load: &'r mut u32,
}

impl<M: Message, T: Medium<M>> Net<M> for Reaction<'_, '_, '_, T> {
    #[inline]
    fn degree(&self) -> u32 {
        self.outside.wiring.degree(self.node)
    }

    #[inline(always)]
    fn send(&mut self, to: Port, msg: M) {
        let node = self.node;
        let outside = &mut *self.outside;
        let serial = *self.load;
        *self.load += 1;
        outside.counts[msg.kind()] += 1;
        let from = End { node, port: to };
        let end = outside.wiring.across(node, to);
        let parcel = Parcel { to: end, depth: self.depth + 1, msg };
        if outside.observer.is_some() {
            outside.tell_sending(from, parcel);
        }
        if outside.noise.is_some() {
            return outside.send_noisily(Dispatch { from, serial, parcel });
        }
        outside.in_flight += 1;
        outside.medium.send(Dispatch { from, serial, parcel });
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
