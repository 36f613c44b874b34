//! A drawing as data, for the page that plays it.

use super::canvas::Life;
use super::drawing::{Drawing, DrawnEvent, DrawnMessage, Fate, TimeUnit};
use serde::Serialize;

/// A drawing as the page reads it: lists instead of objects where there are many, and numbers instead of
/// texts that come again.
#[derive(Serialize)]
pub(crate) struct DrawingData<'a> {
    title: &'a str,
    /// `tick`, `step` or `ms`: the unit of all instants.
    clock: &'static str,
    /// What stands below the name of each process.
    heads: &'a [String],
    /// What each process is before the first event.
    life: &'static str,
    kinds: &'a [String],
    /// The states of processes in the words of their algorithm.
    states: &'a [String],
    /// The number of the first state of each process.
    first: &'a [usize],
    messages: Vec<MessageRow<'a>>,
    events: Vec<Happening>,
    /// The messages of the longest causal chain.
    chain: Vec<usize>,
}

/// A message: kind, sender, receiver, the events in which it is sent and ends (-1 if in none), whether it
/// is lost (1) or arrives once more (2), its text.
#[derive(Serialize)]
struct MessageRow<'a>(usize, u32, u32, i64, i64, u8, &'a str);

/// An event: instant, process (-1 if it has none), message (-1), the name of its sign, the words about it,
/// what processes become, the number of the state of its process (-1).
#[derive(Serialize)]
struct Happening(f64, i64, i64, String, String, Vec<(u32, &'static str)>, i64);

impl<'a> DrawingData<'a> {
    pub(crate) fn of(drawing: &'a Drawing, untimed: bool) -> Self {
        let nanos = drawing.style.clock == TimeUnit::Nanos;
        Self {
            title: &drawing.title,
            clock: if untimed { "step" } else { drawing.style.clock.name() },
            heads: &drawing.heads,
            life: name(drawing.first),
            kinds: &drawing.kinds,
            states: &drawing.states.texts,
            first: &drawing.states.first,
            messages: drawing.messages.iter().map(MessageRow::of).collect(),
            events: drawing.events.iter().map(|event| Happening::of(event, drawing)).collect(),
            // Where the causes are not known, there is no chain.
            chain: if nanos { Vec::new() } else { drawing.longest_chain() },
        }
    }
}

impl Drawing {
    /// The number of processes, and of events and messages.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.heads.len(), self.events.len().max(self.messages.len()))
    }

    /// The number of instants at which something happens, and of messages sent.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let instants = self.events.chunk_by(|one, next| one.at == next.at).count();
        let sent = self.messages.iter().filter(|message| !message.is_copy).count();
        (instants as u64, sent as u64)
    }
}

fn number(index: Option<usize>) -> i64 {
    index.map_or(-1, |index| index as i64)
}

impl<'a> MessageRow<'a> {
    fn of(message: &'a DrawnMessage) -> Self {
        let DrawnMessage { kind, ref text, from, to, sent, fate, is_copy } = *message;
        let lost = match fate {
            Fate::Lost(_) => 1,
            _ if is_copy => 2,
            _ => 0,
        };
        Self(kind, from, to, number(sent), number(message.ends()), lost, text)
    }
}

impl Happening {
    fn of(event: &DrawnEvent, drawing: &Drawing) -> Self {
        let at = match drawing.style.clock {
            TimeUnit::Ticks => event.at as f64,
            TimeUnit::Nanos => event.at as f64 / 1e6,
        };
        let dot = event.dots.iter().map(|&(_, mark)| mark).max();
        let mark = dot.or(event.arrow.map(|(_, head)| head));
        let becomes = event.becomes.iter().map(|&(node, life)| (node, name(life)));
        Self(
            at,
            event.node.map_or(-1, i64::from),
            number(event.arrow.map(|(message, _)| message)),
            mark.map_or_else(String::new, |mark| format!("{mark:?}").to_lowercase()),
            event.phrases(drawing, |_| true).join(" · "),
            becomes.collect(),
            number(event.state),
        )
    }
}

fn name(life: Life) -> &'static str {
    match life {
        Life::HaltedFollower => "halted follows",
        Life::HaltedLeader => "halted leads",
        Life::Unstarted => "has not started",
        life => life.word(),
    }
}
