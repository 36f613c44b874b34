//! What one node tells another over a reliable link.

use serde::{Deserialize, Serialize};

/// A message of the algorithm, or a word of the engine about the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Cargo<M> {
    /// A message of the algorithm.
    Message {
        /// The length of the longest chain of messages that ends in this one.
        depth: u32,
        msg: M,
    },
    /// Up the tree: the process has halted, so have all below it, and nothing that they have sent
    /// is still under way.
    Halted,
    /// Down the tree: all have halted.
    Released,
}

impl<M: Serialize> Cargo<M> {
    pub(crate) fn to_bytes(&self) -> Box<[u8]> {
        // Only a `Serialize` of a user's own can fail, and such a message cannot be sent at all.
        postcard::to_stdvec(self).unwrap_or_default().into()
    }
}

impl<'a, M: Deserialize<'a>> Cargo<M> {
    /// Reads a cargo; `None` where the bytes are none, or more than one.
    pub(crate) fn from_bytes(bytes: &'a [u8]) -> Option<Self> {
        match postcard::take_from_bytes(bytes) {
            Ok((cargo, [])) => Some(cargo),
            _ => None,
        }
    }
}
