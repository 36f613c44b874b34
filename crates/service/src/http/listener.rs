//! The listener: TCP on the loopback interface, or TLS.

use axum::serve::Listener;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use suffrage_net::acceptor::{Rejected, Window, accept};
use suffrage_net::tls::{Site, refresh_for_ever};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// The interval at which the certificate files are checked for changes.
const REFRESH: Duration = Duration::from_secs(5);
/// The limits on clients that have not ended their handshake.
const WINDOW: Window = Window { connections: 64, time: Duration::from_secs(5) };

/// A connection, with TLS or without.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// A connection of a client.
pub(super) struct Client(Box<dyn Stream>);

/// Accepts connections; those with TLS when their handshake has ended, so that no client delays
/// another.
pub(super) enum Door {
    Plain(TcpListener),
    Tls { admitted: mpsc::Receiver<(Client, SocketAddr)>, at: SocketAddr },
}

impl Door {
    /// Opens the door. The tasks run on the present runtime.
    pub(super) fn open(listener: TcpListener, site: Option<Site>) -> io::Result<Self> {
        let Some(site) = site else { return Ok(Self::Plain(listener)) };
        let at = listener.local_addr()?;
        let (admit, admitted) = mpsc::channel(WINDOW.connections);
        let refreshed = site.clone();
        tokio::spawn(refresh_for_ever(move || refreshed.refresh(), REFRESH));
        tokio::spawn(accept(listener, WINDOW, move |stream: TcpStream, from| {
            let (site, admit) = (site.clone(), admit.clone());
            async move {
                let stream = site.accept(stream).await.map_err(Rejected::Handshake)?;
                // Fails if the server has ended.
                let _ = admit.send((Client(Box::new(stream)), from)).await;
                Ok(())
            }
        }));
        Ok(Self::Tls { admitted, at })
    }
}

impl Listener for Door {
    type Io = Client;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Client, SocketAddr) {
        match self {
            Self::Plain(listener) => {
                let (stream, from) = Listener::accept(listener).await;
                (Client(Box::new(stream)), from)
            }
            Self::Tls { admitted, .. } => match admitted.recv().await {
                Some(client) => client,
                None => std::future::pending().await,
            },
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        match self {
            Self::Plain(listener) => listener.local_addr(),
            Self::Tls { at, .. } => Ok(*at),
        }
    }
}

impl AsyncRead for Client {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Client {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
