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

use crate::diagram::{Diagram, Drawing, DrawingData, Film, TenureDiagram};
use crate::network::{self, MOST_NODES};
use crate::play::Play;
use crate::run::{ReplayError, Run, RunHeader};
use crate::svg::escaped;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::bufread::GzEncoder;
use serde::Serialize;
use std::fmt::Display;
use std::io::Read;
use suffrage_algorithms::{Algorithm, Custom, Parameters, Property};
use suffrage_model::{Action, End, Phase, Process};
use suffrage_networks::Topology;
use suffrage_networks::wiring::Wiring;
use suffrage_numbers::{counted, grouped};
use suffrage_simulator::{Outcome, Subject, TimedViolation};
use tenure_simulation::Nanos;

/// The most events and messages of a page, which then has about 20 MB.
pub const MOST_EVENTS: usize = crate::play::MOST_EVENTS as usize;

/// The most processes, summed over all configurations, of a run whose invariants are checked.
const MOST_CHECKED: usize = 1_000_000;

/// The most links that are drawn all the time; of complete networks with more only those on which
/// something is under way are shown.
const MOST_LINKS: usize = 5000;

const TEMPLATE: &str = include_str!("page/page.html");
const COLOURS: &str = include_str!("page/colours.css");
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

/// Returns the colours of pages, light and dark: the first part of their [style sheet](style).
#[must_use]
pub const fn colours() -> &'static str {
    COLOURS
}

/// Returns the style sheet of pages.
#[must_use]
pub fn style() -> String {
    [COLOURS, STYLE].concat()
}

/// Returns the script of pages.
#[must_use]
pub fn script() -> String {
    format!("(() => {{\n\"use strict\";\n{}}})();\n", SCRIPTS.concat())
}

/// Returns a page with its [`style`] and its [`script`] in files beside it, at these addresses, so that the pages of a
/// site share them; `None` if it is no page of [`RunPage::html`].
#[must_use]
pub fn sharing(html: &str, style_at: &str, script_at: &str) -> Option<String> {
    let (style_at, script_at) = (escaped(style_at), escaped(script_at));
    let parts = [
        // A page that is opened from a folder has no origin of its own.
        ("style-src".to_owned(), "style-src 'self' file:".to_owned()),
        ("script-src".to_owned(), "script-src 'self' file:".to_owned()),
        (
            format!("<style>\n{}\n</style>", style()),
            format!("<link rel=\"stylesheet\" href=\"{style_at}\">"),
        ),
        (
            format!("<script>\n{}</script>", script()),
            format!("<script src=\"{script_at}\"></script>"),
        ),
    ];
    let mut shared = String::with_capacity(html.len());
    let mut rest = html;
    for (part, instead) in parts {
        let (before, after) = rest.split_once(&part)?;
        shared.push_str(before);
        shared.push_str(&instead);
        rest = after;
    }
    Some(shared + rest)
}

/// A program as a page has it.
fn packed(program: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    // Reading and writing memory does not fail.
    let _ = GzEncoder::new(program, Compression::best()).read_to_end(&mut packed);
    packed
}

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
    tenure: Option<Film>,
    choices: Vec<OfferedAction>,
    /// The run as a file, if its schedule is being chosen.
    file: Option<String>,
    /// The program that answers the page's questions, as WebAssembly.
    program: Option<Vec<u8>>,
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

    /// Makes the page of a run of a process that is not in the catalogue, as [`of_run`](Self::of_run) does.
    ///
    /// # Errors
    /// As [`of_run`](Self::of_run).
    pub fn of_custom<P: Process>(
        process: &Custom<P>,
        run: &Run,
        topology: Option<&Topology>,
    ) -> Result<Self, PageError> {
        let plan = NetworkLayout::of(run, topology);
        Self::held(run, process, &|_| Vec::new(), plan, &[])
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
        let row = run.header.row()?;
        Self::held(run, row, &|outcome| CheckedInvariant::all(row, outcome), plan, possible)
    }

    fn held(
        run: &Run,
        subject: &impl Subject,
        of_subject: &dyn Fn(&Outcome) -> Vec<CheckedInvariant>,
        plan: Option<NetworkLayout>,
        possible: &[Action],
    ) -> Result<Self, PageError> {
        let header = &run.header;
        let processes = header.ids.len();
        let too_much = |events| PageError::TooMuch { processes, events };
        if processes > MOST_NODES || run.actions.len() > MOST_EVENTS {
            return Err(too_much(run.actions.len()));
        }
        let mut diagram = Diagram::new(&header.wiring, &header.ids).with_states();
        // Each check looks at all processes.
        let invariants = processes * run.actions.len() <= MOST_CHECKED;
        let outcome = run.held(subject, Some(&mut diagram), invariants);
        let outcome = outcome.map_err(ReplayError::from)?;
        let choice = |&action: &Action| OfferedAction::of(action, &diagram, &header.wiring);
        let choices = possible.iter().map(choice).collect();
        let drawing = diagram.into_drawing().titled(header.title());
        if drawing.size().1 > MOST_EVENTS {
            return Err(too_much(drawing.size().1));
        }
        let mut about = RunFacts::of(header, &outcome);
        if invariants && run.is_faultless() {
            about.invariants = of_subject(&outcome);
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
        let film = tenures.take_film(length);
        let (began, flights) = (film.tenures.len() as u64, film.flights.len());
        let outcome =
            format!("{}, {}", counted(began, "tenure"), counted(flights as u64, "message"));
        let about = RunFacts { outcome, idea: TENURES.to_owned(), ..RunFacts::default() };
        let page = Self::of_members(tenures.into_drawing().titled(title), about, flights)?;
        Ok(Self { tenure: Some(film), ..page })
    }

    /// Makes the page of an execution of members that an explorer has shown to a diagram
    /// [of its steps](TenureDiagram::of_steps).
    ///
    /// # Errors
    /// If it has more than [`MOST_EVENTS`] steps or messages.
    pub fn of_steps(steps: TenureDiagram, title: String) -> Result<Self, PageError> {
        let drawing = steps.into_drawing().titled(title);
        let (steps, messages) = drawing.counts();
        let outcome = format!("{}, {}", counted(steps, "step"), counted(messages, "message"));
        let about = RunFacts { outcome, ..RunFacts::default() };
        Ok(Self { untimed: true, ..Self::of_members(drawing, about, 0)? })
    }

    /// The page of members, each linked with all others. It has room for at least this number of messages.
    fn of_members(drawing: Drawing, about: RunFacts, messages: usize) -> Result<Self, PageError> {
        let (processes, rows) = drawing.size();
        let events = rows.max(messages);
        if processes > MOST_NODES || events > MOST_EVENTS {
            return Err(PageError::TooMuch { processes, events });
        }
        let (places, links) = network::plan(None, &Wiring::complete(processes as u32));
        let plan = Some(NetworkLayout { places, links, ..NetworkLayout::default() });
        let (tenure, choices) = (None, Vec::new());
        let (untimed, file, program) = (false, None, None);
        Ok(Self { drawing, untimed, plan, about, tenure, choices, file, program })
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
        let program = self.program.as_ref().map(|program| STANDARD.encode(packed(program)));
        let (may, program) = match program {
            Some(program) => (" 'wasm-unsafe-eval'; worker-src blob:", program),
            None => ("", String::new()),
        };
        let room = TEMPLATE.len() + json.len() + program.len() + (1 << 17);
        let parts = [
            ("{{program-may}}", may.to_owned()),
            ("{{title}}", escaped(title)),
            ("{{style}}", style()),
            // So that nothing in the run can end the element that holds it.
            ("{{run}}", json.replace('<', "\\u003c")),
            ("{{program}}", program),
            ("{{script}}", script()),
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

/// The idea of a protocol under faults.
const TENURES: &str = "A member that a majority lets lead holds an office until its lease runs out, and renews the \
     lease as long as a majority answers. Where faults cut it off, the lease is to end before another one can win.";

/// The first two sentences of an algorithm's idea, and who wins.
fn idea(algorithm: &Algorithm) -> String {
    let words: Vec<_> = algorithm.header.idea.split_whitespace().collect();
    let line = words.join(" ").replace('`', "");
    let end = line.match_indices(". ").nth(1).map_or(line.len(), |(at, _)| at + 1);
    format!("{} Who wins: {}.", &line[..end], algorithm.claims.rule.words())
}

#[derive(Serialize)]
struct PageData<'a> {
    run: DrawingData<'a>,
    network: Option<&'a NetworkLayout>,
    about: &'a RunFacts,
    tenure: Option<&'a Film>,
    choices: &'a [OfferedAction],
    file: Option<&'a str>,
}

/// Facts about a run that its events do not show.
#[derive(Default, Serialize)]
struct RunFacts {
    command: Option<String>,
    /// Lines about the algorithm and the conditions: a word and what it is.
    facts: Vec<(&'static str, String)>,
    bound: Option<BoundFact>,
    /// For each kind of messages whether it belongs to the announcement.
    announces: Vec<String>,
    /// The properties that were broken, and how.
    broken: Vec<(String, String)>,
    /// The number of events before the ones that can be repeated without end.
    loop_start: Option<usize>,
    outcome: String,
    /// Two sentences about the algorithm, and who wins.
    idea: String,
    /// The invariants of the algorithm, where the run is held to them.
    invariants: Vec<CheckedInvariant>,
}

/// An invariant of the algorithm.
#[derive(Serialize)]
struct CheckedInvariant {
    name: &'static str,
    /// What it says, in the words of the algorithm's file.
    says: &'static str,
    /// The tick at which it is broken first.
    broken: Option<u64>,
}

impl CheckedInvariant {
    /// The invariants of an algorithm. Each holds in the run, or is broken at a tick.
    fn all(algorithm: &Algorithm, outcome: &Outcome) -> Vec<Self> {
        let invariant = |name| {
            let of = |it: &&TimedViolation| it.violation.property == Property::Invariant(name);
            let broken = outcome.violations.iter().find(of).map(|breach| breach.at);
            Self {
                name,
                says: algorithm.statement(name).map(|stated| stated.says).unwrap_or_default(),
                broken,
            }
        };
        algorithm.invariants().into_iter().map(invariant).collect()
    }
}

/// What theory allows.
#[derive(Serialize)]
struct BoundFact {
    formula: String,
    sign: &'static str,
    messages: u64,
}

impl RunFacts {
    fn of(header: &RunHeader, outcome: &Outcome) -> Self {
        let algorithm = Algorithm::named(&header.algorithm);
        let claims = algorithm.map(|algorithm| &algorithm.claims);
        let nodes = u64::from(header.wiring.nodes());
        // As long as it is not over, more may wake.
        let initiators = match &header.initiators {
            _ if !outcome.unfinished => outcome.woken,
            None => nodes,
            Some(some) => some.len() as u64,
        };
        let parameters = Parameters::new(nodes, header.wiring.links(), initiators);
        let diameter = || header.wiring.diameter().into();
        let bound = claims.map(|claims| BoundFact {
            formula: claims.stated().plain(),
            sign: claims.guarantee().sign(),
            messages: {
                let known = claims.identified(parameters, header.ids.iter().copied());
                claims.bound(&claims.measured(known, &diameter))
            },
        });
        let idea = algorithm.map_or_else(String::new, idea);
        let announces = outcome.messages.by_kind().map(|(kind, _)| kind);
        let announces = announces.filter(|kind| kind.phase == Phase::Announcement);
        let links = header.wiring.links();
        let initiated = match &header.initiators {
            None => "all".to_owned(),
            Some(some) => format!("{} of {}", some.len(), grouped(&nodes.to_string(), ',')),
        };
        let mut facts = vec![
            ("algorithm", header.algorithm.clone()),
            ("network", header.network.clone()),
            ("size", format!("{}, {}", counted(nodes, "node"), counted(links, "link"))),
            ("schedule", header.schedule.clone()),
            ("initiators", initiated),
            ("seed", header.seed.to_string()),
        ];
        if !header.faults.is_empty() {
            let faults: Vec<_> = header.faults.iter().map(ToString::to_string).collect();
            facts.push(("faults", faults.join(", ")));
        }
        let broken = outcome.violations.iter().map(|breach| {
            let violation = &breach.violation;
            (violation.property.name().to_owned(), violation.detail.clone())
        });
        let mut broken: Vec<_> = broken.collect();
        if let Some(breaks) = header.breaks.as_ref().filter(|_| broken.is_empty()) {
            broken.push((breaks.property.clone(), breaks.detail.clone()));
        }
        let after = counted(outcome.messages.total(), "message");
        Self {
            command: header.command.clone(),
            facts,
            bound,
            announces: announces.map(|kind| kind.name.to_owned()).collect(),
            broken,
            loop_start: header.loop_start,
            idea,
            invariants: Vec::new(),
            outcome: match &outcome.leader {
                Some(leader) => {
                    let (node, id) = (leader.node, leader.id);
                    format!("node {node} with id {id} leads, after {after}")
                }
                None if outcome.unfinished => format!("not over, after {after}"),
                None => format!("no leader, after {after}"),
            },
        }
    }
}

/// What may be chosen to happen next.
#[derive(Serialize)]
struct OfferedAction {
    words: String,
    /// What it is: `wake`, `alarm`, `deliver`, `lose`, `duplicate` or `crash`.
    what: &'static str,
    /// The process to which it happens.
    node: u32,
    /// The message that arrives or is struck.
    message: Option<usize>,
}

impl OfferedAction {
    fn of(action: Action, diagram: &Diagram, wiring: &Wiring) -> Self {
        let on_link = |to: End, place| {
            let from = wiring.across(to.node, to.port);
            let message = diagram.on_link(from, place);
            let name = message.map_or("a message", |message| diagram.name_of(message));
            (message, format!("{name} from p{}", from.node))
        };
        let process = |what, node, words| Self { words, what, node, message: None };
        let strike = |what, to: End, fate| {
            let (message, name) = on_link(to, 0);
            Self {
                words: format!("{name} to p{} is {fate}", to.node),
                what,
                node: to.node,
                message,
            }
        };
        match action {
            Action::Wake(node) => process("wake", node, format!("p{node} wakes")),
            Action::Alarm(node) => process("alarm", node, format!("the alarm of p{node} rings")),
            Action::Crash(node) => process("crash", node, format!("p{node} crashes")),
            Action::Deliver { to, overtakes } => {
                let (message, name) = on_link(to, overtakes as usize);
                let node = to.node;
                let mut words = format!("p{node} gets {name}");
                if overtakes > 0 {
                    words += &format!(", which overtakes {overtakes}");
                }
                Self { words, what: "deliver", node, message }
            }
            Action::Lose { to } => strike("lose", to, "lost"),
            Action::Duplicate { to } => strike("duplicate", to, "doubled"),
        }
    }
}
