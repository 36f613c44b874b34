//! What local programs and operators say to a participant of this host: JSON texts, a line each, over
//! a Unix socket.
//!
//! A connection is one request. Most have one answer; to [`Request::Watch`] and [`Request::Stand`]
//! there are many. Whoever stands says every now and then that its command's guard knows how long
//! the leadership is valid ([`Request::Alive`]); where that is not said, or the connection ends, the
//! candidate is gone.

pub(crate) mod chronicle;
pub(crate) mod client;
pub(crate) mod server;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, ReadHalf, WriteHalf};
use tokio::net::UnixStream;

/// The longest line. What comes from a local user is limited, too.
const LONGEST: u64 = 64 * 1024;

/// From the client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Request {
    /// Stand for an office until it is led.
    Stand { office: String, priority: Option<u32> },
    /// While it is led: the guard of the command knows that it is valid until then.
    Alive { until: u64 },
    /// The command has ended.
    Done,
    /// All offices that the participant knows.
    List,
    /// An office.
    Show { office: String },
    /// An office, now and at each change.
    Watch { office: String },
    /// The leader of an office is to leave it.
    Resign { office: String },
    /// The leader of an office is to leave it to this participant.
    Transfer { office: String, to: String },
    /// Who has led an office.
    History { office: String },
    /// The state of the participant.
    Status,
}

/// From the participant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    /// It is not done, and why.
    Refused { why: String },
    /// The office is led, until then on the clock of this host.
    Leading { term: u64, until: u64 },
    /// It is valid for longer.
    Valid { until: u64 },
    /// The command is to end.
    Stopping,
    /// The leadership is over.
    Over,
    /// It is done.
    Done,
    /// Offices.
    Offices(Vec<OfficeReport>),
    /// An office.
    Office(OfficeReport),
    /// Who has led, the latest last.
    History(Vec<Change>),
    /// The state of the participant.
    Status(Box<StatusReport>),
}

/// An office, as a participant sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OfficeReport {
    pub(crate) office: String,
    /// `null`: nobody leads.
    pub(crate) leader: Option<String>,
    /// The term of the leader, or of the last one that is known.
    pub(crate) term: Option<u64>,
    /// Since when this participant has known it.
    pub(crate) since: Option<String>,
    /// How old this is.
    pub(crate) staleness_ms: u64,
    /// Whether it is led here.
    pub(crate) here: bool,
    /// For how long the leadership is certain, where it is led here.
    pub(crate) valid_for_ms: Option<u64>,
}

/// A change of an office.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Change {
    /// When the participant learnt of it; the time of day, in UTC.
    pub(crate) at: String,
    pub(crate) leader: Option<String>,
    pub(crate) term: Option<u64>,
}

/// The state of a participant, and what its configuration promises.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StatusReport {
    pub(crate) version: String,
    pub(crate) heartbeat_ms: f64,
    pub(crate) lease_ms: f64,
    pub(crate) stop_ms: f64,
    /// The stop times of offices; that of others is 0.
    pub(crate) stops_ms: BTreeMap<String, f64>,
    /// How much faster one clock may be than another, in millionths.
    pub(crate) clock_bound_ppm: u32,
    /// The longest vacancy after a silent crash, with the round trips and the disk seen here.
    pub(crate) longest_vacancy_ms: f64,
    /// What the service says of itself.
    pub(crate) state: serde_json::Value,
}

pub(crate) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Where the sockets of participants are. `SUFFRAGE_SOCKETS` is for tests and for users of their own.
fn folder() -> PathBuf {
    let given =
        std::env::var_os("SUFFRAGE_SOCKETS").or_else(|| std::env::var_os("XDG_RUNTIME_DIR"));
    let given = given.map(PathBuf::from).filter(|path| path.is_dir());
    given.unwrap_or_else(|| {
        let run = PathBuf::from("/run");
        if rustix::process::geteuid().is_root() && run.is_dir() {
            run
        } else {
            std::env::temp_dir()
        }
    })
}

/// The socket of the participant with this name, where nothing else is said.
pub(crate) fn place(name: &str) -> PathBuf {
    folder().join(format!("suffrage.{name}.socket"))
}

/// One end of a connection.
#[derive(Debug)]
pub(crate) struct Lines {
    from: BufReader<ReadHalf<UnixStream>>,
    to: WriteHalf<UnixStream>,
    /// What has come of a line, so that waiting for one can be given up without loss.
    begun: Vec<u8>,
}

impl Lines {
    pub(crate) fn new(stream: UnixStream) -> Self {
        let (from, to) = tokio::io::split(stream);
        Self { from: BufReader::new(from), to, begun: Vec::new() }
    }

    /// Writes a line. Not cancellation-safe; lines are short, so that it hardly waits.
    pub(crate) async fn say<T: Serialize>(&mut self, what: &T) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(what)?;
        line.push(b'\n');
        self.to.write_all(&line).await
    }

    /// The next line; `None` at the end. Cancellation-safe.
    pub(crate) async fn hear<T: for<'a> Deserialize<'a>>(&mut self) -> std::io::Result<Option<T>> {
        loop {
            let buffer = self.from.fill_buf().await?;
            if buffer.is_empty() {
                return Ok(None);
            }
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let taken = end.map_or(buffer.len(), |end| end + 1);
            self.begun.extend_from_slice(&buffer[..taken]);
            self.from.consume(taken);
            if self.begun.len() as u64 > LONGEST {
                return Err(std::io::Error::other("the line is too long"));
            }
            if end.is_some() {
                let line = std::mem::take(&mut self.begun);
                return Ok(Some(serde_json::from_slice(&line)?));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_line_that_comes_in_pieces_is_not_lost_when_waiting_is_given_up() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut lines = Lines::new(ours);
        let text = serde_json::to_string(&Request::Show { office: "a".to_owned() }).unwrap();
        let (first, second) = text.split_at(5);
        theirs.write_all(first.as_bytes()).await.unwrap();
        let hasty = tokio::time::timeout(Duration::from_millis(20), lines.hear::<Request>());
        assert!(hasty.await.is_err());
        theirs.write_all(second.as_bytes()).await.unwrap();
        theirs.write_all(b"\n\"list\"\n").await.unwrap();
        assert_eq!(lines.hear().await.unwrap(), Some(Request::Show { office: "a".to_owned() }));
        assert_eq!(lines.hear().await.unwrap(), Some(Request::List));
        drop(theirs);
        assert_eq!(lines.hear::<Request>().await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_line_without_end_is_refused() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut lines = Lines::new(ours);
        let flood =
            tokio::spawn(async move { while theirs.write_all(&[b'x'; 4096]).await.is_ok() {} });
        assert!(lines.hear::<Request>().await.is_err());
        drop(lines);
        flood.await.unwrap();
    }
}
