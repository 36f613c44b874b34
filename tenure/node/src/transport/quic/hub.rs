//! The links of one participant: for each peer its queue and its connection.

use super::hello::{Agreement, Answer, Versions, Welcome};
use super::numbers::{self, Departed};
use super::operator::Desk;
use super::{Parts, draw};
use crate::packet::{self, LONGEST};
use crate::timing::Stops;
use crate::transport::mailbox::Mailbox;
use crate::transport::{Doorway, Letter, Link};
use quinn::{Connection, VarInt};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use suffrage_net::log_limit::LogLimit;
use suffrage_net::tls::Tls;
use tenure_model::Peer;
use tokio::sync::{Notify, watch};

/// How many others a member serves at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The standers that it has links to.
    pub(crate) standers: usize,
    pub(crate) heralds: usize,
    /// The conversations with operators.
    pub(crate) operators: usize,
    /// The connections that have not introduced themselves.
    pub(crate) strangers: usize,
    /// The time that each of these has to introduce itself.
    pub(crate) introduction: Duration,
}

/// The limits of a member outside of tests.
pub(crate) const LIMITS: Limits = Limits {
    standers: 4096,
    heralds: 4096,
    operators: 64,
    strangers: 64,
    introduction: Duration::from_secs(5),
};

/// The identity of this participant.
#[derive(Clone, Debug)]
pub(crate) struct Me {
    pub(crate) name: String,
    /// The prefix of the name, which is in the certificate; for members the whole name.
    pub(crate) credential: String,
}

/// Called when another stander has the number of this one.
pub(crate) type Taken = Box<dyn Fn(Peer) + Send + Sync>;

/// The links of a participant.
pub(crate) struct Hub {
    pub(super) cluster: String,
    pub(super) me: Me,
    /// The number of this participant. A stander changes its number if another one has the same.
    peer: AtomicU32,
    pub(super) versions: Versions,
    pub(super) limits: Limits,
    pub(super) instance: u128,
    pub(super) agreement: Agreement,
    /// The addresses of the members, in order.
    pub(super) addresses: Vec<String>,
    /// The stop times of the configured offices.
    stops: Arc<RwLock<Stops>>,
    pub(super) tls: Tls,
    doorway: Doorway,
    taken: Taken,
    lines: Mutex<BTreeMap<Peer, Line>>,
    departed: Mutex<Departed>,
    sessions: AtomicU64,
    pub(super) refused: AtomicU64,
    /// The number of heralds that are connected.
    pub(super) heralds: AtomicUsize,
    /// The number of operators that are connected.
    pub(super) operators: AtomicUsize,
    pub(super) desk: Desk,
    pub(super) refusals: LogLimit,
    pub(super) closed: watch::Sender<bool>,
}

/// A link.
#[derive(Default)]
struct Line {
    name: String,
    mailbox: Mailbox,
    wake: Arc<Notify>,
    session: Option<Session>,
    trouble: Option<String>,
}

struct Session {
    number: u64,
    connection: Connection,
    version: u16,
    instance: u128,
    heard: Instant,
}

/// A connection that was admitted. It leaves when it is dropped.
pub(super) struct Entered {
    pub(super) hub: Arc<Hub>,
    pub(super) peer: Peer,
    number: u64,
    /// Why it is over.
    pub(super) why: String,
    pub(super) connection: Connection,
    pub(super) wake: Arc<Notify>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.hub.left(self);
    }
}

/// A connection that asks to be admitted.
pub(super) struct Candidate {
    pub(super) peer: Peer,
    /// The number under which this participant has introduced itself.
    pub(super) to: Peer,
    pub(super) name: String,
    pub(super) version: u16,
    pub(super) instance: u128,
}

impl Hub {
    pub(super) fn new(parts: Parts) -> Self {
        let Parts {
            cluster,
            peer,
            me,
            agreement,
            versions,
            limits,
            addresses,
            stops,
            tls,
            doorway,
            taken,
        } = parts;
        let mut lines = BTreeMap::new();
        for (number, (name, _)) in (0..).zip(&agreement.members) {
            if Peer(number) != peer {
                lines.insert(Peer(number), Line { name: name.clone(), ..Line::default() });
            }
        }
        Self {
            cluster,
            me,
            peer: AtomicU32::new(peer.0),
            versions,
            limits,
            instance: draw(),
            departed: Mutex::new(Departed::new(agreement.timing().owed())),
            agreement,
            addresses,
            stops,
            tls,
            doorway,
            taken,
            lines: Mutex::new(lines),
            sessions: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            heralds: AtomicUsize::new(0),
            operators: AtomicUsize::new(0),
            desk: Desk::default(),
            refusals: LogLimit::default(),
            closed: watch::Sender::new(false),
        }
    }

    pub(super) fn welcome(&self, version: u16, visits: bool) -> Welcome {
        let stops =
            visits.then(|| self.stops.read().unwrap_or_else(PoisonError::into_inner).clone());
        Welcome {
            version,
            name: self.me.name.clone(),
            instance: self.instance,
            agreement: self.agreement.clone(),
            addresses: self.addresses.clone(),
            stops: stops.unwrap_or_default(),
        }
    }

    fn departed(&self) -> MutexGuard<'_, Departed> {
        self.departed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lines(&self) -> MutexGuard<'_, BTreeMap<Peer, Line>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_member(&self, peer: Peer) -> bool {
        (peer.0 as usize) < self.agreement.members.len()
    }

    pub(super) fn peer_number(&self) -> Peer {
        Peer(self.peer.load(Ordering::SeqCst))
    }

    pub(super) fn votes(&self) -> bool {
        self.is_member(self.peer_number())
    }

    /// Reports that another stander has this number, which was this participant's when it dialled.
    pub(super) fn taken(&self, number: Peer) {
        (self.taken)(number);
    }

    /// Draws another number for this stander. All connections, which were made with the old one,
    /// are closed, and nothing is sent any more that was to leave by them.
    pub(super) fn renumber(&self) -> Peer {
        let mut lines = self.lines();
        let fresh = numbers::draw();
        self.peer.store(fresh.0, Ordering::SeqCst);
        for line in lines.values_mut() {
            line.mailbox = Mailbox::default();
            if let Some(old) = line.session.take() {
                old.connection.close(VarInt::from_u32(0), b"this stander has another number now");
            }
        }
        fresh
    }

    pub(super) fn lease(&self) -> Duration {
        Duration::from_micros(self.agreement.lease)
    }

    /// Admits a connection. An earlier connection of the same process is closed.
    ///
    /// # Errors
    /// If another process with the same identity is connected and was heard recently: two processes
    /// with one identity could both grant, or both lead. The number of a stander belongs to one
    /// process, also when it has left, as long as anything may be owed to it.
    pub(super) fn enter(
        self: &Arc<Self>,
        candidate: Candidate,
        connection: Connection,
    ) -> Result<Entered, Answer> {
        let mut lines = self.lines();
        if candidate.to != self.peer_number() {
            return Err(Answer::Refused("this stander has another number now".to_owned()));
        }
        let known = lines.contains_key(&candidate.peer);
        // All other members have lines.
        let standers = (lines.len() + 1).saturating_sub(self.agreement.members.len());
        if !known && standers >= self.limits.standers {
            return Err(Answer::Refused(format!("{standers} standers are connected already")));
        }
        if !self.is_member(candidate.peer) {
            let connected = lines.get(&candidate.peer).and_then(|line| line.session.as_ref());
            let other = connected.is_some_and(|session| session.instance != candidate.instance);
            let mut departed = self.departed();
            if other || !departed.may_have(candidate.peer, candidate.instance, Instant::now()) {
                let number = candidate.peer.0;
                return Err(Answer::Taken(format!("another stander has the number {number}")));
            }
            departed.forget(candidate.peer);
        }
        let line = lines.entry(candidate.peer).or_default();
        if let Some(old) = &line.session
            && old.instance != candidate.instance
            && old.connection.close_reason().is_none()
            && old.heard.elapsed() < self.lease()
        {
            return Err(Answer::Refused(format!(
                "another process is there as `{}` (number {}): it was heard {:?} ago",
                line.name,
                candidate.peer.0,
                old.heard.elapsed()
            )));
        }
        if let Some(old) = line.session.take() {
            old.connection.close(VarInt::from_u32(0), b"replaced by a newer connection");
        }
        let number = self.sessions.fetch_add(1, Ordering::Relaxed);
        line.name = candidate.name;
        line.trouble = None;
        line.session = Some(Session {
            number,
            connection: connection.clone(),
            version: candidate.version,
            instance: candidate.instance,
            heard: Instant::now(),
        });
        line.wake.notify_one();
        let (hub, peer, wake) = (self.clone(), candidate.peer, line.wake.clone());
        Ok(Entered { hub, peer, number, why: String::new(), connection, wake })
    }

    /// Checks that the participant of a herald is connected: with a certificate alone, which standers
    /// may share, no participant can release another's offices.
    pub(super) fn connected_as(&self, peer: Peer, instance: u128) -> Result<Peer, String> {
        let lines = self.lines();
        let session = lines.get(&peer).and_then(|line| line.session.as_ref());
        match session.is_some_and(|session| session.instance == instance) {
            true => Ok(peer),
            false => Err("the participant of this herald is not connected".to_owned()),
        }
    }

    /// Handles the end of a connection. The link to a stander is removed.
    fn left(&self, entered: &Entered) {
        let mut lines = self.lines();
        let Some(line) = lines.get_mut(&entered.peer) else { return };
        if let Some(old) = line.session.take_if(|session| session.number == entered.number) {
            line.trouble = Some(entered.why.clone());
            if !self.is_member(entered.peer) {
                lines.remove(&entered.peer);
                self.departed().remember(entered.peer, old.instance, old.heard);
            }
        }
    }

    /// Records why there is no connection to a member.
    pub(super) fn failed(&self, peer: Peer, why: String) {
        if let Some(line) = self.lines().get_mut(&peer)
            && line.session.is_none()
        {
            line.trouble = Some(why);
        }
    }

    pub(super) fn pack(&self, entered: &Entered, room: usize) -> Option<Vec<u8>> {
        let mut lines = self.lines();
        let line = lines.get_mut(&entered.peer)?;
        line.session.as_ref().filter(|session| session.number == entered.number)?;
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
        self.doorway.deliver(from, bytes);
    }

    /// Delivers the messages of a datagram. Returns whether it was well-formed.
    pub(super) fn unpack(&self, entered: &Entered, datagram: &[u8]) -> bool {
        if let Some(line) = self.lines().get_mut(&entered.peer)
            && let Some(session) = &mut line.session
            && session.number == entered.number
        {
            session.heard = Instant::now();
        } else {
            return false;
        }
        for message in packet::messages(datagram) {
            let Ok(bytes) = message else { return false };
            self.doorway.deliver(entered.peer, bytes);
        }
        true
    }

    pub(super) fn send(&self, to: Peer, letter: Letter) {
        if letter.bytes.len() > LONGEST {
            return;
        }
        if let Some(line) = self.lines().get_mut(&to) {
            line.mailbox.put(letter);
            line.wake.notify_one();
        }
    }

    /// Closes all connections, which are then dialled again with the present certificates.
    pub(super) fn renew(&self) {
        for line in self.lines().values_mut() {
            if let Some(session) = &line.session {
                session.connection.close(VarInt::from_u32(0), b"the certificates have changed");
            }
        }
    }

    pub(super) fn links(&self) -> Vec<Link> {
        let lines = self.lines();
        let link = |(&peer, line): (&Peer, &Line)| Link {
            peer,
            connected: line.session.is_some(),
            version: line.session.as_ref().map(|session| session.version),
            round_trip: line.session.as_ref().map(|session| session.connection.rtt()),
            datagrams: line.session.as_ref().map_or((0, 0), |session| {
                let stats = session.connection.stats();
                (stats.udp_tx.datagrams, stats.udp_rx.datagrams)
            }),
            trouble: line.trouble.clone(),
        };
        lines.iter().map(link).collect()
    }

    pub(super) fn name(&self, peer: Peer) -> Option<String> {
        self.lines().get(&peer).map(|line| line.name.clone())
    }

    pub(super) fn peer(&self, name: &str) -> Option<Peer> {
        self.lines().iter().find(|(_, line)| line.name == name).map(|(&peer, _)| peer)
    }
}
