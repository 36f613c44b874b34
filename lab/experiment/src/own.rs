//! Processes of the caller's own whose reactions another program computes: a class of Python, a process of the
//! operating system.
//!
//! A process here is its state between two reactions, a plain value. The program is asked for each reaction: it gets
//! the state, and gives the next one. So nothing else can be remembered, and engines compare, keep and copy states as
//! those of processes in Rust.

mod value;

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use suffrage_model::{
    Id, Kind, Message, Multiplicity, Net, NetworkClass, Place, Port, Process, Size, Status,
};
pub use value::PlainValue;

/// The most kinds of messages, which engines allow.
const KINDS: usize = 16;

/// What computes the reactions of processes. A program that has failed returns `None` from then on, and its processes
/// do nothing more.
pub trait OwnProgram: Send + Sync {
    /// Makes a process.
    fn begin(&self, knows: &OwnKnowledge) -> Option<(PlainValue, VisibleState)>;

    /// Computes a reaction in a state. `drawn` has the numbers that were drawn in it until now.
    fn react(
        &self,
        state: &PlainValue,
        stimulus: &Stimulus,
        degree: u32,
        drawn: &[u32],
    ) -> Option<ReactionAttempt>;

    /// Ends the program, because of what it has sent.
    fn fail(&self, why: String);
}

/// The networks that a process can be for, by name.
pub const NETWORKS: [(&str, NetworkClass); 12] = [
    ("connected", NetworkClass::Connected),
    ("tree", NetworkClass::Tree),
    ("ring", NetworkClass::Ring),
    ("oriented-ring", NetworkClass::OrientedRing),
    ("homonym-ring", NetworkClass::HomonymRing),
    ("complete", NetworkClass::Complete),
    ("oriented-complete", NetworkClass::OrientedComplete),
    ("hypercube", NetworkClass::Hypercube),
    ("oriented-hypercube", NetworkClass::OrientedHypercube),
    ("mesh", NetworkClass::Mesh),
    ("torus", NetworkClass::Torus),
    ("oriented-torus", NetworkClass::OrientedTorus),
];

/// What a process can be told.
#[derive(Clone, Copy, Debug)]
pub struct OwnKnowledge {
    /// Its identity.
    pub id: Id,
    /// The number of its ports.
    pub degree: u32,
    /// The number of processes.
    pub size: u32,
    /// Its position in a network with a sense of direction.
    pub place: u32,
    /// The most processes with the same identity.
    pub multiplicity: u32,
}

impl OwnKnowledge {
    /// Returns what has this name, if anything has.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<u64> {
        Some(match name {
            "id" => self.id.get(),
            "degree" => self.degree.into(),
            "size" => self.size.into(),
            "place" => self.place.into(),
            "multiplicity" => self.multiplicity.into(),
            _ => return None,
        })
    }
}

/// What a process reacts to.
#[derive(Clone, Debug)]
pub enum Stimulus {
    /// It wakes.
    Wake,
    /// Its alarm.
    Alarm,
    /// A message that has arrived through a port.
    Receive(Port, PlainValue),
}

/// The end of an attempt at a reaction.
#[derive(Debug)]
pub enum ReactionAttempt {
    /// The state after it, and what it has done.
    Done(PlainValue, VisibleState, Vec<NetCall>),
    /// It wants a number up to this one, and is tried again with it.
    Draws(u32),
    /// It has failed for this reason: the process rejects what it received, and stays as it was.
    Fails(String),
}

/// What a process has done in a reaction.
#[derive(Debug)]
pub enum NetCall {
    /// It has sent a message through a port.
    Message(Port, PlainValue),
    /// It has set its alarm.
    Alarm(u32),
    /// It has rejected what it received, for this reason.
    Reject(String),
}

/// What others see of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VisibleState {
    /// Its decision.
    pub status: Status,
    /// The leader that it knows.
    pub leader: Option<Id>,
    /// Whether it has halted.
    pub halted: bool,
}

impl VisibleState {
    /// Returns the decision of this name: `undecided`, `leader` or `follower`.
    #[must_use]
    pub fn status_named(name: &str) -> Option<Status> {
        match name {
            "undecided" => Some(Status::Undecided),
            "leader" => Some(Status::Leader),
            "follower" => Some(Status::Follower),
            _ => None,
        }
    }
}

/// A message: the number of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct OwnMessage {
    number: u32,
    kind: u8,
}

/// What it carries beside its kind.
impl fmt::Debug for OwnMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match OwnRun::current().message(*self) {
            PlainValue::Text(_) => Ok(()),
            PlainValue::Tuple(values) => match values.as_slice() {
                [PlainValue::Text(_)] => Ok(()),
                [PlainValue::Text(_), rest @ ..] => {
                    write!(f, "{:?}", PlainValue::Tuple(rest.to_vec()))
                }
                all => write!(f, "({:?})", PlainValue::Tuple(all.to_vec())),
            },
            other => write!(f, "({other:?})"),
        }
    }
}

/// Kinds stand for those that a program has, in the order in which they were first sent.
impl Message for OwnMessage {
    const KINDS: &'static [Kind] = &[
        Kind::election("0"),
        Kind::election("1"),
        Kind::election("2"),
        Kind::election("3"),
        Kind::election("4"),
        Kind::election("5"),
        Kind::election("6"),
        Kind::election("7"),
        Kind::election("8"),
        Kind::election("9"),
        Kind::election("10"),
        Kind::election("11"),
        Kind::election("12"),
        Kind::election("13"),
        Kind::election("14"),
        Kind::election("15"),
    ];

    fn kind(&self) -> usize {
        self.kind.into()
    }

    fn kind_name(&self) -> &'static str {
        let run = OwnRun::current();
        let name = locked(&run.messages).kinds.get(usize::from(self.kind)).cloned();
        lasting(&name.unwrap_or_default())
    }
}

#[derive(Default)]
struct MessageTable {
    all: Vec<PlainValue>,
    // Looked up, never iterated over: the hash decides nothing.
    numbers: HashMap<PlainValue, OwnMessage>,
    kinds: Vec<String>,
}

impl MessageTable {
    fn number(&mut self, value: PlainValue) -> Result<OwnMessage, String> {
        if let Some(known) = self.numbers.get(&value) {
            return Ok(*known);
        }
        let kind = match self.kinds.iter().position(|kind| kind == value.kind()) {
            Some(kind) => kind,
            None if self.kinds.len() == KINDS => {
                return Err(format!(
                    "{value:?} is of one kind of messages more than {KINDS}; a message's kind is the text with which it \
                     begins"
                ));
            }
            None => {
                self.kinds.push(value.kind().to_owned());
                self.kinds.len() - 1
            }
        };
        let number = u32::try_from(self.all.len())
            .map_err(|_| "there are too many different messages".to_owned())?;
        let message = OwnMessage { number, kind: kind as u8 };
        self.all.push(value.clone());
        self.numbers.insert(value, message);
        Ok(message)
    }
}

/// A run of a program: the program, and the messages that its processes have sent.
pub struct OwnRun {
    program: Arc<dyn OwnProgram>,
    messages: Mutex<MessageTable>,
}

/// The run of now. Engines make processes from their type alone.
static CURRENT: RwLock<Option<Arc<OwnRun>>> = RwLock::new(None);
/// Held while one runs.
static RUNS: Mutex<()> = Mutex::new(());
/// Texts that engines keep as long as they like.
static LASTING: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a text until the program ends, and only once.
#[must_use]
pub fn lasting(text: &str) -> &'static str {
    let mut all = locked(&LASTING);
    match all.iter().find(|known| **known == text) {
        Some(known) => known,
        None => {
            let new = String::leak(text.to_owned());
            all.push(new);
            new
        }
    }
}

impl OwnRun {
    /// Prepares a run.
    #[must_use]
    pub fn new(program: Arc<dyn OwnProgram>) -> Arc<Self> {
        Self { program, messages: Mutex::default() }.into()
    }

    /// Does this while processes are those of this run: after any other run.
    pub fn run<T>(self: &Arc<Self>, run: impl FnOnce() -> T) -> T {
        let _alone = locked(&RUNS);
        *CURRENT.write().unwrap_or_else(PoisonError::into_inner) = Some(self.clone());
        run()
    }

    /// Returns the names of the kinds of messages, in the order in which they were first sent.
    #[must_use]
    pub fn kinds(&self) -> Vec<String> {
        locked(&self.messages).kinds.clone()
    }

    /// Returns the run of now.
    ///
    /// # Panics
    /// If there was never one.
    fn current() -> Arc<Self> {
        let current = CURRENT.read().unwrap_or_else(PoisonError::into_inner);
        current.clone().expect("processes are made while a program runs")
    }

    fn message(&self, message: OwnMessage) -> PlainValue {
        let messages = locked(&self.messages);
        messages.all.get(message.number as usize).cloned().unwrap_or(PlainValue::None)
    }
}

/// A process whose reactions a program computes. Processes for rings of homonyms have a type of their own, since engines
/// refuse equal identities to all others.
#[derive(Clone)]
pub struct OwnProcess<const HOMONYMS: bool> {
    run: Arc<OwnRun>,
    state: Arc<PlainValue>,
    seen: VisibleState,
}

impl<const HOMONYMS: bool> PartialEq for OwnProcess<HOMONYMS> {
    fn eq(&self, other: &Self) -> bool {
        (&self.state, self.seen) == (&other.state, other.seen)
    }
}

impl<const HOMONYMS: bool> Eq for OwnProcess<HOMONYMS> {}

impl<const HOMONYMS: bool> Hash for OwnProcess<HOMONYMS> {
    fn hash<H: Hasher>(&self, to: &mut H) {
        (&self.state, self.seen).hash(to);
    }
}

impl<const HOMONYMS: bool> fmt::Debug for OwnProcess<HOMONYMS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.state)
    }
}

impl<const HOMONYMS: bool> Process for OwnProcess<HOMONYMS> {
    // Which networks it is for is looked at before.
    const NETWORK: NetworkClass = match HOMONYMS {
        true => NetworkClass::HomonymRing,
        false => NetworkClass::Connected,
    };
    type Knows = (Id, (Size, (Place, Multiplicity)));
    type Msg = OwnMessage;

    fn new(knows: Self::Knows, degree: u32) -> Self {
        let (id, (Size(size), (Place(place), Multiplicity(multiplicity)))) = knows;
        let run = OwnRun::current();
        let made = run.program.begin(&OwnKnowledge { id, degree, size, place, multiplicity });
        let (state, seen) = made.unwrap_or((PlainValue::None, VisibleState::default()));
        Self { run, state: state.into(), seen }
    }

    fn wake(&mut self, net: &mut impl Net<OwnMessage>) {
        self.react(&Stimulus::Wake, net);
    }

    fn receive(&mut self, from: Port, message: OwnMessage, net: &mut impl Net<OwnMessage>) {
        self.react(&Stimulus::Receive(from, self.run.message(message)), net);
    }

    fn alarm(&mut self, net: &mut impl Net<OwnMessage>) {
        self.react(&Stimulus::Alarm, net);
    }

    fn status(&self) -> Status {
        self.seen.status
    }

    fn leader(&self) -> Option<Id> {
        self.seen.leader
    }

    fn halted(&self) -> bool {
        self.seen.halted
    }
}

impl<const HOMONYMS: bool> OwnProcess<HOMONYMS> {
    fn react(&mut self, stimulus: &Stimulus, net: &mut impl Net<OwnMessage>) {
        let run = self.run.clone();
        let mut drawn = Vec::new();
        // A reaction that draws a number is tried again with that number.
        let (state, seen, done) = loop {
            match run.program.react(&self.state, stimulus, net.degree(), &drawn) {
                None => return,
                Some(ReactionAttempt::Draws(max)) => drawn.push(net.choose(max)),
                Some(ReactionAttempt::Fails(why)) => {
                    return net.reject(lasting(&format!("its reaction fails: {why}")));
                }
                Some(ReactionAttempt::Done(state, seen, done)) => break (state, seen, done),
            }
        };
        (self.state, self.seen) = (state.into(), seen);
        for call in done {
            match call {
                NetCall::Message(port, value) => {
                    let number = locked(&run.messages).number(value);
                    match number {
                        Ok(message) => net.send(port, message),
                        Err(why) => return run.program.fail(why),
                    }
                }
                NetCall::Alarm(ticks) => net.set_alarm(ticks),
                NetCall::Reject(why) => net.reject(lasting(&why)),
            }
        }
    }
}
