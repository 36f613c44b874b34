//! The drawn part of a run.

use super::canvas::{Life, Mark};
use super::drawing::{Drawing, DrawnEvent, DrawnMessage};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// The drawn part of a run: by default all of it.
///
/// An event is drawn if it happens at a chosen process within the window, and its message or a message
/// sent in it is of a chosen kind. At these processes and within the window, events without a message
/// (as a process that wakes) and changes of a status are always drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The processes; `None` for all.
    pub processes: Option<BTreeSet<u32>>,
    /// The kinds of messages; `None` for all.
    pub kinds: Option<BTreeSet<String>>,
    /// The instants, in ticks (in milliseconds for runs that have a clock in seconds); `None` for
    /// all.
    pub window: Option<RangeInclusive<u64>>,
}

/// Why a run is not drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DrawError {
    /// A process is chosen that is not there.
    #[error("there is no process {process}: they are 0 to {last}")]
    NoProcess {
        /// The process.
        process: u32,
        /// The last process that is there.
        last: u32,
    },
    /// A kind of message is chosen that is not there.
    #[error("no message is of the kind `{kind}`; there are {kinds}")]
    NoKind {
        /// The kind.
        kind: String,
        /// The kinds that are there, with commas.
        kinds: String,
    },
    /// Nothing is left to draw.
    #[error("nothing happens there: the run has {events} events, up to {last}")]
    Nothing {
        /// The number of events of the run.
        events: usize,
        /// The label of the last event, with its unit.
        last: String,
    },
    /// There is too much for a drawing.
    #[error(
        "{processes} processes and {events} events are too many for this format, which has room \
         for {most_processes} and {most_events}: choose processes, kinds or a window"
    )]
    TooMuch {
        /// The number of processes that are chosen.
        processes: usize,
        /// The number of events that are chosen.
        events: usize,
        /// The most processes.
        most_processes: usize,
        /// The most events.
        most_events: usize,
    },
    /// The format needs the cause of every message.
    #[error(
        "the causes of messages are not known, since only those that change something are drawn: \
         choose text, svg, mermaid or perfetto"
    )]
    NoCauses,
}

/// A drawing as far as it is drawn.
pub(super) struct DrawingView<'a> {
    pub(super) drawing: &'a Drawing,
    /// The processes that are drawn, in order.
    pub(super) lanes: Vec<u32>,
    /// The place of each process among them.
    place: Vec<Option<usize>>,
    /// Whether each event is drawn.
    pub(super) shown: Vec<bool>,
    /// Whether each kind is drawn.
    kinds: Vec<bool>,
    /// Whether the last instant is drawn.
    pub(super) is_to_the_end: bool,
}

impl<'a> DrawingView<'a> {
    pub(super) fn new(drawing: &'a Drawing, selection: &Selection) -> Result<Self, DrawError> {
        let all = drawing.heads.len() as u32;
        let lanes: Vec<u32> = match &selection.processes {
            None => (0..all).collect(),
            Some(chosen) => match chosen.iter().find(|&&process| process >= all) {
                Some(&process) => return Err(DrawError::NoProcess { process, last: all - 1 }),
                None => chosen.iter().copied().collect(),
            },
        };
        let mut place = vec![None; all as usize];
        for (number, &lane) in lanes.iter().enumerate() {
            place[lane as usize] = Some(number);
        }
        let unknown = |kind: &&String| !drawing.kinds.contains(kind);
        if let Some(kind) = selection.kinds.iter().flatten().find(unknown) {
            let (kind, kinds) = (kind.clone(), drawing.kinds.join(", "));
            return Err(DrawError::NoKind { kind, kinds });
        }
        let chosen = |kind| selection.kinds.as_ref().is_none_or(|kinds| kinds.contains(kind));
        let kinds = drawing.kinds.iter().map(chosen).collect();
        let last = drawing.events.last().map_or(0, |event| event.at);
        let last = drawing.style.clock.coarse(last);
        let is_to_the_end = selection.window.as_ref().is_none_or(|window| *window.end() >= last);
        let mut view = Self { drawing, lanes, place, shown: Vec::new(), kinds, is_to_the_end };
        let within = |event: &DrawnEvent| {
            let at = drawing.style.clock.coarse(event.at);
            selection.window.as_ref().is_none_or(|window| window.contains(&at))
        };
        let shown = |event| within(event) && view.is_of_interest(event);
        view.shown = drawing.events.iter().map(shown).collect();
        if view.events().next().is_none() && !drawing.events.is_empty() {
            let clock = drawing.style.clock;
            let last = drawing.events.last().map_or(0, |event| event.at);
            let last = format!("{} {}", clock.name(), clock.label(last));
            return Err(DrawError::Nothing { events: drawing.events.len(), last });
        }
        Ok(view)
    }

    /// Refuses what has more processes and events than these.
    pub(super) fn within(self, processes: usize, events: usize) -> Result<Self, DrawError> {
        let shown = self.events().count();
        if self.lanes.len() <= processes && shown <= events {
            return Ok(self);
        }
        Err(DrawError::TooMuch {
            processes: self.lanes.len(),
            events: shown,
            most_processes: processes,
            most_events: events,
        })
    }

    fn is_of_interest(&self, event: &DrawnEvent) -> bool {
        let struck = event.arrow.map(|(message, _)| &self.drawing.messages[message]);
        let here = match (event.node, struck) {
            (Some(node), _) => self.has(node),
            (None, Some(message)) => self.has(message.from) && self.has(message.to),
            (None, None) => true,
        };
        let quiet = |&(_, life): &(u32, Life)| life == Life::Awake;
        let of_kind = |&message: &usize| self.kinds[self.drawing.messages[message].kind];
        let arrives = event.arrow.iter().map(|(message, _)| message).any(of_kind);
        let sends = event.sends().any(|message| {
            let to = self.drawing.messages[message].to;
            of_kind(&message) && self.has(to)
        });
        let marked =
            event.arrow.is_none() || event.dots.iter().any(|&(_, mark)| mark == Mark::Lead);
        here && (arrives || sends || marked || !event.becomes.iter().all(quiet))
    }

    /// Whether the line of this process is drawn.
    pub(super) fn has(&self, node: u32) -> bool {
        self.lane(node).is_some()
    }

    /// The place of the line of this process.
    pub(super) fn lane(&self, node: u32) -> Option<usize> {
        self.place[node as usize]
    }

    /// The events that are drawn.
    pub(super) fn events(&self) -> impl Iterator<Item = (usize, &'a DrawnEvent)> + '_ {
        let events = self.drawing.events.iter().enumerate();
        events.zip(&self.shown).filter(|(_, shown)| **shown).map(|(event, _)| event)
    }

    /// Whether a message is of a kind that is drawn.
    pub(super) fn is_of_kind(&self, message: usize) -> bool {
        self.kinds[self.drawing.messages[message].kind]
    }

    /// The messages with at least one end in the drawing.
    pub(super) fn messages(&self) -> impl Iterator<Item = (usize, &'a DrawnMessage)> + '_ {
        let shown = |event: Option<usize>| event.is_some_and(|event| self.shown[event]);
        let is_drawn = move |&(number, message): &(usize, &DrawnMessage)| {
            self.is_of_kind(number)
                && self.has(message.from)
                && self.has(message.to)
                && (shown(message.sent) || shown(message.ends()))
        };
        self.drawing.messages.iter().enumerate().filter(is_drawn)
    }

    /// Calls `draw` with each event that is drawn and all processes before and after it.
    pub(super) fn walk(
        &self,
        mut draw: impl FnMut(usize, &'a DrawnEvent, &[Life], &[Life]),
    ) -> Vec<Life> {
        let mut lives = vec![self.drawing.first; self.drawing.heads.len()];
        for (number, event) in self.drawing.events.iter().enumerate() {
            let before = if self.shown[number] { lives.clone() } else { Vec::new() };
            for &(node, life) in &event.becomes {
                lives[node as usize] = life;
            }
            if self.shown[number] {
                draw(number, event, &before, &lives);
            }
        }
        lives
    }

    /// The phrases about an event, one for each thing that happens.
    pub(super) fn phrases(&self, event: &DrawnEvent) -> Vec<String> {
        event.phrases(self.drawing, |message| self.is_of_kind(message))
    }
}
