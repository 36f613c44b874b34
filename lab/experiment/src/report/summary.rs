//! Reports of elections that differ in their seeds alone.

use super::SeedList;
use super::chance::{JudgedClaim, none_refuted};
use super::election::{BrokenProperty, MessageBound, NetworkSummary, TimeBound};
use super::figures::{Figures, TrialFigures, judged, nearest};
use crate::choice::by_name;
use crate::election::Prepared;
use crate::number::{count, on_a_line};
use crate::trials::Many;
use serde::{Deserialize, Deserializer, Serialize};
use suffrage_algorithms::Algorithm;
use suffrage_numbers::statistics::Distribution;

/// The trials of one prepared.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrialsReport {
    /// The name of the algorithm.
    #[serde(deserialize_with = "algorithm_name")]
    pub algorithm: AlgorithmName,
    /// Why the algorithm was chosen, if none was named.
    pub choice: Option<String>,
    /// Why the algorithm fails, if it is kept as a warning.
    #[serde(skip_deserializing)]
    pub faulty: Option<&'static str>,
    /// The network of the first trial; random ones differ from trial to trial.
    pub network: NetworkSummary,
    /// The seed.
    pub seed: u64,
    /// The seeds of the finished trials: the command of the first trial with a seed repeats that
    /// trial.
    pub seeds: SeedList,
    /// The command of the first trial, which shows all conditions.
    pub first_trial: String,
    /// The trials.
    pub trials: TrialCounts,
    /// The figures.
    #[serde(flatten)]
    pub figures: Figures,
    /// The largest bound of a trial, and the largest ratio of sent to allowed messages.
    pub bound: MessageBound,
    /// The trial that came nearest to the bound on time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_bound: Option<TimeBound>,
    /// The claims about chance, held to all trials together.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub chances: Vec<JudgedClaim>,
    /// The leaders.
    pub leaders: LeaderCounts,
    /// The trials that broke a property.
    pub failures: Vec<FailedTrial>,
}

/// The numbers of trials.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrialCounts {
    /// How many were asked for.
    pub wanted: u64,
    /// How many were finished.
    pub finished: u64,
}

/// The leaders.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "ByNode")]
pub struct LeaderCounts {
    /// The number of trials with exactly one leader.
    pub elected: u64,
    /// The number of different nodes that led in some trial.
    pub different: u64,
    /// Pairs of a node and the number of trials in which it led.
    #[serde(serialize_with = "on_a_line")]
    pub by_node: Distribution,
}

/// What is read of leaders.
#[derive(Deserialize)]
struct ByNode {
    by_node: Distribution,
}

impl From<ByNode> for LeaderCounts {
    fn from(ByNode { by_node }: ByNode) -> Self {
        Self { elected: by_node.count(), different: by_node.counts().count() as u64, by_node }
    }
}

impl LeaderCounts {
    /// Adds the leaders of further trials.
    pub(crate) fn add(&mut self, further: Self) {
        let mut by_node = further.by_node;
        by_node.merge(&self.by_node);
        *self = ByNode { by_node }.into();
    }
}

/// Says that the mean of messages is not known as well as was asked for, if so.
pub(crate) fn missed(figures: &Figures, many: Many) -> Option<String> {
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
pub type AlgorithmName = &'static str;

/// Reads the name of an algorithm.
pub(crate) fn algorithm_name<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<AlgorithmName, D::Error> {
    let name = String::deserialize(from)?;
    let algorithm = by_name(&name).map_err(|error| serde::de::Error::custom(error.to_string()))?;
    Ok(algorithm.name)
}

/// A trial that broke a property.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FailedTrial {
    /// Its number.
    pub trial: u64,
    /// The seed.
    pub seed: u64,
    /// The properties that were broken.
    pub violations: Vec<BrokenProperty>,
    /// The command that shows it again.
    pub replay: String,
}

impl TrialsReport {
    /// Summarizes at least one trial.
    pub fn of(
        prepared: &Prepared,
        network: NetworkSummary,
        wanted: u64,
        trials: &[TrialFigures],
    ) -> Option<Self> {
        let failed = (0..).zip(trials).filter(|(_, trial)| !trial.violations.is_empty());
        let leaders = || trials.iter().filter_map(|trial| trial.leader);
        Some(Self {
            algorithm: prepared.algorithm.name,
            choice: None,
            faulty: prepared.algorithm.faulty(),
            network,
            seed: prepared.conditions.seed,
            seeds: SeedList(trials.iter().map(|trial| trial.seed).collect()),
            first_trial: prepared.command(prepared.conditions.seed),
            trials: TrialCounts { wanted, finished: trials.len() as u64 },
            figures: Figures::of(trials)?,
            bound: MessageBound::of(
                &prepared.algorithm.claims,
                trials.iter().map(|trial| trial.bound).max()?,
                trials.iter().filter_map(TrialFigures::ratio).max(),
            ),
            time_bound: nearest(prepared, trials),
            chances: judged(prepared, trials),
            leaders: ByNode { by_node: leaders().collect() }.into(),
            failures: failed
                .map(|(number, trial)| FailedTrial {
                    trial: number,
                    seed: trial.seed,
                    violations: trial.violations.clone(),
                    replay: prepared.command(trial.seed),
                })
                .collect(),
        })
    }

    /// Whether no trial broke a property, and the trials together refute no claim about chance.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.failures.is_empty() && none_refuted(&self.chances)
    }

    /// Says that the mean is not known as well as was asked for, if so.
    pub fn missed(&self, many: Many) -> Option<String> {
        missed(&self.figures, many)
    }

    /// Completes a summary that was read: what follows from the algorithm is not read.
    pub fn complete(&mut self) {
        self.faulty = by_name(self.algorithm).ok().and_then(Algorithm::faulty);
    }
}
