//! Recorded schedules: the order of events, read from the file of a run.

use crate::{Adversary, trace::RUN_FORMAT};
use serde::Deserialize;
use std::io::BufRead;
use suffrage_model::{Action, End, Port};
use suffrage_numbers::{DistinctKeys, in_words};

/// A recorded schedule: the order of events in an election, and the results of random choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    source: String,
    steps: Vec<(u64, Action)>,
    coins: Vec<u32>,
    around: Option<usize>,
    then: Option<Adversary>,
}

impl Recording {
    /// Creates a recording of these steps, each with its tick; `source` names their origin.
    #[must_use]
    pub const fn new(source: String, steps: Vec<(u64, Action)>) -> Self {
        Self { source, steps, coins: Vec::new(), around: None, then: None }
    }

    /// Returns the same recording, with the first numbers that
    /// [`Net::choose`](suffrage_model::Net) returns, in the order in which processes call it.
    /// After them the seed decides.
    #[must_use]
    pub fn with_coins(self, coins: Vec<u32>) -> Self {
        Self { coins, ..self }
    }

    /// Returns the same recording, in which the actions after the first `after` ones are claimed to
    /// lead back to where they begin, so that they can be repeated forever. A replay checks the
    /// claim: whether all processes, all messages on each link in their order (in any, if links are
    /// not FIFO), all messages that wait for room and all alarms are as they were. If so, it breaks
    /// [`Property::Termination`](crate::Property::Termination). Ticks, depths and counts may
    /// differ.
    #[must_use]
    pub fn that_goes_around(self, after: usize) -> Self {
        Self { around: Some(after), ..self }
    }

    /// Returns the same recording, after which the election goes on: initiators that are still asleep
    /// wake, and messages arrive in the order that the adversary chooses.
    #[must_use]
    pub fn then(self, adversary: Adversary) -> Self {
        Self { then: Some(adversary), ..self }
    }

    /// Reads the schedule of a run as [`Tracer`](crate::Tracer) writes it: its wake-ups, alarms,
    /// deliveries and crashes, the messages lost or duplicated on a link, and the `coins` and the
    /// `loop_start` that its first line may contain. Everything else in it follows from them.
    ///
    /// # Errors
    /// If the input cannot be read, is not a run, breaks off within a line, or goes back in time;
    /// the error names the line.
    pub fn read(source: &str, input: impl BufRead) -> Result<Self, RecordingError> {
        let mut steps = Vec::new();
        let mut lines = (1_u64..).zip(input.lines());
        let error = |line, what: String| RecordingError { source_: source.into(), line, what };
        let first = lines.next().map_or(Ok(String::new()), |(_, first)| first);
        let first = first.map_err(|io| error(1, io.to_string()))?;
        let RecordingHeader { coins, loop_start, .. } =
            RecordingHeader::read(&first).map_err(|what| error(1, what))?;
        for (number, line) in lines {
            let line = line.map_err(|io| error(number, io.to_string()))?;
            let event: RecordingLine = serde_json::from_str(&line).map_err(|json| {
                error(number, format!("not an event of a run ({})", in_words(json)))
            })?;
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
        Ok(Self { around: loop_start, ..Self::new(source.into(), steps).with_coins(coins) })
    }

    /// Returns the name of the input that the recording was read from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the actions in their order, each with its tick.
    #[must_use]
    pub fn steps(&self) -> &[(u64, Action)] {
        &self.steps
    }

    /// Returns the first coins, in the order in which they fell.
    #[must_use]
    pub fn coins(&self) -> &[u32] {
        &self.coins
    }

    /// Returns the number of actions before those that are claimed to lead back to where they
    /// begin.
    #[must_use]
    pub const fn around(&self) -> Option<usize> {
        self.around
    }

    /// Returns how the election goes on after the recording, if it does.
    #[must_use]
    pub const fn continuation(&self) -> Option<Adversary> {
        self.then
    }

    /// Returns whether it has an action that is not possible if links are reliable and FIFO and
    /// processes do not fail.
    #[must_use]
    pub fn has_faults(&self) -> bool {
        self.steps.iter().any(|(_, step)| step.is_fault())
    }
}

/// The part of the first line of a run that matters for its schedule.
#[derive(Deserialize)]
struct RecordingHeader {
    #[serde(rename = "suffrage-run")]
    version: u32,
    #[serde(default)]
    coins: Vec<u32>,
    loop_start: Option<usize>,
}

/// The keys of a first line that is not a `RecordingHeader`, for the error message.
#[derive(Default, Deserialize)]
struct Other {
    #[serde(rename = "suffrage-run")]
    version: Option<u32>,
    #[serde(rename = "suffrage-trace")]
    trace: Option<u32>,
    command: Option<String>,
}

impl RecordingHeader {
    /// Reads the header, or returns a description of the line if it is none.
    fn read(line: &str) -> Result<Self, String> {
        match serde_json::from_str::<DistinctKeys>(line) {
            Err(error) if error.is_data() => return Err(in_words(error)),
            _ => {}
        }
        match serde_json::from_str::<Self>(line) {
            Ok(header) if header.version == RUN_FORMAT => return Ok(header),
            _ => {}
        }
        let other: Other = serde_json::from_str(line).unwrap_or_default();
        let old = |what: &str, how: &str| {
            format!(
                "this is {what} of an earlier version of suffrage, which this version does not \
                 read; write it again with {how}"
            )
        };
        Err(match other {
            Other { version: Some(version), .. } if version != RUN_FORMAT => format!(
                "a run in version {version} of the format; this program reads version {RUN_FORMAT}"
            ),
            Other { trace: Some(_), command: Some(command), .. } => {
                old("a trace", &format!("`{command} --trace FILE`"))
            }
            Other { trace: Some(_), .. } => old("a trace", "`suffrage elect --trace FILE`"),
            // The first line of such a file is not all of its JSON.
            _ if line.starts_with("{\"suffrage-course\"") => {
                old("a course", "`suffrage check --save FILE`")
            }
            _ => format!(
                "a run begins with a line {{\"suffrage-run\":{RUN_FORMAT}, ...}}, as `suffrage \
                 elect --trace`, `suffrage check --save` and `suffrage cluster --trace` write it; \
                 this is something else"
            ),
        })
    }
}

/// The part of a line of a run that matters for its schedule.
#[derive(Deserialize)]
struct RecordingLine {
    at: u64,
    event: String,
    node: Option<u32>,
    to: Option<(u32, u32)>,
    #[serde(default)]
    overtakes: u32,
    #[serde(default)]
    on_link: bool,
}

/// An error: a recorded schedule could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{source_}, line {line}: {what}")]
pub struct RecordingError {
    source_: String,
    line: u64,
    what: String,
}
