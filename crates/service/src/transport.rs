//! Transports between participants. A transport may lose, duplicate and reorder messages, and
//! sending never waits.

mod local;
mod mailbox;
pub(crate) mod quic;

pub use crate::engine::Doorway;
pub use crate::packet::Topic;
pub use local::{LocalNetwork, Weather};

use std::time::Duration;
use suffrage_process::recovery::Peer;

/// A message to be sent.
#[derive(Clone, Debug)]
pub struct Letter {
    /// The topic: a later letter to the same peer with the same topic replaces this one.
    pub topic: Topic,
    /// The message: at most 128 bytes.
    pub bytes: Vec<u8>,
}

/// A transport: the links of one participant to all others.
pub trait Transport: Send + Sync + 'static {
    /// Sends a letter, or loses it. Returns at once.
    fn send(&self, to: Peer, letter: Letter);

    /// Returns the links that exist, or should exist.
    fn links(&self) -> Vec<Link>;

    /// Returns the name of a peer, if it has introduced itself.
    fn name(&self, peer: Peer) -> Option<String>;

    /// Returns the peer of this name, if it has introduced itself.
    fn peer(&self, name: &str) -> Option<Peer>;

    /// Returns the number of refused connections.
    fn refused(&self) -> u64 {
        0
    }

    /// Closes the transport. Letters that were just sent may still leave.
    fn close(&self);
}

/// A link to another participant.
#[derive(Clone, Debug)]
pub struct Link {
    /// The other participant.
    pub peer: Peer,
    /// Whether it is connected.
    pub connected: bool,
    /// The negotiated version of the protocol.
    pub version: Option<u16>,
    /// The round-trip time.
    pub round_trip: Option<Duration>,
    /// Why it is not connected.
    pub trouble: Option<String>,
}
