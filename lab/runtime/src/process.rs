//! The process of a node with messages as bytes: everything that depends on the algorithm.
//!
//! A node's driver, links and tasks are compiled once, and only this for each algorithm.

use crate::outcome::StepEvent;
use crate::setup::NodeSetup;
use crate::wire::Payload;
use std::sync::Arc;
use suffrage_model::{
    Diameter, Facts, Id, Kind, Knowledge, Message, Multiplicity, Net, Place, Port, Process, Size,
    Status, Wire,
};
use suffrage_networks::random::Generator;

/// A function that is called with the number of a node and its process, after each reaction.
pub(crate) type Observer<P> = Arc<dyn Fn(u32, &P) + Send + Sync>;

/// A process whose messages are encoded.
pub(crate) trait EncodedProcess: Send + Sync {
    fn kinds(&self) -> &'static [Kind];

    /// Returns the length of the longest frame that the algorithm can need: a message is plain data, and no
    /// number takes more than 5/4 of its size in memory.
    fn longest(&self) -> usize;

    /// Returns a function that tells whether bytes are a [`Payload`] of the algorithm.
    fn validity(&self) -> fn(&[u8]) -> bool;

    /// Decodes a payload; `None` if it is none. A message is kept for the reaction to it.
    fn decode(&mut self, bytes: &[u8]) -> Option<Payload<()>>;

    /// Reacts to an event. [`StepEvent::Receive`] is the arrival of the message that was decoded last.
    fn react(&mut self, event: StepEvent, net: &mut ProcessNet<'_>);

    fn status(&self) -> Status;

    fn leader(&self) -> Option<Id>;

    fn halted(&self) -> bool;
}

pub(crate) struct Encoded<P: Process> {
    process: P,
    node: u32,
    decoded: Option<P::Msg>,
    observer: Option<Observer<P>>,
}

impl<P: Process> Encoded<P> {
    pub(crate) fn new(setup: &NodeSetup, observer: Option<Observer<P>>) -> Self {
        let NodeSetup { membership, node, .. } = setup;
        let wiring = membership.wiring();
        let facts = Facts {
            id: membership.ids()[*node as usize],
            size: Size(wiring.nodes()),
            place: Place(*node),
            diameter: Diameter(if P::Knows::DIAMETER { wiring.diameter() } else { 0 }),
            multiplicity: match P::Knows::MULTIPLICITY {
                true => Multiplicity::of(&mut membership.ids().to_vec()),
                false => Multiplicity::ONE,
            },
        };
        let process = P::new(P::Knows::of(&facts), wiring.degree(*node));
        Self { process, node: *node, decoded: None, observer }
    }
}

impl<P: Process<Msg: Wire>> EncodedProcess for Encoded<P> {
    fn kinds(&self) -> &'static [Kind] {
        P::Msg::KINDS
    }

    fn longest(&self) -> usize {
        64 + 2 * size_of::<Payload<P::Msg>>()
    }

    fn validity(&self) -> fn(&[u8]) -> bool {
        |bytes| Payload::<P::Msg>::from_bytes(bytes).is_some()
    }

    fn decode(&mut self, bytes: &[u8]) -> Option<Payload<()>> {
        Some(match Payload::<P::Msg>::from_bytes(bytes)? {
            Payload::Message { depth, msg } => {
                self.decoded = Some(msg);
                Payload::Message { depth, msg: () }
            }
            Payload::Halted => Payload::Halted,
            Payload::Released { certain } => Payload::Released { certain },
        })
    }

    fn react(&mut self, event: StepEvent, net: &mut ProcessNet<'_>) {
        match event {
            StepEvent::Wake => self.process.wake(net),
            StepEvent::Alarm => self.process.alarm(net),
            StepEvent::Receive(port) => {
                if let Some(msg) = self.decoded.take() {
                    self.process.receive(Port(port), msg, net);
                }
            }
        }
        if let Some(observer) = &self.observer {
            observer(self.node, &self.process);
        }
    }

    fn status(&self) -> Status {
        self.process.status()
    }

    fn leader(&self) -> Option<Id> {
        self.process.leader()
    }

    fn halted(&self) -> bool {
        self.process.halted()
    }
}

/// A message that a reaction has sent and that is not on its link yet.
pub(crate) struct OutgoingMessage {
    pub port: Port,
    /// The index of its kind.
    pub kind: usize,
    pub bytes: Box<[u8]>,
}

/// What a reaction acts on.
pub(crate) struct ProcessNet<'a> {
    pub degree: u32,
    /// The causal depth of what the reaction sends.
    pub depth: u32,
    pub outbox: &'a mut Vec<OutgoingMessage>,
    pub coins: &'a mut Generator,
    /// The numbers that were drawn.
    pub drawn: Vec<u32>,
    pub alarm: Option<u32>,
    pub rejected: Option<&'static str>,
    /// A port that the process has sent through but does not have.
    pub no_such_port: Option<Port>,
}

impl<M: Wire> Net<M> for ProcessNet<'_> {
    fn degree(&self) -> u32 {
        self.degree
    }

    fn send(&mut self, to: Port, msg: M) {
        if to.0 >= self.degree {
            self.no_such_port = Some(to);
            return;
        }
        let bytes = Payload::Message { depth: self.depth, msg }.to_bytes();
        self.outbox.push(OutgoingMessage { port: to, kind: msg.kind(), bytes });
    }

    fn choose(&mut self, max: u32) -> u32 {
        let drawn = self.coins.below(u64::from(max) + 1) as u32;
        self.drawn.push(drawn);
        drawn
    }

    fn set_alarm(&mut self, ticks: u32) {
        self.alarm = Some(ticks);
    }

    fn reject(&mut self, why: &'static str) {
        self.rejected = Some(why);
    }
}
