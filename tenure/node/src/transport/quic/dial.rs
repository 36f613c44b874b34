//! Reaches hosts, and introduces this side.

use super::endpoint;
use super::introduction::{
    self, DiallerIdentity, DiallerIntroduction, IntroductionReply, Versions, WelcomeReply,
};
use super::reach_state::{self, ATTEMPT, HASTY, ReachInput, ReachOutput, ReachState};
use quinn::{ClientConfig, Connection, ConnectionError, Endpoint};
use std::future::pending;
use std::io;
use std::net::{Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;
use suffrage_net::tasks::addresses;
use suffrage_net::tls::{Tls, any_member_name};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// The maximal number of addresses of a name that are dialled.
const MOST_ADDRESSES: usize = 4;
/// How long one member may take to answer before the next one is dialled, too.
const STAGGER: Duration = Duration::from_millis(250);

/// Returns a socket of any port, from which all addresses can be reached, of both families where the host has
/// them.
///
/// # Errors
/// If there is none.
pub(crate) fn any_socket() -> io::Result<UdpSocket> {
    use rustix::net::{AddressFamily, SocketType, bind, socket, sockopt::set_ipv6_v6only};
    let both = socket(AddressFamily::INET6, SocketType::DGRAM, None).and_then(|socket| {
        set_ipv6_v6only(&socket, false)?;
        bind(&socket, &SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)))?;
        Ok(UdpSocket::from(socket))
    });
    both.or_else(|_| UdpSocket::bind("0.0.0.0:0"))
}

/// Returns an endpoint that dials, and accepts nothing.
pub(crate) fn any_endpoint() -> io::Result<Endpoint> {
    let tokio = Arc::new(quinn::TokioRuntime);
    Endpoint::new(quinn::EndpointConfig::default(), None, any_socket()?, tokio)
}

/// Resolves a host and port to the addresses that can be reached from this endpoint.
async fn resolve(endpoint: &Endpoint, address: &str) -> io::Result<Vec<SocketAddr>> {
    let own = endpoint.local_addr()?;
    let found = addresses(address).await?;
    match (reachable(own, &found), found.first()) {
        (reachable, Some(first)) if reachable.is_empty() => Err(io::Error::other(format!(
            "`{address}` is {}, which cannot be reached from {own}, where this side listens",
            first.ip()
        ))),
        (reachable, _) => Ok(reachable),
    }
}

/// Returns those of the addresses that can be reached from a socket, in their order: those of its family, and
/// any from one of all IPv6 addresses.
fn reachable(own: SocketAddr, found: &[SocketAddr]) -> Vec<SocketAddr> {
    let both = own.is_ipv6() && own.ip().is_unspecified();
    let fits = |to: &&SocketAddr| both || to.is_ipv6() == own.is_ipv6();
    let mut fitting: Vec<_> = found.iter().filter(fits).copied().collect();
    fitting.dedup();
    fitting.truncate(MOST_ADDRESSES);
    fitting
}

/// Connects to a host that has a certificate for the name `dns`: [`ReachState`] says how.
///
/// # Errors
/// If no handshake has succeeded within [`ATTEMPT`], or each address has failed for another reason.
pub(crate) async fn reach(
    endpoint: &Endpoint,
    (tls, lease): (&Tls, Duration),
    dns: &str,
    address: &str,
) -> io::Result<Connection> {
    let config = endpoint::client(tls, lease, endpoint::SENT_AGAIN)?;
    reach_with(endpoint, &config, dns, address, false).await
}

/// Connects as [`reach`], and dials the addresses again and again meanwhile. For members among each other,
/// who are few: of hundreds of clients that come all at once, a member that is slow to answer would
/// be dialled by each again.
pub(super) async fn reach_eagerly(
    endpoint: &Endpoint,
    (tls, lease): (&Tls, Duration),
    dns: &str,
    address: &str,
) -> io::Result<Connection> {
    // New handshakes are as good as what QUIC would send again.
    let config = endpoint::client(tls, lease, HASTY)?;
    reach_with(endpoint, &config, dns, address, true).await
}

async fn reach_with(
    endpoint: &Endpoint,
    config: &ClientConfig,
    dns: &str,
    address: &str,
    eagerly: bool,
) -> io::Result<Connection> {
    let none = |_| io::Error::other(reach_state::silent());
    let addresses = timeout(ATTEMPT, resolve(endpoint, address)).await.map_err(none)??;
    let mut state = ReachState::new(addresses.iter().map(|to| to.ip().to_string()), eagerly);
    let began = Instant::now();
    let mut attempts = JoinSet::new();
    loop {
        let input = tokio::select! {
            Some(Ok((place, done))) = attempts.join_next() => match done {
                Ok(Ok(connection)) => return Ok(connection),
                Ok(Err::<_, ConnectionError>(error)) => ReachInput::Failed(place, error.to_string()),
                Err(_) => continue, // It was silent.
            },
            () = sleep_until(began + state.due()) => ReachInput::Due,
        };
        match state.step(began.elapsed(), input) {
            Some(ReachOutput::Dial(place, limit)) => {
                let connecting = endpoint.connect_with(config.clone(), addresses[place], dns);
                let connecting = connecting.map_err(io::Error::other)?;
                attempts.spawn(async move { (place, timeout(limit, connecting).await) });
            }
            Some(ReachOutput::GiveUp(why)) => return Err(io::Error::other(why)),
            None => {}
        }
    }
}

/// An error: another client has the number of this one.
#[derive(Debug, thiserror::Error)]
#[error("refused: {0}")]
pub(super) struct NumberTaken(String);

impl NumberTaken {
    pub(super) fn is(error: &io::Error) -> bool {
        matches!(error.get_ref(), Some(inner) if inner.is::<Self>())
    }
}

impl IntroductionReply {
    pub(crate) fn why(&self) -> String {
        let why = match self {
            Self::Refused(why) | Self::Taken(why) => why.as_str(),
            Self::Welcome(_) => "",
        };
        why.chars().filter(|c| !c.is_control()).take(500).collect()
    }

    pub(super) fn error(&self) -> io::Error {
        match self {
            Self::Taken(_) => io::Error::other(NumberTaken(self.why())),
            _ => io::Error::other(format!("refused: {}", self.why())),
        }
    }
}

/// Sends the introduction, and receives the answer.
///
/// # Errors
/// If this side is refused, or there is no answer within [`ATTEMPT`].
pub(super) async fn introduce(
    connection: &Connection,
    introduction: &DiallerIntroduction,
) -> io::Result<WelcomeReply> {
    let none = |_| io::Error::other(format!("no answer to the introduction within {ATTEMPT:?}"));
    timeout(ATTEMPT, exchange(connection, introduction)).await.map_err(none)?
}

async fn exchange(
    connection: &Connection,
    introduction: &DiallerIntroduction,
) -> io::Result<WelcomeReply> {
    let (mut send, mut receive) = connection.open_bi().await?;
    send.write_all(&introduction::encode(introduction)).await?;
    send.finish().map_err(io::Error::other)?;
    let bytes =
        receive.read_to_end(introduction::LONGEST_ANSWER).await.map_err(io::Error::other)?;
    told_by(&bytes, introduction.versions)
}

/// Reads the answer to an introduction, whose sender speaks these versions.
///
/// # Errors
/// If it is refused, or the answer is none.
pub(crate) fn told_by(bytes: &[u8], ours: Versions) -> io::Result<WelcomeReply> {
    match introduction::decode(bytes) {
        Some(IntroductionReply::Welcome(welcome)) => {
            let version = welcome.version;
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

/// Asks the member at this address for the list of members. Its name is not known.
pub(super) async fn visit(
    endpoint: &Endpoint,
    (cluster, who): (&str, DiallerIdentity),
    versions: Versions,
    tls: &Tls,
    address: &str,
) -> io::Result<WelcomeReply> {
    let dns = any_member_name(cluster);
    let connection = reach(endpoint, (tls, Duration::ZERO), &dns, address).await?;
    let introduction = DiallerIntroduction::of(versions, cluster, who);
    introduce(&connection, &introduction).await
}

#[cfg(test)]
mod tests;
