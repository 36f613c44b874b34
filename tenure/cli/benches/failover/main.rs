//! Measures how long nothing leads after the leader was killed, has left, or has died with its host:
//! `tenure lead` beside etcd, `ZooKeeper` and keepalived, where they are installed, on this machine.
//!
//! ```sh
//! cargo bench -p tenure-cli --bench failover
//! ```
//!
//! Three members on the loopback interface, and beside each a program that runs a command while it
//! leads. A time is that from just before the fault until the first line of the next command; where an office
//! is left in order, also that from when the leader says that it has left it, or that it was told to. etcd's
//! servers, which elect a leader of their own, are also measured alone, until they answer a write. All times
//! contain what a shell needs from its start to its first line, which the first row has. The
//! settings are the defaults, and for etcd and `ZooKeeper` the shortest time to live that they accept;
//! keepalived runs in network namespaces, for which it takes root.

#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on ends")]

mod etcd;
mod keepalived;
mod ours;
mod zookeeper;

use clap::Parser;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::fs;
use std::io::{IsTerminal, Write as _, stderr};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitCode};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

/// Measure how long nothing leads: `tenure lead` beside etcd, zookeeper and keepalived
#[derive(Parser)]
struct Args {
    /// The number of runs of each fault
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    trials: u32,

    /// Measure only these: tenure, etcd, zookeeper, keepalived
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,

    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

/// The argument before a command line of the service.
const TENURE: &str = "__tenure";

/// The time limit of a vacancy.
const LIMIT: Duration = Duration::from_secs(120);

/// A system with three candidates, numbered from 0.
trait System {
    /// The name in the table.
    fn name(&self) -> &'static str;

    /// The faults that it is measured with.
    fn faults(&self) -> &'static [&'static str];

    /// Whether its commands compete for the lock, so that two at once are noticed.
    fn locks(&self) -> bool {
        true
    }

    /// How long it takes until it has settled after the repair of a fault.
    fn calm(&self) -> Duration;

    /// Strikes the leader, and returns the instant just before.
    fn strike(&mut self, fault: &str, leader: usize) -> SystemTime;

    /// Returns a later instant from which the time of the last fault is measured as well, and what happens
    /// then. It is for faults where part of the time is not the system's own.
    fn since(&self, _leader: usize) -> Option<(&'static str, SystemTime)> {
        None
    }

    /// Repairs what was struck.
    fn repair(&mut self, leader: usize);
}

/// A folder with the commands' log.
struct Log {
    folder: TempDir,
}

/// The start of a command.
#[derive(Clone, Copy)]
struct Start {
    who: usize,
    at: SystemTime,
}

impl Log {
    fn new() -> Self {
        let log = Self { folder: TempDir::new().unwrap() };
        // `note` ends; `run` is a command that goes on.
        log.script("note", "");
        // The holder of the lock lives, or a descendant of it.
        let (lock, overlaps) = (log.text("lock"), log.text("overlaps"));
        log.script(
            "run",
            &format!("exec 9>>{lock}; flock -n 9 || echo >>{overlaps}; exec sleep 100000"),
        );
        log
    }

    fn script(&self, name: &str, then: &str) {
        let path = self.path(name);
        let log = self.path("log");
        let text = format!("#!/bin/bash\necho \"$1 $EPOCHREALTIME\" >>{}\n{then}\n", log.display());
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn starts(&self) -> Vec<Start> {
        let text = fs::read_to_string(self.path("log")).unwrap_or_default();
        let start = |line: &str| {
            let (who, at) = line.split_once(' ').unwrap();
            let at = UNIX_EPOCH + Duration::from_secs_f64(at.parse().unwrap());
            Start { who: who.parse().unwrap(), at }
        };
        text.lines().map(start).collect()
    }

    fn overlaps(&self) -> usize {
        fs::read(self.path("overlaps")).map_or(0, |lines| lines.len())
    }

    /// Waits until there are more starts than `count`, and returns the one after these.
    fn after(&self, count: usize) -> Start {
        let begin = Instant::now();
        loop {
            if let Some(&start) = self.starts().get(count) {
                return start;
            }
            assert!(begin.elapsed() < LIMIT, "no command starts");
            sleep(Duration::from_millis(2));
        }
    }
}

fn installed(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::env::split_paths(&folders).chain([PathBuf::from("/usr/sbin")]);
    paths.map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn children(parent: u32) -> Vec<i32> {
    let of = |pid: i32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, fields) = stat.rsplit_once(") ")?;
        fields.split(' ').nth(1)?.parse::<u32>().ok().map(|parent| (pid, parent))
    };
    let all = fs::read_dir("/proc").unwrap().flatten();
    let all = all.filter_map(|entry| of(entry.file_name().to_str()?.parse().ok()?));
    all.filter(|&(_, of)| of == parent).map(|(pid, _)| pid).collect()
}

fn kill(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, signal);
    }
}

/// The program that runs the command is asked to end.
const LEAVES: &str = "the program is asked to end (SIGTERM)";
/// It dies, and its server with it.
const BOTH: &str = "the host dies: the program and its server at once";

/// Ends a program as this fault does.
fn end(program: &Child, fault: &str) {
    signal_group(program, if fault == LEAVES { Signal::TERM } else { Signal::KILL });
}

/// Sends a signal to a process that leads a group of its own, and to all that it has started, which
/// would outlive it.
fn signal_group(leader: &Child, signal: Signal) {
    if let Some(group) = Pid::from_raw(leader.id() as i32) {
        let _ = kill_process_group(group, signal);
    }
}

fn main() -> ExitCode {
    if let Some(code) = tenure_cli::enter(std::env::args_os().skip(1)) {
        return code;
    }
    if std::env::args().nth(1).as_deref() == Some(TENURE) {
        return tenure_cli::start(std::env::args_os().skip(1));
    }
    let args = Args::parse();
    let wanted = |name: &str| args.only.is_empty() || args.only.iter().any(|only| only == name);
    println!("| system | fault | runs | median | p99 | most | several at once |");
    println!("|---|---|---|---|---|---|---|");
    type Begin = fn(&Path, &Log) -> Result<Box<dyn System>, String>;
    measure_start(args.trials);
    let systems: [(&str, Begin); 5] = [
        ("tenure", ours::begin),
        ("etcd", etcd::begin),
        ("etcd", etcd::begin_servers),
        ("zookeeper", zookeeper::begin),
        ("keepalived", keepalived::begin),
    ];
    for (name, begin) in systems {
        if !wanted(name) {
            continue;
        }
        let log = Log::new();
        match begin(log.folder.path(), &log) {
            Ok(mut system) => measure(system.as_mut(), &log, args.trials),
            Err(why) => {
                let _ = writeln!(stderr(), "{name} is not measured: {why}");
            }
        }
    }
    ExitCode::SUCCESS
}

/// Measures how long a command takes from its start to its first line, where nothing else happens.
fn measure_start(trials: u32) {
    let log = Log::new();
    let start = |trial: u32| {
        sleep(Duration::from_millis(100));
        let begun = SystemTime::now();
        let run = std::process::Command::new(log.path("run")).arg("0").process_group(0).spawn();
        let mut run = run.unwrap();
        let started = log.after(trial as usize);
        signal_group(&run, Signal::KILL);
        run.wait().unwrap();
        started.at.duration_since(begun).unwrap_or_default()
    };
    row("(none)", "a command is started", (0..trials).map(start).collect(), "");
}

/// Measures all faults of a system, and prints a row when each has been.
fn measure(system: &mut dyn System, log: &Log, trials: u32) {
    log.after(0);
    for fault in system.faults() {
        let mut times = Vec::new();
        let mut parts: Vec<(&str, Duration)> = Vec::new();
        let mut several = 0;
        for trial in 1..=trials {
            sleep(system.calm());
            if stderr().is_terminal() {
                let _ = write!(stderr(), "\r\x1b[K{}, {fault}: {trial} of {trials}", system.name());
            }
            let starts = log.starts();
            let (leader, overlaps) = (starts.last().unwrap().who, log.overlaps());
            let struck = system.strike(fault, leader);
            let next = log.after(starts.len());
            let since = |instant| next.at.duration_since(instant).unwrap_or_default();
            times.push(since(struck));
            sleep(Duration::from_millis(500));
            several += u32::from(log.overlaps() > overlaps);
            parts.extend(system.since(leader).map(|(what, instant)| (what, since(instant))));
            system.repair(leader);
        }
        if stderr().is_terminal() {
            let _ = write!(stderr(), "\r\x1b[K");
        }
        let several = if system.locks() { several.to_string() } else { "-".to_owned() };
        row(system.name(), fault, times, &several);
        if let Some(&(what, _)) = parts.first() {
            let times = parts.into_iter().map(|(_, time)| time).collect();
            row(system.name(), &format!("{fault}, from when {what}"), times, "");
        }
    }
}

/// Prints a row of the table.
fn row(name: &str, fault: &str, mut times: Vec<Duration>, several: &str) {
    times.sort();
    let at = |part: f64| times[((times.len() as f64 * part).ceil() as usize).max(1) - 1];
    let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1000.0);
    let (runs, middle, p99, most) = (times.len(), ms(at(0.5)), ms(at(0.99)), ms(at(1.0)));
    println!("| {name} | {fault} | {runs} | {middle} | {p99} | {most} | {several} |");
}
