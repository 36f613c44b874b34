//! For how long the members of a run wait for processors and disks, recorded as it goes on.
//!
//! The kernel counts for each thread how long it was ready to run and did not (`schedstat`), for the machine
//! how long another one on the same hardware ran instead (`steal`), and how long some task waited for a disk
//! (pressure stall information or, where there is none, how long the busiest disk was busy).

use anyhow::Context;
use clap::Args;
use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Record for how long members wait for processors and disks
///
/// Runs until it is killed, and appends a line `waits FROM TO PROCESSORS DISKS`, in microseconds, to the log
/// of the run each 50 ms. PROCESSORS is the sum of what the delay proxy and the two members that waited longest
/// have waited, but no more than TO - FROM: a message passes no other members. The members' process IDs are
/// in FOLDER/HOST/pid, the delay proxy's is in FOLDER/pid.
#[derive(Args)]
pub(crate) struct WaitsArgs {
    /// The folder with the logs
    folder: PathBuf,
}

const EACH: Duration = Duration::from_millis(50);

/// What had been waited, in microseconds, at an instant.
#[derive(Clone, Debug, Default)]
struct Waited {
    at: u64,
    /// By the delay proxy, and by the members, with their process IDs.
    proxy: BTreeMap<u32, u64>,
    members: BTreeMap<u32, u64>,
    /// By the machine, for the processors.
    steal: u64,
    /// By any task, for disks.
    disks: u64,
}

pub(crate) fn run(args: &WaitsArgs) -> anyhow::Result<()> {
    let path = args.folder.join("log");
    let log = OpenOptions::new().append(true).open(&path);
    let mut log = log.with_context(|| path.display().to_string())?;
    let mut before = Waited::now(&args.folder);
    loop {
        thread::sleep(EACH);
        let now = Waited::now(&args.folder);
        // In one write, since others append to it as well.
        log.write_all(line(&before, &now).as_bytes())?;
        before = now;
    }
}

impl Waited {
    fn now(folder: &Path) -> Self {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let hosts = (1..).map(|host: u32| folder.join(host.to_string()));
        let members = hosts.take_while(|host| host.is_dir()).filter_map(|host| process(&host));
        Self {
            at: u64::try_from(at.as_micros()).unwrap_or(u64::MAX),
            proxy: process(folder).into_iter().collect(),
            members: members.collect(),
            steal: steal(&text("/proc/stat")),
            disks: match fs::read_to_string("/proc/pressure/io") {
                Ok(pressure) => stalled(&pressure),
                Err(_) => busy(&text("/proc/diskstats")),
            },
        }
    }
}

/// Returns the line of the log about what was waited between two instants. Processes that have ended meanwhile
/// count nothing.
fn line(before: &Waited, now: &Waited) -> String {
    let since = |before: &BTreeMap<u32, u64>, now: &BTreeMap<u32, u64>| {
        let each = now
            .iter()
            .map(|(pid, waited)| waited.saturating_sub(before.get(pid).copied().unwrap_or(0)));
        let mut each: Vec<u64> = each.collect();
        each.sort_unstable_by(|one, other| other.cmp(one));
        each
    };
    let members = since(&before.members, &now.members);
    let proxy = since(&before.proxy, &now.proxy);
    let processes: u64 = proxy.iter().chain(members.iter().take(2)).sum();
    let processors = processes + now.steal.saturating_sub(before.steal);
    let disks = now.disks.saturating_sub(before.disks);
    // Several threads wait at a time, and nothing is late by more than the time that has passed.
    let passed = now.at.saturating_sub(before.at);
    format!("waits {} {} {} {}\n", before.at, now.at, processors.min(passed), disks.min(passed))
}

fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn process(folder: &Path) -> Option<(u32, u64)> {
    let pid = text(folder.join("pid")).trim().parse().ok()?;
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let waited = threads.flatten().filter_map(|thread| {
        // In nanoseconds: how long it ran, and how long it waited.
        text(thread.path().join("schedstat")).split(' ').nth(1)?.parse::<u64>().ok()
    });
    Some((pid, waited.sum::<u64>() / 1000))
}

/// The 8th number about all processors, in hundredths of a second.
fn steal(stat: &str) -> u64 {
    let all = stat.lines().find_map(|line| line.strip_prefix("cpu "));
    let steal = all.and_then(|all| all.split_whitespace().nth(7)?.parse::<u64>().ok());
    steal.unwrap_or(0) * 10_000
}

/// For how long some task has waited, in microseconds.
fn stalled(pressure: &str) -> u64 {
    let some = pressure.lines().find(|line| line.starts_with("some "));
    some.and_then(|some| some.rsplit_once("total=")?.1.parse().ok()).unwrap_or(0)
}

/// The 10th number about each disk after its name, in milliseconds.
fn busy(disks: &str) -> u64 {
    let busy =
        disks.lines().filter_map(|disk| disk.split_whitespace().nth(12)?.parse::<u64>().ok());
    busy.max().unwrap_or(0) * 1000
}

#[cfg(test)]
mod tests;
