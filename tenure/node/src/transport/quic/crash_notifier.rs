//! Releases an office for a participant that was killed, so that its successor does not have to
//! wait until the lease is over.
//!
//! A crash notifier is another process on the participant's host. While the participant leads, the crash notifier
//! keeps a connection to each other member, authenticated by the participant's certificate. A member closes it when the
//! members change, and tells who they are when it is made again. When the crash notifier is told that all work of the
//! leadership has ended, it sends one [`PeerMessage::Ended`] on a stream of its own to each member; the end of the answer
//! confirms it.

use super::dial;
use super::introduction::{
    Agreement, DiallerIdentity, DiallerIntroduction, VERSIONS, WelcomeReply,
};
use crate::error::StartError;
use crate::membership::ClusterMembers;
use crate::office::OfficeName;
use crate::packet::PeerMessage;
use crate::roster::RosterHost;
use quinn::{Connection, Endpoint, VarInt};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use suffrage_net::backoff::Backoff;
use suffrage_net::tls::{Tls, TlsFiles, member_name};
use tenure_model::{Peer, Term};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// The first and the longest pause between attempts: longer than the participant's, which has to be connected first.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// The data about its participant that a crash notifier needs. A process that has it, and can read the key, can release
/// the participant's offices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReleaseTicket {
    pub(crate) cluster: String,
    pub(crate) name: String,
    pub(crate) credential: String,
    pub(crate) number: u32,
    /// The instance of the participant, which only its crash notifier and its peers know.
    pub(crate) instance: u128,
    pub(crate) agreement: Agreement,
    pub(crate) membership: ClusterMembers,
    /// The addresses of members as the participant's host has them, by name.
    pub(crate) addresses: BTreeMap<String, String>,
    pub(crate) tls: TlsFiles,
}

/// Connections to the members, by which the office of a participant can be released after the
/// participant was killed.
///
/// Dropping it closes them, and releases nothing.
#[derive(Debug)]
pub struct CrashNotifier {
    endpoint: Endpoint,
    word: watch::Sender<bool>,
    tasks: JoinSet<()>,
    /// How long the leases are owed: afterwards a release changes nothing.
    limit: Duration,
}

impl CrashNotifier {
    /// Starts to connect to all other members, and to connect again whenever a connection ends, for
    /// the leadership of `office` in `term`. The tasks run on the present tokio runtime.
    ///
    /// # Errors
    /// If the certificates cannot be used, there is no socket, or no office can have this name.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn start(
        release_ticket: ReleaseTicket,
        office: &str,
        term: u64,
    ) -> Result<Self, StartError> {
        let office = OfficeName::new(office)?.number();
        let tls = Tls::from_files(release_ticket.tls.clone());
        let tls = tls.map_err(io::Error::other).map_err(StartError::Network)?;
        let endpoint = dial::any_endpoint().map_err(StartError::Network)?;
        let (word, told) = watch::channel(false);
        let limit = release_ticket.agreement.timing().owed();
        let ways = MemberWays {
            members: watch::Sender::new(release_ticket.membership.clone()),
            release_ticket,
            tls,
            endpoint: endpoint.clone(),
            bytes: PeerMessage::Ended { office, term: Term(term) }.encode(),
        };
        let mut tasks = JoinSet::new();
        tasks.spawn(Arc::new(ways).keep_all(told));
        Ok(Self { endpoint, word, tasks, limit })
    }

    /// Releases the office: all members are told that the work of this leadership has ended.
    /// Returns when they know, or when the leases have run out in any case.
    ///
    /// To call this while a process of that work lives breaks the promise that only one leads.
    pub async fn release(mut self) {
        self.word.send_replace(true);
        let all = async { while self.tasks.join_next().await.is_some() {} };
        let _ = timeout(self.limit, all).await;
        self.endpoint.close(VarInt::from_u32(0), b"the office is released");
        let _ = timeout(Duration::from_millis(200), self.endpoint.wait_idle()).await;
    }
}

/// The ways of a crash notifier to the members.
struct MemberWays {
    release_ticket: ReleaseTicket,
    /// The newest members that any member has told of.
    members: watch::Sender<ClusterMembers>,
    tls: Tls,
    endpoint: Endpoint,
    bytes: Vec<u8>,
}

impl MemberWays {
    /// Keeps connections to all members until the word is given, and they have confirmed that they know.
    async fn keep_all(self: Arc<Self>, told: watch::Receiver<bool>) {
        let mut known = BTreeSet::from([Peer(self.release_ticket.number)]);
        let (mut members, mut ways) = (self.members.subscribe(), JoinSet::new());
        loop {
            let now = members.borrow_and_update().clone();
            for (peer, host) in now.hosts().filter(|&(peer, _)| known.insert(peer)) {
                ways.spawn(self.clone().keep(peer, host.clone(), told.clone()));
            }
            tokio::select! {
                _ = members.changed() => {}
                ended = ways.join_next() => if ended.is_none() { return },
            }
        }
    }

    /// Keeps a connection until the word is given, and the member has confirmed that it knows; or it is none any more.
    async fn keep(self: Arc<Self>, peer: Peer, host: RosterHost, mut told: watch::Receiver<bool>) {
        let mut backoff = Backoff::new(PAUSES.0, PAUSES.1, u64::from(peer.0));
        while self.members.borrow().is_member(peer) {
            if let Ok(connection) = self.dial(&host).await {
                backoff.reset();
                tokio::select! {
                    _ = connection.closed() => {}
                    told = async { told.wait_for(|&told| told).await.is_ok() } => {
                        if !told || self.tell(&connection).await.is_ok() {
                            return;
                        }
                    }
                }
            }
            // Certificates may have been renewed meanwhile.
            let _ = self.tls.refresh();
            sleep(backoff.failed()).await;
        }
    }

    async fn dial(&self, host: &RosterHost) -> io::Result<Connection> {
        let ReleaseTicket { cluster, agreement, addresses, .. } = &self.release_ticket;
        let address = host.address_among(addresses);
        let lease = agreement.timing().lease;
        let dns = member_name(cluster, &host.name);
        let known = self.members.borrow().clone();
        let connection = dial::reach(&self.endpoint, (&self.tls, lease), &dns, address).await?;
        let introduction = DiallerIntroduction {
            versions: VERSIONS,
            cluster: cluster.clone(),
            agreement: Some(agreement.clone()),
            membership: Some(known),
            instance: self.release_ticket.instance,
            who: DiallerIdentity::CrashNotifier {
                name: self.release_ticket.name.clone(),
                credential: self.release_ticket.credential.clone(),
                number: self.release_ticket.number,
            },
        };
        let WelcomeReply { membership, .. } = dial::introduce(&connection, &introduction).await?;
        self.members.send_if_modified(|now| {
            let newer = membership.number() > now.number();
            if newer {
                *now = membership;
            }
            newer
        });
        Ok(connection)
    }

    /// Tells the member, and waits until it has confirmed.
    async fn tell(&self, connection: &Connection) -> io::Result<()> {
        let (mut send, mut receive) = connection.open_bi().await?;
        send.write_all(&self.bytes).await?;
        send.finish().map_err(io::Error::other)?;
        receive.read_to_end(0).await.map_err(io::Error::other)?;
        Ok(())
    }
}
