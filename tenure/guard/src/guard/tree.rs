//! Finds, kills and reaps the descendants of this process.

use crate::cgroup::Cgroup;
use crate::complaint::complain;
use crate::priority::hasten;
use crate::wire::Exit;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Resource, Signal, WaitOptions, getrlimit, pidfd_open, pidfd_send_signal, wait,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long to wait for the ends of processes before descendants are looked for again: at first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(20));

/// How often those in a control group are reaped before others are looked for.
const GROUP_FIRST: usize = 50;

/// How often descendants are looked for while a command runs: no more often than this, and for no greater part of the
/// time.
const LOOK: Duration = Duration::from_secs(1);
const LOOKS: u32 = 100;

/// Processes that live for longer than this after SIGKILL are reported.
const UNUSUAL: Duration = Duration::from_secs(2);

/// Fields of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    /// Whether it has ended, and was not reaped.
    ended: bool,
    parent: i32,
    /// When it started, in ticks since the boot. With the ID it identifies one process, even when the ID is
    /// used again.
    start: u64,
}

fn parse(text: &str) -> Option<Stat> {
    // The name of the program is in parentheses, and may contain any character.
    let mut fields = text.get(text.rfind(')')? + 1..)?.split_ascii_whitespace();
    let ended = matches!(fields.next()?, "Z" | "X");
    let parent = fields.next()?.parse().ok()?;
    Some(Stat { ended, parent, start: fields.nth(17)?.parse().ok()? })
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
/// others are looked for, until it is enough. A child may be missing whose sibling or parent ends meanwhile.
fn descendants(of: i32, mut found: impl FnMut(i32, Stat) -> ControlFlow<()>) {
    let Some(mut next) = children(of) else {
        let _ = descendants_of_all(of).into_iter().try_for_each(|(pid, stat)| found(pid, stat));
        return;
    };
    let mut seen = BTreeSet::new();
    while let Some(pid) = next.pop() {
        let Some(stat) = stat(pid) else { continue };
        if seen.insert(pid) {
            next.extend(children(pid).unwrap_or_default());
            if found(pid, stat).is_break() {
                return;
            }
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
/// handles of those that were killed, and how many of them lived.
fn kill_descendants() -> (Vec<OwnedFd>, usize) {
    let (mut killed, mut lived) = (Vec::new(), 0);
    // Each as soon as it is found: to find the last of many takes milliseconds.
    descendants(rustix::process::getpid().as_raw_nonzero().get(), |pid, seen| {
        if let Some((handle, number)) = open(pid, seen.start) {
            let _ = pidfd_send_signal(&handle, Signal::KILL);
            hasten(number);
            lived += usize::from(!seen.ended);
            killed.push(handle);
        }
        ControlFlow::Continue(())
    });
    (killed, lived)
}

/// What was found at a quiet time of what there is to kill. At the end of a leadership descendants whose handles are here
/// are stopped in a small part of the time that it takes to find all, and to kill them: the memory of each is released
/// meanwhile.
#[derive(Debug, Default)]
pub(crate) struct KnownDescendants {
    /// How many there are, also of those in a control group, which need no handles.
    number: usize,
    /// By the ID and the start of each.
    all: BTreeMap<(i32, u64), OwnedFd>,
    /// When to look for them again.
    again: Option<Instant>,
}

impl KnownDescendants {
    /// Looks for those of a process, for a limited time, unless that was done a short time ago. Returns how many are
    /// known. Where they are in a control group, they are counted.
    pub(crate) fn look(&mut self, of: Pid, group: Option<&Cgroup>, limit: Duration) -> usize {
        let begin = Instant::now();
        if self.again.is_none_or(|again| again <= begin) {
            match group {
                Some(group) => self.number = group.processes().len(),
                None => self.find(of, begin, limit),
            }
            let end = Instant::now();
            self.again = Some(end + LOOK.max((end - begin) * LOOKS));
        }
        self.number
    }

    fn find(&mut self, of: Pid, begin: Instant, limit: Duration) {
        // Other descriptors are needed, too.
        let most = getrlimit(Resource::Nofile).current.map_or(usize::MAX, |most| most as usize / 2);
        let mut before = std::mem::take(&mut self.all);
        descendants(of.as_raw_nonzero().get(), |pid, stat| {
            let key = (pid, stat.start);
            let handle = before.remove(&key).or_else(|| Some(open(pid, stat.start)?.0));
            self.all.extend(handle.map(|handle| (key, handle)));
            match self.all.len() < most && begin.elapsed() < limit {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        self.number = self.all.len();
    }

    /// Stops all of them. Nothing resumes them but what kills them.
    pub(crate) fn stop(&mut self) {
        for handle in std::mem::take(self).all.values() {
            let _ = pidfd_send_signal(handle, Signal::STOP);
        }
    }
}

/// Returns a handle of the process with this ID if it started at this time: then it is no other one.
fn open(pid: i32, start: u64) -> Option<(OwnedFd, Pid)> {
    let number = Pid::from_raw(pid)?;
    let handle = pidfd_open(number, PidfdFlags::empty()).ok()?;
    (stat(pid)?.start == start).then_some((handle, number))
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

/// What was found of the ends of children.
#[derive(Debug, Default)]
pub struct Reaped {
    /// Children, in the order in which they were reaped.
    pub ended: Vec<(Pid, Exit)>,
    /// Whether no child is left. Then no descendant is left either, since the children of
    /// descendants that die become children of this process, a subreaper.
    pub childless: bool,
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
/// parents may be no descendants. Returns how many lived at a time.
pub(crate) fn exterminate(group: Option<&Cgroup>) -> usize {
    let (begin, mut complained) = (Instant::now(), false);
    let members = group.map(Cgroup::processes).unwrap_or_default();
    let mut most = members.len();
    let mut pause = PAUSES.0;
    let mut reaped = reap();
    if let Some(group) = group {
        group.kill();
        members.into_iter().for_each(hasten);
        // As long as they end, descendants outside of the group are not looked for, which would take their processors.
        for _ in 0..GROUP_FIRST {
            if reaped.childless {
                break;
            }
            sleep(PAUSES.0);
            reaped = reap();
            if reaped.ended.is_empty() {
                break;
            }
        }
    }
    while !reaped.childless {
        if let Some(group) = group {
            group.kill();
        }
        let (killed, lived) = kill_descendants();
        most = most.max(lived);
        await_ends(&killed, pause);
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
    most
}

#[cfg(test)]
mod tests;
