//! Figure 1: the times at which the election is complete, the eventual leader declares it and all
//! have been told, against the number of agents; and the rates of right declarations, for every
//! rule.

use super::MARGIN;
use crate::{
    engine::{
        direct::{Packed, TrialTail},
        oracle::EULER,
    },
    ensemble::{Ensemble, OverallProgress, TrialProgress},
    meetings::Meetings,
    protocols::{DeclarationRule, Margin, SelfTerminating},
    random::TrialSeeds,
    report::percent,
    trial::{Field, Trial},
};
use serde::Serialize;
use std::fmt;
use std::sync::atomic::AtomicBool;
use suffrage_numbers::statistics::Rate;

/// The populations: 1000, 1100, ..., 10000.
const SIZES: std::ops::RangeInclusive<u32> = 10..=100;
const STEP: u32 = 100;

/// The experiment of Figure 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigureOne {
    /// The number of trials for each population and rule.
    pub trials: u64,
    /// The seed.
    pub seed: u64,
    /// The trials of the paper's figure, by the text's rule. They are in the CSV but not in the
    /// JSON.
    #[serde(skip)]
    pub points: Vec<FigurePoint>,
    /// The fit of the completions.
    pub completion: Fit,
    /// The fit of the leaders' declarations.
    pub declaration: Fit,
    /// The fit of the times at which the last agent is told.
    pub told: Fit,
    /// The rates of right declarations.
    pub rates: Vec<RuleRates>,
}

/// One trial of the figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FigurePoint {
    /// The number of agents.
    pub agents: u32,
    /// The trial.
    pub trial: Trial,
}

/// A part of the populations for which the paper gives a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Period {
    /// Fewer than 3335 agents: over 99.2 % according to the paper.
    Small,
    /// In between: the paper gives no rate.
    Middle,
    /// The largest third: 99.8 % according to the paper.
    Large,
}

impl Period {
    const ALL: [Self; 3] = [Self::Small, Self::Middle, Self::Large];

    const fn of(agents: u32) -> Self {
        match agents {
            ..3335 => Self::Small,
            3335..=6666 => Self::Middle,
            _ => Self::Large,
        }
    }
}

/// The rates of right declarations of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RuleRates {
    /// The rule.
    pub rule: DeclarationRule,
    /// The least number of interactions of an agent that declares.
    pub min_interactions: u32,
    /// The part of the populations.
    pub period: Period,
    /// The rate of the first declaration, by any agent.
    pub first_ok: Rate,
    /// The rate of the eventual leader's declaration.
    pub leader_ok: Rate,
    /// The rate of trials in which any agent declared.
    pub declared: Rate,
}

/// Returns the compared rules: each without a minimum, and the default with its minimum of
/// interactions.
fn rules() -> impl Iterator<Item = SelfTerminating> {
    DeclarationRule::ALL
        .into_iter()
        .map(|rule| SelfTerminating { margin: Margin::whole(MARGIN), rule, min_interactions: 0 })
        .chain([SelfTerminating::default()])
}

impl FigureOne {
    /// Runs `trials` elections for each of 91 populations and five rules, with the direct engine.
    /// `None` if interrupted.
    #[must_use]
    pub fn run(
        trials: u64,
        seed: u64,
        threads: usize,
        progress: &dyn TrialProgress,
        interrupted: &AtomicBool,
    ) -> Option<Self> {
        let of = trials * rules().count() as u64 * SIZES.count() as u64;
        let overall = OverallProgress::new(progress, of);
        let run = |protocol, agents: u32| {
            // Each population has different meetings; all rules see the same ones.
            let seed = seed ^ u64::from(agents) << 32;
            let make = || Packed::new(protocol, Meetings::among(agents), TrialTail::Skipped);
            let ensemble = Ensemble { trials, seeds: TrialSeeds::One(seed), threads };
            let run = ensemble.run(make, &overall, interrupted);
            (run.len() as u64 == trials && trials > 0).then_some(run)
        };
        let (mut points, mut rates) = (Vec::new(), Vec::new());
        for protocol in rules() {
            let mut tallies = Period::ALL.map(|_| [0_u64; 4]);
            for agents in SIZES.map(|size| size * STEP) {
                let run = run(protocol, agents)?;
                let tally = &mut tallies[Period::of(agents) as usize];
                for trial in &run {
                    tally[0] += u64::from(trial.first_ok == Some(true));
                    tally[1] += u64::from(trial.leader_ok == Some(true));
                    tally[2] += u64::from(trial.declared_at.is_some());
                    tally[3] += 1;
                }
                if protocol.rule == DeclarationRule::Text && protocol.min_interactions == 0 {
                    points.extend(run.into_iter().map(|trial| FigurePoint { agents, trial }));
                }
            }
            for (period, [first, leader, declared, trials]) in Period::ALL.into_iter().zip(tallies)
            {
                rates.push(RuleRates {
                    rule: protocol.rule,
                    min_interactions: protocol.min_interactions,
                    period,
                    first_ok: Rate::of(first, trials)?,
                    leader_ok: Rate::of(leader, trials)?,
                    declared: Rate::of(declared, trials)?,
                });
            }
        }
        let fit = |time: fn(&Trial) -> Option<u64>| {
            Fit::of(
                points.iter().filter_map(|p| Some((f64::from(p.agents), time(&p.trial)? as f64))),
            )
        };
        Some(Self {
            trials,
            seed,
            completion: fit(|trial| trial.completed_at)?,
            declaration: fit(|trial| trial.leader_declared_at)?,
            told: fit(|trial| trial.told_at)?,
            rates,
            points,
        })
    }
}

/// The least-squares fit of `log_linear · n ln n + linear · n`, the form of the theorems.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// The coefficient of n ln n.
    pub log_linear: f64,
    /// The coefficient of n.
    pub linear: f64,
}

impl Fit {
    pub(super) fn of(points: impl Iterator<Item = (f64, f64)>) -> Option<Self> {
        let (mut aa, mut ab, mut bb, mut ay, mut by) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (n, time) in points {
            // Relative to n, so that the large populations do not outweigh the small ones.
            let (a, y) = (libm::log(n), time / n);
            aa += a * a;
            ab += a;
            bb += 1.0;
            ay += a * y;
            by += y;
        }
        let determinant = aa * bb - ab * ab;
        (determinant > 1e-9 * aa * bb).then(|| Self {
            log_linear: (ay * bb - by * ab) / determinant,
            linear: (by * aa - ay * ab) / determinant,
        })
    }

    /// Returns the fitted time for n agents.
    #[must_use]
    pub fn at(&self, n: f64) -> f64 {
        n * (self.log_linear * libm::log(n) + self.linear)
    }
}

impl FigureOne {
    /// Returns the trials as CSV, one per line: agents and the fields of a trial, empty if there is
    /// no value.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = format!("agents,{}\n", Field::ALL.map(Field::name).join(","));
        for FigurePoint { agents, trial } in &self.points {
            let values = Field::ALL.map(|field| field.written(trial).unwrap_or_default());
            text += &format!("{agents},{}\n", values.join(","));
        }
        text
    }
}

/// Writes the rates of success beside the paper's, and the fits beside the theorems.
impl fmt::Display for FigureOne {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "n = 1000, 1100, ..., 10000; m = {MARGIN}; {} trials of each and of each rule; seed {}",
            self.trials, self.seed
        )?;
        writeln!(f, "first: the first declaration, by whomever, is correct; leader: the eventual")?;
        writeln!(f, "leader's; brackets are 95 % confidence intervals")?;
        writeln!(f)?;
        writeln!(f, "  {:<22} {:<12} {:<32} {:<32} declared", "rule", "n", "first", "leader")?;
        for rates in &self.rates {
            row(f, rates)?;
        }
        writeln!(f, "  {:<22} {:<12} over 99.2 %", "the paper", "< 3335")?;
        writeln!(f, "  {:<22} {:<12} 99.8 %", "the paper", "> 6666")?;
        writeln!(f)?;
        let m = f64::from(MARGIN);
        for (name, fit, log_linear, linear) in [
            ("completion", self.completion, 1.0, EULER),
            (
                "declaration",
                self.declaration,
                (m + 1.0) / 2.0,
                f64::midpoint((m + 1.0) * EULER, 1.0),
            ),
            // The news spreads as the identity does.
            ("all told", self.told, (m + 3.0) / 2.0, f64::midpoint((m + 3.0) * EULER, 1.0)),
        ] {
            writeln!(
                f,
                "  {name:<12} fitted {:.3} n ln n {:+.3} n; the theorems say about {log_linear:.3} \
                 n ln n {linear:+.3} n",
                fit.log_linear, fit.linear
            )?;
        }
        Ok(())
    }
}

fn row(f: &mut fmt::Formatter<'_>, rates: &RuleRates) -> fmt::Result {
    let rule = match rates.min_interactions {
        0 => rates.rule.name().to_owned(),
        least => format!("{}, at least {least}", rates.rule.name()),
    };
    let period = match rates.period {
        Period::Small => "< 3335",
        Period::Middle => "3335 to 6666",
        Period::Large => "> 6666",
    };
    let interval = |rate: Rate| {
        format!("{} [{}, {}]", percent(rate.rate), percent(rate.low), percent(rate.high))
    };
    let (first, leader) = (interval(rates.first_ok), interval(rates.leader_ok));
    let declared = percent(rates.declared.rate);
    writeln!(f, "  {rule:<22} {period:<12} {first:<32} {leader:<32} {declared}")
}

#[cfg(test)]
mod tests;
