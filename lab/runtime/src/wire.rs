//! The format of connections.
//!
//! A connection is a sequence of frames: a length of four bytes, little-endian, and as many bytes.
//! The first frame in each direction begins with `SFRG` and the version of the protocol in two
//! bytes, followed by a [`LinkHello`] from the dialling side and an [`LinkAnswer`] from the other. Each
//! later frame is a [`LinkFrame`]. All are encoded by `postcard`.
//!
//! Certificates and limits on strangers are those of `suffrage-net`. The greeting is not: it also resumes a link, with
//! incarnations and numbers of payloads, which no other connection has.

use crate::membership::MembershipDigest;
use bytes::{Buf, BufMut, Bytes, BytesMut};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use suffrage_model::Id;

/// The version of the protocol. Nodes of different versions refuse each other.
pub const VERSION: u16 = 2;

/// The maximal length of a first frame, in bytes.
pub const LONGEST_GREETING: usize = 512;

/// A frame after the greetings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkFrame<'a> {
    /// The payload of this number; the first on a link has number 0.
    Payload {
        /// Its number.
        number: u64,
        /// The message of the algorithm or of the engine.
        #[serde(borrow)]
        bytes: &'a [u8],
    },
    /// All payloads before this number have reached the process.
    Taken(u64),
    /// A heartbeat.
    Beat,
    /// The sender leaves, and does not reconnect.
    Bye {
        /// Whether all are known to have halted.
        certain: bool,
    },
}

/// An error: bytes are not those of a peer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// A frame is longer than the limit.
    #[error("a frame of {length} bytes, where {limit} are the most")]
    TooLong {
        /// The announced length, in bytes.
        length: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The bytes are no frame.
    #[error("{0} bytes that are no frame")]
    Garbage(usize),
    /// The first frame is of another protocol.
    #[error("it does not speak this protocol")]
    Foreign,
    /// The first frame is of another version.
    #[error("it speaks version {0} of the protocol, and this node version {VERSION}")]
    Version(u16),
}

impl<'a> LinkFrame<'a> {
    /// Decodes a frame.
    ///
    /// # Errors
    /// If the bytes are no frame, or more than one.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, WireError> {
        decoded(bytes).ok_or(WireError::Garbage(bytes.len()))
    }
}

/// Decodes a value that takes all of the bytes.
fn decoded<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<T> {
    let (value, rest) = postcard::take_from_bytes(bytes).ok()?;
    rest.is_empty().then_some(value)
}

/// Splits off the next frame, once it is complete. No memory is allocated for an announced frame
/// that does not arrive.
///
/// # Errors
/// If the next frame is longer than `limit`.
pub fn take_frame(buffer: &mut BytesMut, limit: usize) -> Result<Option<Bytes>, WireError> {
    let Some((prefix, rest)) = buffer.split_first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_le_bytes(*prefix) as usize;
    if length > limit {
        return Err(WireError::TooLong { length, limit });
    }
    if rest.len() < length {
        return Ok(None);
    }
    buffer.advance(4);
    Ok(Some(buffer.split_to(length).freeze()))
}

/// Appends a frame: the bytes of `head`, then an encoded value.
pub(crate) fn put_frame(out: &mut BytesMut, head: &[u8], value: &impl Serialize) {
    let start = out.len();
    out.put_u32_le(0);
    out.put_slice(head);
    // Frames and greetings are plain data, whose encoding cannot fail.
    let written = postcard::to_extend(value, Extender(out)).is_ok();
    debug_assert!(written);
    let length = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

/// Implements postcard's trait for `BytesMut`.
struct Extender<'a>(&'a mut BytesMut);

impl Extend<u8> for Extender<'_> {
    fn extend<T: IntoIterator<Item = u8>>(&mut self, bytes: T) {
        self.0.extend(bytes);
    }
}

const MAGIC: [u8; 4] = *b"SFRG";

/// The greeting of the dialling node: its identity and its membership.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkHello {
    /// The name of the cluster.
    pub cluster: String,
    /// The algorithm.
    pub algorithm: String,
    /// The digest of the network and the identities.
    pub digest: MembershipDigest,
    /// The node that has dialled, and its port.
    pub from: (u32, u32),
    /// The node that was dialled, and its port.
    pub to: (u32, u32),
    /// A number that the process drew when it started.
    pub incarnation: u64,
    /// The last known incarnation of the other end, if the link was ever up.
    pub expects: Option<u64>,
    /// The number of the last known connection of this link, 0 for none.
    pub last: u32,
    /// The number of payloads received over this link.
    pub received: u64,
    /// The maximal number of payloads that are held until the process takes them.
    pub window: u32,
}

/// The answer to a [`LinkHello`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkAnswer {
    /// The link is up.
    Welcome(LinkWelcome),
    /// Both sides have dialled, and the connection of the answering side counts.
    Crossed,
    /// The link is refused.
    Refused(Refusal),
}

/// The answer of a node that admits the other one: the state from which the link resumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkWelcome {
    /// As in [`LinkHello`].
    pub incarnation: u64,
    /// The number of this connection.
    pub connection: u32,
    /// As in [`LinkHello`].
    pub received: u64,
    /// As in [`LinkHello`].
    pub window: u32,
}

/// The reason why a node refuses another one, with the value of the refusing side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Refusal {
    /// The clusters have different names.
    #[error("the cluster is called `{}` there", .0.escape_debug())]
    Cluster(String),
    /// The nodes run different algorithms.
    #[error("the algorithm is {} there", .0.escape_debug())]
    Algorithm(String),
    /// Networks or identities differ.
    #[error("it knows another network, or other ids (digest {0:?} there)")]
    Network(MembershipDigest),
    /// Dialler and dialled node are not the two ends of one link.
    #[error("node {0} is there, or the network has another link")]
    Who(Id),
    /// The certificate is another node's.
    #[error("the certificate is not that of the node in this cluster")]
    Certificate,
    /// The link was up with an earlier incarnation.
    #[error("this process was restarted and has forgotten its part in the election")]
    Restarted,
    /// The numbers of the link do not fit.
    #[error("the link cannot be resumed: more was received than was sent")]
    Numbers,
}

pub(crate) fn greeting(out: &mut BytesMut, value: &impl Serialize) {
    let [low, high] = VERSION.to_le_bytes();
    let [a, b, c, d] = MAGIC;
    put_frame(out, &[a, b, c, d, low, high], value);
}

/// Decodes a first frame.
///
/// # Errors
/// If it is not one, or one of another version.
pub fn read_greeting<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, WireError> {
    let Some((head, rest)) = bytes.split_first_chunk::<6>() else {
        return Err(WireError::Foreign);
    };
    let [a, b, c, d, low, high] = *head;
    if [a, b, c, d] != MAGIC {
        return Err(WireError::Foreign);
    }
    match u16::from_le_bytes([low, high]) {
        VERSION => decoded(rest).ok_or(WireError::Foreign),
        other => Err(WireError::Version(other)),
    }
}

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
    pub(crate) fn from_bytes(bytes: &'a [u8]) -> Option<Self> {
        decoded(bytes)
    }
}

#[cfg(test)]
mod tests;
