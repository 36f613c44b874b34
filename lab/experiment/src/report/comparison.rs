//! Reports of comparisons: a row for each algorithm, network and combination of conditions.

use super::SeedList;
use super::chance::{JudgedClaim, none_refuted};
use super::election::{MessageBound, TimeBound};
use super::figures::{Figures, TrialFigures, judged, nearest};
use super::summary::{AlgorithmName, algorithm_name, missed};
use crate::conditions::Conditions;
use crate::election::Prepared;
use crate::number::{Decimal, FigureSpread};
use crate::trials::Many;
use serde::{Deserialize, Serialize};
use std::fmt;
use suffrage_algorithms::Property;

/// The trials of one algorithm on networks of one size. Its keys are those of the JSON report.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ComparisonRow {
    /// The name of the algorithm.
    #[serde(deserialize_with = "algorithm_name")]
    pub algorithm: AlgorithmName,
    /// The network.
    pub network: String,
    /// The number of nodes.
    pub nodes: u32,
    /// The conditions.
    #[serde(flatten)]
    pub conditions: VariedConditions,
    /// The trials.
    pub trials: u64,
    /// The seeds of the trials.
    pub seeds: SeedList,
    /// The figures.
    #[serde(flatten)]
    pub figures: Figures,
    /// The bound on messages.
    pub bound: MessageBound,
    /// The trial that came nearest to the bound on time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time_bound: Option<TimeBound>,
    /// The claims about chance, held to all trials together.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub chances: Vec<JudgedClaim>,
    /// The number of trials that broke a property.
    pub failures: u64,
    /// The properties that were broken in the first of them, and its command.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failure: Option<FirstFailure>,
}

/// The conditions that a comparison varies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariedConditions {
    /// When messages arrive.
    pub schedule: String,
    /// The identities.
    pub ids: String,
    /// Who starts.
    pub initiators: String,
    /// The numbering of the ports.
    pub ports: String,
    /// The capacity of links.
    pub capacity: String,
}

impl VariedConditions {
    /// The keys of the conditions, as in JSON and CSV.
    pub(crate) const KEYS: [&str; 5] = ["schedule", "ids", "initiators", "ports", "capacity"];

    /// The conditions as texts.
    #[must_use]
    pub fn of(conditions: &Conditions) -> Self {
        Self {
            schedule: conditions.schedule.to_string(),
            ids: conditions.ids.clone(),
            initiators: conditions.initiators.clone().unwrap_or_default().to_string(),
            ports: conditions.ports.name().to_owned(),
            capacity: conditions.capacity.to_string(),
        }
    }

    /// The values in the order of [`KEYS`](Self::KEYS).
    pub(crate) fn values(&self) -> [&str; 5] {
        let Self { schedule, ids, initiators, ports, capacity } = self;
        [schedule, ids, initiators, ports, capacity]
    }
}

impl fmt::Display for VariedConditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schedule, ids, initiators, ports, capacity } = self;
        write!(
            f,
            "schedule {schedule}, ids {ids}, initiators {initiators}, ports {ports}, \
             capacity {capacity}"
        )
    }
}

/// The first trial that broke a property.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FirstFailure {
    /// The properties.
    pub properties: Vec<Property>,
    /// The command that shows it again.
    pub replay: String,
}

impl ComparisonRow {
    /// Summarizes at least one trial.
    pub fn of(prepared: &Prepared, trials: &[TrialFigures]) -> Option<Self> {
        let failed = || trials.iter().filter(|trial| !trial.violations.is_empty());
        Some(Self {
            algorithm: prepared.algorithm.name,
            network: prepared.source.text(),
            nodes: trials.first()?.nodes,
            conditions: VariedConditions::of(&prepared.conditions),
            trials: trials.len() as u64,
            seeds: SeedList(trials.iter().map(|trial| trial.seed).collect()),
            figures: Figures::of(trials)?,
            bound: MessageBound::of(
                &prepared.algorithm.claims,
                trials.iter().map(|trial| trial.bound).max()?,
                trials.iter().filter_map(TrialFigures::ratio).max(),
            ),
            time_bound: nearest(prepared, trials),
            chances: judged(prepared, trials),
            failures: failed().count() as u64,
            failure: failed().next().map(|trial| FirstFailure {
                properties: trial.violations.iter().map(|broken| broken.property).collect(),
                replay: prepared.command(trial.seed),
            }),
        })
    }

    /// Whether no trial broke a property, and the trials together refute no claim about chance.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.failures == 0 && none_refuted(&self.chances)
    }

    /// The claims about chance that the trials refute.
    pub fn refuted(&self) -> impl Iterator<Item = &JudgedClaim> {
        self.chances.iter().filter(|judged| judged.refuted)
    }

    /// Says that the mean is not known as well as was asked for, if so.
    pub fn missed(&self, many: Many) -> Option<String> {
        missed(&self.figures, many)
    }

    /// Its name.
    pub fn name(&self) -> String {
        format!("{} on {}, {}", self.algorithm, self.network, self.conditions)
    }

    /// Writes the row as comma-separated values, under [`csv_header`].
    #[must_use]
    pub fn csv(&self) -> String {
        let decimal = |one: Option<Decimal>| one.map(|one| one.to_string()).unwrap_or_default();
        let mut fields =
            vec![self.algorithm.to_owned(), self.network.clone(), self.nodes.to_string()];
        fields.extend(self.conditions.values().map(str::to_owned));
        fields.push(self.trials.to_string());
        for FigureSpread { mean, ci95, deviation, median, p95, max, min, .. } in self.figures.all()
        {
            fields.extend([mean.to_string(), decimal(*ci95), decimal(*deviation)]);
            fields.extend([median, p95, max, min].map(u64::to_string));
        }
        let time = self.time_bound.as_ref();
        let units = |of: fn(&TimeBound) -> String| time.map(of).unwrap_or_default();
        fields.extend([
            decimal(self.bound.ratio),
            self.bound.claim.stated().plain(),
            self.bound.messages.to_string(),
            units(|time| time.units.to_string()),
            units(|time| time.most.to_string()),
            units(|time| time.claim.stated().plain()),
            self.failures.to_string(),
            self.failure.as_ref().map(|failure| failure.replay.clone()).unwrap_or_default(),
        ]);
        csv_line(&fields)
    }
}

/// The statistics of a figure in comma-separated values.
const STATISTICS: [&str; 7] = ["mean", "ci95", "deviation", "median", "p95", "max", "min"];

/// The names of the columns of [`ComparisonRow::csv`].
#[must_use]
pub fn csv_header() -> String {
    let figures = Figures::KEYS.into_iter().flat_map(|figure| {
        STATISTICS.into_iter().map(move |statistic| format!("{figure}_{statistic}"))
    });
    let mut names: Vec<String> = ["algorithm", "network", "nodes"].map(str::to_owned).into();
    names.extend(VariedConditions::KEYS.map(str::to_owned));
    names.push("trials".to_owned());
    names.extend(figures);
    let rest = [
        "ratio",
        "bound",
        "bound_messages",
        "units",
        "units_bound",
        "time_bound",
        "failures",
        "replay",
    ];
    names.extend(rest.map(str::to_owned));
    csv_line(&names)
}

/// Writes a line of comma-separated values.
pub(super) fn csv_line(fields: &[impl AsRef<[u8]>]) -> String {
    let mut bytes = Vec::new();
    let mut writer = csv::Writer::from_writer(&mut bytes);
    // Nothing fails in memory.
    let _ = writer.write_record(fields);
    drop(writer);
    String::from_utf8_lossy(&bytes).into_owned()
}
