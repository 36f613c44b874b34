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
    /// Sent up the tree: all processes of the subtree have halted, and no message that they have
    /// sent is in transit.
    Halted,
    /// Sent down the tree: the receiver may leave.
    Released {
        /// Whether all are known to have halted. False if the sender could not reach its own parent
        /// any more.
        certain: bool,
    },
}

impl<M: Serialize> Payload<M> {
    pub(crate) fn to_bytes(&self) -> Box<[u8]> {
        // Only a hand-written `Serialize` can fail; such a message cannot be sent at all.
        postcard::to_stdvec(self).unwrap_or_default().into()
    }
}

impl<'a, M: Deserialize<'a>> Payload<M> {
    /// Decodes a payload, which must span all of the bytes.
    pub(crate) fn from_bytes(bytes: &'a [u8]) -> Option<Self> {
        match postcard::take_from_bytes(bytes) {
            Ok((payload, [])) => Some(payload),
            _ => None,
        }
    }
}
