//! Space-time diagrams: one model of a drawing, and the formats in which it is written.
//!
//! A [`Drawing`] has a line for each process, events on the lines and messages between them. It is
//! made while a run happens, by [`Diagram`] for elections and by [`TenureDiagram`] for protocols under
//! faults, and written in a [`DiagramFormat`]: text for a terminal, SVG for print, Mermaid for documents, DOT,
//! a log with vector clocks for `ShiViz`, or a trace for Perfetto. A [`Selection`] says what of a wide
//! run is drawn.
//!
//! ```
//! use suffrage_algorithms::Algorithm;
//! use suffrage_figures::diagram::{Diagram, DiagramFormat, Selection};
//! use suffrage_simulator::Simulator;
//! use suffrage_networks::{Ids, wiring::Wiring};
//!
//! let (wiring, ids) = (Wiring::ring(4), Ids::Random.assign(4, 7));
//! let algorithm = Algorithm::named("chang-roberts").ok_or("no such algorithm")?;
//! let mut diagram = Diagram::new(&wiring, &ids);
//! Simulator::new(algorithm, &wiring, &ids).observer(&mut diagram).run()?;
//! let svg = diagram.drawing().render(DiagramFormat::Svg, &Selection::default())?;
//! assert!(svg.starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod canvas;
mod data;
mod dot;
mod drawing;
mod mermaid;
mod perfetto;
mod shiviz;
mod svg;
mod tenures;
mod text;
mod view;
mod words;

pub(crate) use data::DrawingData;
pub use drawing::Drawing;
pub(crate) use tenures::Film;
pub use tenures::TenureDiagram;
pub use view::{DrawError, Selection};

use canvas::{Life, Mark};
use drawing::{Fate, Style, TimeUnit};
use std::collections::{BTreeMap, VecDeque};
use std::fmt::{Debug, Write};
use suffrage_model::{Id, Port, Status};
use suffrage_networks::wiring::{End, Wiring};
use suffrage_simulator::{ElectionEvent, Observer, Struck, TracedMessage};
use view::DrawingView;
use words::message;

/// The length of lines of text, unless another one is asked for.
pub const WIDTH: usize = 116;

/// The most processes and events that are drawn in a format that people look at as a whole.
pub const ROOM: (usize, usize) = (64, 10_000);

/// The most entries of vector clocks in a log.
const CLOCKS: usize = 50_000_000;

/// The format in which a [`Drawing`] is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DiagramFormat {
    /// A space-time diagram for a terminal: a column for each process, time downwards, an arrow for
    /// each message as it arrives.
    #[default]
    Text,
    /// A space-time diagram to look at and to print: messages from where they are sent to where they
    /// arrive, in the colours of their kinds; status changes; the longest causal chain.
    Svg,
    /// A sequence diagram for [Mermaid](https://mermaid.js.org), a message as it arrives.
    Mermaid,
    /// The causal order as a graph, for Graphviz: events, and messages between them.
    Dot,
    /// A log with vector clocks for [ShiViz](https://bestchai.bitbucket.io/shiviz/), in the form
    /// that its default regular expression reads.
    ShiViz,
    /// A trace for [Perfetto](https://ui.perfetto.dev) and Chrome (the JSON trace event format): a
    /// thread for each process, a flow for each message. A tick is a millisecond.
    Perfetto,
}

impl DiagramFormat {
    /// All formats.
    pub const ALL: [Self; 6] =
        [Self::Text, Self::Svg, Self::Mermaid, Self::Dot, Self::ShiViz, Self::Perfetto];

    /// Returns the name of the format.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Svg => "svg",
            Self::Mermaid => "mermaid",
            Self::Dot => "dot",
            Self::ShiViz => "shiviz",
            Self::Perfetto => "perfetto",
        }
    }
}

impl Drawing {
    /// Writes the selected part of the drawing in a format; text in lines of [`WIDTH`] characters.
    ///
    /// # Errors
    /// If the selection names something that does not exist, or leaves nothing or too much.
    pub fn render(
        &self,
        format: DiagramFormat,
        selection: &Selection,
    ) -> Result<String, DrawError> {
        let view = DrawingView::new(self, selection)?;
        let view = match format {
            DiagramFormat::Text
            | DiagramFormat::Svg
            | DiagramFormat::Mermaid
            | DiagramFormat::Dot => view.within(ROOM.0, ROOM.1)?,
            DiagramFormat::ShiViz => {
                // Every process has a clock, and messages under way have no more than events.
                let events = CLOCKS / view.lanes.len().max(1);
                view.within(CLOCKS / self.heads.len().max(1), events)?
            }
            DiagramFormat::Perfetto => view,
        };
        if matches!(format, DiagramFormat::Dot | DiagramFormat::ShiViz)
            && self.style.clock == TimeUnit::Nanos
        {
            return Err(DrawError::NoCauses);
        }
        Ok(match format {
            DiagramFormat::Text => text::text(&view, WIDTH),
            DiagramFormat::Svg => svg::svg(&view),
            DiagramFormat::Mermaid => mermaid::mermaid(&view),
            DiagramFormat::Dot => dot::dot(&view),
            DiagramFormat::ShiViz => shiviz::shiviz(&view),
            DiagramFormat::Perfetto => perfetto::perfetto(&view),
        })
    }

    /// Writes the selected part as text, in lines of at most `width` characters where it has few
    /// enough processes. Below it is what its signs mean.
    ///
    /// # Errors
    /// As [`render`](Self::render).
    pub fn text_within(&self, width: usize, selection: &Selection) -> Result<String, DrawError> {
        Ok(text::text(&DrawingView::new(self, selection)?.within(ROOM.0, ROOM.1)?, width))
    }

    /// Names the run that the drawing shows.
    #[must_use]
    pub fn titled(mut self, title: String) -> Self {
        self.title = title;
        self
    }

    /// The text of the whole.
    fn whole_text(&self, width: usize) -> String {
        // Everything can be selected.
        DrawingView::new(self, &Selection::default())
            .map(|view| text::text(&view, width))
            .unwrap_or_default()
    }
}

/// An [`Observer`] that draws an election as it happens.
///
/// It keeps every event until the end, in about 300 bytes and the text of each message.
pub struct Diagram {
    degrees: Vec<u32>,
    /// Two nodes may share links: then a port says by which of them a message comes.
    parallel: bool,
    /// The messages on each link, by the sending end.
    sent: BTreeMap<End, VecDeque<usize>>,
    /// Whether the states of processes are kept.
    with_states: bool,
    drawing: Drawing,
}

const STYLE: Style = Style {
    margin: 3,
    clock: TimeUnit::Ticks,
    quiet: Life::Asleep,
    ends: "a line ends where its process halts",
};

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
            with_states: false,
            drawing: Drawing::new(STYLE, ids, Life::Asleep),
        }
    }

    /// Keeps the states of processes as well, for a [page](crate::page).
    #[must_use]
    pub const fn with_states(mut self) -> Self {
        self.with_states = true;
        self
    }

    /// Returns the whole diagram, with what its marks mean, in lines of 116 characters.
    #[must_use]
    pub fn text(&self) -> String {
        self.text_within(WIDTH)
    }

    /// The whole diagram in lines of at most `width` characters, where it has few enough processes.
    #[must_use]
    pub fn text_within(&self, width: usize) -> String {
        self.drawing.whole_text(width)
    }

    /// Returns the drawing.
    #[must_use]
    pub const fn drawing(&self) -> &Drawing {
        &self.drawing
    }

    /// Returns the drawing. It cannot be continued.
    #[must_use]
    pub fn into_drawing(self) -> Drawing {
        self.drawing
    }

    pub(crate) fn on_link(&self, from: End, place: usize) -> Option<usize> {
        self.sent.get(&from)?.get(place).copied()
    }

    pub(crate) fn name_of(&self, message: usize) -> &str {
        &self.drawing.messages[message].text
    }

    fn queue(&mut self, from: End) -> &mut VecDeque<usize> {
        self.sent.entry(from).or_default()
    }

    /// A message, which is new.
    fn message(&mut self, passage: &TracedMessage<'_>) -> usize {
        let text = message(passage.kind, passage.message);
        self.drawing.message(passage.kind, text, passage.from.node, passage.to.node)
    }

    /// A message is sent, or sent again because a fault has doubled it.
    fn send(&mut self, passage: &TracedMessage<'_>) -> usize {
        let message = self.message(passage);
        self.queue(passage.from).push_back(message);
        message
    }

    /// The message that leaves the link or `stays`, and its text with the step in which it was sent.
    fn taken(
        &mut self,
        passage: &TracedMessage<'_>,
        overtakes: u32,
        stays: bool,
    ) -> (usize, String) {
        let queue = self.queue(passage.from);
        let found = queue.get(overtakes as usize).copied();
        let number = match found {
            Some(number) if stays => {
                let copy = self.drawing.messages.len();
                self.drawing.messages.push(self.drawing.messages[number].clone());
                self.queue(passage.from).push_front(copy);
                number
            }
            Some(number) => {
                queue.remove(overtakes as usize);
                number
            }
            None => self.message(passage),
        };
        let mut text = message(passage.kind, passage.message);
        if let Some(step) = self.drawing.sent_at(number) {
            let _ = write!(text, " of step {step}");
        }
        (number, text)
    }

    /// A message arrives.
    fn arrive(&mut self, step: u64, passage: &TracedMessage<'_>, overtakes: u32, discarded: bool) {
        let (number, what) = self.taken(passage, overtakes, false);
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
        self.drawing.begin(step, Some(to), phrase);
        self.drawing.arrow(number, head);
        if !discarded && self.drawing.life(to) == Life::Asleep {
            self.drawing.becomes(to, Life::Awake);
        }
    }

    /// A fault strikes the first message of a link.
    fn strike(&mut self, step: u64, passage: &TracedMessage<'_>, head: Mark) {
        let lost = head == Mark::Lose;
        let (number, what) = self.taken(passage, 0, !lost);
        let to = passage.to.node;
        let fate = if lost { "lost" } else { "doubled" };
        self.drawing.begin(step, None, format!("{what} to p{to} is {fate}"));
        self.drawing.arrow(number, head);
    }

    fn at(&mut self, step: u64, node: u32, mark: Mark, phrase: String) {
        self.drawing.begin(step, Some(node), phrase);
        self.drawing.mark(node, mark);
    }
}

impl Observer for Diagram {
    fn event(&mut self, at: u64, _: u32, event: &ElectionEvent<'_>) {
        match *event {
            ElectionEvent::Wake(node) => {
                self.at(at, node, Mark::Wake, format!("p{node} wakes"));
                self.drawing.becomes(node, Life::Awake);
            }
            ElectionEvent::Alarm(node) => {
                self.at(at, node, Mark::Alarm, format!("the alarm of p{node} rings"));
            }
            ElectionEvent::Crash(node) => {
                self.at(at, node, Mark::Crash, format!("p{node} crashes"));
                self.drawing.becomes(node, Life::Crashed);
            }
            ElectionEvent::Send(ref passage) => {
                let message = self.send(passage);
                self.drawing.sends(message);
            }
            ElectionEvent::Deliver(ref passage, overtakes) => {
                self.arrive(at, passage, overtakes, false);
            }
            ElectionEvent::Discard(ref passage, overtakes) => {
                self.arrive(at, passage, overtakes, true);
            }
            ElectionEvent::Lose(ref passage, Struck::OnLink) => {
                self.strike(at, passage, Mark::Lose);
            }
            ElectionEvent::Duplicate(ref passage, Struck::OnLink) => {
                self.strike(at, passage, Mark::Duplicate);
            }
            ElectionEvent::Lose(ref passage, Struck::AsSent) => {
                if let Some(number) = self.queue(passage.from).pop_back() {
                    self.drawing.messages[number].fate = Fate::Lost(None);
                }
                self.drawing.then("which is lost".into());
            }
            ElectionEvent::Duplicate(ref passage, Struck::AsSent) => {
                let number = self.send(passage);
                self.drawing.messages[number].sent = self.drawing.events.len().checked_sub(1);
                self.drawing.then("which is doubled".into());
            }
            ElectionEvent::Status(node, status) => {
                let (life, phrase) = match status {
                    Status::Leader => (Life::Leader, "leads"),
                    Status::Follower => (Life::Follower, "follows"),
                    Status::Undecided => (Life::Awake, "is undecided again"),
                };
                self.drawing.then(phrase.into());
                self.drawing.becomes(node, life);
                if status == Status::Leader {
                    self.drawing.mark(node, Mark::Lead);
                }
            }
            ElectionEvent::Halt(node) => {
                self.drawing.then("halts".into());
                self.drawing.becomes(node, self.drawing.life(node).halted());
            }
            ElectionEvent::Reject(_, why) => self.drawing.then(format!("rejects it: {why}")),
        }
    }

    fn state(&mut self, _: u32, state: &dyn Debug) {
        if self.with_states {
            self.drawing.is_in(format!("{state:?}"));
        }
    }
}
