//! Finds, kills and reaps the descendants of this process.

use crate::cgroup::Cgroup;
use crate::complaint::complain;
use crate::priority::hasten;
use crate::wire::Exit;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, pidfd_open, pidfd_send_signal, wait};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::fd::OwnedFd;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long to wait for the ends of processes before descendants are looked for again: at first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(20));

/// Processes that live for longer than this after SIGKILL are reported.
const UNUSUAL: Duration = Duration::from_secs(2);

/// Fields of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    parent: i32,
    /// When it started, in ticks since the boot. With the ID it identifies one process, even when the ID is
    /// used again.
    start: u64,
}

fn parse(text: &str) -> Option<Stat> {
    // The name of the program is in parentheses, and may contain any character.
    let mut fields = text.get(text.rfind(')')? + 1..)?.split_ascii_whitespace();
    let parent = fields.nth(1)?.parse().ok()?;
    Some(Stat { parent, start: fields.nth(17)?.parse().ok()? })
}

fn stat(pid: i32) -> Option<Stat> {
    parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Returns the children of a process, of all its threads; `None` if it is gone, or the kernel keeps no
/// such list (`CONFIG_PROC_CHILDREN`).
fn children(pid: i32) -> Option<Vec<i32>> {
    let mut children = Vec::new();
    for task in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
        let text = match fs::read_to_string(task.path().join("children")) {
            Ok(text) => text,
            // A thread that has ended.
            Err(_) if !task.path().exists() => continue,
            Err(_) => return None,
        };
        children.extend(text.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
    }
    Some(children)
}

/// Finds the descendants of a process, also those that have ended and were not reaped: of a process whose first
/// thread has ended the others may live. Each is handed over when its own children have been read, and before
/// others are looked for. A child may be missing whose sibling or parent ends meanwhile.
fn descendants(of: i32, mut found: impl FnMut(i32, Stat)) {
    let Some(mut next) = children(of) else {
        return descendants_of_all(of).into_iter().for_each(|(pid, stat)| found(pid, stat));
    };
    let mut seen = BTreeSet::new();
    while let Some(pid) = next.pop() {
        let Some(stat) = stat(pid) else { continue };
        if seen.insert(pid) {
            next.extend(children(pid).unwrap_or_default());
            found(pid, stat);
        }
    }
}

/// The same from the parents of all processes of this host, which takes milliseconds.
fn descendants_of_all(of: i32) -> BTreeMap<i32, Stat> {
    let numbers = fs::read_dir("/proc").into_iter().flatten().flatten();
    let all: BTreeMap<i32, Stat> = numbers
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Some((pid, stat(pid)?)))
        .collect();
    let mut family = BTreeSet::from([of]);
    // Children may have smaller IDs than their parents: repeat until nothing is new.
    loop {
        let before = family.len();
        for (&pid, stat) in &all {
            if family.contains(&stat.parent) {
                family.insert(pid);
            }
        }
        if family.len() == before {
            break;
        }
    }
    all.into_iter().filter(|(pid, _)| *pid != of && family.contains(pid)).collect()
}

/// Sends SIGKILL to all descendants, and to no other process, although IDs may be reused. Returns
/// handles of those that were killed.
fn kill_descendants() -> Vec<OwnedFd> {
    let mut killed = Vec::new();
    // Each as soon as it is found: to find the last of many takes milliseconds.
    descendants(rustix::process::getpid().as_raw_nonzero().get(), |pid, seen| {
        let Some(number) = Pid::from_raw(pid) else { return };
        let Ok(handle) = pidfd_open(number, PidfdFlags::empty()) else { return };
        // The handle belongs to the process that was seen if its start time is still the same.
        if stat(pid).is_some_and(|now| now.start == seen.start) {
            let _ = pidfd_send_signal(&handle, Signal::KILL);
            hasten(number);
            killed.push(handle);
        }
    });
    killed
}

/// Waits until all of these processes have ended, but no longer than `limit`.
fn await_ends(processes: &[OwnedFd], limit: Duration) {
    let begin = Instant::now();
    for process in processes {
        let left = limit.saturating_sub(begin.elapsed());
        let left = Timespec { tv_sec: 0, tv_nsec: i64::from(left.subsec_nanos()) };
        // The descriptor of a process is readable from its end on. After a signal the caller looks again.
        let _ = poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&left));
    }
}

#[derive(Debug, Default)]
pub(crate) struct Reaped {
    /// Children, in the order in which they were reaped.
    pub(crate) ended: Vec<(Pid, Exit)>,
    /// Whether no child is left. Then no descendant is left either, since the children of
    /// descendants that die become children of this process, a subreaper.
    pub(crate) childless: bool,
}

/// Reaps all children that have ended, without waiting.
pub(crate) fn reap() -> Reaped {
    let mut reaped = Reaped::default();
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => {
                let signal = status.terminating_signal().map(Exit::Signal);
                if let Some(exit) = signal.or_else(|| status.exit_status().map(Exit::Code)) {
                    reaped.ended.push((pid, exit));
                }
            }
            Ok(None) => return reaped,
            Err(Errno::INTR) => {}
            // ECHILD; there are no other errors.
            Err(_) => {
                reaped.childless = true;
                return reaped;
            }
        }
    }
}

/// Kills all descendants and reaps them, until there are none; and all processes in the control group, whose
/// parents may be no descendants.
pub(crate) fn exterminate(group: Option<&Cgroup>) {
    let (begin, mut complained) = (Instant::now(), false);
    let mut pause = PAUSES.0;
    let mut reaped = reap();
    while !reaped.childless {
        if let Some(group) = group {
            group.kill();
        }
        await_ends(&kill_descendants(), pause);
        reaped = reap();
        if reaped.ended.is_empty() && !reaped.childless {
            // One that cannot die yet, or that another process traces.
            sleep(PAUSES.0);
        }
        if begin.elapsed() >= UNUSUAL && !std::mem::replace(&mut complained, true) {
            complain(
                "a process of the command does not die of SIGKILL; the tenure has not ended before it is gone",
            );
        }
        pause = (pause * 2).min(PAUSES.1);
    }
    if let Some(group) = group {
        group.clear();
    }
}

#[cfg(test)]
mod tests;
