//! The same work by our exploration and by stateright's, in one run: `cargo run --release -p
//! suffrage-comparisons --example peers`. Each engine has a process of its own, whose peak memory
//! is printed (on Linux, which provides it).
//!
//! `peers dolev-klawe-rodeh NODES` explores all identity orders of a ring, the work that
//! `spin/compare.sh` also gives to Spin.

#[path = "../tests/stateright/election.rs"]
mod election;

use election::Election;
use stateright::{Checker, Model};
use std::{
    env,
    error::Error,
    fs,
    num::NonZero,
    process::Command,
    thread,
    time::{Duration, Instant},
};
use suffrage_algorithms::{Algorithm, AlgorithmVisitor};
use suffrage_checker::{
    Arrangements, CheckReport, CheckVerdict, Checker as Explorer, Family, InitiatorSets, Instance,
    Options, Orders, Specification, Wake, explore,
};
use suffrage_model::{Id, NetworkClass, Process};
use suffrage_networks::wiring::Wiring;

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => compare(12),
        ["engine", engine, nodes] => engine_alone(engine, nodes.parse()?),
        ["dolev-klawe-rodeh", nodes] => all_orders("dolev-klawe-rodeh", nodes.parse()?),
        [nodes] => compare(nodes.parse()?),
        _ => Err("usage: peers [NODES] | peers dolev-klawe-rodeh NODES".into()),
    }
}

const ENGINES: [&str; 4] = ["full", "reduced", "stateright", "stateright-2"];

/// Chang-Roberts on an ascending ring, all awake at the start.
fn compare(nodes: u32) -> Result<(), Failure> {
    println!("chang-roberts on a ring of {nodes}, identities ascending, all awake at the start");
    println!(
        "engine             states  transitions   seconds   states/s   peak MiB   against full"
    );
    let mut full = None;
    for engine in ENGINES {
        let output = Command::new(env::current_exe()?)
            .args(["engine", engine, &nodes.to_string()])
            .output()?;
        let text = String::from_utf8(output.stdout)?;
        let figures: Vec<f64> =
            text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        let &[states, transitions, seconds, bytes] = figures.as_slice() else {
            return Err(format!("{engine}: {}", String::from_utf8_lossy(&output.stderr)).into());
        };
        let reference = *full.get_or_insert(seconds);
        println!(
            "{engine:<14} {states:>10} {transitions:>12} {seconds:>9.4} {:>10.0} {:>10.1} {:>13.3}",
            states / seconds,
            bytes / f64::from(1 << 20),
            seconds / reference
        );
    }
    Ok(())
}

/// Runs one engine, and prints its states, transitions, seconds and bytes.
fn engine_alone(engine: &str, nodes: u32) -> Result<(), Failure> {
    let algorithm = Algorithm::named("chang-roberts").ok_or("there is no chang-roberts")?;
    let ids = (1..=nodes).map(|id| Id::new(id.into())).collect();
    let instance = Instance { wake: Wake::AtStart, ..Instance::new(Wiring::ring(nodes), ids) };
    let start = Instant::now();
    let (states, transitions) = match engine {
        "full" => algorithm.visit(Ours(&instance, true)),
        "reduced" => algorithm.visit(Ours(&instance, false)),
        "stateright" => algorithm.visit(Theirs(&instance, 1)),
        "stateright-2" => algorithm.visit(Theirs(&instance, 2)),
        _ => return Err(format!("no engine is called {engine}").into()),
    }?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{states} {transitions} {seconds} {}", peak_memory().unwrap_or(0));
    Ok(())
}

struct Ours<'a>(&'a Instance, bool);

impl AlgorithmVisitor for Ours<'_> {
    type Output = Result<(u64, u64), Failure>;

    fn visit<P: Process>(self) -> Self::Output {
        let options = Options { full: self.1, costs: false, ..Options::default() };
        let found = explore(self.0, &Specification::<P>::election(), &options)?;
        match found.verdict {
            CheckVerdict::Holds => Ok((found.states, found.transitions)),
            other => Err(format!("{other:?}").into()),
        }
    }
}

struct Theirs<'a>(&'a Instance, usize);

impl AlgorithmVisitor for Theirs<'_> {
    type Output = Result<(u64, u64), Failure>;

    fn visit<P: Process>(self) -> Self::Output {
        let builder = Election::<P>::new(self.0.clone()).checker().threads(self.1);
        let checker = builder.spawn_bfs().join();
        if !checker.discoveries().is_empty() {
            return Err("stateright says that a property does not hold".into());
        }
        Ok((checker.unique_state_count() as u64, checker.state_count() as u64 - 1))
    }
}

fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes << 10)
}

/// Explores all identity orders of a ring, all awake at the start: all of them, as Spin does, and
/// one of those that are equal under rotation.
fn all_orders(name: &str, nodes: u32) -> Result<(), Failure> {
    let algorithm = Algorithm::named(name).ok_or("there is no such algorithm")?;
    assert_eq!(algorithm.network, NetworkClass::OrientedRing);
    let ring = Wiring::ring(nodes);
    println!("orders                 exploration     threads     states  transitions    seconds");
    let cores = thread::available_parallelism()?;
    for (nodes_differ, which) in [(true, "all"), (false, "unlike")] {
        let family = Family {
            arrangements: Arrangements::Orders(ring.clone(), Orders::Every),
            initiators: InitiatorSets::These((0..nodes).collect()),
            wake: Wake::AtStart,
            nodes_differ,
            ..Family::everything(algorithm.network, nodes)?
        };
        for (name, full, costs) in
            [("reduced", false, false), ("reduced, costs", false, true), ("full", true, false)]
        {
            let options = Options { full, costs, ..Options::default() };
            for threads in [NonZero::<usize>::MIN, cores] {
                let (report, time) = best_of(5, algorithm, &family, &options, threads)?;
                println!(
                    "{which:<8} {:>12}  {name:<14} {threads:>8} {:>10} {:>12} {:>10.4}",
                    family.len(),
                    report.states,
                    report.transitions,
                    time.as_secs_f64()
                );
            }
        }
    }
    Ok(())
}

fn best_of(
    runs: u32,
    algorithm: &Algorithm,
    family: &Family,
    options: &Options,
    threads: NonZero<usize>,
) -> Result<(CheckReport, Duration), Failure> {
    let mut best = None;
    for _ in 0..runs {
        let checker = Explorer::new(algorithm, family).full(options.full).costs(options.costs);
        let start = Instant::now();
        let report = checker.symmetry(false).threads(threads.get()).run()?;
        let time = start.elapsed();
        if let Some((_, counterexample)) = report.counterexample {
            return Err(counterexample.violation.detail.into());
        }
        if best.as_ref().is_none_or(|&(_, known)| time < known) {
            best = Some((report, time));
        }
    }
    best.ok_or("no run was made".into())
}
