//! What assertions see of a configuration.

mod links;
mod message_index;

use crate::assertion::RingDirection;
use crate::{Configuration, Fact, FactError, FactValue};
use alloc::{
    collections::{BTreeMap, btree_map::Entry},
    rc::Rc,
    vec,
    vec::Vec,
};
use core::{any::TypeId, cell::RefCell, fmt};
use links::LinkRelations;
use message_index::MessageIndex;
use serde::Serialize;
use suffrage_model::{End, NetworkClass, Port, Process, Stage, Status};

/// A configuration as assertions see it: facts, and places on a ring or on links.
#[derive(Debug)]
pub(crate) struct Moment {
    /// The processes with their places.
    pub(crate) processes: Vec<(u32, Rc<ProcessFacts>)>,
    pub(crate) messages: Vec<MessageFact>,
    /// The names of all facts of processes, and of those of messages.
    pub(crate) named: (NameSet, NameSet),
    /// The links, where ports tell no direction.
    pub(crate) links: Rc<LinkRelations>,
    index: MessageIndex,
}

/// The facts about a process.
#[derive(Debug)]
pub(crate) struct ProcessFacts {
    pub(crate) id: u64,
    pub(crate) asleep: bool,
    pub(crate) woke: bool,
    pub(crate) status: Status,
    pub(crate) halted: bool,
    pub(crate) facts: Vec<KnownFact>,
    /// The names of these.
    pub(crate) named: NameSet,
}

/// A message under way.
#[derive(Debug)]
pub(crate) struct MessageFact {
    pub(crate) fact: Rc<KnownFact>,
    pub(crate) way: RingDirection,
    pub(crate) place: u32,
    /// The processes to which it goes, and from which it comes.
    pub(crate) to: u32,
    pub(crate) from: u32,
}

impl ProcessFacts {
    /// Returns the facts, if some may have this name.
    pub(crate) fn named(&self, name: NameSet) -> &[KnownFact] {
        if self.named.may_contain(name) { &self.facts } else { &[] }
    }
}

/// A fact whose values are processes and ways.
#[derive(Debug)]
pub(crate) struct KnownFact {
    pub(crate) name: FactName<&'static str>,
    pub(crate) values: Vec<KnownValue>,
}

/// A set of names, which may seem to contain others, too: a bit for each hash, modulo 64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NameSet(u64);

impl NameSet {
    pub(crate) fn insert<T>(&mut self, name: &FactName<T>) {
        self.0 |= 1 << (name.hash % 64);
    }

    pub(crate) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether it may contain all of these.
    pub(crate) const fn may_contain(self, all: Self) -> bool {
        self.0 & all.0 == all.0
    }
}

impl<T> FromIterator<FactName<T>> for NameSet {
    fn from_iter<I: IntoIterator<Item = FactName<T>>>(names: I) -> Self {
        let mut set = Self::default();
        names.into_iter().for_each(|name| set.insert(&name));
        set
    }
}

/// A name with its hash: most comparisons are of different names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FactName<T> {
    hash: u32,
    pub(crate) name: T,
}

impl<T: AsRef<str>> FactName<T> {
    pub(crate) fn new(name: T) -> Self {
        // FNV-1a.
        let hash = name
            .as_ref()
            .bytes()
            .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        Self { hash, name }
    }
}

impl<T: AsRef<str>, U: AsRef<str>> PartialEq<FactName<U>> for FactName<T> {
    fn eq(&self, other: &FactName<U>) -> bool {
        self.hash == other.hash && self.name.as_ref() == other.name.as_ref()
    }
}

/// A value of a fact: a process by its number, a port by the way that it leads or the process to which it does, or what
/// no formula can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownValue {
    Process(u32),
    Way(RingDirection),
    /// First ports that lead to a majority, with the process itself.
    Most,
    Other,
}

impl fmt::Display for KnownFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name.name)?;
        for (number, value) in self.values.iter().enumerate() {
            f.write_str(if number == 0 { " of " } else { ", " })?;
            match value {
                KnownValue::Process(process) => write!(f, "{process}")?,
                KnownValue::Way(RingDirection::Forward) => f.write_str("ahead")?,
                KnownValue::Way(RingDirection::Back) => f.write_str("behind")?,
                KnownValue::Most => f.write_str("most")?,
                KnownValue::Other => f.write_str("another")?,
            }
        }
        Ok(())
    }
}

/// What formulas have seen of the states and messages of one instance, for an engine that numbers them: each is
/// looked at once.
#[derive(Debug, Default)]
pub struct FactMemory(RefCell<Vec<(TypeId, InstanceFacts)>>);

/// What is remembered of the states and messages of an instance.
#[derive(Debug)]
struct InstanceFacts {
    frame: RingFrame,
    /// What a process says in a state, by the numbers of both.
    states: Remembered<ProcessFacts>,
    /// What a message of a process says, by the numbers of both.
    messages: Remembered<KnownFact>,
}

/// What is the same in all configurations of an instance.
#[derive(Debug)]
struct RingFrame {
    /// The identities in order, with their processes.
    by_id: Vec<(u64, u32)>,
    /// For each process on a ring the port that leads forward.
    ahead: Vec<Port>,
    /// Whether it is no ring. Then processes are in the order of their numbers, which are their positions, if they
    /// have some; and messages in the order of links, those on one link in the order of sending.
    linked: bool,
    /// The links, where ports tell no direction.
    links: Rc<LinkRelations>,
}

/// Of numbers there may be many from other instances.
type Remembered<T> = BTreeMap<(u32, u32), Rc<T>>;

impl Moment {
    pub(crate) fn new(
        processes: Vec<(u32, Rc<ProcessFacts>)>,
        messages: Vec<MessageFact>,
        links: Rc<LinkRelations>,
    ) -> Self {
        let states = processes.iter().map(|(_, of)| of.named);
        let states = states.reduce(NameSet::union).unwrap_or_default();
        let named = (states, messages.iter().map(|message| message.fact.name).collect());
        Self { processes, messages, named, links, index: MessageIndex::default() }
    }

    /// Returns numbers of messages, among which are all those with these ends, as far as they are given.
    pub(crate) fn messages_between(
        &self,
        to: Option<u32>,
        from: Option<u32>,
    ) -> impl Iterator<Item = u32> {
        self.index.find(&self.messages, to, from)
    }

    /// Returns what assertions see of a configuration. Only on a ring do ports and messages have a way.
    pub(crate) fn of<P>(now: &Configuration<'_, P>) -> Result<Self, FactError>
    where
        P: Process + Serialize,
        P::Msg: Serialize,
    {
        let Some(FactMemory(known)) = now.memory else {
            return InstanceFacts::new(now).moment(now);
        };
        let mut known = known.borrow_mut();
        let of = TypeId::of::<P>();
        let at = known.iter().position(|(known, _)| *known == of).unwrap_or_else(|| {
            known.push((of, InstanceFacts::new(now)));
            known.len() - 1
        });
        known[at].1.moment(now)
    }
}

impl InstanceFacts {
    fn new<P: Process>(now: &Configuration<'_, P>) -> Self {
        let ring = P::NETWORK.unoriented() == NetworkClass::Ring;
        let mut by_id: Vec<(u64, u32)> =
            now.nodes().map(|(node, of)| (of.id.get(), node)).collect();
        by_id.sort_unstable();
        let ahead = if ring { forward_ports(now) } else { Vec::new() };
        let frame =
            RingFrame { by_id, ahead, linked: !ring, links: Rc::new(LinkRelations::of(now)) };
        Self { frame, states: BTreeMap::new(), messages: BTreeMap::new() }
    }

    fn moment<P>(&mut self, now: &Configuration<'_, P>) -> Result<Moment, FactError>
    where
        P: Process + Serialize,
        P::Msg: Serialize,
    {
        let Self { frame, states, messages: sent } = self;
        let mut processes = Vec::with_capacity(now.size() as usize);
        for (node, of) in now.nodes() {
            let facts = remembered(states, node, of.number, || {
                let facts = Fact::of_state(of.process)?.into_iter();
                let facts: Vec<KnownFact> =
                    facts.flat_map(|fact| frame.all_known(node, fact)).collect();
                Ok(ProcessFacts {
                    id: of.id.get(),
                    asleep: of.stage == Stage::Asleep,
                    woke: of.woke,
                    status: of.process.status(),
                    halted: of.process.halted(),
                    named: facts.iter().map(|fact| fact.name).collect(),
                    facts,
                })
            })?;
            processes.push((0, facts));
        }
        let mut messages = Vec::with_capacity(now.messages().len());
        if frame.linked {
            for (place, process) in (0..).zip(&mut processes) {
                process.0 = place;
            }
            for transit in now.messages() {
                let fact = remembered(sent, transit.from.node, transit.number, || {
                    Ok(frame.known(transit.from.node, Fact::of_message(&transit.msg)?))
                })?;
                let place = (processes.len() + messages.len()) as u32;
                let (way, to, from) = (RingDirection::Forward, transit.to.node, transit.from.node);
                messages.push(MessageFact { fact, way, place, to, from });
            }
            return Ok(Moment::new(processes, messages, Rc::clone(&frame.links)));
        }
        let (mut node, mut place) = (0, 0);
        for _ in 0..now.size() {
            processes[node as usize].0 = place;
            place += 1;
            let from = End { node, port: frame.ahead[node as usize] };
            let to = now.across(from.node, from.port);
            let first = messages.len();
            // On the way forward the message that was sent last is the nearest to its sender, and
            // on the way back the one that was sent first is the nearest to its receiver.
            for (from, way) in [(from, RingDirection::Forward), (to, RingDirection::Back)] {
                for transit in now.in_transit(from) {
                    let fact = remembered(sent, from.node, transit.number, || {
                        Ok(frame.known(from.node, Fact::of_message(&transit.msg)?))
                    })?;
                    let to = if way == RingDirection::Forward { to.node } else { node };
                    messages.push(MessageFact { fact, way, place: 0, to, from: from.node });
                }
                if way == RingDirection::Forward {
                    messages[first..].reverse();
                }
            }
            for message in &mut messages[first..] {
                message.place = place;
                place += 1;
            }
            node = to.node;
        }
        Ok(Moment::new(processes, messages, Rc::clone(&frame.links)))
    }
}

impl RingFrame {
    /// Returns what a process says by a fact: of first ports it says something of each process to which they lead.
    fn all_known(&self, node: u32, fact: Fact) -> Vec<KnownFact> {
        let is_first = |value: &FactValue| matches!(value, FactValue::Ports(_));
        let at = fact.values.iter().position(is_first);
        let Some((at, FactValue::Ports(first))) = at.map(|at| (at, fact.values[at])) else {
            return vec![self.known(node, fact)];
        };
        let whole = self.known(node, fact);
        let mut values = vec![KnownValue::Other];
        if let Some(neighbours) = self.links.neighbours.get(node as usize) {
            let led_to = neighbours.iter().take(first as usize);
            values.extend(led_to.map(|&process| KnownValue::Process(process)));
            values.extend((first + 1 > self.by_id.len() as u64 / 2).then_some(KnownValue::Most));
        }
        let with = |value| {
            let mut values = whole.values.clone();
            values[at] = value;
            KnownFact { name: whole.name, values }
        };
        values.into_iter().map(with).collect()
    }

    /// Returns a fact of a process, or of a message that it has sent.
    fn known(&self, node: u32, fact: Fact) -> KnownFact {
        let value = |value| match value {
            FactValue::Id(id) => match self.by_id.binary_search_by_key(&id, |&(id, _)| id) {
                Ok(at) => KnownValue::Process(self.by_id[at].1),
                Err(_) => KnownValue::Other,
            },
            FactValue::Port(port) if !self.links.neighbours.is_empty() => {
                match self.links.neighbours[node as usize].get(port as usize) {
                    Some(&process) => KnownValue::Process(process),
                    None => KnownValue::Other,
                }
            }
            FactValue::Port(port) => match self.ahead.get(node as usize) {
                Some(&forward) if forward.0 == port => KnownValue::Way(RingDirection::Forward),
                Some(_) => KnownValue::Way(RingDirection::Back),
                None => KnownValue::Other,
            },
            FactValue::Place(of) if self.linked && of < self.by_id.len() as u64 => {
                KnownValue::Process(of as u32)
            }
            FactValue::Place(_)
            | FactValue::Ports(_)
            | FactValue::Set(_)
            | FactValue::CountedSet(_)
            | FactValue::Count(_)
            | FactValue::Number(_) => KnownValue::Other,
        };
        let values = fact.values.into_iter().map(value).collect();
        KnownFact { name: FactName::new(fact.name), values }
    }
}

/// Returns what is remembered of the state or message of this number; finds it out if nothing is.
fn remembered<T>(
    known: &mut Remembered<T>,
    node: u32,
    number: Option<u32>,
    find: impl FnOnce() -> Result<T, FactError>,
) -> Result<Rc<T>, FactError> {
    let Some(number) = number else { return find().map(Rc::new) };
    Ok(Rc::clone(match known.entry((node, number)) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(place) => place.insert(Rc::new(find()?)),
    }))
}

/// Returns for each process on a ring the port that leads forward, where forward is the way through the
/// first port of process 0.
fn forward_ports<P: Process>(now: &Configuration<'_, P>) -> Vec<Port> {
    let mut ports = alloc::vec![Port::NEXT; now.size() as usize];
    let mut at = End { node: 0, port: Port::NEXT };
    for _ in 0..now.size() {
        ports[at.node as usize] = at.port;
        let to = now.across(at.node, at.port);
        at = End { node: to.node, port: crate::around::opposite(to.port) };
    }
    ports
}
