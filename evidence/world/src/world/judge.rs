//! Whether the promises of Tenure are kept, seen from outside of all hosts. Those that are seen on real hosts, too, are
//! judged as there (`suffrage_histories`), by what is told of here; the others are what only a simulated world can see.

use super::awaited::{Awaited, poll};
use super::host::{Disk, Host};
use super::lead::{LeadProcess, value_of};
use super::served::ServedProgram;
use super::watchdog::WATCHDOG;
use super::{OFFICE, ServiceWorld};
use crate::clock::{MILLI, SECOND};
use crate::faults::WorldFault;
use crate::plan::WorldPlan;
use crate::queue::{HostNumber, HostTask, ServiceUnit, WorldEvent};
use crate::report::Exception;
use std::collections::BTreeSet;
use std::ops::Range;
use suffrage_histories::{Promises, RunEvents, RunHistory, TenureEvent, disagrees};
use tenure_node::{Leadership, OfficeStanding};

/// How long a command may act when its host is resumed, until its guard runs.
const RESUMED: u64 = 5 * MILLI;

/// How long a program that holds the office may take until it says why COMMAND does not run, beside the lease: a main
/// loop that stands still says nothing, and the member notices when what it told is over.
const SILENT: u64 = SECOND;

/// How long the office may be held at most while COMMAND does not run.
const IDLE: u64 = 60 * SECOND;

/// How long the office may be held at most after the leader was asked to leave it, or COMMAND itself has ended: what it
/// has started has its grace, and hooks run.
const LEAVES: u64 = 30 * SECOND;

/// How long a program may say that COMMAND runs when it has ended.
const CLAIMS: u64 = 90 * MILLI;

/// How long it may take until COMMAND is asked to end, where its leader is to leave the office.
const ASKS: u64 = SECOND;

/// How long a member may lead that was told that its record cannot be written.
const FAILS: u64 = 90 * MILLI;

/// How long a member whose disk hangs may lead, beside the lease: it writes each five seconds, and waits for as long.
const HANGS: u64 = 11 * SECOND;

/// How long COMMAND may go on while its health probe fails: what is drawn gives it a second and two failures.
const SICK: u64 = 4 * SECOND;

/// How long it may take that the first host takes the office back: COMMAND has its grace, and hooks run.
const TAKES: u64 = 14 * SECOND;

/// The most lines that a program may log between two judgements.
const LINES: u64 = 200;

/// How long an office may be vacant where no fault has effect, beside 1.01 leases and stop times, in milliseconds: for
/// requests, disks, and the start of COMMAND.
const STARTS: u64 = 150;

/// How often all hosts are looked at, whatever happens.
const WATCHES: u64 = 10 * MILLI;

/// At how many instants of a second a member may send messages. What has waited for its disk leaves at one.
const SENDS: u64 = 1_000;

/// What may not last: [`ServiceWorld::rules`] says when each applies.
const RULES: [&str; 17] = [
    "holds the office without COMMAND, and does not say why",
    "holds the office without COMMAND for too long",
    "holds the office with nothing but what COMMAND has left behind",
    "is asked to leave the office, and does not",
    "says that COMMAND runs, and it does not",
    "is asked to leave the office, and COMMAND is not asked to end",
    "leads, and its record cannot be written",
    "leads, and its disk hangs",
    "leads, and COMMAND is not healthy",
    "has a program that stands still, and the service manager does not kill it",
    "has lost its program, and COMMAND is not asked to end",
    "has a member that stands still, and the service manager does not kill it",
    "has lost its member, and COMMAND is not asked to end",
    // These may, and other rules ask for how long they do.
    "has a program that is well",
    "has a member that is well",
    "is not ready",
    "has a guard that is well",
];

#[derive(Default)]
struct HostView {
    /// The term of the command that acts, and its guard.
    acting: Option<(u64, u64)>,
    /// Until when the command of this host may act, in the world's time, as its guard was told.
    deadline: u64,
    /// When its program was found to be gone.
    left_at: Option<u64>,
    /// For each exception, whether it is there, and when it was last.
    excepted: [(bool, Option<u64>); Exception::ALL.len()],
    /// Since when each of the rules applies.
    since: [Option<u64>; RULES.len()],
    /// When COMMAND has started.
    started_at: u64,
    /// Lines of the log since the last judgement.
    logged: u64,
    /// A second, and how often its member has sent messages in it.
    sent: (u64, u64),
}

pub(crate) struct Judge {
    hosts: Vec<HostView>,
    /// What the judge of real hosts knows of a run, and what it holds it to.
    pub(crate) events: RunEvents,
    promises: Promises,
    /// When a command acted last, and whether one does.
    acted_at: u64,
    acts: bool,
    /// When all hosts are looked at again, whatever happens: what lasts for too long is found without an event.
    watched_at: u64,
    /// The faults that have begun or ended since all was well, by their numbers.
    faults: BTreeSet<usize>,
    /// The number of times that a fault has begun or ended; and at which of them all was to be looked at again.
    shakes: u64,
    /// When a fault has begun or ended last.
    shaken_at: u64,
    looks_again: Option<u64>,
}

impl Judge {
    pub(crate) fn new(plan: &WorldPlan) -> Self {
        let takes_back = plan.first_flags.contains("--take-back");
        let lease = (plan.timing.lease + plan.timing.stop).as_millis() as u64;
        let transfer = if takes_back { TAKES / MILLI } else { 0 };
        let mut events = RunEvents::default();
        events.unsettled = plan.unsettled(WorldFault::moves);
        events.logs.resize(plan.hosts, Vec::new());
        Self {
            hosts: (0..plan.hosts).map(|_| HostView::default()).collect(),
            events,
            promises: Promises {
                clocks_beyond: false,
                longest: lease * 101 / 100 + STARTS + transfer,
                restarts: plan.flags.contains("--on-exit restart"),
                takes_back,
            },
            acted_at: 0,
            acts: false,
            watched_at: 0,
            faults: BTreeSet::new(),
            shakes: 0,
            shaken_at: 0,
            looks_again: None,
        }
    }

    pub(crate) fn leader(&self) -> Option<HostNumber> {
        self.hosts.iter().position(|host| host.acting.is_some())
    }

    pub(crate) fn shaken(&mut self, fault: usize, now: u64) {
        self.shaken_at = now;
        self.shakes += 1;
        self.faults.insert(fault);
    }

    pub(crate) fn logged(&mut self, host: HostNumber) {
        self.hosts[host].logged += 1;
    }

    /// A member sends messages. Returns whether it does so too often.
    pub(crate) fn floods(&mut self, host: HostNumber, now: u64) -> bool {
        let (second, sends) = &mut self.hosts[host].sent;
        if std::mem::replace(second, now / SECOND) != now / SECOND {
            *sends = 0;
        }
        *sends += 1;
        *sends == SENDS
    }

    /// Returns for how long no fault has begun or ended.
    pub(crate) const fn calm_for(&self, now: u64) -> u64 {
        now - self.shaken_at
    }

    /// Returns for how long a host has not been ready, and could find that.
    pub(crate) fn not_ready_for(&self, host: HostNumber, now: u64) -> u64 {
        self.hosts[host].since[RULES.len() - 2].map_or(0, |since| now - since)
    }

    /// Returns for how long a process has been able to do what is due.
    pub(crate) fn well_for(&self, host: HostNumber, unit: ServiceUnit, now: u64) -> u64 {
        let rule = RULES.len() - if unit == ServiceUnit::Lead { 4 } else { 3 };
        self.hosts[host].since[rule].map_or(0, |since| now - since)
    }

    /// Returns for how long the guard of a program has been able to do what is due.
    pub(crate) fn guarded_for(&self, host: HostNumber, now: u64) -> u64 {
        self.hosts[host].since[RULES.len() - 1].map_or(0, |since| now - since)
    }
}

impl ServiceWorld {
    /// Looks at the hosts that an event concerns.
    pub(crate) fn watch(&mut self, mut concerns: Range<HostNumber>) {
        if self.now >= self.judge.watched_at {
            self.judge.watched_at = self.now + WATCHES;
            concerns = 0..self.hosts.len();
        }
        let looks = !concerns.is_empty();
        for host in concerns {
            self.watch_exceptions(host);
            let acting = self.hosts[host].kernel.acting();
            let before = std::mem::replace(&mut self.judge.hosts[host].acting, acting);
            match (before, acting) {
                (None, Some((term, _))) => self.started(host, term),
                (Some((old, _)), Some((term, _))) if old != term => self.started(host, term),
                (Some((term, _)), None) => {
                    self.say(host, || format!("nothing of COMMAND is left in term {term}"));
                }
                _ => {}
            }
            self.watch_rules(host);
        }
        let acts =
            |(host, view): (&Host, &HostView)| host.asleep.is_none() && view.acting.is_some();
        let acted = self.judge.acts;
        if looks {
            self.judge.acts = self.hosts.iter().zip(&self.judge.hosts).any(acts);
        }
        if acted || self.judge.acts {
            self.judge.acted_at = self.now;
        }
    }

    fn watch_exceptions(&mut self, number: HostNumber) {
        let host = &self.hosts[number];
        let Some((_, id)) = host.kernel.acting() else {
            self.judge.hosts[number].excepted.iter_mut().for_each(|it| it.0 = false);
            return;
        };
        let margin = self.workloads[number].margin.as_nanos() as u64;
        let guard = host.guards.get(&id);
        let guard_lives = guard.is_some_and(|guard| guard.alive);
        let guard_acts = guard_lives && host.can_run(HostTask::Guard(id));
        let keeper = guard.is_some_and(|guard| guard.keeper) && host.can_run(HostTask::Keeper(id));
        let program = host.lead.as_ref().is_some_and(|lead| lead.guard == id);
        let program_acts = program && host.can_run(HostTask::Loop);
        let still = !guard_acts && !program_acts && !(keeper && (!guard_lives || !program));
        // In the order of all exceptions.
        let now = [
            still,
            host.asleep.is_some(),
            // Half of the margin is for the program, if the guard is stuck.
            host.starved > margin / 2,
            host.kernel.uninterruptible,
        ];
        let view = &mut self.judge.hosts[number];
        view.left_at = if program { None } else { view.left_at.or(Some(self.now)) };
        for ((before, at), there) in view.excepted.iter_mut().zip(now) {
            // What was there has been until now.
            if std::mem::replace(before, there) || there {
                *at = Some(self.now);
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
        self.judge.hosts[number].started_at = self.now;
        let before = self.note_acted();
        for other in (0..self.hosts.len()).filter(|&other| other != number) {
            if self.judge.hosts[other].acting.is_some() {
                self.overlap((number, term), self.excepted(other));
            }
            self.note_certain(other, term);
        }
        let start = self.tenure(number, term);
        self.judge.events.starts.push(start);
        let history = self.judge_events();
        if term != before
            && let Some(&vacancy) = history.vacancies.last()
        {
            let kind = match (self.judge.faults.len(), self.judge.faults.first()) {
                (1, Some(&fault)) => self.faults[fault].fault.kind(),
                (0, _) => "start".to_owned(),
                _ => "several".to_owned(),
            };
            self.report.vacancies.entry(kind).or_default().push(vacancy);
        }
    }

    /// Returns what the judge is told of a host in a term.
    pub(crate) fn tenure(&self, number: HostNumber, term: u64) -> TenureEvent {
        TenureEvent { term, member: self.names[number].clone(), at: self.now }
    }

    /// Tells until when a command has acted, before now. Returns the term of the last one.
    pub(crate) fn note_acted(&mut self) -> u64 {
        let term = self.judge.events.starts.last().map_or(0, |start| start.term);
        self.judge.events.ends.push((self.judge.acted_at.min(self.now.saturating_sub(1)), term));
        term
    }

    /// Judges what has happened so far as on real hosts.
    pub(crate) fn judge_events(&mut self) -> RunHistory {
        let history = RunHistory::so_far(&self.judge.events, self.judge.promises);
        for why in &history.broken {
            if !self.report.broken.iter().any(|(_, known)| known == why) {
                self.broken(why);
            }
        }
        history
    }

    /// A command of this term has started while another one acts.
    pub(crate) fn overlap(
        &mut self,
        (number, term): (HostNumber, u64),
        excepted: Option<Exception>,
    ) {
        match excepted {
            Some(exception) => *self.report.exceptions.entry(exception).or_default() += 1,
            None => {
                let start = self.tenure(number, term);
                self.judge.events.overlaps.push(start);
            }
        }
    }

    /// Returns why the command of a host may live now, although its leadership is over.
    pub(crate) fn excepted(&self, number: HostNumber) -> Option<Exception> {
        let view = &self.judge.hosts[number];
        // It was due at its deadline, or when its program was gone.
        let margin = self.workloads[number].margin.as_nanos() as u64;
        let due = view.deadline.saturating_sub(margin).min(view.left_at.unwrap_or(u64::MAX));
        let holds = |&(exception, &(there, last)): &(Exception, &(bool, Option<u64>))| {
            let last = if there { Some(self.now) } else { last };
            last.is_some_and(|at| match exception {
                Exception::Suspended => at + RESUMED >= self.now,
                _ => at >= due,
            })
        };
        Exception::ALL.into_iter().zip(&view.excepted).find(holds).map(|(exception, _)| exception)
    }

    /// Tells of a leadership that is certain when a newer command starts: by its handle, or by its lease's file.
    fn note_certain(&mut self, other: HostNumber, term: u64) {
        self.set_clock(other);
        let now = self.boottime(other);
        let host = &self.hosts[other];
        let held = self.leadership(other);
        let certain = |held: &Leadership| held.term() < term && !held.valid_for().is_zero();
        // A guard whose keeper was killed has all processes killed, and the office released by the crash notifier.
        let handle = held.filter(|held| certain(held) && host.released != Some(held.term()));
        let file = host.guards.values().filter_map(|guard| guard.lease);
        let file = file.filter(|&(old, until)| old < term && until > now).map(|(old, _)| old).min();
        let file = file.filter(|_| self.excepted(other).is_none());
        if let Some(old) = handle.map(Leadership::term).or(file)
            && host.asleep.is_none()
        {
            let held = self.tenure(other, old);
            self.judge.events.certain.push(held);
        }
    }

    /// Looks at what may not last: each rule with how long it may.
    fn watch_rules(&mut self, number: HostNumber) {
        let rules = self.rules(number);
        let since = &mut self.judge.hosts[number].since;
        let mut broken = None;
        for ((rule, since), (holds, limit)) in RULES.iter().zip(since).zip(rules) {
            *since = if holds { since.or(Some(self.now)) } else { None };
            if since.is_some_and(|since| self.now - since > limit) {
                broken.get_or_insert(*rule);
            }
        }
        if let Some(rule) = broken {
            self.broken(&format!("host {number} {rule}"));
        }
    }

    /// Returns the leadership of the office that the member of a host has, if any.
    fn leadership(&self, number: HostNumber) -> Option<&Leadership> {
        let host = &self.hosts[number];
        if !host.served {
            return host.lead.as_ref()?.held.as_ref()?.leadership();
        }
        let mut served = host.program.as_ref()?.served.values().filter(|it| it.office == OFFICE);
        served.find_map(ServedProgram::held)
    }

    /// Returns what operators are told of COMMAND: why it does not run, if it does not.
    fn told_of_command(&self, number: HostNumber) -> Option<&Option<String>> {
        let host = &self.hosts[number];
        if !host.served {
            return host.lead.as_ref()?.told.as_ref();
        }
        // A program that is gone says nothing any more.
        let says = |(id, it): &(&u64, &ServedProgram)| {
            it.office == OFFICE && it.held().is_some() && self.connections.has_program(**id)
        };
        host.program.as_ref()?.served.iter().filter(says).find_map(|(_, it)| it.work.as_ref())
    }

    /// Returns which of the rules apply now, and for how long they may.
    fn rules(&self, number: HostNumber) -> [(bool, u64); RULES.len()] {
        let host = &self.hosts[number];
        let lead = host.lead.as_deref();
        let engine = host.can_run(HostTask::Engine);
        let looks = engine && host.can_run(HostTask::Loop);
        let guard = lead.and_then(|lead| Some((lead.guard, host.guards.get(&lead.guard)?)));
        let guarded = guard.is_some_and(|(id, guard)| {
            guard.alive && guard.keeper && guard.has_begun() && host.can_run(HostTask::Guard(id))
        });
        // Nothing keeps the program and its guard from what they want to do.
        let undisturbed = host.starved == 0 && !host.kernel.uninterruptible;
        let free = looks && guarded && undisturbed && !host.no_fork;
        let leadership = self.leadership(number);
        let leads = leadership.is_some_and(|held| !held.valid_for().is_zero());
        let acting = self.judge.hosts[number].acting;
        let acts = acting.is_some();
        let alone = |id| {
            lead.is_none_or(|lead| lead.guard != id)
                && host.guards.get(&id).is_some_and(|guard| guard.alive)
                && host.can_run(HostTask::Guard(id))
        };
        let told = self.told_of_command(number);
        let asked = leads && leadership.is_some_and(Leadership::is_stopping);
        let unasked =
            || host.kernel.all_acting().any(|(_, process)| process.child && !process.asked);
        let unwritable = host.program.as_ref().is_some_and(|program| program.unwritable);
        let probes = self.workloads[number].health.is_some() && host.unhealthy;
        let led_by = lead.and_then(LeadProcess::led_by);
        let alone_led = led_by.is_some_and(|id| self.connections.is_over(id, self.now));
        let lease = self.timing.lease.as_nanos() as u64;
        let [program, member] =
            [ServiceUnit::Lead, ServiceUnit::Serve].map(|unit| self.stands_still(number, unit));
        [
            (engine && leads && !acts && !matches!(told, Some(Some(_))), SILENT + lease),
            (engine && leads && !acts, IDLE),
            (free && leads && acts && host.kernel.command().is_none(), LEAVES),
            (looks && asked, LEAVES),
            (free && leads && !acts && matches!(told, Some(None)), CLAIMS),
            (free && asked && unasked(), ASKS),
            (engine && host.starved == 0 && leads && unwritable, FAILS),
            // Where no other host can lead, and so nothing has to be promised, it goes on.
            (engine && leads && host.disk == Disk::Stuck && self.hosts.len() > 1, HANGS + lease),
            (free && leads && probes && unasked(), SICK),
            (program.1, WATCHDOG + SECOND),
            (undisturbed && acting.is_some_and(|(_, id)| alone(id)) && unasked(), CLAIMS),
            (member.1, WATCHDOG + SECOND),
            (free && acts && alone_led && unasked(), CLAIMS),
            (program == (true, false), u64::MAX),
            (member == (true, false), u64::MAX),
            (free && self.workloads[number].ready.is_some() && host.unready && !leads, u64::MAX),
            (free, u64::MAX),
        ]
    }

    /// All should be well by now: COMMAND acts on one host, and all members say so. Where the first host may take the
    /// office back, that may be under way: then it is looked at once more, a while later.
    pub(crate) fn judge_all(&mut self) {
        let since = self.judge.looks_again.take();
        if since.is_some_and(|shakes| shakes != self.judge.shakes) {
            return;
        }
        match self.well() {
            Ok(()) => {}
            Err(_) if self.takes_back && since.is_none() => {
                self.judge.looks_again = Some(self.judge.shakes);
                return self.queue.push(self.now + TAKES, WorldEvent::Judge);
            }
            Err(why) => return self.broken(&why),
        }
        self.report.judgements += 1;
        for host in 0..self.hosts.len() {
            let logged = std::mem::take(&mut self.judge.hosts[host].logged);
            self.report.most_logged = self.report.most_logged.max(logged);
            if logged > LINES {
                self.broken(&format!("the program of host {host} has logged {logged} lines"));
            }
            let living = self.hosts[host].guards.values().filter(|guard| guard.alive).count();
            self.report.most_guards = self.report.most_guards.max(living);
        }
        self.judge.faults.clear();
    }

    /// Returns why not all is well, if so.
    fn well(&mut self) -> Result<(), String> {
        let acting: Vec<_> = (0..self.hosts.len())
            .filter_map(|host| Some((host, self.judge.hosts[host].acting?.0)))
            .collect();
        let [(leader, term)] = *acting.as_slice() else {
            return Err(format!("COMMAND acts on {} hosts", acting.len()));
        };
        let lead = self.hosts[leader].lead.as_ref();
        let value = lead.map(|lead| value_of(&self.names[leader], lead.number));
        let right = (leader, term, value.unwrap_or_default());
        (0..self.hosts.len()).try_for_each(|host| self.tells(host, OFFICE, &right))?;
        self.clients_are_well()?;
        self.members_agree()?;
        let waits = |host: &Host| host.lead.as_ref().is_some_and(|lead| lead.leaves);
        if let Some(host) = self.hosts.iter().position(waits) {
            return Err(format!("the program of host {host} waits for its member to release db"));
        }
        let lead = self.hosts[leader].lead.as_ref();
        let kept = self.hosts[leader].guards.values().any(|guard| guard.kept == Some(term))
            || lead.is_some_and(|lead| lead.notifies == Some(term));
        if !kept && self.now - self.judge.hosts[leader].started_at > SECOND {
            return Err(format!("no crash notifier looks after term {term}"));
        }
        Ok(())
    }

    /// Checks that a member tells who leads an office, in which term, and with which value.
    pub(crate) fn tells(
        &mut self,
        host: HostNumber,
        office: &str,
        (leader, term, value): &(HostNumber, u64, String),
    ) -> Result<(), String> {
        let standing = self.standing(host, office);
        let standing = standing.ok_or(format!("the member of host {host} does not answer"))?;
        let told = standing.leader().map_or("-", |leader| &*leader.name);
        let told = (told, standing.term().unwrap_or(0));
        let why = disagrees(&self.names[host], told, (&self.names[*leader], *term));
        if let Some(why) = why {
            return Err(format!("{office}: {why}"));
        }
        if standing.value() != Some(value) {
            let told = standing.value();
            return Err(format!(
                "host {host} tells of the value {told:?} of {office}, not {value:?}"
            ));
        }
        Ok(())
    }

    fn standing(&mut self, number: HostNumber, office: &str) -> Option<OfficeStanding> {
        let program = self.hosts[number].program.as_ref()?;
        let office = program.member.office(office);
        let mut asked: Awaited<_> = Box::pin(async move { office.standing().await });
        let _ = poll(&mut asked);
        self.run_engine(number);
        poll(&mut asked)?.ok()
    }
}
