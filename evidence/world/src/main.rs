//! Lets Tenure's service run in simulated worlds.

use anyhow::Context;
use clap::Parser;
use signal_hook::consts::SIGINT;
use std::io::{IsTerminal, Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use suffrage_parallel::{Jobs, cores};
use suffrage_world::{WorldPlan, WorldReport, run, shrink};

/// Let Tenure's service run in simulated worlds, under faults.
///
/// What breaks a promise is printed as a script, with as few faults as suffice: give it to `--script`.
#[derive(Parser)]
struct WorldCli {
    /// The seed of the first world; each is an hour.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The numbers of hosts: by turn, as the seeds go up.
    #[arg(long, default_value = "3", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=9))]
    hosts: Vec<u64>,
    /// How many hours to simulate.
    #[arg(long, default_value_t = 24)]
    hours: u64,
    /// Print worlds that break a promise as they were drawn, and not with as few faults as suffice.
    #[arg(long)]
    as_drawn: bool,
    /// Write what was seen as docs/reference/tenure-world.md.
    #[arg(long)]
    document: bool,
    /// Run this script, and write what happens.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed", "hosts", "hours", "as_drawn"])]
    script: Option<PathBuf>,
    /// Do not run it: print what has to be done to hosts when, for `.ci/namespaces-lead`.
    #[arg(long, requires = "script")]
    steps: bool,
}

const HOUR: Duration = Duration::from_secs(3600);

const DOCUMENT: &str = "\
# Tenure's service in a simulated world

*Measured.* What decides is the code that runs: the loop of a member, its links with other members, its side of a
connection with a program, `tenure lead`, its side of a connection with the member of another process, its client of the
guard, and the guard. In a third of the hours each host has two processes, `tenure serve` and a `tenure lead` that leads
by that member; in the others `tenure lead` is the member. Each host has a program for each of two further offices, by
its own member and by another host's. Of seven hours three have three hosts, and the others one, two, four and five.
Hosts, processes, disks, clocks and the network are simulated, and a judge looks at all hosts after each event:
[evidence/world](../../evidence/world/README.md) lists what it holds them to. Each hour has a timing, a stop time and
flags of its own, and disks on which a write takes up to 2, 22 or 102 ms. Faults come one to four at a time, most of
them on the host that leads, and a third of them within 200 ms of one another; a third of those that follow another one
are of its kind. Two clocks differ by up to the bound. A vacancy is the time in which nothing of a COMMAND acts before
another term's COMMAND runs, and is listed by the kind of the fault if there was only one since all was well. Hooks are
part of it, and one in four of them takes up to 800 ms longer.
";

fn main() -> ExitCode {
    match simulate(&WorldCli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn simulate(cli: &WorldCli) -> anyhow::Result<bool> {
    let began = Instant::now();
    let interrupted = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register_conditional_shutdown(SIGINT, 130, interrupted.clone())?;
    signal_hook::flag::register(SIGINT, interrupted.clone())?;
    let mut all = WorldReport::default();
    if let Some(path) = &cli.script {
        let name = || path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(name)?;
        let plan = WorldPlan::parse(&text).with_context(name)?;
        if cli.steps {
            write!(stdout(), "{}", plan.steps())?;
            return Ok(true);
        }
        all = run(&plan, true, &interrupted).with_context(name)?;
        for (at, why) in &all.broken {
            writeln!(stdout(), "{:>14.6} BROKEN: {why}", *at as f64 / 1e9)?;
        }
    } else {
        let jobs = Jobs { count: cli.hours, threads: cores(), interrupted: &interrupted };
        let hour = |(): &mut (), number: u64| {
            let seed = cli.seed.wrapping_add(number);
            let hosts = cli.hosts[(seed % cli.hosts.len() as u64) as usize];
            let plan = WorldPlan::draw(seed, hosts as usize, HOUR);
            let report = run(&plan, false, &interrupted)?;
            if report.broken.is_empty() {
                return anyhow::Ok(Some((report, None)));
            }
            let (least, seen) = match cli.as_drawn {
                true => (plan.clone(), report.clone()),
                false => shrink(&plan, &interrupted)?,
            };
            let mut script = format!("# found in the hour of seed {}\n", plan.seed);
            for (at, why) in &seen.broken {
                script += &format!("# after {:.6} s: {why}\n", *at as f64 / 1e9);
            }
            anyhow::Ok(Some((report, Some(script + &least.to_string()))))
        };
        let shows = std::io::stderr().is_terminal();
        let progress = |hours| {
            if shows {
                eprint!("\r{hours} of {} hours", cli.hours);
            }
        };
        let reports = jobs.try_map(|| (), hour, progress)?;
        if shows {
            eprintln!();
        }
        for (report, broken) in reports {
            all.add(report);
            if let Some(script) = broken {
                writeln!(stdout(), "{script}")?;
            }
        }
    }
    if cli.document {
        let (seed, hours) = (cli.seed, cli.hours);
        let hosts = cli.hosts.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        writeln!(stdout(), "{DOCUMENT}")?;
        writeln!(
            stdout(),
            "```text\n$ cargo run --release -p suffrage-world -- --document --hours {hours} --seed {seed} --hosts {hosts}"
        )?;
        writeln!(stdout(), "{all}```")?;
    } else {
        write!(stdout(), "{all}")?;
    }
    let (seconds, simulated) = (began.elapsed().as_secs_f64(), all.length as f64 / 1e9);
    eprintln!("{seconds:.1} s: {:.0} simulated seconds a second", simulated / seconds);
    Ok(all.broken.is_empty() && !interrupted.load(Ordering::Relaxed))
}
