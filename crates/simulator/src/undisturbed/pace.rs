//! The pace of messages: when they arrive, and the queue in which they wait.

use super::Wires;
use crate::node::Depths;
use suffrage_process::End;

/// The number of messages for which the receiving processes are fetched at once.
pub(super) const AHEAD: usize = 32;

/// A message under way.
#[derive(Clone, Copy)]
pub(super) struct Event<W, D, M> {
    pub way: W,
    pub mark: D,
    pub msg: M,
}

/// When messages arrive, and what has to be remembered for their accounts.
pub(super) trait Pace<W: Wires, M> {
    /// What a message carries for the accounts.
    type Mark: Copy;
    /// What a process keeps of its causal depth.
    type Depth: Depths;

    /// Adds a message that is sent now.
    fn push(&mut self, wires: W, from: End, serial: u32, depth: Self::Depth, way: W::Way, msg: M);

    /// Goes to the next tick at which messages arrive, after all of the present one have been
    /// taken. Returns `None` if there is none.
    fn advance(&mut self) -> Option<u64>;

    /// Makes messages of this tick ready, at most `most`, and returns their number; 0 if all have
    /// been taken. All of them must be taken before the next call.
    fn ready(&mut self, most: usize) -> usize;

    /// Returns the `count` messages that are ready.
    fn soon(&self, count: usize) -> &[Event<W::Way, Self::Mark, M>];

    /// Takes the next message that is ready, if one is left.
    fn pop(&mut self) -> Option<Event<W::Way, Self::Mark, M>>;

    /// Returns the number of messages under way.
    fn in_flight(&self) -> u64;

    /// Records that the message of this mark arrives.
    fn arrive(&mut self, mark: Self::Mark);

    /// Updates the depth of a process that reacts to the message of this mark.
    fn deepen(depth: &mut Self::Depth, mark: Self::Mark);

    /// Reads what will be needed when this process sends, and returns a part of it.
    fn fetch(&self, wires: W, node: u32) -> u32;

    /// Returns the number of [`Rounds`](suffrage_algorithms::Rounds).
    fn rounds(&self) -> u64;

    /// Returns the causal depth as far as processes do not keep it, from the tick of the last
    /// reaction to a message.
    fn causal_depth(last_reaction: u64) -> u32;
}
