//! One end of a link, over as many connections as it takes.
//!
//! Cargo is numbered. What has been sent is kept until the other end says that its process has
//! taken it, and is sent again, from where the other end says, over the next connection. Both ends
//! dial when they have something to say or have lost a connection. If they dial at once, the end
//! with the smaller number wins.

mod meet;
mod talk;

use super::connection::Connection;
use super::{Station, Stream};
use crate::window::Ticket;
use crate::wire::Hello;
use bytes::BytesMut;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use suffrage_process::{Id, Port};
use suffrage_topology::wiring::End;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedReceiver;
use tracing::{debug, info};

/// What a link is told by its node.
pub(super) enum Command {
    /// Be there.
    Open,
    Send(Box<[u8]>, Ticket),
    /// The other end has dialled.
    Accept(Box<dyn Stream>, BytesMut, Box<Hello>),
    /// All have halted: say goodbye.
    Leave,
}

/// A cargo that the process has not taken yet.
pub(crate) struct Receipt(Arc<Taken>);

#[derive(Default)]
struct Taken {
    count: AtomicU64,
    more: Notify,
}

impl Drop for Receipt {
    fn drop(&mut self) {
        self.0.count.fetch_add(1, Ordering::AcqRel);
        self.0.more.notify_one();
    }
}

pub(super) struct Link {
    station: Arc<Station>,
    port: Port,
    peer: End,
    commands: UnboundedReceiver<Command>,
    /// The incarnation at the other end, once it is known.
    met: Option<u64>,
    /// The number of the last connection.
    connections: u32,
    /// What the other end has not taken.
    sent: VecDeque<(Box<[u8]>, Ticket)>,
    /// How much it has taken: the number of the first in `sent`.
    acknowledged: u64,
    /// How much has come from there, and how much of it the process has taken.
    received: u64,
    taken: Arc<Taken>,
    /// What was last said of the peer's absence.
    why: Option<String>,
}

/// How a connection ends.
enum Ending {
    Lost(String),
    Replaced(Connection),
    /// One of the two has left because all have halted.
    Left,
    /// The node is gone.
    Dropped,
}

impl Link {
    pub(super) fn new(
        station: Arc<Station>,
        port: Port,
        commands: UnboundedReceiver<Command>,
    ) -> Self {
        let peer = station.peer(port);
        Self {
            station,
            port,
            peer,
            commands,
            met: None,
            connections: 0,
            sent: VecDeque::new(),
            acknowledged: 0,
            received: 0,
            taken: Arc::default(),
            why: None,
        }
    }

    pub(super) async fn run(mut self) {
        let mut next = None;
        loop {
            let connection = match next.take() {
                Some(connection) => connection,
                None => match self.connect().await {
                    Some(connection) => connection,
                    None => return,
                },
            };
            self.is_up();
            let end = self.converse(connection).await;
            self.station.view.change(|view| {
                view.connected -= 1;
                true
            });
            match end {
                Ending::Lost(why) => debug!(node = self.peer.node, %why, "a connection was lost"),
                Ending::Replaced(connection) => next = Some(connection),
                Ending::Left => return self.afterwards().await,
                Ending::Dropped => return,
            }
        }
    }

    /// Whether this end is the one with the smaller number.
    fn is_first(&self) -> bool {
        End { node: self.station.node, port: self.port } < self.peer
    }

    fn peer_id(&self) -> Id {
        self.station.cluster.ids()[self.peer.node as usize]
    }

    fn address(&self) -> String {
        self.station.address(self.peer.node).to_owned()
    }

    fn is_up(&mut self) {
        let (id, connection) = (self.peer_id(), self.connections);
        match self.why.take() {
            Some(_) => info!(%id, connection, "connected at last"),
            None => debug!(%id, connection, "connected"),
        }
        self.station.view.change(|view| {
            view.connected += 1;
            view.missing.remove(&self.peer.node);
            true
        });
    }
}
