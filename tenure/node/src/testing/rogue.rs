//! Participants that send messages which no correct one sends.

use super::among_the_same_members;
use crate::membership::ClusterMembers;
use crate::office::OfficeName;
use crate::packet::PeerMessage;
use crate::transport::quic::introduction::{
    self, Agreement, DiallerIdentity, DiallerIntroduction, IntroductionReply, WelcomeReply,
};
use crate::transport::quic::{VERSIONS, dial};
use crate::transport::{Envelope, LocalNetwork, MessageSink, ParticipantTransport};
use quinn::{Connection, Endpoint};
use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use suffrage_net::tls::{Tls, TlsFiles, any_member_name};
use tenure_model::{Office, Peer, Term};
use tenure_protocol::electorate::{Electorate, Members};
use tenure_protocol::reconfiguration::{ConfigurationTag, ReconfigurableMsg, VotingConfiguration};
use tenure_protocol::tenure::{Case, Msg, Rank, With};

/// The epoch that a rogue names for each lease.
const EPOCH: u64 = 1;

/// A participant of a local network that acknowledges each renewal, and grants each request to its sender.
pub struct Rogue {
    me: Peer,
    transport: Arc<dyn ParticipantTransport>,
    known: Arc<Mutex<BTreeMap<Peer, KnownGrants>>>,
}

/// What a rogue knows of a peer, without which its lies would be taken for old messages.
#[derive(Clone, Copy, Debug, Default)]
struct KnownGrants {
    /// The boot of the peer.
    boot: u64,
    /// The epoch of the lease of the rogue at the peer.
    epoch: u64,
}

impl Rogue {
    /// Joins the network, and answers until it ends.
    pub fn join(network: &LocalNetwork, number: u32, name: &str) -> io::Result<Self> {
        let (heard, hears): (Sender<(Peer, Vec<u8>)>, _) = channel();
        // The network is locked while it delivers: it is answered by another thread.
        let sink = MessageSink::new(move |from, bytes: &[u8]| {
            let _ = heard.send((from, bytes.to_vec()));
        });
        let transport = network.join(Peer(number), name, sink);
        let known = Arc::new(Mutex::new(BTreeMap::new()));
        let (answering, learns) = (transport.clone(), known.clone());
        thread::Builder::new()
            .name(format!("rogue-{name}"))
            .spawn(move || grant(&*answering, &hears, &learns))?;
        Ok(Self { me: Peer(number), transport, known })
    }

    /// Sends bytes that are no message.
    pub fn babble(&self, to: u32) {
        let topic = PeerMessage::Ask(Office(1)).topic();
        for bytes in [vec![255; 9], vec![0], vec![0, 250, 1], Vec::new(), vec![7; 128]] {
            self.transport.send(Peer(to), Envelope { topic, bytes });
        }
    }

    /// Sends messages that can be read, and that no correct participant sends: about terms of other peers, with
    /// the greatest numbers that there are, in the right boots and epochs.
    pub fn lie(&self, to: u32, office: &str, term: u64) {
        let office = OfficeName::new(office).map_or(Office(1), |name| name.number());
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let KnownGrants { boot, epoch } = known.get(&Peer(to)).copied().unwrap_or_default();
        drop(known);
        let term = Term(term);
        let (mine, granted) = (Case { office, term, epoch }, Case { office, term, epoch: EPOCH });
        let (number, look, greatest) = (u64::MAX, u32::MAX, Term(u64::MAX));
        for msg in [
            Msg::Renew { boot: 1, number: 1, over: 0 },
            Msg::Request(mine, Rank::Leader, u32::MAX, With::Leader(term)),
            Msg::Lead(mine),
            Msg::Release(mine, Some(Peer(u32::MAX))),
            Msg::Grant(granted, 0, true),
            Msg::Busy(granted, 0, With::Leader(greatest)),
            Msg::Refuse(granted, greatest),
            Msg::Contest(granted, 0),
            Msg::Released(granted),
            Msg::Ack { boot, number, epoch: EPOCH, able: true },
            Msg::Learn { boot: u64::MAX, store: 0, look },
            Msg::Promised { boot, highest: greatest, founded: Some((Peer(u32::MAX), number)) },
            Msg::Blank { boot, store: u64::MAX, look },
        ] {
            self.say(to, PeerMessage::Protocol(among_the_same_members(msg)));
        }
        // It is no host, and tells of members.
        let alone = Electorate::all(Members::from_bits(1 << 7));
        let tag = ConfigurationTag { number: u64::MAX - 1, ballot: greatest };
        let members = VotingConfiguration { tag, ..VotingConfiguration::founding(alone) };
        for msg in [
            ReconfigurableMsg::Members(members),
            ReconfigurableMsg::Prepare(1, greatest),
            ReconfigurableMsg::Prepared(greatest, Some(members)),
            ReconfigurableMsg::Outbid(greatest),
        ] {
            self.say(to, PeerMessage::Protocol(msg));
        }
        self.say(to, PeerMessage::Tell { office, leader: Some((self.me, term)), age: u64::MAX });
    }

    fn say(&self, to: u32, packet: PeerMessage) {
        say(&*self.transport, Peer(to), packet);
    }
}

fn say(transport: &dyn ParticipantTransport, to: Peer, packet: PeerMessage) {
    transport.send(to, Envelope { topic: packet.topic(), bytes: packet.encode() });
}

fn grant(
    transport: &dyn ParticipantTransport,
    hears: &Receiver<(Peer, Vec<u8>)>,
    known: &Mutex<BTreeMap<Peer, KnownGrants>>,
) {
    while let Ok((from, bytes)) = hears.recv() {
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.entry(from).or_default();
        let Some(PeerMessage::Protocol(msg)) = PeerMessage::decode(&bytes) else { continue };
        let answer = match msg.as_tenure() {
            Some(&Msg::Ack { epoch, .. }) => {
                known.epoch = epoch;
                continue;
            }
            Some(&Msg::Renew { boot, number, .. }) => {
                known.boot = boot;
                Msg::Ack { boot, number, epoch: EPOCH, able: true }
            }
            Some(&Msg::Request(case, _, attempt, _)) => Msg::Grant(case, attempt, false),
            Some(&Msg::Release(case, _)) => Msg::Released(case),
            _ => continue,
        };
        say(transport, from, PeerMessage::Protocol(among_the_same_members(answer)));
    }
}

/// A connection to a member, with a certificate of the cluster, that has not introduced itself.
#[derive(Debug)]
pub struct Stranger {
    cluster: String,
    connection: Connection,
    _endpoint: Endpoint,
}

impl Stranger {
    /// Connects to the member at an address.
    pub async fn connect(cluster: &str, files: TlsFiles, address: &str) -> io::Result<Self> {
        let tls = Tls::from_files(files).map_err(io::Error::other)?;
        let endpoint = dial::any_endpoint()?;
        let (dns, lease) = (any_member_name(cluster), Duration::from_secs(5));
        let connection = dial::reach(&endpoint, (&tls, lease), &dns, address).await?;
        Ok(Self { cluster: cluster.to_owned(), connection, _endpoint: endpoint })
    }

    /// Sends these bytes as the introduction, and returns the answer.
    pub async fn introduce(&self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let (mut send, mut receive) = self.connection.open_bi().await?;
        send.write_all(bytes).await?;
        send.finish().map_err(io::Error::other)?;
        receive.read_to_end(1 << 16).await.map_err(io::Error::other)
    }

    /// Introduces itself as a visitor, with `more` bytes behind the introduction, as a newer version may
    /// append. Returns whether it was welcomed.
    pub async fn visit(&self, more: usize) -> io::Result<bool> {
        Ok(self.ask(None, DiallerIdentity::Visitor, more).await?.is_ok())
    }

    /// Introduces itself as a member that agrees with all settings.
    pub async fn enter(&self, settings: &Self, member: &str) -> io::Result<()> {
        let asked = settings.ask(None, DiallerIdentity::Visitor, 0).await?;
        let WelcomeReply { agreement, membership, .. } = asked.map_err(io::Error::other)?;
        let number = membership.roster.number(member).map_or(0, |number| number.0);
        let who = DiallerIdentity::Member { name: member.to_owned(), number };
        let entered = self.ask(Some((agreement, membership)), who, 0).await?;
        entered.map(drop).map_err(io::Error::other)
    }

    async fn ask(
        &self,
        settings: Option<(Agreement, ClusterMembers)>,
        who: DiallerIdentity,
        more: usize,
    ) -> io::Result<Result<WelcomeReply, String>> {
        let introduction = DiallerIntroduction::of(VERSIONS, &self.cluster, who);
        let (agreement, membership) = settings.unzip();
        let introduction = DiallerIntroduction { agreement, membership, ..introduction };
        let mut bytes = introduction::encode(&introduction);
        bytes.resize(bytes.len() + more, 0);
        Ok(match introduction::decode(&self.introduce(&bytes).await?) {
            Some(IntroductionReply::Welcome(welcome)) => Ok(*welcome),
            Some(refusal) => Err(refusal.why()),
            None => Err("its answer cannot be read".to_owned()),
        })
    }

    /// Sends a datagram.
    pub fn send(&self, datagram: Vec<u8>) -> io::Result<()> {
        self.connection.send_datagram(datagram.into()).map_err(io::Error::other)
    }

    /// Waits until the connection is over, and returns why.
    pub async fn closed(&self) -> String {
        self.connection.closed().await.to_string()
    }

    /// Returns whether the connection is over.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.connection.close_reason().is_some()
    }
}
