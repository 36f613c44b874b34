//! An election in rounds in parts: blocks of processes, which any engine may run wherever it wants.
//!
//! A [`Block`] has the processes of a range of nodes. It runs a tick at a time, and hands its messages
//! out by the block of their receivers. A [`Clock`] says which tick is next, from the [`Account`]s of
//! all blocks; each place that has blocks may have its own. When it says that the election is over,
//! [`conclude`] makes of the [`Share`]s of all blocks the [`Outcome`](crate::Outcome) that a
//! [`Simulator`](crate::Simulator) gives under the same [`Schedule::Rounds`]: the same, whatever the
//! number of blocks.
//!
//! ```
//! use suffrage_algorithms::{Algorithm, Announced, ring};
//! use suffrage_simulator::blocks::{Block, Clock, Layout, Packet, conclude};
//! use suffrage_simulator::{Experiment, Pace, Schedule, Simulator};
//! use suffrage_topology::{Ids, wiring::Wiring};
//!
//! type ChangRoberts = Announced<ring::ChangRoberts>;
//!
//! let (ring, ids) = (Wiring::ring(100), Ids::Random.assign(100, 7));
//! let schedule = Schedule::Rounds(Pace::Unit);
//! let experiment = Experiment { schedule, ..Experiment::new(&ring, &ids) };
//! let layout = Layout::new(&experiment, 3)?;
//! let mut blocks: Vec<Block<ChangRoberts>> =
//!     (0..3).map(|number| Block::new(&experiment, layout, number)).collect();
//! let mut clock = Clock::new(&experiment, layout);
//! while clock.tick().is_some() {
//!     let mut sent: Vec<(u32, u64, Vec<Packet<_>>)> = Vec::new();
//!     let accounts: Vec<_> = blocks
//!         .iter_mut()
//!         .map(|block| block.run(&experiment, &clock, &mut |to, at, packets| sent.push((to, at, packets))))
//!         .collect();
//!     for (to, at, packets) in sent {
//!         blocks[to as usize].accept(at, packets);
//!     }
//!     clock.advance(accounts);
//! }
//! let algorithm = Algorithm::named("chang-roberts").ok_or("no such algorithm")?;
//! let shares = blocks.iter().map(|block| block.share(&ids)).collect();
//! let outcome = conclude::<ChangRoberts>(&experiment, Some(&algorithm.claims), clock, shares);
//! assert_eq!(outcome, Simulator::of(algorithm, experiment).run()?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block;
mod clock;
mod outbox;
mod share;

pub use block::Block;
pub use clock::{Account, Clock};
pub use share::{Share, conclude};

use crate::{Experiment, FifoMethod, Impossible, Schedule};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use suffrage_process::{NetworkClass, Timing};

/// A message under way between blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packet<M> {
    /// The receiver.
    node: u32,
    /// Its port.
    port: u32,
    /// The causal depth, and in the highest bit the mark for the count of rounds.
    depth: u32,
    msg: M,
}

/// The division of the nodes into blocks: as many neighbouring nodes in each as in the others, but in
/// the last ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    nodes: u32,
    blocks: u32,
    width: u32,
}

impl Layout {
    /// Divides the nodes of an experiment into `blocks` blocks, of which the last ones may be empty.
    ///
    /// # Errors
    /// If the experiment cannot be divided.
    ///
    /// # Panics
    /// If `blocks` is 0.
    pub fn new(experiment: &Experiment<'_>, blocks: u32) -> Result<Self, Indivisible> {
        match experiment {
            Experiment { schedule: Schedule::Rounds(_), .. } => {}
            Experiment { schedule, .. } => return Err(Indivisible::Schedule(schedule.to_string())),
        }
        if let Some(fault) = experiment.faults.first() {
            return Err(Indivisible::Fault(fault.to_string()));
        }
        if experiment.capacity.is_some() || experiment.fifo != FifoMethod::Cheapest {
            return Err(Indivisible::Queues);
        }
        let nodes = experiment.wiring.nodes();
        Ok(Self { nodes, blocks, width: nodes.div_ceil(blocks).max(1) })
    }

    /// Checks that an experiment is possible for an algorithm that needs `network` and `timing`.
    ///
    /// # Errors
    /// If it is not.
    pub fn check(
        experiment: &Experiment<'_>,
        network: NetworkClass,
        timing: Timing,
    ) -> Result<(), Impossible> {
        experiment.check(network, timing)
    }

    /// Returns the number of blocks.
    #[must_use]
    pub const fn blocks(self) -> u32 {
        self.blocks
    }

    /// Returns the nodes of a block.
    #[must_use]
    pub fn range(self, block: u32) -> Range<u32> {
        let start = |block: u32| {
            let start = u64::from(block) * u64::from(self.width);
            u32::try_from(start).unwrap_or(u32::MAX).min(self.nodes)
        };
        start(block)..start(block + 1)
    }

    /// Returns the block of a node.
    const fn of(self, node: u32) -> u32 {
        node / self.width
    }
}

/// An error: an experiment cannot be divided into blocks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Indivisible {
    /// The order of the schedule is not that of rounds.
    #[error(
        "under the schedule `{0}` the order of a tick depends on all processes at once; choose \
         rounds, rounds:uniform:D or rounds:per-link:D"
    )]
    Schedule(String),
    /// There is a fault.
    #[error("fault `{0}`: faults are for one worker")]
    Fault(String),
    /// Links are bounded, or their queues are kept.
    #[error("links that hold a bounded number of messages are for one worker")]
    Queues,
}

/// The place and time of an arrival, in the order of rounds: its tick, its receiver, the port.
type Arrival = (u64, u32, u32);
