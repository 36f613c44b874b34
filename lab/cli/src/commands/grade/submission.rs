//! The program of a submission: a process of the operating system that computes reactions.
//!
//! What it is asked and answers are lines of JSON. It decides nothing but reactions: the exploration, the properties
//! and the points are on this side. What it was asked is asked a second time of a new process, in the opposite order:
//! one that answers otherwise remembers something outside of the attributes of its objects, as processes on different
//! computers cannot.

use crate::interrupt;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use suffrage::experiment::number::grouped;
use suffrage::experiment::own::{
    NetCall, OwnKnowledge, OwnProgram, PlainValue, ReactionAttempt, Stimulus, VisibleState,
};
use suffrage::model::{Id, Port};

/// The program that runs a submission.
const REACTOR: &str = include_str!("reactor.py");

/// Keeps the pipes for questions and answers on 3 and 4, where nothing prints, and sets limits. A file that is written
/// is an error of the program, and not its end. A shell calls the limit on processes `u` or `p`.
const LAUNCHER: &str = "exec 3<&0 4>&1 </dev/null >/dev/null 2>&1; trap '' XFSZ
ulimit -t $1 && ulimit -f 0 && ulimit -c 0 && ulimit -n 64 && { ulimit -u 0 || ulimit -p 0; }";
const LAUNCHER_MEMORY: &str = " && ulimit -v $2";

/// macOS has no limit on the memory of a process.
pub(super) const LIMITS_MEMORY: bool = !cfg!(target_os = "macos");

/// The time within which a reaction must end.
const PATIENCE: Duration = Duration::from_secs(10);

/// The time between two looks at whether the user has asked for an end.
const PAUSE: Duration = Duration::from_millis(50);

/// The longest answer, in bytes.
const LONGEST: u64 = 1 << 20;

/// The most questions that are asked; solutions need some thousand. So messages or states without an end are found at the
/// same place on every machine, and before the answers fill the memory.
const QUESTIONS: usize = 100_000;

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

/// A program that computes reactions.
pub(super) enum SubmissionProgram {
    /// The command that runs Python, and a file.
    Python(PathBuf, PathBuf),
    /// A compiled file.
    Rust(PathBuf),
}

impl SubmissionProgram {
    fn command(&self, limits: Limits) -> Command {
        match self {
            Self::Python(python, file) => {
                let mut command = Command::new(python);
                command
                    .args(["-I", "-B", "-c", REACTOR])
                    .arg(file)
                    .args([limits.seconds, limits.memory].map(|limit| limit.to_string()));
                command
            }
            Self::Rust(program) => {
                let memory = if LIMITS_MEMORY { LAUNCHER_MEMORY } else { "" };
                let mut command = Command::new("/bin/sh");
                command
                    .args(["-c", &format!("{LAUNCHER}{memory} && exec \"$0\"")])
                    .arg(program)
                    .args([limits.seconds, limits.memory >> 10].map(|limit| limit.to_string()));
                command
            }
        }
    }

    /// What makes a process, as its author calls it.
    fn constructor(&self) -> &'static str {
        match self {
            Self::Python(..) => "__init__",
            Self::Rust(_) => "new",
        }
    }

    /// What could not be run.
    fn name(&self) -> String {
        match self {
            Self::Python(python, _) => format!("{}", python.display()),
            Self::Rust(_) => "/bin/sh".to_owned(),
        }
    }
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
    /// It had more states and messages than any that ends.
    Endless,
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
            Self::Endless => write!(
                f,
                "it was asked for {} reactions: solutions need fewer, so messages or states have no end",
                grouped(QUESTIONS as u64)
            ),
            Self::Garbled => f.write_str("the program answered something that is no reaction"),
            Self::Unsteady(question) => write!(
                f,
                "{question} had two results: it depends on something that its state does not contain, such as a global \
                 variable, the order of a set or a random number"
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
    fn start(program: &SubmissionProgram, limits: Limits) -> Result<Self, String> {
        let mut command = program.command(limits);
        command.env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| {
            format!("cannot run {}: {error}; --python names the command", program.name())
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

/// Ends a process with all that it has started.
pub(super) fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(child.id() as i32) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

impl Drop for Reactor {
    fn drop(&mut self) {
        kill(&mut self.child);
    }
}

/// A submission, and what it was asked.
pub(super) struct Submission {
    program: SubmissionProgram,
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
    /// Starts a program, whose processes may be told these.
    ///
    /// # Errors
    /// If Python cannot be run.
    pub(super) fn start(
        program: SubmissionProgram,
        limits: Limits,
        knows: &[&str],
    ) -> Result<Result<Self, SubmissionFault>, String> {
        let reactor = Reactor::start(&program, limits)?;
        let (network, mut wants) = match reactor.answer().map(|line| parsed(&line)) {
            Ok(Some(ReactorAnswer::Told { network, wants })) => (network, wants),
            Ok(Some(ReactorAnswer::Raised { words, line })) => {
                return Ok(Err(SubmissionFault::Raised(words, line)));
            }
            Ok(_) => return Ok(Err(SubmissionFault::Garbled)),
            Err(fault) => return Ok(Err(fault)),
        };
        if let Some(unknown) = wants.iter().find(|name| !knows.contains(&name.as_str())) {
            let words = format!(
                "{} asks for `{unknown}`: a process of this assignment is told {}",
                program.constructor(),
                knows.join(" and ")
            );
            return Ok(Err(SubmissionFault::Refused(words)));
        }
        // In Rust every process is made with the number of its ports, and on a ring that is 2.
        if matches!(program, SubmissionProgram::Rust(_)) {
            wants.push("degree".to_owned());
        }
        let talk =
            Talk { reactor: Some(reactor), asked: Vec::new(), places: HashMap::new(), fault: None };
        Ok(Ok(Self { program, limits, network, wants, talk: talk.into() }))
    }

    fn talk(&self) -> MutexGuard<'_, Talk> {
        self.talk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What has ended the program, if anything has.
    pub(super) fn fault(&self) -> Option<SubmissionFault> {
        self.talk().fault.clone()
    }

    /// Asks what was asked a second time, of a new process and from the last question to the first; in Rust, where a
    /// program keeps the values that it has answered with, each after those that answer with what it has.
    ///
    /// # Errors
    /// If an answer is another one.
    pub(super) fn ask_again(&self) -> Result<(), SubmissionFault> {
        let talk = self.talk();
        let begun = Reactor::start(&self.program, self.limits);
        let mut reactor = begun.map_err(SubmissionFault::Refused)?;
        reactor.answer()?;
        let order = match self.program {
            SubmissionProgram::Python(..) => (0..talk.asked.len()).rev().collect(),
            SubmissionProgram::Rust(_) => after_origins(&talk.asked),
        };
        for (question, answer) in order.into_iter().take(AGAIN).map(|place| &talk.asked[place]) {
            if reactor.ask(question)?.trim() != &**answer {
                let words = in_words(question, self.program.constructor());
                return Err(SubmissionFault::Unsteady(words));
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
        let is_endless = talk.asked.len() == QUESTIONS;
        let said = match &mut talk.reactor {
            _ if is_endless => Err(SubmissionFault::Endless),
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

/// Questions from the last to the first, but each after the first ones whose answers have the state, the message and
/// the alarm that it has.
fn after_origins(asked: &[(Arc<str>, Arc<str>)]) -> Vec<usize> {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    // Looked up, never iterated over.
    let mut origins: HashMap<String, usize> = HashMap::new();
    for (place, (_, answer)) in asked.iter().enumerate() {
        let done = &read(answer)["done"];
        let calls = done["calls"].as_array().into_iter().flatten();
        let named = calls.flat_map(|call| [&call["send"][1], &call["ring"][0]]);
        for value in named.chain([&done["state"]]).filter(|value| !value.is_null()) {
            origins.entry(value.to_string()).or_insert(place);
        }
    }
    let mut order = Vec::new();
    let mut is_ordered = vec![false; asked.len()];
    let mut waiting: Vec<usize> = (0..asked.len()).collect();
    while let Some(&place) = waiting.last() {
        let react = &read(&asked[place].0)["react"];
        let stimulus = &react["stimulus"];
        let needs = [&react["state"], &stimulus["receive"][1], &stimulus["ring"]];
        let needs = needs.into_iter().filter_map(|value| origins.get(&value.to_string()).copied());
        let before = waiting.len();
        waiting.extend(needs.filter(|&other| other < place && !is_ordered[other]));
        if waiting.len() == before {
            waiting.pop();
            if !std::mem::replace(&mut is_ordered[place], true) {
                order.push(place);
            }
        }
    }
    order
}

/// A question as a call of a method.
fn in_words(question: &str, constructor: &str) -> String {
    let asked: Value = serde_json::from_str(question).unwrap_or_default();
    let plain = |value: &Value| serde_json::from_value::<PlainValue>(value.clone());
    let plain =
        |value: &Value| plain(value).map_or_else(|_| value.to_string(), |it| format!("{it:?}"));
    if let Some(told) = asked["begin"].as_object() {
        let told: Vec<String> =
            told.iter().map(|(name, value)| format!("{name}={value}")).collect();
        return format!("{constructor}({})", told.join(", "));
    }
    let react = &asked["react"];
    let stimulus = &react["stimulus"];
    let received = &stimulus["receive"];
    let call = match stimulus {
        Value::String(name) => format!("{name}()"),
        _ if !received.is_null() => format!("receive({}, {})", received[0], plain(&received[1])),
        _ if !stimulus["ring"].is_null() => format!("ring({})", plain(&stimulus["ring"])),
        _ => format!("start({})", stimulus["start"]),
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
