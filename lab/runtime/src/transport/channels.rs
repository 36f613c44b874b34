//! Links inside one process: bounded queues.

use crate::error::ElectionError;
use crate::membership::Membership;
use crate::transport::{LinkEvent, LinkTransport, Receipt};
use crate::window::{LinkRoom, Ticket, Traffic, UnderWay};
use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;
use suffrage_model::{Id, Port};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The links of one node to others of the same process.
///
/// Every node has one inbox. It is bounded by the capacity of the links that lead to it: a link
/// holds `capacity` messages in each direction, and a node that sends one more waits until one of
/// them is taken.
pub(crate) struct Channels {
    hub: Arc<ChannelHub>,
    node: u32,
    inbox: Inbox,
    /// The room of each link that was used.
    rooms: BTreeMap<Port, LinkRoom>,
    under_way: Arc<UnderWay>,
    failures: UnboundedSender<ElectionError>,
}

/// The ends of all links.
pub(crate) struct ChannelHub {
    membership: Arc<Membership>,
    capacity: u32,
    inboxes: Vec<UnboundedSender<LinkEvent<ChannelReceipt>>>,
}

pub(crate) type Inbox = UnboundedReceiver<LinkEvent<ChannelReceipt>>;

/// The receipt for a payload. The sender is notified if it is dropped with the payload in the inbox
/// of a node that is gone.
pub(crate) struct ChannelReceipt {
    ticket: Option<Ticket>,
    to: Id,
    failures: UnboundedSender<ElectionError>,
}

impl Receipt for ChannelReceipt {
    fn taken(mut self) {
        if let Some(ticket) = self.ticket.take() {
            ticket.taken();
        }
    }
}

impl Drop for ChannelReceipt {
    fn drop(&mut self) {
        if self.ticket.is_some() {
            let _ = self.failures.send(ElectionError::Dropped(self.to));
        }
    }
}

impl ChannelHub {
    /// Creates links of this capacity, and an inbox for each node.
    pub(crate) fn new(membership: Arc<Membership>, capacity: u32) -> (Self, Vec<Inbox>) {
        let (inboxes, ends) = (0..membership.nodes()).map(|_| unbounded_channel()).unzip();
        (Self { membership, capacity, inboxes }, ends)
    }

    pub(crate) fn links(
        self: Arc<Self>,
        node: u32,
        inbox: Inbox,
        traffic: Option<Arc<Traffic>>,
        failures: UnboundedSender<ElectionError>,
    ) -> Channels {
        let (rooms, under_way) = (BTreeMap::new(), UnderWay::within(traffic));
        Channels { hub: self, node, inbox, rooms, under_way, failures }
    }
}

impl LinkTransport for Channels {
    type Receipt = ChannelReceipt;

    async fn send(&mut self, port: Port, bytes: Box<[u8]>) {
        let ChannelHub { membership, capacity, inboxes } = &*self.hub;
        let room = self.rooms.entry(port).or_insert_with(|| LinkRoom::of(*capacity));
        let ticket = room.enter(&self.under_way).await;
        let end = membership.wiring().across(self.node, port);
        let to = membership.ids()[end.node as usize];
        let receipt = ChannelReceipt { ticket: Some(ticket), to, failures: self.failures.clone() };
        // A parcel that cannot be delivered notifies the sender when it is dropped.
        let arrival = LinkEvent::Arrival { port: end.port, bytes, receipt };
        let _ = inboxes[end.node as usize].send(arrival);
    }

    async fn receive(&mut self) -> LinkEvent<ChannelReceipt> {
        match self.inbox.recv().await {
            Some(event) => event,
            None => pending().await, // Unreachable while this node holds a sender itself.
        }
    }

    fn under_way(&self) -> &Arc<UnderWay> {
        &self.under_way
    }

    fn open(&self, _: Port) {}

    fn connects(&self) -> bool {
        false
    }

    fn opened(&self) -> usize {
        self.rooms.len()
    }

    async fn leave(self, _certain: bool) {}
}
