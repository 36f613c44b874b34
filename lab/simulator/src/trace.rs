//! The events of an election, and the observer that writes them as JSON lines.

use serde::Serialize;
use std::{fmt, io::Write};
use suffrage_model::{Action, Status};
use suffrage_networks::wiring::End;

/// An event of an election.
#[derive(Clone, Copy)]
pub enum ElectionEvent<'a> {
    /// An initiator wakes spontaneously.
    Wake(u32),
    /// An alarm rings.
    Alarm(u32),
    /// A message is sent.
    Send(TracedMessage<'a>),
    /// A message arrives, having overtaken this number of messages on its link.
    Deliver(TracedMessage<'a>, u32),
    /// A message arrives at a process that has halted or crashed, and is dropped.
    Discard(TracedMessage<'a>, u32),
    /// A fault: a message is lost.
    Lose(TracedMessage<'a>, Struck),
    /// A fault: a message is duplicated.
    Duplicate(TracedMessage<'a>, Struck),
    /// A process changes its status.
    Status(u32, Status),
    /// A process halts.
    Halt(u32),
    /// A fault: a process crashes.
    Crash(u32),
    /// A process rejects a message that cannot reach it, for this reason.
    Reject(u32, &'a str),
}

/// The point at which a fault strikes a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Struck {
    /// When it is sent: it never enters its link, or enters it twice.
    AsSent,
    /// When it is the first message on its link: a step of a recording.
    OnLink,
}

/// A message under way.
#[derive(Clone, Copy)]
pub struct TracedMessage<'a> {
    /// The sender and its port.
    pub from: End,
    /// The receiver and its port.
    pub to: End,
    /// The name of the message's kind.
    pub kind: &'static str,
    /// The message itself.
    pub message: &'a dyn fmt::Debug,
}

/// An observer of the events of an election.
pub trait Observer {
    /// Receives an event, which happens at tick `at`. `clock` is the causal depth: of the message,
    /// or else of what its process knows.
    fn event(&mut self, at: u64, clock: u32, event: &ElectionEvent<'_>);

    /// Receives the state of a process: of each before the first event, and of the one that reacts
    /// after each of its reactions, behind the messages that it sends and before the change of its status.
    /// The default ignores it.
    fn state(&mut self, node: u32, state: &dyn fmt::Debug) {
        let _ = (node, state);
    }

    /// Receives a number that a process has drawn, before the messages that it sends on account of it.
    /// The default ignores it.
    fn choice(&mut self, node: u32, number: u32) {
        let _ = (node, number);
    }
}

impl<O: Observer + ?Sized> Observer for &mut O {
    fn event(&mut self, at: u64, clock: u32, event: &ElectionEvent<'_>) {
        (**self).event(at, clock, event);
    }

    fn state(&mut self, node: u32, state: &dyn fmt::Debug) {
        (**self).state(node, state);
    }

    fn choice(&mut self, node: u32, number: u32) {
        (**self).choice(node, number);
    }
}

/// Passes each event to the observer, if there is one.
impl<O: Observer> Observer for Option<O> {
    fn event(&mut self, at: u64, clock: u32, event: &ElectionEvent<'_>) {
        if let Some(observer) = self {
            observer.event(at, clock, event);
        }
    }

    fn state(&mut self, node: u32, state: &dyn fmt::Debug) {
        if let Some(observer) = self {
            observer.state(node, state);
        }
    }

    fn choice(&mut self, node: u32, number: u32) {
        if let Some(observer) = self {
            observer.choice(node, number);
        }
    }
}

/// Passes each event to both observers, one after the other.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn event(&mut self, at: u64, clock: u32, event: &ElectionEvent<'_>) {
        self.0.event(at, clock, event);
        self.1.event(at, clock, event);
    }

    fn state(&mut self, node: u32, state: &dyn fmt::Debug) {
        self.0.state(node, state);
        self.1.state(node, state);
    }

    fn choice(&mut self, node: u32, number: u32) {
        self.0.choice(node, number);
        self.1.choice(node, number);
    }
}

/// Writes a run as JSON lines.
///
/// The first line is an object whose first key is `suffrage-run`, the version of the format,
/// followed by the caller's description of the election. Each further line is an event with the
/// keys `at` (tick), `event` and `clock` (causal depth), and, as the event has them, `node`, `from`
/// and `to` (pairs of a process and its port), `kind`, `message`, `overtakes`, `on_link` (a message
/// is lost or duplicated on its link, and not as it is sent), `status`, `why`.
///
/// Only the writer buffers; a failure to write stops the writing and is reported by
/// [`finish`](Self::finish).
pub struct Tracer<W: Write> {
    out: W,
    failure: Option<std::io::Error>,
}

/// The version of the format in which runs are written.
pub const RUN_FORMAT: u32 = 1;

#[derive(Serialize)]
struct RunStart<'a, T> {
    #[serde(rename = "suffrage-run")]
    version: u32,
    #[serde(flatten)]
    about: &'a T,
}

/// A line of a run after the first.
#[derive(Default, Serialize)]
pub struct RunLine<'a> {
    at: u64,
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<(u32, u32)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<(u32, u32)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "is_zero")]
    overtakes: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    on_link: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<u32>,
}

impl RunLine<'_> {
    /// Returns the line of an event that is an action, and says nothing else.
    #[must_use]
    pub fn of(at: u64, action: Action) -> Self {
        let node = |event, node| Self { at, event, node: Some(node), ..Self::default() };
        let link = |event, to| Self { at, event, to: Some(pair(to)), ..Self::default() };
        match action {
            Action::Wake(process) => node("wake", process),
            Action::Alarm(process) => node("alarm", process),
            Action::Crash(process) => node("crash", process),
            Action::Deliver { to, overtakes } => Self { overtakes, ..link("deliver", to) },
            Action::Lose { to } => Self { on_link: true, ..link("lose", to) },
            Action::Duplicate { to } => Self { on_link: true, ..link("duplicate", to) },
        }
    }
}

const fn pair(End { node, port }: End) -> (u32, u32) {
    (node, port.0)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl<W: Write> Tracer<W> {
    /// Starts a trace with the header `about` the election, which must serialize as an object.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut out: W, about: &impl Serialize) -> std::io::Result<Self> {
        serde_json::to_writer(&mut out, &RunStart { version: RUN_FORMAT, about })?;
        out.write_all(b"\n")?;
        Ok(Self { out, failure: None })
    }

    /// Continues a trace after a header that has been written.
    pub const fn after_header(out: W) -> Self {
        Self { out, failure: None }
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// If any of it could not be written.
    pub fn finish(mut self) -> std::io::Result<W> {
        match self.failure {
            Some(failure) => Err(failure),
            None => self.out.flush().map(|()| self.out),
        }
    }

    fn write(&mut self, line: &RunLine<'_>) {
        if self.failure.is_none() {
            let written = serde_json::to_writer(&mut self.out, line).map_err(Into::into);
            self.failure = written.and_then(|()| self.out.write_all(b"\n")).err();
        }
    }
}

impl<W: Write> Observer for Tracer<W> {
    fn event(&mut self, at: u64, clock: u32, event: &ElectionEvent<'_>) {
        let line = |event| RunLine { at, event, clock: Some(clock), ..RunLine::default() };
        let node = |event, node| RunLine { node: Some(node), ..line(event) };
        let passage = |event, passage: &TracedMessage<'_>| RunLine {
            from: Some(pair(passage.from)),
            to: Some(pair(passage.to)),
            kind: Some(passage.kind),
            message: Some(format!("{:?}", passage.message)),
            ..line(event)
        };
        let struck = |event, p, struck: &Struck| RunLine {
            on_link: *struck == Struck::OnLink,
            ..passage(event, p)
        };
        let line = match event {
            ElectionEvent::Wake(process) => node("wake", *process),
            ElectionEvent::Alarm(process) => node("alarm", *process),
            ElectionEvent::Halt(process) => node("halt", *process),
            ElectionEvent::Crash(process) => node("crash", *process),
            ElectionEvent::Send(p) => passage("send", p),
            ElectionEvent::Lose(p, when) => struck("lose", p, when),
            ElectionEvent::Duplicate(p, when) => struck("duplicate", p, when),
            ElectionEvent::Deliver(p, overtakes) => {
                RunLine { overtakes: *overtakes, ..passage("deliver", p) }
            }
            ElectionEvent::Discard(p, overtakes) => {
                RunLine { overtakes: *overtakes, ..passage("discard", p) }
            }
            ElectionEvent::Status(process, status) => RunLine {
                status: Some(match status {
                    Status::Undecided => "undecided",
                    Status::Leader => "leader",
                    Status::Follower => "follower",
                }),
                ..node("status", *process)
            },
            ElectionEvent::Reject(process, why) => {
                RunLine { why: Some(why), ..node("reject", *process) }
            }
        };
        self.write(&line);
    }
}
