//! The pace of messages: when they arrive, and the queue in which they wait.

use super::wires::{Way, Wires};
use crate::{node::Depths, rounds::Addressed};
use suffrage_model::End;

/// A message under way.
#[derive(Clone, Copy)]
pub(super) struct FastMessage<W, D, M> {
    pub way: W,
    pub mark: D,
    pub msg: M,
}

impl<W: Way, D: Copy, M: Copy> Addressed for FastMessage<W, D, M> {
    #[inline(always)]
    fn to(&self) -> End {
        self.way.end()
    }
}

/// When messages arrive, and what has to be remembered for their accounts: where every message takes one
/// tick, nothing, so that is what a pace does unless it says otherwise.
pub(super) trait MessagePace<W: Wires, M> {
    /// The part of a message for the accounts.
    type Mark: Copy;
    /// The data kept with a process: its causal depth, and the inputs of delays.
    type Depth: Depths;
    /// The buffer of messages that are being read.
    type Buffer: Default;
    /// Whether the peak of the messages under way is taken at the ends of ticks only.
    const PEAK_AT_ENDS: bool = false;

    fn push(
        &mut self,
        wires: W,
        from: End,
        serial: u32,
        depth: &mut Self::Depth,
        way: W::Way,
        msg: M,
    );

    /// Goes to the next tick at which messages arrive, after all of the present one have, and exchanges
    /// those that have been read for the first of them, in order. Returns their number; 0 if no
    /// message is under way.
    fn advance(&mut self, read: &mut Self::Buffer) -> usize;

    /// Exchanges messages of this tick that have been read for the next ones. Returns their number; 0 if
    /// there are none.
    fn more(&mut self, read: &mut Self::Buffer) -> usize;

    fn messages(read: &Self::Buffer, count: usize) -> &[FastMessage<W::Way, Self::Mark, M>];

    fn now(&self) -> u64;

    fn in_flight(&self, unread: usize) -> u64;

    /// Records that the message of this mark arrives.
    #[inline(always)]
    fn arrive(&mut self, _mark: Self::Mark) {}

    /// Updates the depth of a process that reacts to the message of this mark.
    #[inline(always)]
    fn deepen(_depth: &mut Self::Depth, _mark: Self::Mark) {}

    /// Prefetches what will be needed when this process sends.
    #[inline(always)]
    fn fetch(&self, _wires: W, _node: u32) {}

    fn rounds(&self) -> u64 {
        self.now()
    }

    /// Returns the causal depth from the tick of the last reaction to a message, if processes do
    /// not keep it.
    fn causal_depth(last_reaction: u64) -> u32 {
        last_reaction as u32
    }
}
