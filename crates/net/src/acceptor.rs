//! Accepts connections from peers that have yet to authenticate themselves.

use crate::log_limit::LogLimit;
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tracing::{debug, warn};

/// Limits on unauthenticated connections.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The maximal number at a time. When there are more, the oldest is dropped.
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
    let mut tasks = JoinSet::new();
    let mut unauthenticated: VecDeque<AbortHandle> = VecDeque::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, from)) => {
                    if unauthenticated.len() >= window.connections {
                        unauthenticated.retain(|task| !task.is_finished());
                    }
                    if unauthenticated.len() >= window.connections
                        && let Some(oldest) = unauthenticated.pop_front()
                    {
                        oldest.abort();
                    }
                    let task = authenticate(stream, from);
                    let limited = attempt(task, window.time, from, handshakes.clone());
                    unauthenticated.push_back(tasks.spawn(limited));
                }
                Err(error) => {
                    // Probably too many open files. Existing connections go on.
                    if let Some(held_back) = errors.permit() {
                        warn!(%error, held_back, "cannot accept connections");
                    }
                    sleep(Duration::from_millis(50)).await;
                }
            },
            Some(ended) = tasks.join_next() => {
                if let Err(error) = ended && error.is_panic() {
                    resume_unwind(error.into_panic());
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
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::io::AsyncReadExt;

    /// Decrements the count when it is dropped.
    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }

    #[tokio::test]
    async fn the_oldest_makes_room() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (now_in, most_in) = (now.clone(), most.clone());
        let window = Window { connections: 3, time: Duration::from_secs(60) };
        let accepting = tokio::spawn(accept(listener, window, move |stream, _| {
            let (now, most) = (now_in.clone(), most_in.clone());
            async move {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                let _counted = Counted(now);
                let _held = stream;
                std::future::pending::<()>().await;
                Ok(())
            }
        }));
        let mut streams = Vec::new();
        for _ in 0..20 {
            streams.push(TcpStream::connect(address).await.unwrap());
        }
        // The first seventeen are closed by the other side.
        for stream in streams.iter_mut().take(17) {
            assert_eq!(stream.read(&mut [0]).await.unwrap_or(0), 0);
        }
        assert!(most.load(Ordering::SeqCst) <= 4, "one may be about to be dropped");
        accepting.abort();
    }

    #[tokio::test]
    async fn a_panic_in_authentication_reaches_the_owner() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let window = Window { connections: 3, time: Duration::from_secs(60) };
        let accepting = tokio::spawn(accept(listener, window, |_, _| async { panic!("a defect") }));
        let _stream = TcpStream::connect(address).await.unwrap();
        assert!(accepting.await.unwrap_err().is_panic());
    }
}
