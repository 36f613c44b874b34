//! A protocol together with the values of its leaderships, as one process: so that an engine runs [`LeaderValues`] beside
//! the protocol, over the same links, through the same crashes.
//!
//! Its programs set a value as soon as they lead, and others from time to time, short ones and long ones. Each names its
//! office, its term and the number of its change. Members follow the values of all offices, and clients do, too.

use super::value::{
    LONGEST_VALUE, LeaderValue, LeaderValues, PART, ValueInput, ValueMessage, ValueOutput,
};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use tenure_model::{
    Cell, Command, Effects, Kind, Message, Office, OfficeTenure, Peer, Recoverable, Series,
    Setting, Start, Term,
};

/// The most heartbeats between two values of a leader.
const PAUSE: u32 = 40;

/// A process of the protocol `P`, and what it knows of the values of leaderships.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Valued<P> {
    process: P,
    setting: Setting,
    values: LeaderValues,
    /// The last term for which the program has set a value, by office.
    set: BTreeMap<Office, Term>,
    /// Whether the alarm for the next beat is set.
    beats: bool,
}

/// An alarm of the protocol, or of the values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValuedAlarm<A> {
    /// One of the protocol.
    Own(A),
    /// What was not answered is repeated.
    Beat,
    /// The program of the leader sets another value.
    Set(Office),
}

impl<A: fmt::Debug> fmt::Debug for ValuedAlarm<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(alarm) => alarm.fmt(f),
            Self::Beat => f.write_str("BeatOfValues"),
            Self::Set(office) => write!(f, "SetValue({})", office.0),
        }
    }
}

/// A message of the protocol, or of the values: the fields are those of [`ValueMessage`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValuedMessage<M> {
    /// One of the protocol.
    Own(M),
    /// What the sender has, and what it lacks.
    Want(Office, Term, [u64; 3]),
    /// A part of a value: the asking and the change, the length of the whole, the number of the part, its length and bytes.
    Part(Office, Term, [u64; 2], u16, u8, (u8, [u8; PART])),
}

impl<M: Message> From<ValueMessage> for ValuedMessage<M> {
    fn from(message: ValueMessage) -> Self {
        match message {
            ValueMessage::Want { office, term, asking, change, missing } => {
                Self::Want(office, term, [asking, change, missing])
            }
            ValueMessage::Part { office, term, asking, change, length, part, bytes } => {
                let mut copied = [0; PART];
                copied[..bytes.len()].copy_from_slice(&bytes);
                Self::Part(
                    office,
                    term,
                    [asking, change],
                    length,
                    part,
                    (bytes.len() as u8, copied),
                )
            }
        }
    }
}

impl<M: Message> fmt::Debug for ValuedMessage<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(message) => message.fmt(f),
            Self::Want(office, term, [asking, change, missing]) => {
                write!(f, "Want {{ office: {}, term: {}, asking: {asking}, ", office.0, term.0)?;
                write!(f, "change: {change}, missing: {missing:#x} }}")
            }
            Self::Part(office, term, [asking, change], length, part, _) => {
                write!(f, "Part {{ office: {}, term: {}, asking: {asking}, ", office.0, term.0)?;
                write!(f, "change: {change}, length: {length}, part: {part} }}")
            }
        }
    }
}

/// The most kinds of messages that a protocol and the values have together.
const MOST_KINDS: usize = 32;

/// The kinds of a protocol's messages, and two more.
struct ValuedKinds<M>(PhantomData<M>);

impl<M: Message> ValuedKinds<M> {
    const ALL: &'static [Kind] = &{
        let mut all = [Kind::announcement("want-value").ids(5); MOST_KINDS];
        let (mut i, own) = (0, M::KINDS);
        while i < own.len() {
            all[i] = own[i];
            i += 1;
        }
        // The bytes of a part count as identities, eight to each.
        all[i + 1] = Kind::announcement("value-part").ids(4 + PART as u32 / 8).counters(1);
        all
    };
}

impl<M: Message> Message for ValuedMessage<M> {
    const KINDS: &'static [Kind] = ValuedKinds::<M>::ALL.split_at(M::KINDS.len() + 2).0;

    fn kind(&self) -> usize {
        match self {
            Self::Own(message) => message.kind(),
            Self::Want(..) => M::KINDS.len(),
            Self::Part(..) => M::KINDS.len() + 1,
        }
    }
}

/// The effects of the protocol's own reaction.
struct OwnEffects<'a, E> {
    effects: &'a mut E,
    changed: Vec<Office>,
}

impl<P: Recoverable, E: Effects<Valued<P>>> Effects<P> for OwnEffects<'_, E> {
    fn send(&mut self, to: Peer, msg: P::Msg) {
        self.effects.send(to, ValuedMessage::Own(msg));
    }

    fn set_alarm(&mut self, alarm: P::Alarm, ticks: u32) {
        self.effects.set_alarm(ValuedAlarm::Own(alarm), ticks);
    }

    fn cancel_alarm(&mut self, alarm: P::Alarm) {
        self.effects.cancel_alarm(ValuedAlarm::Own(alarm));
    }

    fn read(&self, cell: Cell) -> Option<u64> {
        self.effects.read(cell)
    }

    fn write(&mut self, cell: Cell, number: u64) {
        self.effects.write(cell, number);
    }

    fn choose(&mut self, max: u32) -> u32 {
        self.effects.choose(max)
    }

    fn changed(&mut self, office: Office) {
        self.changed.push(office);
        self.effects.changed(office);
    }

    fn reject(&mut self, why: &'static str) {
        self.effects.reject(why);
    }
}

impl<P: Recoverable> Valued<P> {
    /// Lets the protocol react, and follows what has changed by that.
    fn react<E: Effects<Self>>(
        &mut self,
        effects: &mut E,
        reaction: impl FnOnce(&mut P, &mut OwnEffects<'_, E>),
    ) {
        let mut own = OwnEffects { effects, changed: Vec::new() };
        reaction(&mut self.process, &mut own);
        let OwnEffects { effects, changed } = own;
        self.follow(changed, effects);
    }

    fn follow(&mut self, changed: Vec<Office>, effects: &mut impl Effects<Self>) {
        for office in changed {
            let leads = self.process.tenure(office).map(|tenure| (self.setting.me, tenure.term));
            self.step(
                ValueInput::Led(office, leads.or_else(|| self.process.leader(office))),
                effects,
            );
            if let Some((_, term)) = leads.filter(|(_, term)| self.set.get(&office) != Some(term)) {
                self.set.insert(office, term);
                self.set_value(office, term, effects);
            }
        }
    }

    fn step(&mut self, input: ValueInput, effects: &mut impl Effects<Self>) {
        let mut outputs = Vec::new();
        self.values.step(input, &mut outputs);
        for output in outputs {
            match output {
                ValueOutput::Send(to, message) => effects.send(to, message.into()),
                ValueOutput::Changed(office) => effects.changed(office),
            }
        }
        if self.values.is_open() && !self.beats {
            self.beats = true;
            effects.set_alarm(ValuedAlarm::Beat, self.setting.heartbeat);
        }
    }

    /// Sets the next value of a leadership.
    fn set_value(&mut self, office: Office, term: Term, effects: &mut impl Effects<Self>) {
        let change = self.values.value(office, term).map_or(0, |(change, _)| change) + 1;
        let length = [0, 0, 0, 0, 0, PART, 3 * PART, LONGEST_VALUE][effects.choose(7) as usize];
        let text = format!("{:.<length$}", format!("{}/{}/{change}", office.0, term.0));
        if let Ok(value) = LeaderValue::new(&text) {
            self.step(ValueInput::Proclaim(office, term, value), effects);
        }
        let pause = 1 + effects.choose(PAUSE - 1);
        effects.set_alarm(ValuedAlarm::Set(office), pause.saturating_mul(self.setting.heartbeat));
    }
}

impl<P: Recoverable> Recoverable for Valued<P> {
    type Msg = ValuedMessage<P::Msg>;
    type Alarm = ValuedAlarm<P::Alarm>;

    fn start(setting: Setting, start: Start, effects: &mut impl Effects<Self>) -> Self {
        let mut own = OwnEffects { effects, changed: Vec::new() };
        let process = P::start(setting, start, &mut own);
        let OwnEffects { effects, changed } = own;
        let values = LeaderValues::new(&setting, start.boot);
        let mut valued = Self { process, setting, values, set: BTreeMap::new(), beats: false };
        valued.follow(changed, effects);
        valued
    }

    fn receive(&mut self, from: Peer, msg: Self::Msg, effects: &mut impl Effects<Self>) {
        let message = match msg {
            ValuedMessage::Own(msg) => {
                return self.react(effects, |process, own| process.receive(from, msg, own));
            }
            ValuedMessage::Want(office, term, [asking, change, missing]) => {
                ValueMessage::Want { office, term, asking, change, missing }
            }
            ValuedMessage::Part(office, term, [asking, change], length, part, (count, bytes)) => {
                let bytes = bytes.iter().take(count.into()).copied().collect();
                ValueMessage::Part { office, term, asking, change, length, part, bytes }
            }
        };
        self.step(ValueInput::Received(from, message), effects);
    }

    fn ring(&mut self, alarm: Self::Alarm, effects: &mut impl Effects<Self>) {
        match alarm {
            ValuedAlarm::Own(alarm) => self.react(effects, |process, own| process.ring(alarm, own)),
            ValuedAlarm::Beat => {
                self.beats = false;
                self.step(ValueInput::Beat, effects);
            }
            ValuedAlarm::Set(office) => {
                if let Some(tenure) = self.process.tenure(office) {
                    self.set_value(office, tenure.term, effects);
                }
            }
        }
    }

    fn command(&mut self, command: Command, effects: &mut impl Effects<Self>) {
        self.react(effects, |process, own| process.command(command, own));
    }

    fn tenure(&self, office: Office) -> Option<OfficeTenure<Self::Alarm>> {
        let OfficeTenure { term, until, stopping } = self.process.tenure(office)?;
        Some(OfficeTenure { term, until: until.map(ValuedAlarm::Own), stopping })
    }

    fn leader(&self, office: Office) -> Option<(Peer, Term)> {
        self.process.leader(office)
    }

    fn value(&self, office: Office, term: Term) -> Option<(u64, u64)> {
        let (change, value) = self.values.value(office, term)?;
        // The hash FNV-1a.
        let digest = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        Some((change, value.text().bytes().fold(0xcbf2_9ce4_8422_2325, digest)))
    }

    fn greatest_claim(&self) -> Term {
        self.process.greatest_claim()
    }

    fn serials(&mut self, visit: &mut impl FnMut(Series, &mut u64)) {
        self.process.serials(visit);
    }
}
