//! `suffrage tenure scale`: measures messages and vacancy against the size of the cluster.

use super::cluster::{Cluster, ClusterArgs, TableFormat, protocol};
use crate::error::{Ending, Error, complain};
use crate::number::{count, grouped};
use crate::output::print;
use crate::report::json_rows;
use crate::terminal::fitted;
use serde::Serialize;
use suffrage::protocols::Protocol;
use suffrage::recovery::simulation::{Nanos, Scenario, Spread, Summary};

/// Measure messages and vacancy against the number of members, standers and offices
///
/// Three series, in each of which one number grows and the others are those of the flags: members,
/// standers, offices. Messages are counted in half a minute with a leader and no faults; vacancies
/// are those after its crash.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The protocol
    #[arg(long, value_name = "NAME", default_value = "tenure")]
    protocol: String,

    /// Numbers of members in the first series
    #[arg(long, value_name = "N,..", value_delimiter = ',')]
    #[arg(default_value = "3,5,7,11,21,51,101", value_parser = crate::counts::count32)]
    member_series: Vec<u32>,

    /// Numbers of standers in the second series
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "0,1,10,100,1000")]
    #[arg(value_parser = crate::counts::count32)]
    stander_series: Vec<u32>,

    /// Numbers of offices in the third series
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "1,10,100,1000,10000")]
    #[arg(value_parser = crate::counts::count32)]
    office_series: Vec<u32>,

    /// Crashes for each row
    #[arg(long, value_name = "T", default_value_t = 10)]
    #[arg(value_parser = crate::counts::positive)]
    trials: u64,

    #[command(flatten)]
    cluster: ClusterArgs,

    /// How to write the table
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: TableFormat,
}

const EXAMPLES: &str = "\
Columns: messages a second; the same for each pair of a process that stands and a member and each
heartbeat (2 is a renewal and its answer); vacancy after a crash of the leader in ms; p50 divided by
the lower bound, which is the lease less half a heartbeat: no earlier is the lease over that the
leader renewed last, half a heartbeat before its crash in the mean.

Example:
  suffrage tenure scale --members 3 --trials 20";

/// A row of the table. Its keys are those of the JSON report.
#[derive(Serialize)]
struct Row {
    series: &'static str,
    members: u32,
    standers: u32,
    offices: u32,
    messages_per_second: f64,
    messages_per_pair_and_heartbeat: f64,
    vacancy: Option<Spread>,
    ratio_to_lower_bound: Option<f64>,
}

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    let protocol = protocol(&args.protocol)?;
    let mut rows = Vec::new();
    let series: [(&'static str, &[u32]); 3] = [
        ("members", &args.member_series),
        ("standers", &args.stander_series),
        ("offices", &args.office_series),
    ];
    let all: usize = series.iter().map(|(_, sizes)| sizes.len()).sum();
    'all: for (name, sizes) in series {
        for &size in sizes {
            let mut cluster = args.cluster.read()?;
            match name {
                "members" => cluster.args.members = size,
                "standers" => cluster.args.standers = size,
                _ => cluster.args.offices = size,
            }
            let Some(row) = args.row(name, protocol, &cluster)? else { break 'all };
            rows.push(row);
        }
    }
    let interrupted = rows.len() < all;
    let cells = || rows.iter().map(Row::cells);
    print(&match args.format {
        TableFormat::Text => fitted(&super::table::text(&HEADS, cells())),
        TableFormat::Markdown => super::table::markdown(&HEADS, cells()),
        TableFormat::Json => json_rows(&rows)?,
    })?;
    if interrupted {
        complain(format_args!("interrupted: {} of {all} rows were finished", rows.len()));
    }
    Ok(Ending::of(interrupted, false))
}

impl Args {
    /// Measures a row; `None` if it was interrupted.
    fn row(
        &self,
        series: &'static str,
        protocol: &Protocol,
        cluster: &Cluster,
    ) -> Result<Option<Row>, Error> {
        let Cluster { args, .. } = cluster;
        let (members, standers) = (args.members, args.standers);
        let what = format!(
            "runs of {} with {}, {}, {}",
            protocol.name,
            count(members.into(), "member"),
            count(standers.into(), "stander"),
            count(args.offices.into(), "office")
        );
        // Two runs without faults, so that the messages of the start cancel out.
        let mut sent = [0, 0];
        for (sent, seconds) in sent.iter_mut().zip([5, 10]) {
            let quiet = Cluster { length: Nanos::seconds(seconds), ..cluster.clone() };
            let Some(report) = quiet.trials(protocol, 1, &what)?.pop() else { return Ok(None) };
            *sent = report.messages();
        }
        let rate = (sent[1].saturating_sub(sent[0])) as f64 / 5.0;
        let crash = Cluster {
            faults: Scenario::LeaderCrash.script(members).into(),
            length: Nanos(Scenario::BEGIN.0 + Nanos::seconds(3).0),
            ..cluster.clone()
        };
        let reports = crash.trials(protocol, self.trials, &what)?;
        if (reports.len() as u64) < self.trials {
            return Ok(None);
        }
        let mut summary = Summary::default();
        reports.iter().for_each(|report| summary.add(report));
        let vacancy = summary.vacancies.get("crash").and_then(Spread::of);
        let stand = u64::from(members - args.witnesses);
        let pairs = stand * u64::from(members - 1) + u64::from(standers) * u64::from(members);
        let heartbeat = cluster.heartbeat().0 as f64;
        let bound = args.lease.0 as f64 - heartbeat / 2.0;
        Ok(Some(Row {
            series,
            members,
            standers,
            offices: args.offices,
            messages_per_second: rate,
            messages_per_pair_and_heartbeat: rate * heartbeat / 1e9 / pairs.max(1) as f64,
            ratio_to_lower_bound: vacancy.map(|spread| spread.p50 as f64 / bound),
            vacancy,
        }))
    }
}

const HEADS: [&str; 9] = [
    "series",
    "members",
    "standers",
    "offices",
    "messages/s",
    "per pair and beat",
    "p50",
    "max",
    "p50 / lower bound",
];

impl Row {
    fn cells(&self) -> [String; 9] {
        let millis = |of: fn(&Spread) -> u64| match &self.vacancy {
            Some(spread) => format!("{:.1}", of(spread) as f64 / 1e6),
            None => "-".to_owned(),
        };
        [
            self.series.to_owned(),
            self.members.to_string(),
            self.standers.to_string(),
            self.offices.to_string(),
            grouped(self.messages_per_second.round() as u64),
            format!("{:.2}", self.messages_per_pair_and_heartbeat),
            millis(|spread| spread.p50),
            millis(|spread| spread.max),
            self.ratio_to_lower_bound.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}")),
        ]
    }
}
