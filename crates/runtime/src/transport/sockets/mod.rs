//! Links over TCP, with or without TLS.
//!
//! A link is a task at each of its ends, which numbers the cargo, keeps what the other end has not
//! taken, and makes connections as often as it takes. There is no task and no connection before
//! something is to be said.

mod connection;
mod dial;
mod link;
mod listener;
mod tls;

pub use tls::{Tls, TlsError, node_name};

use super::{Event, Transport};
use crate::cluster::Cluster;
use crate::error::ElectionError;
use crate::limits::{Limits, Patience};
use crate::view::Viewed;
use crate::window::{Room, Traffic, UnderWay};
use crate::wire::Hello;
use bytes::BytesMut;
use link::{Command, Link, Receipt};
use std::collections::BTreeMap;
use std::future::pending;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use suffrage_process::Port;
use suffrage_topology::wiring::End;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

/// How connections are protected.
#[derive(Clone, Debug)]
pub enum Security {
    /// Not at all: whoever reaches the port may take part, and whoever is between may read and
    /// change everything.
    None,
    /// TLS 1.3; both sides show certificates.
    Tls(Tls),
}

/// Bytes both ways.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// What all links of a node have in common.
pub(crate) struct Station {
    pub cluster: Arc<Cluster>,
    pub algorithm: String,
    pub node: u32,
    /// Drawn when the node was made: one that was restarted has another one.
    pub incarnation: u64,
    /// Where the nodes listen, in their order.
    pub addresses: Arc<[String]>,
    pub security: Security,
    pub limits: Limits,
    pub patience: Patience,
    /// The longest frame, in bytes.
    pub longest: usize,
    /// Whether bytes are a cargo of the algorithm.
    pub valid: fn(&[u8]) -> bool,
    pub view: Arc<Viewed>,
    pub failures: UnboundedSender<ElectionError>,
    pub inbox: UnboundedSender<Event<Receipt>>,
}

impl Station {
    fn window(&self) -> u32 {
        self.limits.window_for(self.cluster.nodes())
    }

    fn address(&self, node: u32) -> &str {
        self.addresses.get(node as usize).map_or("", String::as_str)
    }

    fn peer(&self, port: Port) -> End {
        self.cluster.wiring().across(self.node, port)
    }
}

/// The links of one node to others, wherever they are.
pub(crate) struct Sockets {
    table: Arc<Table>,
    inbox: UnboundedReceiver<Event<Receipt>>,
    rooms: BTreeMap<Port, Room>,
    under_way: Arc<UnderWay>,
    listener: AbortHandle,
}

/// The links that there are.
pub(crate) struct Table {
    station: Arc<Station>,
    links: Mutex<Links>,
}

#[derive(Default)]
struct Links {
    commands: BTreeMap<Port, UnboundedSender<Command>>,
    tasks: JoinSet<()>,
    closed: bool,
}

impl Table {
    /// Tells a link something; makes it where there is none.
    fn tell(&self, port: Port, command: Command) {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        if links.closed {
            return;
        }
        let Links { commands, tasks, .. } = &mut *links;
        let link = commands.entry(port).or_insert_with(|| {
            let (sender, receiver) = unbounded_channel();
            tasks.spawn(Link::new(self.station.clone(), port, receiver).run());
            sender
        });
        // A link whose peer has left wants to hear nothing more.
        let _ = link.send(command);
    }

    /// A connection has introduced itself as the other end of the link at this port.
    fn accept(&self, port: Port, stream: Box<dyn Stream>, rest: BytesMut, hello: Hello) {
        self.tell(port, Command::Accept(stream, rest, Box::new(hello)));
    }
}

impl Sockets {
    /// Listens. Must be called within a runtime.
    pub(crate) fn new(
        station: impl FnOnce(UnboundedSender<Event<Receipt>>) -> Station,
        listener: TcpListener,
        traffic: Option<Arc<Traffic>>,
    ) -> Self {
        let (sender, inbox) = unbounded_channel();
        let station = Arc::new(station(sender));
        let table = Arc::new(Table { station, links: Mutex::default() });
        let listener = tokio::spawn(listener::listen(listener, table.clone())).abort_handle();
        let under_way = UnderWay::within(traffic);
        Self { table, inbox, rooms: BTreeMap::new(), under_way, listener }
    }
}

impl Drop for Sockets {
    fn drop(&mut self) {
        self.listener.abort();
        let mut links = self.table.links.lock().unwrap_or_else(PoisonError::into_inner);
        // The listener may hold the table for a moment longer.
        *links = Links { closed: true, ..Links::default() };
    }
}

impl Transport for Sockets {
    type Receipt = Receipt;

    async fn send(&mut self, port: Port, bytes: Box<[u8]>) {
        let window = self.table.station.window();
        let room = self.rooms.entry(port).or_insert_with(|| Room::of(window));
        let ticket = room.enter(&self.under_way).await;
        self.table.tell(port, Command::Send(bytes, ticket));
    }

    async fn receive(&mut self) -> Event<Receipt> {
        match self.inbox.recv().await {
            Some(event) => event,
            None => pending().await, // Not while the station holds a sender.
        }
    }

    fn under_way(&self) -> &Arc<UnderWay> {
        &self.under_way
    }

    fn open(&self, port: Port) {
        self.table.tell(port, Command::Open);
    }

    fn connects(&self) -> bool {
        true
    }

    fn opened(&self) -> usize {
        self.table.links.lock().unwrap_or_else(PoisonError::into_inner).commands.len()
    }

    async fn leave(self) {
        let mut tasks = {
            let mut links = self.table.links.lock().unwrap_or_else(PoisonError::into_inner);
            links.closed = true;
            for link in links.commands.values() {
                let _ = link.send(Command::Leave);
            }
            mem::take(&mut links.tasks)
        };
        let all = async { while tasks.join_next().await.is_some() {} };
        let _ = timeout(self.table.station.patience.linger, all).await;
    }
}
