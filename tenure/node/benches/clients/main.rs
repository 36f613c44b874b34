//! Measures a cluster with many clients: what a member costs, and how long nothing leads after the
//! leader and a member were killed.
//!
//! ```sh
//! cargo bench -p tenure-node --bench clients
//! ```
//!
//! Three members, each a process of its own, and clients in a few more, over QUIC on the loopback
//! interface, with the timing of the profile `lan` unless another is asked for. All clients stand for
//! one office and watch it. In each trial one client, in a process of its own, leads. When all know
//! that, the members are measured for a while, and then the processes of the leader and of one member
//! are killed at once. The vacancy is the time from just before that until the next client leads.

#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on ends")]

mod children;
mod parts;

use children::{Child, TestCluster};
use clap::Parser;
use std::io::{IsTerminal, Write as _, stderr};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

/// Measure a cluster with many clients
#[derive(Parser)]
struct Args {
    /// The number of clients
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(2..=4000))]
    clients: u32,

    /// The number of trials
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    trials: u32,

    /// How long the members are measured in each trial, in seconds
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,

    /// The heartbeat, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50)]
    heartbeat: u32,

    /// The lease, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 250)]
    lease: u32,

    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

/// The number of clients in a process.
const IN_A_PROCESS: u32 = 25;

/// The samples of one figure.
struct Figure {
    name: &'static str,
    unit: &'static str,
    samples: Vec<f64>,
}

impl Figure {
    fn row(&mut self) -> String {
        self.samples.sort_by(f64::total_cmp);
        let of = |place: usize| self.samples[place];
        let (count, last) = (self.samples.len(), self.samples.len() - 1);
        let Self { name, unit, .. } = self;
        format!(
            "| {name} | {count} | {:.1} {unit} | {:.1} to {:.1} |",
            of(last / 2),
            of(0),
            of(last)
        )
    }
}

fn main() -> ExitCode {
    if let Some(code) = parts::enter() {
        return code;
    }
    let args = Args::parse();
    let figures = [
        ("the next client leads after a leader and a member were killed", "ms"),
        ("all clients know it", "ms"),
        ("a member's share of a processor", "%"),
        ("a member's memory (resident)", "MB"),
        ("datagrams that a member sends", "/s"),
        ("datagrams that a member receives", "/s"),
        ("messages that a member sends", "/s"),
        ("a client's share of a processor", "%"),
    ];
    let figure = |(name, unit)| Figure { name, unit, samples: Vec::new() };
    let mut figures = figures.map(figure);
    progress(&format!("{} clients start", args.clients));
    let Args { heartbeat, lease, .. } = args;
    let timing = format!("{{ heartbeat = \"{heartbeat}ms\", lease = \"{lease}ms\" }}");
    let mut cluster = TestCluster::start(args.clients, IN_A_PROCESS, &timing);
    for trial in 0..args.trials {
        progress(&format!("trial {} of {}", trial + 1, args.trials));
        measure(&mut cluster, trial as usize % 3, &args, &mut figures);
    }
    progress("");
    println!(
        "3 members, {} clients, heartbeat {heartbeat} ms, lease {lease} ms, {} trials\n",
        args.clients, args.trials
    );
    println!("| figure | samples | median | range |\n|---|---|---|---|");
    for figure in &mut figures {
        println!("{}", figure.row());
    }
    ExitCode::SUCCESS
}

/// Shows what happens, on a terminal.
fn progress(what: &str) {
    let mut err = stderr();
    if err.is_terminal() {
        let _ = write!(err, "\r\x1b[K{what}");
        let _ = err.flush();
    }
}

fn measure(cluster: &mut TestCluster, victim: usize, args: &Args, figures: &mut [Figure; 8]) {
    let leader = cluster.leader_of_its_own();
    let before: Vec<_> = cluster.members().iter().map(Child::sample).collect();
    let clients = cluster.clients_time();
    sleep(Duration::from_secs(args.seconds.into()));
    for (member, before) in cluster.members().iter().zip(before) {
        let after = member.sample();
        let seconds = (after.at - before.at).as_secs_f64();
        let per_second = |now: u64, then: u64| now.saturating_sub(then) as f64 / seconds;
        let spent = (after.time - before.time).as_secs_f64();
        figures[2].samples.push(100.0 * spent / seconds);
        figures[3].samples.push(after.memory as f64 / 1e6);
        figures[4].samples.push(per_second(after.datagrams_sent, before.datagrams_sent));
        figures[5].samples.push(per_second(after.datagrams_received, before.datagrams_received));
        figures[6].samples.push(per_second(after.messages_sent, before.messages_sent));
    }
    let spent = (cluster.clients_time() - clients).as_secs_f64();
    let each = spent / f64::from(args.seconds) / f64::from(args.clients);
    figures[7].samples.push(100.0 * each);
    let struck = SystemTime::now();
    cluster.kill(leader, victim);
    let (term, led) = cluster.next_leader();
    let known = cluster.all_know(term);
    let since = |at: SystemTime| at.duration_since(struck).unwrap().as_secs_f64() * 1e3;
    figures[0].samples.push(since(led));
    figures[1].samples.push(since(known));
    cluster.repair(victim);
}
