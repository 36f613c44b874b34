//! The links of one participant: for each peer its queue and its connection.

use super::hello::Agreement;
use crate::packet::LONGEST;
use crate::transport::mailbox::Mailbox;
use crate::transport::{Doorway, Letter, Link};
use quinn::{Connection, VarInt};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use suffrage_net::log_limit::LogLimit;
use suffrage_net::tls::Tls;
use suffrage_process::recovery::Peer;
use tokio::sync::{Notify, watch};

/// The maximal number of standers that a member has links to.
const MOST_STANDERS: usize = 4096;

/// The identity of this participant.
#[derive(Clone, Debug)]
pub(crate) struct Me {
    pub(crate) peer: Peer,
    pub(crate) name: String,
    /// The prefix of the name, which is in the certificate; for members the whole name.
    pub(crate) credential: String,
}

/// The links of a participant.
pub(crate) struct Hub {
    pub(super) cluster: String,
    pub(super) me: Me,
    pub(super) instance: u128,
    pub(super) agreement: Agreement,
    /// The addresses of the members, in order.
    pub(super) addresses: Vec<String>,
    pub(super) tls: Tls,
    doorway: Doorway,
    lines: Mutex<BTreeMap<Peer, Line>>,
    sessions: AtomicU64,
    pub(super) refused: AtomicU64,
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

/// A connection that was admitted.
pub(super) struct Entered {
    pub(super) peer: Peer,
    pub(super) number: u64,
    pub(super) connection: Connection,
    pub(super) wake: Arc<Notify>,
}

/// A connection that asks to be admitted.
pub(super) struct Candidate {
    pub(super) peer: Peer,
    pub(super) name: String,
    pub(super) version: u16,
    pub(super) instance: u128,
}

impl Hub {
    pub(super) fn new(
        cluster: String,
        me: Me,
        agreement: Agreement,
        addresses: Vec<String>,
        tls: Tls,
        doorway: Doorway,
    ) -> Self {
        let mut lines = BTreeMap::new();
        for (number, (name, _)) in (0..).zip(&agreement.members) {
            if Peer(number) != me.peer {
                lines.insert(Peer(number), Line { name: name.clone(), ..Line::default() });
            }
        }
        Self {
            cluster,
            me,
            instance: draw(),
            agreement,
            addresses,
            tls,
            doorway,
            lines: Mutex::new(lines),
            sessions: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            refusals: LogLimit::default(),
            closed: watch::Sender::new(false),
        }
    }

    fn lines(&self) -> MutexGuard<'_, BTreeMap<Peer, Line>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_member(&self, peer: Peer) -> bool {
        (peer.0 as usize) < self.agreement.members.len()
    }

    pub(super) fn lease(&self) -> Duration {
        Duration::from_micros(self.agreement.lease)
    }

    /// Admits a connection. An earlier connection of the same process is closed.
    ///
    /// # Errors
    /// If another process with the same identity is connected and was heard recently: two processes
    /// with one identity could both grant, or both lead.
    pub(super) fn enter(
        &self,
        candidate: Candidate,
        connection: Connection,
    ) -> Result<Entered, String> {
        let mut lines = self.lines();
        let known = lines.contains_key(&candidate.peer);
        if !known && lines.len() >= self.agreement.members.len() + MOST_STANDERS {
            return Err(format!("there are {MOST_STANDERS} standers already"));
        }
        let line = lines.entry(candidate.peer).or_default();
        if let Some(old) = &line.session
            && old.instance != candidate.instance
            && old.connection.close_reason().is_none()
            && old.heard.elapsed() < self.lease()
        {
            return Err(format!(
                "another process is there as `{}` (number {}): it was heard {:?} ago",
                line.name,
                candidate.peer.0,
                old.heard.elapsed()
            ));
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
        Ok(Entered { peer: candidate.peer, number, connection, wake: line.wake.clone() })
    }

    /// Handles the end of a connection. The link to a stander is removed.
    pub(super) fn left(&self, entered: &Entered, why: &str) {
        let mut lines = self.lines();
        let Some(line) = lines.get_mut(&entered.peer) else { return };
        if line.session.as_ref().is_some_and(|session| session.number == entered.number) {
            line.session = None;
            line.trouble = Some(why.to_owned());
            if !self.is_member(entered.peer) {
                lines.remove(&entered.peer);
            }
        }
    }

    /// Records that a connection to a member failed.
    pub(super) fn failed(&self, peer: Peer, why: String) {
        if let Some(line) = self.lines().get_mut(&peer) {
            line.trouble = Some(why);
        }
    }

    /// Returns the next datagram for a peer, with as many letters as fit.
    pub(super) fn pack(&self, entered: &Entered, room: usize) -> Option<Vec<u8>> {
        let mut lines = self.lines();
        let line = lines.get_mut(&entered.peer)?;
        line.session.as_ref().filter(|session| session.number == entered.number)?;
        let mut datagram = Vec::new();
        while let Some(left) = room.checked_sub(datagram.len() + 1)
            && let Some(bytes) = line.mailbox.take(left)
        {
            let Ok(length) = u8::try_from(bytes.len()) else { continue };
            datagram.push(length);
            datagram.extend(bytes);
        }
        (!datagram.is_empty()).then_some(datagram)
    }

    /// Delivers the messages of a datagram. Returns whether it was well-formed.
    pub(super) fn unpack(&self, entered: &Entered, mut datagram: &[u8]) -> bool {
        if let Some(line) = self.lines().get_mut(&entered.peer)
            && let Some(session) = &mut line.session
            && session.number == entered.number
        {
            session.heard = Instant::now();
        } else {
            return false;
        }
        while let Some((&length, rest)) = datagram.split_first() {
            let length = usize::from(length);
            if length > LONGEST || length > rest.len() {
                return false;
            }
            let (bytes, rest) = rest.split_at(length);
            self.doorway.deliver(entered.peer, bytes);
            datagram = rest;
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

/// Returns 128 random bits.
pub(crate) fn draw() -> u128 {
    use std::hash::{BuildHasher as _, RandomState};
    let half = |salt: u8| {
        let now = std::time::SystemTime::now();
        u128::from(RandomState::new().hash_one((salt, now, std::process::id())))
    };
    half(0) << 64 | half(1)
}
