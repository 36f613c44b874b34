//! The processes of one algorithm, by the numbers of their local states and messages.
//!
//! [`Processes`] is the interface of an algorithm to the checker. Its only implementation, for any
//! [`Process`], is compiled once per algorithm; the rest of the checker works with numbers and is
//! compiled once.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::{
    any::Any,
    hash::{BuildHasher, Hash},
};
use suffrage_model::{
    Facts, Id, Kind, Knowledge, Message, Net, Port, Process, Stage, Status, Timing,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LocalInput {
    Wake,
    Alarm,
    Crash,
    /// This message arrives through this port.
    Deliver(u16, u32),
}

/// A violation by a single reaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocalViolation {
    /// The process rejects a message, for this reason.
    Rejected(&'static str),
    /// The process changes its decision from the first status to the second.
    Revoked(Status, Status),
    /// The process sends through a port that it does not have.
    NoSuchPort { port: u32, degree: u32 },
    /// The process had halted: the message is dropped.
    Late,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Observation {
    pub stage: Stage,
    pub status: Status,
    pub leader: Option<Id>,
    pub woke: bool,
    pub alarm: bool,
}

/// The results of random choices, each with its largest possible one, and a source of those that come after them.
pub(crate) type RandomChoices<'a> = (&'a mut Vec<(u32, u32)>, &'a mut dyn FnMut(u32) -> u32);

/// The processes of one algorithm, with local states and messages as numbers.
pub(crate) trait Processes: Any + Send {
    fn kinds(&self) -> &'static [Kind];

    fn timing(&self) -> Timing;

    fn asks_for_diameter(&self) -> bool;

    fn fresh(&mut self, facts: &Facts, degree: u32) -> u32;

    /// Returns the reaction of a local state to an input, if the random choices have these results.
    /// If there are fewer results than choices, the others are drawn and added.
    ///
    /// The messages sent are appended to `sends`, each with its port.
    fn react(
        &mut self,
        from: u32,
        input: LocalInput,
        choices: RandomChoices<'_>,
        sends: &mut Vec<(u16, u32)>,
    ) -> RawReaction;

    fn observe(&self, local: u32) -> Observation;

    fn locals(&self) -> usize;

    fn kind(&self, message: u32) -> usize;

    fn message(&self, number: u32) -> AnyMessage;

    /// Describes a local state.
    fn text(&self, local: u32) -> String;

    /// Describes a message.
    fn message_text(&self, number: u32) -> String;

    /// Returns the number of a message of the same algorithm.
    ///
    /// # Panics
    /// If it is a message of another algorithm.
    fn number(&mut self, message: &AnyMessage) -> u32;
}

pub(crate) struct AnyMessage(Box<dyn Any + Send + Sync>);

/// The outcome of an input.
pub(crate) struct RawReaction {
    /// The local state after the input.
    pub to: u32,
    /// The number of ticks for which an alarm was set, if one was.
    pub alarm: Option<u32>,
    /// The property that the reaction violates, if any.
    pub fault: Option<LocalViolation>,
}

/// A local state: a process and what the engine keeps about it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct InternedState<P> {
    pub process: P,
    pub degree: u32,
    pub stage: Stage,
    /// Whether the process woke spontaneously.
    pub woke: bool,
    /// Whether an alarm is set.
    pub alarm: bool,
}

/// The local states and messages of an algorithm that have occurred.
pub(crate) struct Interned<P: Process> {
    locals: Interner<InternedState<P>>,
    messages: Interner<P::Msg>,
}

impl<P: Process> Default for Interned<P> {
    fn default() -> Self {
        Self { locals: Interner::default(), messages: Interner::default() }
    }
}

impl<P: Process> Interned<P> {
    pub(crate) fn local(&self, number: u32) -> &InternedState<P> {
        self.locals.get(number)
    }

    pub(crate) fn message(&self, number: u32) -> &P::Msg {
        self.messages.get(number)
    }
}

impl<P: Process> Processes for Interned<P> {
    fn kinds(&self) -> &'static [Kind] {
        P::Msg::KINDS
    }

    fn timing(&self) -> Timing {
        P::TIMING
    }

    fn asks_for_diameter(&self) -> bool {
        P::Knows::DIAMETER
    }

    fn fresh(&mut self, facts: &Facts, degree: u32) -> u32 {
        let process = P::new(P::Knows::of(facts), degree);
        let stage = Stage::Asleep;
        self.locals.number(InternedState { process, degree, stage, woke: false, alarm: false })
    }

    fn react(
        &mut self,
        from: u32,
        input: LocalInput,
        (coins, draw): RandomChoices<'_>,
        sends: &mut Vec<(u16, u32)>,
    ) -> RawReaction {
        let mut local = self.locals.get(from).clone();
        let before = local.process.status();
        let mut net = ReactionNet {
            degree: local.degree,
            sent: Vec::new(),
            coins,
            draw,
            drawn: 0,
            alarm: None,
            rejected: None,
            missing: None,
        };
        let mut late = false;
        match input {
            LocalInput::Crash => local.stage = Stage::Crashed,
            _ if local.stage == Stage::Halted => late = true,
            LocalInput::Wake => {
                local.woke = true;
                local.process.wake(&mut net);
            }
            LocalInput::Alarm => {
                local.alarm = false;
                local.process.alarm(&mut net);
            }
            LocalInput::Deliver(port, msg) => {
                let msg = *self.messages.get(msg);
                local.process.receive(Port(port.into()), msg, &mut net);
            }
        }
        let ReactionNet { sent, rejected, alarm, missing, degree, .. } = net;
        if !matches!(local.stage, Stage::Crashed | Stage::Halted) {
            let halted = local.process.halted();
            local.stage = if halted { Stage::Halted } else { Stage::Running };
            local.alarm = !halted && (local.alarm || alarm.is_some());
        }
        let after = local.process.status();
        let missing = missing.map(|port| LocalViolation::NoSuchPort { port, degree });
        let fault = match rejected {
            _ if missing.is_some() => missing,
            Some(why) => Some(LocalViolation::Rejected(why)),
            None if before != Status::Undecided && after != before => {
                Some(LocalViolation::Revoked(before, after))
            }
            None => late.then_some(LocalViolation::Late),
        };
        for (port, msg) in sent {
            sends.push((port, self.messages.number(msg)));
        }
        RawReaction { to: self.locals.number(local), alarm, fault }
    }

    fn observe(&self, local: u32) -> Observation {
        let local = self.locals.get(local);
        Observation {
            stage: local.stage,
            status: local.process.status(),
            leader: local.process.leader(),
            woke: local.woke,
            alarm: local.alarm,
        }
    }

    fn locals(&self) -> usize {
        self.locals.len()
    }

    fn kind(&self, message: u32) -> usize {
        self.messages.get(message).kind()
    }

    fn message(&self, number: u32) -> AnyMessage {
        AnyMessage(Box::new(*self.messages.get(number)))
    }

    fn text(&self, local: u32) -> String {
        format!("{:?}", self.locals.get(local).process)
    }

    fn message_text(&self, number: u32) -> String {
        format!("{:?}", self.messages.get(number))
    }

    fn number(&mut self, message: &AnyMessage) -> u32 {
        let message = message.0.downcast_ref::<P::Msg>();
        self.messages.number(*message.expect("a message of this algorithm"))
    }
}

struct ReactionNet<'c, M> {
    degree: u32,
    sent: Vec<(u16, M)>,
    /// The random choices so far, each with its largest result.
    coins: &'c mut Vec<(u32, u32)>,
    /// Makes the choices that come after them.
    draw: &'c mut dyn FnMut(u32) -> u32,
    drawn: usize,
    alarm: Option<u32>,
    rejected: Option<&'static str>,
    /// The first nonexistent port through which the process sends.
    missing: Option<u32>,
}

impl<M: Message> Net<M> for ReactionNet<'_, M> {
    fn degree(&self) -> u32 {
        self.degree
    }

    fn send(&mut self, to: Port, msg: M) {
        match to.0 < self.degree {
            true => self.sent.push((to.0 as u16, msg)),
            false => drop(self.missing.get_or_insert(to.0)),
        }
    }

    fn choose(&mut self, max: u32) -> u32 {
        if self.drawn == self.coins.len() {
            self.coins.push(((self.draw)(max), max));
        }
        self.drawn += 1;
        self.coins[self.drawn - 1].0
    }

    fn set_alarm(&mut self, ticks: u32) {
        self.alarm = Some(ticks);
    }

    fn reject(&mut self, why: &'static str) {
        self.rejected = Some(why);
    }
}

/// Assigns numbers to values, from 0 on: the same to equal values, different ones to different
/// values.
pub(crate) struct Interner<T> {
    values: Vec<T>,
    index: HashTable<u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: Vec::new(), index: HashTable::new() }
    }
}

impl<T: Eq + Hash> Interner<T> {
    pub(crate) fn number(&mut self, value: T) -> u32 {
        let hash = |value: &T| FxBuildHasher.hash_one(value);
        let Self { values, index } = self;
        let found = index.find(hash(&value), |&number| values[number as usize] == value);
        if let Some(&number) = found {
            return number;
        }
        let number = values.len() as u32;
        index.insert_unique(hash(&value), number, |&number| hash(&values[number as usize]));
        values.push(value);
        number
    }

    pub(crate) fn get(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }
}
