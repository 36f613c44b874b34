//! Runs that nothing disturbs: without observers, faults and bounds on links, on networks and under
//! schedules that are frequent. Most large simulations are of this kind.
//!
//! [`World`](crate::world::World) determines for every message the kind of the network, its delay,
//! and whether there is an observer. Here this is determined once, and the loop is compiled for each
//! [`Process`], [`Wires`] and [`MessagePace`]. The outcome is the same, to the last number.
//!
//! # Why in this order
//! For each message the loop does what `World` does, in the order in which the outcome depends on it:
//!
//! 1. The pace records the arrival before the reaction, because a round ends with the arrival of its last
//!    message, and what the reaction sends belongs to the next one.
//! 2. The stage is looked at before the depth and the load: a message to a halted process is delivered late,
//!    and changes nothing of the process.
//! 3. Depth and load change before the reaction. What it sends is one deeper, and a reaction is known by the
//!    load before it, which a misstep is recorded with.
//! 4. The peak is taken after the reaction, without the message itself: more can be under way only then.
//! 5. Decisions are looked at last. A misstep of the same reaction is recorded after them, as in `World`, and
//!    so waits in `RareEvents` until another reaction has something to record, or the run ends.
//!
//! `left` cuts a chunk where a limit or a report of progress is due, so no message is delivered beyond it. An
//! alarm makes the loop give up at the next tick, or at the end if no other tick comes.

mod in_order;
mod lockstep;
mod pace;
mod rare;
mod uniform;
mod wires;

use crate::{
    Experiment, FifoMethod, Outcome, Schedule, Wakes,
    calendar::{self, Calendar},
    node::SimulatedProcess,
    reaction::{KINDS, Surroundings},
    schedule,
    verdict::{Accounts, conclude},
    world::Pulse,
};
use in_order::{InOrder, Ordered};
use lockstep::{Lockstep, LockstepQueue};
use pace::{FastMessage, MessagePace};
use prefetch_index::prefetch_index;
use rare::RareEvents;
use suffrage_algorithms::Claims;
use suffrage_model::{End, Message, NetworkClass, Port, Process, Stage, Status};
use suffrage_networks::{
    random::Key,
    wiring::{Numbering, OrientedRing, Rotation},
};
use uniform::UniformPace;
use wires::{RingWay, Way, Wires};

/// Processes in less memory than this stay in a cache and are not prefetched, in bytes.
const CACHE: usize = 1 << 20;

/// Receivers that are on average no farther apart than this many processes are prefetched by the
/// hardware itself.
const NEAR: usize = 4;

/// How many messages are delivered while the receivers of as many after them are prefetched. More would
/// wait for each other, fewer would come too late.
const AHEAD: usize = 16;

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
    let initiators = InitialWakes::of(experiment)?;
    let election = FastElection { claims, experiment, initiators, pulse };
    // The conditions are constants: of the three, one is compiled for each process.
    if CompiledNetwork::<P>::IS_RING {
        let Numbering::Ring = experiment.wiring.numbering() else { return None };
        let ring = OrientedRing { nodes: experiment.wiring.nodes() };
        (ring.nodes <= RingWay::MOST).then(|| election.on::<P, _>(ring))?
    } else if CompiledNetwork::<P>::IS_COMPLETE {
        let Numbering::Complete = experiment.wiring.numbering() else { return None };
        election.on::<P, _>(Rotation { nodes: experiment.wiring.nodes() })
    } else {
        let Numbering::Stored(adjacency) = experiment.wiring.numbering() else { return None };
        election.on::<P, _>(adjacency)
    }
}

/// The kind of network for which the loops of a process are compiled.
struct CompiledNetwork<P>(std::marker::PhantomData<P>);

impl<P: Process> CompiledNetwork<P> {
    const IS_RING: bool = matches!(P::NETWORK.unoriented(), NetworkClass::Ring);
    const IS_COMPLETE: bool =
        matches!(P::NETWORK, NetworkClass::Complete | NetworkClass::OrientedComplete);
}

/// The processes that wake at the start.
struct InitialWakes {
    count: u32,
    /// Their numbers in ascending order; `None` if it is all of them.
    listed: Option<Vec<u32>>,
}

impl InitialWakes {
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
struct FastElection<'a, 'e, 'p> {
    claims: Option<&'a Claims>,
    experiment: &'a Experiment<'e>,
    initiators: InitialWakes,
    pulse: Pulse<'p>,
}

impl FastElection<'_, '_, '_> {
    fn on<P: Process, W: Wires>(self, wires: W) -> Option<Outcome> {
        match self.experiment.schedule {
            Schedule::Synchronous => {
                self.run::<P, _, _>(wires, Lockstep::new(&mut LockstepQueue::default()))
            }
            Schedule::Rounds(schedule::Pace::Unit) => {
                let mut ordered = Ordered::new(self.experiment.wiring.nodes());
                self.run::<P, _, _>(wires, InOrder::new(&mut ordered))
            }
            Schedule::Uniform(most) if u64::from(most) <= calendar::LONGEST => {
                let key = Key::new(self.experiment.seed, "delays");
                let mut calendar = Calendar::new(most.into());
                let mut last = vec![0; wires.table()];
                let pace = UniformPace::new(&mut calendar, &mut last, key, most.into());
                self.run::<P, _, _>(wires, pace)
            }
            _ => None,
        }
    }

    fn run<P: Process, W: Wires, C: MessagePace<W, P::Msg>>(
        self,
        wires: W,
        pace: C,
    ) -> Option<Outcome> {
        let Self { claims, experiment, initiators, pulse } = self;
        let mut nodes = SimulatedProcess::<P, C::Depth>::all(experiment);
        let rare = RareEvents::new(experiment, END, pulse);
        let accounts = play(&mut nodes, wires, pace, rare, &initiators)?;
        Some(conclude(&nodes, accounts, experiment, claims))
    }
}

/// What every reaction changes, beside its process. A process that sends through a function that is
/// not inlined finds all of it behind one pointer.
struct FastState<'r, 'l, W, C> {
    wires: W,
    pace: C,
    now: u64,
    /// The number of messages sent, by kind.
    counts: [u64; KINDS],
    peak_in_flight: u64,
    rare: &'r mut RareEvents<'l>,
}

impl<W: Wires, C> FastState<'_, '_, W, C> {
    /// Returns the accounts of a run; `None` if the loop gives it up.
    #[inline(always)]
    fn close<M>(self, ended: bool, delivered: u64, last_reaction: u64) -> Option<Accounts>
    where
        C: MessagePace<W, M>,
    {
        if self.rare.gives_up(self.now) {
            return None;
        }
        Some(Accounts {
            ended,
            counts: self.counts,
            time: self.now,
            units: Some(self.pace.rounds()),
            causal_depth: C::causal_depth(last_reaction),
            peak_in_flight: self.peak_in_flight,
            delivered,
            ..Accounts::default()
        })
    }
}

/// Wakes the initiators and delivers messages until there are none; `None` if the run is none of
/// those that the loop can run.
fn play<P: Process, W: Wires, C: MessagePace<W, P::Msg>>(
    nodes: &mut [SimulatedProcess<P, C::Depth>],
    wires: W,
    pace: C,
    mut rare: RareEvents<'_>,
    initiators: &InitialWakes,
) -> Option<Accounts> {
    let (counts, rare_) = ([0; KINDS], &mut rare);
    let engine = FastState { wires, pace, now: 0, counts, peak_in_flight: 0, rare: rare_ };
    let engine = wake(nodes, engine, initiators);
    let mut accounts = deliver(nodes, engine)?;
    rare.close(&mut accounts);
    accounts.woken = initiators.count.into();
    Some(accounts)
}

#[inline(never)]
fn wake<'r, 'l, P: Process, W: Wires, C: MessagePace<W, P::Msg>>(
    nodes: &mut [SimulatedProcess<P, C::Depth>],
    engine: FastState<'r, 'l, W, C>,
    initiators: &InitialWakes,
) -> FastState<'r, 'l, W, C> {
    let mut engine = engine;
    for place in 0..initiators.count {
        let number = initiators.listed.as_ref().map_or(place, |listed| listed[place as usize]);
        let node = &mut nodes[number as usize];
        let sent = node.wake(number, &mut engine).unwrap_or_default();
        engine.peak_in_flight = engine.peak_in_flight.max(engine.pace.in_flight(0));
        node.look(number, 0, sent, engine.rare);
    }
    engine
}

/// Delivers messages, tick after tick.
// Everything that a message changes is a local variable of this one function, or in its receiver:
// where the address of a variable is passed to a function that is not inlined, it lives in memory,
// and every message pays for it. Functions that are seldom called take values, or the rare.
#[inline(never)]
fn deliver<P: Process, W: Wires, C: MessagePace<W, P::Msg>>(
    nodes: &mut [SimulatedProcess<P, C::Depth>],
    engine: FastState<'_, '_, W, C>,
) -> Option<Accounts> {
    // An argument of this size comes by address; its copy has none.
    let mut engine = engine;
    let far = size_of_val(nodes) > CACHE;
    let mut last_reaction = 0;
    let (mut until, mut ended) = (engine.rare.first_checkpoint(), true);
    let mut left = until as usize;
    let mut messages = C::Buffer::default();
    'ticks: loop {
        let mut count = engine.pace.advance(&mut messages);
        if count == 0 {
            break;
        }
        let now = engine.pace.now();
        if engine.rare.gives_up(now) {
            return None;
        }
        engine.now = now;
        if C::PEAK_AT_ENDS {
            engine.peak_in_flight = engine.peak_in_flight.max(engine.pace.in_flight(count));
        }
        while count > 0 {
            let mut unread = C::messages(&messages, count);
            let far = far && is_scattered(unread);
            if far {
                fetch(nodes, engine.wires, &engine.pace, unread);
            }
            while !unread.is_empty() {
                let (soon, later) = unread.split_at(unread.len().min(AHEAD).min(left));
                unread = later;
                left -= soon.len();
                if far {
                    fetch(nodes, engine.wires, &engine.pace, unread);
                }
                let late = engine.rare.late;
                let mut rest = soon.iter();
                while let Some(&FastMessage { way, mark, msg }) = rest.next() {
                    engine.pace.arrive(mark);
                    let end = way.end();
                    let node = &mut nodes[end.node as usize];
                    if node.stage != Stage::Running && !node.is_met(engine.rare) {
                        continue;
                    }
                    C::deepen(&mut node.depth, mark);
                    node.load += 1;
                    let sent = node.receive(end.node, (end.port, msg), &mut engine);
                    // A reaction that sends no more than it takes sets no record.
                    if sent > 1 && !C::PEAK_AT_ENDS {
                        let in_flight = engine.pace.in_flight(rest.len() + unread.len());
                        engine.peak_in_flight = engine.peak_in_flight.max(in_flight);
                    }
                    node.look(end.node, now, sent, engine.rare);
                }
                if engine.rare.late - late < soon.len() as u64 {
                    last_reaction = now;
                }
                if left == 0 {
                    let in_flight = engine.pace.in_flight(unread.len());
                    match engine.rare.checkpoint(until, now, in_flight) {
                        Some(next) => (left, until) = ((next - until) as usize, next),
                        None => {
                            ended = !engine.rare.is_interrupted();
                            break 'ticks;
                        }
                    }
                }
            }
            count = engine.pace.more(&mut messages);
        }
    }
    engine.close::<P::Msg>(ended, until - left as u64, last_reaction)
}

#[inline(always)]
fn is_scattered<W: Way, D: Copy, M: Copy>(messages: &[FastMessage<W, D, M>]) -> bool {
    let receiver = |event: &FastMessage<W, D, M>| event.way.end().node as usize;
    let [first, .., last] = messages else { return false };
    receiver(last).wrapping_sub(receiver(first)) > NEAR * messages.len()
}

#[inline(always)]
fn fetch<P, W: Wires, M, C: MessagePace<W, M>>(
    nodes: &[SimulatedProcess<P, C::Depth>],
    wires: W,
    pace: &C,
    messages: &[FastMessage<W::Way, C::Mark, M>],
) {
    for event in messages.iter().take(AHEAD) {
        let node = event.way.end().node as usize;
        // Its first cache line, and its last one: the next node begins there.
        prefetch_index(nodes, node);
        prefetch_index(nodes, node + 1);
        pace.fetch(wires, node as u32);
    }
}

impl<P: Process, D: Copy> SimulatedProcess<P, D> {
    /// Begins a process that a message has reached before it woke; returns whether it takes the message,
    /// because it has not halted.
    #[cold]
    #[inline(never)]
    fn is_met(&mut self, rare: &mut RareEvents<'_>) -> bool {
        let halted = self.stage == Stage::Halted;
        if halted {
            rare.late += 1;
        } else {
            self.stage = Stage::Running;
        }
        !halted
    }

    /// Notes the status of the process and whether it has halted, after a reaction in which it sent this
    /// many messages.
    #[inline(always)]
    fn look(&mut self, number: u32, now: u64, sent: u32, rare: &mut RareEvents<'_>) {
        let (old, new) = (self.status, self.process.status());
        self.status = new;
        // Every process follows at some time, and no branch foretells when: so there is none for it. All other
        // changes are to a leader, from one, or back.
        const { assert!(Status::Undecided as u8 == 0 && Status::Leader as u8 == 1) };
        let leads = |status| status as u8 & Status::Leader as u8 != 0;
        if leads(old) | leads(new) || (new as u8) < old as u8 {
            self.decide(number, now, sent, old, rare);
        }
        if self.process.halted() {
            self.stage = Stage::Halted;
        }
    }

    /// Notes a decision other than to follow for the first time, if there is one.
    // It reads the load again: if it were passed, the loop would have to keep it, and has no register left.
    #[cold]
    #[inline(never)]
    fn decide(&self, number: u32, now: u64, sent: u32, old: Status, rare: &mut RareEvents<'_>) {
        if old != self.status {
            rare.decide(now, number, self.load - sent, old, self.status);
        }
    }
}

impl<M: Message, W: Wires, C: MessagePace<W, M>> Surroundings<M> for FastState<'_, '_, W, C> {
    type Number = u32;
    type Depth = C::Depth;
    type Way = W::Way;

    #[inline(always)]
    fn degree(&self, of: u32) -> u32 {
        self.wires.degree(of)
    }

    #[inline(always)]
    fn across(&self, node: u32, port: Port) -> Option<W::Way> {
        self.wires.across(End { node, port })
    }

    #[inline(always)]
    fn counts(&mut self) -> &mut [u64; KINDS] {
        &mut self.counts
    }

    #[inline(always)]
    fn send(
        &mut self,
        (node, port): (u32, Port),
        serial: u32,
        depth: &mut C::Depth,
        way: W::Way,
        msg: M,
    ) {
        self.pace.push(self.wires, End { node, port }, serial, depth, way, msg);
    }

    #[inline(always)]
    fn no_such_port(&mut self, node: u32, before: u32, port: Port) {
        self.rare.no_such_port(self.now, node, before, port, self.wires.degree(node));
    }

    #[inline(always)]
    fn reject(&mut self, node: u32, before: u32, why: &'static str) {
        self.rare.reject(self.now, node, before, why);
    }

    #[inline(always)]
    fn choose(&mut self, node: u32, max: u32) -> u32 {
        self.rare.choose(node, max)
    }

    #[inline(always)]
    fn set_alarm(&mut self, _: u32, _: u32) {
        self.rare.set_alarm();
    }
}

#[cfg(test)]
mod tests;
