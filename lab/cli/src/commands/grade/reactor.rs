//! The library `suffrage` of a submission in Rust: the model, and the program that computes reactions as `reactor.py`
//! does.
//!
//! It reads questions from file descriptor 3 and answers on 4, each in a line of JSON, as `submission.rs` has them. A
//! state and a message are known outside by the text of their `Debug`, and are kept here by that text: so both derive
//! it.

pub use suffrage_model as model;

/// What a submission uses.
pub mod prelude {
    pub use crate::{ElectionMember, MemberNet};
    pub use suffrage_model::*;
}

use std::any::Any;
use std::collections::HashMap;
use std::fmt::{Debug, Write as _};
use std::fs::{File, OpenOptions};
use std::hash::Hash;
use std::io::{BufRead, BufReader, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use suffrage_model::*;

/// A member that keeps a leader with others, and may crash: it is then made anew, and starts.
pub trait ElectionMember: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    /// What members send to each other.
    type Msg: Clone + Debug + Eq + Hash + Send + Sync + 'static;
    /// The names of its alarms.
    type Alarm: Clone + Debug + Eq + Hash + Send + Sync + 'static;

    /// Makes a member that comes up: its number, from 0 on, and how many there are.
    fn new(id: u32, size: u32) -> Self;
    /// Reacts to having come up. The record is the number that it has written last, if it has written one.
    fn start(&mut self, record: Option<u64>, net: &mut MemberNet<Self>);
    /// Reacts to an alarm, which is then no longer set.
    fn ring(&mut self, alarm: Self::Alarm, net: &mut MemberNet<Self>);
    /// Reacts to a message of another member, which may come again.
    fn receive(&mut self, sender: u32, message: Self::Msg, net: &mut MemberNet<Self>);
    /// Returns the term in which it leads, from 1 on, and the alarm with which that ends. While that alarm is not set,
    /// it does not lead.
    fn leads(&self) -> Option<(u64, Self::Alarm)>;
}

/// What a member can do during one reaction.
pub struct MemberNet<M: ElectionMember> {
    me: u32,
    members: u32,
    choices: Choices,
    calls: Vec<MemberCall<M>>,
}

enum MemberCall<M: ElectionMember> {
    Send(u32, M::Msg),
    Ring(M::Alarm, u32),
    Cancel(M::Alarm),
    Write(u64),
}

impl<M: ElectionMember> MemberNet<M> {
    /// Sends to another member.
    ///
    /// # Panics
    /// If there is no other member of this number.
    #[track_caller]
    pub fn send(&mut self, member: u32, message: M::Msg) {
        let all = self.members;
        assert!(
            member < all && member != self.me,
            "there is no other member {member}: here are {all}, from 0 on"
        );
        self.calls.push(MemberCall::Send(member, message));
    }

    /// Sends to all other members.
    pub fn send_all(&mut self, message: M::Msg) {
        for member in (0..self.members).filter(|member| *member != self.me) {
            self.calls.push(MemberCall::Send(member, message.clone()));
        }
    }

    /// Sets an alarm, in place of the one of this name.
    ///
    /// # Panics
    /// Below one tick.
    #[track_caller]
    pub fn set_alarm(&mut self, name: M::Alarm, ticks: u32) {
        assert!((1..1 << 31).contains(&ticks), "ticks: it is a number from 1 on, and not {ticks}");
        self.calls.push(MemberCall::Ring(name, ticks));
    }

    /// Cancels an alarm.
    pub fn cancel_alarm(&mut self, name: M::Alarm) {
        self.calls.push(MemberCall::Cancel(name));
    }

    /// Writes the record, in place of the one before.
    ///
    /// # Panics
    /// From 2^63 on.
    #[track_caller]
    pub fn write(&mut self, number: u64) {
        assert!(number < 1 << 63, "the record: it is a number below 2^63, and not {number}");
        self.calls.push(MemberCall::Write(number));
    }

    /// Returns a number from 0 to `max` by chance.
    pub fn choose(&mut self, max: u32) -> u32 {
        self.choices.next(max)
    }
}

/// The numbers that were drawn in a reaction until now.
struct Choices {
    drawn: Vec<u32>,
    asked: usize,
}

/// A number up to this one is wanted.
struct Drawn(u32);

impl Choices {
    fn of(react: &QuestionJson) -> Self {
        let drawn = react.get("drawn").map_or(&[][..], QuestionJson::list);
        Self { drawn: drawn.iter().map(|number| number.number() as u32).collect(), asked: 0 }
    }

    fn next(&mut self, max: u32) -> u32 {
        let Some(&drawn) = self.drawn.get(self.asked) else {
            panic::resume_unwind(Box::new(Drawn(max)));
        };
        self.asked += 1;
        drawn
    }
}

/// The ports of a process, and what it does during one reaction.
struct SubmissionNet<M> {
    degree: u32,
    choices: Choices,
    calls: Vec<ProcessCall<M>>,
}

enum ProcessCall<M> {
    Send(u32, M),
    Alarm(u32),
    Reject(&'static str),
}

impl<M: Message> Net<M> for SubmissionNet<M> {
    fn degree(&self) -> u32 {
        self.degree
    }

    #[track_caller]
    fn send(&mut self, to: Port, message: M) {
        let (port, all) = (to.0, self.degree);
        assert!(port < all, "there is no port {port}: this process has {all}, from 0 on");
        self.calls.push(ProcessCall::Send(port, message));
    }

    fn choose(&mut self, max: u32) -> u32 {
        self.choices.next(max)
    }

    fn set_alarm(&mut self, ticks: u32) {
        self.calls.push(ProcessCall::Alarm(ticks));
    }

    fn reject(&mut self, why: &'static str) {
        self.calls.push(ProcessCall::Reject(why));
    }
}

/// Values by the JSON that stands for them outside.
struct AnsweredValues<T>(HashMap<String, T>);

impl<T: Clone + Debug + Eq> AnsweredValues<T> {
    fn new() -> Self {
        Self(HashMap::new())
    }

    /// Keeps a value, and returns its JSON.
    fn keep(&mut self, value: T, json: String) -> String {
        if let Some(other) = self.0.get(&json) {
            assert!(
                *other == value,
                "two values that differ have the same Debug, {value:?}: derive it, and give each message a kind"
            );
            return json;
        }
        self.0.insert(json.clone(), value);
        json
    }

    fn of(&self, json: &str) -> T {
        self.0.get(json).expect("only what was answered is asked for").clone()
    }
}

/// The JSON of a text.
fn text(text: &str) -> String {
    let mut json = String::from("{\"text\":");
    quote(&mut json, text);
    json + "}"
}

fn quote(json: &mut String, text: &str) {
    json.push('"');
    for one in text.chars() {
        match one {
            '"' | '\\' => json.extend(['\\', one]),
            '\n' => json.push_str("\\n"),
            one if one < ' ' => _ = write!(json, "\\u{:04x}", one as u32),
            one => json.push(one),
        }
    }
    json.push('"');
}

/// The JSON of a message: a tuple of its kind and what it carries, `token(3)`.
fn message(kind: Option<&str>, message: &dyn Debug) -> String {
    let debug = format!("{message:?}");
    let at = debug.find(['(', ' ', '[', '{', '"']).unwrap_or(debug.len());
    let (name, rest) = debug.split_at(at);
    let rest = rest.trim();
    let inner = |open, close| rest.strip_prefix(open)?.strip_suffix(close);
    let carried = inner('(', ')').or_else(|| inner('{', '}')).unwrap_or(rest).trim();
    let kind = text(kind.unwrap_or(name));
    match carried {
        "" => format!("{{\"tuple\":[{kind}]}}"),
        carried => format!("{{\"tuple\":[{kind},{}]}}", text(carried)),
    }
}

/// `OrientedRing` as `oriented-ring`.
fn hyphenated(name: &dyn Debug) -> String {
    let mut out = String::new();
    for one in format!("{name:?}").chars() {
        if one.is_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.extend(one.to_lowercase());
    }
    out
}

/// Computes the reactions of a process.
pub fn answer_process<P: Process>() {
    let mut wants = Vec::new();
    P::Knows::words(&mut |words| {
        wants.push(match words {
            "its identity" => "id",
            "the size of the network" => "size",
            words => words,
        });
    });
    let network = if P::TIMING.in_rounds() { "rounds".into() } else { hyphenated(&P::NETWORK) };
    let (mut states, mut messages) = (AnsweredValues::<P>::new(), AnsweredValues::<P::Msg>::new());
    converse(&network, &wants, |question| {
        let (process, calls) = match question.get("begin") {
            Some(told) => {
                let told = |name| told.get(name).map_or(0, QuestionJson::number);
                let facts = Facts {
                    id: Id::new(told("id")),
                    size: Size(told("size") as u32),
                    place: Place(0),
                    diameter: Diameter(0),
                    multiplicity: Multiplicity(1),
                };
                (P::new(P::Knows::of(&facts), told("degree") as u32), Vec::new())
            }
            None => {
                let react = question.at("react");
                let mut process = states.of(&react.at("state").written());
                let degree = react.at("degree").number() as u32;
                let mut net =
                    SubmissionNet { degree, choices: Choices::of(react), calls: Vec::new() };
                match react.at("stimulus") {
                    QuestionJson::Text(wake) if wake == "wake" => process.wake(&mut net),
                    QuestionJson::Text(_) => process.alarm(&mut net),
                    received => {
                        let received = received.at("receive").list();
                        let message = messages.of(&received[1].written());
                        process.receive(Port(received[0].number() as u32), message, &mut net);
                    }
                }
                (process, net.calls)
            }
        };
        let calls = calls.into_iter().map(|call| match call {
            ProcessCall::Send(port, sent) => {
                let sent = messages.keep(sent, message(Some(sent.kind_name()), &sent));
                format!("{{\"send\":[{port},{sent}]}}")
            }
            ProcessCall::Alarm(ticks) => format!("{{\"alarm\":{ticks}}}"),
            ProcessCall::Reject(why) => {
                let mut json = String::from("{\"reject\":");
                quote(&mut json, why);
                json + "}"
            }
        });
        let calls: Vec<String> = calls.collect();
        let leader = process.leader().map_or("null".to_owned(), |id| id.to_string());
        let (status, halted) = (hyphenated(&process.status()), process.halted());
        let seen = format!("{{\"process\":[\"{status}\",{leader},{halted}]}}");
        let json = text(&format!("{process:?}"));
        done(&states.keep(process, json), &seen, &calls)
    });
}

/// Computes the reactions of a member.
pub fn answer_member<M: ElectionMember>() {
    let (mut states, mut messages) = (AnsweredValues::<M>::new(), AnsweredValues::<M::Msg>::new());
    let mut alarms = AnsweredValues::<M::Alarm>::new();
    converse("members", &["id", "size"], |question| {
        let (member, calls) = match question.get("begin") {
            Some(told) => {
                let told = |name| told.at(name).number() as u32;
                (M::new(told("id"), told("size")), Vec::new())
            }
            None => {
                let react = question.at("react");
                let mut member = states.of(&react.at("state").written());
                let number = |name| react.at(name).number() as u32;
                let mut net = MemberNet {
                    me: number("me"),
                    members: number("degree"),
                    choices: Choices::of(react),
                    calls: Vec::new(),
                };
                let stimulus = react.at("stimulus");
                if let Some(record) = stimulus.get("start") {
                    let record = matches!(record, QuestionJson::Number(_)).then(|| record.number());
                    member.start(record, &mut net);
                } else if let Some(alarm) = stimulus.get("ring") {
                    member.ring(alarms.of(&alarm.written()), &mut net);
                } else {
                    let received = stimulus.at("receive").list();
                    let message = messages.of(&received[1].written());
                    member.receive(received[0].number() as u32, message, &mut net);
                }
                (member, net.calls)
            }
        };
        let mut named = |alarm: M::Alarm| {
            let json = text(&format!("{alarm:?}").to_lowercase());
            alarms.keep(alarm, json)
        };
        let calls = calls.into_iter().map(|call| match call {
            MemberCall::Send(member, sent) => {
                let json = message(None, &sent);
                format!("{{\"send\":[{member},{}]}}", messages.keep(sent, json))
            }
            MemberCall::Ring(alarm, ticks) => format!("{{\"ring\":[{},{ticks}]}}", named(alarm)),
            MemberCall::Cancel(alarm) => format!("{{\"cancel\":{}}}", named(alarm)),
            MemberCall::Write(number) => format!("{{\"write\":{number}}}"),
        });
        let calls: Vec<String> = calls.collect();
        let leads = member.leads().map(|(term, until)| {
            assert!((1..1 << 63).contains(&term), "a term is a number from 1 on, and not {term}");
            format!("{term},{}", named(until))
        });
        let seen = format!("{{\"member\":[{}]}}", leads.as_deref().unwrap_or("null,\"none\""));
        let json = text(&format!("{member:?}"));
        done(&states.keep(member, json), &seen, &calls)
    });
}

fn done(state: &str, seen: &str, calls: &[String]) -> String {
    let calls = calls.join(",");
    format!("{{\"done\":{{\"state\":{state},\"seen\":{seen},\"calls\":[{calls}]}}}}")
}

/// The last panic: its words, and its line where it is in the submission.
static PANICKED: Mutex<Option<(String, Option<u32>)>> = Mutex::new(None);

/// Says what the submission is for, and answers questions until there are no more.
fn converse(network: &str, wants: &[&str], mut answered: impl FnMut(&QuestionJson) -> String) {
    let questions = BufReader::new(File::open("/dev/fd/3").expect("questions come from 3"));
    let mut answers = OpenOptions::new().write(true).open("/dev/fd/4").expect("answers go to 4");
    panic::set_hook(Box::new(|about| {
        let line = about.location().filter(|at| at.file().ends_with("election.rs"));
        let words = match words(about.payload()) {
            "" => "it panicked".to_owned(),
            words => format!("it panicked: {}", words.chars().take(480).collect::<String>()),
        };
        *PANICKED.lock().unwrap_or_else(|lock| lock.into_inner()) =
            Some((words, line.map(|at| at.line())));
    }));
    let wants: Vec<String> = wants.iter().map(|name| format!("\"{name}\"")).collect();
    let wants = wants.join(",");
    let mut say = |answer: &str| writeln!(answers, "{answer}").is_ok();
    say(&format!("{{\"told\":{{\"network\":\"{network}\",\"wants\":[{wants}]}}}}"));
    for question in questions.lines() {
        let Ok(question) = question else { return };
        let question = QuestionJson::read(&mut question.chars().peekable());
        let answer = panic::catch_unwind(AssertUnwindSafe(|| answered(&question)));
        let answer = answer.unwrap_or_else(|thrown| match thrown.downcast_ref() {
            Some(Drawn(max)) => format!("{{\"draws\":{max}}}"),
            None => raised(),
        });
        if !say(&answer) {
            return;
        }
    }
}

fn words(payload: &dyn Any) -> &str {
    let owned = payload.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or_default()
}

fn raised() -> String {
    let panicked = PANICKED.lock().unwrap_or_else(|lock| lock.into_inner()).take();
    let (words, line) = panicked.unwrap_or_else(|| ("it panicked".to_owned(), None));
    let mut json = String::from("{\"raised\":{\"words\":");
    quote(&mut json, &words);
    let line = line.map_or("null".to_owned(), |line| line.to_string());
    let _ = write!(json, ",\"line\":{line}}}}}");
    json
}

/// A value of JSON, as questions have it: all numbers are natural.
enum QuestionJson {
    Null,
    Number(u64),
    Text(String),
    List(Vec<QuestionJson>),
    Object(Vec<(String, QuestionJson)>),
}

type Characters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

impl QuestionJson {
    fn read(from: &mut Characters<'_>) -> Self {
        match from.next() {
            Some('"') => Self::Text(Self::rest_of_text(from)),
            Some('[') => {
                let mut list = Vec::new();
                while from.next_if(|one| *one == ']').is_none() {
                    list.push(Self::read(from));
                    let _ = from.next_if(|one| *one == ',');
                }
                Self::List(list)
            }
            Some('{') => {
                let mut object = Vec::new();
                while from.next_if(|one| *one == '}').is_none() {
                    let _ = from.next();
                    let name = Self::rest_of_text(from);
                    let _ = from.next();
                    object.push((name, Self::read(from)));
                    let _ = from.next_if(|one| *one == ',');
                }
                Self::Object(object)
            }
            Some(first) if first.is_ascii_digit() => {
                let mut number = u64::from(first as u32 - 48);
                while let Some(digit) = from.next_if(char::is_ascii_digit) {
                    number = number * 10 + u64::from(digit as u32 - 48);
                }
                Self::Number(number)
            }
            Some(_) => {
                while from.next_if(char::is_ascii_lowercase).is_some() {}
                Self::Null
            }
            None => panic!("a question ends too early"),
        }
    }

    fn rest_of_text(from: &mut Characters<'_>) -> String {
        let mut text = String::new();
        loop {
            match from.next() {
                Some('\\') => text.push(match from.next() {
                    Some('n') => '\n',
                    Some('r') => '\r',
                    Some('t') => '\t',
                    Some('b') => '\u{8}',
                    Some('f') => '\u{c}',
                    Some('u') => {
                        let digits: String = from.take(4).collect();
                        let code = u32::from_str_radix(&digits, 16).ok();
                        code.and_then(char::from_u32).unwrap_or('\u{fffd}')
                    }
                    Some(other) => other,
                    None => return text,
                }),
                Some('"') | None => return text,
                Some(one) => text.push(one),
            }
        }
    }

    /// Writes a plain value as answers have it.
    fn written(&self) -> String {
        let mut json = String::new();
        match self {
            Self::Text(text) => quote(&mut json, text),
            Self::List(list) => {
                let list: Vec<String> = list.iter().map(Self::written).collect();
                let _ = write!(json, "[{}]", list.join(","));
            }
            Self::Object(object) => {
                json.push('{');
                for (name, value) in object {
                    quote(&mut json, name);
                    let _ = write!(json, ":{}", value.written());
                }
                json.push('}');
            }
            Self::Number(number) => json = number.to_string(),
            Self::Null => json.push_str("null"),
        }
        json
    }

    fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(object) = self else { return None };
        object.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    fn at(&self, name: &str) -> &Self {
        self.get(name).expect("a question has all its parts")
    }

    fn list(&self) -> &[Self] {
        let Self::List(list) = self else { return &[] };
        list
    }

    fn number(&self) -> u64 {
        let Self::Number(number) = self else { return 0 };
        *number
    }
}
