//! The rate of an election by one worker, by two, and by two programs over TCP on the loopback interface;
//! the figures of `docs/use/scale.md`.
//!
//! `cargo run --release -p suffrage-distributed --example rate -- SIDE` takes a torus of SIDE x SIDE
//! processes. SIDE is 500 by default, and all processes start.

use std::{
    error::Error, fs, net::TcpListener, ops::ControlFlow, process::exit, thread, time::Duration,
    time::Instant,
};
use suffrage_algorithms::Algorithm;
use suffrage_distributed::{Hosts, Lost, Secret, Team, Terms, elect};
use suffrage_networks::{Ids, Ports, Spec};
use suffrage_simulator::{
    Outcome,
    blocks::{Election, ElectionIds, ElectionNetwork},
};

fn lost(lost: &Lost) -> ! {
    eprintln!("{lost}");
    exit(1)
}

fn memory(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim_start_matches(':')
        .trim()
        .strip_suffix(" kB")?
        .parse::<u64>()
        .ok()
        .map(|kib| kib << 10)
}

fn load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().unwrap_or_default().to_owned()
}

/// Passes on the team of one program of two, which have met over the loopback interface.
fn meet(list: &str, host: u32, terms: &Terms) -> Result<Team, Box<dyn Error + Send + Sync>> {
    let (hosts, secret) = (Hosts::read(list, host)?, Secret::read(b"only on this machine")?);
    Ok(hosts.meet(1, terms, &secret, Duration::from_secs(30), lost)?)
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let side = std::env::args().nth(1).unwrap_or_else(|| "500".to_owned());
    let torus = Spec::unlimited(&format!("torus:{side}x{side}"))?;
    let torus = torus.implicit(Ports::Rotation, 1).ok_or("no such torus")?;
    let ids = Ids::Scattered.computed(torus.nodes(), 1).ok_or("no such identities")?;
    let election = Election::new(ElectionNetwork::Implicit(&torus), ElectionIds::Computed(&ids));
    let algorithm = Algorithm::named("echo-extinction").ok_or("no such algorithm")?;
    let by = |team| {
        let mut go_on = |_| ControlFlow::Continue(());
        elect(algorithm, &election, team, &mut go_on)
    };
    let tell = |what: &str, start: Instant, outcome: &Outcome| {
        let (seconds, messages) = (start.elapsed().as_secs_f64(), outcome.messages.total());
        println!(
            "{what:32} {messages:12} messages {:8} ticks {seconds:8.2} s {:12.0} a second, load {}",
            outcome.time,
            messages as f64 / seconds,
            load()
        );
        seconds
    };

    let (before, start) = (memory("VmRSS").unwrap_or(0), Instant::now());
    let outcome = by(Team::of_threads(1))?.ok_or("the first worker is here")?;
    let one = tell("one worker", start, &outcome);
    if let Some(peak) = memory("VmHWM") {
        let (each, nodes) = ((peak - before) as f64 / torus.nodes() as f64, torus.nodes());
        let flying = outcome.peak_in_flight as f64 / nodes as f64;
        println!("at most {each:.0} bytes for a process with {flying:.1} messages under way");
    }
    let start = Instant::now();
    let two = tell("two workers", start, &by(Team::of_threads(2))?.ok_or("it is here")?);
    println!("efficiency from one to two workers: {:.0} %", 100.0 * one / two / 2.0);

    let free: Vec<_> =
        (0..2).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<_, _>>()?;
    let addresses: Vec<_> = free.iter().map(TcpListener::local_addr).collect::<Result<_, _>>()?;
    drop(free);
    let list = format!("{}\n{}\n", addresses[0], addresses[1]);
    let terms = Terms::of(algorithm, &election, 1);
    let start = Instant::now();
    let other = || by(meet(&list, 1, &terms)?).map_err(Box::<dyn Error + Send + Sync>::from);
    let (here, there) = thread::scope(|scope| {
        let there = scope.spawn(other);
        let here = meet(&list, 0, &terms).and_then(|team| Ok(by(team)?));
        (here, there.join())
    });
    there.map_err(|_| "the other program has failed")??;
    let tcp = tell("two programs over TCP", start, &here?.ok_or("the first host reports")?);
    println!("efficiency from one worker to two programs: {:.0} %", 100.0 * one / tcp / 2.0);
    Ok(())
}
