//! A run as a page: one file of HTML that plays it, with everything in it.
//!
//! The page needs no network, no server and no build: it is a template, a style sheet and a few modules of
//! plain JavaScript, which stand beside this file, and the run as JSON. It shows the network with
//! messages on their way, the space-time diagram, and the messages sent against the bound; it plays,
//! stops, steps and scrubs; and it shows the state of a process, and the causes and effects of a message.
//!
//! ```
//! use suffrage::algorithms::Algorithm;
//! use suffrage::page::Page;
//! use suffrage::run::{Header, Recorder, Run};
//! use suffrage::simulator::Simulator;
//! use suffrage::topology::{Ids, wiring::Wiring};
//!
//! let (wiring, ids) = (Wiring::ring(6), Ids::Random.assign(6, 1));
//! let header = Header::new("chang-roberts", wiring.clone(), ids.clone());
//! let mut recorder = Recorder::new(Vec::new(), &header)?;
//! let algorithm = Algorithm::named("chang-roberts").ok_or("no such algorithm")?;
//! Simulator::new(algorithm, &wiring, &ids).observer(&mut recorder).run()?;
//! let run = Run::read("a file", recorder.finish()?.as_slice())?;
//!
//! let page = Page::of_run(&run, None)?.html();
//! assert!(page.starts_with("<!DOCTYPE html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::diagram::{Data, Diagram, Drawing, Film, Flight, Tenures};
use crate::network::{self, MOST_NODES};
use crate::run::{Header, ReplayError, Run};
use crate::svg::escaped;
use serde::Serialize;
use std::fmt::Display;
use suffrage_algorithms::{Algorithm, Parameters};
use suffrage_process::Phase;
use suffrage_recovery::simulation::Nanos;
use suffrage_simulator::Outcome;
use suffrage_topology::Topology;
use suffrage_topology::wiring::Wiring;

/// The most events and messages of a page, which then has about 20 MB.
pub const MOST_EVENTS: usize = 100_000;

/// The most links that are drawn all the time; of complete networks with more only those on which
/// something is under way are shown.
const MOST_LINKS: usize = 5000;

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");

/// The modules in the order in which they are concatenated: each needs only those before it.
const SCRIPTS: [&str; 9] = [
    include_str!("page/model.js"),
    include_str!("page/words.js"),
    include_str!("page/surface.js"),
    include_str!("page/network.js"),
    include_str!("page/spacetime.js"),
    include_str!("page/counts.js"),
    include_str!("page/leases.js"),
    include_str!("page/panel.js"),
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
        /// The number of its events, or that of its messages if it is greater.
        events: usize,
    },
}

/// A run as a page.
pub struct Page {
    drawing: Drawing,
    untimed: bool,
    plan: Plan,
    about: About,
    tenure: Option<Office>,
}

/// What a run of a protocol under faults has besides; instants are in milliseconds.
#[derive(Serialize)]
struct Office {
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
struct Plan {
    places: Vec<[f64; 2]>,
    links: Vec<(u32, u32)>,
    /// The names of nodes, if a file gives some.
    names: Vec<String>,
    /// Whether links are left out, because there are too many.
    sparse: bool,
}

/// What is known of the run beside its events.
#[derive(Default, Serialize)]
struct About {
    command: Option<String>,
    /// Lines about the algorithm and the conditions: a word and what it is.
    facts: Vec<(&'static str, String)>,
    bound: Option<Bound>,
    /// For each kind of messages whether it belongs to the announcement.
    announces: Vec<String>,
    /// The properties that were broken, with what is known of it.
    broken: Vec<(String, String)>,
    /// The number of events before those that can be repeated for ever.
    loop_start: Option<usize>,
    outcome: String,
}

/// What theory allows.
#[derive(Serialize)]
struct Bound {
    formula: String,
    sign: &'static str,
    messages: u64,
}

impl Page {
    /// Makes the page of the run of an algorithm of the catalogue. The topology gives positions and names
    /// to its nodes, where it is known; it must be that of the run.
    ///
    /// Replays the run; the layout takes quadratic time in the nodes, unless they have positions or are
    /// in a circle.
    ///
    /// # Errors
    /// If the run cannot be replayed, has more than [`MOST_NODES`] processes or more than
    /// [`MOST_EVENTS`] events.
    pub fn of_run(run: &Run, topology: Option<&Topology>) -> Result<Self, PageError> {
        let header = &run.header;
        let processes = header.ids.len();
        let too_much = |events| PageError::TooMuch { processes, events };
        if processes > MOST_NODES || run.actions.len() > MOST_EVENTS {
            return Err(too_much(run.actions.len()));
        }
        let mut diagram = Diagram::new(&header.wiring, &header.ids).with_states();
        let outcome = run.replay(Some(&mut diagram))?.outcome;
        let Header { algorithm, network, schedule, seed, .. } = header;
        let title = format!("{algorithm} on {network}, schedule {schedule}, seed {seed}");
        let drawing = diagram.into_drawing().titled(title);
        if drawing.size().1 > MOST_EVENTS {
            return Err(too_much(drawing.size().1));
        }
        let (places, mut links) = network::plan(topology, &header.wiring);
        let sparse = links.len() > MOST_LINKS;
        if sparse {
            links.clear();
        }
        let name = |node| topology?.label(node).map(str::to_owned);
        let names: Option<Vec<String>> = (0..header.wiring.nodes()).map(name).collect();
        let plan = Plan { places, links, names: names.unwrap_or_default(), sparse };
        let about = About::of(header, &outcome);
        Ok(Self { drawing, untimed: run.is_untimed(), plan, about, tenure: None })
    }

    /// Makes the page of a run of a protocol under faults, of this length, which was watched by `tenures`
    /// [with everything](Tenures::with_everything).
    ///
    /// # Errors
    /// If it has more than [`MOST_EVENTS`] rows or messages.
    pub fn of_tenures(
        mut tenures: Tenures,
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
        let plan = Plan { places, links, ..Plan::default() };
        let outcome = format!("{} tenures, {} messages", film.tenures.len(), film.flights.len());
        let about = About { outcome, ..About::default() };
        let tenure = Some(Office::of(&film, millis(length.0)));
        Ok(Self { drawing, untimed: false, plan, about, tenure })
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

    /// Writes the page: one file of HTML without references to others.
    #[must_use]
    pub fn html(&self) -> String {
        let content = Content {
            run: Data::of(&self.drawing, self.untimed),
            network: &self.plan,
            about: &self.about,
            tenure: self.tenure.as_ref(),
        };
        // Everything in it can be serialized.
        let json = serde_json::to_string(&content).unwrap_or_default();
        let title = self.drawing.title();
        let parts = [
            ("{{title}}", escaped(title)),
            ("{{style}}", STYLE.to_owned()),
            // So that nothing in the run can end the element that holds it.
            ("{{run}}", json.replace('<', "\\u003c")),
            ("{{script}}", SCRIPTS.concat()),
        ];
        let mut html = String::with_capacity(TEMPLATE.len() + json.len() + (1 << 16));
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
struct Content<'a> {
    run: Data<'a>,
    network: &'a Plan,
    about: &'a About,
    tenure: Option<&'a Office>,
}

fn millis(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

fn end(nanos: Option<u64>) -> f64 {
    nanos.map_or(-1.0, millis)
}

impl Office {
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

impl About {
    fn of(header: &Header, outcome: &Outcome) -> Self {
        let algorithm = Algorithm::named(&header.algorithm);
        let claims = algorithm.map(|algorithm| &algorithm.claims);
        let nodes = u64::from(header.wiring.nodes());
        let parameters = Parameters::new(nodes, header.wiring.links(), outcome.woken)
            .with_ids(header.ids.iter().copied());
        let bound = claims.map(|claims| Bound {
            formula: claims.formula(),
            sign: claims.guarantee().sign(),
            messages: claims.bound(&parameters),
        });
        let announces = outcome.messages.by_kind().map(|(kind, _)| kind);
        let announces = announces.filter(|kind| kind.phase == Phase::Announcement);
        let links = header.wiring.links();
        let mut facts = vec![
            ("algorithm", header.algorithm.clone()),
            ("network", header.network.clone()),
            ("size", format!("{nodes} nodes, {links} links")),
            ("schedule", header.schedule.clone()),
            (
                "initiators",
                match &header.initiators {
                    None => "all".to_owned(),
                    Some(some) => format!("{} of {nodes}", some.len()),
                },
            ),
            ("seed", header.seed.to_string()),
        ];
        if let Some(claims) = claims {
            facts.push(("who wins", claims.rule.words().to_owned()));
        }
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
        let total = outcome.messages.total();
        Self {
            command: header.command.clone(),
            facts,
            bound,
            announces: announces.map(|kind| kind.name.to_owned()).collect(),
            broken,
            loop_start: header.loop_start,
            outcome: match &outcome.leader {
                Some(leader) => {
                    format!(
                        "node {} with id {} leads, after {total} messages",
                        leader.node, leader.id
                    )
                }
                None => format!("no leader, after {total} messages"),
            },
        }
    }
}
