//! One connection: dialled, greeted, and with its buffers.

use crate::transport::sockets::endpoint::{ByteStream, Endpoint, Security};
use crate::wire::{
    LONGEST_GREETING, LinkAnswer, LinkFrame, LinkHello, LinkWelcome, Refusal, WireError, greeting,
    put_frame, read_greeting,
};
use bytes::BytesMut;
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// A connection from which a greeting has been read.
pub(super) struct Opened {
    pub stream: Box<dyn ByteStream>,
    /// Bytes that arrived after the greeting.
    pub rest: BytesMut,
    /// How often the credentials had been replaced when the connection was made.
    pub credentials: u64,
}

/// One connection after its greetings, or with the answer still to be sent.
pub(super) struct Connection {
    reader: ReadHalf<Box<dyn ByteStream>>,
    writer: WriteHalf<Box<dyn ByteStream>>,
    pub incoming: BytesMut,
    pub outgoing: BytesMut,
    /// Whether written bytes are not flushed yet.
    dirty: bool,
    /// Whether this side has dialled.
    pub dialled: bool,
    /// The number of payloads that had reached the other side over earlier connections.
    pub received: u64,
    /// The number of payloads for which the other side has room.
    pub window: u32,
    /// As in [`Opened`].
    pub credentials: u64,
}

pub(super) enum Transfer {
    Read(usize),
    Wrote,
}

impl Connection {
    pub(super) fn new(opened: Opened) -> Self {
        let Opened { stream, rest: incoming, credentials } = opened;
        let (reader, writer) = tokio::io::split(stream);
        Self {
            reader,
            writer,
            incoming,
            outgoing: BytesMut::new(),
            dirty: false,
            dialled: false,
            received: 0,
            window: 0,
            credentials,
        }
    }

    pub(super) fn put(&mut self, frame: &LinkFrame<'_>) {
        put_frame(&mut self.outgoing, &[], frame);
    }

    /// Reads available bytes and writes pending ones. Cancellation-safe.
    pub(super) async fn step(&mut self) -> io::Result<Transfer> {
        self.incoming.reserve(512);
        let Self { reader, writer, incoming, outgoing, dirty, .. } = self;
        let writes = !outgoing.is_empty() || *dirty;
        let write = async {
            // Written bytes may stay in the buffer of TLS until they are flushed.
            if outgoing.is_empty() {
                writer.flush().await?;
                *dirty = false;
            } else {
                writer.write_buf(outgoing).await?;
                *dirty = true;
            }
            Ok(Transfer::Wrote)
        };
        tokio::select! {
            read = reader.read_buf(incoming) => read.map(Transfer::Read),
            wrote = write, if writes => wrote,
        }
    }

    /// Sends pending bytes, closes this direction, and waits until the other side closes its own,
    /// so that the last bytes are not lost to a reset.
    pub(super) async fn close(mut self) -> io::Result<()> {
        self.writer.write_all_buf(&mut self.outgoing).await?;
        self.writer.shutdown().await?;
        let mut waste = [0; 256];
        while self.reader.read(&mut waste).await? > 0 {}
        Ok(())
    }
}

pub(super) enum Dialled {
    Up(Opened, LinkWelcome),
    Crossed,
    Refused(Refusal),
    /// There was no valid answer, for this reason.
    Failed(String),
}

/// Dials and sends the greeting. Sets `spoken` as soon as the other side may have received it.
pub(super) async fn dial(endpoint: &Endpoint, hello: &LinkHello, spoken: &AtomicBool) -> Dialled {
    let node = hello.to.0;
    let attempt = async {
        let stream = TcpStream::connect(endpoint.address(node)).await?;
        stream.set_nodelay(true)?;
        let name = endpoint.certificate_name(endpoint.membership.ids()[node as usize]);
        let credentials = endpoint.security.replacements();
        let stream = protect(&endpoint.security, stream, &name).await?;
        introduce(stream, credentials, hello, spoken).await
    };
    match timeout(endpoint.timeouts.greeting, attempt).await {
        Ok(Ok(dialled)) => dialled,
        Ok(Err(error)) => match error.kind() {
            ErrorKind::ConnectionRefused => Dialled::Failed("no process listens there".to_owned()),
            ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::UnexpectedEof => {
                Dialled::Failed("it closes connections".to_owned())
            }
            _ => Dialled::Failed(error.to_string()),
        },
        Err(_) => Dialled::Failed("no answer in time".to_owned()),
    }
}

async fn protect(
    security: &Security,
    stream: TcpStream,
    name: &str,
) -> io::Result<Box<dyn ByteStream>> {
    Ok(match security {
        Security::None => Box::new(stream),
        Security::Tls(tls) => Box::new(tls.connect(stream, name).await?),
    })
}

async fn introduce(
    mut stream: Box<dyn ByteStream>,
    credentials: u64,
    hello: &LinkHello,
    spoken: &AtomicBool,
) -> io::Result<Dialled> {
    let mut out = BytesMut::new();
    greeting(&mut out, hello);
    spoken.store(true, Ordering::Relaxed);
    stream.write_all_buf(&mut out).await?;
    stream.flush().await?;
    let (frame, rest) = first_frame(&mut stream).await?;
    Ok(match read_greeting::<LinkAnswer>(&frame) {
        Ok(LinkAnswer::Welcome(welcome)) => {
            Dialled::Up(Opened { stream, rest, credentials }, welcome)
        }
        Ok(LinkAnswer::Crossed) => Dialled::Crossed,
        Ok(LinkAnswer::Refused(refusal)) => Dialled::Refused(refusal),
        Err(error) => Dialled::Failed(error.to_string()),
    })
}

/// Reads the first frame, and the bytes that arrive after it.
pub(super) async fn first_frame(
    stream: &mut Box<dyn ByteStream>,
) -> io::Result<(BytesMut, BytesMut)> {
    let mut buffer = BytesMut::with_capacity(LONGEST_GREETING + 4);
    loop {
        let frame = crate::wire::take_frame(&mut buffer, LONGEST_GREETING)
            .map_err(|_| io::Error::other(WireError::Foreign))?;
        if let Some(frame) = frame {
            return Ok((frame.into(), buffer));
        }
        if stream.read_buf(&mut buffer).await? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
    }
}

/// Answers a greeting, and closes the connection.
pub(super) async fn answer(mut stream: Box<dyn ByteStream>, answer: &LinkAnswer) -> io::Result<()> {
    let mut out = BytesMut::new();
    greeting(&mut out, answer);
    stream.write_all_buf(&mut out).await?;
    stream.shutdown().await
}
