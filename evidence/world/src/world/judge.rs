//! Whether the promises of Tenure are kept, seen from outside of all hosts.

use super::guarded::GuardShell;
use super::host::Host;
use super::program::{Awaited, Held, poll, value_of};
use super::{OFFICE, ServiceWorld};
use crate::clock::{MILLI, SECOND};
use crate::kernel::GuardedProcess;
use crate::queue::{HostNumber, HostTask};
use crate::report::Exception;
use std::collections::BTreeMap;
use tenure_node::OfficeStanding;

/// How long a command may act when its host is resumed, until its guard runs.
const RESUMED: u64 = 5 * MILLI;

/// How long a program that holds the office may take until it says why COMMAND does not run, beside the lease: a main
/// loop that stands still says nothing, and the member notices when what it told is over.
const SILENT: u64 = SECOND;

/// How long the office may be held at most while COMMAND does not run.
const IDLE: u64 = 60 * SECOND;

/// How long the office may be held at most after the leader was asked to leave it: COMMAND has its grace, and hooks
/// run.
const LEAVES: u64 = 30 * SECOND;

#[derive(Default)]
struct HostView {
    /// The term of the command that acts, and its guard.
    acting: Option<(u64, u64)>,
    /// Until when the command of this host may act, in the world's time, as its guard was told.
    deadline: u64,
    /// When its program was found to be gone.
    left_at: Option<u64>,
    /// When each exception was last there.
    excepted: BTreeMap<Exception, u64>,
    /// Since when the office is held while no command acts.
    idle_since: Option<u64>,
    /// Since when the leader is asked to leave the office.
    asked_since: Option<u64>,
    /// Lines of the log since the last judgement.
    logged: u64,
}

pub(crate) struct Judge {
    hosts: Vec<HostView>,
    last_term: u64,
    /// When a command acted last.
    acted_at: u64,
    /// The kinds of faults since all was well.
    kinds: Vec<String>,
    /// Where COMMAND acts since all is well.
    steady: Option<HostNumber>,
}

impl Judge {
    pub(crate) fn new(hosts: usize) -> Self {
        Self {
            hosts: (0..hosts).map(|_| HostView::default()).collect(),
            last_term: 0,
            acted_at: 0,
            kinds: Vec::new(),
            steady: None,
        }
    }

    pub(crate) fn leader(&self) -> Option<HostNumber> {
        self.hosts.iter().position(|host| host.acting.is_some())
    }

    pub(crate) fn shaken(&mut self, kind: &str) {
        self.steady = None;
        if !self.kinds.iter().any(|other| other == kind) {
            self.kinds.push(kind.to_owned());
        }
    }

    pub(crate) fn logged(&mut self, host: HostNumber) {
        self.hosts[host].logged += 1;
    }
}

impl ServiceWorld {
    /// Looks at all hosts after an event.
    pub(crate) fn watch(&mut self) {
        for host in 0..self.hosts.len() {
            self.watch_exceptions(host);
            let acting = self.hosts[host].kernel.acting();
            let before = std::mem::replace(&mut self.judge.hosts[host].acting, acting);
            match (before, acting) {
                (None, Some((term, _))) => self.started(host, term),
                (Some((old, _)), Some((term, _))) if old != term => self.started(host, term),
                (Some((term, _)), None) => self.stopped(host, term),
                _ => {}
            }
            self.watch_holder(host);
            self.watch_leaving(host);
        }
        let acts =
            |(host, view): (&Host, &HostView)| host.asleep.is_none() && view.acting.is_some();
        if self.hosts.iter().zip(&self.judge.hosts).any(acts) {
            self.judge.acted_at = self.now;
        }
    }

    fn watch_exceptions(&mut self, number: HostNumber) {
        let host = &self.hosts[number];
        let Some((_, id)) = host.kernel.acting() else { return };
        let guard = host.guards.get(&id);
        let guard_lives = guard.is_some_and(|guard| guard.alive);
        let guard_acts = guard_lives && host.can_run(HostTask::Guard(id));
        let keeper = guard.is_some_and(|guard| guard.keeper) && host.can_run(HostTask::Keeper(id));
        let program = host.program.as_ref().is_some_and(|program| program.guard == id);
        let program_acts = program && host.can_run(HostTask::Loop);
        let still = !guard_acts && !program_acts && !(keeper && (!guard_lives || !program));
        let now = [
            (Exception::StoodStill, still),
            (Exception::Suspended, host.asleep.is_some()),
            (Exception::Starved, host.starved > 0),
            (Exception::Uninterruptible, host.kernel.uninterruptible),
        ];
        let view = &mut self.judge.hosts[number];
        view.left_at = if program { None } else { view.left_at.or(Some(self.now)) };
        for (exception, there) in now {
            if there {
                view.excepted.insert(exception, self.now);
            }
        }
        if let Some((_, until)) = guard.and_then(|guard| guard.lease) {
            let stop = self.timing.stop;
            view.deadline = host.rate.world(until.after(stop).as_nanos());
        }
    }

    /// A command has started.
    fn started(&mut self, number: HostNumber, term: u64) {
        self.say(number, || format!("COMMAND runs in term {term}"));
        self.report.starts += 1;
        for other in (0..self.hosts.len()).filter(|&other| other != number) {
            if self.judge.hosts[other].acting.is_some() {
                self.overlap(number, other);
            }
            self.check_certain(number, other, term);
        }
        if term < self.judge.last_term {
            let last = self.judge.last_term;
            self.broken(&format!("terms do not grow: COMMAND runs in term {term} after {last}"));
        }
        let again = term == self.judge.last_term;
        self.judge.last_term = term;
        if self.judge.steady.is_some_and(|steady| steady != number)
            && !(number == 0 && self.takes_back)
        {
            self.broken(&format!("a needless change to host {number}"));
        }
        if !again {
            let vacancy = self.now - self.judge.acted_at;
            let kind = match self.judge.kinds.as_slice() {
                [] => "start",
                [kind] => kind,
                _ => "several",
            };
            self.report.vacancies.entry(kind.to_owned()).or_default().push(vacancy);
        }
    }

    /// No process of the command is left.
    fn stopped(&mut self, number: HostNumber, term: u64) {
        self.say(number, || format!("nothing of COMMAND is left in term {term}"));
        if self.judge.steady == Some(number) && !self.takes_back {
            self.broken(&format!("COMMAND ends on host {number} without need"));
        }
    }

    /// A command has started on one host while an older one may act on another.
    fn overlap(&mut self, number: HostNumber, other: HostNumber) {
        match self.excepted(other) {
            Some(exception) => *self.report.exceptions.entry(exception).or_default() += 1,
            None => self.broken(&format!(
                "two commands act at once: one starts on host {number} while one of host {other} lives"
            )),
        }
    }

    /// Returns why the command of a host may live now, although its leadership is over.
    fn excepted(&self, number: HostNumber) -> Option<Exception> {
        let view = &self.judge.hosts[number];
        // It was due at its deadline, or when its program was gone.
        let margin = self.workloads[number].margin.as_nanos() as u64;
        let due = view.deadline.saturating_sub(margin).min(view.left_at.unwrap_or(u64::MAX));
        let excepted = view.excepted.iter().find(|&(exception, &at)| match exception {
            Exception::Suspended => at + RESUMED >= self.now,
            _ => at >= due,
        });
        excepted.map(|(&exception, _)| exception)
    }

    /// No other leadership is certain when a command starts: neither by its handle nor by its lease's file.
    fn check_certain(&mut self, number: HostNumber, other: HostNumber, term: u64) {
        self.set_clock(other);
        let now = self.boottime(other);
        let host = &self.hosts[other];
        let held = host.program.as_ref().and_then(|program| program.held.as_ref());
        let certain = |held: &Held| held.term < term && !held.leadership.valid_for().is_zero();
        // A guard whose keeper was killed has all processes killed, and the office released by the crash notifier.
        let handle = held.filter(|held| certain(held) && host.released != Some(held.term));
        let file = host.guards.values().filter_map(|guard| guard.lease);
        let file = file.filter(|&(old, until)| old < term && until > now).count();
        let up = host.asleep.is_none();
        if up && (handle.is_some() || file > 0 && self.excepted(other).is_none()) {
            self.broken(&format!(
                "host {other} is certain to lead when COMMAND starts on host {number} in term {term}"
            ));
        }
    }

    /// A command has started: nothing of an earlier one acts on its host, unless SIGKILL waits for the end of a system
    /// call.
    pub(crate) fn judge_beside(&mut self, number: HostNumber, term: u64) {
        let acting = self.hosts[number].kernel.all_acting();
        let others: Vec<_> =
            acting.filter(|&(other, _)| other != term).map(|(_, it)| it.killed).collect();
        if others.contains(&false) {
            self.broken(&format!("two commands act at once on host {number}"));
        } else if !others.is_empty() {
            *self.report.exceptions.entry(Exception::Uninterruptible).or_default() += 1;
        }
    }

    /// A program ends by itself: nothing acts that it has run, and what the one before it has run is looked after. That
    /// one was killed, and its guard or its keeper still kills, or this program's guard has not begun to, or SIGKILL
    /// waits for the end of a system call.
    pub(crate) fn judge_exit(&mut self, number: HostNumber) {
        let host = &self.hosts[number];
        let Some(program) = &host.program else { return };
        let begun = host.guards.get(&program.guard).is_some_and(GuardShell::has_begun);
        let is_excepted = |process: &GuardedProcess| {
            let guard = host.guards.get(&process.guard).filter(|it| it.start != program.number);
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

    /// A host that holds the office runs COMMAND or says why not, and leaves it within a bound.
    fn watch_holder(&mut self, number: HostNumber) {
        let host = &self.hosts[number];
        let program = host.program.as_ref().filter(|_| host.can_run(HostTask::Engine));
        let holds = program.filter(|program| program.is_leading());
        let acts = self.judge.hosts[number].acting.is_some();
        let Some(program) = holds.filter(|_| !acts) else {
            self.judge.hosts[number].idle_since = None;
            return;
        };
        let since = *self.judge.hosts[number].idle_since.get_or_insert(self.now);
        let silent = !matches!(program.told, Some(Some(_)));
        let lease = self.timing.lease.as_nanos() as u64;
        if self.now - since > SILENT + lease && silent {
            let told = format!("{:?}", program.told);
            self.broken(&format!(
                "host {number} holds the office without COMMAND, and says {told}"
            ));
        } else if self.now - since > IDLE {
            self.broken(&format!("host {number} holds the office without COMMAND for too long"));
        }
    }

    /// A leader that is asked to leave the office does so within a bound.
    fn watch_leaving(&mut self, number: HostNumber) {
        let host = &self.hosts[number];
        let runs = host.can_run(HostTask::Engine) && host.can_run(HostTask::Loop);
        let program = host.program.as_ref().filter(|program| runs && program.is_leading());
        let held = program.and_then(|program| program.held.as_ref());
        if !held.is_some_and(|held| held.leadership.is_stopping()) {
            self.judge.hosts[number].asked_since = None;
            return;
        }
        let since = *self.judge.hosts[number].asked_since.get_or_insert(self.now);
        if self.now - since > LEAVES {
            self.broken(&format!("host {number} is asked to leave the office, and does not"));
        }
    }

    /// All should be well by now: COMMAND acts on one host, and all members say so.
    pub(crate) fn judge_all(&mut self) {
        self.report.judgements += 1;
        let acting: Vec<_> = (0..self.hosts.len())
            .filter_map(|host| Some((host, self.judge.hosts[host].acting?.0)))
            .collect();
        let [(leader, term)] = *acting.as_slice() else {
            return self.broken(&format!("COMMAND acts on {} hosts", acting.len()));
        };
        for host in 0..self.hosts.len() {
            self.judge_told(host, leader, term);
            let logged = std::mem::take(&mut self.judge.hosts[host].logged);
            self.report.most_logged = self.report.most_logged.max(logged);
            let living = self.hosts[host].guards.values().filter(|guard| guard.alive).count();
            self.report.most_guards = self.report.most_guards.max(living);
        }
        self.judge.kinds.clear();
        self.judge.steady = Some(leader);
    }

    /// A member tells who leads, in which term, and with which value.
    fn judge_told(&mut self, host: HostNumber, leader: HostNumber, term: u64) {
        let Some(standing) = self.standing(host) else {
            return self.broken(&format!("the member of host {host} does not answer"));
        };
        let name = &self.names[leader];
        let program = self.hosts[leader].program.as_ref();
        let value = program.map(|program| value_of(name, program.number));
        let right = (Some(name.as_str()), Some(term), value.as_deref());
        let told = standing.leader().map(|leader| leader.name.as_str());
        let told = (told, standing.term(), standing.value());
        if told != right {
            let what = format!("host {host} tells of {told:?}, and not of {right:?}");
            self.broken(&what);
        }
    }

    fn standing(&mut self, number: HostNumber) -> Option<OfficeStanding> {
        let program = self.hosts[number].program.as_ref()?;
        let office = program.member.office(OFFICE);
        let mut asked: Awaited<_> = Box::pin(async move { office.standing().await });
        let _ = poll(&mut asked);
        self.run_engine(number);
        poll(&mut asked)?.ok()
    }
}
