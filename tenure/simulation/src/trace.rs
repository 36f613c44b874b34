//! Traces: runs as lines of JSON.

use super::{Nanos, SimulationEvent as Event, SimulationWatch};
use serde::Serialize;
use std::io::{self, Write};
use tenure_model::{Command, Memory, Office, Peer, Recoverable};

/// The version of the format of traces.
pub const TRACE_VERSION: u32 = 2;

/// Writes events as JSON lines.
///
/// The first line is an object whose first key is `suffrage-recovery-trace`, the version of the
/// format, followed by the caller's description of the run: a [`SimulationDescription`](super::SimulationDescription),
/// if it is to be run again. Each further line is an event with the keys `at` (nanoseconds of
/// global time), `event`, and, as the event has them: `peer`, `from`, `to`, `kind` and `message`,
/// `alarm` and `late` (nanoseconds of the process's clock), `office`, `term`, `until` (the alarm
/// that ends the tenure), `leader`, `memory`, `why`, `fault`.
///
/// A failure to write stops the writing and is reported by [`finish`](Self::finish).
pub struct SimulationTracer<W: Write> {
    out: W,
    failure: Option<io::Error>,
}

#[derive(Serialize)]
struct TraceHeader<'a, T> {
    #[serde(rename = "suffrage-recovery-trace")]
    version: u32,
    #[serde(flatten)]
    about: &'a T,
}

#[derive(Default, Serialize)]
struct TraceLine<'a> {
    at: u64,
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    peer: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alarm: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    late: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    office: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    term: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    leader: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<Command>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<serde_json::Value>,
}

impl<W: Write> SimulationTracer<W> {
    /// Starts a trace with the header `about` the run, which must serialize as an object.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut out: W, about: &impl Serialize) -> io::Result<Self> {
        serde_json::to_writer(&mut out, &TraceHeader { version: TRACE_VERSION, about })?;
        out.write_all(b"\n")?;
        Ok(Self { out, failure: None })
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// If any of it could not be written.
    pub fn finish(mut self) -> io::Result<W> {
        match self.failure {
            Some(failure) => Err(failure),
            None => self.out.flush().map(|()| self.out),
        }
    }

    fn write(&mut self, line: &TraceLine<'_>) {
        if self.failure.is_none() {
            let written = serde_json::to_writer(&mut self.out, line).map_err(Into::into);
            self.failure = written.and_then(|()| self.out.write_all(b"\n")).err();
        }
    }
}

impl<P: Recoverable, W: Write> SimulationWatch<P> for SimulationTracer<W> {
    fn event(&mut self, at: Nanos, event: Event<'_, P>) {
        use tenure_model::Message;
        let plain = |event| TraceLine { at: at.0, event, ..TraceLine::default() };
        let peer = |event, peer: Peer| TraceLine { peer: Some(peer.0), ..plain(event) };
        let office = |event, at: Peer, office: Office| TraceLine {
            office: Some(office.0),
            ..peer(event, at)
        };
        let message = |event, from: Peer, to: Peer, msg: &P::Msg| TraceLine {
            from: Some(from.0),
            to: Some(to.0),
            kind: Some(P::Msg::KINDS[msg.kind()].name),
            message: Some(format!("{msg:?}")),
            ..plain(event)
        };
        let fault = |event, entry: &super::TimedFault| TraceLine {
            fault: serde_json::to_value(entry).ok(),
            ..plain(event)
        };
        let line = match event {
            Event::Begins(entry) => fault("fault-begins", entry),
            Event::Ends(entry) => fault("fault-ends", entry),
            Event::Start(p, memory) => TraceLine {
                memory: Some(match memory {
                    Memory::New => "new",
                    Memory::Kept => "kept",
                    Memory::Lost => "lost",
                }),
                ..peer("start", p)
            },
            Event::Crash(p) => peer("crash", p),
            Event::Suspend(p) => peer("suspend", p),
            Event::Resume(p) => peer("resume", p),
            Event::Send { from, to, msg } => message("send", from, to, msg),
            Event::Receive { from, to, msg } => message("receive", from, to, msg),
            Event::Lose { from, to, msg } => message("lose", from, to, msg),
            Event::Duplicate { from, to, msg } => message("duplicate", from, to, msg),
            Event::Ring(p, alarm, late) => TraceLine {
                alarm: Some(format!("{alarm:?}")),
                late: Some(late).filter(|&late| late > 0),
                ..peer("ring", p)
            },
            Event::Command(p, command) => {
                TraceLine { command: Some(command), ..peer("command", p) }
            }
            Event::Synced(p) => peer("synced", p),
            Event::Holds(p, o, tenure) => TraceLine {
                term: Some(tenure.term.0),
                until: tenure.until.map(|alarm| format!("{alarm:?}")),
                ..office("holds", p, o)
            },
            Event::Loses(p, o, term) => TraceLine { term: Some(term.0), ..office("loses", p, o) },
            Event::Works(p, o, term) => TraceLine { term: Some(term.0), ..office("works", p, o) },
            Event::Rests(p, o, term) => TraceLine { term: Some(term.0), ..office("rests", p, o) },
            Event::Names(p, o, named) => TraceLine {
                leader: named.map(|(leader, _)| leader.0),
                term: named.map(|(_, term)| term.0),
                ..office("names", p, o)
            },
            Event::Rejects(p, why) => TraceLine { why: Some(why), ..peer("rejects", p) },
            Event::Broken(o, breach) => {
                let why = breach.to_string();
                let line = TraceLine { office: Some(o.0), why: Some(&why), ..plain("broken") };
                self.write(&line);
                return;
            }
        };
        self.write(&line);
    }
}
