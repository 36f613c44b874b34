//! Summaries of trials: means and rates.

use crate::trial::{Field, Trial};
use serde::{Deserialize, Serialize};
use suffrage_numbers::statistics::{Moments, Rate};

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
        let moments = |field: Field| Moments::of(trials.iter().filter_map(move |t| field.of(t)));
        let rate = |field: Field| {
            let values = || trials.iter().filter_map(move |t| field.of(t));
            values().next()?;
            Rate::of(values().filter(|&value| value > 0.0).count() as u64, trials.len() as u64)
        };
        Self {
            completed_at: moments(Field::CompletedAt),
            declared_at: moments(Field::DeclaredAt),
            leader_declared_at: moments(Field::LeaderDeclaredAt),
            told_at: moments(Field::ToldAt),
            conversions: moments(Field::Conversions),
            followers_met: moments(Field::FollowersMet),
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
