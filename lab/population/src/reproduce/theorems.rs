//! Compares theorems 1 to 3 with simulation.

use super::MARGIN;
use crate::{
    engine::{
        direct::{Packed, TrialTail},
        oracle::{self, Oracle, harmonic},
    },
    ensemble::{Ensemble, OverallProgress, TrialProgress},
    meetings::{Meetings, SelfMeetings},
    protocols::{DeclarationRule, Margin, NumberedEpidemic, SelfTerminating},
    random::TrialSeeds,
    report::number,
    trial::{Field, Trial},
};
use serde::Serialize;
use std::{fmt, sync::atomic::AtomicBool};
use suffrage_numbers::statistics::Moments;

/// The theorems and measurements of the direct engine for one population.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Theorems {
    /// The number of agents.
    pub agents: u32,
    /// The number of trials.
    pub trials: u64,
    /// The seed.
    pub seed: u64,
    /// The comparisons, in the order of the theorems.
    pub comparisons: Vec<TheoremComparison>,
}

/// The comparison of one quantity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TheoremComparison {
    /// The name of the quantity.
    pub name: &'static str,
    /// The formula.
    pub formula: &'static str,
    /// The formula's value.
    pub expected: f64,
    /// Whether the formula is exact, or leaves out lower terms.
    pub exact: bool,
    /// The measurements.
    pub measured: Moments,
    /// Lower and upper end of the 95 % confidence interval of the measured mean.
    pub confidence: [f64; 2],
    /// The difference of measured mean and formula, in standard errors.
    pub standard_errors: f64,
}

impl TheoremComparison {
    fn new(name: &'static str, formula: &'static str, expected: f64, measured: Moments) -> Self {
        let (mean, width) = (measured.mean, measured.half_width().unwrap_or(f64::INFINITY));
        Self {
            name,
            formula,
            expected,
            exact: true,
            measured,
            confidence: [mean - width, mean + width],
            standard_errors: (mean - expected) / measured.error,
        }
    }
}

impl Theorems {
    /// Runs `trials` elections among `agents` agents, at least three, with the direct engine, the
    /// text's rule and the paper's margin. After an interruption, uses the finished ones; `None` if
    /// there are fewer than two.
    #[must_use]
    pub fn run(
        agents: u32,
        trials: u64,
        seed: u64,
        threads: usize,
        progress: &dyn TrialProgress,
        interrupted: &AtomicBool,
    ) -> Option<Self> {
        let margin = Margin::whole(MARGIN);
        let protocol = SelfTerminating { margin, rule: DeclarationRule::Text, min_interactions: 0 };
        let make = || Packed::new(protocol, Meetings::among(agents), TrialTail::Skipped);
        // Both models of meetings are run, one after the other.
        let overall = OverallProgress::new(progress, 2 * trials);
        let elections = Ensemble { trials, seeds: TrialSeeds::One(seed), threads };
        let elections = elections.run(make, &overall, interrupted);
        let epidemic = NumberedEpidemic::default();
        let make = || Packed::new(epidemic, SelfMeetings::among(agents), TrialTail::Skipped);
        // A seed of its own, so that no random number is used twice.
        let seeds = TrialSeeds::One(seed.wrapping_add(0x5E1F));
        let with_self = Ensemble { trials: elections.len() as u64, seeds, threads };
        let with_self = with_self.run(make, &overall, interrupted);
        let trials = with_self.len();
        let comparisons = compared(&protocol, agents, &elections[..trials], &with_self)?;
        (trials >= 2).then_some(Self { agents, trials: trials as u64, seed, comparisons })
    }
}

/// Compares the formulas with elections of both models of meetings; `None` if there are no elections.
fn compared(
    protocol: &SelfTerminating,
    agents: u32,
    elections: &[Trial],
    with_self: &[Trial],
) -> Option<Vec<TheoremComparison>> {
    let of = |field: Field| field.moments(elections);
    let of_self = |field: Field| field.moments(with_self);
    let exact = TheoremComparison::new;
    let about = |name, formula, expected, measured| TheoremComparison {
        exact: false,
        ..TheoremComparison::new(name, formula, expected, measured)
    };
    let (n, h) = (f64::from(agents), harmonic(u64::from(agents) - 1));
    let declares = n / 2.0 * (f64::from(MARGIN + 1) * h + 1.0);
    let (completed, declared) = (of(Field::CompletedAt)?, of(Field::LeaderDeclaredAt)?);
    let completed_with_self = of_self(Field::CompletedAt)?;
    let (met, counted) = (of(Field::FollowersMet)?, of_self(Field::FollowersMet)?);
    let formula = "(n/2) ((m+1) H(n-1) + 1)";
    let all_told = "the same + (n-1) H(n-1)";
    let mut comparisons = vec![
        exact("1: completion", "(n-1) H(n-1)", (n - 1.0) * h, completed),
        exact("1: completion, with self-meetings", "n H(n-1)", n * h, completed_with_self),
        exact("2: leader's conversions", "H(n-1)", h, of(Field::Conversions)?),
        exact("3: leader's followers met", "(1-2/n) H(n-1)", (1.0 - 2.0 / n) * h, met),
        exact("3: its counter, with self-meetings", "H(n-1)", h, counted),
        about("leader's declaration", formula, declares, declared),
        about("all are told", all_told, declares + (n - 1.0) * h, of(Field::ToldAt)?),
    ];
    if agents <= oracle::MAX_AGENTS {
        let expected = Oracle::of(protocol, agents).leader_declared_at?;
        let name = "leader's declaration, exactly";
        comparisons.push(exact(name, "dynamic programming", expected, declared));
    }
    Some(comparisons)
}

impl fmt::Display for Theorems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "n = {}, m = {MARGIN}, {} trials, seed {}; ± is a 95 % confidence interval",
            number(self.agents.into()),
            number(self.trials as f64),
            self.seed
        )?;
        writeln!(
            f,
            "  {:<34} {:<26} {:>14} {:>26} {:>10}",
            "theorem", "formula", "value", "measured", "std errors"
        )?;
        for comparison in &self.comparisons {
            let TheoremComparison { name, formula, expected, exact, measured, .. } = comparison;
            let width = measured.half_width().map_or_else(|| "-".into(), number);
            let measured = format!("{} ± {width}", number(measured.mean));
            let errors =
                if *exact { format!("{:+.2}", comparison.standard_errors) } else { "about".into() };
            let value = number((expected * 100.0).round() / 100.0);
            writeln!(f, "  {name:<34} {formula:<26} {value:>14} {measured:>26} {errors:>10}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
