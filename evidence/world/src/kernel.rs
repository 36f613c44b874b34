//! The processes of a host that a guard has started: what its kernel does with them.

use std::collections::BTreeMap;
use tenure_guard::Exit;

/// The ID of a process.
pub(crate) type Pid = i32;

/// What a process does when it gets SIGTERM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnTerm {
    Ignores,
    /// Ends after this time, in nanoseconds.
    EndsAfter(u64),
}

#[derive(Clone, Debug)]
pub(crate) struct GuardedProcess {
    /// Its guard: an ancestor.
    pub(crate) guard: u64,
    /// Whether it is a child that dies with the guard. Its own children do not.
    pub(crate) child: bool,
    pub(crate) group: Pid,
    /// The term of the command that it is, or is a descendant of.
    pub(crate) command: Option<u64>,
    pub(crate) on_term: OnTerm,
    pub(crate) stopped: bool,
    /// Whether it has got SIGTERM.
    pub(crate) asked: bool,
    /// Whether SIGKILL waits for the end of a system call.
    pub(crate) killed: bool,
    /// How it has ended, until it is reaped.
    ended: Option<Exit>,
}

/// SIGKILL.
const KILLED: Exit = Exit::Signal(9);

#[derive(Debug, Default)]
pub(crate) struct Kernel {
    processes: BTreeMap<Pid, GuardedProcess>,
    last: Pid,
    /// Whether commands are in a system call that no signal interrupts.
    pub(crate) uninterruptible: bool,
    /// The term and the guard of a command, if one of its processes may still act.
    acting: Option<(u64, u64)>,
}

impl Kernel {
    /// A guard starts a process, in a group of its own.
    pub(crate) fn spawn(&mut self, guard: u64) -> Pid {
        self.last += 1;
        let process = GuardedProcess {
            guard,
            child: true,
            group: self.last,
            command: None,
            on_term: OnTerm::EndsAfter(0),
            stopped: false,
            asked: false,
            killed: false,
            ended: None,
        };
        self.processes.insert(self.last, process);
        self.last
    }

    pub(crate) fn get(&mut self, pid: Pid) -> Option<&mut GuardedProcess> {
        self.processes.get_mut(&pid).filter(|process| process.ended.is_none())
    }

    /// Ends a process by itself.
    pub(crate) fn end(&mut self, pid: Pid, exit: Exit) {
        if let Some(process) = self.get(pid).filter(|process| !process.killed) {
            process.ended = Some(exit);
        }
        self.look();
    }

    fn kill_all(&mut self, which: impl Fn(&GuardedProcess) -> bool) -> usize {
        let mut number = 0;
        for process in self.processes.values_mut() {
            if process.ended.is_none() && which(process) {
                number += 1;
                let waits = self.uninterruptible && process.command.is_some();
                process.killed = true;
                process.ended = (!waits).then_some(KILLED);
            }
        }
        self.look();
        number
    }

    /// Sends SIGKILL to a process group.
    pub(crate) fn kill_group(&mut self, group: Pid) {
        self.kill_all(|process| process.group == group);
    }

    /// Sends SIGKILL to all descendants of a guard. Returns how many lived.
    pub(crate) fn kill_descendants(&mut self, guard: u64) -> usize {
        self.kill_all(|process| process.guard == guard)
    }

    /// Sends SIGKILL to the commands of this host, and not to their descendants.
    pub(crate) fn kill_commands(&mut self) {
        self.kill_all(|process| process.child && process.command.is_some());
    }

    /// Kills the children of a guard that is gone.
    pub(crate) fn orphan(&mut self, guard: u64) {
        self.kill_all(|process| process.guard == guard && process.child);
    }

    /// Kills what guards have left behind that are not among these.
    pub(crate) fn kill_left_behind(&mut self, guards: &[u64]) {
        self.kill_all(|process| !guards.contains(&process.guard));
    }

    /// Ends the system call that no signal has interrupted.
    pub(crate) fn interrupt(&mut self) {
        self.uninterruptible = false;
        for process in self.processes.values_mut().filter(|process| process.killed) {
            process.ended = Some(KILLED);
        }
        self.look();
    }

    /// Returns who reacts to SIGTERM in a process group.
    pub(crate) fn ask_group_to_end(&mut self, group: Pid) -> Vec<(Pid, OnTerm)> {
        let mut reacting = Vec::new();
        for (&pid, process) in &mut self.processes {
            if process.group == group && process.ended.is_none() {
                process.asked = true;
                reacting.extend((!process.stopped).then_some((pid, process.on_term)));
            }
        }
        reacting
    }

    /// Returns the descendants of a guard that live.
    pub(crate) fn living(&self, guard: u64) -> usize {
        self.processes.values().filter(|it| it.guard == guard && it.ended.is_none()).count()
    }

    /// Returns whether a child of a guard has ended, and was not reaped.
    pub(crate) fn has_zombie(&self, guard: u64) -> bool {
        self.processes.values().any(|it| it.guard == guard && it.ended.is_some())
    }

    /// Reaps the descendants of a guard that have ended. Returns them, and whether none is left.
    pub(crate) fn reap(&mut self, guard: u64) -> (Vec<(Pid, Exit)>, bool) {
        let of = |process: &GuardedProcess| process.guard == guard;
        let ended = self.processes.iter().filter(|(_, process)| of(process));
        let ended: Vec<_> =
            ended.filter_map(|(&pid, process)| Some((pid, process.ended?))).collect();
        for (pid, _) in &ended {
            self.processes.remove(pid);
        }
        (ended, !self.processes.values().any(of))
    }

    /// Stops or resumes the commands.
    pub(crate) fn stop_commands(&mut self, stopped: bool) {
        for process in self.processes.values_mut() {
            process.stopped = stopped && process.command.is_some();
        }
    }

    /// Returns the term and the guard of a command, if one of its processes may still act.
    pub(crate) const fn acting(&self) -> Option<(u64, u64)> {
        self.acting
    }

    /// Returns the processes of commands that may still act, each with the term of its command.
    pub(crate) fn all_acting(&self) -> impl Iterator<Item = (u64, &GuardedProcess)> {
        let living = self.processes.values().filter(|process| process.ended.is_none());
        living.filter_map(|process| Some((process.command?, process)))
    }

    /// Returns whether a process of the command of this term acts.
    pub(crate) fn acts_in(&self, term: u64) -> bool {
        self.all_acting().any(|(other, _)| other == term)
    }

    fn look(&mut self) {
        let first = self.all_acting().next().map(|(term, process)| (term, process.guard));
        self.acting = first;
    }

    /// Lets a process become a command.
    pub(crate) fn execute(&mut self, pid: Pid, term: u64, on_term: OnTerm) {
        if let Some(process) = self.get(pid) {
            (process.command, process.on_term) = (Some(term), on_term);
        }
        self.look();
    }

    /// Lets a command start a process, whose parent may end before it.
    pub(crate) fn fork(&mut self, parent: Pid, on_term: OnTerm) {
        let Some(process) = self.get(parent).cloned() else { return };
        self.last += 1;
        self.processes.insert(self.last, GuardedProcess { child: false, on_term, ..process });
    }

    /// Returns a command whose own process lives.
    pub(crate) fn command(&self) -> Option<Pid> {
        let is_command = |process: &GuardedProcess| {
            process.child && process.command.is_some() && process.ended.is_none()
        };
        self.processes.iter().find(|(_, process)| is_command(process)).map(|(&pid, _)| pid)
    }
}
