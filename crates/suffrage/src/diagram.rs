//! Space-time diagrams for a terminal: a column for each process, time downwards, an arrow for each
//! message as it arrives.

mod canvas;
mod drawing;
mod tenures;
mod words;

pub use tenures::Tenures;

use canvas::{Life, Mark, Stroke};
use drawing::{Drawing, Said};
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use suffrage_process::{Id, Port, Status};
use suffrage_simulator::{Event, Observer, Passage, Struck};
use suffrage_topology::wiring::{End, Wiring};
use words::message;

/// The length of lines, unless another one is asked for.
pub const WIDTH: usize = 116;

/// An [`Observer`] that draws an election as it happens.
///
/// It keeps every event until the end: it is for elections at which people can look.
pub struct Diagram {
    degrees: Vec<u32>,
    /// Two nodes may share links: then a port says by which of them a message comes.
    parallel: bool,
    /// The steps in which the messages of each link were sent, by the sending end.
    sent: BTreeMap<End, VecDeque<u64>>,
    /// The step that was drawn last.
    step: u64,
    drawing: Drawing,
}

impl Diagram {
    /// Creates a diagram of an election on this network, with these identities.
    #[must_use]
    pub fn new(wiring: &Wiring, ids: &[Id]) -> Self {
        let nodes = 0..wiring.nodes();
        let parallel = nodes.clone().any(|node| {
            let mut reached: Vec<_> =
                (0..wiring.degree(node)).map(|port| wiring.across(node, Port(port)).node).collect();
            reached.sort_unstable();
            reached.windows(2).any(|two| two[0] == two[1])
        });
        let ids = ids.iter().map(|id| format!("id {id}")).collect();
        Self {
            degrees: nodes.map(|node| wiring.degree(node)).collect(),
            parallel,
            sent: BTreeMap::new(),
            step: 0,
            drawing: Drawing::new(3, ids, Life::Asleep),
        }
    }

    /// Returns the whole diagram, with what its marks mean, in lines of 116 characters.
    #[must_use]
    pub fn text(&self) -> String {
        self.text_within(WIDTH)
    }

    /// The whole diagram in lines of at most `width` characters, where it has few enough processes.
    #[must_use]
    pub fn text_within(&self, width: usize) -> String {
        self.drawing.text(width, Life::Asleep, "a line ends where its process halts")
    }

    fn begin(&mut self, step: u64, strokes: Vec<Stroke>, phrase: String) {
        self.step = step;
        self.drawing.begin(step.to_string(), strokes, phrase);
    }

    fn queue(&mut self, from: End) -> &mut VecDeque<u64> {
        self.sent.entry(from).or_default()
    }

    fn send(&mut self, passage: &Passage<'_>) {
        let step = self.step;
        self.queue(passage.from).push_back(step);
        self.drawing.sends(message(passage.kind, passage.message), passage.to.node);
    }

    /// A message with the step in which it was sent, which leaves the link or `stays`.
    fn taken(&mut self, passage: &Passage<'_>, overtakes: u32, stays: bool) -> String {
        let queue = self.queue(passage.from);
        let sent = queue.get(overtakes as usize).copied();
        if stays {
            sent.into_iter().for_each(|step| queue.push_front(step));
        } else {
            queue.remove(overtakes as usize);
        }
        let mut text = message(passage.kind, passage.message);
        if let Some(step) = sent {
            let _ = write!(text, " of step {step}");
        }
        text
    }

    /// A message arrives.
    fn arrive(&mut self, step: u64, passage: &Passage<'_>, overtakes: u32, discarded: bool) {
        let what = self.taken(passage, overtakes, false);
        let to = passage.to.node;
        let mut phrase = if discarded {
            let crashed = self.drawing.life(to) == Life::Crashed;
            let gone = if crashed { "crashed" } else { "halted" };
            format!("{what} reaches p{to}, which has {gone}")
        } else {
            format!("p{to} gets {what}")
        };
        if self.parallel && self.degrees[to as usize] > 1 {
            let _ = write!(phrase, " at port {}", passage.to.port.0);
        }
        if overtakes > 0 {
            let _ = write!(phrase, ", which overtakes {overtakes}");
        }
        let head = if discarded { Mark::Discard } else { Mark::Receive };
        let arrow = Stroke::Arrow { from: passage.from.node, to, head };
        self.begin(step, vec![arrow], phrase);
        if !discarded && self.drawing.life(to) == Life::Asleep {
            self.drawing.becomes(to, Life::Awake);
        }
    }

    /// A fault strikes the first message of a link.
    fn strike(&mut self, step: u64, passage: &Passage<'_>, head: Mark) {
        let lost = head == Mark::Lose;
        let what = self.taken(passage, 0, !lost);
        let to = passage.to.node;
        let fate = if lost { "lost" } else { "doubled" };
        let arrow = Stroke::Arrow { from: passage.from.node, to, head };
        self.begin(step, vec![arrow], format!("{what} to p{to} is {fate}"));
    }

    fn at(&mut self, step: u64, node: u32, mark: Mark, phrase: String) {
        self.begin(step, vec![Stroke::Dot(node, mark)], phrase);
    }
}

impl Observer for Diagram {
    fn event(&mut self, at: u64, _: u32, event: &Event<'_>) {
        match *event {
            Event::Wake(node) => {
                self.at(at, node, Mark::Wake, format!("p{node} wakes"));
                self.drawing.becomes(node, Life::Awake);
            }
            Event::Alarm(node) => {
                self.at(at, node, Mark::Alarm, format!("the alarm of p{node} rings"));
            }
            Event::Crash(node) => {
                self.at(at, node, Mark::Crash, format!("p{node} crashes"));
                self.drawing.becomes(node, Life::Crashed);
            }
            Event::Send(ref passage) => self.send(passage),
            Event::Deliver(ref passage, overtakes) => self.arrive(at, passage, overtakes, false),
            Event::Discard(ref passage, overtakes) => self.arrive(at, passage, overtakes, true),
            Event::Lose(ref passage, Struck::OnLink) => self.strike(at, passage, Mark::Lose),
            Event::Duplicate(ref passage, Struck::OnLink) => {
                self.strike(at, passage, Mark::Duplicate);
            }
            Event::Lose(ref passage, Struck::AsSent) => {
                self.queue(passage.from).pop_back();
                self.drawing.then(Said::Phrase("which is lost".into()));
            }
            Event::Duplicate(ref passage, Struck::AsSent) => {
                let step = self.queue(passage.from).back().copied().unwrap_or_default();
                self.queue(passage.from).push_back(step);
                self.drawing.then(Said::Phrase("which is doubled".into()));
            }
            Event::Status(node, status) => {
                let (life, phrase) = match status {
                    Status::Leader => (Life::Leader, "leads"),
                    Status::Follower => (Life::Follower, "follows"),
                    Status::Undecided => (Life::Awake, "is undecided again"),
                };
                self.drawing.then(Said::Phrase(phrase.into()));
                self.drawing.becomes(node, life);
                if status == Status::Leader {
                    self.drawing.mark(Stroke::Dot(node, Mark::Lead));
                }
            }
            Event::Halt(node) => {
                self.drawing.then(Said::Phrase("halts".into()));
                self.drawing.becomes(node, self.drawing.life(node).halted());
            }
            Event::Reject(_, why) => self.drawing.then(Said::Phrase(format!("rejects it: {why}"))),
        }
    }
}
