//! The program of a submission: a process of the operating system that computes reactions.
//!
//! What it is asked and answers are lines of JSON. It decides nothing but reactions: the exploration, the properties and
//! the points are on this side. What it was asked is asked a second time of a new process, in the opposite order: one
//! that answers otherwise remembers something outside of the attributes of its objects, as processes on different
//! computers cannot.

use crate::interrupt;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use suffrage::experiment::own::{
    NetCall, OwnKnowledge, OwnProgram, PlainValue, ReactionAttempt, Stimulus, VisibleState,
};
use suffrage::model::{Id, Port};

/// The program that runs a submission.
const REACTOR: &str = include_str!("reactor.py");

/// The time within which a reaction must end.
const PATIENCE: Duration = Duration::from_secs(10);

/// The time between two looks at whether the user has asked for an end.
const PAUSE: Duration = Duration::from_millis(50);

/// The longest answer, in bytes.
const LONGEST: u64 = 1 << 20;

/// The most questions that are asked a second time.
const AGAIN: usize = 20_000;

/// What a submission may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The processor time of a process, in seconds.
    pub(super) seconds: u64,
    /// The memory of a process, in bytes.
    pub(super) memory: u64,
}

/// What ended a program before its exploration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SubmissionFault {
    /// It raised an exception, in this line.
    Raised(String, Option<u32>),
    /// It did not answer in time.
    Silent,
    /// It ended.
    Ended,
    /// It answered what is no answer.
    Garbled,
    /// Its messages cannot be counted.
    Refused(String),
    /// It answered the same question in two ways.
    Unsteady(String),
}

impl fmt::Display for SubmissionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Raised(words, Some(line)) => write!(f, "line {line}: {words}"),
            Self::Raised(words, None) | Self::Refused(words) => f.write_str(words),
            Self::Silent => write!(f, "it did not answer within {} s", PATIENCE.as_secs()),
            Self::Ended => f.write_str(
                "the program ended, or was ended at its limit of processor time (--seconds) or memory (--megabytes): \
                 a loop, or messages or states without an end",
            ),
            Self::Garbled => f.write_str("the program answered something that is no reaction"),
            Self::Unsteady(question) => write!(
                f,
                "{question} had two results: it depends on something outside of the attributes of the object, such as a \
                 global variable, the order of a set or a random number"
            ),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum ReactorQuestion<'a> {
    Begin(BTreeMap<&'a str, u64>),
    React(AskedReaction<'a>),
}

/// A reaction: the state before it, and all that it depends on.
#[derive(Serialize)]
pub(super) struct AskedReaction<'a> {
    pub(super) state: &'a PlainValue,
    pub(super) stimulus: AskedStimulus<'a>,
    /// The number of ports; of members, which have numbers.
    pub(super) degree: u32,
    /// The number of a member.
    pub(super) me: Option<u32>,
    pub(super) drawn: &'a [u32],
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum AskedStimulus<'a> {
    Wake,
    Alarm,
    /// From a port or a member.
    Receive(u32, &'a PlainValue),
    /// A member starts with its record.
    Start(Option<u64>),
    /// An alarm of a member, by name.
    Ring(&'a PlainValue),
}

/// The end of an attempt at a reaction.
pub(super) enum Attempt {
    Done(DoneAnswer),
    Draws(u32),
    Fails(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ReactorAnswer {
    Told { network: String, wants: Vec<String> },
    Done(Box<DoneAnswer>),
    Draws(u32),
    Raised { words: String, line: Option<u32> },
}

#[derive(Deserialize)]
pub(super) struct DoneAnswer {
    pub(super) state: PlainValue,
    pub(super) seen: SeenAnswer,
    pub(super) calls: Vec<ReactorCall>,
}

/// What others see: of a process its status, its leader and whether it has halted; of a member its term, and the alarm
/// with which that ends.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SeenAnswer {
    Process(String, Option<u64>, bool),
    Member(Option<u64>, PlainValue),
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ReactorCall {
    Send(u32, PlainValue),
    Alarm(u32),
    Reject(String),
    /// Sets an alarm of a member.
    Ring(PlainValue, u32),
    Cancel(PlainValue),
    Write(u64),
}

impl ReactorCall {
    /// What a process that does not crash can do.
    fn of_process(self) -> Option<NetCall> {
        Some(match self {
            Self::Send(port, message) => NetCall::Message(Port(port), message),
            Self::Alarm(ticks) => NetCall::Alarm(ticks),
            Self::Reject(why) => NetCall::Reject(why),
            _ => return None,
        })
    }
}

impl DoneAnswer {
    fn visible(&self) -> Option<VisibleState> {
        let SeenAnswer::Process(status, leader, halted) = &self.seen else { return None };
        let status = VisibleState::status_named(status)?;
        Some(VisibleState { status, leader: leader.map(Id::new), halted: *halted })
    }
}

/// A running program. Its whole group of processes ends with it.
struct Reactor {
    child: Child,
    questions: ChildStdin,
    answers: Receiver<String>,
}

impl Reactor {
    fn start(python: &Path, file: &Path, limits: Limits) -> Result<Self, String> {
        let mut command = Command::new(python);
        command
            .args(["-I", "-B", "-c", REACTOR])
            .arg(file)
            .args([limits.seconds, limits.memory].map(|limit| limit.to_string()))
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| {
            format!("cannot run {}: {error}; --python names the command", python.display())
        })?;
        let pipes = (child.stdin.take(), child.stdout.take());
        let (Some(questions), Some(answered)) = pipes else {
            return Err("the program has no pipes".to_owned());
        };
        let (lines, answers) = channel();
        thread::Builder::new()
            .name("answers".to_owned())
            .spawn(move || {
                let mut answered = BufReader::new(answered);
                loop {
                    let mut line = String::new();
                    let read = answered.by_ref().take(LONGEST).read_line(&mut line);
                    if !matches!(read, Ok(1..)) || lines.send(line).is_err() {
                        return;
                    }
                }
            })
            .map_err(|error| format!("cannot start a thread: {error}"))?;
        Ok(Self { child, questions, answers })
    }

    fn answer(&self) -> Result<String, SubmissionFault> {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.answers.recv_timeout(PAUSE) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Disconnected) => return Err(SubmissionFault::Ended),
                // The grade is discarded.
                Err(_) if interrupt::asked() => return Err(SubmissionFault::Silent),
                Err(_) if Instant::now() >= end => return Err(SubmissionFault::Silent),
                Err(_) => {}
            }
        }
    }

    fn ask(&mut self, question: &str) -> Result<String, SubmissionFault> {
        let asked = writeln!(self.questions, "{question}").and_then(|()| self.questions.flush());
        asked.map_err(|_| SubmissionFault::Ended)?;
        self.answer()
    }
}

impl Drop for Reactor {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.child.id() as i32) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A submission, and what it was asked.
pub(super) struct Submission {
    python: PathBuf,
    file: PathBuf,
    limits: Limits,
    /// The network that its class names.
    pub(super) network: String,
    wants: Vec<String>,
    talk: Mutex<Talk>,
}

struct Talk {
    reactor: Option<Reactor>,
    /// Every question, in the order in which it was first asked, with its answer.
    asked: Vec<(Arc<str>, Arc<str>)>,
    // Looked up, never iterated over.
    places: HashMap<Arc<str>, usize>,
    fault: Option<SubmissionFault>,
}

impl Submission {
    /// Starts the program of a file, whose processes may be told these.
    ///
    /// # Errors
    /// If Python cannot be run.
    pub(super) fn start(
        python: &Path,
        file: &Path,
        limits: Limits,
        knows: &[&str],
    ) -> Result<Result<Self, SubmissionFault>, String> {
        let reactor = Reactor::start(python, file, limits)?;
        let (network, wants) = match reactor.answer().map(|line| parsed(&line)) {
            Ok(Some(ReactorAnswer::Told { network, wants })) => (network, wants),
            Ok(Some(ReactorAnswer::Raised { words, line })) => {
                return Ok(Err(SubmissionFault::Raised(words, line)));
            }
            Ok(_) => return Ok(Err(SubmissionFault::Garbled)),
            Err(fault) => return Ok(Err(fault)),
        };
        if let Some(unknown) = wants.iter().find(|name| !knows.contains(&name.as_str())) {
            let words = format!(
                "__init__ asks for `{unknown}`: a process of this assignment is told {}",
                knows.join(" and ")
            );
            return Ok(Err(SubmissionFault::Refused(words)));
        }
        let talk =
            Talk { reactor: Some(reactor), asked: Vec::new(), places: HashMap::new(), fault: None };
        let (python, file) = (python.to_owned(), file.to_owned());
        Ok(Ok(Self { python, file, limits, network, wants, talk: talk.into() }))
    }

    fn talk(&self) -> MutexGuard<'_, Talk> {
        self.talk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What has ended the program, if anything has.
    pub(super) fn fault(&self) -> Option<SubmissionFault> {
        self.talk().fault.clone()
    }

    /// Asks what was asked a second time, of a new process and from the last question to the first.
    ///
    /// # Errors
    /// If an answer is another one.
    pub(super) fn ask_again(&self) -> Result<(), SubmissionFault> {
        let talk = self.talk();
        let begun = Reactor::start(&self.python, &self.file, self.limits);
        let mut reactor = begun.map_err(SubmissionFault::Refused)?;
        reactor.answer()?;
        for (question, answer) in talk.asked.iter().rev().take(AGAIN) {
            if reactor.ask(question)?.trim() != &**answer {
                return Err(SubmissionFault::Unsteady(in_words(question)));
            }
        }
        Ok(())
    }

    /// Ends the program if it has answered with what is no reaction.
    pub(super) fn or_garbled<T>(&self, made: Option<T>) -> Option<T> {
        if made.is_none() {
            self.talk().end(SubmissionFault::Garbled);
        }
        made
    }

    fn ask(&self, question: &ReactorQuestion<'_>) -> Option<ReactorAnswer> {
        let question = serde_json::to_string(question).ok()?;
        let mut talk = self.talk();
        if talk.fault.is_some() {
            return None;
        }
        if let Some(&place) = talk.places.get(&*question) {
            return parsed(&talk.asked[place].1);
        }
        let said = match &mut talk.reactor {
            Some(reactor) => reactor.ask(&question),
            None => Err(SubmissionFault::Ended),
        };
        let answer = said.and_then(|line| {
            let answer = parsed(&line).ok_or(SubmissionFault::Garbled)?;
            match answer {
                ReactorAnswer::Told { .. } => Err(SubmissionFault::Garbled),
                answer => Ok((answer, line)),
            }
        });
        match answer {
            Ok((answer, line)) => {
                let question: Arc<str> = question.into();
                let place = talk.asked.len();
                talk.places.insert(question.clone(), place);
                talk.asked.push((question, line.trim().into()));
                Some(answer)
            }
            Err(fault) => {
                talk.end(fault);
                None
            }
        }
    }
}

impl Talk {
    fn end(&mut self, fault: SubmissionFault) {
        self.fault.get_or_insert(fault);
        self.reactor = None;
    }
}

/// A question as a call in Python.
fn in_words(question: &str) -> String {
    let asked: Value = serde_json::from_str(question).unwrap_or_default();
    let plain = |value: &Value| serde_json::from_value::<PlainValue>(value.clone());
    let plain =
        |value: &Value| plain(value).map_or_else(|_| value.to_string(), |it| format!("{it:?}"));
    if let Some(told) = asked["begin"].as_object() {
        let told: Vec<String> =
            told.iter().map(|(name, value)| format!("{name}={value}")).collect();
        return format!("__init__({})", told.join(", "));
    }
    let react = &asked["react"];
    let call = match &react["stimulus"] {
        Value::String(name) => format!("{name}()"),
        received => {
            let received = &received["receive"];
            format!("receive({}, {})", received[0], plain(&received[1]))
        }
    };
    format!("{call} in the state {}", plain(&react["state"]))
}

fn parsed(line: &str) -> Option<ReactorAnswer> {
    serde_json::from_str(line).ok()
}

impl Submission {
    /// Makes a process that is told this.
    pub(super) fn made(&self, knows: impl Fn(&str) -> Option<u64>) -> Option<DoneAnswer> {
        let told = self.wants.iter().filter_map(|name| Some((&**name, knows(name)?)));
        match self.ask(&ReactorQuestion::Begin(told.collect()))? {
            ReactorAnswer::Done(done) => Some(*done),
            ReactorAnswer::Raised { words, line } => {
                self.talk().end(SubmissionFault::Raised(words, line));
                None
            }
            _ => self.or_garbled(None),
        }
    }

    /// Computes a reaction.
    pub(super) fn attempt(&self, reaction: AskedReaction<'_>) -> Option<Attempt> {
        Some(match self.ask(&ReactorQuestion::React(reaction))? {
            ReactorAnswer::Draws(max) => Attempt::Draws(max),
            ReactorAnswer::Raised { words, line } => {
                Attempt::Fails(SubmissionFault::Raised(words, line).to_string())
            }
            ReactorAnswer::Done(done) => Attempt::Done(*done),
            ReactorAnswer::Told { .. } => return self.or_garbled(None),
        })
    }
}

impl OwnProgram for Submission {
    fn begin(&self, knows: &OwnKnowledge) -> Option<(PlainValue, VisibleState)> {
        let done = self.made(|name| knows.get(name))?;
        self.or_garbled(done.visible().map(|seen| (done.state, seen)))
    }

    fn react(
        &self,
        state: &PlainValue,
        stimulus: &Stimulus,
        degree: u32,
        drawn: &[u32],
    ) -> Option<ReactionAttempt> {
        let stimulus = match stimulus {
            Stimulus::Wake => AskedStimulus::Wake,
            Stimulus::Alarm => AskedStimulus::Alarm,
            Stimulus::Receive(port, message) => AskedStimulus::Receive(port.0, message),
        };
        let asked = AskedReaction { state, stimulus, degree, me: None, drawn };
        Some(match self.attempt(asked)? {
            Attempt::Draws(max) => ReactionAttempt::Draws(max),
            Attempt::Fails(why) => ReactionAttempt::Fails(why),
            Attempt::Done(done) => {
                let seen = self.or_garbled(done.visible())?;
                let calls: Option<_> =
                    done.calls.into_iter().map(ReactorCall::of_process).collect();
                ReactionAttempt::Done(done.state, seen, self.or_garbled(calls)?)
            }
        })
    }

    fn fail(&self, why: String) {
        self.talk().end(SubmissionFault::Refused(why));
    }
}
