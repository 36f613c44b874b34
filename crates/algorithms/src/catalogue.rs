//! What is said of an algorithm, and how an engine gets hold of it.

use alloc::vec::Vec;
use suffrage_process::{Id, NetworkClass, Process};

/// A row of the catalogue.
pub struct Algorithm {
    /// The name by which people call it: lower case, words joined by `-`.
    pub name: &'static str,
    /// Who found it, where and when, in a line.
    pub paper: &'static str,
    /// The networks on which it is correct.
    pub network: NetworkClass,
    /// Who wins.
    pub rule: Rule,
    /// What the election costs.
    pub election: Bound,
    /// What it costs to let everyone know and to end.
    pub announcement: Bound,
    /// What a process that has halted may still be sent.
    pub ending: Ending,
    /// Why the algorithm fails, for one that is kept as a warning.
    pub faulty: Option<&'static str>,
    /// The algorithm itself: the text of its file.
    pub source: &'static str,
    pub(crate) knows: fn(&mut dyn FnMut(&'static str)),
    pub(crate) tag: crate::Tag,
}

impl Algorithm {
    /// The algorithm of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        crate::CATALOGUE.iter().find(|algorithm| algorithm.name == name)
    }

    /// Says what a process knows before it starts, one phrase a call, and no phrase twice.
    pub fn knows(&self, say: &mut dyn FnMut(&'static str)) {
        // A wrapper knows what it needs itself, and again what the process inside it needs.
        let mut said = Vec::new();
        (self.knows)(&mut |phrase| {
            if !said.contains(&phrase) {
                said.push(phrase);
                say(phrase);
            }
        });
    }

    /// At most so many messages, election and announcement together.
    #[must_use]
    pub fn bound(&self, setting: &Setting) -> u64 {
        (self.election.messages)(setting).saturating_add((self.announcement.messages)(setting))
    }
}

/// Something that can be done with any algorithm: an engine that runs it, a table that measures
/// its states. The catalogue hands over the algorithm as a type, so that an engine is compiled for
/// each one and knows none by name.
pub trait Visitor {
    /// What comes of a visit.
    type Output;

    /// Visits the algorithm `P`.
    fn visit<P: Process>(self) -> Self::Output;
}

/// A [`Visitor`] that needs messages which can leave the program.
#[cfg(feature = "serde")]
pub trait WireVisitor {
    /// What comes of a visit.
    type Output;

    /// Visits the algorithm `P`.
    fn visit<P: Process<Msg: suffrage_process::Wire>>(self) -> Self::Output;
}

/// What a bound depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The number of processes, `n`.
    pub nodes: u64,
    /// The number of links, `|E|`.
    pub links: u64,
    /// The number of initiators, `k`.
    pub initiators: u64,
}

/// How many messages an algorithm may send.
#[derive(Clone, Copy)]
pub struct Bound {
    /// In the words of the paper: `n` processes, `k` initiators, `|E|` links.
    pub formula: &'static str,
    /// Whether it sends exactly so many, on every schedule.
    pub exact: bool,
    /// The number itself, rounded down; saturating.
    pub messages: fn(&Setting) -> u64,
}

/// Who wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The process with the smallest identity.
    SmallestId,
    /// The process with the largest identity.
    LargestId,
    /// Of those that woke by themselves, the one with the smallest identity.
    SmallestInitiator,
    /// Of those that woke by themselves, the one with the largest identity.
    LargestInitiator,
    /// The one that conquers: the schedule decides which, larger pairs of level and identity
    /// beating smaller ones.
    LargestLevelAndId,
}

impl Rule {
    /// The rule in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::SmallestId => "smallest id",
            Self::LargestId => "largest id",
            Self::SmallestInitiator => "smallest initiator",
            Self::LargestInitiator => "largest initiator",
            Self::LargestLevelAndId => "largest (level, id)",
        }
    }

    /// The identity that must win, given every process's identity and whether it woke by itself;
    /// `None` where the schedule decides.
    pub fn winner(self, processes: impl Iterator<Item = (Id, bool)>) -> Option<Id> {
        let initiators = |(id, woken): (Id, bool)| woken.then_some(id);
        match self {
            Self::SmallestId => processes.map(|(id, _)| id).min(),
            Self::LargestId => processes.map(|(id, _)| id).max(),
            Self::SmallestInitiator => processes.filter_map(initiators).min(),
            Self::LargestInitiator => processes.filter_map(initiators).max(),
            Self::LargestLevelAndId => None,
        }
    }
}

/// What a process that has halted may still be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing: when a process halts, no message is on its way to it, nor ever will be.
    Silent,
    /// Messages that the announcement overtakes. They are discarded, and counted as late.
    LateMessages,
}
