//! Traces: runs as lines of JSON.

use super::{ClusterEvent as Event, Nanos, SimulationWatch};
use serde::{Serialize, Serializer as _};
use serde_json::Value;
use std::{
    fmt::Debug,
    io::{self, Write},
};
use tenure_model::{Message as _, Office, Peer, Recoverable, Term};

/// The version of the format of traces.
pub const TRACE_VERSION: u32 = 2;

/// Writes events as JSON lines.
///
/// The first line is an object whose first key is `suffrage-recovery-trace`, the version of the
/// format, followed by the caller's description of the run: a [`SimulationDescription`](super::SimulationDescription),
/// if it is to be run again. Each further line is an event with the keys `at` (nanoseconds of
/// global time), `event`, and, as the event has them: `peer`, `from`, `to`, `kind` and `message`,
/// `alarm` and `late` (nanoseconds of the process's clock), `office`, `term`, `until` (the alarm
/// that ends the tenure), `leader`, `change` (the number of the value that is shown), `memory`, `why`, `fault`.
///
/// A failure to write stops the writing and is reported by [`finish`](Self::finish).
pub struct SimulationTracer<W: Write> {
    out: W,
    failure: Option<io::Error>,
}

impl<W: Write> SimulationTracer<W> {
    /// Starts a trace with the header `about` the run, which must serialize as an object.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut out: W, about: &impl Serialize) -> io::Result<Self> {
        #[derive(Serialize)]
        struct SimulationTraceHeader<'a, T> {
            #[serde(rename = "suffrage-recovery-trace")]
            version: u32,
            #[serde(flatten)]
            about: &'a T,
        }
        let header = SimulationTraceHeader { version: TRACE_VERSION, about };
        serde_json::to_writer(&mut out, &header)?;
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

    /// Writes an event with those of its fields that are not null, in their order.
    fn write(&mut self, at: Nanos, event: &str, fields: &[Field]) {
        if self.failure.is_none() {
            let common = [("at", at.0.into()), ("event", event.into())];
            let given = fields.iter().filter(|(_, value)| !value.is_null());
            let mut to = serde_json::Serializer::new(&mut self.out);
            let line = common.iter().chain(given).map(|(key, value)| (key, value));
            let written = to.collect_map(line).map_err(Into::into);
            self.failure = written.and_then(|()| self.out.write_all(b"\n")).err();
        }
    }
}

/// A key of an event, and its value.
type Field = (&'static str, Value);

fn debug(key: &'static str, value: impl Debug) -> Field {
    (key, format!("{value:?}").into())
}

fn json(key: &'static str, value: impl Serialize) -> Field {
    (key, serde_json::to_value(value).unwrap_or_default())
}

fn peer(Peer(number): Peer) -> Field {
    ("peer", number.into())
}

fn office(Office(number): Office) -> Field {
    ("office", number.into())
}

fn term(Term(number): Term) -> Field {
    ("term", number.into())
}

impl<P: Recoverable, W: Write> SimulationWatch<P> for SimulationTracer<W> {
    fn event(&mut self, at: Nanos, event: Event<'_, P>) {
        let message = |from: Peer, to: Peer, msg: &P::Msg| {
            let kind = ("kind", P::Msg::KINDS[msg.kind()].name.into());
            vec![("from", from.0.into()), ("to", to.0.into()), kind, debug("message", msg)]
        };
        let (name, fields) = match event {
            Event::Begins(entry) => ("fault-begins", vec![json("fault", entry)]),
            Event::Ends(entry) => ("fault-ends", vec![json("fault", entry)]),
            Event::Start(p, memory) => {
                let memory = format!("{memory:?}").to_lowercase();
                ("start", vec![peer(p), ("memory", memory.into())])
            }
            Event::Crash(p) => ("crash", vec![peer(p)]),
            Event::Suspend(p) => ("suspend", vec![peer(p)]),
            Event::Resume(p) => ("resume", vec![peer(p)]),
            Event::Send(from, to, msg) => ("send", message(from, to, msg)),
            Event::Receive(from, to, msg) => ("receive", message(from, to, msg)),
            Event::Lose(from, to, msg) => ("lose", message(from, to, msg)),
            Event::Duplicate(from, to, msg) => ("duplicate", message(from, to, msg)),
            Event::Ring(p, alarm, late) => {
                let late = Some(late).filter(|&late| late > 0);
                ("ring", vec![peer(p), debug("alarm", alarm), ("late", late.into())])
            }
            Event::Command(p, command) => ("command", vec![peer(p), json("command", command)]),
            Event::Synced(p) => ("synced", vec![peer(p)]),
            Event::Holds(p, o, tenure) => {
                let until = tenure.until.map(|alarm| format!("{alarm:?}"));
                ("holds", vec![peer(p), office(o), term(tenure.term), ("until", until.into())])
            }
            Event::Loses(p, o, t) => ("loses", vec![peer(p), office(o), term(t)]),
            Event::Works(p, o, t) => ("works", vec![peer(p), office(o), term(t)]),
            Event::Rests(p, o, t) => ("rests", vec![peer(p), office(o), term(t)]),
            Event::Names(p, o, named) => {
                let leader = ("leader", named.map(|(leader, _)| leader.0).into());
                let term = ("term", named.map(|(_, term)| term.0).into());
                ("names", vec![peer(p), office(o), term, leader])
            }
            Event::Shows(p, o, shown) => {
                let term = ("term", shown.map(|(term, _)| term.0).into());
                let change = ("change", shown.map(|(_, change)| change).into());
                ("shows", vec![peer(p), office(o), term, change])
            }
            Event::Rejects(p, why) => ("rejects", vec![peer(p), ("why", why.into())]),
            Event::Broken(o, breach) => {
                ("broken", vec![office(o), ("why", breach.to_string().into())])
            }
        };
        self.write(at, name, &fields);
    }
}
