//! Promises that are kept or broken in one step: what rests on a disk, what comes before COMMAND, and what after it.

use super::guarded::GuardShell;
use super::served::ServedProgram;
use super::{OFFICE, ServiceWorld};
use crate::clock::{MILLI, SECOND};
use crate::kernel::GuardedProcess;
use crate::queue::HostNumber;
use crate::report::Exception;
use tenure_model::{Memory, Office, Term};
use tenure_node::testing::SteppedMember;
use tenure_node::{Leadership, OfficeName, TransferError};

/// How long a guard may be able to run, and be given up nevertheless, since it was not before.
const RECOVERS: u64 = 200 * MILLI;

/// How long a readiness probe may fail before its host stands no more.
const NOT_READY: u64 = SECOND;

/// How long a program may take to end when nothing happens meanwhile.
const ENDS: u64 = 10 * SECOND;

/// How long an operator may have to wait for an answer.
const ANSWERS: u64 = 100 * SECOND;

impl ServiceWorld {
    /// A message leaves a member: what it rests on is on the disk.
    pub(crate) fn judge_message(&mut self, number: HostNumber, bytes: &[u8]) {
        let needed = SteppedMember::rests_on(bytes);
        let host = &mut self.hosts[number];
        let start = host.program.as_ref().map_or(0, |program| program.number);
        if !SteppedMember::suffices(&host.record.record, &needed) {
            self.broken(&format!("host {number} sends what rests on no record: {needed:?}"));
        } else if needed.boot > 0 && *host.boots.entry(needed.boot).or_insert(start) != start {
            self.broken(&format!("two starts of host {number} have the number {}", needed.boot));
        }
    }

    /// A program has won the office: its term is on the disks of a majority of those that decide in a configuration, as
    /// far as its member knows (the number of the newest one is `known`), and its host is ready.
    pub(crate) fn judge_win(&mut self, number: HostNumber, known: u64, term: u64) {
        let office = OfficeName::new(OFFICE).map_or(Office(0), |office| office.number());
        let needed = SteppedMember::promise(office, Term(term));
        let won = self.tenure(number, term);
        self.judge.events.logs[number].push(won);
        // One that has lost its record had promised it, perhaps.
        let promises = |host: HostNumber| {
            let record = &self.hosts[host].record;
            record.memory == Memory::Lost || SteppedMember::suffices(&record.record, &needed)
        };
        if !self.is_majority(known, promises) {
            self.broken(&format!("host {number} leads in term {term}, which is on too few disks"));
        }
        if self.judge.not_ready_for(number, self.now) > NOT_READY {
            self.broken(&format!("host {number} leads, and is not ready"));
        }
    }

    /// A member gives an office up with the connection of its program: nothing of COMMAND is left.
    pub(crate) fn judge_given_up(&mut self, number: HostNumber, served: &ServedProgram) {
        let Some(term) = served.given_up().map(Leadership::term) else { return };
        if served.office == OFFICE && self.hosts[number].kernel.acts_in(term) {
            self.broken(&format!(
                "the member of host {number} releases the office while COMMAND runs"
            ));
        }
    }

    /// Operators have got answers, or wait: a leader that is told to leave does so.
    pub(crate) fn judge_answers(
        &mut self,
        number: HostNumber,
        answers: Vec<(u64, Option<Result<(), TransferError>>)>,
    ) {
        for (since, answer) in answers {
            match answer {
                Some(Err(why)) if why.to_string().contains("has not ended") => {
                    self.broken(&format!("host {number} tells an operator: {why}"));
                }
                None if self.now - since > ANSWERS => {
                    self.broken(&format!("an operator waits for host {number}"));
                }
                _ => {}
            }
        }
    }

    /// A program is killed by the service manager, since it does not end: a program that leads by its member hangs.
    pub(crate) fn judge_ending(&mut self, number: HostNumber) {
        if self.judge.calm_for(self.now) > ENDS {
            self.broken(&format!("the program of host {number} is asked to end, and does not"));
        }
    }

    /// A program kills its guard, which still has a connection to it: it was stuck.
    pub(crate) fn judge_overdue(&mut self, number: HostNumber) {
        if self.judge.guarded_for(number, self.now) > RECOVERS {
            self.broken(&format!("the program of host {number} kills a guard that is well"));
        }
    }

    /// A process is told to become the command: the leadership is not over, its file is written, and the hook has
    /// succeeded.
    pub(crate) fn judge_launch(&mut self, number: HostNumber, guard: &GuardShell) {
        let why = match guard.lease {
            None => "before the lease's file is written",
            Some((_, until)) if until <= self.boottime(number) => "when the leadership is over",
            _ if guard.workload.on_win.is_some() && !guard.on_win.1 => "before the hook on-win",
            _ => return,
        };
        self.broken(&format!("host {number} starts COMMAND {why}"));
    }

    /// A hook or a probe starts: the last hook finds nothing of the command.
    pub(crate) fn judge_hook(&mut self, number: HostNumber, id: u64, line: &str) {
        let kernel = &self.hosts[number].kernel;
        if line == "on-lose" && kernel.all_acting().any(|(_, process)| process.guard == id) {
            self.broken(&format!("host {number} runs the hook on-lose while COMMAND acts"));
        }
    }

    /// A command has started: no process of an earlier one acts on its host, except where the report counts it.
    pub(crate) fn judge_beside(&mut self, number: HostNumber, term: u64) {
        let acting = self.hosts[number].kernel.all_acting();
        let others: Vec<_> =
            acting.filter(|&(other, _)| other != term).map(|(_, it)| it.killed).collect();
        let excepted = match others.contains(&false) {
            true => self.excepted(number),
            false => Some(Exception::Uninterruptible),
        };
        if !others.is_empty() {
            self.overlap((number, term), excepted);
            self.judge_events();
        }
    }

    /// A program ends by itself: nothing acts that it has run, and what the one before it has run is looked after. That
    /// one was killed, and its guard or its keeper still kills, or this program's guard has not begun to, or SIGKILL
    /// waits for the end of a system call.
    pub(crate) fn judge_exit(&mut self, number: HostNumber) {
        let host = &self.hosts[number];
        let Some(lead) = &host.lead else { return };
        let begun = host.guards.get(&lead.guard).is_some_and(GuardShell::has_begun);
        let is_excepted = |process: &GuardedProcess| {
            let guard = host.guards.get(&process.guard).filter(|it| it.start != lead.number);
            guard.is_some_and(|it| process.killed || !begun || it.alive || it.keeper)
        };
        let acting: Vec<_> =
            host.kernel.all_acting().map(|(_, process)| is_excepted(process)).collect();
        if acting.contains(&false) {
            self.broken(&format!("host {number}: the program ends while COMMAND runs"));
        } else if !acting.is_empty() {
            self.report.outlived += 1;
        }
    }
}
