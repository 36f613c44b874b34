//! The properties that every engine checks in an election.

use crate::Algorithm;
use core::fmt;

/// A property of elections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Property {
    /// There are never two leaders at a time.
    AtMostOneLeader,
    /// No process changes its decision.
    IrrevocableStatus,
    /// There is a leader in the end.
    ExactlyOneLeader,
    /// No process names a leader other than the actual one, and, where an
    /// [explicit](crate::Problem::Explicit) election is claimed, every process names it in the end.
    Agreement,
    /// Every process has halted in the end.
    EveryoneHalted,
    /// The election comes to an end.
    Termination,
    /// No process rejects a message as one that cannot reach it.
    PossibleMessages,
    /// No process sends through a port that it does not have.
    ExistingPorts,
    /// Nothing is delivered to a process that has halted.
    SilentEnding,
    /// The leader is the process that the claimed rule names.
    WinnerByRule,
    /// The number of messages keeps the claimed bound.
    MessageBound,
    /// The time keeps the claimed bound.
    TimeBound,
    /// Every message that is sent is delivered.
    ReliableLinks,
    /// An invariant of the algorithm, by its name.
    Invariant(&'static str),
    /// A property that the user has defined, by its name.
    Own(&'static str),
}

impl Property {
    /// The properties of every election and of every algorithm, in the order in which they are
    /// reported.
    pub const ALL: [Self; 13] = [
        Self::AtMostOneLeader,
        Self::IrrevocableStatus,
        Self::ExactlyOneLeader,
        Self::Agreement,
        Self::EveryoneHalted,
        Self::Termination,
        Self::PossibleMessages,
        Self::ExistingPorts,
        Self::SilentEnding,
        Self::WinnerByRule,
        Self::MessageBound,
        Self::TimeBound,
        Self::ReliableLinks,
    ];

    /// The properties of every election in which messages arrive and processes do not crash,
    /// whatever its algorithm claims: the first of [`ALL`](Self::ALL).
    pub const OF_ELECTIONS: &[Self] = Self::ALL.split_at(8).0;

    /// Returns the property of this name: one of [`ALL`](Self::ALL), or an invariant of an
    /// algorithm of the catalogue.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let invariants = || Algorithm::all().flat_map(Algorithm::invariants).map(Self::Invariant);
        let mut all = Self::ALL.into_iter();
        let of_all = all.find(|property| property.name() == name);
        of_all.or_else(|| invariants().find(|invariant| invariant.name() == name))
    }

    /// Returns the property's name, as reports give it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AtMostOneLeader => "at-most-one-leader",
            Self::IrrevocableStatus => "irrevocable-status",
            Self::ExactlyOneLeader => "exactly-one-leader",
            Self::Agreement => "agreement",
            Self::EveryoneHalted => "everyone-halted",
            Self::Termination => "termination",
            Self::PossibleMessages => "possible-messages",
            Self::ExistingPorts => "existing-ports",
            Self::SilentEnding => "silent-ending",
            Self::WinnerByRule => "winner-by-rule",
            Self::MessageBound => "message-bound",
            Self::TimeBound => "time-bound",
            Self::ReliableLinks => "reliable-links",
            Self::Invariant(name) | Self::Own(name) => name,
        }
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl serde::Serialize for Property {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

/// Deserializes a property from its name, as [`Property::named`] takes it.
impl<'de> serde::Deserialize<'de> for Property {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = <alloc::borrow::Cow<'de, str>>::deserialize(from)?;
        Self::named(&name)
            .ok_or_else(|| serde::de::Error::custom(format_args!("there is no property `{name}`")))
    }
}
