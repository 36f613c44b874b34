//! Measures what a member costs that stands for many offices, beside one that stands for one.
//!
//! ```sh
//! cargo bench -p tenure-node --bench offices
//! ```
//!
//! Five members, each a process of its own, over QUIC on the loopback interface, with the timing of the
//! profile `lan`. All stand for all offices; when each office has a leader, the members are measured for a
//! while.

#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on ends")]

use clap::Parser;
use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tenure_node::certificates::{Authority, CertificateSubject};
use tenure_node::{ClusterConfig, Member};

/// Measure members that stand for many offices
#[derive(Parser)]
struct Args {
    /// The numbers of offices
    #[arg(long, value_delimiter = ',', default_values_t = [1, 1000])]
    offices: Vec<u32>,

    /// The number of members
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=101))]
    members: u32,

    /// How long the members are measured, in seconds
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,

    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

/// How long offices may take to be filled.
const LIMIT: Duration = Duration::from_secs(120);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["__member", folder, name, offices] = arguments[..] {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(member(Path::new(folder), name, offices.parse().unwrap()));
        return ExitCode::SUCCESS;
    }
    let args = Args::parse();
    println!(
        "{} members, heartbeat 50 ms, lease 250 ms: the mean of {} s\n",
        args.members, args.seconds
    );
    println!(
        "| offices | filled after | a member's share of a processor (mean, most) | its memory (most) | datagrams that it sends |"
    );
    println!("|---|---|---|---|---|");
    for &offices in &args.offices {
        measure(&args, offices);
    }
    ExitCode::SUCCESS
}

/// A member, which answers each line of its input with how many offices it leads, and how many datagrams
/// it has sent.
async fn member(folder: &Path, name: &str, offices: u32) {
    let config = ClusterConfig::read(&folder.join(format!("{name}.toml"))).unwrap();
    let member = Member::start(config).await.unwrap();
    for office in 0..offices {
        let office = member.office(&format!("office-{office}"));
        tokio::spawn(async move {
            while let Ok(leadership) = office.stand().await {
                leadership.stopping().await;
            }
        });
    }
    let (sender, mut lines) = tokio::sync::mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    while lines.recv().await.is_some() {
        let status = member.status().await.unwrap();
        let sent: u64 = status.members.iter().map(|peer| peer.datagrams_sent).sum();
        println!("{} {sent}", status.elections - status.losses);
    }
    member.kill();
}

/// The process of a member.
struct Process {
    child: Child,
    input: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Process {
    fn start(folder: &Path, name: &str, offices: u32) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("__member").arg(folder).arg(name).arg(offices.to_string());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap()).lines();
        let input = child.stdin.take().unwrap();
        Self { child, input, answers }
    }

    fn status(&mut self) -> (u64, u64) {
        writeln!(self.input, "status").unwrap();
        let answer = self.answers.next().unwrap().unwrap();
        let (leads, sent) = answer.split_once(' ').unwrap();
        (leads.parse().unwrap(), sent.parse().unwrap())
    }

    fn time(&self) -> Duration {
        let spent = |task: fs::DirEntry| {
            let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<u64>().ok()
        };
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap().flatten();
        Duration::from_nanos(tasks.filter_map(spent).sum())
    }

    fn memory(&self) -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes certificates and configurations, and returns the names of the members.
fn install(folder: &Path, count: u32) -> Vec<String> {
    let names: Vec<String> = (1..=count).map(|number| format!("host-{number}")).collect();
    // All at a time, so that they differ.
    let sockets: Vec<_> = names.iter().map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
    let mut members = String::new();
    for (name, socket) in names.iter().zip(&sockets) {
        let address = socket.local_addr().unwrap();
        members += &format!("[[members]]\nname = \"{name}\"\naddress = \"{address}\"\n");
    }
    let authority = Authority::new().unwrap();
    fs::write(folder.join("ca.pem"), authority.own().certificate).unwrap();
    for name in &names {
        let own = authority.issue("lab", CertificateSubject::Member(name)).unwrap();
        fs::write(folder.join(format!("{name}.pem")), own.certificate).unwrap();
        fs::write(folder.join(format!("{name}-key.pem")), own.key).unwrap();
        let text = format!(
            "cluster = \"lab\"\ndata = \"record-{name}\"\n{members}[tls]\nauthority = \"ca.pem\"\n\
             certificate = \"{name}.pem\"\nkey = \"{name}-key.pem\"\n"
        );
        fs::write(folder.join(format!("{name}.toml")), text).unwrap();
    }
    names
}

/// Measures members that stand for this many offices, and prints a row.
fn measure(args: &Args, offices: u32) {
    let folder = TempDir::new().unwrap();
    let names = install(folder.path(), args.members);
    let start = |name: &String| Process::start(folder.path(), name, offices);
    let mut members: Vec<Process> = names.iter().map(start).collect();
    let begin = Instant::now();
    while members.iter_mut().map(|member| member.status().0).sum::<u64>() < u64::from(offices) {
        assert!(begin.elapsed() < LIMIT, "not all offices have a leader");
        sleep(Duration::from_millis(100));
    }
    let filled = begin.elapsed();
    // What was told when the offices were filled is over.
    sleep(Duration::from_secs(2));
    let mut sample = || {
        let sent: u64 = members.iter_mut().map(|member| member.status().1).sum();
        let times: Vec<Duration> = members.iter().map(Process::time).collect();
        (Instant::now(), sent, times)
    };
    let before = sample();
    sleep(Duration::from_secs(args.seconds.into()));
    let after = sample();
    let memory = members.iter().map(Process::memory).max().unwrap_or(0);
    let seconds = (after.0 - before.0).as_secs_f64();
    let spent = after.2.iter().zip(&before.2);
    let shares: Vec<f64> =
        spent.map(|(&after, &before)| 100.0 * (after - before).as_secs_f64() / seconds).collect();
    println!(
        "| {offices} | {:.1} s | {:.1} %, {:.1} % | {:.1} MB | {:.1} /s |",
        filled.as_secs_f64(),
        shares.iter().sum::<f64>() / f64::from(args.members),
        shares.iter().copied().fold(0.0, f64::max),
        memory as f64 / 1e6,
        (after.1 - before.1) as f64 / seconds / f64::from(args.members),
    );
}
