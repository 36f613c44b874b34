//! Awerbuch's synchronizer α, for algorithms in rounds.

pub(crate) mod alpha;

use crate::prelude::*;
use core::mem;
use serde::de::DeserializeOwned;

/// A process that runs `P`, an algorithm in [rounds](Timing::Rounds), without rounds: under any
/// delays, on FIFO links.
///
/// B. Awerbuch, "Complexity of network synchronization", *Journal of the ACM* 32(4), 1985, section
/// 4: the synchronizer α. A *pulse* of it is a round of `P`. Every message of `P` is acknowledged,
/// and a process whose messages of a pulse have all been acknowledged is *safe*, and tells its
/// neighbours. When all of them are safe, too, everything has arrived that was sent to it in this
/// pulse, and it begins the next one: `P` receives these messages by port, and then its alarm rings
/// if it is due.
///
/// All processes that wake spontaneously begin with pulse 0. A process that hears of a pulse before
/// it wakes takes part in the pulses, but `P` sleeps on until it receives a message, as it would in
/// rounds; where [all start together](Timing::SimultaneousRounds), it wakes `P`. A process whose `P`
/// has halted says so instead of being safe, and its neighbours wait for it no more.
///
/// Its own messages are of the phase [`Synchronizer`](suffrage_model::Phase::Synchronizer), and
/// count for no bound: an acknowledgement for each message of `P`, and `2 |E|` for each pulse.
///
/// [`SYNCHRONIZED`](crate::SYNCHRONIZED) has the algorithms in rounds of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(bound(
    serialize = "P: Serialize, P::Msg: Serialize",
    deserialize = "P: DeserializeOwned, P::Msg: DeserializeOwned"
))]
pub struct Synchronized<P: Process> {
    process: P,
    /// Whether `P` has woken or received a message.
    awake: bool,
    /// The number of pulses until the alarm of `P` rings.
    alarm: Option<u32>,
    /// The messages of `P` that have not been acknowledged.
    unacknowledged: u32,
    told: PulseReport,
    neighbours: Vec<Neighbour<P::Msg>>,
}

/// What the neighbours have been told of the present pulse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum PulseReport {
    Nothing,
    Safe,
    Halted,
}

/// What is known of a neighbour.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Neighbour<M> {
    /// The pulses in which it is safe, from the present one on.
    safe: u32,
    halted: bool,
    /// What it has sent in the present pulse, and in the next one.
    present: Vec<M>,
    next: Vec<M>,
}

/// A message of the algorithm, or of the synchronizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg<M> {
    /// One of the algorithm.
    Round(M),
    /// One of the algorithm has arrived.
    Ack,
    /// All that I have sent in this pulse has arrived.
    Safe,
    /// The same, and I send nothing more.
    Halted,
}
use Msg::{Ack, Halted, Round, Safe};

/// The size of the array of kinds, more than any algorithm has: the length of an array may not
/// depend on a type parameter.
const ROOM: usize = 16;

/// The kinds of the algorithm and, after them, those of the synchronizer.
struct SynchronizedKinds<M>(core::marker::PhantomData<M>);

impl<M: Message> SynchronizedKinds<M> {
    const ALL: &'static [Kind; ROOM] = &{
        let mut all = [Kind::synchronizer("halted"); ROOM];
        let mut i = 0;
        while i < M::KINDS.len() {
            all[i] = M::KINDS[i];
            i += 1;
        }
        all[i] = Kind::synchronizer("ack");
        all[i + 1] = Kind::synchronizer("safe");
        all
    };
}

impl<M: Message> Message for Msg<M> {
    const KINDS: &'static [Kind] = SynchronizedKinds::<M>::ALL.split_at(M::KINDS.len() + 3).0;

    fn kind(&self) -> usize {
        match self {
            Round(msg) => msg.kind(),
            Ack => M::KINDS.len(),
            Safe => M::KINDS.len() + 1,
            Halted => M::KINDS.len() + 2,
        }
    }
}

/// The net that the algorithm is given.
struct InPulse<'a, N> {
    net: &'a mut N,
    sent: u32,
    alarm: Option<u32>,
}

impl<M: Copy, N: Net<Msg<M>>> Net<M> for InPulse<'_, N> {
    fn degree(&self) -> u32 {
        self.net.degree()
    }
    fn send(&mut self, to: Port, msg: M) {
        self.sent += 1;
        self.net.send(to, Round(msg));
    }
    fn choose(&mut self, max: u32) -> u32 {
        self.net.choose(max)
    }
    fn set_alarm(&mut self, ticks: u32) {
        self.alarm = Some(ticks);
    }
    fn reject(&mut self, why: &'static str) {
        self.net.reject(why);
    }
}

impl<P: Process> Synchronized<P> {
    const IN_ROUNDS: () =
        assert!(P::TIMING.in_rounds(), "only an algorithm in rounds needs a synchronizer");

    /// Lets the algorithm react.
    fn react<N: Net<Msg<P::Msg>>>(
        &mut self,
        net: &mut N,
        reaction: impl FnOnce(&mut P, &mut InPulse<'_, N>),
    ) {
        if !self.process.halted() {
            let mut inner = InPulse { net, sent: 0, alarm: self.alarm };
            reaction(&mut self.process, &mut inner);
            self.alarm = inner.alarm;
            self.unacknowledged += inner.sent;
        }
    }

    /// Ends the present pulse, whose messages the algorithm has received.
    fn end_pulse(&mut self, net: &mut impl Net<Msg<P::Msg>>) {
        if self.awake && self.alarm == Some(0) {
            self.alarm = None;
            self.react(net, |process, net| process.alarm(net));
        }
    }

    fn next_pulse(&mut self, net: &mut impl Net<Msg<P::Msg>>) {
        self.told = PulseReport::Nothing;
        self.alarm = self.alarm.map(|pulses| pulses.saturating_sub(1));
        let arrived: Vec<Vec<P::Msg>> = self
            .neighbours
            .iter_mut()
            .map(|neighbour| {
                neighbour.safe = neighbour.safe.saturating_sub(1);
                mem::replace(&mut neighbour.present, mem::take(&mut neighbour.next))
            })
            .collect();
        for (port, messages) in (0..).map(Port).zip(arrived) {
            for msg in messages {
                self.awake = true;
                self.react(net, |process, net| process.receive(port, msg, net));
            }
        }
        self.end_pulse(net);
    }

    /// Goes on as far as the neighbours allow.
    fn go_on(&mut self, net: &mut impl Net<Msg<P::Msg>>) {
        loop {
            if self.told == PulseReport::Nothing && self.unacknowledged == 0 {
                let halted = self.process.halted();
                self.told = if halted { PulseReport::Halted } else { PulseReport::Safe };
                net.send_all(if halted { Halted } else { Safe });
            }
            if self.neighbours.is_empty() && !self.process.halted() {
                // Without neighbours to wait for, an alarm separates the pulses.
                return net.set_alarm(1);
            }
            let safe = |neighbour: &Neighbour<P::Msg>| neighbour.safe > 0 || neighbour.halted;
            if self.told != PulseReport::Safe || !self.neighbours.iter().all(safe) {
                return;
            }
            self.next_pulse(net);
        }
    }
}

impl<P: Process> Process for Synchronized<P> {
    const NETWORK: NetworkClass = P::NETWORK;
    type Knows = P::Knows;
    type Msg = Msg<P::Msg>;

    fn new(knows: Self::Knows, degree: u32) -> Self {
        let () = Self::IN_ROUNDS;
        let neighbour =
            |_| Neighbour { safe: 0, halted: false, present: Vec::new(), next: Vec::new() };
        Self {
            process: P::new(knows, degree),
            awake: false,
            alarm: None,
            unacknowledged: 0,
            told: PulseReport::Nothing,
            neighbours: (0..degree).map(neighbour).collect(),
        }
    }

    fn wake(&mut self, net: &mut impl Net<Self::Msg>) {
        self.awake = true;
        self.react(net, |process, net| process.wake(net));
        self.end_pulse(net);
        self.go_on(net);
    }

    fn receive(&mut self, from: Port, msg: Self::Msg, net: &mut impl Net<Self::Msg>) {
        if matches!(P::TIMING, Timing::SimultaneousRounds) && !self.awake {
            self.wake(net);
        }
        let neighbour = &mut self.neighbours[from.0 as usize];
        match msg {
            Ack if self.unacknowledged == 0 => net.reject("nothing is to be acknowledged"),
            Ack => self.unacknowledged -= 1,
            _ if neighbour.halted => net.reject("a process that has halted sends nothing"),
            Halted => neighbour.halted = true,
            // No neighbour waits for a process that has halted: it may be any number of pulses ahead.
            Safe if self.told == PulseReport::Halted => {}
            Round(_) if self.told == PulseReport::Halted => net.send(from, Ack),
            _ if neighbour.safe == 2 => net.reject("a neighbour is at most one pulse ahead"),
            Safe => neighbour.safe += 1,
            Round(msg) => {
                let ahead = neighbour.safe == 1;
                if ahead { &mut neighbour.next } else { &mut neighbour.present }.push(msg);
                net.send(from, Ack);
            }
        }
        self.go_on(net);
    }

    fn alarm(&mut self, net: &mut impl Net<Self::Msg>) {
        if self.neighbours.is_empty() && !self.process.halted() {
            self.next_pulse(net);
            self.go_on(net);
        }
    }

    fn status(&self) -> Status {
        self.process.status()
    }

    fn leader(&self) -> Option<Id> {
        self.process.leader()
    }

    fn halted(&self) -> bool {
        let all_halted = self.neighbours.iter().all(|neighbour| neighbour.halted);
        self.process.halted() && self.told == PulseReport::Halted && all_halted
    }
}

impl<P: Claimed> Claimed for Synchronized<P> {
    /// Up to three messages of `P` in a pulse and as many acknowledgements, and what ends two pulses.
    const ROOM: Bound = Bound::at_most("8", |_| 8);
    const PER_PORT: usize = P::PER_PORT + size_of::<Neighbour<P::Msg>>();

    /// The claims of the algorithm, except for time. All take part within `D` units. A pulse ends three units
    /// after the last process has begun it: then its messages, the acknowledgements and what says that processes are safe
    /// have arrived. The same holds after the last pulse.
    const CLAIMS: Claims = Claims {
        time: match P::CLAIMS.time {
            Some(Time { election, .. }) => {
                let pulses = Bound::at_most("3 T + D + 3", |s| {
                    let pulses = P::CLAIMS.time.map_or(0, |time| time.at(s));
                    pulses.saturating_add(1).saturating_mul(3).saturating_add(s.diameter)
                });
                let pulses = pulses.given("T is the time in rounds").with(election.guarantee);
                Some(Time::unannounced(pulses))
            }
            None => None,
        },
        ..P::CLAIMS
    };
}
