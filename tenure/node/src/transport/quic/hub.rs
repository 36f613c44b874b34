//! The links of one participant: for each peer its queue and its connection.
//!
//! # Why in this order
//! [`QuicHub::enter`] admits a connection under one lock. If two come at once, the later one sees the other:
//! 1. A client that has taken another number refuses what was dialled under the old one: what it is owed
//!    belongs to that number.
//! 2. The limit of clients is checked before anything is remembered of a new one.
//! 3. The number of a client belongs to one process, connected or departed, as long as anything may be owed to
//!    it. This is checked before 4, since the answer differs: the dialler draws another number.
//! 4. Another process of the same identity that was heard within a lease may still lead: the newcomer is
//!    refused, and not the other one.
//! 5. Only then is the old connection replaced. Its end finds that the session is another one, and changes
//!    nothing ([`QuicHub::left`]); so a link is never lost to the end of a connection that was replaced.
//!
//! A datagram counts as heard before its messages are delivered, so that the answers see a connected peer.

use super::conversation::ConversationQueue;
use super::introduction::{
    Agreement, DiallerIdentity, DiallerIntroduction, IntroductionReply, Versions, WelcomeReply,
};
use super::numbers::{self, Departed, FIRST_CLIENT};
use crate::clock::DeadlineClock;
use crate::membership::ClusterMembers;
use crate::packet::{self, LONGEST};
use crate::random::draw;
use crate::roster::RosterHost;
use crate::status::PeerStatus;
use crate::timing::Stops;
use crate::transport::mailbox::Mailbox;
use crate::transport::{Envelope, MessageSink};
use quinn::{Connection, VarInt};
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;
use suffrage_net::log_limit::LogLimit;
use suffrage_net::tls::Tls;
use tenure_model::Peer;
use tenure_protocol::reconfiguration::ConfigurationTag;
use tokio::sync::{Notify, watch};
use tracing::error;

/// How many others a member serves at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServingLimits {
    /// The clients that it has links to.
    pub(crate) clients: usize,
    pub(crate) notifiers: usize,
    pub(crate) operators: usize,
    /// The connections that have not introduced themselves.
    pub(crate) strangers: usize,
    /// The time that each of these has to introduce itself.
    pub(crate) introduction: Duration,
}

/// A connection, as far as it is decided here what becomes of it.
pub(crate) trait HubConnection: Clone + Send + Sync + 'static {
    fn close(&self, why: &[u8]);

    fn is_closed(&self) -> bool;
}

impl HubConnection for Connection {
    fn close(&self, why: &[u8]) {
        Self::close(self, VarInt::from_u32(0), why);
    }

    fn is_closed(&self) -> bool {
        self.close_reason().is_some()
    }
}

/// The maximal number of hosts that wait to be added.
const MOST_WAITING: usize = 64;
/// How long a host is taken to wait after it has asked, in nanoseconds.
const PATIENCE: u64 = 10_000_000_000;

/// After how long without any member a member dials those, too, that dial it as far as it knows, in nanoseconds.
const ALONE: u64 = 5_000_000_000;

/// The limits of a member outside of tests.
pub(crate) const LIMITS: ServingLimits = ServingLimits {
    clients: 4096,
    notifiers: 4096,
    operators: 64,
    strangers: 64,
    introduction: Duration::from_secs(5),
};

#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) name: String,
    /// The prefix of the name, which is in the certificate; for members the whole name.
    pub(crate) credential: String,
}

/// What a participant is told of its links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkNews {
    /// Another client has the number of this one.
    Taken(Peer),
    /// This peer, which is connected now, knows older members than this participant.
    Behind(Peer),
}

/// Told what happens to the links.
pub(crate) type TellNews = Box<dyn Fn(LinkNews) + Send + Sync>;

pub(crate) struct QuicParts {
    pub(crate) cluster: String,
    /// The number of this participant.
    pub(crate) peer: Peer,
    pub(crate) me: Identity,
    pub(crate) agreement: Agreement,
    pub(crate) versions: Versions,
    pub(crate) limits: ServingLimits,
    pub(crate) membership: ClusterMembers,
    /// The addresses of members as this host's configuration has them, by name: they may differ from host to host.
    pub(crate) addresses: BTreeMap<String, String>,
    /// The stop times of the configured offices, which clients are told.
    pub(crate) stops: Arc<RwLock<Stops>>,
    pub(crate) tls: Tls,
    pub(crate) clock: Arc<dyn DeadlineClock>,
}

pub(crate) struct QuicHub<C: HubConnection = Connection> {
    pub(crate) parts: QuicParts,
    sink: MessageSink,
    news: TellNews,
    /// The number of this participant. A client changes its number if another one has the same.
    peer: AtomicU32,
    pub(super) instance: u128,
    /// Who the members are.
    pub(super) members: watch::Sender<ClusterMembers>,
    /// The hosts that wait to be added, and when each has asked last.
    waiting: Mutex<BTreeMap<String, (RosterHost, u64)>>,
    lines: Mutex<BTreeMap<Peer, PeerLink<C>>>,
    /// When this participant has begun, or the connection of a member has ended last.
    left_at: AtomicU64,
    departed: Mutex<Departed>,
    sessions: AtomicU64,
    pub(super) refused: AtomicU64,
    /// How often a task of the network has panicked, and was begun again.
    pub(super) panics: AtomicU64,
    /// What an operator should know, by the part of the program that it is about.
    warnings: Mutex<BTreeMap<&'static str, String>>,
    pub(super) notifiers: AtomicUsize,
    pub(super) operators: AtomicUsize,
    pub(super) conversations: ConversationQueue,
    pub(super) refusals: LogLimit,
    pub(super) closed: watch::Sender<bool>,
}

struct PeerLink<C> {
    name: String,
    mailbox: Mailbox,
    wake: Arc<Notify>,
    session: Option<Session<C>>,
    trouble: Option<String>,
}

impl<C> Default for PeerLink<C> {
    fn default() -> Self {
        let (name, mailbox, wake) = (String::new(), Mailbox::default(), Arc::default());
        Self { name, mailbox, wake, session: None, trouble: None }
    }
}

struct Session<C> {
    number: u64,
    connection: C,
    version: u16,
    instance: u128,
    /// When it was heard last, by the clock of deadlines.
    heard: u64,
}

/// A connection that was admitted. It leaves when it is dropped.
pub(crate) struct AdmittedConnection<C: HubConnection = Connection> {
    pub(crate) hub: Arc<QuicHub<C>>,
    pub(super) peer: Peer,
    number: u64,
    pub(super) why: String,
    pub(crate) connection: C,
    pub(super) wake: Arc<Notify>,
}

impl<C: HubConnection> Drop for AdmittedConnection<C> {
    fn drop(&mut self) {
        self.hub.left(self);
    }
}

pub(super) struct ConnectionRequest {
    pub(super) peer: Peer,
    /// The number under which this participant has introduced itself.
    pub(super) to: Peer,
    pub(super) name: String,
    pub(super) version: u16,
    pub(super) instance: u128,
    /// The newest configuration that it knows, if it has said so.
    pub(super) knows: Option<ConfigurationTag>,
}

impl<C: HubConnection> QuicHub<C> {
    pub(crate) fn new(parts: QuicParts, sink: MessageSink, news: TellNews) -> Self {
        let members = watch::Sender::new(parts.membership.clone());
        let left_at = AtomicU64::new(parts.clock.now());
        let hub = Self {
            peer: AtomicU32::new(parts.peer.0),
            members,
            waiting: Mutex::default(),
            instance: draw(),
            departed: Mutex::new(Departed::new(parts.agreement.timing().owed().as_nanos() as u64)),
            parts,
            sink,
            news,
            lines: Mutex::default(),
            left_at,
            sessions: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            panics: AtomicU64::new(0),
            warnings: Mutex::default(),
            notifiers: AtomicUsize::new(0),
            operators: AtomicUsize::new(0),
            conversations: ConversationQueue::default(),
            refusals: LogLimit::default(),
            closed: watch::Sender::new(false),
        };
        hub.make_links();
        hub
    }

    /// Takes these for the members from now on.
    pub(crate) fn use_members(&self, membership: &ClusterMembers) {
        let mut steps = 0;
        let changed = self.members.send_if_modified(|now| {
            let changed = now != membership;
            steps = membership.number().abs_diff(now.number());
            now.clone_from(membership);
            changed
        });
        if changed {
            // Who has had a vote waits no more. A member that was away does not know who has.
            let waits = |host: &RosterHost| steps <= 2 && membership.member(&host.name).is_none();
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.retain(|_, (host, _)| waits(host));
            drop(waiting);
            self.make_links();
        }
    }

    /// Makes a link for each other member, and forgets those of hosts that are members no longer, once they are gone.
    fn make_links(&self) {
        let (members, me) = (self.members.borrow(), self.peer_number());
        let mut lines = self.lines();
        lines.retain(|&peer, line| line.session.is_some() || members.is_member(peer));
        for (peer, host) in members.hosts().filter(|&(peer, _)| peer != me) {
            lines.entry(peer).or_default().name.clone_from(&host.name);
        }
    }

    /// Returns the name and the address of a member that this participant dials. Of two members, the one with the smaller
    /// number dials; others dial every member. So does a member that has been alone for long: it may know old numbers, by
    /// which others dial it that have later ones by now, and wait for it.
    pub(crate) fn dials(&self, peer: Peer) -> Option<(String, String)> {
        let alone = self.is_long_alone();
        let (members, me) = (self.members.borrow(), self.peer_number());
        let is_other = peer != me && members.is_member(peer);
        let host = members.roster.host(peer).filter(|_| is_other)?;
        let address = host.address_among(&self.parts.addresses);
        (me < peer || !members.is_member(me) || alone)
            .then(|| (host.name.clone(), address.to_owned()))
    }

    fn is_long_alone(&self) -> bool {
        let alone = self.lines().values().all(|line| line.session.is_none());
        alone && self.since(self.left_at.load(Ordering::Relaxed)) >= ALONE
    }

    /// Notes a host that waits to be added.
    pub(super) fn waits(&self, host: RosterHost) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|_, (host, at)| self.still_waits(host, *at));
        if waiting.len() < MOST_WAITING {
            waiting.insert(host.name.clone(), (host, self.now()));
        }
    }

    /// Returns whether a host waits that has asked at this instant: it was a short time ago; or the host has a number,
    /// and runs, but has got no vote, since the member that was to give it one was killed.
    fn still_waits(&self, host: &RosterHost, at: u64) -> bool {
        self.since(at) < PATIENCE || self.members.borrow().roster.hosts().contains(host)
    }

    /// Returns the hosts that wait to be added.
    pub(crate) fn waiting(&self) -> Vec<RosterHost> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = waiting.values().filter(|(host, at)| self.still_waits(host, *at));
        waits.map(|(host, _)| host.clone()).collect()
    }

    pub(super) fn welcome(&self, version: u16, visits: bool) -> WelcomeReply {
        let stops =
            visits.then(|| self.parts.stops.read().unwrap_or_else(PoisonError::into_inner).clone());
        WelcomeReply {
            version,
            name: self.parts.me.name.clone(),
            instance: self.instance,
            agreement: self.parts.agreement.clone(),
            membership: self.members.borrow().clone(),
            stops: stops.unwrap_or_default(),
        }
    }

    fn departed(&self) -> MutexGuard<'_, Departed> {
        self.departed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> u64 {
        self.parts.clock.now()
    }

    fn since(&self, at: u64) -> u64 {
        self.now().saturating_sub(at)
    }

    fn lines(&self) -> MutexGuard<'_, BTreeMap<Peer, PeerLink<C>>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a warning about a part of the program, in place of the earlier one; or takes it back.
    pub(super) fn warn_of(&self, about: &'static str, warning: Option<String>) {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        match warning {
            Some(warning) => drop(warnings.insert(about, warning)),
            None => drop(warnings.remove(about)),
        }
    }

    /// Counts and tells that a task has panicked, and is begun again.
    pub(super) fn panicked(&self, task: &'static str, message: &str) {
        error!(task, message, "a task has panicked, and is begun again");
        self.panics.fetch_add(1, Ordering::Relaxed);
        self.warn_of(task, Some(format!("{task} has panicked, and was begun again: {message}")));
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        let mut all = self.parts.tls.warnings();
        let warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(warnings.values().cloned());
        all
    }

    /// Returns why no other member is connected, if there are others and none is.
    pub(super) fn alone(&self) -> Option<String> {
        let lines = self.lines();
        let members = lines.iter().filter(|&(&peer, _)| self.is_member(peer));
        let mut reasons = Vec::new();
        for (_, line) in members {
            if line.session.is_some() {
                return None;
            }
            let why = line.trouble.as_deref().unwrap_or("it has not dialled");
            reasons.push(format!("{}: {why}", line.name));
        }
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    pub(crate) fn is_member(&self, peer: Peer) -> bool {
        self.members.borrow().is_member(peer)
    }

    /// Returns whether this participant is a member, or a host that is to become one or was one: it listens, then.
    pub(super) fn is_host(&self) -> bool {
        self.peer_number().0 < FIRST_CLIENT
    }

    /// Describes something on which this side and the other do not agree, though all participants must.
    pub(super) fn difference(
        &self,
        agreement: Option<&Agreement>,
        membership: Option<&ClusterMembers>,
    ) -> Option<String> {
        let settings = agreement.and_then(|theirs| self.parts.agreement.difference(theirs));
        settings.or_else(|| {
            let members = self.members.borrow();
            membership.and_then(|theirs| members.difference(theirs))
        })
    }

    pub(crate) fn peer_number(&self) -> Peer {
        Peer(self.peer.load(Ordering::SeqCst))
    }

    pub(crate) fn votes(&self) -> bool {
        self.is_member(self.peer_number())
    }

    /// Reports that another client has this number, which was this participant's when it dialled.
    pub(super) fn taken(&self, number: Peer) {
        (self.news)(LinkNews::Taken(number));
    }

    /// Draws another number for this client. All connections, which were made with the old one,
    /// are closed, and nothing is sent any more that was to leave by them.
    pub(super) fn renumber(&self) -> Peer {
        let mut lines = self.lines();
        let fresh = numbers::draw();
        self.peer.store(fresh.0, Ordering::SeqCst);
        for line in lines.values_mut() {
            line.mailbox = Mailbox::default();
            if let Some(old) = line.session.take() {
                old.connection.close(b"this client has another number now");
            }
        }
        fresh
    }

    pub(crate) fn lease(&self) -> Duration {
        Duration::from_micros(self.parts.agreement.lease)
    }

    /// Returns how this participant introduces itself to those that it dials.
    pub(crate) fn introduction(&self) -> DiallerIntroduction {
        let (me, number) = (&self.parts.me, self.peer_number().0);
        let (name, credential) = (me.name.clone(), me.credential.clone());
        let who = match self.is_host() {
            true => DiallerIdentity::Member { name, number },
            false => DiallerIdentity::Client { name, credential, number },
        };
        DiallerIntroduction {
            versions: self.parts.versions,
            cluster: self.parts.cluster.clone(),
            agreement: Some(self.parts.agreement.clone()),
            membership: Some(self.members.borrow().clone()),
            instance: self.instance,
            who,
        }
    }

    /// Admits the connection to a member that was dialled under a number of this participant, and that has welcomed it.
    ///
    /// # Errors
    /// As [`enter`](Self::enter), and if the two do not agree.
    pub(crate) fn welcomed(
        self: &Arc<Self>,
        (peer, to): (Peer, Peer),
        welcome: WelcomeReply,
        connection: C,
    ) -> io::Result<AdmittedConnection<C>> {
        let name = self.name(peer).unwrap_or_default();
        let WelcomeReply { version, instance, agreement, membership, .. } = welcome;
        if let Some(difference) = self.difference(Some(&agreement), Some(&membership)) {
            return Err(io::Error::other(format!("`{name}` disagrees about {difference}")));
        }
        let knows = Some(membership.configuration.tag);
        let candidate = ConnectionRequest { peer, to, name, version, instance, knows };
        self.enter(candidate, connection).map_err(|answer| answer.error())
    }

    /// Admits a connection. An earlier connection of the same process is closed.
    ///
    /// # Errors
    /// If another process with the same identity is connected and was heard recently: two processes
    /// with one identity could both grant, or both lead. The number of a client belongs to one
    /// process, also when it has left, as long as anything may be owed to it.
    pub(super) fn enter(
        self: &Arc<Self>,
        candidate: ConnectionRequest,
        connection: C,
    ) -> Result<AdmittedConnection<C>, IntroductionReply> {
        let mut lines = self.lines();
        if candidate.to != self.peer_number() {
            return Err(IntroductionReply::Refused(
                "this client has another number now".to_owned(),
            ));
        }
        let known = lines.contains_key(&candidate.peer);
        let is_client = candidate.peer.0 >= FIRST_CLIENT;
        let clients = match is_client {
            true => lines.range(Peer(FIRST_CLIENT)..).count(),
            false => 0,
        };
        if !known && clients >= self.parts.limits.clients {
            return Err(IntroductionReply::Refused(format!(
                "{clients} clients are connected already"
            )));
        }
        if is_client {
            let connected = lines.get(&candidate.peer).and_then(|line| line.session.as_ref());
            let other = connected.is_some_and(|session| session.instance != candidate.instance);
            let mut departed = self.departed();
            if other || !departed.may_have(candidate.peer, candidate.instance, self.now()) {
                let number = candidate.peer.0;
                return Err(IntroductionReply::Taken(format!(
                    "another client has the number {number}"
                )));
            }
            departed.forget(candidate.peer);
        }
        let line = lines.entry(candidate.peer).or_default();
        if let Some(old) = &line.session
            && old.instance != candidate.instance
            && !old.connection.is_closed()
            && self.since(old.heard) < self.lease().as_nanos() as u64
        {
            return Err(IntroductionReply::Refused(format!(
                "another process is there as `{}` (number {}): it was heard {:?} ago",
                line.name,
                candidate.peer.0,
                Duration::from_nanos(self.since(old.heard))
            )));
        }
        if let Some(old) = line.session.take() {
            old.connection.close(b"replaced by a newer connection");
        }
        let number = self.sessions.fetch_add(1, Ordering::Relaxed);
        line.name = candidate.name;
        line.trouble = None;
        line.session = Some(Session {
            number,
            connection: connection.clone(),
            version: candidate.version,
            instance: candidate.instance,
            heard: self.now(),
        });
        line.wake.notify_one();
        let (hub, peer, wake) = (self.clone(), candidate.peer, line.wake.clone());
        if candidate.knows.is_some_and(|tag| tag < self.members.borrow().configuration.tag) {
            (self.news)(LinkNews::Behind(peer));
        }
        Ok(AdmittedConnection { hub, peer, number, why: String::new(), connection, wake })
    }

    /// Checks that the participant of a crash notifier is connected: with a certificate alone, which clients
    /// may share, no participant can release another's offices.
    pub(super) fn connected_as(&self, peer: Peer, instance: u128) -> Result<Peer, String> {
        let lines = self.lines();
        let session = lines.get(&peer).and_then(|line| line.session.as_ref());
        match session.is_some_and(|session| session.instance == instance) {
            true => Ok(peer),
            false => Err("the participant of this crash notifier is not connected".to_owned()),
        }
    }

    /// Handles the end of a connection. The link to a client is removed.
    fn left(&self, admitted: &AdmittedConnection<C>) {
        let mut lines = self.lines();
        let Some(line) = lines.get_mut(&admitted.peer) else { return };
        if let Some(old) = line.session.take_if(|session| session.number == admitted.number) {
            line.trouble = Some(admitted.why.clone());
            self.left_at.store(self.now(), Ordering::Relaxed);
            if !self.is_member(admitted.peer) {
                lines.remove(&admitted.peer);
                if admitted.peer.0 >= FIRST_CLIENT {
                    self.departed().remember(admitted.peer, old.instance, old.heard, self.now());
                }
            }
        }
    }

    /// Records why there is no connection to a member.
    pub(crate) fn failed(&self, peer: Peer, why: String) {
        if let Some(line) = self.lines().get_mut(&peer)
            && line.session.is_none()
        {
            line.trouble = Some(why);
        }
    }

    pub(crate) fn pack(&self, admitted: &AdmittedConnection<C>, room: usize) -> Option<Vec<u8>> {
        let mut lines = self.lines();
        let line = lines.get_mut(&admitted.peer)?;
        line.session.as_ref().filter(|session| session.number == admitted.number)?;
        let mut datagram = Vec::new();
        while let Some(left) = room.checked_sub(datagram.len() + 1)
            && let Some(bytes) = line.mailbox.take(left)
        {
            packet::append(&mut datagram, &bytes);
        }
        (!datagram.is_empty()).then_some(datagram)
    }

    /// Delivers a message for which this peer's certificate vouches.
    pub(super) fn deliver(&self, from: Peer, bytes: &[u8]) {
        self.sink.deliver(from, bytes);
    }

    /// Delivers the messages of a datagram. Returns whether it was well-formed.
    pub(crate) fn unpack(&self, admitted: &AdmittedConnection<C>, datagram: &[u8]) -> bool {
        if let Some(line) = self.lines().get_mut(&admitted.peer)
            && let Some(session) = &mut line.session
            && session.number == admitted.number
        {
            session.heard = self.now();
        } else {
            return false;
        }
        for message in packet::messages(datagram) {
            let Ok(bytes) = message else { return false };
            self.sink.deliver(admitted.peer, bytes);
        }
        true
    }

    pub(crate) fn send(&self, to: Peer, envelope: Envelope) {
        if envelope.bytes.len() > LONGEST {
            return;
        }
        if let Some(line) = self.lines().get_mut(&to) {
            line.mailbox.put(envelope);
            line.wake.notify_one();
        }
    }

    /// Closes all connections, which are then dialled again with the present certificates.
    pub(crate) fn renew(&self) {
        for line in self.lines().values_mut() {
            if let Some(session) = &line.session {
                session.connection.close(b"the certificates have changed");
            }
        }
    }

    pub(super) fn name(&self, peer: Peer) -> Option<String> {
        self.lines().get(&peer).map(|line| line.name.clone())
    }

    pub(super) fn peer(&self, name: &str) -> Option<Peer> {
        self.lines().iter().find(|(_, line)| line.name == name).map(|(&peer, _)| peer)
    }
}

impl QuicHub {
    pub(super) fn links(&self) -> Vec<PeerStatus> {
        let link = |(&peer, line): (&Peer, &PeerLink<Connection>)| {
            let session = line.session.as_ref();
            let stats = session.map(|session| session.connection.stats());
            PeerStatus {
                name: line.name.clone(),
                number: peer.0,
                connected: session.is_some(),
                version: session.map(|session| session.version),
                round_trip: session.map(|session| session.connection.rtt()),
                datagrams_sent: stats.map_or(0, |stats| stats.udp_tx.datagrams),
                datagrams_received: stats.map_or(0, |stats| stats.udp_rx.datagrams),
                trouble: line.trouble.clone(),
                ..PeerStatus::default()
            }
        };
        self.lines().iter().map(link).collect()
    }
}
