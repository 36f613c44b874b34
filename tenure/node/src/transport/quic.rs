//! Links over QUIC: datagrams between hosts that authenticate each other by certificates.
//!
//! Each two members keep a connection, which the one with the smaller number dials; clients dial
//! each member. A connection that breaks is dialled again after at most 100 ms; between members that often for as
//! long as there is no answer.

mod conversation;
mod copies;
mod crash_notifier;
pub(crate) mod dial;
pub(crate) mod dial_state;
pub(crate) mod endpoint;
pub(crate) mod hub;
pub(crate) mod introduction;
pub(crate) mod meet;
pub(crate) mod numbers;
pub(crate) mod reach_state;

use crate::random::draw;
pub use conversation::{Address, Conversation, ConversationRights, Conversations};
pub use crash_notifier::{CrashNotifier, ReleaseTicket};
pub(crate) use dial::any_socket;
pub(crate) use hub::{Identity, LIMITS, LinkNews, QuicParts, ServingLimits};
pub(crate) use introduction::{Agreement, DiallerIdentity, VERSIONS, Versions, WelcomeReply};

use super::{Envelope, MessageSink, ParticipantTransport};
use crate::membership::ClusterMembers;
use crate::roster::{MOST_HOSTS, RosterHost};
use crate::status::PeerStatus;
use hub::{QuicHub, TellNews};
use quinn::Endpoint;
use sha2::{Digest as _, Sha256};
use std::io;
use std::net::UdpSocket;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use suffrage_net::backoff::Backoff;
use suffrage_net::log_limit::without_numbers;
use suffrage_net::tasks::{AFTER_PANIC, Panicked, Tasks};
use suffrage_net::tls::{Tls, refresh_for_ever};
use tenure_model::Peer;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tracing::warn;

/// The interval at which the certificate files are checked for changes.
pub(crate) const REFRESH: Duration = Duration::from_secs(5);
/// The first and the longest pause before the members are asked again for their list.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));
/// The interval between warnings that no member answers.
const REMINDER: Duration = Duration::from_secs(60);
/// The interval between warnings that a certificate ends.
const DAY: Duration = Duration::from_secs(24 * 3600);
/// The interval between two looks at the connections, and the time without any after which the log names the reasons.
const LOOK: Duration = Duration::from_secs(1);
const ALONE: Duration = Duration::from_secs(5);

pub(crate) struct Quic {
    hub: Arc<QuicHub>,
    /// Disconnected when the thread has ended.
    thread: Mutex<Receiver<()>>,
}

impl Quic {
    /// Starts the thread of the network.
    ///
    /// # Errors
    /// If the socket or the certificates cannot be used, or there is no thread.
    pub(crate) fn start(
        socket: UdpSocket,
        parts: QuicParts,
        sink: MessageSink,
        news: TellNews,
    ) -> io::Result<Arc<Self>> {
        let hub = Arc::new(QuicHub::new(parts, sink, news));
        // Finds errors in the certificates before the thread starts.
        let server = endpoint::server(&hub.parts.tls, hub.lease())?;
        endpoint::client(&hub.parts.tls, hub.lease(), endpoint::SENT_AGAIN)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let secret = secret(&hub);
        let endpoint = {
            let _within = runtime.enter();
            let answers = hub.is_host().then_some(server);
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

fn secret(hub: &QuicHub) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"tenure stateless reset");
    hash.update(hub.parts.tls.key_digest());
    hash.update(hub.parts.me.name.as_bytes());
    hash.finalize().into()
}

/// Creates and keeps all connections until the hub is closed.
async fn serve(hub: &Arc<QuicHub>, endpoint: &Endpoint) {
    let reported = hub.clone();
    let tasks = Tasks::new(Arc::new(move |Panicked { task, message }: Panicked| {
        reported.panicked(task, &message);
    }));
    let mut closed = hub.closed.subscribe();
    for peer in (0..MOST_HOSTS as u32).map(Peer) {
        let (hub, endpoint) = (hub.clone(), endpoint.clone());
        tasks.spawn_again("a link to a member", AFTER_PANIC, move || {
            meet::dial_for_ever(hub.clone(), endpoint.clone(), peer)
        });
    }
    let again = |name, task: fn(Arc<QuicHub>, Endpoint) -> Ending| {
        let (hub, endpoint) = (hub.clone(), endpoint.clone());
        tasks.spawn_again(name, AFTER_PANIC, move || task(hub.clone(), endpoint.clone()));
    };
    again("the listener", |hub, endpoint| Box::pin(meet::accept_for_ever(hub, endpoint)));
    again("the replacement of certificates", |hub, endpoint| {
        Box::pin(replace_for_ever(hub, endpoint))
    });
    again("reminders", |hub, _| Box::pin(remind_for_ever(hub)));
    if hub.parts.tls.has_files() {
        again("the reader of certificates", |hub, _| {
            let tls = hub.parts.tls.clone();
            let report = move |why| hub.warn_of("certificates", why);
            Box::pin(refresh_for_ever(move || tls.refresh_valid(), REFRESH, report))
        });
    }
    let _ = closed.wait_for(|closed| *closed).await;
    tasks.cancel();
    tasks.ended().await;
    endpoint.close(quinn::VarInt::from_u32(0), b"this participant has ended");
    let _ = timeout(Duration::from_millis(200), endpoint.wait_idle()).await;
}

/// A task that may be of several kinds.
type Ending = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Says again and again that no other member can be reached, and that a certificate ends. Never returns.
async fn remind_for_ever(hub: Arc<QuicHub>) {
    let mut alone: Option<Instant> = None;
    let (mut said, mut of_certificates) = (None::<Instant>, Instant::now());
    loop {
        sleep(LOOK).await;
        let why = hub.alone();
        let since = why.as_ref().map(|_| *alone.get_or_insert_with(Instant::now));
        alone = since;
        let why = why.filter(|_| since.is_some_and(|since| since.elapsed() >= ALONE));
        if let Some(why) = &why
            && said.is_none_or(|said| said.elapsed() >= REMINDER)
        {
            warn!(why, "no other member can be reached");
            said = Some(Instant::now());
        }
        if why.is_none() {
            said = None;
        }
        let warning = why.map(|why| format!("no other member can be reached: {why}"));
        hub.warn_of("links", warning);
        if of_certificates.elapsed() >= DAY {
            hub.parts.tls.warnings().iter().for_each(|warning| warn!("{warning}"));
            of_certificates = Instant::now();
        }
    }
}

/// Applies each change of the certificates.
async fn replace_for_ever(hub: Arc<QuicHub>, endpoint: Endpoint) {
    let mut replaced = hub.parts.tls.replaced();
    while replaced.changed().await.is_ok() {
        match endpoint::server(&hub.parts.tls, hub.lease()) {
            Ok(server) if hub.is_host() => endpoint.set_server_config(Some(server)),
            Ok(_) => {}
            Err(error) => warn!(%error, "the new certificates cannot be used"),
        }
        hub.parts.tls.warnings().iter().for_each(|warning| warn!("{warning}"));
        hub.renew();
    }
}

impl ParticipantTransport for Quic {
    fn send(&self, to: Peer, envelope: Envelope) {
        self.hub.send(to, envelope);
    }

    fn links(&self) -> Vec<PeerStatus> {
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

    fn warnings(&self) -> Vec<String> {
        self.hub.warnings()
    }

    fn warn_of(&self, about: &'static str, warning: Option<String>) {
        self.hub.warn_of(about, warning);
    }

    fn panicked(&self, task: &'static str, message: &str) {
        self.hub.panicked(task, message);
    }

    fn certificate_end(&self) -> Option<u64> {
        self.hub.parts.tls.ends()
    }

    fn panics(&self) -> u64 {
        self.hub.panics.load(Ordering::Relaxed)
    }

    fn release_ticket(&self) -> Option<ReleaseTicket> {
        let QuicParts { cluster, me, agreement, addresses, tls, .. } = &self.hub.parts;
        let membership = self.hub.members.borrow().clone();
        Some(ReleaseTicket {
            cluster: cluster.clone(),
            name: me.name.clone(),
            credential: me.credential.clone(),
            number: self.hub.peer_number().0,
            instance: self.hub.instance,
            agreement: agreement.clone(),
            membership,
            addresses: addresses.clone(),
            // The crash notifier may be started in another folder.
            tls: tls.files()?.within(&std::env::current_dir().ok()?),
        })
    }

    fn renumber(&self) -> Option<Peer> {
        (!self.hub.is_host()).then(|| self.hub.renumber())
    }

    fn use_members(&self, membership: &ClusterMembers) {
        self.hub.use_members(membership);
    }

    fn waiting(&self) -> Vec<RosterHost> {
        self.hub.waiting()
    }

    fn conversations(&self) -> Option<Conversations> {
        self.hub.conversations.open(self.hub.parts.limits.operators)
    }

    fn begin(&self, conversation: Conversation) -> bool {
        self.hub.conversations.begin(conversation)
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

/// Asks the members at these addresses for the list of members until one answers. While none does, logs why
/// again and again.
pub(crate) async fn discover(
    (cluster, who): (&str, DiallerIdentity),
    versions: Versions,
    tls: &Tls,
    addresses: &[String],
) -> WelcomeReply {
    let mut backoff = Backoff::new(PAUSES.0, PAUSES.1, draw() as u64);
    let mut said: Option<(Instant, String)> = None;
    loop {
        let attempt = |address: &String| {
            let (cluster, tls, address) = (cluster.to_owned(), tls.clone(), address.clone());
            let who = who.clone();
            (address.clone(), async move { ask((&cluster, who), versions, &tls, &address).await })
        };
        let why = match dial::first(addresses.iter().map(attempt).collect()).await {
            Ok(found) => return found,
            Err(error) => error.to_string(),
        };
        let reason = without_numbers(&why);
        if said.as_ref().is_none_or(|(at, last)| *last != reason || at.elapsed() > REMINDER) {
            warn!(why, "no member answers; asks them until one does");
            said = Some((Instant::now(), reason));
        }
        sleep(backoff.failed()).await;
    }
}

/// Asks the members at all of these addresses, and returns the answers that come soon.
pub(crate) async fn ask_all(
    (cluster, who): (&str, DiallerIdentity),
    versions: Versions,
    tls: &Tls,
    addresses: &[String],
) -> Vec<WelcomeReply> {
    let mut asked = JoinSet::new();
    for address in addresses {
        let (cluster, who, tls) = (cluster.to_owned(), who.clone(), tls.clone());
        let address = address.clone();
        asked.spawn(async move {
            timeout(LOOK, ask((&cluster, who), versions, &tls, &address)).await.ok()?.ok()
        });
    }
    asked.join_all().await.into_iter().flatten().collect()
}

/// Asks the member at this address for the list of members. Its name is not known.
async fn ask(
    about: (&str, DiallerIdentity),
    versions: Versions,
    tls: &Tls,
    address: &str,
) -> io::Result<WelcomeReply> {
    let endpoint = dial::any_endpoint()?;
    let found = dial::visit(&endpoint, about, versions, tls, address).await;
    endpoint.close(quinn::VarInt::from_u32(0), b"thank you");
    found
}
