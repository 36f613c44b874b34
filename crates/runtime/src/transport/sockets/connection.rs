//! One connection, and what is on its way in and out.

use super::Stream;
use crate::wire::{Frame, put_frame};
use bytes::BytesMut;
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf};

/// One connection after its greetings, or with the answer still to be sent.
pub(super) struct Connection {
    reader: ReadHalf<Box<dyn Stream>>,
    writer: WriteHalf<Box<dyn Stream>>,
    pub incoming: BytesMut,
    pub outgoing: BytesMut,
    /// What was written is not flushed yet.
    dirty: bool,
    /// This side has dialled.
    pub dialled: bool,
    /// So much cargo had come to the other side over earlier connections.
    pub received: u64,
    /// So much cargo the other side holds.
    pub window: u32,
}

/// What a connection has done.
pub(super) enum Step {
    Read(usize),
    Wrote,
}

impl Connection {
    pub(super) fn new(stream: Box<dyn Stream>, incoming: BytesMut) -> Self {
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
        }
    }

    pub(super) fn put(&mut self, frame: &Frame<'_>) {
        put_frame(&mut self.outgoing, &[], frame);
    }

    /// Reads what there is and writes what there is to write. Cancelled, it has lost nothing.
    pub(super) async fn step(&mut self) -> io::Result<Step> {
        self.incoming.reserve(512);
        let Self { reader, writer, incoming, outgoing, dirty, .. } = self;
        let writes = !outgoing.is_empty() || *dirty;
        let write = async {
            // What was written may rest in TLS until it is flushed.
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

    /// Sends what there is, closes this way, and waits until the other side closes its own, so
    /// that what was sent last is not lost to a reset.
    pub(super) async fn close(mut self) -> io::Result<()> {
        self.writer.write_all_buf(&mut self.outgoing).await?;
        self.writer.shutdown().await?;
        let mut waste = [0; 256];
        while self.reader.read(&mut waste).await? > 0 {}
        Ok(())
    }
}
