//! `suffrage tenure compare`: compares protocols in the same scenarios.

use super::cluster::{ClusterArgs, TableFormat, protocol};
use crate::error::{Ending, Error, complain};
use crate::interrupt;
use crate::output::print;
use crate::report::json_rows;
use crate::terminal::fitted;
use serde::Serialize;
use suffrage::protocols::{CATALOGUE, Protocol};
use suffrage::recovery::promises::Promise;
use suffrage::recovery::simulation::{Scenario, Spread, Summary};

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
    #[arg(value_parser = crate::counts::positive)]
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

Columns: vacancy in ms from the first fault on (of each time that the office was vacant), runs in
which it was vacant at the end, tenures a run from the first fault on, how many of them ended without
need, and the promises that were broken with the number of runs. Exit code 1 if a protocol that the
catalogue does not call faulty breaks a promise.

Examples:
  suffrage tenure compare --trials 1000
  suffrage tenure compare --protocols tenure --scenarios chained,quorum-loss --members 3";

/// A protocol in a scenario. Its keys are those of the JSON report.
#[derive(Serialize)]
struct Row {
    scenario: &'static str,
    protocol: &'static str,
    runs: u64,
    vacancy: Option<Spread>,
    vacant_at_the_end: u64,
    availability: f64,
    changes: f64,
    needless: u64,
    broken: Vec<(Promise, u64)>,
}

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
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
            broken |= protocol.faulty.is_none() && !row.broken.is_empty();
            rows.push(row);
        }
    }
    let interrupted = rows.len() < all;
    print(&match args.format {
        TableFormat::Text => fitted(&text(&rows)),
        TableFormat::Markdown => markdown(&rows),
        TableFormat::Json => json_rows(&rows)?,
    })?;
    if interrupted {
        complain(format_args!("interrupted: {} of {all} rows were finished", rows.len()));
    }
    Ok(Ending::of(interrupted, broken))
}

impl Args {
    fn scenarios(&self) -> Result<Vec<Scenario>, Error> {
        if self.scenarios.is_empty() {
            return Ok(Scenario::ALL.to_vec());
        }
        let named = |name: &String| {
            let scenario = Scenario::ALL.into_iter().find(|scenario| scenario.name() == name);
            scenario.ok_or_else(|| {
                let names = Scenario::ALL.map(Scenario::name).join(", ");
                Error::new(format!("there is no scenario `{name}`; they are {names}"))
            })
        };
        self.scenarios.iter().map(named).collect()
    }

    fn row(&self, scenario: Scenario, protocol: &Protocol) -> Result<Option<Row>, Error> {
        let mut cluster = self.cluster.read()?;
        cluster.faults = scenario.script(self.cluster.members).into();
        cluster.length = Scenario::LENGTH;
        let what = format!("runs of {} in {}", protocol.name, scenario.name());
        let reports = cluster.trials(protocol, self.trials, &what)?;
        if interrupt::asked() && (reports.len() as u64) < self.trials {
            return Ok(None);
        }
        let mut summary = Summary::default();
        reports.iter().for_each(|report| summary.add(report));
        // The first vacancy of each office is at the start.
        let after = summary.vacancies.iter().filter(|(kind, _)| *kind != "start");
        Ok(Some(Row {
            scenario: scenario.name(),
            protocol: protocol.name,
            runs: summary.runs,
            vacancy: Spread::of(after.flat_map(|(_, vacancies)| vacancies)),
            vacant_at_the_end: reports.iter().filter(|report| report.vacant_at_the_end > 0).count()
                as u64,
            availability: summary.availability(),
            changes: (summary.tenures as f64 / summary.runs as f64
                - f64::from(self.cluster.offices))
            .max(0.0),
            needless: summary.needless,
            broken: summary.broken.into_iter().collect(),
        }))
    }
}

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

impl Row {
    fn cells(&self) -> [String; 9] {
        let millis = |of: fn(&Spread) -> u64| match &self.vacancy {
            Some(spread) => format!("{:.1}", of(spread) as f64 / 1e6),
            None => "-".to_owned(),
        };
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

fn text(rows: &[Row]) -> String {
    super::table::text(&HEADS, rows.iter().map(Row::cells))
}

fn markdown(rows: &[Row]) -> String {
    super::table::markdown(&HEADS, rows.iter().map(Row::cells))
}
