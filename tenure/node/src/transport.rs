//! Transports between participants. A transport may lose, duplicate and reorder messages, and
//! sending never waits.

mod local;
pub(crate) mod mailbox;
pub(crate) mod quic;

use crate::membership::ClusterMembers;
use crate::packet::LONGEST;
pub use crate::packet::Topic;
use crate::roster::RosterHost;
use crate::status::PeerStatus;
pub use local::{LinkFaults, LocalNetwork};
use quic::{Conversation, Conversations, ReleaseTicket};
use std::fmt;
use std::sync::Arc;
use tenure_model::Peer;

/// The sink to which a [`ParticipantTransport`] delivers messages. Clones refer to the same one.
#[derive(Clone)]
pub struct MessageSink(Arc<Deliver>);

type Deliver = dyn Fn(Peer, &[u8]) + Send + Sync;

impl MessageSink {
    /// Creates a sink that calls `deliver` with the sender and the bytes of each message. It should
    /// return at once, and may drop messages.
    #[must_use]
    pub fn new(deliver: impl Fn(Peer, &[u8]) + Send + Sync + 'static) -> Self {
        Self(Arc::new(deliver))
    }

    /// Delivers a message. The transport vouches for `from`. Never waits: when too many messages of
    /// this peer wait, this one is dropped.
    pub fn deliver(&self, from: Peer, bytes: &[u8]) {
        if bytes.len() <= LONGEST {
            self.0(from, bytes);
        }
    }
}

impl fmt::Debug for MessageSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MessageSink")
    }
}

/// A message to be sent.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// The topic: a later envelope to the same peer with the same topic replaces this one.
    pub topic: Topic,
    /// The message: at most 128 bytes.
    pub bytes: Vec<u8>,
}

/// A transport: the links of one participant to all others.
pub trait ParticipantTransport: Send + Sync + 'static {
    /// Sends an envelope, or loses it. Returns at once.
    fn send(&self, to: Peer, envelope: Envelope);

    /// Returns the links that exist, or should exist, as far as the transport knows them.
    fn links(&self) -> Vec<PeerStatus> {
        Vec::new()
    }

    /// Returns the name of a peer, if it has introduced itself.
    fn name(&self, peer: Peer) -> Option<String> {
        let _ = peer;
        None
    }

    /// Returns the peer of this name, if it has introduced itself.
    fn peer(&self, name: &str) -> Option<Peer> {
        let _ = name;
        None
    }

    /// Returns the number of refused connections.
    fn refused(&self) -> u64 {
        0
    }

    /// Returns what an operator should know, such as that certificates end soon.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Adds a warning about a part of the program, in place of the earlier one; or takes it back.
    fn warn_of(&self, _about: &'static str, _warning: Option<String>) {}

    /// Counts and tells that a task in the background has panicked, and is begun again.
    fn panicked(&self, _task: &'static str, _message: &str) {}

    /// Returns when the certificate of this participant ends, in seconds since 1970.
    fn certificate_end(&self) -> Option<u64> {
        None
    }

    /// Returns how often a task in the background has panicked, and was begun again.
    fn panics(&self) -> u64 {
        0
    }

    /// Returns what a [`CrashNotifier`](crate::CrashNotifier) has to know of this participant; `None` if there can
    /// be no crash notifier.
    fn release_ticket(&self) -> Option<ReleaseTicket> {
        None
    }

    /// Draws another number for this participant, which has it from then on; `None` if its number
    /// is fixed.
    fn renumber(&self) -> Option<Peer> {
        None
    }

    /// Returns the conversations that begin with this participant; `None` if there can be none, or they were asked for
    /// before.
    fn conversations(&self) -> Option<Conversations> {
        None
    }

    /// Begins a conversation with this participant. Returns whether its program answers it.
    fn begin(&self, conversation: Conversation) -> bool {
        drop(conversation);
        false
    }

    /// Takes these for the members from now on.
    fn use_members(&self, membership: &ClusterMembers) {
        let _ = membership;
    }

    /// Returns the hosts that wait to be added as members, as they have told this participant.
    fn waiting(&self) -> Vec<RosterHost> {
        Vec::new()
    }

    /// Closes the transport. Envelopes that were just sent may still leave.
    fn close(&self);
}
