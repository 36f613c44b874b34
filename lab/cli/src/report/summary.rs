//! Summaries of elections that differ only in their seeds.

use super::Seeds;
use super::facts::{Bound, Broken, Network, TimeBound, by_chance};
use super::figures::{FIGURES, Figures, nearest};
use super::text::Sheet;
use crate::flags::Many;
use crate::number::{Decimal, count, grouped, on_a_line};
use crate::plan::{Plan, Setup, by_name};
use crate::terminal::{Emphasis, kept, table_width};
use serde::{Deserialize, Deserializer, Serialize};
use suffrage::algorithms::Algorithm;
use suffrage::model::Phase;
use suffrage::simulator::Outcome;
use suffrage::statistics::Distribution;

/// The values of a trial that a summary needs.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    pub(crate) seed: u64,
    pub(crate) nodes: u32,
    pub(crate) messages: u64,
    pub(crate) election_messages: u64,
    pub(crate) announcement_messages: u64,
    pub(crate) bits: u64,
    pub(crate) time: u64,
    pub(crate) causal_depth: u64,
    pub(crate) busiest: u64,
    /// The bound for the initiators that woke.
    pub(crate) bound: u64,
    /// The time in units, and what is allowed of it; `None` where nothing is claimed, or the claim
    /// does not apply.
    pub(crate) units: Option<(u64, u64)>,
    pub(crate) leader: Option<u64>,
    pub(crate) violations: Vec<Broken>,
}

impl Trial {
    pub(crate) fn of(plan: &Plan, outcome: &Outcome) -> Self {
        Self {
            seed: plan.experiment.seed,
            nodes: plan.site.topology.nodes(),
            messages: outcome.messages.total(),
            election_messages: outcome.messages.of(Phase::Election),
            announcement_messages: outcome.messages.of(Phase::Announcement),
            bits: u64::try_from(outcome.messages.bits()).unwrap_or(u64::MAX),
            busiest: outcome.busiest.messages,
            time: outcome.time,
            causal_depth: outcome.causal_depth.into(),
            bound: plan.bound(outcome.woken),
            units: outcome
                .units
                .zip(plan.time_bound(outcome.woken, outcome.leader.map(|leader| leader.id)))
                .map(|(units, (_, most))| (units, most)),
            leader: outcome.leader.map(|leader| leader.node),
            violations: outcome.violations.iter().map(Broken::of).collect(),
        }
    }

    pub(crate) const fn figures(&self) -> [u64; FIGURES] {
        [
            self.messages,
            self.election_messages,
            self.announcement_messages,
            self.bits,
            self.time,
            self.causal_depth,
            self.busiest,
        ]
    }

    pub(crate) fn ratio(&self) -> Option<Decimal> {
        Decimal::ratio(self.messages.into(), self.bound.into())
    }
}

/// The trials of one setup.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Summary {
    #[serde(deserialize_with = "name")]
    pub(crate) algorithm: Name,
    pub(crate) choice: Option<String>,
    #[serde(skip_deserializing)]
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
    #[serde(flatten)]
    pub(crate) figures: Figures,
    /// The largest bound of a trial, and the largest ratio of sent to allowed messages.
    pub(crate) bound: Bound,
    /// The trial that came nearest to the bound on time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) time_bound: Option<TimeBound>,
    pub(crate) leaders: Leaders,
    pub(crate) failures: Vec<Failure>,
}

/// The numbers of trials.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Trials {
    pub(crate) wanted: u64,
    pub(crate) finished: u64,
}

/// The leaders.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "ByNode")]
pub(crate) struct Leaders {
    /// The number of trials with exactly one leader.
    pub(crate) elected: u64,
    /// The number of different nodes that led in some trial.
    pub(crate) different: u64,
    /// Pairs of a node and the number of trials in which it led.
    #[serde(serialize_with = "on_a_line")]
    by_node: Distribution,
}

/// What is read of leaders.
#[derive(Deserialize)]
struct ByNode {
    by_node: Distribution,
}

impl From<ByNode> for Leaders {
    fn from(ByNode { by_node }: ByNode) -> Self {
        Self { elected: by_node.count(), different: by_node.counts().count() as u64, by_node }
    }
}

impl Leaders {
    /// Adds the leaders of further trials.
    pub(super) fn add(&mut self, further: Self) {
        let mut by_node = further.by_node;
        by_node.merge(&self.by_node);
        *self = ByNode { by_node }.into();
    }
}

/// Says that the mean of messages is not known as well as was asked for, if so.
pub(super) fn missed(figures: &Figures, many: Many) -> Option<String> {
    let (wanted, values) = (many.precision?, &figures.messages.values);
    let (width, mean) = values.half_width().zip(values.mean())?;
    (width > wanted.0 * mean).then(|| {
        format!(
            "--precision: after {} the mean of messages is known within {:.2} %; more --trials make \
             it better",
            count(values.count(), "trial"),
            100.0 * width / mean
        )
    })
}

/// The name of an algorithm. If the type were written out, serde would borrow it from its input.
pub(super) type Name = &'static str;

/// Reads the name of an algorithm.
pub(super) fn name<'de, D: Deserializer<'de>>(from: D) -> Result<Name, D::Error> {
    let name = String::deserialize(from)?;
    let algorithm = by_name(&name).map_err(|error| serde::de::Error::custom(error.to_string()))?;
    Ok(algorithm.name)
}

/// A trial that broke a property.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
            figures: Figures::of(trials)?,
            bound: Bound {
                formula: setup.algorithm.claims.formula(),
                exact: setup.algorithm.claims.is_exact(),
                guarantee: by_chance(&setup.algorithm.claims),
                messages: trials.iter().map(|trial| trial.bound).max()?,
                ratio: trials.iter().filter_map(Trial::ratio).max(),
            },
            time_bound: nearest(setup, trials),
            leaders: ByNode { by_node: leaders().collect() }.into(),
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

    /// Says that the mean is not known as well as was asked for, if so.
    pub(crate) fn missed(&self, many: Many) -> Option<String> {
        missed(&self.figures, many)
    }

    /// Completes a summary that was read: what follows from the algorithm is not read.
    pub(crate) fn complete(&mut self) {
        self.faulty = by_name(self.algorithm).ok().and_then(Algorithm::faulty);
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
        let keep = kept(&[42, 13, 13, 13, 13, 13], &[0, 3, 4, 2, 5, 1], table_width());
        let row = |sheet: &mut Sheet, name: &str, cells: [String; 6]| {
            let mut line = format!("  {name:<14}  {:>24}", cells[0]);
            for (cell, _) in cells.iter().zip(&keep).skip(1).filter(|(_, keep)| **keep) {
                line.push_str(&format!(" {cell:>12}"));
            }
            sheet.plain(&line);
        };
        let heads = ["mean ± 95 %", "deviation", "median", "p95", "max", "min"];
        row(&mut sheet, "", heads.map(str::to_owned));
        for (name, spread) in Figures::KEYS.into_iter().zip(self.figures.all()) {
            // What an algorithm without an announcement has none of.
            if spread.max == 0 {
                continue;
            }
            let deviation = spread.deviation.map_or_else(|| "-".to_owned(), Decimal::short);
            let [median, p95, max, min] = [spread.median, spread.p95, spread.max, spread.min];
            let [median, p95, max, min] = [median, p95, max, min].map(grouped);
            let name = match name {
                "election_messages" => "  election".to_owned(),
                "announcement_messages" => "  announcement".to_owned(),
                name => name.replace('_', " "),
            };
            row(&mut sheet, &name, [spread.mean_with_interval(), deviation, median, p95, max, min]);
        }
        sheet.plain("");
        let sure = if self.bound.exact { "exactly" } else { "at most" };
        let words = self.bound.guarantee.as_deref().unwrap_or(sure);
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
