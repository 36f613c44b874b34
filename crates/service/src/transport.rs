//! How participants reach each other: a transport may lose, double and reorder what it carries, and
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
    /// What it is about: a later letter to the same peer about the same makes it needless.
    pub topic: Topic,
    /// The message: at most 128 bytes.
    pub bytes: Vec<u8>,
}

/// The links of one participant to all others.
pub trait Transport: Send + Sync + 'static {
    /// Sends a letter, or loses it. Returns at once.
    fn send(&self, to: Peer, letter: Letter);

    /// The links that there are, or should be.
    fn links(&self) -> Vec<Link>;

    /// The name of a peer, if it has introduced itself.
    fn name(&self, peer: Peer) -> Option<String>;

    /// The peer of this name, if it has introduced itself.
    fn peer(&self, name: &str) -> Option<Peer>;

    /// How many connections were refused.
    fn refused(&self) -> u64 {
        0
    }

    /// Delivers and sends nothing any more, but for what was sent just now.
    fn close(&self);
}

/// A link to another participant.
#[derive(Clone, Debug)]
pub struct Link {
    /// The other participant.
    pub peer: Peer,
    /// Whether messages can be expected to pass.
    pub connected: bool,
    /// The version of the protocol that is spoken.
    pub version: Option<u16>,
    /// The time of a round trip.
    pub round_trip: Option<Duration>,
    /// Why it is not connected.
    pub trouble: Option<String>,
}
