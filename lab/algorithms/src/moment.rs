//! What assertions see of a configuration.

use crate::assertion::RingDirection;
use crate::{Configuration, Fact, FactError, FactValue};
use alloc::vec::Vec;
use core::fmt;
use serde::Serialize;
use suffrage_model::{End, Port, Process, Stage, Status};

/// A configuration as assertions see it: facts, and places on a ring.
#[derive(Debug)]
pub(crate) struct Moment {
    pub(crate) processes: Vec<ProcessFacts>,
    pub(crate) messages: Vec<MessageFact>,
}

/// The facts about a process.
#[derive(Debug)]
pub(crate) struct ProcessFacts {
    pub(crate) id: u64,
    pub(crate) place: u32,
    pub(crate) asleep: bool,
    pub(crate) woke: bool,
    pub(crate) status: Status,
    pub(crate) facts: Vec<KnownFact>,
}

/// A message under way.
#[derive(Debug)]
pub(crate) struct MessageFact {
    pub(crate) fact: KnownFact,
    pub(crate) way: RingDirection,
    pub(crate) place: u32,
}

/// A fact whose values are processes and ways.
#[derive(Debug)]
pub(crate) struct KnownFact {
    pub(crate) name: &'static str,
    pub(crate) values: Vec<KnownValue>,
}

/// A value of a fact: a process by its number, a port by the way that it leads, or what no formula can
/// name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownValue {
    Process(u32),
    Way(RingDirection),
    Other,
}

impl fmt::Display for KnownFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        for (number, value) in self.values.iter().enumerate() {
            f.write_str(if number == 0 { " of " } else { ", " })?;
            match value {
                KnownValue::Process(process) => write!(f, "{process}")?,
                KnownValue::Way(RingDirection::Forward) => f.write_str("ahead")?,
                KnownValue::Way(RingDirection::Back) => f.write_str("behind")?,
                KnownValue::Other => f.write_str("another")?,
            }
        }
        Ok(())
    }
}

impl Moment {
    /// Returns what assertions see of a configuration. Only on a ring do ports and messages have a
    /// way, and only there are messages seen.
    pub(crate) fn of<P>(now: &Configuration<'_, P>) -> Result<Self, FactError>
    where
        P: Process + Serialize,
        P::Msg: Serialize,
    {
        let ring = P::NETWORK.unoriented() == suffrage_model::NetworkClass::Ring;
        let mut by_id: Vec<(u64, u32)> =
            now.nodes().map(|(node, of)| (of.id.get(), node)).collect();
        by_id.sort_unstable();
        let ahead = if ring { forward_ports(now) } else { Vec::new() };
        let known = |node: u32, fact: Fact| KnownFact {
            name: fact.name,
            values: fact
                .values
                .into_iter()
                .map(|value| match value {
                    FactValue::Id(id) => match by_id.binary_search_by_key(&id, |&(id, _)| id) {
                        Ok(at) => KnownValue::Process(by_id[at].1),
                        Err(_) => KnownValue::Other,
                    },
                    FactValue::Port(port) => match ahead.get(node as usize) {
                        Some(&forward) if forward.0 == port => {
                            KnownValue::Way(RingDirection::Forward)
                        }
                        Some(_) => KnownValue::Way(RingDirection::Back),
                        None => KnownValue::Other,
                    },
                    FactValue::Number(_) => KnownValue::Other,
                })
                .collect(),
        };
        let mut processes = Vec::with_capacity(by_id.len());
        for (node, of) in now.nodes() {
            let facts = Fact::of_state(of.process)?;
            processes.push(ProcessFacts {
                id: of.id.get(),
                place: 0,
                asleep: of.stage == Stage::Asleep,
                woke: of.woke,
                status: of.process.status(),
                facts: facts.into_iter().map(|fact| known(node, fact)).collect(),
            });
        }
        let mut messages = Vec::with_capacity(now.messages().len());
        if ring {
            let (mut node, mut place) = (0, 0);
            for _ in 0..now.size() {
                processes[node as usize].place = place;
                place += 1;
                let from = End { node, port: ahead[node as usize] };
                let to = now.across(from.node, from.port);
                let first = messages.len();
                // On the way forward the message that was sent last is the nearest to its sender, and
                // on the way back the one that was sent first is the nearest to its receiver.
                for (from, way) in [(from, RingDirection::Forward), (to, RingDirection::Back)] {
                    for msg in now.on_link(from) {
                        let fact = known(from.node, Fact::of_message(&msg)?);
                        messages.push(MessageFact { fact, way, place: 0 });
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
        }
        Ok(Self { processes, messages })
    }
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
