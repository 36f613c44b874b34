//! An election in rounds in parts: blocks of processes, which any engine may run wherever it wants.
//!
//! A [`Block`] has the processes of a range of nodes. It runs a tick at a time, and hands its messages
//! out by the block of their receivers. A [`RoundClock`] says which tick is next, from the [`Account`]s of
//! all blocks; each place that has blocks may have its own. When it says that the election is over,
//! [`conclude`] makes of the [`Share`]s of all blocks the [`Outcome`](crate::Outcome) that a
//! [`Simulator`](crate::Simulator) gives under the same
//! [`Schedule::Rounds`](crate::Schedule::Rounds): the same, whatever the number of blocks.
//!
//! ```
//! use suffrage_algorithms::{Algorithm, Announced, ring};
//! use suffrage_simulator::blocks::{Block, RoundClock, Election, BlockLayout, BlockMessage, conclude};
//! use suffrage_simulator::{Experiment, Pace, Schedule, Simulator};
//! use suffrage_networks::{Ids, wiring::Wiring};
//!
//! type ChangRoberts = Announced<ring::ChangRoberts>;
//!
//! let (ring, ids) = (Wiring::ring(100), Ids::Random.assign(100, 7));
//! let schedule = Schedule::Rounds(Pace::Unit);
//! let experiment = Experiment { schedule, ..Experiment::new(&ring, &ids) };
//! let election = Election::of(&experiment)?;
//! let layout = BlockLayout::new(&election, 3)?;
//! let mut blocks: Vec<Block<ChangRoberts>> =
//!     (0..3).map(|number| Block::new(&election, layout, number)).collect();
//! let mut clock = RoundClock::new(&election, layout);
//! while clock.tick().is_some() {
//!     let mut sent: Vec<(u32, u64, Vec<BlockMessage<_>>)> = Vec::new();
//!     let accounts: Vec<_> = blocks
//!         .iter_mut()
//!         .map(|block| block.run(&election, &clock, &mut |to, at, packets| sent.push((to, at, packets))))
//!         .collect();
//!     for (to, at, packets) in sent {
//!         blocks[to as usize].accept(at, packets);
//!     }
//!     clock.advance(accounts)?;
//! }
//! let algorithm = Algorithm::named("chang-roberts").ok_or("no such algorithm")?;
//! let shares = blocks.iter().map(|block| block.share()).collect();
//! let outcome = conclude::<ChangRoberts>(&election, Some(&algorithm.claims), clock, shares);
//! assert_eq!(outcome, Simulator::of(algorithm, experiment).run()?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block;
mod clock;
mod election;
mod lookahead;
mod outbox;
mod share;
mod state;
mod wakes;

pub use block::Block;
pub use clock::{Account, ClockState, Overrun, RoundClock};
pub use election::{Election, ElectionIds, ElectionNetwork, Indivisible};
pub use lookahead::Stretch;
pub use share::{Share, conclude};
pub use state::{Piece, ToCome};

use serde::{Deserialize, Serialize};
use std::ops::Range;
use suffrage_networks::parts::block_width;

/// A message under way between blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockMessage<M> {
    /// The receiver's number in its block.
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
pub struct BlockLayout {
    nodes: u64,
    blocks: u32,
    width: u64,
}

impl BlockLayout {
    /// Divides the nodes of an election into `blocks` blocks. The last ones may be empty.
    ///
    /// # Errors
    /// If there are too many for as many blocks: 2^32 - 2 are possible in each; or if the network was
    /// read in another number of parts.
    ///
    /// # Panics
    /// If `blocks` is 0.
    pub fn new(election: &Election<'_>, blocks: u32) -> Result<Self, Indivisible> {
        let nodes = election.network.nodes();
        let width = block_width(nodes, blocks);
        if width >= u32::MAX.into() {
            return Err(Indivisible::Wide { nodes, blocks });
        }
        if let ElectionNetwork::Partial(partial) = election.network
            && partial.parts() != blocks
        {
            return Err(Indivisible::Parts { parts: partial.parts(), blocks });
        }
        Ok(Self { nodes, blocks, width })
    }

    /// Returns the number of blocks.
    #[must_use]
    pub const fn blocks(self) -> u32 {
        self.blocks
    }

    /// Returns the nodes of a block.
    #[must_use]
    pub fn range(self, block: u32) -> Range<u64> {
        let start = |block: u32| (u64::from(block) * self.width).min(self.nodes);
        start(block)..start(block + 1)
    }

    #[inline(always)]
    const fn place(self, node: u64) -> (u32, u32) {
        ((node / self.width) as u32, (node % self.width) as u32)
    }
}

/// The place and time of an arrival, in the order of rounds: its tick, its receiver, the port.
type Arrival = (u64, u64, u32);
