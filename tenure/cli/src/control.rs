//! The protocol between local programs or operators and a participant: one JSON text per line, over
//! a Unix socket or, from other hosts, a [`Conversation`](tenure_node::Conversation).
//!
//! A connection carries one request. Most requests have one answer; [`Request::Watch`] and
//! [`Request::Stand`] have many. A candidate confirms regularly that its command's guard knows how
//! long the leadership is valid ([`Request::Alive`]); without that, or when the connection ends,
//! the candidate counts as gone.

pub(crate) mod client;
pub(crate) mod history;
pub(crate) mod server;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use suffrage_numbers::in_words;
use tenure_node::status::WorkStatus;
use tenure_node::{ParticipantStatus, ReleaseTicket};
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, ReadHalf, WriteHalf,
};

/// The maximal length of a request, in bytes. Input of local users is limited, too.
const LONGEST_REQUEST: usize = 64 * 1024;

/// The maximal length of an answer, in bytes: it may tell of ten thousand offices and clients.
const LONGEST_ANSWER: usize = 16 * 1024 * 1024;

/// A message from a local program or an operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Request {
    /// Stand for an office until it is led. The command may go on for `stop_ms` after its leadership
    /// was lost; for the configured time of the office if that is not given.
    Stand {
        office: String,
        priority: Option<u32>,
        stop_ms: Option<u64>,
    },
    /// While it is led: the guard of the command knows that the leadership is valid until `until`.
    Alive {
        until: u64,
        /// What the command does, if that has changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command: Option<CommandNews>,
    },
    /// The command has ended.
    Done,
    /// List all offices that any member knows.
    List,
    /// List all offices that the participant knows, or show this one: the question of a member to others.
    Known {
        office: Option<String>,
    },
    /// Show an office, as any member knows it.
    Show {
        office: String,
    },
    /// Show an office, now and at each change.
    Watch {
        office: String,
    },
    /// Ask the leader of an office to leave it.
    Resign {
        office: String,
    },
    /// Ask the leader of an office to leave it to this participant.
    Transfer {
        office: String,
        to: String,
    },
    /// List the leaders that an office has had.
    History {
        office: String,
    },
    Status,
}

/// What the command of a local program does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CommandNews {
    Runs,
    /// It does not run, with the reason.
    Idle(String),
}

impl CommandNews {
    pub(crate) fn why_not(&self) -> Option<&str> {
        match self {
            Self::Runs => None,
            Self::Idle(why) => Some(why),
        }
    }
}

/// A message from the participant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ControlReply {
    /// The request is refused, with the reason.
    Refused {
        why: String,
    },
    /// The office is led in `term`, until `until` on the clock of this host.
    Leading {
        term: u64,
        until: u64,
        /// What a crash notifier has to know of the participant; `None` if there can be no crash notifier.
        release_ticket: Option<Box<ReleaseTicket>>,
    },
    /// The leadership is extended to `until`.
    Valid {
        until: u64,
    },
    Stopping,
    Over,
    Done,
    Offices(Vec<OfficeReport>),
    Office(OfficeReport),
    /// The changes of an office, the latest last.
    History(Vec<LeaderChange>),
    Status(Box<StatusReport>),
}

/// An office, as a participant sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OfficeReport {
    pub(crate) office: String,
    /// The leader; `null` if none is known.
    pub(crate) leader: Option<String>,
    /// The term of the leader, or else the last known term.
    pub(crate) term: Option<u64>,
    /// The time of day at which a member that was asked learnt of it.
    pub(crate) since: Option<String>,
    /// How old this information is.
    pub(crate) staleness_ms: u64,
    /// Whether this participant leads.
    pub(crate) here: bool,
    /// For how long the leadership is certain, if a member that was asked leads.
    pub(crate) valid_for_ms: Option<u64>,
    /// What the command of the leader does, if its program tells: one of a member that was asked, or of a client.
    pub(crate) command: Option<CommandReport>,
}

/// Whether the command of a leader runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommandReport {
    pub(crate) running: bool,
    /// The time of day since which that is so.
    pub(crate) since: String,
    /// Why it does not run.
    pub(crate) why: Option<String>,
}

impl CommandReport {
    pub(crate) fn of(work: &WorkStatus) -> Self {
        let since = SystemTime::now().checked_sub(work.since).unwrap_or(SystemTime::UNIX_EPOCH);
        let since = humantime::format_rfc3339_millis(since).to_string();
        Self { running: work.running, since, why: work.why.clone() }
    }
}

impl Display for CommandReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.running, &self.why) {
            (true, _) => write!(f, "runs since {}", self.since),
            (false, Some(why)) => write!(f, "DOES NOT RUN since {}: {why}", self.since),
            (false, None) => write!(f, "DOES NOT RUN since {}", self.since),
        }
    }
}

/// A change of an office's leader or term.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LeaderChange {
    /// The time of day, in UTC, at which the participant learnt of it.
    pub(crate) at: String,
    pub(crate) leader: Option<String>,
    pub(crate) term: Option<u64>,
}

/// The state of a participant, and the times that its configuration guarantees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StatusReport {
    pub(crate) version: String,
    pub(crate) heartbeat_ms: f64,
    pub(crate) lease_ms: f64,
    pub(crate) stop_ms: f64,
    /// The stop times of offices; 0 for offices that are not listed.
    pub(crate) stops_ms: BTreeMap<String, f64>,
    /// How much faster one clock may be than another, in millionths.
    pub(crate) clock_bound_ppm: u32,
    /// The longest vacancy after a silent crash, given the round trips and disk syncs measured
    /// here.
    pub(crate) longest_vacancy_ms: f64,
    /// The status of the service.
    pub(crate) state: ParticipantStatus,
}

pub(crate) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn folder() -> PathBuf {
    let given = std::env::var_os("TENURE_SOCKETS").or_else(|| std::env::var_os("XDG_RUNTIME_DIR"));
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

pub(crate) fn place(name: &str) -> PathBuf {
    folder().join(format!("tenure.{name}.socket"))
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

    /// Reads the next line; `None` at the end. Cancellation-safe.
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
                return Err(io::Error::other("the line is too long"));
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
