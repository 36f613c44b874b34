//! The model of a drawing, from which every format is rendered.

use super::canvas::{Life, Mark};
use std::collections::BTreeMap;

/// A run, ready to be drawn: a line for each process, the events on them in the order in which they
/// happened, and the messages between them.
///
/// [`Diagram`](super::Diagram) and [`TenureDiagram`](super::TenureDiagram) make drawings;
/// [`render`](Self::render) writes one in a [`DiagramFormat`](super::DiagramFormat).
pub struct Drawing {
    pub(super) style: Style,
    /// What the run is of.
    pub(super) title: String,
    /// What stands below the name of each process.
    pub(super) heads: Vec<String>,
    /// What each process is before the first event.
    pub(super) first: Life,
    /// What each process is after the last event.
    pub(super) lives: Vec<Life>,
    pub(super) events: Vec<DrawnEvent>,
    pub(super) messages: Vec<DrawnMessage>,
    /// The names of the kinds of messages, in the order in which they appeared.
    pub(super) kinds: Vec<String>,
    /// What each process was like at first, and after the events that say so.
    pub(super) states: StateTexts,
}

/// The states of processes in the words of their algorithm, each once.
#[derive(Default)]
pub(super) struct StateTexts {
    pub(super) texts: Vec<String>,
    numbers: BTreeMap<String, usize>,
    /// The number of the first state of each process; empty if states are not kept.
    pub(super) first: Vec<usize>,
}

impl StateTexts {
    /// The number of a state.
    pub(super) fn number(&mut self, text: String) -> usize {
        if let Some(&number) = self.numbers.get(&text) {
            return number;
        }
        self.texts.push(text.clone());
        self.numbers.insert(text, self.texts.len() - 1);
        self.texts.len() - 1
    }
}

/// What a drawing has in common with all others of its sort.
pub(super) struct Style {
    /// The width of the labels before the columns of a text.
    pub(super) margin: usize,
    pub(super) clock: TimeUnit,
    /// What the line of a process that does nothing is called in the legend.
    pub(super) quiet: Life,
    /// The legend's words about lines that end.
    pub(super) ends: &'static str,
}

/// What instants are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeUnit {
    /// Ticks of the simulator; runs without a clock count their steps.
    Ticks,
    /// Nanoseconds, which are written as milliseconds.
    Nanos,
}

impl TimeUnit {
    pub(super) fn label(self, at: u64) -> String {
        match self {
            Self::Ticks => at.to_string(),
            Self::Nanos => format!("{}.{}", at / 1_000_000, at / 100_000 % 10),
        }
    }

    /// The unit in which windows are chosen.
    pub(super) const fn coarse(self, at: u64) -> u64 {
        match self {
            Self::Ticks => at,
            Self::Nanos => at / 1_000_000,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Ticks => "tick",
            Self::Nanos => "ms",
        }
    }
}

/// An event, and what follows from it at the same process.
pub(super) struct DrawnEvent {
    pub(super) at: u64,
    /// The process that reacts; `None` if something befalls a link or the whole.
    pub(super) node: Option<u32>,
    /// The message that arrives or is struck, and the sign at the end of its arrow.
    pub(super) arrow: Option<(usize, Mark)>,
    /// The signs at processes.
    pub(super) dots: Vec<(u32, Mark)>,
    pub(super) said: Vec<Said>,
    pub(super) becomes: Vec<(u32, Life)>,
    /// The number of the state in which its process is then, where it is kept.
    pub(super) state: Option<usize>,
}

pub(super) enum Said {
    Phrase(String),
    /// A message is sent.
    Sends(usize),
}

impl DrawnEvent {
    /// The messages that are sent in it.
    pub(super) fn sends(&self) -> impl Iterator<Item = usize> + '_ {
        self.said.iter().filter_map(|said| match said {
            Said::Sends(message) => Some(*message),
            Said::Phrase(_) => None,
        })
    }

    /// What happens, and what follows from it, without the messages sent.
    pub(super) fn happenings(&self) -> Vec<String> {
        let phrase = |said: &Said| match said {
            Said::Phrase(phrase) => Some(phrase.clone()),
            Said::Sends(_) => None,
        };
        self.said.iter().filter_map(phrase).collect()
    }

    /// What follows from it, without the messages sent.
    pub(super) fn consequences(&self) -> Vec<String> {
        self.happenings().split_off(1)
    }

    /// The phrases about it. Equal messages sent one after the other share a phrase; messages that are
    /// not `told` have none.
    pub(super) fn phrases(&self, of: &Drawing, told: impl Fn(usize) -> bool) -> Vec<String> {
        let mut phrases = Vec::new();
        let mut said = self.said.iter().peekable();
        while let Some(one) = said.next() {
            let message = match one {
                Said::Phrase(phrase) => {
                    phrases.push(phrase.clone());
                    continue;
                }
                Said::Sends(message) if !told(*message) => continue,
                Said::Sends(message) => &of.messages[*message],
            };
            let mut to = vec![message.to];
            while let Some(Said::Sends(next)) = said.peek().copied()
                && of.messages[*next].text == message.text
            {
                to.push(of.messages[*next].to);
                said.next();
            }
            phrases.push(sends(&message.text, &to, of.heads.len()));
        }
        phrases
    }
}

/// A message is sent to these of so many processes.
fn sends(message: &str, to: &[u32], processes: usize) -> String {
    let mut names: Vec<_> = to.iter().map(|node| format!("p{node}")).collect();
    names.dedup();
    if names.len() > 1 && names.len() + 1 == processes {
        return format!("sends {message} to all");
    }
    let last = names.pop().unwrap_or_default();
    let others = names.join(", ");
    let and = if others.is_empty() { "" } else { " and " };
    format!("sends {message} to {others}{and}{last}")
}

/// A message.
#[derive(Clone)]
pub(super) struct DrawnMessage {
    /// The number of its kind.
    pub(super) kind: usize,
    /// Its kind and what it carries.
    pub(super) text: String,
    pub(super) from: u32,
    pub(super) to: u32,
    /// The event in which it was sent, where that is known.
    pub(super) sent: Option<usize>,
    pub(super) fate: Fate,
    /// Whether it is another one again, which was sent once.
    pub(super) is_copy: bool,
}

impl DrawnMessage {
    /// The event in which it arrives or is lost.
    pub(super) const fn ends(&self) -> Option<usize> {
        match self.fate {
            Fate::Arrives(event) | Fate::Lost(Some(event)) => Some(event),
            Fate::UnderWay | Fate::Lost(None) => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    UnderWay,
    /// It arrives in this event: it is received, or finds a process that takes no notice.
    Arrives(usize),
    /// It is lost: in this event, or as it is sent.
    Lost(Option<usize>),
}

impl Drawing {
    pub(super) fn new(style: Style, heads: Vec<String>, first: Life) -> Self {
        let lives = vec![first; heads.len()];
        let (events, messages, kinds) = (Vec::new(), Vec::new(), Vec::new());
        let (title, states) = (String::new(), StateTexts::default());
        Self { style, title, heads, first, lives, events, messages, kinds, states }
    }

    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    pub(super) fn life(&self, node: u32) -> Life {
        self.lives[node as usize]
    }

    /// Adds an event that begins with this phrase.
    pub(super) fn begin(&mut self, at: u64, node: Option<u32>, phrase: String) {
        let (said, dots, becomes) = (vec![Said::Phrase(phrase)], Vec::new(), Vec::new());
        self.events.push(DrawnEvent { at, node, arrow: None, dots, said, becomes, state: None });
    }

    /// Adds a phrase about what follows from the last event.
    pub(super) fn then(&mut self, phrase: String) {
        if let Some(event) = self.events.last_mut() {
            event.said.push(Said::Phrase(phrase));
        }
    }

    /// Adds a sign to the last event.
    pub(super) fn mark(&mut self, node: u32, mark: Mark) {
        if let Some(event) = self.events.last_mut() {
            event.dots.push((node, mark));
        }
    }

    /// A process is in another stage of its life from the last event on.
    pub(super) fn becomes(&mut self, node: u32, life: Life) {
        self.lives[node as usize] = life;
        if let Some(event) = self.events.last_mut() {
            event.becomes.push((node, life));
        }
    }

    /// Adds a message, and returns its number.
    pub(super) fn message(&mut self, kind: &str, text: String, from: u32, to: u32) -> usize {
        let known = self.kinds.iter().position(|name| name == kind);
        let kind = known.unwrap_or_else(|| {
            self.kinds.push(kind.to_owned());
            self.kinds.len() - 1
        });
        let (sent, fate, is_copy) = (None, Fate::UnderWay, false);
        self.messages.push(DrawnMessage { kind, text, from, to, sent, fate, is_copy });
        self.messages.len() - 1
    }

    /// Adds a message again, which arrives once more, and returns its number.
    pub(super) fn copy_of(&mut self, message: usize) -> usize {
        let original = self.messages[message].clone();
        self.messages.push(DrawnMessage { fate: Fate::UnderWay, is_copy: true, ..original });
        self.messages.len() - 1
    }

    /// The process of the last event is in this state then; before the first event, the next process.
    pub(super) fn is_in(&mut self, state: String) {
        let number = self.states.number(state);
        match self.events.last_mut() {
            None => self.states.first.push(number),
            Some(event) => event.state = Some(number),
        }
    }

    /// A message is sent because of the last event.
    pub(super) fn sends(&mut self, message: usize) {
        self.messages[message].sent = self.events.len().checked_sub(1);
        if let Some(event) = self.events.last_mut() {
            event.said.push(Said::Sends(message));
        }
    }

    /// The last event is the arrival of a message, or something that befalls it.
    pub(super) fn arrow(&mut self, message: usize, head: Mark) {
        let last = self.events.len() - 1;
        self.events[last].arrow = Some((message, head));
        match head {
            Mark::Lose => self.messages[message].fate = Fate::Lost(Some(last)),
            Mark::Duplicate => {}
            _ => self.messages[message].fate = Fate::Arrives(last),
        }
    }

    /// The instant at which a message was sent, where that is known.
    pub(super) fn sent_at(&self, message: usize) -> Option<u64> {
        self.messages[message].sent.map(|event| self.events[event].at)
    }

    /// For each event the one before it at the same process.
    pub(super) fn before(&self) -> Vec<Option<usize>> {
        let mut last = vec![None; self.heads.len()];
        let before = |(number, event): (usize, &DrawnEvent)| {
            event.node.and_then(|node| last[node as usize].replace(number))
        };
        self.events.iter().enumerate().map(before).collect()
    }

    /// The event in which the message that arrives in this one was sent.
    pub(super) fn origin(&self, event: usize) -> Option<usize> {
        let (message, head) = self.events[event].arrow?;
        if head.is_on_the_way() { None } else { self.messages[message].sent }
    }

    /// The messages of the longest causal chain, in their order: each was sent after its predecessor had
    /// been received. Of several longest chains, takes the first to be complete.
    pub(super) fn longest_chain(&self) -> Vec<usize> {
        let before = self.before();
        // The messages in the longest chain up to each event, and the event with the last of them.
        let mut chains: Vec<(u32, Option<usize>)> = Vec::with_capacity(self.events.len());
        let mut deepest = (0, None);
        for (number, event) in self.events.iter().enumerate() {
            let mut chain = before[number].map_or((0, None), |before| chains[before]);
            // What reaches a process that is gone leads nowhere.
            let received = event.arrow.is_some_and(|(_, head)| head == Mark::Receive);
            if let Some(origin) = self.origin(number).filter(|_| received)
                && chains[origin].0 + 1 > chain.0
            {
                chain = (chains[origin].0 + 1, Some(number));
            }
            if chain.0 > deepest.0 {
                deepest = chain;
            }
            chains.push(chain);
        }
        let mut messages = Vec::new();
        let mut last = deepest.1;
        while let Some(event) = last {
            messages.extend(self.events[event].arrow.map(|(message, _)| message));
            last = self.origin(event).and_then(|origin| chains[origin].1);
        }
        messages.reverse();
        messages
    }
}
