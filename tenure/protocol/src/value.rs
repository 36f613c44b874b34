//! The value of a leadership: a text that a leader sets and may change, such as the address at which it serves.
//!
//! It stands beside the election and not in it: no vote, no lease and no record depends on it. Every participant has one
//! [`LeaderValues`], a state machine that an engine tells who leads, and which exchanges [`ValueMessage`]s with its like.
//!
//! # Who asks whom
//! Links lose, double and reorder messages, and participants restart. A participant that learns of a leader *asks* for
//! its value, again at each beat until it has one. A leader that has been asked by a member sends it the first part of
//! each new value, again at each beat until the member has answered that it has all of it. Longer values have several
//! parts, which the member asks for, a few at a time; so however long values are, few messages are under way. Between
//! changes nothing is sent at all.
//!
//! A *client* cannot reach a leader that is a client, too. It asks one of the members then, which answers with what it
//! knows. It is sent nothing that it has not asked for, and asks at each beat while its program wants to know.
//!
//! # Why a value never becomes older
//! A value has a [`Term`] and the number of its change within it, which grow. An answer repeats the number of the
//! *asking*, which is greater at each start of the asker, and each time that it has forgotten what it had. So an old
//! message that was on its way meanwhile answers nothing, and what a leader answers after a member's restart is at least as
//! new as all that it has answered before.

use crate::electorate::Members;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use tenure_model::{Office, Peer, Setting, Term};

/// The maximal length of a value, in bytes.
pub const LONGEST_VALUE: usize = 4096;
/// The length of every part of a value but the last, in bytes.
pub const PART: usize = 112;
/// How many parts are asked for at a time.
const PARTS_AT_A_TIME: u32 = 8;
/// For how many offices messages are repeated at a beat. If there are more, they take turns.
const OFFICES_AT_A_TIME: usize = 256;

/// The value of a leadership: a text of at most [`LONGEST_VALUE`] bytes without control characters, so that it can be shown
/// on a terminal, and is one line of a script. Bytes and longer texts can be encoded in it. The empty text is no value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaderValue(Arc<str>);

/// An error: a text cannot be the value of a leadership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueError {
    /// It has this many bytes.
    TooLong(usize),
    /// It has this control character.
    Control(char),
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong(length) => {
                write!(
                    f,
                    "a value of {length} bytes is too long: at most {LONGEST_VALUE} are possible"
                )
            }
            Self::Control(control) => {
                write!(f, "a value cannot have the control character {}", control.escape_default())
            }
        }
    }
}

impl core::error::Error for ValueError {}

impl LeaderValue {
    /// Creates a value.
    ///
    /// # Errors
    /// If the text is too long, or has a control character.
    pub fn new(text: &str) -> Result<Self, ValueError> {
        match text.chars().find(|letter| letter.is_control()) {
            _ if text.len() > LONGEST_VALUE => Err(ValueError::TooLong(text.len())),
            Some(control) => Err(ValueError::Control(control)),
            None => Ok(Self(text.into())),
        }
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    fn parts(length: usize) -> u32 {
        length.div_ceil(PART).max(1) as u32
    }

    fn part(&self, part: u8) -> &[u8] {
        let begin = (usize::from(part) * PART).min(self.0.len());
        &self.0.as_bytes()[begin..(begin + PART).min(self.0.len())]
    }
}

impl Default for LeaderValue {
    fn default() -> Self {
        Self("".into())
    }
}

/// A message about the value of a leadership.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ValueMessage {
    /// What the sender has, and what it lacks.
    Want {
        /// The office.
        office: Office,
        /// The term of the leader.
        term: Term,
        /// The number of the asking.
        asking: u64,
        /// The number of the change of which it has all parts but the missing ones.
        change: u64,
        /// The missing parts, as bits.
        missing: u64,
    },
    /// A part of the newest value that the sender knows.
    Part {
        /// The office.
        office: Office,
        /// The term of the leader.
        term: Term,
        /// The number of the asking that it answers.
        asking: u64,
        /// The number of the change.
        change: u64,
        /// The length of the whole value, in bytes.
        length: u16,
        /// The number of the part.
        part: u8,
        /// The part.
        bytes: Vec<u8>,
    },
}

impl ValueMessage {
    /// Returns the office that it is about.
    #[must_use]
    pub const fn office(&self) -> Office {
        match self {
            Self::Want { office, .. } | Self::Part { office, .. } => *office,
        }
    }
}

/// What happens to a [`LeaderValues`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueInput {
    /// This peer leads the office in this term, or nobody does, to the knowledge of this participant.
    Led(Office, Option<(Peer, Term)>),
    /// The office matters no longer.
    Forget(Office),
    /// The program that leads here in this term sets the value.
    Proclaim(Office, Term, LeaderValue),
    /// A message has come.
    Received(Peer, ValueMessage),
    /// A heartbeat has passed.
    Beat,
}

/// What a [`LeaderValues`] wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueOutput {
    /// Send the message.
    Send(Peer, ValueMessage),
    /// The value of the office is another one.
    Changed(Office),
}

/// The values of leaderships to the knowledge of one participant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LeaderValues {
    me: Peer,
    members: Members,
    /// The number of the last asking.
    asking: u64,
    offices: BTreeMap<Office, OfficeValue>,
    /// The offices about which something may have to be repeated.
    open: BTreeSet<Office>,
    /// Where the next beat begins among them.
    next: Office,
}

/// The value of one office.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OfficeValue {
    /// The leader, if there is one, and the greatest term of a leader that was known.
    leader: Option<Peer>,
    term: Term,
    /// The newest value of this term that is known whole, with the number of its change.
    known: Option<(u64, LeaderValue)>,
    /// The number with which it is asked for.
    asking: u64,
    /// A newer value, of which parts are missing.
    partial: Option<PartialValue>,
    /// How often it was asked for.
    tries: u32,
    /// Where this participant leads: the members that have asked, each with the number of its asking and the last change
    /// that it is known to have. For the first one, it asks until it has it.
    askers: BTreeMap<Peer, (u64, u64)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct PartialValue {
    change: u64,
    bytes: Vec<u8>,
    missing: u64,
    /// The parts that were asked for last.
    asked: u64,
}

impl LeaderValues {
    /// Creates the state of a participant at its start of this number ([`Start::boot`](tenure_model::Start::boot)).
    #[must_use]
    pub const fn new(setting: &Setting, boot: u64) -> Self {
        Self {
            me: setting.me,
            members: Members::Below(setting.members),
            asking: boot << 20,
            offices: BTreeMap::new(),
            open: BTreeSet::new(),
            next: Office(0),
        }
    }

    /// Takes these for the members from now on.
    pub fn change_members(&mut self, members: Members) {
        if self.members != members {
            self.members = members;
            self.open.extend(self.offices.keys());
        }
    }

    /// Returns the value of the leader of this term, with the number of its change; `None` if it is not known. The change
    /// number 0 says that the leader has not set any.
    #[must_use]
    pub fn value(&self, office: Office, term: Term) -> Option<(u64, &LeaderValue)> {
        let entry =
            self.offices.get(&office).filter(|it| it.term == term && it.leader.is_some())?;
        entry.known.as_ref().map(|(change, value)| (*change, value))
    }

    /// Returns whether anything may have to be repeated at the next beat.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Handles what has happened, and adds what has to be done for it.
    pub fn step(&mut self, input: ValueInput, outputs: &mut Vec<ValueOutput>) {
        match input {
            ValueInput::Led(office, Some((leader, term))) => {
                self.led(office, leader, term, outputs);
            }
            ValueInput::Led(office, None) => self.vacant(office),
            ValueInput::Forget(office) => {
                self.offices.remove(&office);
                self.open.remove(&office);
            }
            ValueInput::Proclaim(office, term, value) => {
                self.proclaim(office, term, value, outputs);
            }
            ValueInput::Received(from, message) => self.receive(from, message, outputs),
            ValueInput::Beat => self.beat(outputs),
        }
    }

    fn led(&mut self, office: Office, leader: Peer, term: Term, outputs: &mut Vec<ValueOutput>) {
        let here = leader == self.me;
        match self.offices.get_mut(&office) {
            Some(entry) if entry.term > term => return,
            Some(entry) if entry.term == term && entry.leader == Some(leader) => return,
            // A leader numbers its changes on, and tells them those that have asked. Others know what they knew, and ask
            // on: of several that they may ask, the next one may know less.
            Some(entry) if entry.term == term && (here || entry.leader.is_none()) => {
                entry.leader = Some(leader);
                self.open.insert(office);
                return;
            }
            _ => {}
        }
        self.asking += 1;
        let entry = OfficeValue {
            leader: Some(leader),
            term,
            known: here.then(Default::default),
            asking: self.asking,
            partial: None,
            tries: 0,
            askers: BTreeMap::new(),
        };
        self.offices.insert(office, entry);
        if !here {
            self.open.insert(office);
            if self.open.len() <= OFFICES_AT_A_TIME {
                self.want(office, outputs);
            }
        }
    }

    /// Keeps the term, and what a leader has here: whatever is learnt later is not older.
    fn vacant(&mut self, office: Office) {
        if let Some(entry) = self.offices.get_mut(&office) {
            entry.leader = None;
            self.open.remove(&office);
        }
    }

    fn proclaim(
        &mut self,
        office: Office,
        term: Term,
        value: LeaderValue,
        outputs: &mut Vec<ValueOutput>,
    ) {
        let me = self.me;
        let led = |it: &&mut OfficeValue| it.term == term && it.leader == Some(me);
        let Some(entry) = self.offices.get_mut(&office).filter(led) else { return };
        let change = match &entry.known {
            Some((_, old)) if *old == value => return,
            Some((change, _)) => change + 1,
            None => 1,
        };
        entry.known = Some((change, value));
        self.open.insert(office);
        outputs.push(ValueOutput::Changed(office));
        entry.tell_askers(office, outputs);
    }

    /// Asks for the value of an office, or answers that it has come.
    fn want(&mut self, office: Office, outputs: &mut Vec<ValueOutput>) {
        let Some(entry) = self.offices.get_mut(&office) else { return };
        let Some(leader) = entry.leader.filter(|&leader| leader != self.me) else { return };
        let (change, missing) = match (&mut entry.partial, &entry.known) {
            (Some(partial), _) => {
                partial.asked = lowest(partial.missing);
                (partial.change, partial.missing)
            }
            (None, Some((change, _))) => (*change, 0),
            (None, None) => (0, 1),
        };
        let (asked, turn) = (self.members.len().max(1), entry.tries as usize);
        let member = self.members.iter().nth(turn % asked);
        let to = match self.members.contains(self.me) || self.members.contains(leader) {
            true => leader,
            false => member.unwrap_or(leader),
        };
        entry.tries = entry.tries.wrapping_add(1);
        let (term, asking) = (entry.term, entry.asking);
        let want = ValueMessage::Want { office, term, asking, change, missing };
        outputs.push(ValueOutput::Send(to, want));
    }

    fn receive(&mut self, from: Peer, message: ValueMessage, outputs: &mut Vec<ValueOutput>) {
        match message {
            ValueMessage::Want { office, term, asking, change, missing } => {
                self.wanted(from, (office, term), asking, (change, missing), outputs);
            }
            ValueMessage::Part { office, term, asking, change, length, part, bytes } => {
                let current = self.offices.get(&office).is_some_and(|entry| {
                    let source = entry.leader == Some(from)
                        || (!self.members.contains(self.me) && self.members.contains(from));
                    source
                        && entry.leader != Some(self.me)
                        && (entry.term, entry.asking) == (term, asking)
                });
                if current {
                    self.received(office, change, usize::from(length), (part, &bytes), outputs);
                }
            }
        }
    }

    /// Answers a question, and notes what a member that has asked has.
    fn wanted(
        &mut self,
        from: Peer,
        (office, term): (Office, Term),
        asking: u64,
        (change, missing): (u64, u64),
        outputs: &mut Vec<ValueOutput>,
    ) {
        let Some(entry) = self.offices.get_mut(&office).filter(|it| it.term == term) else {
            return;
        };
        let Some(leader) = entry.leader else { return };
        if leader == self.me && self.members.contains(from) {
            // Of a change that it has in part, and at first of any, it asks until it has all: also after a restart.
            let asker = entry.askers.entry(from).or_default();
            *asker = (asker.0.max(asking), asker.1.max(change));
            self.open.insert(office);
        }
        let Some((newest, value)) = &entry.known else { return };
        let parts = LeaderValue::parts(value.text().len());
        let mut wanted = match change {
            _ if change < *newest => 1,
            _ if change > *newest => 0,
            _ => lowest(missing),
        };
        while wanted != 0 {
            let part = wanted.trailing_zeros();
            wanted &= wanted - 1;
            if part < parts {
                outputs.push(entry.part(from, office, asking, part as u8));
            }
        }
    }

    /// Takes a part of a value.
    fn received(
        &mut self,
        office: Office,
        change: u64,
        length: usize,
        (part, bytes): (u8, &[u8]),
        outputs: &mut Vec<ValueOutput>,
    ) {
        let Some(entry) = self.offices.get_mut(&office) else { return };
        match &entry.known {
            Some((known, _)) if change < *known => return,
            // What this participant answered then was lost, or is on its way.
            Some((known, _)) if change == *known => return self.want(office, outputs),
            _ => {}
        }
        let parts = LeaderValue::parts(length);
        let begin = usize::from(part) * PART;
        let fits = length <= LONGEST_VALUE && u32::from(part) < parts;
        if !fits || bytes.len() != PART.min(length - begin) {
            return;
        }
        let is_newer = |partial: &PartialValue| partial.change < change;
        if entry.partial.as_ref().is_none_or(is_newer) {
            let (missing, bytes) = ((1 << parts) - 1, alloc::vec![0; length]);
            entry.partial = Some(PartialValue { change, bytes, missing, asked: 1 });
            self.open.insert(office);
        }
        let Some(partial) = &mut entry.partial else { return };
        if partial.change != change || partial.bytes.len() != length {
            return;
        }
        partial.bytes[begin..begin + bytes.len()].copy_from_slice(bytes);
        partial.missing &= !(1 << part);
        if partial.missing == 0 {
            let text = core::str::from_utf8(&partial.bytes).ok();
            // No correct leader sends anything else.
            let value = text.and_then(|text| LeaderValue::new(text).ok()).unwrap_or_default();
            entry.known = Some((change, value));
            entry.partial = None;
            outputs.push(ValueOutput::Changed(office));
            if change == 0 {
                // The leader has set no value, and does not wait for an answer.
                return self.close_if_settled(office);
            }
        } else if partial.missing & partial.asked != 0 {
            return;
        }
        self.want(office, outputs);
        self.close_if_settled(office);
    }

    /// Repeats what was not answered.
    fn beat(&mut self, outputs: &mut Vec<ValueOutput>) {
        let later = self.open.range(self.next..).chain(self.open.range(..self.next));
        let turn: Vec<Office> = later.take(OFFICES_AT_A_TIME).copied().collect();
        self.next = turn.last().map_or(Office(0), |last| Office(last.0.wrapping_add(1)));
        for office in turn {
            self.close_if_settled(office);
            if !self.open.contains(&office) {
                continue;
            }
            match self.offices.get(&office) {
                Some(entry) if entry.leader == Some(self.me) => entry.tell_askers(office, outputs),
                _ => self.want(office, outputs),
            }
        }
    }

    /// Repeats nothing more about an office where everything is answered. A client asks on.
    fn close_if_settled(&mut self, office: Office) {
        let is_member = self.members.contains(self.me);
        let settled = self.offices.get(&office).is_none_or(|entry| match entry.leader {
            Some(leader) if leader == self.me => entry.unanswered().next().is_none(),
            Some(_) => is_member && entry.known.is_some() && entry.partial.is_none(),
            None => true,
        });
        if settled {
            self.open.remove(&office);
        }
    }
}

impl OfficeValue {
    /// The members that are not known to have the newest value of the leader here, and the numbers of their askings.
    fn unanswered(&self) -> impl Iterator<Item = (Peer, u64)> {
        let newest = self.known.as_ref().map_or(0, |(change, _)| *change);
        let askers = self.askers.iter().filter(move |(_, (_, has))| *has < newest);
        askers.map(|(&peer, &(asking, _))| (peer, asking))
    }

    fn tell_askers(&self, office: Office, outputs: &mut Vec<ValueOutput>) {
        let tell = |(peer, asking)| self.part(peer, office, asking, 0);
        outputs.extend(self.unanswered().map(tell));
    }

    fn part(&self, to: Peer, office: Office, asking: u64, part: u8) -> ValueOutput {
        let (change, value) = self.known.clone().unwrap_or_default();
        let (term, length, bytes) =
            (self.term, value.text().len() as u16, value.part(part).to_vec());
        ValueOutput::Send(
            to,
            ValueMessage::Part { office, term, asking, change, length, part, bytes },
        )
    }
}

/// The parts that are asked for first, of those that are missing.
const fn lowest(missing: u64) -> u64 {
    let (mut rest, mut count) = (missing, 0);
    while rest != 0 && count < PARTS_AT_A_TIME {
        rest &= rest - 1;
        count += 1;
    }
    missing & !rest
}
