//! A guard and its keeper on a host: the shells around their decisions.

use super::ServiceWorld;
use crate::clock::{MICRO, MILLI};
use crate::kernel::{OnTerm, Pid};
use crate::queue::{HostNumber, HostTask, WorldEvent};
use rustix::process::{Pid as KernelPid, Signal};
use std::collections::{BTreeMap, VecDeque};
use tenure_guard::testing::{GuardInput, GuardOrder, GuardOutput, GuardState, Reaped};
use tenure_guard::{Boottime, Exit, GuardEvent, Workload};

/// What a guard waits for before it goes on.
enum GuardWait {
    /// Until this time of the world.
    Until(u64, GuardInput),
    /// Until none of its descendants lives, and this time of the world; the number says how many lived.
    Deaths(u64, usize),
}

/// Which part of its loop comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LoopPart {
    Look,
    Listen,
}

pub(crate) struct GuardShell {
    /// The start of the program that has spawned it.
    pub(crate) start: u64,
    pub(crate) workload: Workload,
    /// `None` until it begins to work.
    state: Option<GuardState>,
    pub(crate) orders: VecDeque<GuardOrder>,
    /// Whether the program has closed the socket.
    pub(crate) abandoned: bool,
    pub(crate) alive: bool,
    pub(crate) keeper: bool,
    todo: VecDeque<GuardOutput>,
    answers: VecDeque<GuardInput>,
    wait: Option<GuardWait>,
    part: LoopPart,
    exited: bool,
    prepared: Option<Pid>,
    launched: Option<Pid>,
    pub(crate) executed: Option<Result<(), String>>,
    /// The term of the lease's file, and until when it says that the leadership is certain.
    pub(crate) lease: Option<(u64, Boottime)>,
    /// The term that a crash notifier can release.
    pub(crate) kept: Option<u64>,
    /// The connection with a member of another process, for which it has a descriptor.
    pub(crate) connection: Option<u64>,
    /// The process of the hook on-win, and whether it has succeeded in this tenure.
    pub(crate) on_win: (Option<Pid>, bool),
}

impl GuardShell {
    pub(crate) fn new(start: u64, workload: Workload) -> Self {
        Self {
            start,
            workload,
            state: None,
            orders: VecDeque::new(),
            abandoned: false,
            alive: true,
            keeper: true,
            todo: VecDeque::new(),
            answers: VecDeque::new(),
            wait: None,
            part: LoopPart::Look,
            exited: false,
            prepared: None,
            launched: None,
            executed: None,
            lease: None,
            kept: None,
            connection: None,
            on_win: (None, false),
        }
    }

    /// Returns whether it has killed what others have left behind.
    pub(crate) const fn has_begun(&self) -> bool {
        self.state.is_some()
    }

    /// Notes that the process that was told to become the command has been executed, or why not.
    pub(crate) fn has_executed(&mut self, pid: Pid, how: Result<(), String>) {
        if self.launched == Some(pid) {
            self.executed = Some(how);
        }
    }
}

fn kernel_pid(pid: Pid) -> KernelPid {
    KernelPid::from_raw(pid).unwrap_or(KernelPid::INIT)
}

impl ServiceWorld {
    /// A guard begins to work: it kills what others have left behind, waits for that no longer than a second, and
    /// prepares the first command.
    pub(crate) fn guard_starts(&mut self, number: HostNumber, id: u64, tries: u32) {
        let host = &mut self.hosts[number];
        let alive: Vec<u64> =
            host.guards.iter().filter(|(_, guard)| guard.alive).map(|(&id, _)| id).collect();
        if !alive.contains(&id) {
            return;
        }
        host.kernel.kill_left_behind(&alive);
        if tries < 100
            && host.kernel.all_acting().any(|(_, process)| !alive.contains(&process.guard))
        {
            let again = WorldEvent::GuardStarts(number, id, tries + 1);
            return self.queue.push(self.now + 10 * MILLI, again);
        }
        for guard in host.guards.values_mut().filter(|guard| !guard.alive) {
            guard.lease = None;
        }
        let Some(guard) = host.guards.get_mut(&id) else { return };
        let prepared = host.kernel.spawn(id);
        guard.prepared = Some(prepared);
        guard.state = Some(GuardState::new(guard.workload.clone(), kernel_pid(prepared)));
        let ready = GuardEvent::Ready { guard: id as u32, no_cgroup: None };
        self.report(number, id, ready);
        self.wake(number, HostTask::Guard(id));
    }

    fn report(&mut self, number: HostNumber, id: u64, report: GuardEvent) {
        let lead = self.hosts[number].lead.as_mut();
        if let Some(lead) = lead.filter(|lead| lead.guard == id) {
            lead.reports.push_back(report);
            self.wake(number, HostTask::Loop);
        }
    }

    /// Lets a guard do all that there is to do.
    pub(crate) fn run_guard(&mut self, number: HostNumber, id: u64) {
        let Some(mut guard) = self.hosts[number].guards.remove(&id) else { return };
        let Some(mut state) = guard.state.take() else {
            self.hosts[number].guards.insert(id, guard);
            return;
        };
        let now = self.boottime(number);
        let mut steps = 0;
        while guard.alive && !guard.exited {
            steps += 1;
            if steps > 10_000 {
                self.broken("the loop of the guard spins");
                break;
            }
            if guard.wait.is_some() {
                match self.waited(number, id, &mut guard) {
                    Some(answer) => guard.answers.push_back(answer),
                    None => break,
                }
            } else if let Some(output) = guard.todo.pop_front() {
                self.carry_out_guard(number, id, &mut guard, output);
            } else if let Some(answer) = guard.answers.pop_front() {
                guard.todo.extend(state.step(now, answer));
            } else if let Some(input) = self.guard_input(number, id, &mut guard, &state) {
                guard.todo.extend(state.step(now, input));
            } else {
                if let Some(alarm) = state.next_alarm() {
                    self.wake_at(number, HostTask::Guard(id), alarm.as_nanos());
                }
                break;
            }
        }
        let exited = guard.exited;
        guard.state = Some(state);
        self.hosts[number].guards.insert(id, guard);
        if exited {
            self.guard_ends(number, id);
        }
    }

    /// Returns the answer for which the guard waits.
    fn waited(
        &mut self,
        number: HostNumber,
        id: u64,
        guard: &mut GuardShell,
    ) -> Option<GuardInput> {
        let (at, dead) = match &guard.wait {
            Some(GuardWait::Until(at, _)) => (*at, true),
            Some(GuardWait::Deaths(at, _)) => (*at, self.hosts[number].kernel.living(id) == 0),
            None => return None,
        };
        if at > self.now {
            self.wake_in(number, HostTask::Guard(id), at - self.now);
            return None;
        }
        if !dead {
            return None;
        }
        match guard.wait.take()? {
            GuardWait::Until(_, answer) => Some(answer),
            GuardWait::Deaths(_, lived) => {
                self.hosts[number].kernel.reap(id);
                (guard.prepared, guard.launched) = (None, None);
                Some(GuardInput::Exterminated(lived))
            }
        }
    }

    /// Returns what the loop of the guard finds next, if anything.
    fn guard_input(
        &mut self,
        number: HostNumber,
        id: u64,
        guard: &mut GuardShell,
        state: &GuardState,
    ) -> Option<GuardInput> {
        let gone = state.member && (guard.abandoned || !guard.keeper);
        if guard.part == LoopPart::Listen {
            if state.member && !guard.keeper {
                return Some(GuardInput::Abandoned);
            }
            while state.member
                && let Some(order) = guard.orders.pop_front()
            {
                if !matches!(order, GuardOrder::Keep { .. }) {
                    return Some(GuardInput::Order(order));
                }
            }
            if gone {
                return Some(GuardInput::Abandoned);
            }
            guard.part = LoopPart::Look;
        }
        let zombie = self.hosts[number].kernel.has_zombie(id);
        let due = state.next_alarm().is_some_and(|alarm| alarm <= self.boottime(number));
        let told = state.member && !guard.orders.is_empty();
        let executed = guard.executed.is_some();
        if !(zombie || due || told || executed || gone) {
            return None;
        }
        guard.part = LoopPart::Listen;
        let (ended, childless) = self.hosts[number].kernel.reap(id);
        let ended = ended.into_iter().map(|(pid, exit)| (kernel_pid(pid), exit)).collect();
        let executed = guard.executed.take();
        if executed.is_some() {
            guard.launched = None;
        }
        Some(GuardInput::Seen { reaped: Reaped { ended, childless }, executed })
    }

    fn carry_out_guard(
        &mut self,
        number: HostNumber,
        id: u64,
        guard: &mut GuardShell,
        output: GuardOutput,
    ) {
        match output {
            GuardOutput::Report(report) => self.report(number, id, report),
            GuardOutput::Complain(text) => self.log(number, text),
            GuardOutput::Prepare => {
                let runner = self.spawn(number, id);
                guard.prepared = runner.as_ref().ok().copied();
                let answer = GuardInput::Prepared(runner.map(kernel_pid));
                guard.wait = Some(GuardWait::Until(self.now + 2 * MILLI, answer));
            }
            GuardOutput::Launch(environment) => self.launch(number, guard, &environment),
            GuardOutput::StartShell(line, _) => {
                let shell = self.spawn(number, id);
                if let Ok(pid) = shell {
                    if line == "on-win" {
                        guard.on_win = (Some(pid), false);
                    }
                    self.run_shell((number, id), pid, &line);
                }
                guard.answers.push_back(GuardInput::ShellStarted(shell.map(kernel_pid)));
            }
            GuardOutput::Publish(term, until) => {
                guard.lease = Some((term, until));
                let answer = GuardInput::Published(Ok((BTreeMap::new(), true)));
                let takes = 100 * MICRO + self.dice.below(500 * MICRO);
                guard.wait = Some(GuardWait::Until(self.now + takes, answer));
            }
            GuardOutput::Renew(until) => {
                if let Some((_, lease)) = &mut guard.lease {
                    *lease = until;
                }
            }
            GuardOutput::EndLease(_) | GuardOutput::RemoveLease => {
                (guard.lease, guard.on_win) = (None, (None, false));
            }
            GuardOutput::LookForDescendants(_) => {
                let found = self.hosts[number].kernel.living(id);
                guard.answers.push_back(GuardInput::Found(found));
            }
            GuardOutput::Freeze => self.hosts[number].kernel.stop_commands(true),
            GuardOutput::Signal(pid, signal) => {
                self.signal(number, pid.as_raw_nonzero().get(), signal);
            }
            GuardOutput::Exterminate => {
                let lived = self.hosts[number].kernel.kill_descendants(id);
                let takes =
                    300 * MICRO + lived as u64 * (50 * MICRO + self.dice.below(100 * MICRO));
                guard.wait = Some(GuardWait::Deaths(self.now + takes, lived));
            }
            GuardOutput::ReleaseKept(words) => {
                self.leave_kept(guard, words);
                if let Some(term) = guard.kept.take().filter(|_| words) {
                    let (after, me) = (self.hosts[number].slow_notifier, self.hosts[number].me);
                    let tells = WorldEvent::NotifierTells(number, me, term);
                    match after {
                        0 => self.release_by_notifier(number, me, term),
                        _ => self.queue.push(self.now + after, tells),
                    }
                }
            }
            GuardOutput::Exit => guard.exited = true,
        }
    }

    fn spawn(&mut self, number: HostNumber, id: u64) -> Result<Pid, String> {
        let host = &mut self.hosts[number];
        if host.no_fork {
            return Err("no process can be started".to_owned());
        }
        Ok(host.kernel.spawn(id))
    }

    fn launch(
        &mut self,
        number: HostNumber,
        guard: &mut GuardShell,
        environment: &BTreeMap<String, String>,
    ) {
        guard.launched = guard.prepared.take();
        let Some(pid) = guard.launched else { return };
        self.judge_launch(number, guard);
        let term = environment.get("TENURE_TERM").and_then(|term| term.parse().ok());
        self.hosts[number].launching = term;
        let takes = 500 * MICRO + self.dice.below(2 * MILLI);
        self.queue.push(self.now + takes, WorldEvent::Executed(number, pid));
    }

    /// A hook or a probe runs for a while.
    fn run_shell(&mut self, (number, id): (HostNumber, u64), pid: Pid, line: &str) {
        let host = &mut self.hosts[number];
        let fails = match line {
            "ready" => host.unready,
            "health" => host.unhealthy,
            "on-win" => host.no_hook,
            _ => false,
        };
        let hangs = host.hung_hook;
        self.judge_hook(number, id, line);
        if hangs {
            return;
        }
        let is_hook = matches!(line, "on-win" | "on-lose");
        let slow = if is_hook && self.dice.below(4) == 0 { 800 * MILLI } else { 0 };
        let takes = MILLI + self.dice.below(10 * MILLI + slow);
        self.queue.push(self.now + takes, WorldEvent::Ends(number, pid, i32::from(fails)));
    }

    fn signal(&mut self, number: HostNumber, group: Pid, signal: Signal) {
        if signal == Signal::KILL {
            return self.hosts[number].kernel.kill_group(group);
        }
        for (pid, on_term) in self.hosts[number].kernel.ask_group_to_end(group) {
            if let OnTerm::EndsAfter(time) = on_term {
                self.queue.push(self.now + time, WorldEvent::Ends(number, pid, 0));
            }
        }
    }

    /// A process that was told to become the command has been executed, unless that fails.
    pub(crate) fn executed(&mut self, number: HostNumber, pid: Pid) {
        let host = &mut self.hosts[number];
        let Some(process) = host.kernel.get(pid) else { return };
        let id = process.guard;
        let term = host.launching;
        let how = match host.no_exec {
            true => Err("there is no such program".to_owned()),
            false => Ok(()),
        };
        if how.is_err() {
            host.kernel.end(pid, Exit::Code(127));
        } else if let Some(term) = term {
            let ends = OnTerm::EndsAfter(self.dice.below(80 * MILLI));
            host.kernel.execute(pid, term, ends);
            for _ in 0..self.dice.below(4) {
                let ends = OnTerm::EndsAfter(self.dice.below(150 * MILLI));
                let ignores = self.dice.below(4) == 0;
                host.kernel.fork(pid, if ignores { OnTerm::Ignores } else { ends });
            }
            self.judge_beside(number, term);
        }
        if let Some(guard) = self.hosts[number].guards.get_mut(&id) {
            guard.has_executed(pid, how);
        }
        self.wake(number, HostTask::Guard(id));
    }

    /// A guard has ended, however that happened. Its children die with it; its keeper does the rest.
    pub(crate) fn guard_ends(&mut self, number: HostNumber, id: u64) {
        let host = &mut self.hosts[number];
        host.kernel.orphan(id);
        let mut connection = None;
        if let Some(guard) = host.guards.get_mut(&id) {
            guard.alive = false;
            guard.wait = None;
            guard.kept = None;
            connection = guard.connection.take();
        }
        if let Some(lead) = host.lead.as_mut().filter(|lead| lead.guard == id) {
            lead.guard_gone = true;
        }
        connection.into_iter().for_each(|id| self.keep_connection(id, false));
        self.wake(number, HostTask::Loop);
        self.wake(number, HostTask::Keeper(id));
    }

    /// A keeper looks after its guard.
    pub(crate) fn run_keeper(&mut self, number: HostNumber, id: u64) {
        let host = &mut self.hosts[number];
        let Some(guard) = host.guards.get_mut(&id).filter(|guard| guard.keeper) else { return };
        if !guard.alive {
            (guard.keeper, guard.lease) = (false, None);
            host.kernel.kill_descendants(id);
        } else if guard.abandoned {
            // The member is gone.
            host.suspended.remove(&HostTask::Guard(id));
            self.wake(number, HostTask::Guard(id));
            self.wake_in(number, HostTask::Keeper(id), 50 * MILLI);
        }
    }

    /// Kills a keeper.
    pub(crate) fn keeper_ends(&mut self, number: HostNumber, id: u64) {
        if let Some(guard) = self.hosts[number].guards.get_mut(&id) {
            guard.keeper = false;
            self.wake(number, HostTask::Guard(id));
        }
    }

    /// The program kills its guard with all that it guards. Returns when that is done.
    pub(crate) fn sweep(&mut self, number: HostNumber, id: u64) -> u64 {
        self.keeper_ends(number, id);
        self.guard_ends(number, id);
        let host = &mut self.hosts[number];
        if let Some(guard) = host.guards.get_mut(&id) {
            guard.lease = None;
        }
        let lived = host.kernel.kill_descendants(id);
        self.now + 300 * MICRO + lived as u64 * 100 * MICRO
    }
}
