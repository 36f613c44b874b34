//! The links of a member, which end in the world.

use crate::world::WaitingHosts;
use std::sync::{Arc, Mutex, PoisonError};
use tenure_model::Peer;
use tenure_node::RosterHost;
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
    pub(crate) waiting: WaitingHosts,
    pub(crate) outbox: Outbox,
}

impl ParticipantTransport for WorldLinks {
    fn send(&self, to: Peer, envelope: Envelope) {
        let mut all = self.outbox.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push((to, envelope.bytes));
    }

    fn waiting(&self) -> Vec<RosterHost> {
        self.waiting.all()
    }

    fn close(&self) {}
}
