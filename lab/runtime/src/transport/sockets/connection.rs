//! One connection, with its buffers.

use super::Stream;
use crate::wire::{Frame, put_frame};
use bytes::BytesMut;
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf};

/// A connection from which a greeting has been read.
pub(super) struct Opened {
    pub stream: Box<dyn Stream>,
    /// Bytes that arrived after the greeting.
    pub rest: BytesMut,
    /// How often the credentials had been replaced when the connection was made.
    pub credentials: u64,
}

/// One connection after its greetings, or with the answer still to be sent.
pub(super) struct Connection {
    reader: ReadHalf<Box<dyn Stream>>,
    writer: WriteHalf<Box<dyn Stream>>,
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

/// The result of a step of a connection.
pub(super) enum Step {
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

    pub(super) fn put(&mut self, frame: &Frame<'_>) {
        put_frame(&mut self.outgoing, &[], frame);
    }

    /// Reads available bytes and writes pending ones. Cancellation-safe.
    pub(super) async fn step(&mut self) -> io::Result<Step> {
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
            Ok(Step::Wrote)
        };
        tokio::select! {
            read = reader.read_buf(incoming) => read.map(Step::Read),
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
