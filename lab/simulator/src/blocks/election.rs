//! An election that is divided into blocks: its network and identities need no table of the whole.

use crate::{
    Experiment, FifoMethod, Impossible, Pace, Schedule, Wakes, delay::Delay,
    experiment::all_together,
};
use std::ops::Range;
use suffrage_model::{
    Diameter, Facts, Id, Knowledge, Multiplicity, NetworkClass, Place, Port, Process, Size, Timing,
};
use suffrage_networks::{
    ComputedIds, Implicit, Spec,
    parts::PartialNetwork,
    wiring::{Numbering, Unsuited, Wiring},
};

/// An election in rounds: everything that determines its execution.
///
/// It is an [`Experiment`] without faults and bounds, but its network may be computed or read in parts, and
/// its identities computed, and then no place that has a block of it holds anything of the others.
#[derive(Clone, Debug)]
pub struct Election<'a> {
    /// The network, its ports numbered.
    pub network: ElectionNetwork<'a>,
    /// The identity of each process; they must be distinct, or asymmetric labels of homonyms.
    pub ids: ElectionIds<'a>,
    /// The initiators and the ticks at which they wake; `None` if all processes wake at the start.
    pub wakes: Option<Vec<(u64, u64)>>,
    /// The delays of messages.
    pub pace: Pace,
    /// The seed of all randomness.
    pub seed: u64,
    /// The number of deliveries after which an election that has not ended counts as endless.
    pub event_limit: u64,
}

/// The network of an election in rounds.
#[derive(Clone, Copy, Debug)]
pub enum ElectionNetwork<'a> {
    /// One that every engine runs on.
    Wired(&'a Wiring),
    /// One whose neighbours are computed, and whose nodes have numbers of 64 bits.
    Implicit(&'a Implicit),
    /// One in parts: each place holds only the nodes of its own blocks.
    Partial(&'a PartialNetwork),
}

/// The identities of an election in rounds.
#[derive(Clone, Copy, Debug)]
pub enum ElectionIds<'a> {
    /// One for each process.
    Listed(&'a [Id]),
    /// Those of a layout.
    Computed(&'a ComputedIds),
}

/// An error: an experiment cannot be divided into blocks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Indivisible {
    /// The schedule orders events differently from rounds.
    #[error(
        "under the schedule `{0}` the order of a tick depends on all processes at once; choose \
         rounds, rounds:uniform:D or rounds:per-link:D"
    )]
    Schedule(String),
    /// There is a fault.
    #[error("fault `{0}`: an election in blocks has no faults")]
    Fault(String),
    /// Links are bounded, or their queues are kept.
    #[error("the links of an election in blocks are not bounded")]
    Queues,
    /// A block has more nodes than 32 bits can number.
    #[error(
        "{nodes} processes are too many for {blocks} workers: each can have 4294967294 at most"
    )]
    Wide {
        /// The number of processes.
        nodes: u64,
        /// The number of blocks.
        blocks: u32,
    },
    /// The network was read in another number of parts.
    #[error("the network was read in {parts} parts, for as many workers, and there are {blocks}")]
    Parts {
        /// The number of parts.
        parts: u32,
        /// The number of blocks.
        blocks: u32,
    },
}

impl<'a> Election<'a> {
    /// Creates the election in which every process wakes at the start, and every message takes a tick.
    #[must_use]
    pub const fn new(network: ElectionNetwork<'a>, ids: ElectionIds<'a>) -> Self {
        Self { network, ids, wakes: None, pace: Pace::Unit, seed: 1, event_limit: u64::MAX }
    }

    /// Returns the election of an experiment.
    ///
    /// # Errors
    /// If it cannot be divided into blocks.
    pub fn of(experiment: &Experiment<'a>) -> Result<Self, Indivisible> {
        let Schedule::Rounds(pace) = experiment.schedule else {
            return Err(Indivisible::Schedule(experiment.schedule.to_string()));
        };
        if let Some(fault) = experiment.faults.first() {
            return Err(Indivisible::Fault(fault.to_string()));
        }
        if experiment.capacity.is_some() || experiment.fifo != FifoMethod::Cheapest {
            return Err(Indivisible::Queues);
        }
        let wakes = match &experiment.wakes {
            Wakes::All => None,
            Wakes::At(wakes) => {
                Some(wakes.iter().map(|&(tick, node)| (tick, node.into())).collect())
            }
        };
        Ok(Self {
            network: ElectionNetwork::Wired(experiment.wiring),
            ids: ElectionIds::Listed(experiment.ids),
            wakes,
            pace,
            seed: experiment.seed,
            event_limit: experiment.event_limit,
        })
    }

    /// Checks that the election is possible for an algorithm that needs `network` and `timing`.
    ///
    /// # Errors
    /// If it is not.
    pub fn check(&self, network: NetworkClass, timing: Timing) -> Result<(), Impossible> {
        let nodes = self.network.nodes();
        if !self.network.fits(network) {
            return Err(Unsuited::Network(network).into());
        }
        match self.ids {
            ElectionIds::Listed(ids) => Unsuited::check_ids(network, ids, nodes)?,
            ElectionIds::Computed(ids) if ids.nodes() == nodes => {}
            ElectionIds::Computed(ids) => {
                let ids = usize::try_from(ids.nodes()).unwrap_or(usize::MAX);
                return Err(Unsuited::Ids { ids, nodes }.into());
            }
        }
        let schedule = Schedule::Rounds(self.pace).to_string();
        if timing.in_rounds() && self.pace != Pace::Unit {
            return Err(Impossible::NotInRounds(schedule));
        }
        let together = |wakes: &Vec<_>| all_together(wakes, nodes);
        if timing == Timing::SimultaneousRounds && !self.wakes.as_ref().is_none_or(together) {
            return Err(Impossible::NotSimultaneous);
        }
        schedule.parse::<Schedule>()?;
        if let Some(wakes) = &self.wakes {
            if wakes.is_empty() {
                return Err(Unsuited::NoInitiator.into());
            }
            wakes.iter().try_for_each(|&(_, node)| Unsuited::check_node(node, nodes))?;
        }
        Ok(())
    }

    /// Returns whether its blocks may run ahead of each other at all: on a ring, where a message goes
    /// one node in a tick.
    pub(super) fn goes_ahead(&self) -> bool {
        self.pace == Pace::Unit && self.network.is_ring()
    }

    pub(super) fn delay(&self, nodes: &Range<u64>) -> Delay {
        let links = self.network.dense_links(nodes);
        let schedule = Schedule::Rounds(self.pace);
        Delay::new(&schedule, FifoMethod::Cheapest, true, links, self.seed)
    }

    /// Creates the processes of these nodes, and passes each on.
    pub(super) fn processes<P: Process>(&self, nodes: Range<u64>) -> impl Iterator<Item = P> {
        let size = Size(narrow(self.network.nodes()));
        let diameter = if P::Knows::DIAMETER { narrow(self.network.diameter()) } else { 0 };
        let multiplicity = match self.ids {
            ElectionIds::Listed(ids) if P::Knows::MULTIPLICITY => {
                Multiplicity::of(&mut ids.to_vec())
            }
            _ => Multiplicity::ONE,
        };
        nodes.map(move |node| {
            let (id, place) = (self.ids.of(node), Place(narrow(node)));
            let diameter = Diameter(diameter);
            let facts = Facts { id, size, place, diameter, multiplicity };
            P::new(P::Knows::of(&facts), self.network.degree(node))
        })
    }
}

fn narrow(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl ElectionNetwork<'_> {
    /// Returns the number of nodes.
    #[must_use]
    pub fn nodes(self) -> u64 {
        match self {
            Self::Wired(wiring) => wiring.nodes().into(),
            Self::Implicit(implicit) => implicit.nodes(),
            Self::Partial(partial) => partial.nodes(),
        }
    }

    /// Returns the number of links.
    #[must_use]
    pub fn links(self) -> u64 {
        match self {
            Self::Wired(wiring) => wiring.links(),
            Self::Implicit(implicit) => implicit.links(),
            Self::Partial(partial) => partial.links(),
        }
    }

    /// Returns the diameter. Takes the time that it takes on the network's type.
    #[must_use]
    pub fn diameter(self) -> u64 {
        match self {
            Self::Wired(wiring) => wiring.diameter().into(),
            Self::Implicit(implicit) => implicit.diameter(),
            Self::Partial(partial) => partial.diameter(),
        }
    }

    fn is_ring(self) -> bool {
        match self {
            Self::Wired(wiring) => {
                matches!(wiring.numbering(), Numbering::Ring | Numbering::RingShuffled(_))
            }
            Self::Implicit(implicit) => matches!(implicit.spec(), Spec::Ring { .. }),
            Self::Partial(_) => false,
        }
    }

    fn fits(self, class: NetworkClass) -> bool {
        match self {
            Self::Wired(wiring) => wiring.fits(class),
            Self::Implicit(implicit) => implicit.fits(class),
            Self::Partial(partial) => partial.fits(class),
        }
    }

    #[inline(always)]
    pub(super) fn degree(self, node: u64) -> u32 {
        match self {
            Self::Wired(wiring) => wiring.degree(node as u32),
            Self::Implicit(implicit) => implicit.degree(node),
            Self::Partial(partial) => partial.degree(node),
        }
    }

    #[inline(always)]
    pub(super) fn across(self, node: u64, port: Port) -> Option<(u64, Port)> {
        match self {
            Self::Wired(wiring) => {
                wiring.try_across(node as u32, port).map(|end| (end.node.into(), end.port))
            }
            Self::Implicit(implicit) => implicit.across(node, port),
            Self::Partial(partial) => partial.across(node, port),
        }
    }

    #[inline]
    pub(super) fn link(self, node: u64, port: Port) -> u64 {
        match self {
            Self::Wired(wiring) => wiring.link(node as u32, port),
            Self::Implicit(implicit) => implicit.link(node, port),
            Self::Partial(partial) => partial.link(node, port),
        }
    }

    /// Returns the numbers of the one-way links that leave these nodes, which are those of a block, if there are not
    /// too many for a table.
    fn dense_links(self, nodes: &Range<u64>) -> Option<Range<u64>> {
        let dense = match self {
            Self::Wired(wiring) => wiring.dense_links().is_some(),
            Self::Implicit(implicit) => implicit.dense_links().is_some(),
            Self::Partial(partial) => return Some(partial.links_of(nodes)),
        };
        dense.then(|| self.link(nodes.start, Port(0))..self.link(nodes.end, Port(0)))
    }
}

impl ElectionIds<'_> {
    /// Returns the identity of a node.
    ///
    /// # Panics
    /// May panic if there is no such node.
    #[inline]
    #[must_use]
    pub fn of(self, node: u64) -> Id {
        match self {
            Self::Listed(ids) => ids[node as usize],
            Self::Computed(ids) => ids.of(node),
        }
    }

    /// Returns the largest identity. Takes linear time where they are listed.
    #[must_use]
    pub fn largest(self) -> Id {
        match self {
            Self::Listed(ids) => ids.iter().copied().max().unwrap_or(Id::new(0)),
            Self::Computed(ids) => Id::new(ids.nodes()),
        }
    }
}
