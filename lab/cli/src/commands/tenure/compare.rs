//! `suffrage tenure compare`: compares protocols in the same scenarios.

use super::cluster::{ClusterArgs, TableFormat, protocol};
use super::table;
use crate::error::{CommandEnding, Error};
use crate::progress::Terminal;
use serde::{Deserialize, Serialize};
use suffrage::experiment::number::on_a_line;
use suffrage::experiment::report::{Sum, TrialSeeds};
use suffrage::tenure::protocol::{CATALOGUE, Protocol};
use suffrage::tenure::simulation::promises::Promise;
use suffrage::tenure::simulation::{DurationSpread, FaultPattern, SimulationSummary};

/// Compare protocols in the same scenarios, on the same seeds
///
/// A crash of the leader, partial partitions, loss, a suspended leader, rolling restarts: how long the
/// office was vacant after the first fault, whether it was safe, and how often it changed its holder.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The protocols [default: all]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    protocols: Vec<String>,

    /// The scenarios [default: all]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    scenarios: Vec<String>,

    /// Runs of each protocol in each scenario
    #[arg(long, value_name = "T", default_value_t = 100)]
    #[arg(value_parser = suffrage::experiment::counts::positive)]
    trials: u64,

    #[command(flatten)]
    cluster: ClusterArgs,

    /// How to write the table
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: TableFormat,
}

const EXAMPLES: &str = "\
Scenarios: quiet, leader-crash, resignation, quorum-loss, constrained-election, chained, loss-20,
suspended-leader, rolling-restarts; the first fault begins after 10 s, a run takes 60 s.

Columns, from the first fault on: the vacancies of the office in ms; runs in which it was vacant at
the end; tenures per run; how many of them ended without need; the promises that were broken, with
the number of runs. Exit code 1 if a protocol breaks a promise and the catalogue does not call it
faulty.

Examples:
  suffrage tenure compare --trials 1000
  suffrage tenure compare --protocols tenure --scenarios chained,quorum-loss --members 3";

/// A protocol in a scenario. Its keys are those of the JSON report.
///
/// What follows from the [`part`](Self::part) is not read: [`complete`](Self::complete) computes it.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct ComparedRow {
    scenario: String,
    protocol: String,
    #[serde(skip_deserializing)]
    runs: u64,
    #[serde(skip_deserializing)]
    vacancy: Option<DurationSpread>,
    #[serde(skip_deserializing)]
    vacant_at_the_end: u64,
    #[serde(skip_deserializing)]
    availability: f64,
    #[serde(skip_deserializing)]
    changes: f64,
    #[serde(skip_deserializing)]
    needless: u64,
    #[serde(skip_deserializing)]
    broken: Vec<(Promise, u64)>,
    /// The data behind these figures; present only if results of other seeds are to be added.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<ProtocolRuns>,
}

/// The runs of a row.
#[derive(Serialize, Deserialize)]
struct ProtocolRuns {
    /// The seed of the first run.
    seed: u64,
    offices: u32,
    /// The number of runs in which an office was vacant at the end.
    vacant_at_the_end: u64,
    #[serde(serialize_with = "on_a_line")]
    sums: SimulationSummary,
}

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let protocols = if args.protocols.is_empty() {
        CATALOGUE.iter().collect()
    } else {
        args.protocols.iter().map(|name| protocol(name)).collect::<Result<Vec<_>, _>>()?
    };
    let mut rows = Vec::new();
    let mut broken = false;
    let scenarios = args.scenarios()?;
    let all = scenarios.len() * protocols.len();
    'all: for &scenario in &scenarios {
        for protocol in &protocols {
            let Some(row) = args.row(scenario, protocol)? else { break 'all };
            broken |= row.is_broken();
            rows.push(row);
        }
    }
    let interrupted = table::written(&rows, all, args.format)?;
    Ok(CommandEnding::of(interrupted, broken))
}

impl Args {
    fn scenarios(&self) -> Result<Vec<FaultPattern>, Error> {
        if self.scenarios.is_empty() {
            return Ok(FaultPattern::ALL.to_vec());
        }
        let named = |name: &String| {
            let scenario = FaultPattern::ALL.into_iter().find(|scenario| scenario.name() == name);
            scenario.ok_or_else(|| {
                let names = FaultPattern::ALL.map(FaultPattern::name).join(", ");
                Error::new(format!("there is no scenario `{name}`; choose {names}"))
            })
        };
        self.scenarios.iter().map(named).collect()
    }

    fn row(
        &self,
        scenario: FaultPattern,
        protocol: &Protocol,
    ) -> Result<Option<ComparedRow>, Error> {
        let mut cluster = self.cluster.read()?;
        cluster.faults = scenario.script(self.cluster.members).into();
        cluster.length = FaultPattern::LENGTH;
        let what = format!("runs of {} in {}", protocol.name, scenario.name());
        let trials = self.cluster.runs(self.trials);
        let reports = cluster.trials(protocol, trials, &what, &Terminal::default())?;
        if (reports.len() as u64) < trials {
            return Ok(None);
        }
        let vacant = reports.iter().filter(|report| report.vacant_at_the_end > 0).count();
        let part = ProtocolRuns {
            seed: cluster.args.seed,
            offices: cluster.args.offices,
            vacant_at_the_end: vacant as u64,
            sums: reports.iter().collect(),
        };
        let (scenario, protocol) = (scenario.name().to_owned(), protocol.name.to_owned());
        let mut row =
            ComparedRow { scenario, protocol, part: Some(part), ..ComparedRow::default() };
        row.complete();
        if self.cluster.seeds.is_none() {
            // Only parts of a whole are to be added up.
            row.part = None;
        }
        Ok(Some(row))
    }
}

impl ComparedRow {
    /// Computes what follows from the part.
    pub(crate) fn complete(&mut self) {
        let Some(ProtocolRuns { offices, vacant_at_the_end, sums, .. }) = &self.part else {
            return;
        };
        // The first vacancy of each office is at the start.
        let after = sums.vacancies.iter().filter(|(kind, _)| *kind != "start");
        self.runs = sums.runs;
        self.vacancy = DurationSpread::of(after.flat_map(|(_, vacancies)| vacancies));
        self.vacant_at_the_end = *vacant_at_the_end;
        self.availability = sums.availability();
        self.changes = (sums.tenures as f64 / sums.runs as f64 - f64::from(*offices)).max(0.0);
        self.needless = sums.needless;
        self.broken = sums.broken.clone().into_iter().collect();
    }

    pub(crate) fn is_broken(&self) -> bool {
        let faulty = Protocol::named(&self.protocol).is_some_and(|known| known.faulty.is_some());
        !faulty && !self.broken.is_empty()
    }
}

impl table::TableRow<9> for ComparedRow {
    const HEADS: [&str; 9] = [
        "scenario",
        "protocol",
        "p50",
        "p99",
        "max",
        "vacant at end",
        "changes a run",
        "needless",
        "promises broken",
    ];

    fn cells(&self) -> [String; 9] {
        let millis = |of| table::millis(self.vacancy.as_ref(), of);
        let broken = |(promise, runs): &(Promise, u64)| format!("{promise} ({runs})");
        let broken: Vec<String> = self.broken.iter().map(broken).collect();
        [
            self.scenario.to_owned(),
            self.protocol.to_owned(),
            millis(|spread| spread.p50),
            millis(|spread| spread.p99),
            millis(|spread| spread.max),
            self.vacant_at_the_end.to_string(),
            format!("{:.2}", self.changes),
            self.needless.to_string(),
            if broken.is_empty() { "none".to_owned() } else { broken.join(", ") },
        ]
    }
}

impl Sum for ComparedRow {
    fn subject(&self) -> String {
        format!("{} in {}", self.protocol, self.scenario)
    }

    fn seeds(&self) -> TrialSeeds<'_> {
        self.part
            .as_ref()
            .map_or(TrialSeeds::From(0, 0), |part| TrialSeeds::From(part.seed, part.sums.runs))
    }

    fn add(&mut self, further: Self) {
        if let (Some(part), Some(more)) = (&mut self.part, further.part) {
            part.vacant_at_the_end += more.vacant_at_the_end;
            part.sums.merge(more.sums);
        }
        self.complete();
    }
}
