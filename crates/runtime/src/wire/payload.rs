//! The payload of a reliable link.

use serde::{Deserialize, Serialize};

/// A message of the algorithm, or one of the engine about the end of the election.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Payload<M> {
    /// A message of the algorithm.
    Message {
        /// The length of the longest chain of messages that ends in this one.
        depth: u32,
        msg: M,
    },
    /// Up the tree: the process has halted, so have all below it, and nothing that they have sent
    /// is still under way.
    Halted,
    /// Down the tree: the receiver may leave.
    Released {
        /// All have halted. False if the sender does not know, because it could not reach its own
        /// parent any more.
        certain: bool,
    },
}

impl<M: Serialize> Payload<M> {
    pub(crate) fn to_bytes(&self) -> Box<[u8]> {
        // Only a `Serialize` of a user's own can fail, and such a message cannot be sent at all.
        postcard::to_stdvec(self).unwrap_or_default().into()
    }
}

impl<'a, M: Deserialize<'a>> Payload<M> {
    /// Reads a payload; `None` where the bytes are none, or more than one.
    pub(crate) fn from_bytes(bytes: &'a [u8]) -> Option<Self> {
        match postcard::take_from_bytes(bytes) {
            Ok((payload, [])) => Some(payload),
            _ => None,
        }
    }
}
