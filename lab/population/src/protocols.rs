//! The protocols, one module for each, and their names.

mod fratricide;
mod infection;
mod known_bounds;
mod margin;
mod numbered;
mod reelection;
mod self_terminating;

pub use fratricide::{Fratricide, FratricideRole};
pub use infection::Infection;
pub use known_bounds::KnownBounds;
pub use margin::{Margin, MarginError};
pub use numbered::{NumberedCandidate, NumberedEpidemic};
pub use reelection::{Reelection, Survivor};
pub use self_terminating::{Agent, DeclarationRule, SelfTerminating};

use crate::trial::Field;

/// A protocol, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedProtocol {
    /// Algorithm 1: agents numbered 1 to n that know n.
    KnownBounds,
    /// Algorithm 2, corrected or as printed.
    Epidemic {
        /// Whether the true leader resigns, as in the printed form.
        printed: bool,
    },
    /// Algorithm 3.
    SelfTerminating(SelfTerminating),
    /// Anonymous election by fratricide.
    Anonymous,
    /// The two-way epidemic.
    TwoWayEpidemic,
}

impl NamedProtocol {
    /// Returns the name on the command line and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::KnownBounds => "known-bounds",
            Self::Epidemic { .. } => "epidemic",
            Self::SelfTerminating(_) => "self-terminating",
            Self::Anonymous => "anonymous",
            Self::TwoWayEpidemic => "two-way-epidemic",
        }
    }

    /// Returns the fields that its trials have.
    #[must_use]
    pub const fn fields(self) -> &'static [Field] {
        use Field::{CompletedAt, Conversions, FinalOk, FollowersMet};
        match self {
            Self::KnownBounds => &[CompletedAt, FinalOk],
            Self::Epidemic { .. } => &[CompletedAt, Conversions, FollowersMet, FinalOk],
            Self::SelfTerminating(_) => &Field::ALL,
            Self::Anonymous | Self::TwoWayEpidemic => &[CompletedAt],
        }
    }

    /// Returns the rule by which it is printed or corrected, if it has one.
    #[must_use]
    pub const fn rule(self) -> Option<DeclarationRule> {
        match self {
            Self::SelfTerminating(protocol) => Some(protocol.rule),
            Self::Epidemic { printed: true } => Some(DeclarationRule::Printed),
            _ => None,
        }
    }
}
