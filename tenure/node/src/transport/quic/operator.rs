//! Conversations of operators with a member: they ask from any host, with a certificate of the
//! cluster.
//!
//! A conversation is one stream of a connection of its own. This library carries its bytes, and
//! the program of the member gives them their meaning.

use super::dial;
use super::introduction::{DiallerIdentity, DiallerIntroduction, VERSIONS};
use quinn::{Connection, RecvStream, SendStream};
use std::io;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll};
use std::time::Duration;
use suffrage_net::tls::{Tls, TlsFiles, any_member_name, member_name};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{mpsc, oneshot};

/// The lease by which the silence of a member is judged. The member's own lease is shorter.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The conversations of operators that begin with a member.
#[derive(Debug)]
pub struct Operators(mpsc::Receiver<Conversation>);

impl Operators {
    /// Returns the next conversation; `None` when the member has ended. Cancellation-safe.
    pub async fn next(&mut self) -> Option<Conversation> {
        self.0.recv().await
    }
}

/// A conversation between an operator and a member: bytes in both directions, in order.
///
/// Dropping it ends the direction of this side. Data that was written still arrives.
#[derive(Debug)]
pub struct Conversation {
    send: SendStream,
    receive: RecvStream,
    may_order: bool,
    /// Keeps the connection of a dialler.
    _connection: Connection,
    /// Tells the member's side that the conversation is over.
    _over: Option<oneshot::Sender<()>>,
}

/// The address of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// `host:port`.
    pub at: String,
    /// The name of the member; `None` if any member may answer there.
    pub member: Option<String>,
}

impl Conversation {
    /// Begins a conversation with one of these members: the first that answers. Each is dialled when
    /// the one before it was refused, or has not answered for a quarter of a second (as in RFC 8305).
    ///
    /// # Errors
    /// If the certificates cannot be used, or no member answers within two seconds; with the reason
    /// of each.
    pub async fn begin(cluster: &str, files: TlsFiles, members: &[Address]) -> io::Result<Self> {
        let tls = Tls::from_files(files).map_err(io::Error::other)?;
        let attempt = |address: &Address| {
            let (cluster, tls, address) = (cluster.to_owned(), tls.clone(), address.clone());
            (address.at.clone(), async move { dial(&cluster, &tls, &address).await })
        };
        dial::first(members.iter().map(attempt).collect()).await
    }

    /// Returns whether the certificate of the other side allows it to make leaders leave: certificates of
    /// operators and members do. On the operator's side always `true`.
    #[must_use]
    pub const fn may_order(&self) -> bool {
        self.may_order
    }
}

async fn dial(cluster: &str, tls: &Tls, address: &Address) -> io::Result<Conversation> {
    let endpoint = dial::any_endpoint()?;
    let dns = match &address.member {
        Some(name) => member_name(cluster, name),
        None => any_member_name(cluster),
    };
    let connection = dial::reach(&endpoint, (tls, PATIENCE), &dns, &address.at).await?;
    let introduction = DiallerIntroduction::of(VERSIONS, cluster, DiallerIdentity::Operator);
    dial::introduce(&connection, &introduction).await?;
    let (send, receive) = connection.open_bi().await?;
    Ok(Conversation { send, receive, may_order: true, _connection: connection, _over: None })
}

/// Where conversations go, once a program has asked for them.
#[derive(Debug, Default)]
pub(super) struct ConversationQueue(OnceLock<mpsc::Sender<Conversation>>);

impl ConversationQueue {
    pub(super) fn open(&self, most: usize) -> Option<Operators> {
        let (sender, receiver) = mpsc::channel(most);
        self.0.set(sender).ok().map(|()| Operators(receiver))
    }

    /// Returns whether a program answers operators.
    pub(super) fn is_open(&self) -> bool {
        self.0.get().is_some()
    }

    /// Hands a conversation to the program, on a stream of this connection. Returns what ends with the
    /// conversation; `None` if too many wait.
    pub(super) fn begin(
        &self,
        (send, receive): (SendStream, RecvStream),
        may_order: bool,
        connection: &Connection,
    ) -> Option<oneshot::Receiver<()>> {
        let (over, ended) = oneshot::channel();
        let _connection = connection.clone();
        let conversation =
            Conversation { send, receive, may_order, _connection, _over: Some(over) };
        self.0.get()?.try_send(conversation).ok().map(|()| ended)
    }
}

impl AsyncRead for Conversation {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        AsyncRead::poll_read(Pin::new(&mut self.receive), context, buffer)
    }
}

impl AsyncWrite for Conversation {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        AsyncWrite::poll_write(Pin::new(&mut self.send), context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        AsyncWrite::poll_flush(Pin::new(&mut self.send), context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        AsyncWrite::poll_shutdown(Pin::new(&mut self.send), context)
    }
}
