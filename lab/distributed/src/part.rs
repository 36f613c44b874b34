//! The part that is compiled for an algorithm: blocks of its processes.

use serde::{Serialize, de::DeserializeOwned};
use std::{io, ops::Range};
use suffrage_algorithms::{AlgorithmVisitor, Claimed, Claims};
use suffrage_model::{Process, Wire};
use suffrage_simulator::{
    Outcome,
    blocks::{
        Block, BlockLayout, ClockState, Election, RoundClock, Share, Stretch, ToCome, conclude,
    },
};

/// The functions that are compiled for each algorithm. The exchange of messages is not: it sees bytes.
#[derive(Clone, Copy)]
pub(crate) struct CompiledEngine {
    pub(crate) part: fn(&Election<'_>, BlockLayout, u32) -> Box<dyn DividedBlock>,
    pub(crate) conclude: fn(&Election<'_>, Option<&Claims>, RoundClock, Vec<Share>) -> Outcome,
}

pub(crate) struct Compiled;

impl AlgorithmVisitor for Compiled {
    type Output = CompiledEngine;

    fn visit<P: Claimed<Msg: Wire> + Serialize + DeserializeOwned>(self) -> CompiledEngine {
        CompiledEngine::of::<P>()
    }
}

impl CompiledEngine {
    pub(crate) fn of<P: Process<Msg: Wire> + Serialize + DeserializeOwned>() -> Self {
        Self {
            part: |election, layout, number| Box::new(Block::<P>::new(election, layout, number)),
            conclude: conclude::<P>,
        }
    }
}

/// A block of processes whose messages to other blocks are in their wire form.
pub(crate) trait DividedBlock {
    /// Runs a stretch of ticks, as [`Block::run_stretch`] does.
    fn run(&mut self, election: &Election<'_>, clock: &RoundClock, post: &mut Post<'_>) -> Stretch;

    /// Takes messages to the processes, as [`Block::accept`] does.
    fn accept(&mut self, tick: u64, bytes: &[u8]);

    /// Passes its state on in pieces, as [`Block::pieces`] does.
    fn save(&self, keep: &mut Keep<'_>) -> io::Result<()>;

    /// Takes up a piece, as [`Block::take_up`] does. Returns whether it can be read.
    fn take_up(&mut self, layout: BlockLayout, bytes: &[u8]) -> bool;

    /// Goes on from a moment, as [`Block::go_on`] does.
    fn go_on(&mut self, moment: &ClockState) -> ToCome;

    fn share(&self) -> Share;
}

/// What takes a piece of a block's state, with the nodes that it is about.
pub(crate) type Keep<'k> = dyn FnMut(Range<u64>, &[u8]) -> io::Result<()> + 'k;

/// What takes messages: the receiving block, the tick of their arrival, their wire form.
pub(crate) type Post<'p> = dyn FnMut(u32, u64, Vec<u8>) + 'p;

impl<P: Process<Msg: Wire> + Serialize + DeserializeOwned> DividedBlock for Block<P> {
    fn run(&mut self, election: &Election<'_>, clock: &RoundClock, post: &mut Post<'_>) -> Stretch {
        self.run_stretch(election, clock, &mut |to, tick, packets| {
            let bytes = packets.iter().fold(Vec::new(), |bytes, packet| {
                postcard::to_extend(packet, bytes).expect("a message of plain data has a wire form")
            });
            post(to, tick, bytes);
        })
    }

    fn accept(&mut self, tick: u64, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let taken = postcard::take_from_bytes(bytes);
            let (packet, rest) = taken.expect("workers send what they can read");
            Self::accept(self, tick, [packet]);
            bytes = rest;
        }
    }

    fn save(&self, keep: &mut Keep<'_>) -> io::Result<()> {
        self.pieces(&mut |nodes, piece| {
            keep(nodes, &postcard::to_stdvec(&piece).map_err(io::Error::other)?)
        })
    }

    fn take_up(&mut self, layout: BlockLayout, bytes: &[u8]) -> bool {
        match postcard::from_bytes(bytes) {
            Ok(piece) => Self::take_up(self, layout, piece),
            Err(_) => return false,
        }
        true
    }

    fn go_on(&mut self, moment: &ClockState) -> ToCome {
        Self::go_on(self, moment)
    }

    fn share(&self) -> Share {
        Self::share(self)
    }
}
