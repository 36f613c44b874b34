//! `cargo xtask bench`: measures the simulator against hand-written loops, in one run.

use anyhow::Context;
use std::process::ExitCode;
use std::time::Instant;
use suffrage_algorithms::Algorithm;
use suffrage_comparisons::{self as reference, Delays, RecordMemory, Run};
use suffrage_networks::{Ids, wiring::Wiring};
use suffrage_simulator::{Experiment, Schedule, Simulator};

/// Measure the simulator against minimal hand-written loops
///
/// For each algorithm, size and schedule the two are run in turn, and the fastest run of each
/// counts. The loops, in evidence/comparisons, know one algorithm and one network, count messages and
/// check nothing. Times include creating the processes. `memory` is the rate at which as many records
/// of 32 bytes as there are processes can be read and written in random order, in the same run, and
/// `share` the simulator's part of it: under random delays a message can do no less. In lockstep on a
/// ring the receivers come in order, so there it is no limit. Absolute figures are of this machine, at
/// this time; ratios are more portable. For memory see `suffrage elect --timing`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask bench\n  cargo xtask bench --nodes 1000,10000000")]
pub(crate) struct Args {
    /// Numbers of processes
    #[arg(long, value_name = "N,N,..", value_delimiter = ',', default_values_t = [1_000, 100_000, 1_000_000])]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    nodes: Vec<u32>,

    /// Runs of each; small networks are run more often
    #[arg(long, value_name = "R", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
}

type Loop = fn(&[u32], Delays) -> Run;

/// A subject of measurement: an algorithm, its network, and the loop that does the same.
type Subject = (&'static str, fn(u32) -> Wiring, Loop);

const SUBJECTS: [Subject; 2] = [
    ("chang-roberts", Wiring::ring, reference::chang_roberts),
    ("humblet", Wiring::complete, reference::humblet),
];

const TIMINGS: [(Schedule, Delays); 2] =
    [(Schedule::Synchronous, Delays::Unit), (Schedule::Uniform(10), Delays::UpToTen)];

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    println!(
        "{:<14} {:>10} {:<12} {:>12} {:>9} {:>9} {:>9} {:>6} {:>8} {:>6}",
        "algorithm",
        "nodes",
        "schedule",
        "messages",
        "seconds",
        "M msg/s",
        "reference",
        "ratio",
        "memory",
        "share"
    );
    for (name, wiring, reference) in SUBJECTS {
        for &nodes in &args.nodes {
            for (schedule, delays) in &TIMINGS {
                let wiring = wiring(nodes);
                println!("{}", measure(name, &wiring, reference, schedule, *delays, args.repeat)?);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs all in turn, and returns a line about the fastest of each.
fn measure(
    name: &'static str,
    wiring: &Wiring,
    reference: Loop,
    schedule: &Schedule,
    delays: Delays,
    repeat: u32,
) -> anyhow::Result<String> {
    let nodes = wiring.nodes();
    let ids = Ids::Random.assign(nodes, 1);
    let small: Vec<u32> = ids.iter().map(|id| id.get() as u32).collect();
    let algorithm =
        Algorithm::named(name).with_context(|| format!("there is no algorithm {name}"))?;
    let experiment = Experiment { schedule: schedule.clone(), ..Experiment::new(wiring, &ids) };
    let mut memory = RecordMemory::new(nodes);
    let (mut ours, mut theirs, mut pass) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
    let (mut run, mut reference_run) = (Run::default(), Run::default());
    // Enough runs of a small network for one to be undisturbed.
    for _ in 0..repeat.max(200_000 / nodes) {
        let start = Instant::now();
        let outcome = Simulator::of(algorithm, experiment.clone()).run()?;
        ours = ours.min(start.elapsed().as_secs_f64());
        run = Run { messages: outcome.messages.total(), time: outcome.time };
        let start = Instant::now();
        reference_run = std::hint::black_box(reference(&small, delays));
        theirs = theirs.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        std::hint::black_box(memory.touch());
        pass = pass.min(start.elapsed().as_secs_f64());
    }
    anyhow::ensure!(
        run == reference_run,
        "{name} on {nodes} nodes: the simulator has {run:?}, and the loop {reference_run:?}"
    );
    let messages = run.messages;
    let (rate, reference_rate) = (messages as f64 / ours, messages as f64 / theirs);
    let accesses = f64::from(nodes) / pass;
    Ok(format!(
        "{name:<14} {nodes:>10} {:<12} {messages:>12} {ours:>9.4} {:>9.1} {:>9.1} {:>6.2} {:>8.1} {:>5.0}%",
        schedule.to_string(),
        rate / 1e6,
        reference_rate / 1e6,
        reference_rate / rate,
        accesses / 1e6,
        rate / accesses * 100.0,
    ))
}
