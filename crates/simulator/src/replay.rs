//! Schedules that were recorded: the order of events, read from a trace.

use crate::trace::VERSION;
use serde::Deserialize;
use std::io::BufRead;
use suffrage_process::{Action, End, Port};

/// The order in which things happened in an election, and the coins that fell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    source: String,
    steps: Vec<(u64, Action)>,
    coins: Vec<u32>,
    around: Option<usize>,
}

impl Recording {
    /// A recording of these steps, each with its tick; `source` says where it is from.
    #[must_use]
    pub const fn new(source: String, steps: Vec<(u64, Action)>) -> Self {
        Self { source, steps, coins: Vec::new(), around: None }
    }

    /// The same recording, with the first numbers that [`Net::choose`](suffrage_process::Net)
    /// gives, in the order in which processes ask. After them the seed decides.
    #[must_use]
    pub fn with_coins(self, coins: Vec<u32>) -> Self {
        Self { coins, ..self }
    }

    /// The same recording, of which all steps but so many at first are said to lead back to where
    /// they begin, as steps do that can go on for ever. A replay looks whether it is so: whether all
    /// processes, all messages on each link in their order (in any, where links are not FIFO), all
    /// that waits for room and all alarms are as they were. It breaks
    /// [`Property::Termination`](crate::Property::Termination) then. Ticks, depths and counts may
    /// differ.
    #[must_use]
    pub fn that_goes_around(self, after: usize) -> Self {
        Self { around: Some(after), ..self }
    }

    /// Reads the schedule of a trace as [`Tracer`](crate::Tracer) writes it: its wake-ups, alarms,
    /// deliveries and crashes, what was lost or doubled on a link, and the `coins` that its first
    /// line may name. All else in it follows from them.
    ///
    /// # Errors
    /// If the input cannot be read, is not a trace, breaks off within a line, or goes back in time;
    /// the error names the line.
    pub fn read(source: &str, input: impl BufRead) -> Result<Self, RecordingError> {
        let mut steps = Vec::new();
        let mut lines = (1_u64..).zip(input.lines());
        let error = |line, what: String| RecordingError { source_: source.into(), line, what };
        let header = match lines.next() {
            Some((_, Ok(first))) => Header::read(&first),
            Some((_, Err(io))) => return Err(error(1, io.to_string())),
            None => None,
        };
        let Some(Header { coins, .. }) = header else {
            let what = "a trace begins with a line {\"suffrage-trace\":1, ...}, as --trace \
                            writes it; this is something else";
            return Err(error(1, what.into()));
        };
        for (number, line) in lines {
            let line = line.map_err(|io| error(number, io.to_string()))?;
            let event: Line = serde_json::from_str(&line)
                .map_err(|json| error(number, format!("not an event of a trace ({json})")))?;
            let step = match (event.event.as_str(), event.node, event.to) {
                ("wake", Some(node), _) => Action::Wake(node),
                ("alarm", Some(node), _) => Action::Alarm(node),
                ("crash", Some(node), _) => Action::Crash(node),
                ("deliver" | "discard", _, Some((node, port))) => Action::Deliver {
                    to: End { node, port: Port(port) },
                    overtakes: event.overtakes,
                },
                ("lose" | "duplicate", ..) if !event.on_link => continue,
                ("lose", _, Some((node, port))) => {
                    Action::Lose { to: End { node, port: Port(port) } }
                }
                ("duplicate", _, Some((node, port))) => {
                    Action::Duplicate { to: End { node, port: Port(port) } }
                }
                ("wake" | "alarm" | "crash" | "deliver" | "discard" | "lose" | "duplicate", ..) => {
                    return Err(error(number, "the event does not say where".into()));
                }
                ("send" | "status" | "halt" | "reject", ..) => continue,
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
        Ok(Self::new(source.into(), steps).with_coins(coins))
    }

    /// Where the recording is from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What happened, with the tick at which it did.
    #[must_use]
    pub fn steps(&self) -> &[(u64, Action)] {
        &self.steps
    }

    /// The first coins, in the order in which they fell.
    #[must_use]
    pub fn coins(&self) -> &[u32] {
        &self.coins
    }

    /// How many of its steps come before those that are said to lead back to where they begin.
    #[must_use]
    pub const fn around(&self) -> Option<usize> {
        self.around
    }

    /// Whether something in it cannot happen where links are reliable and FIFO and processes do
    /// not fail.
    #[must_use]
    pub fn has_faults(&self) -> bool {
        self.steps.iter().any(|(_, step)| step.is_fault())
    }
}

/// The part of the first line of a trace that matters for its course.
#[derive(Deserialize)]
struct Header {
    #[serde(rename = "suffrage-trace")]
    version: u32,
    #[serde(default)]
    coins: Vec<u32>,
}

impl Header {
    /// Reads it, if the line begins a trace in the version that this reads.
    fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok().filter(|header: &Self| header.version == VERSION)
    }
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
    #[serde(default)]
    on_link: bool,
}

/// A recorded schedule could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{source_}, line {line}: {what}")]
pub struct RecordingError {
    source_: String,
    line: u64,
    what: String,
}
