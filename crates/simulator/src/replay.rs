//! Schedules that were recorded: the order of events, read from a trace.

use crate::trace::VERSION;
use serde::Deserialize;
use std::io::BufRead;
use suffrage_process::Port;
use suffrage_topology::wiring::End;

/// The order in which things happened in an election.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    source: String,
    steps: Vec<(u64, Recorded)>,
}

/// Something that happened to a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// It woke by itself.
    Wake(u32),
    /// Its alarm rang.
    Alarm(u32),
    /// It crashed, if the experiment has that fault, too; otherwise time passes.
    Crash(u32),
    /// A message reached it.
    Deliver {
        /// The process and the port by which the message came.
        to: End,
        /// How many messages it overtook on its link: 0 where links are FIFO.
        overtakes: u32,
    },
}

impl Recording {
    /// A recording of these steps, each with its tick; `source` says where it is from.
    #[must_use]
    pub const fn new(source: String, steps: Vec<(u64, Recorded)>) -> Self {
        Self { source, steps }
    }

    /// Reads the schedule of a trace as [`Tracer`](crate::Tracer) writes it: its wake-ups, alarms,
    /// deliveries and crashes. All else in it follows from them.
    ///
    /// # Errors
    /// If the input cannot be read, is not a trace, breaks off within a line, or goes back in time;
    /// the error names the line.
    pub fn read(source: &str, input: impl BufRead) -> Result<Self, RecordingError> {
        let mut steps = Vec::new();
        let mut lines = (1_u64..).zip(input.lines());
        let error = |line, what: String| RecordingError { source_: source.into(), line, what };
        match lines.next() {
            Some((_, Ok(first))) if is_header(&first) => {}
            Some((_, Err(io))) => return Err(error(1, io.to_string())),
            _ => {
                let what = "a trace begins with a line {\"suffrage-trace\":1, ...}, as --trace \
                            writes it; this is something else";
                return Err(error(1, what.into()));
            }
        }
        for (number, line) in lines {
            let line = line.map_err(|io| error(number, io.to_string()))?;
            let event: Line = serde_json::from_str(&line)
                .map_err(|json| error(number, format!("not an event of a trace ({json})")))?;
            let step = match (event.event.as_str(), event.node, event.to) {
                ("wake", Some(node), _) => Recorded::Wake(node),
                ("alarm", Some(node), _) => Recorded::Alarm(node),
                ("crash", Some(node), _) => Recorded::Crash(node),
                ("deliver" | "discard", _, Some((node, port))) => Recorded::Deliver {
                    to: End { node, port: Port(port) },
                    overtakes: event.overtakes,
                },
                ("wake" | "alarm" | "crash" | "deliver" | "discard", ..) => {
                    return Err(error(number, "the event does not say where".into()));
                }
                ("send" | "lose" | "duplicate" | "status" | "halt" | "reject", ..) => continue,
                (unknown, ..) => {
                    return Err(error(number, format!("there is no event `{unknown}`")));
                }
            };
            if let Some(&(before, _)) = steps.last()
                && before > event.at
            {
                return Err(error(number, format!("tick {} comes after {before}", event.at)));
            }
            steps.push((event.at, step));
        }
        Ok(Self::new(source.into(), steps))
    }

    /// Where the recording is from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What happened, with the tick at which it did.
    #[must_use]
    pub fn steps(&self) -> &[(u64, Recorded)] {
        &self.steps
    }
}

/// Whether a line begins a trace in the version that this reads.
fn is_header(line: &str) -> bool {
    #[derive(Deserialize)]
    struct Header {
        #[serde(rename = "suffrage-trace")]
        version: u32,
    }
    serde_json::from_str(line).is_ok_and(|Header { version }| version == VERSION)
}

/// The part of a line of a trace that matters for its schedule.
#[derive(Deserialize)]
struct Line {
    at: u64,
    event: String,
    node: Option<u32>,
    to: Option<(u32, u32)>,
    #[serde(default)]
    overtakes: u32,
}

/// A recorded schedule could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{source_}, line {line}: {what}")]
pub struct RecordingError {
    source_: String,
    line: u64,
    what: String,
}
