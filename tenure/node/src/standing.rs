//! The leader of an office to the knowledge of a participant, and the age of that information: when
//! other participants were last heard.

use crate::clock::DeadlineClock;
use futures_core::Stream;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::task::{Context, Poll};
use std::time::Duration;
use tenure_model::{Peer, Setting};
use tenure_protocol::electorate::{Electorate, Members};
use tenure_protocol::value::LeaderValue;
use tokio::sync::watch;
use tokio_stream::wrappers::WatchStream;

/// The leader of an office, if there is one, to the knowledge of a participant.
#[derive(Clone, Debug)]
pub struct OfficeStanding {
    office: Arc<str>,
    leader: Option<KnownLeader>,
    term: Option<u64>,
    /// The leader's value, with the number of its change, if it is known.
    value: Option<(u64, LeaderValue)>,
    heard: HeardFrom,
}

/// A leader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownLeader {
    /// The name, or the number if the name is not known.
    pub name: String,
    /// The number.
    pub peer: Peer,
}

/// The source of the information, which determines its age.
#[derive(Clone, Debug)]
pub(crate) enum HeardFrom {
    /// From this participant itself.
    Here,
    /// As old as the last message of one peer.
    From(Arc<AtomicU64>, Arc<Hearing>),
    /// As old as the last messages of a majority.
    Majority(Arc<Hearing>),
    /// From others, as of an instant.
    At(u64, Arc<Hearing>),
}

impl OfficeStanding {
    pub(crate) fn new(
        office: Arc<str>,
        leader: Option<KnownLeader>,
        term: Option<u64>,
        value: Option<(u64, LeaderValue)>,
        heard: HeardFrom,
    ) -> Self {
        Self { office, leader, term, value, heard }
    }

    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        (&self.leader, self.term, &self.value) == (&other.leader, other.term, &other.value)
    }

    /// Returns the name of the office.
    #[must_use]
    pub fn office(&self) -> &str {
        &self.office
    }

    /// Returns the leader; `None` if none is known.
    #[must_use]
    pub const fn leader(&self) -> Option<&KnownLeader> {
        self.leader.as_ref()
    }

    /// Returns the term of the leader, or of the last known leader if there is none.
    #[must_use]
    pub const fn term(&self) -> Option<u64> {
        self.term
    }

    /// Returns the value that the leader has set ([`Leadership::proclaim`](crate::Leadership::proclaim)); `None` if there
    /// is no leader, it has set none, or its value is not known here yet. A participant never shows an older value after
    /// a newer one.
    #[must_use]
    pub fn value(&self) -> Option<&str> {
        self.value.as_ref().map(|(_, value)| value.text()).filter(|text| !text.is_empty())
    }

    /// Returns how often the leader of this term has changed its value; `None` if that is not known here yet, or there is
    /// no leader. Values are ordered by the term and this number.
    #[must_use]
    pub fn change(&self) -> Option<u64> {
        self.value.as_ref().map(|(change, _)| *change)
    }

    /// Returns how old this is, by the clock, which is read at each call: the time since the leader
    /// was heard or, if there is none, a majority of the members.
    #[must_use]
    pub fn staleness(&self) -> Duration {
        let (hearing, heard) = match &self.heard {
            HeardFrom::Here => return Duration::ZERO,
            HeardFrom::From(last, hearing) => (hearing, last.load(Ordering::Relaxed)),
            HeardFrom::Majority(hearing) => (hearing, hearing.majority()),
            HeardFrom::At(at, hearing) => (hearing, *at),
        };
        Duration::from_nanos(hearing.now().saturating_sub(heard))
    }
}

/// A stream of the standings of one office: the present one first, then each change. Changes that
/// are not read in time are skipped. It ends with its participant.
#[derive(Debug)]
pub struct OfficeWatch {
    stream: WatchStream<OfficeStanding>,
}

impl OfficeWatch {
    pub(crate) fn new(standings: watch::Receiver<OfficeStanding>) -> Self {
        Self { stream: WatchStream::new(standings) }
    }

    /// Waits for the next standing; `None` when the participant has ended. Cancellation-safe.
    pub async fn next(&mut self) -> Option<OfficeStanding> {
        std::future::poll_fn(|context| Pin::new(&mut self.stream).poll_next(context)).await
    }
}

impl Stream for OfficeWatch {
    type Item = OfficeStanding;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.stream).poll_next(context)
    }
}

/// When each peer was last heard, in nanoseconds of the participant's clock.
#[derive(Debug)]
pub(crate) struct Hearing {
    clock: Arc<dyn DeadlineClock>,
    me: Peer,
    electorate: RwLock<Electorate>,
    began: u64,
    peers: RwLock<BTreeMap<Peer, Arc<AtomicU64>>>,
}

/// The maximal number of peers that are remembered.
const MOST_PEERS: usize = 1 << 16;

impl Hearing {
    pub(crate) fn new(clock: Arc<dyn DeadlineClock>, setting: Setting) -> Arc<Self> {
        let began = clock.now();
        let members = Electorate::all(Members::Below(setting.members));
        let (me, electorate) = (setting.me, RwLock::new(members));
        Arc::new(Self { clock, me, electorate, began, peers: RwLock::default() })
    }

    /// Takes these for the members from now on.
    pub(crate) fn change_members(&self, electorate: Electorate) {
        *self.electorate.write().unwrap_or_else(PoisonError::into_inner) = electorate;
    }

    fn electorate(&self) -> Electorate {
        *self.electorate.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn now(&self) -> u64 {
        self.clock.now()
    }

    /// Records that a peer was heard.
    pub(crate) fn hear(&self, peer: Peer, now: u64) {
        if let Some(last) = self.peers.read().unwrap_or_else(PoisonError::into_inner).get(&peer) {
            last.store(now, Ordering::Relaxed);
            return;
        }
        let mut peers = self.peers.write().unwrap_or_else(PoisonError::into_inner);
        if peers.len() >= MOST_PEERS {
            let electorate = self.electorate();
            let oldest = peers
                .iter()
                .filter(|&(&peer, _)| !electorate.contains(peer))
                .min_by_key(|(_, last)| last.load(Ordering::Relaxed))
                .map(|(&peer, _)| peer);
            oldest.and_then(|peer| peers.remove(&peer));
        }
        peers.insert(peer, Arc::new(AtomicU64::new(now)));
    }

    pub(crate) fn of(&self, peer: Peer) -> Option<Arc<AtomicU64>> {
        self.peers.read().unwrap_or_else(PoisonError::into_inner).get(&peer).cloned()
    }

    /// Returns the latest instant since which a majority of the members has been heard; this
    /// participant counts if it is a member.
    pub(crate) fn majority(&self) -> u64 {
        let peers = self.peers.read().unwrap_or_else(PoisonError::into_inner);
        let last = |peer| match peers.get(&peer) {
            _ if peer == self.me => self.now(),
            Some(last) => last.load(Ordering::Relaxed),
            None => self.began,
        };
        let since = |members: Members| {
            let mut all: Vec<u64> = members.iter().map(last).collect();
            all.sort_unstable_by(|a, b| b.cmp(a));
            all.get(members.majority() - 1).copied()
        };
        // While members change, a majority of the old ones and of the new ones.
        self.electorate().halves().filter_map(since).min().unwrap_or(self.began)
    }
}
