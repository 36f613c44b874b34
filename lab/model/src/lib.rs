//! The model: processes that see only their own ports, over reliable FIFO links.
//!
//! An election algorithm is a [`Process`]: a state machine that reacts to two kinds of event, an
//! initiator's spontaneous impulse ([`Process::wake`]) and the arrival of a message on one of its
//! ports ([`Process::receive`]). It acts on the world only through a [`Net`], which the engine that
//! drives it passes to each reaction. It has no clock, no randomness and no I/O of its own, so the
//! same definition can be simulated, checked over every interleaving and run between real hosts.
//!
//! The model follows the textbooks (G. Tel, *Introduction to Distributed Algorithms*, 2nd ed.,
//! Cambridge University Press, 2000, chapter 7): processes are asynchronous and do not fail, links
//! are reliable and deliver in the order of sending, and a process knows its neighbours only as the
//! local numbers of its ports. `tenure-model` is the model of processes that
//! crash and recover, and of leadership that can be lost.
//!
//! ```
//! use suffrage_model::*;
//!
//! /// Two processes on one link: each tells the other its identity, the larger one leads.
//! #[derive(Clone, Debug, PartialEq, Eq, Hash)]
//! struct Duel { id: Id, woken: bool, rival: Option<Id> }
//!
//! #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
//! struct Challenge(Id);
//!
//! impl Message for Challenge {
//!     const KINDS: &'static [Kind] = &[Kind::election("challenge").ids(1)];
//!     fn kind(&self) -> usize { 0 }
//! }
//!
//! impl Process for Duel {
//!     const NETWORK: NetworkClass = NetworkClass::Complete;
//!     type Knows = Id;
//!     type Msg = Challenge;
//!
//!     fn new(id: Id, _degree: u32) -> Self { Self { id, woken: false, rival: None } }
//!
//!     fn wake(&mut self, net: &mut impl Net<Challenge>) {
//!         self.woken = true;
//!         net.send_all(Challenge(self.id));
//!     }
//!
//!     fn receive(&mut self, _: Port, Challenge(id): Challenge, net: &mut impl Net<Challenge>) {
//!         self.rival = Some(id);
//!         if !self.woken { self.wake(net) }
//!     }
//!
//!     fn status(&self) -> Status {
//!         match self.rival {
//!             None => Status::Undecided,
//!             Some(rival) if rival < self.id => Status::Leader,
//!             Some(_) => Status::Follower,
//!         }
//!     }
//!     fn leader(&self) -> Option<Id> { self.rival.map(|rival| rival.max(self.id)) }
//!     fn halted(&self) -> bool { self.rival.is_some() }
//! }
//! ```
#![no_std]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ModelReadme;

extern crate alloc;

mod count;
mod counted_ports;
mod execution;
mod first_ports;
mod knowledge;
mod net;
mod port_set;

pub use count::Count;
pub use counted_ports::CountedPorts;
pub use execution::{Action, End, Stage};
pub use first_ports::FirstPorts;
pub use knowledge::{Diameter, Facts, Id, Knowledge, Label, Multiplicity, Place, Size};
pub use net::{Net, Port};
pub use port_set::PortSet;
#[cfg(feature = "serde")]
pub use suffrage_message::Wire;
pub use suffrage_message::{Kind, Message, Phase};

use core::{fmt::Debug, hash::Hash};

/// The crates that a process in the model needs, from what depends on nothing: their files, with the root first. For
/// programs that compile them where they are not installed.
#[doc(hidden)]
pub const SOURCES: [(&str, &[(&str, &str)]); 2] = [
    ("suffrage_message", suffrage_message::SOURCE),
    (
        "suffrage_model",
        &[
            ("lib.rs", include_str!("lib.rs")),
            ("count.rs", include_str!("count.rs")),
            ("counted_ports.rs", include_str!("counted_ports.rs")),
            ("execution.rs", include_str!("execution.rs")),
            ("first_ports.rs", include_str!("first_ports.rs")),
            ("knowledge.rs", include_str!("knowledge.rs")),
            ("net.rs", include_str!("net.rs")),
            ("port_set.rs", include_str!("port_set.rs")),
        ],
    ),
];

/// The decision of a process, which is irrevocable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Status {
    /// The election is not over for this process.
    #[default]
    Undecided,
    /// This process is the leader.
    Leader,
    /// Another process is the leader.
    Follower,
}

impl Status {
    /// Returns the status of a process that names this leader, if it names one.
    #[must_use]
    pub fn naming(leader: Option<Id>, own: Id) -> Self {
        match leader {
            None => Self::Undecided,
            Some(leader) if leader == own => Self::Leader,
            Some(_) => Self::Follower,
        }
    }
}

/// The networks on which an algorithm is correct; every engine refuses all others.
///
/// All are connected, and every link carries messages both ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NetworkClass {
    /// Any connected graph.
    Connected,
    /// A connected graph without a cycle.
    Tree,
    /// A cycle. Port numbers do not indicate the direction.
    Ring,
    /// A cycle on which all agree which way round is forward: [`Port::NEXT`] leads to the next
    /// process and [`Port::PREVIOUS`] to the one before.
    OrientedRing,
    /// An [oriented ring](Self::OrientedRing) of homonyms: several processes may have the same
    /// identity, which is then called a label. The labelling is asymmetric: no rotation but the
    /// full one maps it to itself. Processes are numbered in the order of the ring.
    HomonymRing,
    /// Every two processes share a link; the neighbour behind a port is unknown.
    Complete,
    /// Every two processes share a link, and port `p` of the process at position `i` leads to
    /// position `i + p + 1` modulo the size: a complete network with a sense of direction.
    OrientedComplete,
    /// The words of `d` bits, linked where they differ in one bit; the bit behind a port is
    /// unknown.
    Hypercube,
    /// The words of `d` bits, linked where they differ in one bit, and port `p` leads to the
    /// process whose word differs in bit `p`: a hypercube with a sense of direction.
    OrientedHypercube,
    /// Rows and columns, at least two of each, in which neighbours share a link; where a port leads
    /// is unknown.
    Mesh,
    /// Rows and columns, at least three of each, closed to rings; where a port leads is unknown.
    Torus,
    /// A torus with a sense of direction: port 0 leads to the next process of the row and port 1 to
    /// the one before, port 2 to the next process of the column and port 3 to the one before.
    OrientedTorus,
}

impl NetworkClass {
    /// Returns the class of the same networks without a sense of direction.
    #[must_use]
    pub const fn unoriented(self) -> Self {
        match self {
            Self::OrientedRing | Self::HomonymRing => Self::Ring,
            Self::OrientedComplete => Self::Complete,
            Self::OrientedHypercube => Self::Hypercube,
            Self::OrientedTorus => Self::Torus,
            Self::Connected
            | Self::Tree
            | Self::Ring
            | Self::Complete
            | Self::Hypercube
            | Self::Mesh
            | Self::Torus => self,
        }
    }

    /// Returns whether they have a sense of direction: the numbers of ports say where these lead.
    #[must_use]
    pub const fn is_oriented(self) -> bool {
        matches!(
            self,
            Self::OrientedRing
                | Self::HomonymRing
                | Self::OrientedComplete
                | Self::OrientedHypercube
                | Self::OrientedTorus
        )
    }

    /// Returns whether there is a network of the class with this number of processes.
    #[must_use]
    pub const fn has_size(self, nodes: u32) -> bool {
        match self.unoriented() {
            Self::Hypercube => nodes.is_power_of_two(),
            Self::Mesh => rows(nodes, 2).is_some(),
            Self::Torus => rows(nodes, 3).is_some(),
            _ => nodes > 0,
        }
    }

    /// Returns the number of rows and of columns of the mesh or torus with this number of processes
    /// that is the nearest to a square; `None` if the class has none. Takes time in the order of
    /// the square root.
    #[must_use]
    pub const fn rows_and_columns(self, nodes: u32) -> Option<(u32, u32)> {
        let rows = match self.unoriented() {
            Self::Mesh => rows(nodes, 2),
            Self::Torus => rows(nodes, 3),
            _ => None,
        };
        match rows {
            Some(rows) => Some((rows, nodes / rows)),
            None => None,
        }
    }
}

const fn rows(nodes: u32, least: u32) -> Option<u32> {
    let mut rows = nodes.isqrt();
    while rows >= least {
        if nodes.is_multiple_of(rows) {
            return Some(rows);
        }
        rows -= 1;
    }
    None
}

/// The timing on which an algorithm relies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Timing {
    /// None: a message takes any time, and an alarm may ring at any time.
    #[default]
    Asynchronous,
    /// Rounds, which all processes count together (N. Lynch, *Distributed Algorithms*, 1996,
    /// chapter 2): a message takes exactly one tick, and an alarm rings exactly at the tick for which
    /// it was set, after the messages of this tick. A wake-up comes before them. What happens
    /// within a tick at one process is otherwise in any order.
    Rounds,
    /// [Rounds](Self::Rounds) that all processes start together: all are initiators, and wake in
    /// the first round, at the same tick.
    SimultaneousRounds,
}

impl Timing {
    /// Returns whether the algorithm runs in rounds.
    #[must_use]
    pub const fn in_rounds(self) -> bool {
        matches!(self, Self::Rounds | Self::SimultaneousRounds)
    }
}

/// An algorithm as one node runs it: a state machine that reacts to messages.
///
/// A value is the whole state of one process. Engines keep them in flat arrays, compare and hash
/// them, so every variable belongs in it and nothing else does.
///
/// An engine calls [`wake`](Self::wake), [`receive`](Self::receive) and [`alarm`](Self::alarm) one
/// at a time and runs each to its end: a reaction is atomic.
pub trait Process: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    /// The networks on which the algorithm is correct.
    const NETWORK: NetworkClass;
    /// The timing on which the algorithm relies; every engine refuses it under any other.
    const TIMING: Timing = Timing::Asynchronous;
    /// The knowledge of a process before it starts: `()` is an anonymous network.
    type Knows: Knowledge;
    /// The type of messages on the links.
    type Msg: Message;

    /// Creates the process on a node with `degree` ports, before anything has happened.
    fn new(knows: Self::Knows, degree: u32) -> Self;

    /// Reacts to an initiator's spontaneous impulse: at most once, and never after a message.
    fn wake(&mut self, net: &mut impl Net<Self::Msg>);

    /// Reacts to a message that has arrived through port `from`.
    ///
    /// Whatever it is and whenever it comes, this must not panic but [reject](Net::reject) it:
    /// peers may be faulty, and the checker also tries messages that no schedule brings.
    fn receive(&mut self, from: Port, msg: Self::Msg, net: &mut impl Net<Self::Msg>);

    /// Reacts to an alarm: the time set by [`Net::set_alarm`] has passed.
    fn alarm(&mut self, _net: &mut impl Net<Self::Msg>) {}

    /// Returns the decision of this process.
    fn status(&self) -> Status;

    /// Returns the identity of the leader, once this process knows it; always `None` in algorithms
    /// that tell a follower no more than that it has lost.
    fn leader(&self) -> Option<Id> {
        None
    }

    /// Returns whether the process has terminated: it sends nothing more, whatever arrives.
    fn halted(&self) -> bool;
}
