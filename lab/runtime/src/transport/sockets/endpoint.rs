//! The shared data of all links of a node: its membership, its addresses and the protection of
//! connections.

use crate::error::ElectionError;
use crate::membership::Membership;
use crate::setup::{NodeLimits, Timeouts};
use crate::transport::{LinkEvent, Receipt};
use crate::view::Viewed;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use suffrage_model::{Id, Port};
use suffrage_net::tls::{Tls, is_from, node_name};
use suffrage_networks::wiring::End;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;
use tokio_rustls::{client, server};

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
    pub(super) fn replacements(&self) -> u64 {
        match self {
            Self::None => 0,
            Self::Tls(tls) => *tls.replaced().borrow(),
        }
    }
}

/// A byte stream in both directions.
pub(crate) trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {
    /// Returns whether the other end, which has dialled, has proved to be this node, where it has to.
    fn is_from(&self, _name: &str) -> bool {
        true
    }
}

impl ByteStream for TcpStream {}

/// The side that dials has checked the name in the handshake.
impl ByteStream for client::TlsStream<TcpStream> {}

impl ByteStream for server::TlsStream<TcpStream> {
    fn is_from(&self, name: &str) -> bool {
        is_from(self, name)
    }
}

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
    pub limits: NodeLimits,
    pub timeouts: Timeouts,
    /// The maximal length of a frame, in bytes.
    pub longest: usize,
    /// Returns whether bytes are a payload of the algorithm.
    pub valid: fn(&[u8]) -> bool,
    pub view: Arc<Viewed>,
    pub failures: UnboundedSender<ElectionError>,
    pub inbox: UnboundedSender<LinkEvent<SocketReceipt>>,
}

impl Endpoint {
    pub(super) fn window(&self) -> u32 {
        self.limits.window_for(self.membership.nodes())
    }

    pub(super) fn address(&self, node: u32) -> &str {
        self.addresses.get(node as usize).map_or("", String::as_str)
    }

    pub(super) fn peer(&self, port: Port) -> End {
        self.membership.wiring().across(self.node, port)
    }

    pub(super) fn id(&self, node: u32) -> Option<Id> {
        self.membership.ids().get(node as usize).copied()
    }

    pub(super) fn certificate_name(&self, id: Id) -> String {
        node_name(self.membership.name(), id.get())
    }
}

/// The receipt for a payload that the process has not taken yet.
pub(crate) struct SocketReceipt(pub Arc<TakenCount>);

#[derive(Default)]
pub(crate) struct TakenCount {
    pub count: AtomicU64,
    pub more: Notify,
}

impl Receipt for SocketReceipt {
    fn taken(self) {
        self.0.count.fetch_add(1, Ordering::AcqRel);
        self.0.more.notify_one();
    }
}
