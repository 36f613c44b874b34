//! The protocol between local programs or operators and a participant: one JSON text per line, over
//! a Unix socket or, from other hosts, a [`Conversation`](tenure_node::Conversation).
//! docs/reference/local-protocol.md specifies it for programs in any language.
//!
//! A connection begins with a [greeting](ClientMessage::Hello) and carries one request. Most requests have one
//! answer; [`ClientMessage::Watch`] and [`ClientMessage::Stand`] have many.

pub(crate) mod client;
pub(crate) mod connection;
pub(crate) mod history;
pub(crate) mod messages;
pub(crate) mod server;

pub use messages::{ClientMessage, CommandNews, MemberMessage};
pub(crate) use messages::{
    CommandReport, LeaderChange, MembersReport, OfficeReport, RefusalCode, StatusReport,
};

use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;
use std::time::Duration;
use suffrage_numbers::in_words;
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, ReadHalf, WriteHalf,
};

/// The maximal length of a request, in bytes. Input of local users is limited, too.
const LONGEST_REQUEST: usize = 64 * 1024;

/// The maximal length of an answer, in bytes: it may tell of ten thousand offices and clients.
const LONGEST_ANSWER: usize = 16 * 1024 * 1024;

pub(crate) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the path that a variable of the environment names; an empty one names none.
pub(crate) fn path_in(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The folder of the member of a packaged service.
const SERVICE: &str = "/run/tenure";

/// Returns the folders in which sockets are looked for; a member's own is in the first.
fn folders() -> Vec<PathBuf> {
    let folder_in = |variable| path_in(variable).filter(|path| path.is_dir());
    if let Some(given) = folder_in("TENURE_SOCKETS") {
        return vec![given];
    }
    let run = || Some(PathBuf::from("/run")).filter(|run| run.is_dir());
    let root = rustix::process::geteuid().is_root();
    let own = folder_in("XDG_RUNTIME_DIR").or_else(|| run().filter(|_| root));
    vec![own.unwrap_or_else(std::env::temp_dir), PathBuf::from(SERVICE)]
}

pub(crate) fn place(name: &str) -> PathBuf {
    folders()[0].join(format!("tenure.{name}.socket"))
}

trait ControlStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> ControlStream for T {}

/// One end of a connection.
pub(crate) struct JsonLines {
    from: BufReader<ReadHalf<Box<dyn ControlStream>>>,
    to: WriteHalf<Box<dyn ControlStream>>,
    /// The maximal length of a line that is read.
    longest: usize,
    /// The part of a line that has arrived, kept so that reading a line can be cancelled without
    /// loss.
    begun: Vec<u8>,
}

impl JsonLines {
    /// The end of the side that asks.
    pub(crate) fn of_client(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Self {
        Self::new(Box::new(stream), LONGEST_ANSWER)
    }

    /// The end of the participant.
    fn of_server(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Self {
        Self::new(Box::new(stream), LONGEST_REQUEST)
    }

    fn new(stream: Box<dyn ControlStream>, longest: usize) -> Self {
        let (from, to) = tokio::io::split(stream);
        Self { from: BufReader::new(from), to, longest, begun: Vec::new() }
    }

    /// Writes a line. Not cancellation-safe.
    pub(crate) async fn say<T: Serialize>(&mut self, what: &T) -> io::Result<()> {
        let mut line = serde_json::to_vec(what)?;
        line.push(b'\n');
        self.to.write_all(&line).await
    }

    /// Reads the next line; `None` at the end. One that is no such message is [`io::ErrorKind::InvalidData`].
    /// Cancellation-safe.
    pub(crate) async fn hear<T: for<'a> Deserialize<'a>>(&mut self) -> io::Result<Option<T>> {
        loop {
            let buffer = self.from.fill_buf().await?;
            if buffer.is_empty() {
                return Ok(None);
            }
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let taken = end.map_or(buffer.len(), |end| end + 1);
            self.begun.extend_from_slice(&buffer[..taken]);
            self.from.consume(taken);
            if self.begun.len() > self.longest {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the line is too long"));
            }
            if end.is_some() {
                let line = std::mem::take(&mut self.begun);
                let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, in_words(error));
                return serde_json::from_slice(&line).map(Some).map_err(invalid);
            }
        }
    }
}

#[cfg(test)]
mod tests;
