//! What every run is held to.

use std::fmt;

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

/// A property that a run has broken, the first time that it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What was broken.
    pub property: Property,
    /// When, in ticks.
    pub at: u64,
    /// What happened, in words; processes are named by their numbers.
    pub detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at tick {}: {}", self.property, self.at, self.detail)
    }
}

/// The violations of a run: one for each property, the first.
#[derive(Default)]
pub(crate) struct Violations(Vec<Violation>);

impl Violations {
    /// Records a violation, unless the property is already broken.
    #[cold]
    pub(crate) fn add(&mut self, property: Property, at: u64, detail: impl FnOnce() -> String) {
        if self.0.iter().all(|violation| violation.property != property) {
            self.0.push(Violation { property, at, detail: detail() });
        }
    }

    /// Whether the property is broken.
    pub(crate) fn contains(&self, property: Property) -> bool {
        self.0.iter().any(|violation| violation.property == property)
    }

    pub(crate) fn into_vec(self) -> Vec<Violation> {
        self.0
    }
}
