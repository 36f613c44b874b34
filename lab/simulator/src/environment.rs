//! The environment of the processes, and their access to it.

use crate::{
    Amount, Experiment, Fault, Schedule,
    medium::{Dispatch, InFlight, MarkedDepth, Medium},
    reaction::{KINDS, Surroundings},
    trace::{ElectionEvent, Observer, Struck, TracedMessage},
};
use rustc_hash::FxHashMap;
use std::fmt::Debug;
use suffrage_algorithms::{Rounds, Violation};
use suffrage_model::{Message, Port};
use suffrage_networks::{
    random::{Key, uniform},
    wiring::{End, Wiring},
};

/// Everything on which the reactions of processes have effects.
pub(crate) struct Environment<'e, 'w, M> {
    pub medium: Box<dyn Medium<M> + 'e>,
    pub wiring: &'e Wiring,
    pub observer: Option<&'w mut dyn Observer>,
    /// Whether there is an observer or a fault: determined once, because most runs have neither.
    pub disturbed: bool,
    /// The number of messages sent, by kind.
    pub counts: [u64; KINDS],
    pub in_flight: u64,
    pub lost: u64,
    /// The rounds, where they are counted.
    pub rounds: Rounds,
    pub counts_rounds: bool,
    /// Probabilities of loss and duplication, where a network has these faults.
    noise: Option<Noise>,
    coins: Coins,
    /// The reason why a recorded coin is not possible.
    pub miscast: Option<String>,
    /// The forbidden action of the present reaction, if any.
    pub misstep: Option<Misstep>,
}

/// An action that a process may not take.
#[derive(Clone, Copy)]
pub(crate) enum Misstep {
    /// The process rejects a message, for this reason.
    Rejects(&'static str),
    /// The process sends through a port that it does not have.
    NoSuchPort(Port),
}

impl Misstep {
    pub(crate) fn violation(self, node: impl Into<u64>, degree: impl FnOnce() -> u32) -> Violation {
        match self {
            Self::Rejects(why) => Violation::rejected(node, why),
            Self::NoSuchPort(port) => Violation::no_such_port(node, port.0, degree()),
        }
    }
}

/// The source of the numbers of [`Net::choose`].
///
/// The k-th number of a process is a hash of the seed, the process and k, so that it depends on no
/// schedule, and comes again when a trace is replayed.
pub(crate) struct Coins {
    /// The recorded numbers, which come first.
    recorded: std::vec::IntoIter<u32>,
    key: Key,
    /// How many numbers each process has chosen that has chosen some.
    chosen: FxHashMap<u64, u64>,
}

/// The number of values of a 53-bit coin: a probability multiplied by it is exact in an `f64`.
const TWO_TO_THE_53: f64 = (1_u64 << 53) as f64;

struct Noise {
    key: Key,
    loss: f64,
    duplicate: f64,
}

impl Noise {
    fn of(experiment: &Experiment<'_>) -> Option<Self> {
        let (mut loss, mut duplicate) = (0.0, 0.0);
        for fault in &experiment.faults {
            match *fault {
                Fault::Loss(Amount::Probability(p)) => loss = p,
                Fault::Duplicate(Amount::Probability(p)) => duplicate = p,
                _ => {}
            }
        }
        let key = Key::new(experiment.seed, "noise");
        (loss + duplicate > 0.0).then_some(Self { key, loss, duplicate })
    }
}

impl Coins {
    pub(crate) fn of(experiment: &Experiment<'_>) -> Self {
        let recorded = match &experiment.schedule {
            Schedule::Replay(recording) => recording.coins().to_vec(),
            _ => Vec::new(),
        };
        Self { recorded: recorded.into_iter(), ..Self::of_seed(experiment.seed) }
    }

    /// Creates coins without recorded numbers.
    pub(crate) fn of_seed(seed: u64) -> Self {
        let (recorded, key) = (Vec::new().into_iter(), Key::new(seed, "coins"));
        Self { recorded, key, chosen: FxHashMap::default() }
    }

    pub(crate) fn drawn(&self) -> Vec<(u64, u64)> {
        let mut drawn: Vec<_> = self.chosen.iter().map(|(&node, &count)| (node, count)).collect();
        drawn.sort_unstable();
        drawn
    }

    /// Takes up what [`drawn`](Self::drawn) has returned.
    pub(crate) fn take_up(&mut self, drawn: impl IntoIterator<Item = (u64, u64)>) {
        self.chosen.extend(drawn);
    }

    fn next(&mut self, node: u64, max: u32) -> u32 {
        let chosen = self.chosen.entry(node).or_default();
        let (key, mut words) = (self.key.at(node).at(*chosen), 0..);
        *chosen += 1;
        uniform(u64::from(max) + 1, || key.at(words.next().unwrap_or(0)).bits()) as u32
    }

    pub(crate) fn draw(&mut self, node: u64, max: u32) -> Result<u32, u32> {
        let Some(coin) = self.recorded.next() else { return Ok(self.next(node, max)) };
        *self.chosen.entry(node).or_default() += 1;
        if coin <= max { Ok(coin) } else { Err(coin) }
    }
}

impl<'e, 'w, M: Message> Environment<'e, 'w, M> {
    pub(crate) fn new(
        experiment: &Experiment<'e>,
        medium: Box<dyn Medium<M> + 'e>,
        observer: Option<&'w mut dyn Observer>,
    ) -> Self {
        Self {
            medium,
            wiring: experiment.wiring,
            disturbed: observer.is_some() || !experiment.faults.is_empty(),
            observer,
            counts: [0; KINDS],
            in_flight: 0,
            lost: 0,
            rounds: Rounds::default(),
            counts_rounds: experiment.has_time(),
            noise: Noise::of(experiment),
            coins: Coins::of(experiment),
            miscast: None,
            misstep: None,
        }
    }

    fn passage(from: End, to: End, msg: &M) -> TracedMessage<'_> {
        TracedMessage { from, to, kind: msg.kind_name(), message: msg }
    }

    /// Sends a message in a run with an observer or with faults.
    // Messages are handed over by value: in an engine's inner loop a message whose address is
    // taken lives in memory, and costs two stalls on its way through it.
    #[cold]
    #[inline(never)]
    fn send_disturbed(&mut self, dispatch: Dispatch<M>) {
        let Dispatch { from, serial, message } = dispatch;
        let InFlight { to, depth, msg } = message;
        self.tell(depth.get(), &ElectionEvent::Send(Self::passage(from, to, &msg)));
        let Some(Noise { key, loss, duplicate }) = &self.noise else {
            self.in_flight += 1;
            return self.medium.send(dispatch);
        };
        let key = key.at(u64::from(from.node) << 32 | u64::from(serial));
        let strikes = |place, p: f64| ((key.at(place).bits() >> 11) as f64) < p * TWO_TO_THE_53;
        let (lost, doubled) = (strikes(0, *loss), strikes(1, *duplicate));
        let passage = Self::passage(from, to, &msg);
        if lost {
            self.lost += 1;
            self.tell(depth.get(), &ElectionEvent::Lose(passage, Struck::AsSent));
            return;
        }
        self.in_flight += 1;
        self.medium.send(dispatch);
        if doubled {
            self.counts[msg.kind()] += 1;
            self.tell(depth.get(), &ElectionEvent::Duplicate(passage, Struck::AsSent));
            self.in_flight += 1;
            // The duplicate draws a delay of its own.
            self.medium.send(Dispatch { from, serial: serial ^ 1 << 31, message });
        }
    }

    /// Accounts for a recorded fault that has struck a message on its link.
    #[cold]
    pub(crate) fn strike(&mut self, lost: bool) {
        let Some(InFlight { to, depth, msg }) = self.medium.struck() else { return };
        let event = if lost {
            self.lost += 1;
            self.in_flight -= 1;
            ElectionEvent::Lose
        } else {
            self.counts[msg.kind()] += 1;
            self.in_flight += 1;
            ElectionEvent::Duplicate
        };
        let from = self.wiring.across(to.node, to.port);
        self.tell(depth.get(), &event(Self::passage(from, to, &msg), Struck::OnLink));
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn tell_arrival(
        &mut self,
        InFlight { to, depth, msg }: InFlight<M>,
        discarded: bool,
    ) {
        let from = self.wiring.across(to.node, to.port);
        let overtakes = self.medium.overtaken();
        let event = if discarded { ElectionEvent::Discard } else { ElectionEvent::Deliver };
        self.tell(depth.get(), &event(Self::passage(from, to, &msg), overtakes));
    }

    #[inline]
    pub(crate) fn tell(&mut self, clock: u32, event: &ElectionEvent<'_>) {
        if let Some(observer) = &mut self.observer {
            observer.event(self.medium.now(), clock, event);
        }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn tell_state(&mut self, node: u32, state: &dyn Debug) {
        if let Some(observer) = &mut self.observer {
            observer.state(node, state);
        }
    }
}

impl<M: Message> Surroundings<M> for Environment<'_, '_, M> {
    type Number = u32;
    type Depth = u32;
    type Way = End;

    #[inline]
    fn degree(&self, of: u32) -> u32 {
        self.wiring.degree(of)
    }

    #[inline(always)]
    fn across(&self, from: u32, port: Port) -> Option<End> {
        self.wiring.try_across(from, port)
    }

    #[inline(always)]
    fn counts(&mut self) -> &mut [u64; KINDS] {
        &mut self.counts
    }

    #[inline(always)]
    fn send(&mut self, (node, port): (u32, Port), serial: u32, depth: &mut u32, to: End, msg: M) {
        let mark = self.counts_rounds && self.rounds.send();
        let message = InFlight { to, depth: MarkedDepth::new(*depth + 1, mark), msg };
        let dispatch = Dispatch { from: End { node, port }, serial, message };
        if self.disturbed {
            return self.send_disturbed(dispatch);
        }
        self.in_flight += 1;
        self.medium.send(dispatch);
    }

    fn no_such_port(&mut self, _: u32, _: u32, port: Port) {
        self.misstep = Some(Misstep::NoSuchPort(port));
    }

    fn reject(&mut self, _: u32, _: u32, why: &'static str) {
        self.misstep.get_or_insert(Misstep::Rejects(why));
    }

    fn choose(&mut self, node: u32, max: u32) -> u32 {
        let coin = self.coins.draw(node.into(), max).unwrap_or_else(|coin| {
            self.miscast = Some(format!(
                "makes process {node} choose a number in 0..={max}, and the recorded coin is {coin}"
            ));
            0
        });
        if let Some(observer) = &mut self.observer {
            observer.choice(node, coin);
        }
        coin
    }

    fn set_alarm(&mut self, node: u32, ticks: u32) {
        self.medium.set_alarm(node, ticks);
    }
}
