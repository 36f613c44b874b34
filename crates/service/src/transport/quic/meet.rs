//! Dials and accepts connections, introduces the participants, and carries their messages.

use super::endpoint;
use super::hello::{self, Agreement, Answer, Hello, VERSIONS, Who};
use super::hub::{Candidate, Entered, Hub, draw};
use quinn::{Connection, Endpoint, Incoming, RecvStream, SendStream, VarInt};
use rustls_pki_types::CertificateDer;
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
const ATTEMPT: Duration = Duration::from_secs(2);
/// The time limit of the side that is dialled.
const INTRODUCTION: Duration = Duration::from_secs(5);
/// The maximal number of connections that have not introduced themselves.
const UNAUTHENTICATED: usize = 64;
/// The first and the longest pause between attempts.
const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(100));
/// The smallest number of a stander; smaller ones are reserved for members.
pub(super) const FIRST_STANDER: u32 = 1 << 16;

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
    let who = match hub.is_member(hub.me.peer) {
        true => Who::Member { name: hub.me.name.clone() },
        false => Who::Stander {
            name: hub.me.name.clone(),
            credential: hub.me.credential.clone(),
            number: hub.me.peer.0,
        },
    };
    let hello = Hello {
        versions: VERSIONS,
        cluster: hub.cluster.clone(),
        agreement: Some(hub.agreement.clone()),
        instance: hub.instance,
        who,
    };
    let (version, instance, agreement, _) = introduce(&connection, &hello).await?;
    if let Some(difference) = hub.agreement.difference(&agreement) {
        return Err(io::Error::other(format!("`{name}` disagrees about {difference}")));
    }
    let candidate = Candidate { peer, name, version, instance };
    hub.enter(candidate, connection).map_err(io::Error::other)
}

/// Sends the hello, and receives the answer.
async fn introduce(
    connection: &Connection,
    hello: &Hello,
) -> io::Result<(u16, u128, Agreement, Vec<String>)> {
    let (mut send, mut receive) = connection.open_bi().await?;
    send.write_all(&hello::encode(hello)).await?;
    send.finish().map_err(io::Error::other)?;
    let bytes = receive.read_to_end(hello::LONGEST).await.map_err(io::Error::other)?;
    match hello::decode(&bytes) {
        Some(Answer::Welcome { version, instance, agreement, addresses, .. }) => {
            Ok((version, instance, agreement, addresses))
        }
        Some(Answer::Refused(why)) => {
            let why: String = why.chars().filter(|c| !c.is_control()).take(500).collect();
            Err(io::Error::other(format!("refused: {why}")))
        }
        None => Err(io::Error::other("its answer cannot be read")),
    }
}

/// Asks a member, of which only the address is known, for the list of members.
pub(super) async fn visit(
    endpoint: &Endpoint,
    cluster: &str,
    tls: &Tls,
    address: &str,
) -> io::Result<(Agreement, Vec<String>)> {
    let visit = async {
        let to = resolve(address).await?;
        let config = endpoint::client(tls, Duration::ZERO)?;
        let dns = any_member_name(cluster);
        let connecting = endpoint.connect_with(config, to, &dns).map_err(io::Error::other)?;
        let connection = connecting.await?;
        let hello = Hello {
            versions: VERSIONS,
            cluster: cluster.to_owned(),
            agreement: None,
            instance: draw(),
            who: Who::Visitor,
        };
        let (_, _, agreement, addresses) = introduce(&connection, &hello).await?;
        if agreement.members.len() != addresses.len() {
            return Err(io::Error::other("it has not an address for each member"));
        }
        Ok((agreement, addresses))
    };
    let none = || io::Error::other(format!("no answer within {ATTEMPT:?}"));
    timeout(ATTEMPT, visit).await.unwrap_or_else(|_| Err(none()))
}

/// Accepts connections, for ever.
pub(super) async fn accept_for_ever(hub: Arc<Hub>, endpoint: Endpoint) {
    let unauthenticated = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    loop {
        tokio::select! {
            incoming = endpoint.accept() => {
                let Some(incoming) = incoming else { return std::future::pending().await };
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
        Ok(Ok(Some(entered))) => {
            debug!(%from, peer = hub.name(entered.peer), "let in");
            talk(&hub, &entered).await;
            return;
        }
        Ok(Ok(None)) => return,
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("it has not introduced itself within {INTRODUCTION:?}"),
    };
    hub.refused.fetch_add(1, Ordering::Relaxed);
    if let Some(held_back) = hub.refusals.permit() {
        warn!(%from, why, held_back, "refused a connection");
    }
}

/// Receives the hello, and answers. `None` for a visitor, which has been answered.
async fn welcome(hub: &Hub, incoming: Incoming) -> io::Result<Option<Entered>> {
    let connection = incoming.accept()?.await?;
    let (mut send, mut receive): (SendStream, RecvStream) = connection.accept_bi().await?;
    let bytes = receive.read_to_end(hello::LONGEST).await.map_err(io::Error::other)?;
    let candidate = match hello::decode::<Hello>(&bytes) {
        Some(hello) => check(hub, &connection, hello),
        None => Err("the introduction cannot be read".to_owned()),
    };
    let answer = match candidate {
        Ok((version, candidate)) => {
            let entered = candidate.map(|candidate| hub.enter(candidate, connection.clone()));
            entered.transpose().map(|entered| (version, entered))
        }
        Err(why) => Err(why),
    };
    match answer {
        Ok((version, entered)) => {
            let welcome = Answer::Welcome {
                version,
                name: hub.me.name.clone(),
                instance: hub.instance,
                agreement: hub.agreement.clone(),
                addresses: hub.addresses.clone(),
            };
            send.write_all(&hello::encode(&welcome)).await?;
            send.finish().map_err(io::Error::other)?;
            if entered.is_none() {
                connection.closed().await;
            }
            Ok(entered)
        }
        Err(why) => {
            send.write_all(&hello::encode(&Answer::Refused(why.clone()))).await?;
            send.finish().map_err(io::Error::other)?;
            // Closing the connection before the answer has arrived would lose it.
            let _ = timeout(Duration::from_secs(1), send.stopped()).await;
            connection.close(VarInt::from_u32(1), b"refused");
            Err(io::Error::other(why))
        }
    }
}

/// Checks the identity of the dialler.
fn check(
    hub: &Hub,
    connection: &Connection,
    hello: Hello,
) -> Result<(u16, Option<Candidate>), String> {
    let identity = connection.peer_identity();
    let shown = identity.and_then(|shown| shown.downcast::<Vec<CertificateDer<'static>>>().ok());
    let shown = shown.as_ref().map(|shown| shown.as_slice());
    let version = hello::common(VERSIONS, hello.versions).ok_or_else(|| {
        let (ours, theirs) = (VERSIONS, hello.versions);
        format!(
            "versions {} to {} are spoken here, and {} to {} there",
            ours.0, ours.1, theirs.0, theirs.1
        )
    })?;
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
    let instance = hello.instance;
    match hello.who {
        Who::Visitor => Ok((version, None)),
        Who::Member { name } => {
            let Some(peer) = hub.agreement.member(&name) else {
                return Err(format!("there is no member `{}`", shorten(&name)));
            };
            if !is_for(shown, &member_name(&hub.cluster, &name)) {
                return Err(format!("the certificate is not that of member `{name}`"));
            }
            if peer >= hub.me.peer {
                return Err(format!("`{}` dials `{name}`, not the other way", hub.me.name));
            }
            Ok((version, Some(Candidate { peer, name, version, instance })))
        }
        Who::Stander { name, credential, number } => {
            let rest = name.strip_prefix(&*credential);
            let named = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
            if !is_label(&name) || !is_label(&credential) || !named {
                return Err(format!("`{}` cannot name a stander", shorten(&name)));
            }
            if !is_for(shown, &stander_name(&hub.cluster, &credential)) {
                return Err(format!("the certificate is not that of standers `{credential}`"));
            }
            if number < FIRST_STANDER {
                return Err(format!("{number} is no number of a stander"));
            }
            Ok((version, Some(Candidate { peer: Peer(number), name, version, instance })))
        }
    }
}

fn shorten(name: &str) -> String {
    name.chars().take(64).flat_map(char::escape_debug).collect()
}

/// Carries messages until the connection is over, and returns the reason.
async fn talk(hub: &Hub, entered: &Entered) -> String {
    let connection = &entered.connection;
    let write = async {
        loop {
            let room = connection.max_datagram_size().unwrap_or(0);
            match hub.pack(entered, room) {
                Some(datagram) => {
                    if connection.send_datagram(datagram.into()).is_err() {
                        return std::future::pending::<()>().await; // The reader returns the reason.
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
