//! What is explored: one small election, with everything fixed but the schedule.

use suffrage_process::{Id, NetworkClass};
use suffrage_topology::wiring::{Unsuited, Wiring};

/// The most nodes of an instance: sets of nodes are words of so many bits.
pub const MAX_NODES: u32 = 64;

/// One election whose schedule is open: the checker explores every one.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The network, its ports numbered.
    pub wiring: Wiring,
    /// The identity of each process; they must be distinct.
    pub ids: Vec<Id>,
    /// The processes that may wake by themselves, at least one; each does unless a message
    /// reaches it before.
    pub initiators: Vec<u32>,
    /// When they wake.
    pub wake: Wake,
    /// How many messages a link holds; `None` for any number. A process that has sent into a full
    /// link waits until there is room, in order, before it receives anything more.
    pub capacity: Option<u32>,
    /// What may go wrong, and how often.
    pub faults: Faults,
}

/// When initiators wake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wake {
    /// Each at any moment before a message reaches it.
    #[default]
    AnyTime,
    /// All before anything else happens.
    AtStart,
}

/// What may go wrong in an instance: the checker explores every way in which it can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Messages on one link may overtake each other. Not together with the others, nor on
    /// bounded links.
    pub no_fifo: bool,
    /// So many messages may be lost.
    pub loss: u8,
    /// So many messages may arrive twice, the second time right after the first.
    pub duplicate: u8,
    /// So many processes may stop for ever; what is on its way to them is lost.
    pub crash: u8,
}

impl Faults {
    /// Whether nothing may go wrong.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Whether faults are counted, so that one uses up the room for another.
    pub(crate) const fn counted(&self) -> bool {
        self.loss > 0 || self.duplicate > 0 || self.crash > 0
    }
}

/// Why an instance cannot be explored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidInstance {
    /// Its parts do not fit each other.
    #[error(transparent)]
    Unsuited(#[from] Unsuited),
    /// Where messages overtake, it is open which is lost first.
    #[error(
        "messages that overtake each other are not explored together with faults that are \
         counted (loss, duplicate, crash) or with bounded links: take one of these at a time"
    )]
    NoFifoWith,
    /// There are too many nodes to explore.
    #[error("{0} nodes are too many to explore: the limit is {MAX_NODES}")]
    TooManyNodes(u32),
}

impl Instance {
    /// Everyone may wake, at any moment; links hold any number of messages; nothing goes wrong.
    #[must_use]
    pub fn new(wiring: Wiring, ids: Vec<Id>) -> Self {
        let initiators = (0..wiring.nodes()).collect();
        let (wake, faults) = (Wake::default(), Faults::default());
        Self { wiring, ids, initiators, wake, capacity: None, faults }
    }

    /// What makes the instance impossible, for an algorithm that needs `network`.
    pub(crate) fn check(&self, network: NetworkClass) -> Result<(), InvalidInstance> {
        let nodes = self.wiring.nodes();
        if nodes > MAX_NODES {
            return Err(InvalidInstance::TooManyNodes(nodes));
        }
        self.wiring.suits(network, &self.ids, self.capacity)?;
        if self.initiators.is_empty() {
            return Err(Unsuited::NoInitiator.into());
        }
        self.initiators.iter().try_for_each(|&node| self.wiring.has(node))?;
        if self.faults.no_fifo && (self.faults.counted() || self.capacity.is_some()) {
            return Err(InvalidInstance::NoFifoWith);
        }
        Ok(())
    }
}
