//! Accepts connections from peers that have yet to authenticate themselves.

use crate::log_limit::LogLimit;
use crate::window::Waiting;
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
    /// The maximal number at a time. [`Waiting`] describes what happens when there are more.
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
    let mut waiting = Waiting::new(window.connections);
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
                    if let Some(held_back) = errors.permit() {
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
            if let Some(held_back) = handshakes.permit() {
                warn!(%from, held_back, "refused a connection: {error}");
            }
        }
        Ok(Err(error)) => debug!(%from, %error, "an unauthenticated connection"),
        Err(_) => debug!(%from, "an unauthenticated connection that took too long"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    const WINDOW: Window = Window { connections: 3, time: Duration::from_secs(60) };

    #[tokio::test]
    async fn connections_that_say_nothing_make_room_the_oldest_first() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let hold = |mut stream: TcpStream, _| async move {
            let _ = stream.write_all(b"in").await;
            std::future::pending::<()>().await;
            Ok(())
        };
        let accepting = tokio::spawn(accept(listener, WINDOW, hold));
        let connect = || async {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let is_in = stream.read_exact(&mut [0; 2]).await.is_ok();
            (stream, is_in)
        };
        let (mut oldest, is_in) = connect().await;
        assert!(is_in);
        let mut streams = Vec::new();
        while streams.len() < 3 {
            let (stream, is_in) = connect().await;
            // Until the oldest has been there for a while, there is room for three.
            if is_in {
                streams.push(stream);
            }
        }
        assert_eq!(oldest.read(&mut [0]).await.unwrap_or(0), 0, "the oldest is closed");
        accepting.abort();
    }

    #[tokio::test]
    async fn a_panic_in_authentication_reaches_the_owner() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let accepting = tokio::spawn(accept(listener, WINDOW, |_, _| async { panic!("a defect") }));
        let _stream = TcpStream::connect(address).await.unwrap();
        assert!(accepting.await.unwrap_err().is_panic());
    }
}
