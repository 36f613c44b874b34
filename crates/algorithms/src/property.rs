//! What every engine holds an election to.

use core::fmt;

/// A property of elections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Property {
    /// At no time are there two leaders.
    AtMostOneLeader,
    /// Who has decided never decides otherwise.
    IrrevocableStatus,
    /// In the end there is a leader.
    ExactlyOneLeader,
    /// All who name a leader name the one that leads.
    Agreement,
    /// In the end every process has halted.
    EveryoneHalted,
    /// The election comes to an end.
    Termination,
    /// No process is sent a message that its algorithm says cannot reach it.
    PossibleMessages,
    /// Nothing is delivered to a process that has halted.
    SilentEnding,
    /// The winner is the one that the algorithm's rule names.
    WinnerByRule,
    /// The messages are no more than the algorithm's bound, or exactly as many.
    MessageBound,
}

impl Property {
    /// Every property.
    pub const ALL: [Self; 10] = [
        Self::AtMostOneLeader,
        Self::IrrevocableStatus,
        Self::ExactlyOneLeader,
        Self::Agreement,
        Self::EveryoneHalted,
        Self::Termination,
        Self::PossibleMessages,
        Self::SilentEnding,
        Self::WinnerByRule,
        Self::MessageBound,
    ];

    /// The property of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|property| property.name() == name)
    }

    /// The property's name, as reports give it.
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
            Self::SilentEnding => "silent-ending",
            Self::WinnerByRule => "winner-by-rule",
            Self::MessageBound => "message-bound",
        }
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
