//! How a member reaches others in the world: by links of its own. The world knows the hosts that wait to be added.

use crate::world::WaitingHosts;
use tenure_model::Peer;
use tenure_node::testing::SteppedLinks;
use tenure_node::transport::{Envelope, ParticipantTransport};
use tenure_node::{ClusterMembers, RosterHost};

pub(crate) struct WorldLinks {
    pub(crate) waiting: WaitingHosts,
    pub(crate) links: SteppedLinks,
}

impl ParticipantTransport for WorldLinks {
    fn send(&self, to: Peer, envelope: Envelope) {
        self.links.send(to, envelope);
    }

    fn use_members(&self, membership: &ClusterMembers) {
        self.links.use_members(membership);
    }

    fn waiting(&self) -> Vec<RosterHost> {
        self.waiting.all()
    }

    fn close(&self) {}
}
