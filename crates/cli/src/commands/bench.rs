//! `suffrage bench`: the simulator against hand-written loops, in one run.

use crate::{
    error::{Ending, Error, print},
    interrupt,
    report::{self, Format},
};
use serde::Serialize;
use std::time::Instant;
use suffrage::{
    algorithms::Algorithm,
    reference::{self, Delays},
    simulator::{Experiment, Schedule, Watch, simulate},
    topology::{Ids, wiring::Wiring},
};

/// Measure the simulator against minimal hand-written loops
///
/// For each algorithm, size and schedule the two are run in turn, and the fastest run of each
/// counts. What they are compared to is in the source, in the folder `reference`: loops that know
/// one algorithm and one network, count messages and check nothing. Times include making the
/// processes. The figures are of this machine, at this time; the ratios travel better. For memory
/// see `suffrage elect --timing`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  suffrage bench\n  suffrage bench --nodes 1000,10000000")]
pub(crate) struct Args {
    /// Numbers of processes
    #[arg(long, value_name = "N,N,..", value_delimiter = ',', default_values_t = [1_000, 100_000, 1_000_000])]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    nodes: Vec<u32>,

    /// Runs of each; small networks are run more often
    #[arg(long, value_name = "R", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Serialize)]
struct Row {
    algorithm: &'static str,
    nodes: u32,
    schedule: String,
    messages: u64,
    seconds: f64,
    messages_per_second: f64,
    reference_messages_per_second: f64,
    /// The reference's rate divided by the simulator's.
    ratio: f64,
}

type Loop = fn(&[u32], Delays) -> u64;

/// What is measured: an algorithm, its network, and the loop that does the same.
type Subject = (&'static str, fn(u32) -> Wiring, Loop);

const SUBJECTS: [Subject; 2] = [
    ("chang-roberts", Wiring::ring, reference::chang_roberts),
    ("humblet", Wiring::complete, reference::humblet),
];

const TIMINGS: [(Schedule, Delays); 2] =
    [(Schedule::Synchronous, Delays::Unit), (Schedule::Uniform(10), Delays::UpToTen)];

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    let mut rows = Vec::new();
    if args.format == Format::Text {
        let head = format!(
            "{:<14} {:>10} {:<12} {:>12} {:>9} {:>9} {:>9} {:>6}\n",
            "algorithm",
            "nodes",
            "schedule",
            "messages",
            "seconds",
            "M msg/s",
            "reference",
            "ratio"
        );
        print(&head)?;
    }
    for (name, wiring, reference) in SUBJECTS {
        for &nodes in &args.nodes {
            for (schedule, delays) in &TIMINGS {
                let Some(row) =
                    measure(name, wiring(nodes), reference, schedule, *delays, args.repeat)
                else {
                    return Ok(Ending::Interrupted);
                };
                if args.format == Format::Text && !print(&text(&row))? {
                    return Ok(Ending::Fine);
                }
                rows.push(row);
            }
        }
    }
    if args.format == Format::Json {
        print(&report::json(&rows)?)?;
    }
    Ok(Ending::Fine)
}

fn text(row: &Row) -> String {
    format!(
        "{:<14} {:>10} {:<12} {:>12} {:>9.4} {:>9.1} {:>9.1} {:>6.2}\n",
        row.algorithm,
        row.nodes,
        row.schedule,
        row.messages,
        row.seconds,
        row.messages_per_second / 1e6,
        row.reference_messages_per_second / 1e6,
        row.ratio,
    )
}

/// Runs both in turn and keeps the fastest of each; `None` when interrupted.
fn measure(
    name: &'static str,
    wiring: Wiring,
    reference: Loop,
    schedule: &Schedule,
    delays: Delays,
    repeat: u32,
) -> Option<Row> {
    let nodes = wiring.nodes();
    let ids = Ids::Random.assign(nodes, 1);
    let small: Vec<u32> = ids.iter().map(|id| id.get() as u32).collect();
    let algorithm = Algorithm::named(name)?;
    let experiment = Experiment { schedule: schedule.clone(), ..Experiment::new(&wiring, &ids) };
    let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
    let (mut messages, mut reference_messages) = (0, 0);
    // Enough runs of a small network that one of them is undisturbed.
    for _ in 0..repeat.max(200_000 / nodes) {
        if interrupt::asked() {
            return None;
        }
        let start = Instant::now();
        let outcome = simulate(algorithm, &experiment, Watch::default()).ok()?;
        ours = ours.min(start.elapsed().as_secs_f64());
        messages = outcome.messages.total();
        let start = Instant::now();
        reference_messages = std::hint::black_box(reference(&small, delays));
        theirs = theirs.min(start.elapsed().as_secs_f64());
    }
    let (rate, reference_rate) = (messages as f64 / ours, reference_messages as f64 / theirs);
    Some(Row {
        algorithm: name,
        nodes,
        schedule: schedule.to_string(),
        messages,
        seconds: ours,
        messages_per_second: rate,
        reference_messages_per_second: reference_rate,
        ratio: reference_rate / rate,
    })
}
