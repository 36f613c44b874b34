//! The listener: TCP on the loopback interface, or TLS.
//!
//! Clients are strangers: however many there are, and however slow, they have a limited number of
//! descriptors of this process, which needs others for its commands and its record.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
#[cfg(target_os = "linux")]
use rustix::net::sockopt::set_tcp_user_timeout;
use std::future::pending;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use suffrage_net::acceptor::{Rejected, Window, accept};
use suffrage_net::tls::{ServerTls, refresh_for_ever};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Sleep, sleep};

/// The interval at which the certificate files are checked for changes.
const REFRESH: Duration = Duration::from_secs(5);

/// The limits on HTTP clients.
#[derive(Clone, Copy, Debug)]
pub(super) struct HttpLimits {
    /// Those on clients that have not ended their handshake, or wait for another one to leave.
    pub(super) window: Window,
    /// The maximal number of other connections.
    pub(super) connections: usize,
    /// The time that a client has for the header of a request, also of the next one.
    pub(super) header: Duration,
    /// The time in which a client has to take a part of an answer.
    pub(super) answer: Duration,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            window: Window { connections: 64, time: Duration::from_secs(5) },
            connections: 128,
            header: Duration::from_secs(5),
            answer: Duration::from_secs(10),
        }
    }
}

/// Accepts and serves connections until the future is dropped; with TLS if there is a certificate. No client
/// delays another, as long as there is room for both.
pub(super) async fn serve(
    listener: TcpListener,
    site: Option<ServerTls>,
    router: Router,
    limits: HttpLimits,
    report: impl Fn(Option<String>) + Send,
) {
    let refreshed = site.clone();
    let refreshing = async {
        match refreshed {
            Some(site) => refresh_for_ever(move || site.refresh(), REFRESH, report).await,
            None => pending().await,
        }
    };
    let room = Arc::new(Semaphore::new(limits.connections));
    let accepting = accept(listener, limits.window, move |stream: TcpStream, _| {
        let (site, router, room) = (site.clone(), router.clone(), room.clone());
        async move {
            give_up_on(&stream, limits.answer)?;
            let stream: Box<dyn HttpStream> = match &site {
                Some(site) => Box::new(site.accept(stream).await.map_err(Rejected::Handshake)?),
                None => Box::new(stream),
            };
            let room = room.acquire_owned().await.map_err(io::Error::other)?;
            tokio::spawn(async move {
                let client = TokioIo::new(HttpConnection::new(stream, limits.answer));
                let serving = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(limits.header)
                    .serve_connection(client, TowerToHyperService::new(router));
                // A client that has gone away, or is too slow, is no error.
                drop(serving.await);
                drop(room);
            });
            Ok(())
        }
    });
    // In one task: a panic of either is noticed.
    tokio::select! {
        () = refreshing => {}
        () = accepting => {}
    }
}

/// Ends the connection of a client that has vanished, once it has not acknowledged for so long what was sent.
fn give_up_on(stream: &TcpStream, after: Duration) -> io::Result<()> {
    // Elsewhere the client keeps its place until the kernel gives up.
    #[cfg(target_os = "linux")]
    set_tcp_user_timeout(stream, u32::try_from(after.as_millis()).unwrap_or(u32::MAX))?;
    #[cfg(not(target_os = "linux"))]
    let _ = (stream, after);
    Ok(())
}

/// A connection, with TLS or without.
trait HttpStream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> HttpStream for T {}

/// A connection of a client, which ends if the client does not take what is written.
struct HttpConnection {
    stream: Box<dyn HttpStream>,
    patience: Duration,
    /// When a write that the client has not taken fails, if there is one.
    until: Option<Pin<Box<Sleep>>>,
}

impl HttpConnection {
    fn new(stream: Box<dyn HttpStream>, patience: Duration) -> Self {
        Self { stream, patience, until: None }
    }

    /// Limits the time of a write.
    fn limit<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.until = None;
            return written;
        }
        let patience = self.patience;
        let until = self.until.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(until.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for HttpConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for HttpConnection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.limit(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let written = Pin::new(&mut self.stream).poll_flush(context);
        self.limit(context, written)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let written = Pin::new(&mut self.stream).poll_shutdown(context);
        self.limit(context, written)
    }
}

#[cfg(test)]
mod tests;
