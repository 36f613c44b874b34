//! The links of a member, which end in the world.

use std::sync::{Arc, Mutex, PoisonError};
use tenure_model::Peer;
use tenure_node::status::PeerStatus;
use tenure_node::transport::{Envelope, ParticipantTransport};

type Mail = Vec<(Peer, Vec<u8>)>;

/// What a member has sent, and the world has not taken.
#[derive(Clone, Default)]
pub(crate) struct Outbox(Arc<Mutex<Mail>>);

impl Outbox {
    pub(crate) fn take(&self) -> Mail {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

pub(crate) struct WorldLinks {
    pub(crate) names: Vec<String>,
    pub(crate) outbox: Outbox,
}

impl ParticipantTransport for WorldLinks {
    fn send(&self, to: Peer, envelope: Envelope) {
        let mut all = self.outbox.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push((to, envelope.bytes));
    }

    fn links(&self) -> Vec<PeerStatus> {
        Vec::new()
    }

    fn name(&self, peer: Peer) -> Option<String> {
        self.names.get(peer.0 as usize).cloned()
    }

    fn peer(&self, name: &str) -> Option<Peer> {
        self.names.iter().position(|other| other == name).map(|number| Peer(number as u32))
    }

    fn close(&self) {}
}
