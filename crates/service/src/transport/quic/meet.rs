//! Dials and accepts connections, introduces the participants, and carries their messages.

use super::hello::{self, Answer, Hello, Versions, Welcome, Who};
use super::hub::{Candidate, Entered, Hub};
use super::numbers::FIRST_STANDER;
use super::repeats::{PAUSE, Repeats};
use super::{draw, endpoint, herald, operator};
use bytes::Bytes;
use quinn::{Connection, Endpoint, Incoming, RecvStream, SendStream, VarInt};
use rustls_pki_types::CertificateDer;
use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use suffrage_net::backoff::Backoff;
use suffrage_net::tls::{Tls, any_member_name, is_for, is_label, member_name, stander_name};
use suffrage_process::recovery::Peer;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tracing::{debug, info, warn};

/// The time limit of the dialler for handshake and introduction, which take a few round trips.
pub(super) const ATTEMPT: Duration = Duration::from_secs(2);
/// The time limit of the side that is dialled.
const INTRODUCTION: Duration = Duration::from_secs(5);
/// The maximal number of connections that have not introduced themselves.
const UNAUTHENTICATED: usize = 64;
/// How long one member may take to answer before the next one is dialled, too.
const STAGGER: Duration = Duration::from_millis(250);
/// The first and the longest pause between attempts.
const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(100));

/// Keeps a connection to a member, for ever.
pub(super) async fn dial_for_ever(hub: Arc<Hub>, endpoint: Endpoint, peer: Peer, address: String) {
    let seed = hub.instance as u64 ^ u64::from(peer.0);
    let mut backoff = Backoff::new(PAUSES.0, PAUSES.1, seed);
    let mut last = String::new();
    loop {
        let met = timeout(ATTEMPT, dial(&hub, &endpoint, peer, &address)).await;
        let why = match met {
            Ok(Ok(entered)) => {
                info!(peer = hub.name(peer), "connected");
                last.clear();
                backoff.reset();
                talk(&hub, &entered).await
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("no answer within {ATTEMPT:?}"),
        };
        if why != last {
            info!(peer = hub.name(peer), address, why, "no connection");
            last.clone_from(&why);
        }
        hub.failed(peer, why);
        sleep(backoff.failed()).await;
    }
}

/// Resolves a host and port to its first address.
pub(super) async fn resolve(address: &str) -> io::Result<SocketAddr> {
    let first = tokio::net::lookup_host(address).await?.next();
    first.ok_or_else(|| io::Error::other(format!("`{address}` has no address")))
}

async fn dial(hub: &Hub, endpoint: &Endpoint, peer: Peer, address: &str) -> io::Result<Entered> {
    let name = hub.agreement.members[peer.0 as usize].0.clone();
    let to = resolve(address).await?;
    let config = endpoint::client(&hub.tls, hub.lease())?;
    let dns = member_name(&hub.cluster, &name);
    let connecting = endpoint.connect_with(config, to, &dns).map_err(io::Error::other)?;
    let connection = connecting.await?;
    let me = hub.peer_number();
    let who = match hub.is_member(me) {
        true => Who::Member { name: hub.me.name.clone() },
        false => Who::Stander {
            name: hub.me.name.clone(),
            credential: hub.me.credential.clone(),
            number: me.0,
        },
    };
    let hello = Hello {
        versions: hub.versions,
        cluster: hub.cluster.clone(),
        agreement: Some(hub.agreement.clone()),
        instance: hub.instance,
        who,
    };
    let introduced = introduce(&connection, &hello).await;
    if introduced.as_ref().is_err_and(Taken::is) {
        hub.taken(me);
    }
    let Welcome { version, instance, agreement, .. } = introduced?;
    if let Some(difference) = hub.agreement.difference(&agreement) {
        return Err(io::Error::other(format!("`{name}` disagrees about {difference}")));
    }
    let candidate = Candidate { peer, to: me, name, version, instance };
    hub.enter(candidate, connection).map_err(|answer| answer.error())
}

/// An error: another stander has the number of this one.
#[derive(Debug, thiserror::Error)]
#[error("refused: {0}")]
struct Taken(String);

impl Taken {
    fn is(error: &io::Error) -> bool {
        matches!(error.get_ref(), Some(inner) if inner.is::<Self>())
    }
}

impl Answer {
    /// Returns the reason of a refusal, without characters that could confuse a terminal.
    fn why(&self) -> String {
        let why = match self {
            Self::Refused(why) | Self::Taken(why) => why.as_str(),
            Self::Welcome(_) => "",
        };
        why.chars().filter(|c| !c.is_control()).take(500).collect()
    }

    /// Returns the error of the side that is refused.
    fn error(&self) -> io::Error {
        match self {
            Self::Taken(_) => io::Error::other(Taken(self.why())),
            _ => io::Error::other(format!("refused: {}", self.why())),
        }
    }
}

/// Sends the hello, and receives the answer.
pub(super) async fn introduce(connection: &Connection, hello: &Hello) -> io::Result<Welcome> {
    let (mut send, mut receive) = connection.open_bi().await?;
    send.write_all(&hello::encode(hello)).await?;
    send.finish().map_err(io::Error::other)?;
    let bytes = receive.read_to_end(hello::LONGEST_ANSWER).await.map_err(io::Error::other)?;
    match hello::decode(&bytes) {
        Some(Answer::Welcome(welcome)) => {
            let (version, ours) = (welcome.version, hello.versions);
            if !ours.has(version) {
                let why = format!("it has chosen version {version}, and this side speaks {ours}");
                return Err(io::Error::other(why));
            }
            Ok(*welcome)
        }
        Some(refusal) => Err(refusal.error()),
        None => Err(io::Error::other("its answer cannot be read")),
    }
}

/// Makes these attempts, each to reach the member at an address, until one of them succeeds: each begins
/// when the one before it has failed, or has taken a quarter of a second (as in RFC 8305).
///
/// # Errors
/// If none has succeeded within [`ATTEMPT`]; with the reason of each.
pub(super) async fn first<T: Send + 'static>(
    attempts: Vec<(String, impl Future<Output = io::Result<T>> + Send + 'static)>,
) -> io::Result<T> {
    let mut reasons = vec![String::new(); attempts.len()];
    let mut rest = attempts.into_iter().enumerate();
    let mut begun = JoinSet::new();
    loop {
        if let Some((place, (address, attempt))) = rest.next() {
            begun.spawn(async move {
                let none = || io::Error::other(format!("no answer within {ATTEMPT:?}"));
                let done = timeout(ATTEMPT, attempt).await.unwrap_or_else(|_| Err(none()));
                (place, done.map_err(|error| format!("{address}: {error}")))
            });
        }
        let next = async { if rest.len() > 0 { sleep(STAGGER).await } else { pending().await } };
        tokio::select! {
            attempt = begun.join_next() => match attempt {
                Some(Ok((_, Ok(reached)))) => return Ok(reached),
                Some(Ok((place, Err(why)))) => reasons[place] = why,
                Some(Err(error)) => return Err(io::Error::other(error)),
                None => return Err(io::Error::other(reasons.join("; "))),
            },
            () = next => {}
        }
    }
}

/// Asks a member, of which only the address is known, for the list of members.
pub(super) async fn visit(
    endpoint: &Endpoint,
    cluster: &str,
    versions: Versions,
    tls: &Tls,
    to: SocketAddr,
) -> io::Result<Welcome> {
    let config = endpoint::client(tls, Duration::ZERO)?;
    let dns = any_member_name(cluster);
    let connecting = endpoint.connect_with(config, to, &dns).map_err(io::Error::other)?;
    let connection = connecting.await?;
    let hello = Hello {
        versions,
        cluster: cluster.to_owned(),
        agreement: None,
        instance: draw(),
        who: Who::Visitor,
    };
    let welcome = introduce(&connection, &hello).await?;
    if welcome.agreement.members.len() != welcome.addresses.len() {
        return Err(io::Error::other("it has not an address for each member"));
    }
    Ok(welcome)
}

/// Accepts connections, for ever.
pub(super) async fn accept_for_ever(hub: Arc<Hub>, endpoint: Endpoint) {
    let unauthenticated = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    loop {
        tokio::select! {
            incoming = endpoint.accept() => {
                let Some(incoming) = incoming else { return pending().await };
                let now = unauthenticated.load(Ordering::Relaxed);
                if now >= UNAUTHENTICATED {
                    incoming.refuse();
                } else if now >= UNAUTHENTICATED / 2 && incoming.may_retry() {
                    // The dialler has to prove its address before it costs a handshake.
                    let _ = incoming.retry();
                } else {
                    let counted = Counted::new(&unauthenticated);
                    tasks.spawn(accept(hub.clone(), incoming, counted));
                }
            }
            Some(_) = tasks.join_next() => {}
        }
    }
}

/// Counts a connection that has not introduced itself.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(counter: &Arc<AtomicUsize>) -> Self {
        counter.fetch_add(1, Ordering::Relaxed);
        Self(counter.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn accept(hub: Arc<Hub>, incoming: Incoming, counted: Counted) {
    let from = incoming.remote_address();
    let welcome = timeout(INTRODUCTION, welcome(&hub, incoming)).await;
    drop(counted);
    let why = match welcome {
        Ok(Ok(Welcomed::Peer(entered))) => {
            debug!(%from, peer = hub.name(entered.peer), "let in");
            talk(&hub, &entered).await;
            return;
        }
        Ok(Ok(Welcomed::Herald(peer, connection))) => {
            return herald::serve(&hub, peer, &connection).await;
        }
        Ok(Ok(Welcomed::Operator(may_order, connection))) => {
            return operator::serve(&hub, may_order, &connection).await;
        }
        Ok(Ok(Welcomed::Visitor)) => return,
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("it has not introduced itself within {INTRODUCTION:?}"),
    };
    hub.refused.fetch_add(1, Ordering::Relaxed);
    if let Some(held_back) = hub.refusals.permit() {
        warn!(%from, why, held_back, "refused a connection");
    }
}

/// The dialler, as far as it has introduced itself.
enum Caller {
    Visitor,
    Peer(Candidate),
    Herald(Peer),
    /// Whether it may make leaders leave.
    Operator(bool),
}

/// The dialler, after it was answered.
enum Welcomed {
    Visitor,
    Peer(Entered),
    Herald(Peer, Connection),
    Operator(bool, Connection),
}

/// Receives the hello, and answers.
async fn welcome(hub: &Hub, incoming: Incoming) -> io::Result<Welcomed> {
    let connection = incoming.accept()?.await?;
    let (mut send, mut receive): (SendStream, RecvStream) = connection.accept_bi().await?;
    let bytes = receive.read_to_end(hello::LONGEST).await.map_err(io::Error::other)?;
    let caller = check(hub, &connection, &bytes).map_err(Answer::Refused);
    let answer = caller.and_then(|(version, caller)| {
        let welcomed = match caller {
            Caller::Visitor => Welcomed::Visitor,
            Caller::Peer(candidate) => Welcomed::Peer(hub.enter(candidate, connection.clone())?),
            Caller::Herald(peer) => Welcomed::Herald(peer, connection.clone()),
            Caller::Operator(may_order) => Welcomed::Operator(may_order, connection.clone()),
        };
        Ok((version, welcomed))
    });
    match answer {
        Ok((version, welcomed)) => {
            let visits = matches!(welcomed, Welcomed::Visitor);
            let welcome = Answer::Welcome(Box::new(hub.welcome(version, visits)));
            send.write_all(&hello::encode(&welcome)).await?;
            send.finish().map_err(io::Error::other)?;
            if visits {
                connection.closed().await;
            }
            Ok(welcomed)
        }
        Err(refusal) => {
            send.write_all(&hello::encode(&refusal)).await?;
            send.finish().map_err(io::Error::other)?;
            // Closing the connection before the answer has arrived would lose it.
            let _ = timeout(Duration::from_secs(1), send.stopped()).await;
            connection.close(VarInt::from_u32(1), b"refused");
            Err(io::Error::other(refusal.why()))
        }
    }
}

/// Checks the introduction of the dialler. If it is a member that is refused, the status of this
/// participant says why.
fn check(hub: &Hub, connection: &Connection, bytes: &[u8]) -> Result<(u16, Caller), String> {
    let identity = connection.peer_identity();
    let shown = identity.and_then(|shown| shown.downcast::<Vec<CertificateDer<'static>>>().ok());
    let shown = shown.as_ref().map(|shown| shown.as_slice());
    let unreadable = || "the introduction cannot be read".to_owned();
    let hello = hello::decode::<Hello>(bytes);
    let member = match &hello {
        Some(Hello { who: Who::Member { name }, .. }) => is_member(hub, shown, name).ok(),
        _ => None,
    };
    // Of another version all but the versions may be unreadable.
    let theirs = hello::decode::<Versions>(bytes).ok_or_else(unreadable)?;
    let caller = match hub.versions.common(theirs) {
        Some(version) => hello
            .ok_or_else(unreadable)
            .and_then(|hello| identify(hub, shown, version, hello).map(|caller| (version, caller))),
        None => Err(format!(
            "no common version of the protocol: `{}` speaks {}, and {} {theirs}",
            hub.me.name,
            hub.versions,
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
fn identify(
    hub: &Hub,
    shown: Option<&[CertificateDer<'_>]>,
    version: u16,
    hello: Hello,
) -> Result<Caller, String> {
    if hello.cluster != hub.cluster {
        return Err(format!(
            "this is cluster `{}`, not `{}`",
            hub.cluster,
            shorten(&hello.cluster)
        ));
    }
    if let Some(difference) =
        hello.agreement.and_then(|agreement| hub.agreement.difference(&agreement))
    {
        return Err(format!("disagreement about {difference}"));
    }
    let (instance, to) = (hello.instance, hub.peer_number());
    Ok(match hello.who {
        Who::Visitor => Caller::Visitor,
        Who::Operator => Caller::Operator(operator::check(hub, shown)?),
        Who::Member { name } => {
            let peer = is_member(hub, shown, &name)?;
            if peer >= hub.peer_number() {
                return Err(format!("`{}` dials `{name}`, not the other way", hub.me.name));
            }
            Caller::Peer(Candidate { peer, to, name, version, instance })
        }
        Who::Stander { name, credential, number } => {
            let peer = is_stander(hub, shown, (&name, &credential, number))?;
            Caller::Peer(Candidate { peer, to, name, version, instance })
        }
        Who::Herald { name, number, .. } if hub.is_member(Peer(number)) => {
            Caller::Herald(hub.connected_as(is_member(hub, shown, &name)?, instance)?)
        }
        Who::Herald { name, credential, number } => {
            let peer = is_stander(hub, shown, (&name, &credential, number))?;
            Caller::Herald(hub.connected_as(peer, instance)?)
        }
    })
}

/// Checks the certificate of a member, and returns its number.
fn is_member(hub: &Hub, shown: Option<&[CertificateDer<'_>]>, name: &str) -> Result<Peer, String> {
    let Some(peer) = hub.agreement.member(name) else {
        return Err(format!("there is no member `{}`", shorten(name)));
    };
    if !is_for(shown, &member_name(&hub.cluster, name)) {
        return Err(format!("the certificate is not that of member `{name}`"));
    }
    Ok(peer)
}

/// Checks the names, the certificate and the number of a stander.
fn is_stander(
    hub: &Hub,
    shown: Option<&[CertificateDer<'_>]>,
    (name, credential, number): (&str, &str, u32),
) -> Result<Peer, String> {
    let rest = name.strip_prefix(credential);
    let named = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    if !is_label(name) || !is_label(credential) || !named {
        return Err(format!("`{}` cannot name a stander", shorten(name)));
    }
    if !is_for(shown, &stander_name(&hub.cluster, credential)) {
        return Err(format!("the certificate is not that of standers `{credential}`"));
    }
    if number < FIRST_STANDER {
        return Err(format!("{number} is no number of a stander"));
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
async fn talk(hub: &Hub, entered: &Entered) -> String {
    let connection = &entered.connection;
    let write = async {
        let mut repeats = Repeats::new();
        loop {
            let room = connection.max_datagram_size().unwrap_or(0);
            match hub.pack(entered, room) {
                Some(datagram) => {
                    let datagram = Bytes::from(datagram);
                    repeat(connection, &datagram, repeats.next(connection));
                    if connection.send_datagram(datagram).is_err() {
                        return pending::<()>().await; // The reader returns the reason.
                    }
                }
                None => entered.wake.notified().await,
            }
        }
    };
    let read = async {
        loop {
            match connection.read_datagram().await {
                Ok(datagram) => {
                    if !hub.unpack(entered, &datagram) {
                        connection.close(VarInt::from_u32(1), b"a datagram cannot be read");
                    }
                }
                Err(error) => return error.to_string(),
            }
        }
    };
    let why = tokio::select! {
        () = write => String::new(),
        why = read => why,
    };
    hub.left(entered, &why);
    why
}
