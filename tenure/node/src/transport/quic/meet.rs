//! Accepts connections, answers the introductions of diallers, and carries the messages of participants.

use super::hello::{self, Answer, Hello, Versions, Who};
use super::hub::{Candidate, Entered, Hub};
use super::numbers::FIRST_STANDER;
use super::repeats::{PAUSE, Repeats};
use super::{herald, operator};
use bytes::Bytes;
use quinn::{
    Connection, ConnectionError, Endpoint, Incoming, RecvStream, SendStream, TransportErrorCode,
    VarInt,
};
use rustls_pki_types::CertificateDer;
use std::future::pending;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use suffrage_net::tls::{is_for, is_label, member_name, stander_name};
use suffrage_net::window::Waiting;
use tenure_model::Peer;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tracing::{debug, warn};

/// Accepts connections. Never returns.
pub(super) async fn accept_for_ever(hub: Arc<Hub>, endpoint: Endpoint) {
    let mut waiting = Waiting::new(hub.limits.strangers);
    let mut served = JoinSet::new();
    loop {
        tokio::select! {
            incoming = endpoint.accept() => {
                let Some(incoming) = incoming else { return pending().await };
                if waiting.count() >= hub.limits.strangers / 2 && incoming.may_retry() {
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

/// Receives the introduction of a dialler, and answers.
async fn accept(hub: Arc<Hub>, incoming: Incoming) -> Option<Welcomed> {
    let (from, limit) = (incoming.remote_address(), hub.limits.introduction);
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
    if let Some(held_back) = hub.refusals.permit() {
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

/// Serves a dialler that was welcomed.
async fn serve(hub: Arc<Hub>, welcomed: Welcomed) {
    match welcomed {
        Welcomed::Peer(entered) => {
            let from = entered.connection.remote_address();
            debug!(%from, peer = hub.name(entered.peer), "let in");
            talk(entered).await;
        }
        Welcomed::Herald(peer, connection) => herald::serve(&hub, peer, &connection).await,
        Welcomed::Operator(may_order, connection) => {
            operator::serve(&hub, may_order, &connection).await;
        }
        Welcomed::Visitor => {}
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
async fn welcome(hub: &Arc<Hub>, incoming: Incoming) -> io::Result<Welcomed> {
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
pub(super) async fn talk(mut entered: Entered) -> String {
    let why = carry(&entered).await;
    entered.why.clone_from(&why);
    why
}

async fn carry(entered: &Entered) -> String {
    let (hub, connection) = (&entered.hub, &entered.connection);
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
    tokio::select! {
        () = write => String::new(),
        why = read => why,
    }
}
