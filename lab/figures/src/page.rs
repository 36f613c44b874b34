//! A run as a page: one file of HTML that plays it, with everything in it.
//!
//! The page needs no network, no server and no build: it is a template, a style sheet and a few modules of
//! plain JavaScript, which stand beside this file, and the run as JSON. It shows the network with
//! messages on their way, the space-time diagram, and the messages sent against the bound; it plays,
//! stops, steps and scrubs; and it shows the state of a process, and the causes and effects of a message.
//!
//! ```
//! use suffrage_algorithms::Algorithm;
//! use suffrage_figures::page::RunPage;
//! use suffrage_figures::run::{RunHeader, RunRecorder, Run};
//! use suffrage_simulator::Simulator;
//! use suffrage_networks::{Ids, wiring::Wiring};
//!
//! let (wiring, ids) = (Wiring::ring(6), Ids::Random.assign(6, 1));
//! let header = RunHeader::new("chang-roberts", wiring.clone(), ids.clone());
//! let mut recorder = RunRecorder::new(Vec::new(), &header)?;
//! let algorithm = Algorithm::named("chang-roberts").ok_or("no such algorithm")?;
//! Simulator::new(algorithm, &wiring, &ids).observer(&mut recorder).run()?;
//! let run = Run::read("a file", recorder.finish()?.as_slice())?;
//!
//! let page = RunPage::of_run(&run, None)?.html();
//! assert!(page.starts_with("<!DOCTYPE html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod facts;
mod offered;

use crate::diagram::{Diagram, Drawing, DrawingData, Film, Flight, TenureDiagram};
use crate::network::{self, MOST_NODES};
use crate::play::Play;
use crate::run::{ReplayError, Run, RunHeader};
use crate::svg::escaped;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use facts::RunFacts;
use offered::OfferedAction;
use serde::Serialize;
use std::fmt::Display;
use suffrage_algorithms::Algorithm;
use suffrage_model::Action;
use suffrage_networks::Topology;
use suffrage_networks::wiring::Wiring;
use tenure_simulation::Nanos;

/// The most events and messages of a page, which then has about 20 MB.
pub const MOST_EVENTS: usize = crate::play::MOST_EVENTS as usize;

/// The most processes, summed over all configurations, of a run whose invariants are checked.
const MOST_CHECKED: usize = 1_000_000;

/// The most links that are drawn all the time; of complete networks with more only those on which
/// something is under way are shown.
const MOST_LINKS: usize = 5000;

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");

/// The modules in the order in which they are concatenated: each needs only those before it.
const SCRIPTS: [&str; 13] = [
    include_str!("page/model.js"),
    include_str!("page/words.js"),
    include_str!("page/surface.js"),
    include_str!("page/network.js"),
    include_str!("page/spacetime.js"),
    include_str!("page/counts.js"),
    include_str!("page/leases.js"),
    include_str!("page/panel.js"),
    include_str!("page/program.js"),
    include_str!("page/faults.js"),
    include_str!("page/scheduler.js"),
    include_str!("page/keys.js"),
    include_str!("page/player.js"),
];

/// Why a run has no page.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PageError {
    /// It cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// It is too large.
    #[error(
        "{processes} processes and {events} events or messages are too many for a page, which has room \
         for {MOST_NODES} and {MOST_EVENTS}: record a smaller election"
    )]
    TooMuch {
        /// The number of its processes.
        processes: usize,
        /// The number of its events, or of its messages if there are more.
        events: usize,
    },
}

/// A run as a page.
pub struct RunPage {
    drawing: Drawing,
    untimed: bool,
    plan: Option<NetworkLayout>,
    about: RunFacts,
    tenure: Option<TenureHistory>,
    choices: Vec<OfferedAction>,
    /// The run as a file, if its schedule is being chosen.
    file: Option<String>,
    /// The program that answers the page's questions, as WebAssembly.
    program: Option<Vec<u8>>,
}

/// What a run of a protocol under faults has besides; instants are in milliseconds.
#[derive(Serialize)]
struct TenureHistory {
    /// The names of the kinds of all messages.
    kinds: Vec<&'static str>,
    /// Every message: kind, sender, receiver, when it is sent, when it ends (-1 if never), whether it is lost.
    flights: Vec<(usize, u32, u32, f64, f64, u8)>,
    /// Leases as they were at an instant: the instant, the holder, the office, the end.
    leases: Vec<(f64, u32, u64, f64)>,
    /// Faults: what they are called, the beginning, the end (-1 if never).
    faults: Vec<(String, f64, f64)>,
    /// Tenures: holder, office, term, beginning, end (-1 if never).
    tenures: Vec<(u32, u64, u64, f64, f64)>,
    /// The length of the run.
    length: f64,
}

/// The network.
#[derive(Default, Serialize)]
struct NetworkLayout {
    places: Vec<[f64; 2]>,
    links: Vec<(u32, u32)>,
    /// The names of nodes, if a file gives some.
    names: Vec<String>,
    /// Whether links are left out, because there are too many.
    sparse: bool,
}

impl NetworkLayout {
    /// The network of a run; `None` if it is too large to be drawn.
    fn of(run: &Run, topology: Option<&Topology>) -> Option<Self> {
        let wiring = &run.header.wiring;
        if wiring.nodes() as usize > MOST_NODES {
            return None;
        }
        let (places, mut links) = network::plan(topology, wiring);
        let sparse = links.len() > MOST_LINKS;
        if sparse {
            links.clear();
        }
        let name = |node| topology?.label(node).map(str::to_owned);
        let names: Option<Vec<String>> = (0..wiring.nodes()).map(name).collect();
        Some(Self { places, links, names: names.unwrap_or_default(), sparse })
    }
}

impl RunPage {
    /// Makes the page of the run of an algorithm of the catalogue. The topology, if known, gives positions and names to
    /// its nodes. It must be the topology of the run.
    ///
    /// Replays the run; the layout takes quadratic time in the nodes, unless they have positions or are
    /// in a circle.
    ///
    /// # Errors
    /// If the run cannot be replayed, has more than [`MOST_NODES`] processes or more than
    /// [`MOST_EVENTS`] events.
    pub fn of_run(run: &Run, topology: Option<&Topology>) -> Result<Self, PageError> {
        let plan = NetworkLayout::of(run, topology);
        Self::of(run, plan, &[])
    }

    /// Makes the page of an election whose schedule is being chosen, with the possible next actions, as
    /// [`of_run`](Self::of_run) does.
    ///
    /// # Errors
    /// As [`of_run`](Self::of_run).
    pub fn of_play(play: &Play, topology: Option<&Topology>) -> Result<Self, PageError> {
        let plan = NetworkLayout::of(play.run(), topology);
        Self::of_file(play, plan)
    }

    /// Makes the page of an election as [`of_play`](Self::of_play) does, without its network: for the
    /// [content](Self::content) of a page that has it already.
    ///
    /// # Errors
    /// As [`of_run`](Self::of_run).
    pub fn next_of(play: &Play) -> Result<Self, PageError> {
        Self::of_file(play, None)
    }

    fn of_file(play: &Play, plan: Option<NetworkLayout>) -> Result<Self, PageError> {
        Ok(Self { file: Some(play.file()), ..Self::of(play.run(), plan, play.possible())? })
    }

    fn of(run: &Run, plan: Option<NetworkLayout>, possible: &[Action]) -> Result<Self, PageError> {
        let header = &run.header;
        let processes = header.ids.len();
        let too_much = |events| PageError::TooMuch { processes, events };
        if processes > MOST_NODES || run.actions.len() > MOST_EVENTS {
            return Err(too_much(run.actions.len()));
        }
        let mut diagram = Diagram::new(&header.wiring, &header.ids).with_states();
        let row = Algorithm::named(&header.algorithm)
            .ok_or_else(|| ReplayError::UnknownAlgorithm(header.algorithm.clone()))?;
        // Each check looks at all processes.
        let invariants = processes * run.actions.len() <= MOST_CHECKED;
        let outcome = run.held(row, Some(&mut diagram), invariants);
        let outcome = outcome.map_err(ReplayError::from)?;
        let choice = |&action: &Action| OfferedAction::of(action, &diagram, &header.wiring);
        let choices = possible.iter().map(choice).collect();
        let RunHeader { algorithm, network, schedule, seed, .. } = header;
        let title = format!("{algorithm} on {network}, schedule {schedule}, seed {seed}");
        let drawing = diagram.into_drawing().titled(title);
        if drawing.size().1 > MOST_EVENTS {
            return Err(too_much(drawing.size().1));
        }
        let mut about = RunFacts::of(header, &outcome);
        if invariants && run.is_faultless() {
            about.invariants = facts::held(row, &outcome);
        }
        let untimed = run.is_untimed();
        Ok(Self { drawing, untimed, plan, about, tenure: None, choices, file: None, program: None })
    }

    /// Makes the page of a run of a protocol under faults, of this length, which was watched by `tenures`
    /// [with everything](TenureDiagram::with_everything).
    ///
    /// # Errors
    /// If it has more than [`MOST_EVENTS`] rows or messages.
    pub fn of_tenures(
        mut tenures: TenureDiagram,
        title: String,
        length: Nanos,
    ) -> Result<Self, PageError> {
        let film = tenures.take_film();
        let drawing = tenures.into_drawing().titled(title);
        let (processes, rows) = drawing.size();
        let events = rows.max(film.flights.len());
        if processes > MOST_NODES || events > MOST_EVENTS {
            return Err(PageError::TooMuch { processes, events });
        }
        let (places, links) = network::plan(None, &Wiring::complete(processes as u32));
        let plan = Some(NetworkLayout { places, links, ..NetworkLayout::default() });
        let outcome = format!("{} tenures, {} messages", film.tenures.len(), film.flights.len());
        let about = RunFacts { outcome, ..RunFacts::default() };
        let tenure = Some(TenureHistory::of(&film, millis(length.0)));
        let choices = Vec::new();
        Ok(Self {
            drawing,
            untimed: false,
            plan,
            about,
            tenure,
            choices,
            file: None,
            program: None,
        })
    }

    /// Names the command that makes the run again.
    #[must_use]
    pub fn command(mut self, command: String) -> Self {
        self.about.command = Some(command);
        self
    }

    /// Adds a line about the run: a word and what it is.
    #[must_use]
    pub fn fact(mut self, name: &'static str, value: impl Display) -> Self {
        self.about.facts.push((name, value.to_string()));
        self
    }

    /// Adds a property that the run breaks, and how.
    #[must_use]
    pub fn breach(mut self, property: impl Display, how: impl Display) -> Self {
        self.about.broken.push((property.to_string(), how.to_string()));
        self
    }

    /// Adds the program that answers the questions of a page whose reader is the scheduler: a WASI
    /// program that reads a question from standard input and writes the answer to standard output.
    #[must_use]
    pub fn program(mut self, wasm: Vec<u8>) -> Self {
        self.program = Some(wasm);
        self
    }

    /// Returns the data of the page, as JSON, which a page with a [program](Self::program) can load in place of its
    /// own.
    #[must_use]
    pub fn content(&self) -> String {
        let content = PageData {
            run: DrawingData::of(&self.drawing, self.untimed),
            network: self.plan.as_ref(),
            about: &self.about,
            tenure: self.tenure.as_ref(),
            choices: &self.choices,
            file: self.file.as_deref(),
        };
        // Everything in it can be serialized.
        serde_json::to_string(&content).unwrap_or_default()
    }

    /// Writes the page: one file of HTML without references to others.
    #[must_use]
    pub fn html(&self) -> String {
        let json = self.content();
        let title = self.drawing.title();
        let program = self.program.as_ref().map(|program| STANDARD.encode(program));
        let (may, program) = match program {
            Some(program) => (" 'wasm-unsafe-eval'; worker-src blob:", program),
            None => ("", String::new()),
        };
        let room = TEMPLATE.len() + json.len() + program.len() + (1 << 17);
        let parts = [
            ("{{program-may}}", may.to_owned()),
            ("{{title}}", escaped(title)),
            ("{{style}}", STYLE.to_owned()),
            // So that nothing in the run can end the element that holds it.
            ("{{run}}", json.replace('<', "\\u003c")),
            ("{{program}}", program),
            ("{{script}}", SCRIPTS.concat()),
        ];
        let mut html = String::with_capacity(room);
        let mut rest = TEMPLATE;
        // Each part comes once, in this order; what a part contains is not looked at again.
        for (place, text) in parts {
            let (before, after) = rest.split_once(place).unwrap_or((rest, ""));
            html.push_str(before);
            html.push_str(&text);
            rest = after;
        }
        html + rest
    }
}

#[derive(Serialize)]
struct PageData<'a> {
    run: DrawingData<'a>,
    network: Option<&'a NetworkLayout>,
    about: &'a RunFacts,
    tenure: Option<&'a TenureHistory>,
    choices: &'a [OfferedAction],
    file: Option<&'a str>,
}

fn millis(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

fn end(nanos: Option<u64>) -> f64 {
    nanos.map_or(-1.0, millis)
}

impl TenureHistory {
    fn of(film: &Film, length: f64) -> Self {
        let mut kinds: Vec<&'static str> = Vec::new();
        let flights = film.flights.iter().map(|flight| {
            let Flight { kind, from, to, sent, ends, lost } = *flight;
            let known = kinds.iter().position(|name| *name == kind);
            let kind = known.unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            });
            (kind, from, to, millis(sent), end(ends), u8::from(lost))
        });
        let flights = flights.collect();
        let lease = |&(at, peer, office, until): &(u64, u32, u64, u64)| {
            (millis(at), peer, office, millis(until))
        };
        let fault =
            |(name, from, to): &(String, u64, Option<u64>)| (name.clone(), millis(*from), end(*to));
        let tenure = |&(peer, office, term, from, to): &(u32, u64, u64, u64, Option<u64>)| {
            (peer, office, term, millis(from), end(to))
        };
        Self {
            kinds,
            flights,
            leases: film.leases.iter().map(lease).collect(),
            faults: film.faults.iter().map(fault).collect(),
            tenures: film.tenures.iter().map(tenure).collect(),
            length,
        }
    }
}
