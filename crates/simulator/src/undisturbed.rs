//! Runs that nothing disturbs: without observers, faults and bounds on links, on networks and under
//! schedules that are frequent. Most large simulations are of this kind.
//!
//! [`World`](crate::world::World) determines for every message the kind of the network, its delay,
//! and whether there is an observer. Here this is determined once, and the loop is compiled for each
//! [`Process`], [`Wires`] and [`Pace`]. The outcome is the same, to the last number.

mod ledger;
mod lockstep;
mod pace;
mod uniform;
mod wires;

use crate::{
    Experiment, FifoMethod, Outcome, Schedule, Wakes,
    calendar::Calendar,
    environment::KINDS,
    node::Node,
    timed::LONGEST_CALENDAR,
    verdict::{Accounts, conclude},
    world::Pulse,
};
use ledger::Ledger;
use lockstep::Lockstep;
use pace::{AHEAD, Event, Pace};
use std::hint::black_box;
use suffrage_algorithms::Claims;
use suffrage_process::{End, Message, Net, NetworkClass, Port, Process, Stage, Status};
use suffrage_topology::{
    random::Key,
    wiring::{Numbering, OrientedRing, Rotation},
};
use uniform::Uniform;
use wires::{Fits, Wires};

/// Processes in less memory than this stay in a cache and are not prefetched, in bytes.
const CACHE: usize = 1 << 20;

/// Receivers that are on average no farther apart than this many processes are prefetched by the
/// hardware.
const NEAR: usize = 4;

/// The first tick for which 31 bits do not suffice: runs that come so far are repeated with more.
const END: u64 = 1 << 31;

/// Runs the election if it is one of those for which a loop has been compiled; `None` if it is not,
/// or turns out not to be, because a process sets an alarm.
pub(crate) fn run<P: Process>(
    claims: Option<&Claims>,
    experiment: &Experiment<'_>,
    pulse: Pulse<'_>,
) -> Option<Outcome> {
    if P::TIMING.in_rounds() {
        return None; // It runs under a schedule that has no loop, and none is compiled for it.
    }
    let quiet = experiment.faults.is_empty() && experiment.capacity.is_none();
    if !quiet || experiment.fifo != FifoMethod::Cheapest || experiment.event_limit == 0 {
        return None;
    }
    let initiators = Initiators::of(experiment)?;
    let election = Election { claims, experiment, initiators, pulse };
    // The conditions are constants: of the three, one is compiled for each process.
    if Network::<P>::IS_RING {
        let Numbering::Ring = experiment.wiring.numbering() else { return None };
        let ring = OrientedRing { nodes: experiment.wiring.nodes() };
        ring.fits().then(|| election.on::<P, _>(ring))?
    } else if Network::<P>::IS_COMPLETE {
        let Numbering::Complete = experiment.wiring.numbering() else { return None };
        election.on::<P, _>(Rotation { nodes: experiment.wiring.nodes() })
    } else {
        let Numbering::Stored(adjacency) = experiment.wiring.numbering() else { return None };
        election.on::<P, _>(adjacency)
    }
}

/// The kind of network for which the loops of a process are compiled.
struct Network<P>(std::marker::PhantomData<P>);

impl<P: Process> Network<P> {
    const IS_RING: bool = matches!(P::NETWORK.unoriented(), NetworkClass::Ring);
    const IS_COMPLETE: bool =
        matches!(P::NETWORK, NetworkClass::Complete | NetworkClass::OrientedComplete);
}

/// The processes that wake at the start.
struct Initiators {
    count: u32,
    /// Their numbers in ascending order; `None` if it is all of them.
    listed: Option<Vec<u32>>,
}

impl Initiators {
    /// Returns the initiators of an experiment; `None` if some wake later.
    fn of(experiment: &Experiment<'_>) -> Option<Self> {
        let Wakes::At(wakes) = &experiment.wakes else {
            return Some(Self { count: experiment.wiring.nodes(), listed: None });
        };
        let at_start = |&(tick, node): &(u64, u32)| (tick == 0).then_some(node);
        let mut listed = wakes.iter().map(at_start).collect::<Option<Vec<u32>>>()?;
        listed.sort_unstable();
        listed.dedup();
        Some(Self { count: listed.len() as u32, listed: Some(listed) })
    }
}

/// An election, and who is told of its progress.
struct Election<'a, 'e, 'p> {
    claims: Option<&'a Claims>,
    experiment: &'a Experiment<'e>,
    initiators: Initiators,
    pulse: Pulse<'p>,
}

impl Election<'_, '_, '_> {
    /// Chooses the pace.
    fn on<P: Process, W: Wires>(self, wires: W) -> Option<Outcome> {
        match self.experiment.schedule {
            Schedule::Synchronous => {
                let first = self.initiators.count as usize;
                self.run::<P, _, _>(wires, Lockstep::new(first))
            }
            Schedule::Uniform(most) if u64::from(most) <= LONGEST_CALENDAR => {
                let key = Key::new(self.experiment.seed, "delays");
                let mut calendar = Calendar::new(most.into());
                let mut last = vec![0; wires.dense_links()];
                let pace = Uniform::new(&mut calendar, &mut last, key, most.into());
                self.run::<P, _, _>(wires, pace)
            }
            _ => None,
        }
    }

    fn run<P: Process, W: Wires, C: Pace<W, P::Msg>>(self, wires: W, pace: C) -> Option<Outcome> {
        let Self { claims, experiment, initiators, pulse } = self;
        let mut nodes = Node::<P, C::Depth>::all(experiment);
        let ledger = Ledger::new(experiment, END, pulse);
        let accounts = play(&mut nodes, wires, pace, ledger, &initiators)?;
        Some(conclude(&nodes, accounts, experiment, claims))
    }
}

/// What every reaction changes, beside its process. A process that sends through a function that is
/// not inlined finds all of it behind one pointer.
struct Engine<'r, 'l, W, C> {
    wires: W,
    pace: C,
    now: u64,
    /// The number of messages sent, by kind.
    counts: [u64; KINDS],
    peak_in_flight: u64,
    ledger: &'r mut Ledger<'l>,
}

/// Wakes the initiators and delivers messages until there are none; `None` if the run is none of
/// those that the loop can run.
fn play<P: Process, W: Wires, C: Pace<W, P::Msg>>(
    nodes: &mut [Node<P, C::Depth>],
    wires: W,
    pace: C,
    mut ledger: Ledger<'_>,
    initiators: &Initiators,
) -> Option<Accounts> {
    let (counts, ledger_) = ([0; KINDS], &mut ledger);
    let engine = Engine { wires, pace, now: 0, counts, peak_in_flight: 0, ledger: ledger_ };
    let engine = wake(nodes, engine, initiators);
    let mut accounts = deliver(nodes, engine)?;
    ledger.close(&mut accounts);
    accounts.woken = initiators.count.into();
    Some(accounts)
}

#[inline(never)]
fn wake<'r, 'l, P: Process, W: Wires, C: Pace<W, P::Msg>>(
    nodes: &mut [Node<P, C::Depth>],
    engine: Engine<'r, 'l, W, C>,
    initiators: &Initiators,
) -> Engine<'r, 'l, W, C> {
    let mut engine = engine;
    for place in 0..initiators.count {
        let number = initiators.listed.as_ref().map_or(place, |listed| listed[place as usize]);
        let node = &mut nodes[number as usize];
        (node.stage, node.woke) = (Stage::Running, true);
        let depth = node.depth;
        let mut net = Reaction { engine: &mut engine, node: number, depth, before: 0, load: 0 };
        node.process.wake(&mut net);
        node.load = net.load;
        engine.peak_in_flight = engine.peak_in_flight.max(engine.pace.in_flight());
        node.look(number, 0, 0, engine.ledger);
    }
    engine
}

/// Delivers messages, tick after tick.
// Everything that a message changes is a local variable of this one function, or in its receiver:
// where the address of a variable is passed to a function that is not inlined, it lives in memory,
// and every message pays for it. Functions that are seldom called take values, or the ledger.
#[inline(never)]
fn deliver<P: Process, W: Wires, C: Pace<W, P::Msg>>(
    nodes: &mut [Node<P, C::Depth>],
    engine: Engine<'_, '_, W, C>,
) -> Option<Accounts> {
    // An argument of this size comes by address; its copy has none.
    let mut engine = engine;
    let far = size_of_val(nodes) > CACHE;
    let mut last_reaction = 0;
    let (mut until, mut ended) = (engine.ledger.first_checkpoint(), true);
    let mut left = until;
    'ticks: while let Some(now) = engine.pace.advance() {
        if engine.ledger.gives_up(now) {
            return None;
        }
        engine.now = now;
        loop {
            let batch = engine.pace.ready(left.min(AHEAD as u64) as usize);
            if batch == 0 {
                break;
            }
            if far {
                fetch(nodes, engine.wires, &engine.pace, batch);
            }
            let late = engine.ledger.late;
            while let Some(event) = engine.pace.pop() {
                engine.pace.arrive(event.mark);
                let end = engine.wires.end(event.way);
                let node = &mut nodes[end.node as usize];
                if node.stage == Stage::Halted {
                    engine.ledger.late += 1;
                    continue;
                }
                node.stage = Stage::Running;
                C::deepen(&mut node.depth, event.mark);
                let (depth, before) = (node.depth, node.load + 1);
                let (node_, engine_) = (end.node, &mut engine);
                let mut net =
                    Reaction { engine: engine_, node: node_, depth, before, load: before };
                node.process.receive(end.port, event.msg, &mut net);
                let load = net.load;
                node.load = load;
                // A reaction that sends no more than it takes sets no record.
                if load - before > 1 {
                    engine.peak_in_flight = engine.peak_in_flight.max(engine.pace.in_flight());
                }
                node.look(end.node, now, before, engine.ledger);
            }
            if engine.ledger.late - late < batch as u64 {
                last_reaction = now;
            }
            left -= batch as u64;
            if left == 0 {
                match engine.ledger.checkpoint(until, now, engine.pace.in_flight()) {
                    Some(next) => (left, until) = (next - until, next),
                    None => {
                        ended = !engine.ledger.is_interrupted();
                        break 'ticks;
                    }
                }
            }
        }
    }
    if engine.ledger.gives_up(engine.now) {
        return None;
    }
    Some(Accounts {
        ended,
        counts: engine.counts,
        time: engine.now,
        units: Some(engine.pace.rounds()),
        causal_depth: C::causal_depth(last_reaction),
        peak_in_flight: engine.peak_in_flight,
        delivered: until - left,
        ..Accounts::default()
    })
}

/// Prefetches the receivers of messages, if they are far apart. Each of them is a cache miss; reads
/// that are issued together are waited for together.
#[inline(always)]
fn fetch<P, W: Wires, M, C: Pace<W, M>>(
    nodes: &[Node<P, C::Depth>],
    wires: W,
    pace: &C,
    batch: usize,
) {
    let receiver = |event: &Event<W::Way, C::Mark, M>| wires.end(event.way).node as usize;
    let soon = pace.soon(batch);
    let [first, .., last] = soon else { return };
    if receiver(last).wrapping_sub(receiver(first)) <= NEAR * AHEAD {
        return;
    }
    let mut all = 0;
    for event in soon {
        let node = receiver(event);
        all |= nodes[node].load | pace.fetch(wires, node as u32);
    }
    black_box(all);
}

impl<P: Process, D: Copy> Node<P, D> {
    /// Notes the status of the process and whether it has halted, after a reaction.
    #[inline(always)]
    fn look(&mut self, number: u32, now: u64, before: u32, ledger: &mut Ledger<'_>) {
        let status = self.process.status();
        if status != self.status {
            if status == Status::Leader || self.status != Status::Undecided {
                ledger.decide(now, number, before, self.status, status);
            }
            self.status = status;
        }
        if self.process.halted() {
            self.stage = Stage::Halted;
        }
    }
}

/// The net of a process, for one reaction.
struct Reaction<'e, 'r, 'l, W, C, D> {
    engine: &'e mut Engine<'r, 'l, W, C>,
    node: u32,
    depth: D,
    /// The load of the process before it sent anything.
    before: u32,
    load: u32,
}

impl<M: Message, W: Wires, C: Pace<W, M>> Net<M> for Reaction<'_, '_, '_, W, C, C::Depth> {
    #[inline(always)]
    fn degree(&self) -> u32 {
        self.engine.wires.degree(self.node)
    }

    #[inline(always)]
    fn send(&mut self, to: Port, msg: M) {
        let Self { node, depth, before, load: serial, .. } = *self;
        let engine = &mut *self.engine;
        let from = End { node, port: to };
        let Some(way) = engine.wires.across(from) else {
            let degree = engine.wires.degree(node);
            return engine.ledger.no_such_port(engine.now, node, before, to, degree);
        };
        self.load += 1;
        engine.counts[msg.kind()] += 1;
        engine.pace.push(engine.wires, from, serial, depth, way, msg);
    }

    #[inline(always)]
    fn choose(&mut self, max: u32) -> u32 {
        self.engine.ledger.choose(self.node, max)
    }

    #[inline(always)]
    fn set_alarm(&mut self, _: u32) {
        self.engine.ledger.set_alarm();
    }

    #[inline(always)]
    fn reject(&mut self, why: &'static str) {
        let Self { engine, node, before, .. } = self;
        engine.ledger.reject(engine.now, *node, *before, why);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use suffrage_algorithms::ring::LeLann;
    use suffrage_process::Id;
    use suffrage_topology::wiring::Wiring;

    /// Returns the time that an election takes, if it is below `end`.
    fn time_before(end: u64) -> Option<u64> {
        let (wiring, ids) = (Wiring::ring(5), [3, 1, 4, 5, 2].map(Id::new));
        let experiment = Experiment::new(&wiring, &ids);
        let mut nodes = Node::<LeLann, ()>::all(&experiment);
        let initiators = Initiators::of(&experiment).expect("all wake at the start");
        let (pace, ledger) = (Lockstep::new(5), Ledger::new(&experiment, end, None));
        play(&mut nodes, OrientedRing { nodes: 5 }, pace, ledger, &initiators).map(|done| done.time)
    }

    #[test]
    fn a_run_that_goes_on_for_too_many_ticks_is_given_up() {
        let time = time_before(END).expect("five tokens need less");
        assert_eq!([0, 1, time, time + 1].map(time_before), [None, None, None, Some(time)]);
    }
}
