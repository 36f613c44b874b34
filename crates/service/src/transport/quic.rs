//! Links over QUIC: datagrams between hosts that authenticate each other by certificates.
//!
//! Each two members keep a connection, which the one with the smaller number dials; standers dial
//! each member. A connection that breaks is dialled again after at most 100 ms, for ever.

mod endpoint;
mod hello;
mod hub;
mod meet;

pub(crate) use hello::Agreement;
pub(crate) use hub::{Me, draw};

use super::{Doorway, Letter, Link, Transport};
use hub::Hub;
use quinn::Endpoint;
use sha2::{Digest as _, Sha256};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use suffrage_net::tls::{Tls, refresh_for_ever};
use suffrage_process::recovery::Peer;
use tokio::time::timeout;
use tracing::warn;

/// The interval at which the certificate files are checked for changes.
const REFRESH: Duration = Duration::from_secs(5);

/// The parts of a QUIC transport.
pub(crate) struct Parts {
    pub(crate) socket: UdpSocket,
    pub(crate) cluster: String,
    pub(crate) me: Me,
    pub(crate) agreement: Agreement,
    /// The addresses of the members, in order.
    pub(crate) addresses: Vec<String>,
    pub(crate) tls: Tls,
    pub(crate) doorway: Doorway,
}

/// The links of one participant.
pub(crate) struct Quic {
    hub: Arc<Hub>,
    /// Disconnected when the thread has ended.
    thread: Mutex<Receiver<()>>,
}

impl Quic {
    /// Starts the thread of the network.
    ///
    /// # Errors
    /// If the socket or the certificates cannot be used, or there is no thread.
    pub(crate) fn start(parts: Parts) -> io::Result<Arc<Self>> {
        let Parts { socket, cluster, me, agreement, addresses, tls, doorway } = parts;
        let hub = Hub::new(cluster, me, agreement, addresses, tls, doorway);
        let hub = Arc::new(hub);
        // Finds errors in the certificates before the thread starts.
        let server = endpoint::server(&hub.tls, hub.lease())?;
        endpoint::client(&hub.tls, hub.lease())?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let secret = secret(&hub);
        let endpoint = {
            let _within = runtime.enter();
            let answers = hub.is_member(hub.me.peer).then_some(server);
            let tokio = Arc::new(quinn::TokioRuntime);
            Endpoint::new(endpoint::endpoint(&secret), answers, socket, tokio)?
        };
        let serving = hub.clone();
        let (running, thread) = channel();
        thread::Builder::new().name("suffrage-net".into()).spawn(move || {
            let _running: Sender<()> = running;
            runtime.block_on(serve(&serving, &endpoint));
            drop(endpoint);
            // Remaining tasks, such as name look-ups, end by themselves.
            runtime.shutdown_background();
        })?;
        Ok(Arc::new(Self { hub, thread: Mutex::new(thread) }))
    }
}

/// Returns the secret of an endpoint, derived from the key: the same at every start.
fn secret(hub: &Hub) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"suffrage stateless reset");
    hash.update(hub.tls.key_digest());
    hash.update(hub.me.name.as_bytes());
    hash.finalize().into()
}

/// Creates and keeps all connections until the hub is closed.
async fn serve(hub: &Arc<Hub>, endpoint: &Endpoint) {
    let mut tasks = tokio::task::JoinSet::new();
    let mut closed = hub.closed.subscribe();
    for (peer, address) in (0..).map(Peer).zip(&hub.addresses) {
        let dials = !hub.is_member(hub.me.peer) || hub.me.peer < peer;
        if dials && hub.me.peer != peer {
            tasks.spawn(meet::dial_for_ever(hub.clone(), endpoint.clone(), peer, address.clone()));
        }
    }
    tasks.spawn(meet::accept_for_ever(hub.clone(), endpoint.clone()));
    tasks.spawn(replace_for_ever(hub.clone(), endpoint.clone()));
    if hub.tls.has_files() {
        tasks.spawn(refresh_for_ever(hub.tls.clone(), REFRESH));
    }
    let _ = closed.wait_for(|closed| *closed).await;
    tasks.shutdown().await;
    endpoint.close(quinn::VarInt::from_u32(0), b"this participant has ended");
    let _ = timeout(Duration::from_millis(200), endpoint.wait_idle()).await;
}

/// Applies changes of the certificates, for ever.
async fn replace_for_ever(hub: Arc<Hub>, endpoint: Endpoint) {
    let mut replaced = hub.tls.replaced();
    while replaced.changed().await.is_ok() {
        match endpoint::server(&hub.tls, hub.lease()) {
            Ok(server) if hub.is_member(hub.me.peer) => endpoint.set_server_config(Some(server)),
            Ok(_) => {}
            Err(error) => warn!(%error, "the new certificates cannot be used"),
        }
        hub.renew();
    }
}

impl Transport for Quic {
    fn send(&self, to: Peer, letter: Letter) {
        self.hub.send(to, letter);
    }

    fn links(&self) -> Vec<Link> {
        self.hub.links()
    }

    fn name(&self, peer: Peer) -> Option<String> {
        self.hub.name(peer)
    }

    fn peer(&self, name: &str) -> Option<Peer> {
        self.hub.peer(name)
    }

    fn refused(&self) -> u64 {
        self.hub.refused.load(Ordering::Relaxed)
    }

    fn close(&self) {
        self.hub.closed.send_replace(true);
        // So that the address is free again; with a limit, in case the network hangs.
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = thread.recv_timeout(Duration::from_secs(1));
    }
}

impl Drop for Quic {
    fn drop(&mut self) {
        self.close();
    }
}

/// Asks a member, of which only the address is known, for the list of members.
///
/// # Errors
/// If it cannot be reached, or does not answer as a member of this cluster.
pub(crate) async fn discover(
    cluster: &str,
    tls: &Tls,
    address: &str,
) -> io::Result<(Agreement, Vec<String>)> {
    let any: SocketAddr = match meet::resolve(address).await? {
        SocketAddr::V4(_) => SocketAddr::from(([0, 0, 0, 0], 0)),
        SocketAddr::V6(_) => SocketAddr::from(([0_u16; 8], 0)),
    };
    let socket = UdpSocket::bind(any)?;
    let tokio = Arc::new(quinn::TokioRuntime);
    let endpoint = Endpoint::new(quinn::EndpointConfig::default(), None, socket, tokio)?;
    let found = meet::visit(&endpoint, cluster, tls, address).await;
    endpoint.close(quinn::VarInt::from_u32(0), b"thank you");
    found
}
