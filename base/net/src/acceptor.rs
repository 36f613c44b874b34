//! Accepts connections from peers that have yet to authenticate themselves.

use crate::log_limit::LogLimit;
use crate::window::PendingConnections;
use std::io;
use std::net::SocketAddr;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tracing::{debug, warn};

/// Limits on unauthenticated connections.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The maximal number at a time. [`PendingConnections`] describes what happens when there are more.
    pub connections: usize,
    /// The time each has to authenticate itself.
    pub time: Duration,
}

/// The reason why an incoming connection was rejected.
#[derive(Debug, thiserror::Error)]
pub enum Rejected {
    /// The TLS handshake failed, for example because of a wrong certificate, which an operator
    /// wants to know.
    #[error("the TLS handshake failed: {0}")]
    Handshake(io::Error),
    /// The other side was no peer, or closed the connection.
    #[error(transparent)]
    Connection(#[from] io::Error),
}

/// Accepts connections until the future is dropped, and passes each to `authenticate`, which has to
/// move the connections that it admits elsewhere, since the window drops those that are still
/// inside.
///
/// Failed handshakes are logged as warnings, within a [`LogLimit`].
///
/// # Panics
/// If `authenticate` does.
pub async fn accept<A, F>(listener: TcpListener, window: Window, authenticate: A)
where
    A: Fn(TcpStream, SocketAddr) -> F,
    F: Future<Output = Result<(), Rejected>> + Send + 'static,
{
    let handshakes = Arc::new(LogLimit::default());
    let errors = LogLimit::default();
    let mut waiting = PendingConnections::new(window.connections);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, from)) => {
                    let task = authenticate(stream, from);
                    let limited = attempt(task, window.time, from, handshakes.clone());
                    if !waiting.admit(from, limited) {
                        debug!(%from, "too many unauthenticated connections");
                    }
                }
                Err(error) => {
                    // Probably too many open files. Existing connections go on.
                    if let Some(held_back) = errors.permit(&error.to_string()) {
                        warn!(%error, held_back, "cannot accept connections");
                    }
                    sleep(Duration::from_millis(50)).await;
                }
            },
            ended = waiting.next() => {
                if let Err(panicked) = ended {
                    resume_unwind(panicked.into_panic());
                }
            }
        }
    }
}

async fn attempt(
    task: impl Future<Output = Result<(), Rejected>>,
    time: Duration,
    from: SocketAddr,
    handshakes: Arc<LogLimit>,
) {
    match timeout(time, task).await {
        Ok(Ok(())) => {}
        Ok(Err(error @ Rejected::Handshake(_))) => {
            let why = error.to_string();
            if let Some(held_back) = handshakes.permit(&why) {
                warn!(%from, held_back, "refused a connection: {why}");
            }
        }
        Ok(Err(error)) => debug!(%from, %error, "an unauthenticated connection"),
        Err(_) => debug!(%from, "an unauthenticated connection that took too long"),
    }
}

#[cfg(test)]
mod tests;
