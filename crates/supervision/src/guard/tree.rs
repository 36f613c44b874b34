//! Finds, kills and reaps the descendants of this process.

use crate::priority::hasten;
use crate::wire::Exit;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, pidfd_open, pidfd_send_signal, wait};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::thread::sleep;
use std::time::Duration;

/// Fields of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    parent: i32,
    zombie: bool,
    /// When it started, in ticks since the boot; with the ID it identifies one process for ever.
    start: u64,
}

fn parse(text: &str) -> Option<Stat> {
    // The name of the program is in parentheses, and may contain any character.
    let mut fields = text.get(text.rfind(')')? + 1..)?.split_ascii_whitespace();
    let zombie = matches!(fields.next()?, "Z" | "X");
    let parent = fields.next()?.parse().ok()?;
    Some(Stat { parent, zombie, start: fields.nth(17)?.parse().ok()? })
}

fn stat(pid: i32) -> Option<Stat> {
    parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Returns all living descendants of this process.
fn descendants() -> BTreeMap<i32, Stat> {
    let numbers = fs::read_dir("/proc").into_iter().flatten().flatten();
    let all: BTreeMap<i32, Stat> = numbers
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Some((pid, stat(pid)?)))
        .collect();
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let mut family = BTreeSet::from([own]);
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
    let alive = |(pid, stat): &(i32, Stat)| *pid != own && family.contains(pid) && !stat.zombie;
    all.into_iter().filter(alive).collect()
}

/// Sends SIGKILL to all descendants, and to no other process, although IDs may be reused.
fn kill_descendants() {
    for (pid, seen) in descendants() {
        let Some(number) = Pid::from_raw(pid) else { continue };
        let Ok(handle) = pidfd_open(number, PidfdFlags::empty()) else { continue };
        // The handle belongs to the process that was seen if its start time is still the same.
        if stat(pid).is_some_and(|now| now.start == seen.start) {
            let _ = pidfd_send_signal(&handle, Signal::KILL);
            hasten(number);
        }
    }
}

/// The children that have ended.
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

/// Kills all descendants and reaps them, until there are none. Returns how the children among them
/// ended. Calls `also` in each round.
pub(crate) fn exterminate(mut also: impl FnMut()) -> Vec<(Pid, Exit)> {
    let mut pause = Duration::from_micros(200);
    let mut ended = Vec::new();
    loop {
        let reaped = reap();
        ended.extend(reaped.ended);
        if reaped.childless {
            return ended;
        }
        also();
        kill_descendants();
        sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_its_name() {
        let tail = "S 17 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 1000 2";
        for name in ["sh", "a b", ") S 1 (", ""] {
            let stat = parse(&format!("42 ({name}) {tail}")).unwrap();
            assert_eq!(stat, Stat { parent: 17, zombie: false, start: 4711 });
        }
        assert!(parse(&format!("42 (sh) {}", tail.replace('S', "Z"))).unwrap().zombie);
        assert_eq!(parse("42 (sh"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn this_process_is_read() {
        let own = stat(rustix::process::getpid().as_raw_nonzero().get()).unwrap();
        assert_eq!(own.parent, rustix::process::getppid().unwrap().as_raw_nonzero().get());
        assert!(!own.zombie && own.start > 0);
    }
}
