//! The result of one run of a protocol, field by field, and the questions that select fields.

use serde::{Deserialize, Serialize};
use suffrage_numbers::statistics::{Moments, Rate};

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

impl Trial {
    /// Records a declaration, which is right if all hold the maximum.
    pub(crate) const fn declare(&mut self, time: u64, complete: bool, by_leader: bool) {
        if self.declared_at.is_none() {
            self.declared_at = Some(time);
            self.first_ok = Some(complete);
        }
        if by_leader && self.leader_declared_at.is_none() {
            self.leader_declared_at = Some(time);
            self.leader_ok = Some(complete);
        }
    }

    /// Records that all hold the maximum, with the tally of the eventual leader.
    pub(crate) fn complete(&mut self, time: u64, conversions: u64, followers_met: u64) {
        self.completed_at = Some(time);
        self.conversions = Some(conversions);
        self.followers_met = Some(followers_met);
    }
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

/// The value of a field as a number.
type FieldValue = fn(&Trial) -> Option<u64>;

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

    /// The names in JSON and the values, a flag counting as 0 or 1, in the order of [`Self::ALL`].
    const TABLE: [(&'static str, FieldValue); 9] = [
        ("completed_at", |trial| trial.completed_at),
        ("declared_at", |trial| trial.declared_at),
        ("leader_declared_at", |trial| trial.leader_declared_at),
        ("told_at", |trial| trial.told_at),
        ("conversions", |trial| trial.conversions),
        ("followers_met", |trial| trial.followers_met),
        ("first_ok", |trial| trial.first_ok.map(u64::from)),
        ("leader_ok", |trial| trial.leader_ok.map(u64::from)),
        ("final_ok", |trial| trial.final_ok.map(u64::from)),
    ];

    /// Returns the name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::TABLE[self as usize].0
    }

    /// Returns the field's value as a number, a flag counting as 0 or 1.
    #[must_use]
    pub fn of(self, trial: &Trial) -> Option<u64> {
        (Self::TABLE[self as usize].1)(trial)
    }

    /// Returns the field's value as text, as in JSON.
    #[must_use]
    pub fn written(self, trial: &Trial) -> Option<String> {
        let value = self.of(trial)?;
        Some(if self.is_flag() { (value == 1).to_string() } else { value.to_string() })
    }

    /// Returns the moments of the field in the trials that have it.
    pub(crate) fn moments(self, trials: &[Trial]) -> Option<Moments> {
        Moments::of(trials.iter().filter_map(|trial| self.of(trial)).map(|value| value as f64))
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

/// Means of times and counts, over the trials that have them; rates, over all trials, so that a
/// trial in which no agent declares counts as one without a correct declaration. `None` if no
/// trial has a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrialsSummary {
    /// Of [`Trial::completed_at`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Moments>,
    /// Of [`Trial::declared_at`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared_at: Option<Moments>,
    /// Of [`Trial::leader_declared_at`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leader_declared_at: Option<Moments>,
    /// Of [`Trial::told_at`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told_at: Option<Moments>,
    /// Of [`Trial::conversions`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversions: Option<Moments>,
    /// Of [`Trial::followers_met`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub followers_met: Option<Moments>,
    /// Of [`Trial::first_ok`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_ok: Option<Rate>,
    /// Of [`Trial::leader_ok`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leader_ok: Option<Rate>,
    /// Of [`Trial::final_ok`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_ok: Option<Rate>,
}

impl TrialsSummary {
    /// Returns the summary of some trials.
    #[must_use]
    pub fn of(trials: &[Trial]) -> Self {
        let rate = |field: Field| {
            let values = || trials.iter().filter_map(|trial| field.of(trial));
            values().next()?;
            Rate::of(values().sum(), trials.len() as u64)
        };
        Self {
            completed_at: Field::CompletedAt.moments(trials),
            declared_at: Field::DeclaredAt.moments(trials),
            leader_declared_at: Field::LeaderDeclaredAt.moments(trials),
            told_at: Field::ToldAt.moments(trials),
            conversions: Field::Conversions.moments(trials),
            followers_met: Field::FollowersMet.moments(trials),
            first_ok: rate(Field::FirstOk),
            leader_ok: rate(Field::LeaderOk),
            final_ok: rate(Field::FinalOk),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_without_a_declaration_has_no_correct_one() {
        let said = |first_ok| Trial { declared_at: Some(4), first_ok, ..Trial::default() };
        let trials = [said(Some(true)), said(Some(false)), Trial::default(), Trial::default()];
        let summary = TrialsSummary::of(&trials);
        assert_eq!(summary.first_ok.map(|rate| (rate.successes, rate.trials)), Some((1, 4)));
        assert_eq!(summary.declared_at.map(|moments| moments.count), Some(2));
        assert_eq!((summary.completed_at, summary.leader_ok), (None, None));
    }
}
