//! Links inside one process: bounded queues.

use super::{Event, Transport};
use crate::cluster::Cluster;
use crate::error::ElectionError;
use crate::window::{Room, Ticket, Traffic, UnderWay};
use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;
use suffrage_process::Port;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The links of one node to others of the same process.
///
/// Every node has one inbox. It is bounded by the room of the links that lead to it: a link holds
/// `capacity` messages each way, and whoever sends one more waits until one of them is taken.
pub(crate) struct Channels {
    cluster: Arc<Cluster>,
    node: u32,
    capacity: u32,
    inboxes: Arc<[UnboundedSender<Event<Ticket>>]>,
    inbox: UnboundedReceiver<Event<Ticket>>,
    /// The room of each link that was used.
    rooms: BTreeMap<Port, Room>,
    under_way: Arc<UnderWay>,
    failures: UnboundedSender<ElectionError>,
}

/// The ends of all links, before nodes take them.
pub(crate) struct Hub {
    cluster: Arc<Cluster>,
    capacity: u32,
    inboxes: Arc<[UnboundedSender<Event<Ticket>>]>,
}

pub(crate) type Inbox = UnboundedReceiver<Event<Ticket>>;

impl Hub {
    /// Links of this capacity, and an inbox for each node.
    pub(crate) fn new(cluster: Arc<Cluster>, capacity: u32) -> (Self, Vec<Inbox>) {
        let (inboxes, ends): (Vec<_>, Vec<_>) =
            (0..cluster.nodes()).map(|_| unbounded_channel()).unzip();
        (Self { cluster, capacity, inboxes: inboxes.into() }, ends)
    }

    pub(crate) fn links(
        &self,
        node: u32,
        inbox: Inbox,
        traffic: Option<Arc<Traffic>>,
        failures: UnboundedSender<ElectionError>,
    ) -> Channels {
        Channels {
            cluster: self.cluster.clone(),
            node,
            capacity: self.capacity,
            inboxes: self.inboxes.clone(),
            inbox,
            rooms: BTreeMap::new(),
            under_way: UnderWay::within(traffic),
            failures,
        }
    }
}

impl Transport for Channels {
    type Receipt = Ticket;

    async fn send(&mut self, port: Port, bytes: Box<[u8]>) {
        let room = self.rooms.entry(port).or_insert_with(|| Room::of(self.capacity));
        let receipt = room.enter(&self.under_way).await;
        let end = self.cluster.wiring().across(self.node, port);
        let arrival = Event::Arrival { port: end.port, bytes, receipt };
        if self.inboxes[end.node as usize].send(arrival).is_err() {
            let id = self.cluster.ids()[end.node as usize];
            let _ = self.failures.send(ElectionError::Dropped(id));
        }
    }

    async fn receive(&mut self) -> Event<Ticket> {
        match self.inbox.recv().await {
            Some(event) => event,
            None => pending().await, // Not while this node holds a sender itself.
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

    async fn leave(self) {}
}
