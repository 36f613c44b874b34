//! The result of one run of a protocol, field by field, and the questions that select fields.

use serde::{Deserialize, Serialize};

/// The result of one trial. Times are numbers of interactions; `None` means that the event did not
/// happen, or that the protocol does not have it or the engine does not follow it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    /// When all hold the maximum; in the classic protocols, when one leader is left or all are
    /// infected.
    pub completed_at: Option<u64>,
    /// When any agent first declared the election complete.
    pub declared_at: Option<u64>,
    /// When the eventual leader, the agent with the highest identity, declared it.
    pub leader_declared_at: Option<u64>,
    /// The interaction at which the last agent was told that the election is complete, by any
    /// declaration.
    pub told_at: Option<u64>,
    /// The conversions of the eventual leader until completion (there are none afterwards).
    pub conversions: Option<u64>,
    /// The followers that the eventual leader met until completion.
    pub followers_met: Option<u64>,
    /// Whether all held the maximum at the first declaration.
    pub first_ok: Option<bool>,
    /// Whether all held the maximum when the eventual leader declared.
    pub leader_ok: Option<bool>,
    /// Whether all held the maximum when the last agent learned that the election is complete;
    /// without declarations, whether in the end the highest agent and no other calls itself leader.
    pub final_ok: Option<bool>,
}

/// A part of a [`Trial`], by its name in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// [`Trial::completed_at`].
    CompletedAt,
    /// [`Trial::declared_at`].
    DeclaredAt,
    /// [`Trial::leader_declared_at`].
    LeaderDeclaredAt,
    /// [`Trial::told_at`].
    ToldAt,
    /// [`Trial::conversions`].
    Conversions,
    /// [`Trial::followers_met`].
    FollowersMet,
    /// [`Trial::first_ok`].
    FirstOk,
    /// [`Trial::leader_ok`].
    LeaderOk,
    /// [`Trial::final_ok`].
    FinalOk,
}

impl Field {
    /// Every field, in the order of [`Trial`].
    pub const ALL: [Self; 9] = [
        Self::CompletedAt,
        Self::DeclaredAt,
        Self::LeaderDeclaredAt,
        Self::ToldAt,
        Self::Conversions,
        Self::FollowersMet,
        Self::FirstOk,
        Self::LeaderOk,
        Self::FinalOk,
    ];

    /// Returns the name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CompletedAt => "completed_at",
            Self::DeclaredAt => "declared_at",
            Self::LeaderDeclaredAt => "leader_declared_at",
            Self::ToldAt => "told_at",
            Self::Conversions => "conversions",
            Self::FollowersMet => "followers_met",
            Self::FirstOk => "first_ok",
            Self::LeaderOk => "leader_ok",
            Self::FinalOk => "final_ok",
        }
    }

    /// Returns the field's value as a number, a flag counting as 0 or 1.
    #[must_use]
    pub fn of(self, trial: &Trial) -> Option<f64> {
        let number = match self {
            Self::CompletedAt => trial.completed_at,
            Self::DeclaredAt => trial.declared_at,
            Self::LeaderDeclaredAt => trial.leader_declared_at,
            Self::ToldAt => trial.told_at,
            Self::Conversions => trial.conversions,
            Self::FollowersMet => trial.followers_met,
            Self::FirstOk => trial.first_ok.map(u64::from),
            Self::LeaderOk => trial.leader_ok.map(u64::from),
            Self::FinalOk => trial.final_ok.map(u64::from),
        };
        number.map(|n| n as f64)
    }

    /// Returns whether the field is a `bool`.
    #[must_use]
    pub const fn is_flag(self) -> bool {
        matches!(self, Self::FirstOk | Self::LeaderOk | Self::FinalOk)
    }
}

/// A question to an experiment: the requested fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// All fields that the protocol has.
    Everything,
    /// Fields of the eventual leader: neither the first declaration nor the final state of all.
    Leader,
    /// When all hold the maximum.
    Completion,
}

impl Question {
    /// Returns the name on the command line and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Everything => "everything",
            Self::Leader => "leader",
            Self::Completion => "completion",
        }
    }

    /// Returns whether the question is about this field.
    #[must_use]
    pub const fn asks(self, field: Field) -> bool {
        match self {
            Self::Everything => true,
            Self::Completion => matches!(field, Field::CompletedAt),
            Self::Leader => !matches!(
                field,
                Field::DeclaredAt | Field::ToldAt | Field::FirstOk | Field::FinalOk
            ),
        }
    }
}
