//! Conversations with a member: operators ask from any host, with a certificate of the cluster, and programs stand over
//! HTTP.
//!
//! This library carries the bytes of a conversation, and the program of the member gives them their meaning. That of an
//! operator is one stream of a connection of its own.

use super::dial;
use super::introduction::{DiallerIdentity, DiallerIntroduction, VERSIONS};
use quinn::{Connection, RecvStream, SendStream};
use std::io;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll};
use std::time::Duration;
use suffrage_net::tls::{Tls, TlsFiles, any_member_name, member_name};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, Join, ReadBuf, duplex, join};
use tokio::sync::{mpsc, oneshot};

/// The lease by which the silence of a member is judged. The member's own lease is shorter.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The conversations that begin with a member.
#[derive(Debug)]
pub struct Conversations(mpsc::Receiver<Conversation>);

impl Conversations {
    /// Returns the next conversation; `None` when the member has ended. Cancellation-safe.
    pub async fn next(&mut self) -> Option<Conversation> {
        self.0.recv().await
    }
}

/// What the other side of a conversation may ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConversationRights {
    /// To be told, and to change nothing: a client's certificate.
    Read,
    /// To be told, and to make leaders leave: the certificate of an operator or a member.
    Order,
    /// To stand for the office that it asks for first, which its token is for: the program of this name in the
    /// configuration, over HTTP.
    Stand(String),
}

/// A conversation with a member: bytes in both directions, in order.
///
/// Dropping it ends the direction of this side. Data that was written still arrives.
#[derive(Debug)]
pub struct Conversation {
    stream: ConversationStream,
    rights: ConversationRights,
    /// Tells the member's side that the conversation is over.
    _over: Option<oneshot::Sender<()>>,
}

#[derive(Debug)]
enum ConversationStream {
    /// With the connection, which is kept open.
    Network(Join<RecvStream, SendStream>, #[expect(dead_code)] Connection),
    Local(DuplexStream),
}

/// How many bytes of a local conversation may be on their way in each direction.
const ON_THE_WAY: usize = 64 * 1024;

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

    /// Returns both sides of a conversation within this process: the other side's, and the member's.
    pub(crate) fn within(rights: ConversationRights) -> (DuplexStream, Self) {
        let (ours, theirs) = duplex(ON_THE_WAY);
        (ours, Self { stream: ConversationStream::Local(theirs), rights, _over: None })
    }

    /// Returns what the other side may ask for. On the operator's side always [`ConversationRights::Order`].
    #[must_use]
    pub const fn rights(&self) -> &ConversationRights {
        &self.rights
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
    let stream = ConversationStream::Network(join(receive, send), connection);
    Ok(Conversation { stream, rights: ConversationRights::Order, _over: None })
}

/// Where conversations go, once a program has asked for them.
#[derive(Debug, Default)]
pub(super) struct ConversationQueue(OnceLock<mpsc::Sender<Conversation>>);

impl ConversationQueue {
    pub(super) fn open(&self, most: usize) -> Option<Conversations> {
        let (sender, receiver) = mpsc::channel(most);
        self.0.set(sender).ok().map(|()| Conversations(receiver))
    }

    /// Returns whether a program answers.
    pub(super) fn is_open(&self) -> bool {
        self.0.get().is_some()
    }

    /// Hands a conversation to the program. Returns whether it was taken: not if too many wait.
    pub(super) fn begin(&self, conversation: Conversation) -> bool {
        self.0.get().is_some_and(|queue| queue.try_send(conversation).is_ok())
    }

    /// Hands a conversation to the program, on a stream of this connection. Returns what ends with the
    /// conversation; `None` if too many wait.
    pub(super) fn begin_on(
        &self,
        (send, receive): (SendStream, RecvStream),
        rights: ConversationRights,
        connection: &Connection,
    ) -> Option<oneshot::Receiver<()>> {
        let (over, ended) = oneshot::channel();
        let stream = ConversationStream::Network(join(receive, send), connection.clone());
        self.begin(Conversation { stream, rights, _over: Some(over) }).then_some(ended)
    }
}

impl AsyncRead for Conversation {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.stream {
            ConversationStream::Network(stream, _) => Pin::new(stream).poll_read(context, buffer),
            ConversationStream::Local(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Conversation {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.stream {
            ConversationStream::Network(stream, _) => Pin::new(stream).poll_write(context, bytes),
            ConversationStream::Local(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            ConversationStream::Network(stream, _) => Pin::new(stream).poll_flush(context),
            ConversationStream::Local(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            ConversationStream::Network(stream, _) => Pin::new(stream).poll_shutdown(context),
            ConversationStream::Local(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
