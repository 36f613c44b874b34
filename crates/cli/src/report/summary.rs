//! Summaries of elections that differ only in their seeds.

use super::Seeds;
use super::facts::{Bound, Broken, Network, TimeBound, by_chance};
use super::text::Sheet;
use crate::number::{Decimal, Spread, count, grouped};
use crate::plan::{Plan, Setup};
use crate::terminal::{Emphasis, kept, table_width};
use serde::Serialize;
use std::collections::BTreeSet;
use suffrage::simulator::Outcome;

/// The values of a trial that a summary needs.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    pub(crate) seed: u64,
    pub(crate) nodes: u32,
    pub(crate) messages: u64,
    pub(crate) time: u64,
    pub(crate) causal_depth: u64,
    /// The bound for the initiators that woke.
    pub(crate) bound: u64,
    /// The time in units, and what is allowed of it; `None` where nothing is claimed, or the claim
    /// does not apply.
    pub(crate) units: Option<(u64, u64)>,
    pub(crate) leader: Option<u32>,
    pub(crate) violations: Vec<Broken>,
}

impl Trial {
    pub(crate) fn of(plan: &Plan, outcome: &Outcome) -> Self {
        Self {
            seed: plan.experiment.seed,
            nodes: plan.site.topology.nodes(),
            messages: outcome.messages.total(),
            time: outcome.time,
            causal_depth: outcome.causal_depth.into(),
            bound: plan.bound(outcome.woken),
            units: outcome
                .units
                .zip(plan.time_bound(outcome.woken))
                .map(|(units, (_, most))| (units, most)),
            leader: outcome.leader.map(|leader| leader.node),
            violations: outcome.violations.iter().map(Broken::of).collect(),
        }
    }

    /// Returns the ratio of sent to allowed messages.
    pub(crate) fn ratio(&self) -> Option<Decimal> {
        Decimal::ratio(self.messages.into(), self.bound.into())
    }
}

/// Returns the claim about time beside the trial that came nearest to it, the first of several.
pub(super) fn nearest(setup: &Setup, trials: &[Trial]) -> Option<TimeBound> {
    let claim = setup.algorithm.claims.time.as_ref()?;
    let bounds = trials.iter().filter_map(|trial| trial.units);
    let bounds = bounds.map(|(units, most)| TimeBound::new(claim, units, most));
    bounds.reduce(|nearest, other| if other.ratio > nearest.ratio { other } else { nearest })
}

/// The trials of one setup.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) algorithm: &'static str,
    pub(crate) choice: Option<String>,
    pub(crate) faulty: Option<&'static str>,
    /// The network of the first trial; random ones differ from trial to trial.
    pub(crate) network: Network,
    pub(crate) seed: u64,
    /// The seeds of the finished trials: the command of the first trial with a seed repeats that
    /// trial.
    pub(super) seeds: Seeds,
    /// The command of the first trial, which shows all conditions.
    pub(crate) first_trial: String,
    pub(crate) trials: Trials,
    pub(crate) messages: Spread,
    pub(crate) time: Spread,
    pub(crate) causal_depth: Spread,
    /// The largest bound of a trial, and the largest ratio of sent to allowed messages.
    pub(crate) bound: Bound,
    /// The trial that came nearest to the bound on time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) time_bound: Option<TimeBound>,
    pub(crate) leaders: Leaders,
    pub(crate) failures: Vec<Failure>,
}

/// The numbers of trials.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Trials {
    pub(crate) wanted: u64,
    pub(crate) finished: u64,
}

/// The leaders.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Leaders {
    /// The number of trials with exactly one leader.
    pub(crate) elected: u64,
    /// The number of different nodes that led in some trial.
    pub(crate) different: u64,
}

/// A trial that broke a property.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Failure {
    pub(crate) trial: u64,
    pub(crate) seed: u64,
    pub(crate) violations: Vec<Broken>,
    pub(crate) replay: String,
}

impl Summary {
    /// Summarizes at least one trial.
    pub(crate) fn of(
        setup: &Setup,
        network: Network,
        wanted: u64,
        trials: &[Trial],
    ) -> Option<Self> {
        let failed = (0..).zip(trials).filter(|(_, trial)| !trial.violations.is_empty());
        let leaders = || trials.iter().filter_map(|trial| trial.leader);
        Some(Self {
            algorithm: setup.algorithm.name,
            choice: None,
            faulty: setup.algorithm.faulty(),
            network,
            seed: setup.conditions.seed,
            seeds: Seeds(trials.iter().map(|trial| trial.seed).collect()),
            first_trial: setup.command(setup.conditions.seed),
            trials: Trials { wanted, finished: trials.len() as u64 },
            messages: Spread::of(trials.iter().map(|trial| trial.messages))?,
            time: Spread::of(trials.iter().map(|trial| trial.time))?,
            causal_depth: Spread::of(trials.iter().map(|trial| trial.causal_depth))?,
            bound: Bound {
                formula: setup.algorithm.claims.formula(),
                exact: setup.algorithm.claims.is_exact(),
                guarantee: by_chance(&setup.algorithm.claims),
                messages: trials.iter().map(|trial| trial.bound).max()?,
                ratio: trials.iter().filter_map(Trial::ratio).max(),
            },
            time_bound: nearest(setup, trials),
            leaders: Leaders {
                elected: leaders().count() as u64,
                different: leaders().collect::<BTreeSet<_>>().len() as u64,
            },
            failures: failed
                .map(|(number, trial)| Failure {
                    trial: number,
                    seed: trial.seed,
                    violations: trial.violations.clone(),
                    replay: setup.command(trial.seed),
                })
                .collect(),
        })
    }

    /// Formats the summary for people.
    pub(crate) fn text(&self) -> String {
        let Trials { wanted, finished } = self.trials;
        let mut sheet = Sheet::titled(&format!(
            "{} on {}, {}",
            self.algorithm,
            self.network.source,
            count(finished, "trial")
        ));
        if finished < wanted {
            let wanted = format!("{} were asked for", count(wanted, "trial"));
            sheet.line("interrupted", &wanted);
        }
        if let Some(why) = self.faulty {
            sheet.emphasized(
                "warning",
                &format!("a faulty form, kept as a warning: it {why}"),
                Emphasis::Warning,
            );
        }
        if let Some(reason) = &self.choice {
            sheet.line("choice", &format!("{}: {reason}", self.algorithm));
        }
        self.network.lines(&mut sheet);
        sheet.plain(&format!("  first trial     {}", self.first_trial));
        sheet.plain("");
        let keep = kept(&[34, 15, 15, 15], &[0, 2, 1, 3], table_width());
        let row = |sheet: &mut Sheet, name: &str, cells: [String; 4]| {
            let mut line = format!("  {name:<14}  {:>16}", cells[0]);
            for (cell, _) in cells.iter().zip(&keep).skip(1).filter(|(_, keep)| **keep) {
                line.push_str(&format!(" {cell:>14}"));
            }
            sheet.plain(&line);
        };
        row(&mut sheet, "", ["mean", "p95", "max", "min"].map(str::to_owned));
        for (name, spread) in [
            ("messages", &self.messages),
            ("time", &self.time),
            ("causal depth", &self.causal_depth),
        ] {
            let Spread { mean, p95, max, min } = spread;
            row(&mut sheet, name, [mean.short(), grouped(p95), grouped(max), grouped(min)]);
        }
        sheet.plain("");
        let sure = if self.bound.exact { "exactly" } else { "at most" };
        let words = self.bound.guarantee.unwrap_or(sure);
        let ratio = match self.bound.ratio {
            Some(ratio) => format!("; largest sent / bound = {ratio}"),
            None => String::new(),
        };
        let bound =
            format!("{} = {words} {}{ratio}", self.bound.formula, grouped(self.bound.messages));
        sheet.line("bound", &bound);
        if let Some(time) = &self.time_bound {
            sheet.line("time bound", &time.nearest());
        }
        sheet.line(
            "leaders",
            &format!(
                "{} elected one leader; {} led",
                count(self.leaders.elected, "trial"),
                count(self.leaders.different, "different node")
            ),
        );
        self.broken(&mut sheet);
        sheet.into_text()
    }

    fn broken(&self, sheet: &mut Sheet) {
        const SHOWN: usize = 5;
        if self.failures.is_empty() {
            return sheet.line("properties", "all held in every trial");
        }
        let failed = self.failures.len();
        sheet.headline(&format!("BROKEN: properties in {}", count(failed as u64, "trial")));
        for failure in self.failures.iter().take(SHOWN) {
            let names: Vec<_> =
                failure.violations.iter().map(|broken| broken.property.name()).collect();
            sheet.plain(&format!("  trial {}: {}", failure.trial, names.join(", ")));
            sheet.plain(&format!("    {}", failure.replay));
        }
        if failed > SHOWN {
            sheet.plain(&format!(
                "  and {} more; --format json lists them all",
                grouped(failed - SHOWN)
            ));
        }
    }
}
