//! A drawing as a trace for Perfetto and Chrome, in the JSON trace event format.
//!
//! A process of the run is a thread of the trace: its stages of life are slices, the events in them
//! shorter slices, and messages flows from one of these to another. A tick is a millisecond.

use super::canvas::{Life, Mark};
use super::drawing::{Fate, TimeUnit};
use super::view::DrawingView;
use serde::Serialize;
use std::collections::BTreeMap;

/// Microseconds of the trace for a tick.
const TICK: f64 = 1000.0;

/// The process identifier of the trace, in which each process of the run is a thread.
const PID: u32 = 1;

#[derive(Serialize)]
struct PerfettoTrace<'a> {
    #[serde(rename = "displayTimeUnit")]
    unit: &'static str,
    #[serde(rename = "otherData")]
    about: BTreeMap<&'static str, &'a str>,
    #[serde(rename = "traceEvents")]
    events: Vec<PerfettoEvent>,
}

#[derive(Default, Serialize)]
struct PerfettoEvent {
    name: String,
    ph: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cat: Option<String>,
    ts: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<f64>,
    pid: u32,
    tid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    /// A flow ends at the slice that encloses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    bp: Option<&'static str>,
    /// An instant is one of its thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'static str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    args: BTreeMap<&'static str, serde_json::Value>,
}

impl PerfettoEvent {
    /// An event of this phase at a process.
    fn at(node: u32, ph: &'static str, ts: f64, name: String) -> Self {
        Self { name, ph, ts, pid: PID, tid: node + 1, ..Self::default() }
    }

    /// A slice of a category.
    fn slice(node: u32, (ts, dur): (f64, f64), name: String, cat: String) -> Self {
        Self { cat: Some(cat), dur: Some(dur), ..Self::at(node, "X", ts, name) }
    }
}

/// The beginning and the length of the slice of each event that is drawn, in microseconds.
type Slices = BTreeMap<usize, (f64, f64)>;

/// Events of a process in one instant share it.
fn slices(view: &DrawingView<'_>) -> Slices {
    let mut together: BTreeMap<(u64, u32), Vec<usize>> = BTreeMap::new();
    for (number, event) in view.events() {
        if let Some(node) = event.node {
            together.entry((event.at, node)).or_default().push(number);
        }
    }
    let scale = |at: u64| match view.drawing.style.clock {
        TimeUnit::Ticks => at as f64 * TICK,
        TimeUnit::Nanos => at as f64 / 1000.0,
    };
    let mut slices = BTreeMap::new();
    for ((at, _), events) in together {
        let whole = match view.drawing.style.clock {
            TimeUnit::Ticks => TICK * 0.8,
            // Short: events are instants.
            TimeUnit::Nanos => 1.0,
        };
        let each = whole / events.len() as f64;
        for (place, number) in events.into_iter().enumerate() {
            slices.insert(number, (scale(at) + each * place as f64, each * 0.9));
        }
    }
    slices
}

pub(super) fn perfetto(view: &DrawingView<'_>) -> String {
    let slices = slices(view);
    let mut events = Vec::new();
    names(view, &mut events);
    lives(view, &slices, &mut events);
    happenings(view, &slices, &mut events);
    flows(view, &slices, &mut events);
    let version = env!("CARGO_PKG_VERSION");
    let about = BTreeMap::from([("run", view.drawing.title.as_str()), ("suffrage", version)]);
    let trace = PerfettoTrace { unit: "ms", about, events };
    // Numbers and strings can be written.
    serde_json::to_string(&trace).unwrap_or_default() + "\n"
}

/// The names of the run and of its processes, and their order.
fn names(view: &DrawingView<'_>, to: &mut Vec<PerfettoEvent>) {
    let about = |name: &str, tid, key, value| PerfettoEvent {
        name: name.to_owned(),
        ph: "M",
        pid: PID,
        tid,
        args: BTreeMap::from([(key, value)]),
        ..PerfettoEvent::default()
    };
    to.push(about("process_name", 0, "name", view.drawing.title.as_str().into()));
    for &node in &view.lanes {
        let head = format!("p{node}, {}", view.drawing.heads[node as usize]);
        to.push(about("thread_name", node + 1, "name", head.into()));
        to.push(about("thread_sort_index", node + 1, "sort_index", node.into()));
    }
}

/// The events, with the signs in them.
fn happenings(view: &DrawingView<'_>, slices: &Slices, to: &mut Vec<PerfettoEvent>) {
    let drawing = view.drawing;
    for (number, event) in view.events() {
        let Some(&slice) = slices.get(&number) else { continue };
        let phrases = view.phrases(event);
        let name = match event.arrow {
            Some((message, Mark::Discard)) => format!("{}, late", drawing.messages[message].text),
            Some((message, _)) => drawing.messages[message].text.clone(),
            None => phrases[0].clone(),
        };
        let kind = event.arrow.map(|(message, _)| drawing.messages[message].kind);
        let kind = kind.map_or_else(|| "event".to_owned(), |kind| drawing.kinds[kind].clone());
        let args = BTreeMap::from([
            ("said", phrases.join(" · ").into()),
            (drawing.style.clock.name(), drawing.style.clock.label(event.at).into()),
        ]);
        let node = event.node.unwrap_or_default();
        to.push(PerfettoEvent { args, ..PerfettoEvent::slice(node, slice, name, kind) });
        for &(node, mark) in event.dots.iter().filter(|(node, _)| view.has(*node)) {
            let instant = PerfettoEvent::at(node, "i", slice.0, mark.meaning().to_owned());
            to.push(PerfettoEvent { s: Some("t"), ..instant });
        }
    }
}

/// The messages, from the middle of the slice in which they are sent.
fn flows(view: &DrawingView<'_>, slices: &Slices, to: &mut Vec<PerfettoEvent>) {
    for (number, message) in view.messages() {
        let (Fate::Arrives(end), Some(sent)) = (message.fate, message.sent) else { continue };
        let (Some(&(from, long)), Some(&(until, _))) = (slices.get(&sent), slices.get(&end)) else {
            continue;
        };
        let cat = &view.drawing.kinds[message.kind];
        let flow = |ph, ts, node: u32, bp| PerfettoEvent {
            cat: Some(cat.clone()),
            id: Some(number),
            bp,
            ..PerfettoEvent::at(node, ph, ts, message.text.clone())
        };
        to.push(flow("s", from + long / 2.0, message.from, None));
        to.push(flow("f", until, message.to, Some("e")));
    }
}

/// The stages of life of each process that is drawn, from the first event to the last.
fn lives(view: &DrawingView<'_>, slices: &Slices, to: &mut Vec<PerfettoEvent>) {
    let ends = slices.values().map(|(ts, dur)| ts + dur);
    let start = slices.values().map(|(ts, _)| *ts).fold(f64::INFINITY, f64::min);
    let end = ends.fold(0.0, f64::max) + TICK;
    let mut since = vec![(start, view.drawing.first); view.drawing.heads.len()];
    let mut stage = |node: u32, from: f64, until: f64, life: Life| {
        let gone = matches!(
            life,
            Life::HaltedUndecided
                | Life::HaltedFollower
                | Life::HaltedLeader
                | Life::Crashed
                | Life::Unstarted
        );
        if until > from && !gone && view.has(node) {
            let slice = (from, until - from);
            to.push(PerfettoEvent::slice(node, slice, life.word().into(), "life".into()));
        }
    };
    // A stage ends with the slice of its last event.
    let mut last = vec![start; view.drawing.heads.len()];
    for (number, event) in view.drawing.events.iter().enumerate() {
        if let (Some((ts, dur)), Some(node)) = (slices.get(&number), event.node) {
            last[node as usize] = ts + dur;
        }
        for &(node, life) in &event.becomes {
            let (from, before) = since[node as usize];
            let now = last[node as usize];
            if life != before {
                stage(node, from, now, before);
                since[node as usize] = (now, life);
            }
        }
    }
    for (node, (from, life)) in (0..).zip(since) {
        stage(node, from, end, life);
    }
}
