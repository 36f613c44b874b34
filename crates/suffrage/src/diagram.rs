//! Space-time diagrams for a terminal: a column for each process, time downwards, an arrow for each
//! message as it arrives.

mod canvas;
mod words;

use canvas::{Canvas, Life, Mark, Stroke};
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use suffrage_process::{Id, Port, Status};
use suffrage_simulator::{Event, Observer, Passage, Struck};
use suffrage_topology::wiring::{End, Wiring};
use words::{message, wrapped};

/// Where lines end.
const WIDTH: usize = 116;

/// The least number of characters a line for the text beside the columns, and in narrow diagrams.
const LEAST: usize = 44;
const LEAST_IN_NARROW: usize = 24;

/// Where the columns begin: after the number of the step.
const MARGIN: usize = 5;

/// An [`Observer`] that draws an election as it happens.
///
/// It keeps every event until the end: it is for elections at which people can look.
pub struct Diagram {
    ids: Vec<Id>,
    degrees: Vec<u32>,
    /// Two nodes may share links: then a port says by which of them a message comes.
    parallel: bool,
    lives: Vec<Life>,
    /// The steps in which the messages of each link were sent, by the sending end.
    sent: BTreeMap<End, VecDeque<u64>>,
    rows: Vec<Row>,
}

/// An event with a line of its own, and the events that follow from it.
struct Row {
    step: u64,
    strokes: Vec<Stroke>,
    said: Vec<Said>,
    /// The processes after it.
    lives: Vec<Life>,
}

enum Said {
    Phrase(String),
    /// A message, and the processes to which it is sent.
    Sends(String, Vec<u32>),
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
        Self {
            ids: ids.to_vec(),
            degrees: nodes.map(|node| wiring.degree(node)).collect(),
            parallel,
            lives: vec![Life::Asleep; ids.len()],
            sent: BTreeMap::new(),
            rows: Vec::new(),
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
        let mut text = String::new();
        let canvas = Canvas::new(self.ids.len());
        let names: Vec<_> = (0..self.ids.len()).map(|node| format!("p{node}")).collect();
        let ids: Vec<_> = self.ids.iter().map(|id| format!("id {id}")).collect();
        // Numbers of more digits than a column is wide have a line each.
        let wide = ids.iter().any(|id| id.len() >= canvas::COLUMN);
        let mut line = |margin: &str, columns: &str, said: &str| {
            let line = format!("{margin:>3}  {columns}  {said}");
            let _ = writeln!(text, "{}", line.trim_end());
        };
        line("", &canvas.words(&names), "");
        if wide {
            for (name, id) in names.iter().zip(&ids) {
                line("", &format!("{name}: {id}"), "");
            }
        } else {
            line("", &canvas.words(&ids), "");
        }
        let least = if width < WIDTH { LEAST_IN_NARROW } else { LEAST };
        let room = width.saturating_sub(MARGIN + canvas.width() + 2).max(least);
        let mut marks = Vec::new();
        let mut lives = vec![Life::Asleep; self.ids.len()];
        line("", &canvas.between(&lives), "");
        for row in &self.rows {
            let (columns, drawn) = canvas.row(&lives, &row.strokes);
            marks.extend(drawn);
            lives.clone_from(&row.lives);
            let phrases: Vec<_> = row.said.iter().map(|said| self.phrase(said)).collect();
            let mut said = wrapped(&phrases, room).into_iter();
            line(&row.step.to_string(), &columns, &said.next().unwrap_or_default());
            for more in said {
                line("", &canvas.between(&lives), &more);
            }
        }
        let ends: Vec<_> = self.lives.iter().map(|life| life.word().to_owned()).collect();
        line("", &canvas.words(&ends), "");
        let lives = self.rows.iter().map(|row| &row.lives);
        let _ = write!(text, "\n{}", canvas::legend(&marks, lives, width));
        text
    }

    fn phrase(&self, said: &Said) -> String {
        match said {
            Said::Phrase(phrase) => phrase.clone(),
            Said::Sends(message, to) => {
                let mut names: Vec<_> = to.iter().map(|node| format!("p{node}")).collect();
                names.dedup();
                if names.len() > 1 && names.len() + 1 == self.ids.len() {
                    return format!("sends {message} to all");
                }
                let last = names.pop().unwrap_or_default();
                let others = names.join(", ");
                let and = if others.is_empty() { "" } else { " and " };
                format!("sends {message} to {others}{and}{last}")
            }
        }
    }

    fn begin(&mut self, step: u64, strokes: Vec<Stroke>, phrase: String) {
        let (said, lives) = (vec![Said::Phrase(phrase)], self.lives.clone());
        self.rows.push(Row { step, strokes, said, lives });
    }

    /// Adds a phrase about what follows from the event that was drawn last.
    fn then(&mut self, said: Said) {
        if let Some(row) = self.rows.last_mut() {
            row.said.push(said);
        }
    }

    /// A process is in another stage of its life from here on.
    fn becomes(&mut self, node: u32, life: Life) {
        self.lives[node as usize] = life;
        if let Some(row) = self.rows.last_mut() {
            row.lives[node as usize] = life;
        }
    }

    fn queue(&mut self, from: End) -> &mut VecDeque<u64> {
        self.sent.entry(from).or_default()
    }

    fn send(&mut self, passage: &Passage<'_>) {
        let step = self.rows.last().map_or(0, |row| row.step);
        self.queue(passage.from).push_back(step);
        let message = message(passage.kind, passage.message);
        let to = passage.to.node;
        match self.rows.last_mut().and_then(|row| row.said.last_mut()) {
            Some(Said::Sends(same, receivers)) if *same == message => receivers.push(to),
            _ => self.then(Said::Sends(message, vec![to])),
        }
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
            let crashed = self.lives[to as usize] == Life::Crashed;
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
        if !discarded && self.lives[to as usize] == Life::Asleep {
            self.becomes(to, Life::Awake);
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
                self.becomes(node, Life::Awake);
            }
            Event::Alarm(node) => {
                self.at(at, node, Mark::Alarm, format!("the alarm of p{node} rings"));
            }
            Event::Crash(node) => {
                self.at(at, node, Mark::Crash, format!("p{node} crashes"));
                self.becomes(node, Life::Crashed);
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
                self.then(Said::Phrase("which is lost".into()));
            }
            Event::Duplicate(ref passage, Struck::AsSent) => {
                let step = self.queue(passage.from).back().copied().unwrap_or_default();
                self.queue(passage.from).push_back(step);
                self.then(Said::Phrase("which is doubled".into()));
            }
            Event::Status(node, status) => {
                let (life, phrase) = match status {
                    Status::Leader => (Life::Leader, "leads"),
                    Status::Follower => (Life::Follower, "follows"),
                    Status::Undecided => (Life::Awake, "is undecided again"),
                };
                self.then(Said::Phrase(phrase.into()));
                self.becomes(node, life);
                if let (Status::Leader, Some(row)) = (status, self.rows.last_mut()) {
                    row.strokes.push(Stroke::Dot(node, Mark::Lead));
                }
            }
            Event::Halt(node) => {
                self.then(Said::Phrase("halts".into()));
                self.becomes(node, self.lives[node as usize].halted());
            }
            Event::Reject(_, why) => self.then(Said::Phrase(format!("rejects it: {why}"))),
        }
    }
}
