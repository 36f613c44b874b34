//! Links over TCP, with or without TLS.
//!
//! A link is a task at each of its ends, which numbers payloads, keeps those that the other end has
//! not taken, and reconnects as often as necessary. Task and connection are created when there is
//! something to send.

mod connection;
pub(crate) mod endpoint;
mod link;

use crate::error::ElectionError;
use crate::transport::sockets::connection::{Opened, answer, first_frame};
use crate::transport::sockets::endpoint::{ByteStream, Endpoint, Security, SocketReceipt};
use crate::transport::sockets::link::{LinkCommand, ReliableLink};
use crate::transport::{LinkEvent, LinkTransport};
use crate::window::{LinkRoom, Traffic, UnderWay};
use crate::wire::{LinkAnswer, LinkHello, Refusal, WireError, greeting, read_greeting};
use bytes::BytesMut;
use std::collections::BTreeMap;
use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use suffrage_model::{Id, Port};
use suffrage_net::acceptor::{Rejected, Window, accept};
use suffrage_net::log_limit::LogLimit;
use suffrage_net::tasks::{Panicked, Tasks};
use suffrage_net::tls::refresh_for_ever;
use suffrage_networks::wiring::End;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;
use tracing::warn;

/// The links of one node to others over sockets.
pub(crate) struct Sockets {
    table: Arc<LinkTable>,
    inbox: UnboundedReceiver<LinkEvent<SocketReceipt>>,
    rooms: BTreeMap<Port, LinkRoom>,
    under_way: Arc<UnderWay>,
    /// The tasks that listen and that reload certificates.
    background: Tasks,
}

pub(crate) struct LinkTable {
    endpoint: Arc<Endpoint>,
    /// The limit on log lines about refused nodes.
    refusals: LogLimit,
    links: Mutex<OpenLinks>,
    tasks: Tasks,
}

#[derive(Default)]
struct OpenLinks {
    commands: BTreeMap<Port, UnboundedSender<LinkCommand>>,
    closed: bool,
}

impl LinkTable {
    /// Sends a command to a link, which is created if there is none.
    fn tell(&self, port: Port, command: LinkCommand) {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        if links.closed {
            return;
        }
        let link = links.commands.entry(port).or_insert_with(|| {
            let (sender, receiver) = unbounded_channel();
            self.tasks
                .spawn("a link", ReliableLink::new(self.endpoint.clone(), port, receiver).run());
            sender
        });
        // A link whose peer has left takes no commands any more.
        let _ = link.send(command);
    }

    /// Passes a connection to the link at this port, as whose other end it has introduced itself.
    fn accept(&self, port: Port, opened: Opened, hello: LinkHello) {
        self.tell(port, LinkCommand::Accept(opened, Box::new(hello)));
    }

    /// Stops creating links, and returns those that exist.
    fn close(&self) -> BTreeMap<Port, UnboundedSender<LinkCommand>> {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        links.closed = true;
        std::mem::take(&mut links.commands)
    }
}

impl Sockets {
    /// Starts to listen. Must be called within a runtime.
    pub(crate) fn new(
        endpoint: impl FnOnce(UnboundedSender<LinkEvent<SocketReceipt>>) -> Endpoint,
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
        let table = Arc::new(LinkTable {
            endpoint: endpoint.clone(),
            refusals: LogLimit::default(),
            links: Mutex::default(),
            tasks: Tasks::new(report),
        });
        background.spawn("the listener", listen(listener, table.clone()));
        if let Security::Tls(tls) = &endpoint.security
            && tls.has_files()
        {
            let tls = tls.clone();
            let refresh = move || tls.refresh();
            background.spawn(
                "a reader of files",
                refresh_for_ever(refresh, endpoint.timeouts.refresh, drop),
            );
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

impl LinkTransport for Sockets {
    type Receipt = SocketReceipt;

    async fn send(&mut self, port: Port, bytes: Box<[u8]>) {
        let window = self.table.endpoint.window();
        let room = self.rooms.entry(port).or_insert_with(|| LinkRoom::of(window));
        let ticket = room.enter(&self.under_way).await;
        self.table.tell(port, LinkCommand::Send(bytes, ticket));
    }

    async fn receive(&mut self) -> LinkEvent<SocketReceipt> {
        match self.inbox.recv().await {
            Some(event) => event,
            None => pending().await, // Unreachable while the endpoint holds a sender.
        }
    }

    fn under_way(&self) -> &Arc<UnderWay> {
        &self.under_way
    }

    fn open(&self, port: Port) {
        self.table.tell(port, LinkCommand::Open);
    }

    fn connects(&self) -> bool {
        true
    }

    fn opened(&self) -> usize {
        self.table.links.lock().unwrap_or_else(PoisonError::into_inner).commands.len()
    }

    async fn leave(self, certain: bool) {
        for link in self.table.close().into_values() {
            let _ = link.send(LinkCommand::Leave { certain });
        }
        let _ = timeout(self.table.endpoint.timeouts.linger, self.table.tasks.ended()).await;
    }
}

/// Accepts connections until the future is dropped.
async fn listen(listener: TcpListener, table: Arc<LinkTable>) {
    let endpoint = &table.endpoint;
    let degree = endpoint.membership.wiring().degree(endpoint.node);
    let window = Window {
        connections: endpoint.limits.unauthenticated_for(degree),
        time: endpoint.timeouts.greeting,
    };
    let authenticate = |stream, from| {
        let table = table.clone();
        async move { introduced(&table, stream, from).await }
    };
    accept(listener, window, authenticate).await;
}

/// Receives the greeting of a peer, and passes the connection to its link or refuses it.
async fn introduced(
    table: &LinkTable,
    stream: TcpStream,
    from: SocketAddr,
) -> Result<(), Rejected> {
    let endpoint = &*table.endpoint;
    stream.set_nodelay(true)?;
    let credentials = endpoint.security.replacements();
    let mut stream: Box<dyn ByteStream> = match &endpoint.security {
        Security::None => Box::new(stream),
        Security::Tls(tls) => Box::new(tls.accept(stream).await.map_err(Rejected::Handshake)?),
    };
    let (hello, rest) = hello(&mut stream).await?;
    match welcome(endpoint, &hello, &*stream) {
        Ok(port) => table.accept(port, Opened { stream, rest, credentials }, hello),
        Err(refusal) => refuse(table, stream, from, &hello, refusal).await?,
    }
    Ok(())
}

async fn hello(stream: &mut Box<dyn ByteStream>) -> io::Result<(LinkHello, BytesMut)> {
    let (frame, rest) = first_frame(stream).await?;
    match read_greeting(&frame) {
        Ok(hello) => Ok((hello, rest)),
        Err(error) => {
            if matches!(error, WireError::Version(_)) {
                // The head of any answer contains our version.
                let mut out = BytesMut::new();
                greeting(&mut out, &LinkAnswer::Crossed);
                stream.write_all_buf(&mut out).await?;
                stream.shutdown().await?;
            }
            Err(io::Error::other(error))
        }
    }
}

/// Checks a greeting, and returns this node's port of the link.
fn welcome(
    endpoint: &Endpoint,
    hello: &LinkHello,
    stream: &dyn ByteStream,
) -> Result<Port, Refusal> {
    let membership = &endpoint.membership;
    if hello.cluster != membership.name() {
        return Err(Refusal::Cluster(membership.name().to_owned()));
    }
    if hello.algorithm != endpoint.algorithm {
        return Err(Refusal::Algorithm(endpoint.algorithm.clone()));
    }
    if hello.digest != membership.digest() {
        return Err(Refusal::Network(membership.digest()));
    }
    let (node, port) = hello.to;
    let from = End { node: hello.from.0, port: Port(hello.from.1) };
    let wiring = membership.wiring();
    let linked = port < wiring.degree(endpoint.node)
        && node == endpoint.node
        && wiring.across(node, Port(port)) == from;
    if !linked {
        return Err(Refusal::Who(membership.ids()[endpoint.node as usize]));
    }
    let name = endpoint.id(hello.from.0).map(|id| endpoint.certificate_name(id));
    let certain = name.is_some_and(|name| stream.is_from(&name));
    if certain { Ok(Port(port)) } else { Err(Refusal::Certificate) }
}

async fn refuse(
    table: &LinkTable,
    stream: Box<dyn ByteStream>,
    from: SocketAddr,
    hello: &LinkHello,
    refusal: Refusal,
) -> Result<(), Rejected> {
    if let Some(held_back) = table.refusals.permit(&refusal.to_string()) {
        // Its number stands for an identity only if it has the same network.
        let same = hello.digest == table.endpoint.membership.digest();
        let id = table.endpoint.id(hello.from.0).filter(|_| same);
        warn!(%from, id = id.map(Id::get), algorithm = ?hello.algorithm,
            cluster = ?hello.cluster, held_back, "refused a node; it was told: {refusal}");
    }
    Ok(answer(stream, &LinkAnswer::Refused(refusal)).await?)
}
