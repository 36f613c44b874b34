//! `suffrage tenure scale`: measures messages and vacancy against the size of the cluster.

use super::cluster::{ClusterArgs, SimulatedCluster, TableFormat, protocol};
use super::table;
use crate::error::{CommandEnding, Error};
use crate::progress::Terminal;
use serde::{Deserialize, Serialize};
use suffrage::experiment::number::{count, grouped, on_a_line};
use suffrage::experiment::report::{Sum, TrialSeeds};
use suffrage::tenure::protocol::Protocol;
use suffrage::tenure::simulation::{DurationSpread, FaultPattern, Nanos, SimulationSummary};

/// Measure messages and vacancy against the number of members, clients and offices
///
/// There are three series: members, clients and offices. In each series one of these numbers grows, and the
/// flags set the other two. Messages are counted for five seconds with a leader and without faults, in a run
/// of the first seed. Vacancies follow a crash of the leader.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The protocol
    #[arg(long, value_name = "NAME", default_value = "tenure")]
    protocol: String,

    /// Numbers of members in the first series
    #[arg(long, value_name = "N,..", value_delimiter = ',')]
    #[arg(default_value = "3,5,7,11,21,51,101", value_parser = suffrage::experiment::counts::count32)]
    member_series: Vec<u32>,

    /// Numbers of clients in the second series
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "0,1,10,100,1000")]
    #[arg(value_parser = suffrage::experiment::counts::count32)]
    client_series: Vec<u32>,

    /// Numbers of offices in the third series
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "1,10,100,1000,10000")]
    #[arg(value_parser = suffrage::experiment::counts::count32)]
    office_series: Vec<u32>,

    /// Crashes for each row
    #[arg(long, value_name = "T", default_value_t = 10)]
    #[arg(value_parser = suffrage::experiment::counts::positive)]
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
the lower bound, the lease less half a heartbeat: on average the leader has renewed its lease half
a heartbeat before its crash.

Example:
  suffrage tenure scale --members 3 --trials 20";

/// A row of the table. Its keys are those of the JSON report.
///
/// What follows from the [`part`](Self::part) is not read: [`complete`](Self::complete) computes it.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct ScaledRow {
    series: String,
    members: u32,
    clients: u32,
    offices: u32,
    #[serde(skip_deserializing)]
    messages_per_second: f64,
    #[serde(skip_deserializing)]
    messages_per_pair_and_heartbeat: f64,
    #[serde(skip_deserializing)]
    vacancy: Option<DurationSpread>,
    #[serde(skip_deserializing)]
    ratio_to_lower_bound: Option<f64>,
    /// The data behind these figures; present only if results of other seeds are to be added.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<ClusterRuns>,
}

/// The runs of a row.
#[derive(Serialize, Deserialize)]
struct ClusterRuns {
    /// The seed of the first run.
    seed: u64,
    /// The messages of [`QUIET`] seconds without faults, in a run of that seed.
    messages: u64,
    /// The pairs of a process that stands and a member.
    pairs: u64,
    heartbeat_nanos: u64,
    lease_nanos: u64,
    /// The runs in which the leader crashes.
    #[serde(serialize_with = "on_a_line")]
    sums: SimulationSummary,
}

/// The seconds in which messages are counted.
const QUIET: u64 = 5;

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let protocol = protocol(&args.protocol)?;
    let mut rows = Vec::new();
    let series: [(&'static str, &[u32]); 3] = [
        ("members", &args.member_series),
        ("clients", &args.client_series),
        ("offices", &args.office_series),
    ];
    let all: usize = series.iter().map(|(_, sizes)| sizes.len()).sum();
    'all: for (name, sizes) in series {
        for &size in sizes {
            let mut cluster = args.cluster.read()?;
            match name {
                "members" => cluster.args.members = size,
                "clients" => cluster.args.clients = size,
                _ => cluster.args.offices = size,
            }
            let Some(row) = args.row(name, protocol, &cluster)? else { break 'all };
            rows.push(row);
        }
    }
    let interrupted = table::written(&rows, all, args.format)?;
    Ok(CommandEnding::of(interrupted, false))
}

impl Args {
    /// Measures a row; `None` if it was interrupted.
    fn row(
        &self,
        series: &str,
        protocol: &Protocol,
        cluster: &SimulatedCluster,
    ) -> Result<Option<ScaledRow>, Error> {
        let SimulatedCluster { args, .. } = cluster;
        let (members, clients) = (args.members, args.clients);
        let what = format!(
            "runs of {} with {}, {}, {}",
            protocol.name,
            count(members.into(), "member"),
            count(clients.into(), "client"),
            count(args.offices.into(), "office")
        );
        // Two runs without faults, so that the messages of the start cancel out.
        let mut sent = [0, 0];
        for (sent, seconds) in sent.iter_mut().zip([QUIET, 2 * QUIET]) {
            let quiet = SimulatedCluster { length: Nanos::seconds(seconds), ..cluster.clone() };
            let Some(report) = quiet.trials(protocol, 1, &what, &Terminal::default())?.pop() else {
                return Ok(None);
            };
            *sent = report.messages();
        }
        let crash = SimulatedCluster {
            faults: FaultPattern::LeaderCrash.script(members).into(),
            length: Nanos(FaultPattern::BEGIN.0 + Nanos::seconds(3).0),
            ..cluster.clone()
        };
        let trials = self.cluster.runs(self.trials);
        let reports = crash.trials(protocol, trials, &what, &Terminal::default())?;
        if (reports.len() as u64) < trials {
            return Ok(None);
        }
        let stand = u64::from(members - args.witnesses);
        let part = ClusterRuns {
            seed: args.seed,
            messages: sent[1].saturating_sub(sent[0]),
            pairs: stand * u64::from(members - 1) + u64::from(clients) * u64::from(members),
            heartbeat_nanos: cluster.heartbeat().0,
            lease_nanos: args.lease.0,
            sums: reports.iter().collect(),
        };
        let mut row = ScaledRow {
            series: series.to_owned(),
            members,
            clients,
            offices: args.offices,
            part: Some(part),
            ..ScaledRow::default()
        };
        row.complete();
        if self.cluster.seeds.is_none() {
            // Only parts of a whole are to be added up.
            row.part = None;
        }
        Ok(Some(row))
    }
}

impl ScaledRow {
    /// Computes what follows from the part.
    pub(crate) fn complete(&mut self) {
        let Some(part) = &self.part else { return };
        let rate = part.messages as f64 / QUIET as f64;
        let heartbeat = part.heartbeat_nanos as f64;
        let bound = part.lease_nanos as f64 - heartbeat / 2.0;
        let vacancy = part.sums.vacancies.get("crash").and_then(DurationSpread::of);
        self.messages_per_second = rate;
        self.messages_per_pair_and_heartbeat = rate * heartbeat / 1e9 / part.pairs.max(1) as f64;
        self.ratio_to_lower_bound = vacancy.map(|spread| spread.p50 as f64 / bound);
        self.vacancy = vacancy;
    }
}

impl table::TableRow<9> for ScaledRow {
    const HEADS: [&str; 9] = [
        "series",
        "members",
        "clients",
        "offices",
        "messages/s",
        "per pair and beat",
        "p50",
        "max",
        "p50 / lower bound",
    ];

    fn cells(&self) -> [String; 9] {
        let millis = |of| table::millis(self.vacancy.as_ref(), of);
        [
            self.series.to_owned(),
            self.members.to_string(),
            self.clients.to_string(),
            self.offices.to_string(),
            grouped(self.messages_per_second.round() as u64),
            format!("{:.2}", self.messages_per_pair_and_heartbeat),
            millis(|spread| spread.p50),
            millis(|spread| spread.max),
            self.ratio_to_lower_bound.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}")),
        ]
    }
}

impl Sum for ScaledRow {
    fn subject(&self) -> String {
        let Self { series, members, clients, offices, .. } = self;
        format!("{series}: {members} members, {clients} clients, {offices} offices")
    }

    fn seeds(&self) -> TrialSeeds<'_> {
        self.part
            .as_ref()
            .map_or(TrialSeeds::From(0, 0), |part| TrialSeeds::From(part.seed, part.sums.runs))
    }

    fn add(&mut self, further: Self) {
        if let (Some(part), Some(more)) = (&mut self.part, further.part) {
            part.sums.merge(more.sums);
        }
        self.complete();
    }
}
