//! Links over TCP, with or without TLS.
//!
//! A link is a task at each of its ends, which numbers payloads, keeps those that the other end has
//! not taken, and reconnects as often as necessary. Task and connection are created when there is
//! something to send.

mod connection;
mod dial;
mod link;
mod listener;

use super::{Event, Transport};
use crate::error::ElectionError;
use crate::limits::Limits;
use crate::membership::Membership;
use crate::timeouts::Timeouts;
use crate::view::Viewed;
use crate::window::{Room, Traffic, UnderWay};
use crate::wire::Hello;
use connection::Opened;
use link::{Command, Link, Receipt};
use std::collections::BTreeMap;
use std::future::pending;
use std::sync::{Arc, Mutex, PoisonError};
use suffrage_model::{Id, Port};
use suffrage_net::log_limit::LogLimit;
use suffrage_net::tasks::{Panicked, Tasks};
use suffrage_net::tls::{Tls, node_name, refresh_for_ever};
use suffrage_networks::wiring::End;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

/// The protection of connections.
#[derive(Clone, Debug)]
pub enum Security {
    /// No protection: every process that reaches the port may take part, and every host between two
    /// nodes may read and change all messages.
    None,
    /// TLS 1.3 with certificates on both sides.
    Tls(Tls),
}

impl Security {
    fn replacements(&self) -> u64 {
        match self {
            Self::None => 0,
            Self::Tls(tls) => *tls.replaced().borrow(),
        }
    }
}

/// A byte stream in both directions.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// The state of a node that all its links share.
pub(crate) struct Endpoint {
    pub membership: Arc<Membership>,
    pub algorithm: String,
    pub node: u32,
    /// A random number drawn when the node was created; after a restart it is another one.
    pub incarnation: u64,
    /// The addresses of the nodes, in order.
    pub addresses: Arc<[String]>,
    pub security: Security,
    pub limits: Limits,
    pub timeouts: Timeouts,
    /// The maximal length of a frame, in bytes.
    pub longest: usize,
    /// Returns whether bytes are a payload of the algorithm.
    pub valid: fn(&[u8]) -> bool,
    pub view: Arc<Viewed>,
    pub failures: UnboundedSender<ElectionError>,
    pub inbox: UnboundedSender<Event<Receipt>>,
}

impl Endpoint {
    fn window(&self) -> u32 {
        self.limits.window_for(self.membership.nodes())
    }

    fn address(&self, node: u32) -> &str {
        self.addresses.get(node as usize).map_or("", String::as_str)
    }

    fn peer(&self, port: Port) -> End {
        self.membership.wiring().across(self.node, port)
    }

    fn id(&self, node: u32) -> Option<Id> {
        self.membership.ids().get(node as usize).copied()
    }

    fn certificate_name(&self, id: Id) -> String {
        node_name(self.membership.name(), id.get())
    }
}

/// The links of one node to others over sockets.
pub(crate) struct Sockets {
    table: Arc<Table>,
    inbox: UnboundedReceiver<Event<Receipt>>,
    rooms: BTreeMap<Port, Room>,
    under_way: Arc<UnderWay>,
    /// The tasks that listen and that reload certificates.
    background: Tasks,
}

/// The links that exist.
pub(crate) struct Table {
    endpoint: Arc<Endpoint>,
    /// The limit on log lines about refused nodes.
    refusals: LogLimit,
    links: Mutex<Links>,
    tasks: Tasks,
}

#[derive(Default)]
struct Links {
    commands: BTreeMap<Port, UnboundedSender<Command>>,
    closed: bool,
}

impl Table {
    /// Sends a command to a link, which is created if there is none.
    fn tell(&self, port: Port, command: Command) {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        if links.closed {
            return;
        }
        let link = links.commands.entry(port).or_insert_with(|| {
            let (sender, receiver) = unbounded_channel();
            self.tasks.spawn("a link", Link::new(self.endpoint.clone(), port, receiver).run());
            sender
        });
        // A link whose peer has left takes no commands any more.
        let _ = link.send(command);
    }

    /// Passes a connection to the link at this port, as whose other end it has introduced itself.
    fn accept(&self, port: Port, opened: Opened, hello: Hello) {
        self.tell(port, Command::Accept(opened, Box::new(hello)));
    }

    /// Stops creating links, and returns those that exist.
    fn close(&self) -> BTreeMap<Port, UnboundedSender<Command>> {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        links.closed = true;
        std::mem::take(&mut links.commands)
    }
}

impl Sockets {
    /// Starts to listen. Must be called within a runtime.
    pub(crate) fn new(
        endpoint: impl FnOnce(UnboundedSender<Event<Receipt>>) -> Endpoint,
        listener: TcpListener,
        traffic: Option<Arc<Traffic>>,
    ) -> Self {
        let (sender, inbox) = unbounded_channel();
        let endpoint = Arc::new(endpoint(sender));
        let failures = endpoint.failures.clone();
        let report = Arc::new(move |Panicked { task, message }: Panicked| {
            let _ = failures.send(ElectionError::Task(format!("{task} panicked: {message}")));
        });
        let background = Tasks::new(report.clone());
        let table = Arc::new(Table {
            endpoint: endpoint.clone(),
            refusals: LogLimit::default(),
            links: Mutex::default(),
            tasks: Tasks::new(report),
        });
        background.spawn("the listener", listener::listen(listener, table.clone()));
        if let Security::Tls(tls) = &endpoint.security
            && tls.has_files()
        {
            let tls = tls.clone();
            let refresh = move || tls.refresh();
            background
                .spawn("a reader of files", refresh_for_ever(refresh, endpoint.timeouts.refresh));
        }
        let under_way = UnderWay::within(traffic);
        Self { table, inbox, rooms: BTreeMap::new(), under_way, background }
    }
}

impl Drop for Sockets {
    fn drop(&mut self) {
        self.background.cancel();
        self.table.close();
        self.table.tasks.cancel();
    }
}

impl Transport for Sockets {
    type Receipt = Receipt;

    async fn send(&mut self, port: Port, bytes: Box<[u8]>) {
        let window = self.table.endpoint.window();
        let room = self.rooms.entry(port).or_insert_with(|| Room::of(window));
        let ticket = room.enter(&self.under_way).await;
        self.table.tell(port, Command::Send(bytes, ticket));
    }

    async fn receive(&mut self) -> Event<Receipt> {
        match self.inbox.recv().await {
            Some(event) => event,
            None => pending().await, // Unreachable while the endpoint holds a sender.
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

    async fn leave(self, certain: bool) {
        for link in self.table.close().into_values() {
            let _ = link.send(Command::Leave { certain });
        }
        let _ = timeout(self.table.endpoint.timeouts.linger, self.table.tasks.ended()).await;
    }
}
