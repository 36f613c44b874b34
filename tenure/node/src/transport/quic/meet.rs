//! Keeps the connections of a participant: dials members, accepts diallers and answers their introductions, and
//! carries the messages.

use super::conversation::{self, ConversationRights};
use super::copies::{DatagramCopies, PAUSE};
use super::dial::{self, NumberTaken};
use super::dial_state::DialState;
use super::hub::{AdmittedConnection, ConnectionRequest, HubConnection, QuicHub};
use super::introduction::{
    self, DiallerIdentity, DiallerIntroduction, IntroductionReply, Versions,
};
use super::numbers::FIRST_CLIENT;
use crate::config::check_address;
use crate::packet::{self, PeerMessage};
use crate::roster::LONGEST_ADDRESS;
use bytes::Bytes;
use quinn::{
    Connection, ConnectionError, Endpoint, Incoming, RecvStream, SendStream, TransportErrorCode,
    VarInt,
};
use rustls_pki_types::CertificateDer;
use std::future::pending;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use suffrage_net::tls::{CertificateRole, client_name, is_for, is_label, member_name, role};
use suffrage_net::window::PendingConnections;
use tenure_model::Peer;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tracing::{debug, info, warn};

/// How long an operator may take to read what was written last.
const FAREWELL: Duration = Duration::from_secs(1);

/// Keeps a connection to this peer as long as it is a member that this participant dials. Never returns.
pub(super) async fn dial_for_ever(hub: Arc<QuicHub>, endpoint: Endpoint, peer: Peer) {
    let mut members = hub.members.subscribe();
    let seed = hub.instance as u64 ^ u64::from(peer.0);
    let mut state = DialState::new(seed);
    loop {
        let Some((name, address)) = hub.dials(peer) else {
            // It may have to be dialled later nevertheless.
            let looks_again = DialState::looks_again(hub.is_member(peer));
            if let Ok(Err(_)) = timeout(looks_again, members.changed()).await {
                return pending().await;
            }
            continue;
        };
        let why = match dial(&hub, &endpoint, (peer, name), &address).await {
            Ok(admitted) => {
                info!(peer = hub.name(peer), "connected");
                state.connected();
                talk(admitted).await
            }
            Err(error) => error.to_string(),
        };
        let (tells, pause) = state.is_over(&why);
        if tells {
            info!(peer = hub.name(peer), address, why, "no connection");
        }
        hub.failed(peer, why);
        sleep(pause).await;
    }
}

async fn dial(
    hub: &Arc<QuicHub>,
    endpoint: &Endpoint,
    (peer, name): (Peer, String),
    address: &str,
) -> io::Result<AdmittedConnection> {
    let dns = member_name(&hub.parts.cluster, &name);
    let with = (&hub.parts.tls, hub.lease());
    let connection = match hub.votes() {
        true => dial::reach_eagerly(endpoint, with, &dns, address).await?,
        false => dial::reach(endpoint, with, &dns, address).await?,
    };
    let me = hub.peer_number();
    let introduced = dial::introduce(&connection, &hub.introduction()).await;
    if introduced.as_ref().is_err_and(NumberTaken::is) {
        hub.taken(me);
    }
    hub.welcomed((peer, me), introduced?, connection)
}

pub(super) async fn accept_for_ever(hub: Arc<QuicHub>, endpoint: Endpoint) {
    let mut waiting = PendingConnections::new(hub.parts.limits.strangers);
    let mut served = JoinSet::new();
    loop {
        tokio::select! {
            incoming = endpoint.accept() => {
                let Some(incoming) = incoming else { return pending().await };
                if waiting.count() >= hub.parts.limits.strangers / 2 && incoming.may_retry() {
                    // The dialler has to prove its address before it costs a handshake.
                    let _ = incoming.retry();
                } else {
                    // If it is not admitted, dropping it refuses it.
                    waiting.admit(incoming.remote_address(), accept(hub.clone(), incoming));
                }
            }
            accepted = waiting.next() => {
                if let Ok(Some(welcomed)) = accepted {
                    served.spawn(serve(hub.clone(), welcomed));
                }
            }
            Some(_) = served.join_next() => {}
        }
    }
}

/// A dialler that was welcomed, and its connection.
type Welcomed = (Caller<AdmittedConnection>, Connection);

/// Receives the introduction of a dialler, and answers.
async fn accept(hub: Arc<QuicHub>, incoming: Incoming) -> Option<Welcomed> {
    let (from, limit) = (incoming.remote_address(), hub.parts.limits.introduction);
    let why = match timeout(limit, welcome(&hub, incoming)).await {
        Ok(Ok(welcomed)) => return Some(welcomed),
        Ok(Err(error)) if has_left(&error) => {
            debug!(%from, "the dialler has connected otherwise");
            return None;
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("it has not introduced itself within {limit:?}"),
    };
    hub.refused.fetch_add(1, Ordering::Relaxed);
    if let Some(held_back) = hub.refusals.permit(&why) {
        warn!(%from, why, held_back, "refused a connection");
    }
    None
}

fn has_left(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    match inner {
        Some(ConnectionError::ApplicationClosed(close)) => close.error_code == VarInt::from_u32(0),
        // During the handshake the code is not told.
        Some(ConnectionError::ConnectionClosed(close)) => {
            close.error_code == TransportErrorCode::APPLICATION_ERROR
        }
        _ => false,
    }
}

async fn serve(hub: Arc<QuicHub>, welcomed: Welcomed) {
    let (caller, connection) = welcomed;
    match caller {
        Caller::Peer(admitted) => {
            let from = connection.remote_address();
            debug!(%from, peer = hub.name(admitted.peer), "let in");
            talk(admitted).await;
        }
        Caller::CrashNotifier(peer) => serve_crash_notifier(&hub, peer, &connection).await,
        Caller::Operator(rights) => serve_operator(&hub, rights, &connection).await,
        Caller::Visitor => {}
    }
}

/// The dialler: a peer, with what its connection asks for or was given, or another one.
pub(crate) enum Caller<P> {
    Visitor,
    Peer(P),
    CrashNotifier(Peer),
    Operator(ConversationRights),
}

async fn welcome(hub: &Arc<QuicHub>, incoming: Incoming) -> io::Result<Welcomed> {
    let connection = incoming.accept()?.await?;
    let (mut send, mut receive): (SendStream, RecvStream) = connection.accept_bi().await?;
    let bytes = receive.read_to_end(introduction::LONGEST).await.map_err(io::Error::other)?;
    let identity = connection.peer_identity();
    let shown = identity.and_then(|shown| shown.downcast::<Vec<CertificateDer<'static>>>().ok());
    let shown = shown.as_ref().map(|shown| shown.as_slice());
    match answer(hub, shown, &bytes, &connection) {
        Ok((welcome, welcomed)) => {
            let visits = matches!(welcomed, Caller::Visitor);
            send.write_all(&introduction::encode(&welcome)).await?;
            send.finish().map_err(io::Error::other)?;
            if visits {
                connection.closed().await;
            }
            Ok((welcomed, connection))
        }
        Err(refusal) => {
            send.write_all(&introduction::encode(&refusal)).await?;
            send.finish().map_err(io::Error::other)?;
            // Closing the connection before the answer has arrived would lose it.
            let _ = timeout(Duration::from_secs(1), send.stopped()).await;
            connection.close(VarInt::from_u32(1), b"refused");
            Err(io::Error::other(refusal.why()))
        }
    }
}

/// Answers the introduction of the dialler, and admits its connection if it is a peer.
///
/// # Errors
/// The answer that refuses it.
pub(crate) fn answer<C: HubConnection>(
    hub: &Arc<QuicHub<C>>,
    shown: Option<&[CertificateDer<'_>]>,
    bytes: &[u8],
    connection: &C,
) -> Result<(IntroductionReply, Caller<AdmittedConnection<C>>), IntroductionReply> {
    let (version, caller) = check(hub, shown, bytes).map_err(IntroductionReply::Refused)?;
    let welcomed = match caller {
        Caller::Visitor => Caller::Visitor,
        Caller::Peer(candidate) => Caller::Peer(hub.enter(candidate, connection.clone())?),
        Caller::CrashNotifier(peer) => Caller::CrashNotifier(peer),
        Caller::Operator(rights) => Caller::Operator(rights),
    };
    let visits = matches!(welcomed, Caller::Visitor);
    Ok((IntroductionReply::Welcome(Box::new(hub.welcome(version, visits))), welcomed))
}

/// Checks the introduction of the dialler. If it is a member that is refused, the status of this
/// participant says why.
fn check<C: HubConnection>(
    hub: &QuicHub<C>,
    shown: Option<&[CertificateDer<'_>]>,
    bytes: &[u8],
) -> Result<(u16, Caller<ConnectionRequest>), String> {
    let unreadable = || "the introduction cannot be read".to_owned();
    let introduction = introduction::decode::<DiallerIntroduction>(bytes);
    let member = match &introduction {
        Some(DiallerIntroduction { who: DiallerIdentity::Member { name, number }, .. }) => {
            is_host(hub, shown, name, *number).ok()
        }
        _ => None,
    };
    // Of another version all but the versions may be unreadable.
    let theirs = introduction::decode::<Versions>(bytes).ok_or_else(unreadable)?;
    let caller = match hub.parts.versions.common(theirs) {
        Some(version) => introduction.ok_or_else(unreadable).and_then(|introduction| {
            identify(hub, shown, version, introduction).map(|caller| (version, caller))
        }),
        None => Err(format!(
            "no common version of the protocol: `{}` speaks {}, and {} {theirs}",
            hub.parts.me.name,
            hub.parts.versions,
            match member.and_then(|member| hub.name(member)) {
                Some(name) => format!("`{name}`"),
                None => "the other side".to_owned(),
            }
        )),
    };
    if let (Some(member), Err(why)) = (member, &caller) {
        hub.failed(member, format!("refused here: {why}"));
    }
    caller
}

/// Checks the identity of the dialler, and the settings on which all must agree.
fn identify<C: HubConnection>(
    hub: &QuicHub<C>,
    shown: Option<&[CertificateDer<'_>]>,
    version: u16,
    introduction: DiallerIntroduction,
) -> Result<Caller<ConnectionRequest>, String> {
    if introduction.cluster != hub.parts.cluster {
        return Err(format!(
            "this is cluster `{}`, not `{}`",
            hub.parts.cluster,
            shorten(&introduction.cluster)
        ));
    }
    let DiallerIntroduction { agreement, membership, .. } = &introduction;
    if let Some(difference) = hub.difference(agreement.as_ref(), membership.as_ref()) {
        return Err(format!("disagreement about {difference}"));
    }
    let knows = membership.as_ref().map(|theirs| theirs.configuration.tag);
    let (instance, to) = (introduction.instance, hub.peer_number());
    Ok(match introduction.who {
        DiallerIdentity::Visitor => Caller::Visitor,
        DiallerIdentity::Operator => Caller::Operator(operator_rights(hub, shown)?),
        DiallerIdentity::Newcomer(host) => {
            has_certificate(hub, shown, &host.name)?;
            if host.address.len() > LONGEST_ADDRESS || check_address(&host.address).is_err() {
                return Err(format!("`{}` is no address of a member", shorten(&host.address)));
            }
            hub.waits(host);
            Caller::Visitor
        }
        DiallerIdentity::Member { name, number } => {
            let peer = is_host(hub, shown, &name, number)?;
            if hub.votes() && hub.is_member(peer) && peer >= hub.peer_number() {
                return Err(format!("`{}` dials `{name}`, not the other way", hub.parts.me.name));
            }
            Caller::Peer(ConnectionRequest { peer, to, name, version, instance, knows })
        }
        DiallerIdentity::Client { name, credential, number } => {
            let peer = is_client(hub, shown, (&name, &credential, number))?;
            Caller::Peer(ConnectionRequest { peer, to, name, version, instance, knows })
        }
        DiallerIdentity::CrashNotifier { name, number, .. } if number < FIRST_CLIENT => {
            Caller::CrashNotifier(hub.connected_as(is_host(hub, shown, &name, number)?, instance)?)
        }
        DiallerIdentity::CrashNotifier { name, credential, number } => {
            let peer = is_client(hub, shown, (&name, &credential, number))?;
            Caller::CrashNotifier(hub.connected_as(peer, instance)?)
        }
    })
}

/// Checks the certificate of a member, or of a host that says that it is to become one or was one. Either side may know
/// more recent numbers than the other, but no other host has the number of a member.
fn is_host<C: HubConnection>(
    hub: &QuicHub<C>,
    shown: Option<&[CertificateDer<'_>]>,
    name: &str,
    number: u32,
) -> Result<Peer, String> {
    let (peer, members) = (Peer(number), hub.members.borrow());
    let other = members.roster.host(peer).is_some_and(|host| host.name != name);
    if number >= FIRST_CLIENT || peer == hub.peer_number() || other && members.is_member(peer) {
        return Err(format!("there is no member `{}` of number {number}", shorten(name)));
    }
    has_certificate(hub, shown, name)?;
    Ok(peer)
}

/// Checks that the certificate is that of a member of this name.
fn has_certificate<C: HubConnection>(
    hub: &QuicHub<C>,
    shown: Option<&[CertificateDer<'_>]>,
    name: &str,
) -> Result<(), String> {
    let name = shorten(name);
    match is_label(&name) && is_for(shown, &member_name(&hub.parts.cluster, &name)) {
        true => Ok(()),
        false => Err(format!("the certificate is not that of member `{name}`")),
    }
}

/// Checks the names, the certificate and the number of a client.
fn is_client<C: HubConnection>(
    hub: &QuicHub<C>,
    shown: Option<&[CertificateDer<'_>]>,
    (name, credential, number): (&str, &str, u32),
) -> Result<Peer, String> {
    let rest = name.strip_prefix(credential);
    let named = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    if !is_label(name) || !is_label(credential) || !named {
        return Err(format!("`{}` cannot name a client", shorten(name)));
    }
    if !is_for(shown, &client_name(&hub.parts.cluster, credential)) {
        return Err(format!("the certificate is not that of clients `{credential}`"));
    }
    if number < FIRST_CLIENT {
        return Err(format!("{number} is no number of a client"));
    }
    Ok(Peer(number))
}

fn shorten(name: &str) -> String {
    name.chars().take(64).flat_map(char::escape_debug).collect()
}

/// Sends copies of a datagram later, without waiting. The protocol tolerates copies, also late ones.
fn repeat(connection: &Connection, datagram: &Bytes, copies: u32) {
    for copy in 1..=copies {
        let (connection, datagram) = (connection.clone(), datagram.clone());
        tokio::spawn(async move {
            sleep(PAUSE * copy).await;
            // The connection may be over.
            let _ = connection.send_datagram(datagram);
        });
    }
}

/// Carries messages until the connection is over, and returns the reason.
async fn talk(mut admitted: AdmittedConnection) -> String {
    let why = carry(&admitted).await;
    admitted.why.clone_from(&why);
    why
}

async fn carry(admitted: &AdmittedConnection) -> String {
    let (hub, connection) = (&admitted.hub, &admitted.connection);
    let write = async {
        let mut repeats = DatagramCopies::new();
        loop {
            let room = connection.max_datagram_size().unwrap_or(0);
            match hub.pack(admitted, room) {
                Some(datagram) => {
                    let datagram = Bytes::from(datagram);
                    repeat(connection, &datagram, repeats.next(connection));
                    if connection.send_datagram(datagram).is_err() {
                        return pending::<()>().await; // The reader returns the reason.
                    }
                }
                None => admitted.wake.notified().await,
            }
        }
    };
    let read = async {
        loop {
            match connection.read_datagram().await {
                Ok(datagram) => {
                    if !hub.unpack(admitted, &datagram) {
                        connection.close(VarInt::from_u32(1), b"a datagram cannot be read");
                    }
                }
                Err(error) => return error.to_string(),
            }
        }
    };
    tokio::select! {
        () = write => String::new(),
        why = read => why,
    }
}

/// Serves the crash notifier of a peer until the connection is over.
async fn serve_crash_notifier(hub: &QuicHub, peer: Peer, connection: &Connection) {
    let serving = Serving::new(&hub.notifiers);
    if serving.others() >= hub.parts.limits.notifiers {
        return connection.close(VarInt::from_u32(1), b"there are too many crash notifiers");
    }
    let mut members = hub.members.subscribe();
    loop {
        let (mut send, mut receive) = tokio::select! {
            accepted = connection.accept_bi() => match accepted {
                Ok(streams) => streams,
                Err(_) => break,
            },
            // It dials again, and is told who they are.
            _ = members.changed() => break,
        };
        let Ok(bytes) = receive.read_to_end(packet::LONGEST).await else { break };
        if !matches!(PeerMessage::decode(&bytes), Some(PeerMessage::Ended { .. })) {
            break;
        }
        hub.deliver(peer, &bytes);
        let _ = send.finish();
    }
    connection.close(VarInt::from_u32(0), b"");
}

/// Counts a crash notifier or an operator that is served; with the number of the others.
struct Serving<'a>(&'a AtomicUsize, usize);

impl<'a> Serving<'a> {
    fn new(counter: &'a AtomicUsize) -> Self {
        Self(counter, counter.fetch_add(1, Ordering::Relaxed))
    }

    const fn others(&self) -> usize {
        self.1
    }
}

impl Drop for Serving<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Checks the certificate of an operator. Returns what it allows.
fn operator_rights<C: HubConnection>(
    hub: &QuicHub<C>,
    shown: Option<&[CertificateDer<'_>]>,
) -> Result<ConversationRights, String> {
    if !hub.conversations.is_open() {
        return Err("the program of this member answers no operators".to_owned());
    }
    match role(shown, &hub.parts.cluster) {
        Some(CertificateRole::Member | CertificateRole::Operator) => Ok(ConversationRights::Order),
        Some(CertificateRole::Client) => Ok(ConversationRights::Read),
        None => Err(format!(
            "the certificate is that of no member, client or operator of cluster `{}`",
            hub.parts.cluster
        )),
    }
}

/// Serves the connection of an operator until it is over.
async fn serve_operator(hub: &QuicHub, rights: ConversationRights, connection: &Connection) {
    let serving = Serving::new(&hub.operators);
    let refuse = |why: &[u8]| connection.close(VarInt::from_u32(1), why);
    if serving.others() >= hub.parts.limits.operators {
        return refuse(b"too many operators ask");
    }
    let Ok(Ok(stream)) = timeout(conversation::PATIENCE, connection.accept_bi()).await else {
        return refuse(b"nothing was asked");
    };
    let Some(ended) = hub.conversations.begin_on(stream, rights, connection) else {
        return refuse(b"too many operators ask");
    };
    tokio::select! {
        _ = connection.closed() => {}
        _ = ended => {
            let _ = timeout(FAREWELL, connection.closed()).await;
            connection.close(VarInt::from_u32(0), b"");
        }
    }
}
