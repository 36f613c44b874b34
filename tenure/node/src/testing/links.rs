//! The links of a member without a network: what they decide is here, and connections and datagrams are up to the caller.

use crate::clock::DeadlineClock;
use crate::membership::ClusterMembers;
use crate::packet;
use crate::roster::RosterHost;
use crate::timing::LeaseTiming;
use crate::transport::quic::dial::told_by;
use crate::transport::quic::dial_state::DialState;
use crate::transport::quic::endpoint;
use crate::transport::quic::hub::{AdmittedConnection, HubConnection, QuicHub};
use crate::transport::quic::introduction;
use crate::transport::quic::meet::{Caller, answer};
use crate::transport::quic::reach_state::{ReachInput, ReachOutput, ReachState};
use crate::transport::quic::{Agreement, Identity, LIMITS, LinkNews, QuicParts, Versions};
use crate::transport::{Envelope, MessageSink, ParticipantTransport};
use rustls_pki_types::CertificateDer;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use suffrage_net::tls::{Tls, member_name};
use tenure_model::Peer;

/// What a member has of its links.
#[derive(Clone)]
pub struct SteppedLinks(Arc<QuicHub<SteppedConnection>>);

/// A connection, and whether its owner has closed it.
#[derive(Clone, Default)]
struct SteppedConnection(Arc<AtomicBool>);

impl HubConnection for SteppedConnection {
    fn close(&self, _: &[u8]) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_closed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// One side of a connection that was admitted. It leaves when it is dropped.
pub struct SteppedSession(AdmittedConnection<SteppedConnection>);

/// How a member dials another one, again and again if it is to. Time and handshakes are up to the caller; all times are
/// by one clock, from some instant on.
pub struct SteppedDialling {
    links: SteppedLinks,
    peer: Peer,
    state: DialState,
    /// The attempt to reach it, and when that began.
    reach: Option<(Duration, ReachState)>,
    /// How many attempts to reach it have begun.
    reaches: u64,
    /// When something is due next.
    due: Duration,
    /// Whether it waits until it has to dial.
    looks: bool,
}

/// What has happened to a member that dials.
pub enum DiallingNews {
    /// [`SteppedDialling::due`] has come.
    Due,
    /// A handshake has failed, for this reason.
    Failed(String),
    Connected,
    /// The other side has refused the introduction, or the connection is over.
    Over(String),
}

/// What a member is to do that dials.
pub enum DiallingOrder {
    /// Begin a handshake with the one that [`SteppedLinks::dials`] names; it may take this long.
    Dial(Duration),
    /// Write to the log that there is no connection, for this reason.
    Log(String),
}

impl SteppedDialling {
    /// A member with these links that begins to dial a peer. It draws its pauses from the seed.
    #[must_use]
    pub fn new(links: SteppedLinks, peer: Peer, seed: u64) -> Self {
        let (state, due) = (DialState::new(seed), Duration::ZERO);
        Self { links, peer, state, reach: None, reaches: 0, due, looks: true }
    }

    /// Returns when something is due next.
    #[must_use]
    pub const fn due(&self) -> Duration {
        self.due
    }

    /// Returns whether it waits until it has to dial, and so looks at once when the members change.
    #[must_use]
    pub const fn looks(&self) -> bool {
        self.looks
    }

    /// Returns the number of the present attempt to reach the peer, if there is one: the handshakes of others are void.
    #[must_use]
    pub fn reaches(&self) -> Option<u64> {
        self.reach.as_ref().map(|_| self.reaches)
    }

    /// Handles what has happened at this time.
    pub fn step(&mut self, now: Duration, news: DiallingNews) -> Option<DiallingOrder> {
        let input = match news {
            DiallingNews::Connected => {
                self.state.connected();
                (self.reach, self.due) = (None, Duration::MAX);
                return None;
            }
            DiallingNews::Over(why) => return self.over(now, why),
            DiallingNews::Failed(why) => ReachInput::Failed(0, why),
            DiallingNews::Due => {
                let dials = self.links.0.dials(self.peer);
                self.looks = self.reach.is_none() && dials.is_none();
                if self.looks {
                    let again = DialState::looks_again(self.links.0.is_member(self.peer));
                    self.due = now.saturating_add(again);
                    return None;
                }
                if let (None, Some((name, _))) = (&self.reach, dials) {
                    self.reaches += 1;
                    self.reach = Some((now, ReachState::new([name], self.links.0.votes())));
                }
                ReachInput::Due
            }
        };
        let (began, state) = self.reach.as_mut()?;
        let output = state.step(now.saturating_sub(*began), input);
        self.due = *began + state.due();
        match output? {
            ReachOutput::Dial(_, limit) => Some(DiallingOrder::Dial(limit)),
            ReachOutput::GiveUp(why) => self.over(now, why),
        }
    }

    fn over(&mut self, now: Duration, why: String) -> Option<DiallingOrder> {
        let (tells, pause) = self.state.is_over(&why);
        (self.reach, self.due) = (None, now + pause);
        self.links.0.failed(self.peer, why.clone());
        tells.then_some(DiallingOrder::Log(why))
    }
}

impl SteppedLinks {
    /// The links of the member of this name and number, with these versions of the protocol. `behind` is told of peers
    /// that know older members.
    #[must_use]
    pub fn new(
        (name, peer): (&str, Peer),
        timing: &LeaseTiming,
        membership: ClusterMembers,
        versions: &RangeInclusive<u16>,
        (tls, clock): (Tls, Arc<dyn DeadlineClock>),
        (sink, behind): (MessageSink, impl Fn(Peer) + Send + Sync + 'static),
    ) -> Self {
        let parts = QuicParts {
            cluster: "world".to_owned(),
            peer,
            me: Identity { name: name.to_owned(), credential: name.to_owned() },
            agreement: Agreement::new(timing),
            versions: Versions { oldest: *versions.start(), newest: *versions.end() },
            limits: LIMITS,
            membership,
            addresses: BTreeMap::new(),
            stops: Arc::default(),
            tls,
            clock,
        };
        let news = Box::new(move |news| {
            if let LinkNews::Behind(peer) = news {
                behind(peer);
            }
        });
        Self(Arc::new(QuicHub::new(parts, sink, news)))
    }

    /// Returns the name of this peer's host, and the one that its certificate has to have, if this member dials it.
    #[must_use]
    pub fn dials(&self, peer: Peer) -> Option<(String, String)> {
        let (name, _) = self.0.dials(peer)?;
        let shown = member_name(&self.0.parts.cluster, &name);
        Some((name, shown))
    }

    /// Returns what this member says of itself to one that it dials.
    #[must_use]
    pub fn introduction(&self) -> Vec<u8> {
        introduction::encode(&self.0.introduction())
    }

    /// Returns the answer to the introduction of a member that has shown these certificates, and its connection if it is
    /// admitted; or why it is refused.
    pub fn answer(
        &self,
        shown: &[CertificateDer<'_>],
        introduction: &[u8],
    ) -> (Vec<u8>, Result<SteppedSession, String>) {
        let connection = SteppedConnection::default();
        match answer(&self.0, Some(shown), introduction, &connection) {
            Ok((welcome, Caller::Peer(admitted))) => {
                (introduction::encode(&welcome), Ok(SteppedSession(admitted)))
            }
            Ok((other, _)) => (introduction::encode(&other), Err("it is no peer".to_owned())),
            Err(refusal) => (introduction::encode(&refusal), Err(refusal.why())),
        }
    }

    /// Reads the answer of a peer, and admits the connection.
    ///
    /// # Errors
    /// If either side refuses it.
    pub fn answered(&self, peer: Peer, answer: &[u8]) -> Result<SteppedSession, String> {
        let welcome = told_by(answer, self.0.parts.versions).map_err(|error| error.to_string())?;
        let with = (peer, self.0.peer_number());
        let admitted = self.0.welcomed(with, welcome, SteppedConnection::default());
        admitted.map(SteppedSession).map_err(|error| error.to_string())
    }

    /// Returns the silence after which a connection is over.
    #[must_use]
    pub fn silence(&self) -> Duration {
        endpoint::idle(self.0.lease())
    }

    /// Closes all connections, as when the certificates were replaced.
    pub fn renew(&self) {
        self.0.renew();
    }
}

impl ParticipantTransport for SteppedLinks {
    fn send(&self, to: Peer, envelope: Envelope) {
        self.0.send(to, envelope);
    }

    fn use_members(&self, membership: &ClusterMembers) {
        self.0.use_members(membership);
    }

    fn waiting(&self) -> Vec<RosterHost> {
        self.0.waiting()
    }

    fn close(&self) {}
}

impl SteppedSession {
    /// Returns a datagram of messages for the other side, if there are any.
    #[must_use]
    pub fn pack(&self, room: usize) -> Option<Vec<u8>> {
        self.0.hub.pack(&self.0, room)
    }

    /// Delivers the messages of a datagram. Returns whether it could be read.
    #[must_use]
    pub fn unpack(&self, datagram: &[u8]) -> bool {
        self.0.hub.unpack(&self.0, datagram)
    }

    /// Returns whether this side has closed the connection.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.connection.is_closed()
    }

    /// Returns the messages of a datagram.
    pub fn messages(datagram: &[u8]) -> impl Iterator<Item = &[u8]> {
        packet::messages(datagram).filter_map(Result::ok)
    }
}
