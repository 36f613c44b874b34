//! Diagrams of runs in which processes crash and recover.

use super::canvas::{Life, Mark};
use super::drawing::{Drawing, Style, TimeUnit};
use super::words;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use suffrage_model::Message;
use tenure_model::{Cell, Memory, Office, Peer, Recoverable};
use tenure_simulation::{ClusterEvent, Nanos, SimulationWatch};

/// A [`SimulationWatch`] that draws a run of a protocol under faults as it happens: who is up, who holds an
/// office, what every process says of who leads, and what caused it.
///
/// Times are in milliseconds. A message or an alarm has a row if something that can be seen from outside
/// follows from it: heartbeats that change nothing are left out. Rows after the limit are not drawn.
///
/// A diagram [of steps](Self::of_steps) has all that happens, every message from where it is sent, and states.
pub struct TenureDiagram {
    drawing: Drawing,
    limit: usize,
    /// What happened last, if it has no row yet.
    cause: Option<Cause>,
    /// The instant and the process of the last row.
    last: Option<(Nanos, Peer)>,
    /// The offices that are held, by participant.
    held: BTreeSet<(u32, u64)>,
    /// Every message, lease and fault, if they are kept.
    film: Option<Film>,
    /// The messages sent, if every step is drawn.
    sent: Option<StepMessages>,
}

/// Messages that are alike, by sender, receiver and text.
type AlikeMessages<T> = BTreeMap<(u32, u32, String), T>;

/// The messages of a diagram of steps.
#[derive(Default)]
struct StepMessages {
    /// Those under way, oldest first.
    under_way: AlikeMessages<VecDeque<usize>>,
    /// The last of those that have arrived, which may arrive again.
    arrived: AlikeMessages<usize>,
}

/// What a page shows and a diagram has no room for: every message, lease and fault. Instants are in
/// milliseconds, and -1 is never.
#[derive(Default, Serialize)]
pub(crate) struct Film {
    /// The names of the kinds of all messages.
    kinds: Vec<&'static str>,
    /// Every message: kind, sender, receiver, when it is sent, when it arrives or is lost, whether it is
    /// lost.
    pub(crate) flights: Vec<(usize, u32, u32, f64, f64, u8)>,
    /// Leases from the instant on at which they were last prolonged: the instant, the holder, the office,
    /// the end.
    leases: Vec<(f64, u32, u64, f64)>,
    /// Faults: what they are called, the beginning, the end.
    faults: Vec<(String, f64, f64)>,
    /// Tenures: holder, office, term, beginning, end.
    pub(crate) tenures: Vec<(u32, u64, u64, f64, f64)>,
    /// The length of the run.
    length: f64,
    /// The messages under way that are alike, oldest first: which of them arrives makes no difference.
    #[serde(skip)]
    under_way: AlikeMessages<VecDeque<usize>>,
    /// The end of the last lease of each holder and office.
    #[serde(skip)]
    until: BTreeMap<(u32, u64), u64>,
}

/// The end of what has not ended.
const NEVER: f64 = -1.0;

const fn millis(at: Nanos) -> f64 {
    at.0 as f64 / 1e6
}

impl Film {
    fn send(&mut self, at: Nanos, (kind, text): (&'static str, String), from: Peer, to: Peer) {
        self.under_way.entry((from.0, to.0, text)).or_default().push_back(self.flights.len());
        let known = self.kinds.iter().position(|name| *name == kind);
        let kind = known.unwrap_or_else(|| {
            self.kinds.push(kind);
            self.kinds.len() - 1
        });
        self.flights.push((kind, from.0, to.0, millis(at), NEVER, 0));
    }

    fn end(&mut self, at: Nanos, text: String, from: Peer, to: Peer, lost: bool) {
        let alike = self.under_way.get_mut(&(from.0, to.0, text));
        if let Some(flight) = alike.and_then(VecDeque::pop_front) {
            let (.., ends, is_lost) = &mut self.flights[flight];
            (*ends, *is_lost) = (millis(at), lost.into());
        }
    }

    fn see<P: Recoverable>(&mut self, at: Nanos, event: &ClusterEvent<'_, P>) {
        let words = |msg: &P::Msg| (msg.kind_name(), format!("{msg:?}"));
        match *event {
            ClusterEvent::Send(from, to, msg) | ClusterEvent::Duplicate(from, to, msg) => {
                self.send(at, words(msg), from, to);
            }
            ClusterEvent::Receive(from, to, msg) => {
                self.end(at, words(msg).1, from, to, false);
            }
            ClusterEvent::Lose(from, to, msg) => self.end(at, words(msg).1, from, to, true),
            ClusterEvent::Begins(entry) => {
                let end = if entry.fault.is_momentary() { millis(at) } else { NEVER };
                self.faults.push((entry.to_string(), millis(at), end));
            }
            ClusterEvent::Ends(entry) => {
                let name = entry.to_string();
                let open = |fault: &&mut (String, f64, f64)| fault.0 == name && fault.2 == NEVER;
                if let Some(fault) = self.faults.iter_mut().rev().find(open) {
                    fault.2 = millis(at);
                }
            }
            ClusterEvent::Holds(peer, office, tenure) => {
                self.tenures.push((peer.0, office.0, tenure.term.0, millis(at), NEVER));
            }
            ClusterEvent::Loses(peer, office, term) => {
                let same = |&&mut (holder, of, at, _, end): &&mut (u32, u64, u64, f64, f64)| {
                    (holder, of, at) == (peer.0, office.0, term.0) && end == NEVER
                };
                if let Some(tenure) = self.tenures.iter_mut().rev().find(same) {
                    tenure.4 = millis(at);
                }
            }
            _ => {}
        }
    }
}

struct Cause {
    at: Nanos,
    peer: Peer,
    sign: Sign,
    phrase: String,
}

/// The drawing of a cause.
enum Sign {
    Dot(Mark),
    /// A message of this kind and text arrives from this participant.
    Message(&'static str, String, Peer),
    /// A message of this number arrives.
    Sent(usize),
}

const STYLE: Style = Style {
    margin: 9,
    clock: TimeUnit::Nanos,
    quiet: Life::Suspended,
    ends: "no line: the process is down",
};

const STEP_STYLE: Style = Style { margin: 3, clock: TimeUnit::Ticks, ..STYLE };

impl TenureDiagram {
    /// Creates a diagram of at most `limit` rows. The first `members` participants are members; the last `witnesses` of
    /// these do not stand.
    #[must_use]
    pub fn new(members: u32, witnesses: u32, clients: u32, limit: usize) -> Self {
        let head = |peer: u32| match peer {
            peer if peer >= members => "client",
            peer if peer >= members - witnesses => "witness",
            _ => "member",
        };
        let heads = (0..members + clients).map(|peer| head(peer).to_owned()).collect();
        let drawing = Drawing::new(STYLE, heads, Life::Unstarted);
        let (held, film, sent) = (BTreeSet::new(), None, None);
        Self { drawing, limit, cause: None, last: None, held, film, sent }
    }

    /// Creates a diagram of an execution of members whose instants are the numbers of its steps, as an explorer
    /// [shows](SimulationWatch::state) it.
    #[must_use]
    pub fn of_steps(members: u32) -> Self {
        let mut diagram = Self::new(members, 0, 0, usize::MAX);
        diagram.drawing.style = STEP_STYLE;
        diagram.sent = Some(StepMessages::default());
        diagram
    }

    /// Keeps every message, lease and fault as well, for a [page](crate::page).
    #[must_use]
    pub fn with_everything(mut self) -> Self {
        self.film = Some(Film::default());
        self
    }

    /// What was kept of a run of this length.
    pub(crate) fn take_film(&mut self, length: Nanos) -> Film {
        Film { length: millis(length), ..self.film.take().unwrap_or_default() }
    }

    /// Whether there were more rows than are drawn.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.drawing.events.len() >= self.limit
    }

    /// Returns the whole diagram, with what its marks mean, in lines of at most `width` characters, where
    /// it has few enough participants.
    #[must_use]
    pub fn text_within(&self, width: usize) -> String {
        self.drawing.whole_text(width)
    }

    /// Returns the drawing.
    #[must_use]
    pub fn into_drawing(self) -> Drawing {
        self.drawing
    }

    fn begin(&mut self, at: Nanos, peer: Option<Peer>, phrase: String) {
        self.drawing.begin(at.0, peer.map(|peer| peer.0), phrase);
        (self.cause, self.last) = (None, None);
    }

    /// Something happens to a process, and has a row.
    fn happens(&mut self, at: Nanos, peer: Peer, mark: Mark, phrase: &str) {
        self.begin(at, Some(peer), format!("p{} {phrase}", peer.0));
        self.drawing.mark(peer.0, mark);
        self.last = Some((at, peer));
    }

    /// Something can be seen of a process, in the row of its cause.
    fn follows(&mut self, at: Nanos, peer: Peer, phrase: String) {
        if self.last == Some((at, peer)) {
            return self.drawing.then(phrase);
        }
        match self.cause.take().filter(|cause| (cause.at, cause.peer) == (at, peer)) {
            Some(cause) => {
                self.row_of(cause);
                self.drawing.then(phrase);
            }
            None => self.begin(at, Some(peer), format!("p{} {phrase}", peer.0)),
        }
        self.last = Some((at, peer));
    }

    fn row_of(&mut self, Cause { at, peer, sign, phrase }: Cause) {
        self.begin(at, Some(peer), phrase);
        match sign {
            Sign::Dot(mark) => self.drawing.mark(peer.0, mark),
            Sign::Message(kind, text, from) => {
                let message = self.drawing.message(kind, text, from.0, peer.0);
                self.drawing.arrow(message, Mark::Receive);
            }
            Sign::Sent(message) => self.drawing.arrow(message, Mark::Receive),
        }
        self.last = Some((at, peer));
    }

    /// Draws a message as it is sent, in a diagram of steps.
    fn send<M: Message>(&mut self, from: Peer, to: Peer, msg: &M) {
        let Some(sent) = &mut self.sent else { return };
        let kind = msg.kind_name();
        let message = self.drawing.message(kind, words::message(kind, msg), from.0, to.0);
        self.drawing.sends(message);
        sent.under_way.entry((from.0, to.0, format!("{msg:?}"))).or_default().push_back(message);
    }

    /// The drawn message that arrives or is lost, and the words about it, in a diagram of steps.
    fn taken<M: Message>(&mut self, from: Peer, to: Peer, msg: &M) -> Option<(usize, String)> {
        let sent = self.sent.as_mut()?;
        let alike = (from.0, to.0, format!("{msg:?}"));
        let under_way = sent.under_way.get_mut(&alike).and_then(VecDeque::pop_front);
        let again = if under_way.is_some() { "" } else { ", again" };
        let message = under_way.or_else(|| {
            let known = *sent.arrived.get(&alike)?;
            Some(self.drawing.copy_of(known))
        })?;
        sent.arrived.insert(alike, message);
        let mut text = self.drawing.messages[message].text.clone();
        if let Some(step) = self.drawing.sent_at(message) {
            text += &format!(" of step {step}");
        }
        Some((message, text + again))
    }

    fn lost<M: Message>(&mut self, at: Nanos, from: Peer, to: Peer, msg: &M) {
        if let Some((message, text)) = self.taken(from, to, msg) {
            self.begin(at, None, format!("{text} to p{} is lost", to.0));
            self.drawing.arrow(message, Mark::Lose);
        }
    }

    /// The state of a running process, by the offices that it holds.
    fn life(&self, peer: Peer) -> Life {
        let leads = self.held.range((peer.0, 0)..=(peer.0, u64::MAX)).next().is_some();
        if leads { Life::Leader } else { Life::Up }
    }

    fn leaves(&mut self, peer: Peer, office: u64) {
        self.held.remove(&(peer.0, office));
        if self.drawing.life(peer.0) == Life::Leader {
            self.drawing.becomes(peer.0, self.life(peer));
        }
    }

    /// A process starts, stands still, or stops.
    fn lives<P: Recoverable>(&mut self, at: Nanos, event: ClusterEvent<'_, P>) {
        match event {
            ClusterEvent::Start(peer, memory) => {
                let record = match memory {
                    Memory::New => "starts for the first time",
                    Memory::Kept => "starts with its record",
                    Memory::Lost => "starts, its record lost",
                };
                self.happens(at, peer, Mark::Start, record);
                self.drawing.becomes(peer.0, Life::Up);
            }
            ClusterEvent::Crash(peer) => {
                self.happens(at, peer, Mark::Crash, "crashes");
                self.held.retain(|&(holder, _)| holder != peer.0);
                self.drawing.becomes(peer.0, Life::Crashed);
            }
            ClusterEvent::Suspend(peer) => {
                self.happens(at, peer, Mark::Suspend, "is suspended");
                self.drawing.becomes(peer.0, Life::Suspended);
            }
            ClusterEvent::Resume(peer) => {
                self.happens(at, peer, Mark::Resume, "goes on");
                self.drawing.becomes(peer.0, self.life(peer));
            }
            _ => {}
        }
    }

    /// Something happens that has a row if something can be seen of it.
    fn reacts<P: Recoverable>(&mut self, at: Nanos, event: ClusterEvent<'_, P>) {
        let (peer, sign, phrase) = match event {
            ClusterEvent::Receive(from, to, msg) => {
                let kind = msg.kind_name();
                let (sign, what) = match self.taken(from, to, msg) {
                    Some((message, what)) => (Sign::Sent(message), what),
                    None => {
                        let what = words::message(kind, msg);
                        (Sign::Message(kind, what.clone(), from), what)
                    }
                };
                (to, sign, format!("p{} gets {what}", to.0))
            }
            ClusterEvent::Ring(peer, alarm, late) => {
                let late = if late > 0 { ", late" } else { "" };
                let phrase = format!("{alarm:?} of p{} rings{late}", peer.0);
                (peer, Sign::Dot(Mark::Alarm), phrase)
            }
            ClusterEvent::Command(peer, command) => {
                let phrase = format!("p{} is told: {command:?}", peer.0);
                (peer, Sign::Dot(Mark::Receive), phrase)
            }
            ClusterEvent::Synced(peer) => {
                (peer, Sign::Dot(Mark::Receive), format!("a sync of p{} ends", peer.0))
            }
            _ => return,
        };
        let cause = Cause { at, peer, sign, phrase };
        if self.sent.is_some() {
            return self.row_of(cause);
        }
        (self.cause, self.last) = (Some(cause), None);
    }

    /// Something can be seen of a process.
    fn shows<P: Recoverable>(&mut self, at: Nanos, event: ClusterEvent<'_, P>) {
        match event {
            ClusterEvent::Holds(peer, office, tenure) if self.held.insert((peer.0, office.0)) => {
                let phrase = format!("holds office {} at term {}", office.0, tenure.term.0);
                self.follows(at, peer, phrase);
                self.drawing.mark(peer.0, Mark::Lead);
                self.drawing.becomes(peer.0, Life::Leader);
            }
            ClusterEvent::Loses(peer, office, term) if self.held.contains(&(peer.0, office.0)) => {
                let phrase = format!("holds office {} at term {} no longer", office.0, term.0);
                self.follows(at, peer, phrase);
                self.drawing.mark(peer.0, Mark::Leave);
                self.leaves(peer, office.0);
            }
            ClusterEvent::Works(peer, _, _) => self.follows(at, peer, "works".to_owned()),
            ClusterEvent::Rests(peer, _, _) => {
                self.follows(at, peer, "has stopped its work".to_owned());
            }
            ClusterEvent::Names(peer, office, named) => {
                let named = named
                    .map_or_else(|| "no leader".to_owned(), |(leader, _)| format!("p{}", leader.0));
                self.follows(at, peer, format!("names {named} for office {}", office.0));
            }
            ClusterEvent::Shows(peer, office, shown) => {
                let value = shown.map_or_else(
                    || "no value".to_owned(),
                    |(term, change)| format!("change {change} of term {}", term.0),
                );
                self.follows(at, peer, format!("shows {value} for office {}", office.0));
            }
            ClusterEvent::Rejects(peer, why) => {
                self.follows(at, peer, format!("rejects it: {why}"));
            }
            _ => {}
        }
    }
}

impl<P: Recoverable> SimulationWatch<P> for TenureDiagram {
    fn event(&mut self, at: Nanos, event: ClusterEvent<'_, P>) {
        if let Some(film) = &mut self.film {
            film.see(at, &event);
        }
        if self.is_cut() {
            return;
        }
        match event {
            ClusterEvent::Begins(entry) => {
                self.begin(at, None, format!("fault begins: {entry}"));
            }
            ClusterEvent::Ends(entry) => self.begin(at, None, format!("fault ends: {entry}")),
            ClusterEvent::Start(..)
            | ClusterEvent::Crash(_)
            | ClusterEvent::Suspend(_)
            | ClusterEvent::Resume(_) => {
                self.lives(at, event);
            }
            ClusterEvent::Receive(..)
            | ClusterEvent::Ring(..)
            | ClusterEvent::Command(..)
            | ClusterEvent::Synced(_) => {
                self.reacts(at, event);
            }
            ClusterEvent::Broken(office, breach) => {
                let promise = breach.promise();
                self.begin(at, None, format!("BROKEN, {promise}, office {}: {breach}", office.0));
            }
            ClusterEvent::Send(from, to, msg) => self.send(from, to, msg),
            ClusterEvent::Lose(from, to, msg) => self.lost(at, from, to, msg),
            ClusterEvent::Duplicate(..) => {}
            _ => self.shows(at, event),
        }
    }

    fn wants_leases(&self) -> bool {
        self.film.is_some()
    }

    fn lease(&mut self, at: Nanos, peer: Peer, office: Office, until: Nanos) {
        if let Some(film) = &mut self.film
            && film.until.insert((peer.0, office.0), until.0) != Some(until.0)
        {
            film.leases.push((millis(at), peer.0, office.0, millis(until)));
        }
    }

    fn state(&mut self, _: Nanos, _: Peer, process: Option<&P>, record: &BTreeMap<Cell, u64>) {
        let numbers: Vec<_> = record.values().collect();
        let record = match numbers.as_slice() {
            [] => "nothing".to_owned(),
            [number] => number.to_string(),
            numbers => format!("{numbers:?}"),
        };
        self.drawing.is_in(match process {
            Some(process) => format!("Member {{ elector: {process:?}, record: {record} }}"),
            None => format!("Member {{ record: {record} }}"),
        });
    }
}
