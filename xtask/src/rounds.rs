//! `cargo xtask rounds`: compares the schedule `rounds` with the order of sending, in one run.

use std::{process::ExitCode, time::Instant};
use suffrage_algorithms::Algorithm;
use suffrage_networks::{Ids, Ports, Spec, wiring::Wiring};
use suffrage_simulator::{Experiment, Outcome, Pace, Schedule, Simulator};

/// Measure the schedule `rounds` beside the order of sending
///
/// Each election is held under the two schedules in turn, and the fastest run of each counts. Times
/// include creating the processes, and are of this machine at this time; ratios are more portable.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask rounds\n  cargo xtask rounds --scale 10 --repeat 7"
)]
pub(crate) struct Args {
    /// Divides the sizes of the networks
    #[arg(long, value_name = "S", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    scale: u32,

    /// Runs of each
    #[arg(long, value_name = "R", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
}

/// Elections: an algorithm, the kind of its network, the number of nodes.
const SUBJECTS: [(&str, &str, u32); 6] = [
    ("echo-extinction", "barabasi-albert:4", 500_000),
    ("echo-extinction", "barabasi-albert:4", 50_000),
    ("humblet", "complete", 1_000_000),
    ("all-to-all", "complete", 3_000),
    ("chang-roberts", "ring", 1_000_000),
    ("chang-roberts", "ring", 100_000),
];

/// The pairs that are compared: the order of sending and `rounds`, with the same delays.
const PAIRS: [[Schedule; 2]; 2] = [
    [Schedule::Synchronous, Schedule::Rounds(Pace::Unit)],
    [Schedule::Uniform(10), Schedule::Rounds(Pace::Uniform(10))],
];

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    println!(
        "{:<16} {:<26} {:<18} {:>12} {:>8} {:>9} {:>7}",
        "algorithm", "network", "schedule", "messages", "seconds", "M msg/s", "faster"
    );
    for (name, kind, nodes) in SUBJECTS {
        let Some(algorithm) = Algorithm::named(name) else { continue };
        let spec = Spec::of_family(kind, nodes.div_ceil(args.scale).max(8))?;
        let wiring = spec.build(1)?.wire(Ports::Rotation, 1);
        for pair in &PAIRS {
            compare(algorithm, &spec.to_string(), &wiring, pair, args.repeat)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs both in turn, and prints the fastest run of each.
fn compare(
    algorithm: &Algorithm,
    network: &str,
    wiring: &Wiring,
    schedules: &[Schedule; 2],
    repeat: u32,
) -> anyhow::Result<()> {
    let ids = Ids::Random.assign(wiring.nodes(), 1);
    let mut best: [Option<(f64, Outcome)>; 2] = [None, None];
    for _ in 0..repeat {
        for (best, schedule) in best.iter_mut().zip(schedules) {
            let schedule = schedule.clone();
            let experiment = Experiment { schedule, ..Experiment::new(wiring, &ids) };
            let start = Instant::now();
            let outcome = Simulator::of(algorithm, experiment).run()?;
            let seconds = start.elapsed().as_secs_f64();
            if best.as_ref().is_none_or(|&(least, _)| seconds < least) {
                *best = Some((seconds, outcome));
            }
        }
    }
    let rate = |&(seconds, ref outcome): &(f64, Outcome)| outcome.messages.total() as f64 / seconds;
    let first = best[0].as_ref().map_or(0.0, rate);
    for (best, schedule) in best.iter().zip(schedules) {
        let Some(best) = best else { continue };
        println!(
            "{:<16} {network:<26} {:<18} {:>12} {:>8.3} {:>9.1} {:>7.2}",
            algorithm.name,
            schedule.to_string(),
            best.1.messages.total(),
            best.0,
            rate(best) / 1e6,
            rate(best) / first,
        );
    }
    Ok(())
}
