//! Members of a submission, which may crash and start again, for the explorer of Tenure: its states, messages and names of
//! alarms are plain values, and its record is one number.

use super::submission::{
    AskedReaction, AskedStimulus, Attempt, DoneAnswer, ReactorCall, SeenAnswer, Submission,
};
use std::collections::HashSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use suffrage::experiment::own::{PlainValue, lasting};
use suffrage::tenure::model::{
    Cell, Command, Effects, Kind, Message, Office, OfficeTenure, Peer, Recoverable, Setting, Start,
    Term,
};

/// The submission of now. The explorer makes members from their type alone.
static CURRENT: RwLock<Option<Arc<Submission>>> = RwLock::new(None);
/// The values that the explorer keeps as long as it likes. Looked up, never iterated over.
static KEPT: Mutex<Option<HashSet<&'static PlainValue>>> = Mutex::new(None);

/// Where a member has its record.
const RECORD: Cell = Cell { table: 0, key: 0 };

/// Keeps a value until the program ends, and only once.
fn kept(value: PlainValue) -> &'static PlainValue {
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let all = all.get_or_insert_default();
    match all.get(&value) {
        Some(known) => known,
        None => {
            let new: &'static PlainValue = Box::leak(value.into());
            all.insert(new);
            new
        }
    }
}

/// What a member sends.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SubmittedMessage(&'static PlainValue);

impl Message for SubmittedMessage {
    // No engine counts these messages by kind; drawings name the kinds that a program has.
    const KINDS: &'static [Kind] = &[Kind::election("message")];

    fn kind(&self) -> usize {
        0
    }

    fn kind_name(&self) -> &'static str {
        self.0.kind()
    }
}

/// The kind, and what it carries.
impl fmt::Debug for SubmittedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            PlainValue::Tuple(values) => match values.as_slice() {
                [PlainValue::Text(kind), rest @ ..] => {
                    write!(f, "{kind}{:?}", PlainValue::Tuple(rest.to_vec()))
                }
                _ => write!(f, "{:?}", self.0),
            },
            other => write!(f, "{other:?}"),
        }
    }
}

/// A member whose reactions a submission computes.
#[derive(Clone)]
pub(super) struct SubmittedMember {
    submission: Arc<Submission>,
    setting: Setting,
    state: Arc<PlainValue>,
    tenure: Option<OfficeTenure<&'static PlainValue>>,
}

impl SubmittedMember {
    /// Sets whose members are made from now on.
    pub(super) fn are_of(submission: &Arc<Submission>) {
        *CURRENT.write().unwrap_or_else(PoisonError::into_inner) = Some(submission.clone());
    }

    /// Reacts, and stays as it is where the submission fails.
    fn react(&mut self, stimulus: &AskedStimulus<'_>, effects: &mut impl Effects<Self>) {
        let submission = self.submission.clone();
        let mut drawn = Vec::new();
        // A reaction that draws a number is tried again with that number.
        let done = loop {
            let Setting { me: Peer(me), members, .. } = self.setting;
            let asked = AskedReaction {
                state: &self.state,
                stimulus: *stimulus,
                degree: members,
                me: Some(me),
                drawn: &drawn,
            };
            match submission.attempt(asked) {
                None => return,
                Some(Attempt::Draws(max)) => drawn.push(effects.choose(max)),
                Some(Attempt::Fails(why)) => {
                    return effects.reject(lasting(&format!("its reaction fails: {why}")));
                }
                Some(Attempt::Done(done)) => break done,
            }
        };
        let Some(tenure) = submission.or_garbled(seen(&done)) else { return };
        self.tenure = tenure;
        self.state = done.state.into();
        for call in done.calls {
            match call {
                ReactorCall::Send(to, message) => {
                    effects.send(Peer(to), SubmittedMessage(kept(message)));
                }
                ReactorCall::Ring(alarm, ticks) => effects.set_alarm(kept(alarm), ticks),
                ReactorCall::Cancel(alarm) => effects.cancel_alarm(kept(alarm)),
                ReactorCall::Write(number) => effects.write(RECORD, number),
                ReactorCall::Reject(why) => effects.reject(lasting(&why)),
                ReactorCall::Alarm(_) => _ = submission.or_garbled(None::<()>),
            }
        }
        effects.changed(Office(0));
    }
}

/// The tenure that a reaction leaves: `None` if its answer is not of a member.
fn seen(done: &DoneAnswer) -> Option<Option<OfficeTenure<&'static PlainValue>>> {
    let SeenAnswer::Member(term, until) = &done.seen else { return None };
    let until = (*until != PlainValue::None).then(|| kept(until.clone()));
    Some(term.map(|term| OfficeTenure { term: Term(term), until, stopping: false }))
}

impl Recoverable for SubmittedMember {
    type Msg = SubmittedMessage;
    type Alarm = &'static PlainValue;

    /// # Panics
    /// If there was never a submission.
    fn start(setting: Setting, _: Start, effects: &mut impl Effects<Self>) -> Self {
        let current = CURRENT.read().unwrap_or_else(PoisonError::into_inner).clone();
        let submission = current.expect("members are made of a submission");
        let made = submission.made(|name| match name {
            "id" => Some(setting.me.0.into()),
            "size" => Some(setting.members.into()),
            _ => None,
        });
        let state = made.map_or(PlainValue::None, |done| done.state);
        let mut member = Self { submission, setting, state: state.into(), tenure: None };
        member.react(&AskedStimulus::Start(effects.read(RECORD)), effects);
        member
    }

    fn receive(&mut self, from: Peer, message: Self::Msg, effects: &mut impl Effects<Self>) {
        self.react(&AskedStimulus::Receive(from.0, message.0), effects);
    }

    fn ring(&mut self, alarm: Self::Alarm, effects: &mut impl Effects<Self>) {
        self.react(&AskedStimulus::Ring(alarm), effects);
    }

    /// Members stand by themselves, and no application works while one leads.
    fn command(&mut self, _: Command, _: &mut impl Effects<Self>) {}

    fn tenure(&self, _: Office) -> Option<OfficeTenure<Self::Alarm>> {
        self.tenure
    }

    fn leader(&self, _: Office) -> Option<(Peer, Term)> {
        self.tenure.map(|tenure| (self.setting.me, tenure.term))
    }
}

impl PartialEq for SubmittedMember {
    fn eq(&self, other: &Self) -> bool {
        (&self.state, self.tenure) == (&other.state, other.tenure)
    }
}

impl Eq for SubmittedMember {}

impl Hash for SubmittedMember {
    fn hash<H: Hasher>(&self, to: &mut H) {
        (&self.state, self.tenure).hash(to);
    }
}

impl fmt::Debug for SubmittedMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.state)
    }
}
