//! The world: hosts, the network between them, and the loop of events.

mod awaited;
mod clients;
mod connections;
mod guarded;
mod host;
mod judge;
mod lead;
mod links;
mod members;
mod program;
mod reload;
mod served;
mod session;
mod steps;
mod watchdog;

use crate::certificates::ClusterCertificates;
use crate::clock::{ClockRate, MICRO, MILLI, SECOND};
use crate::faults::{FaultTarget, TimedWorldFault, Victim, WorldFault};
use crate::kernel::{Kernel, Pid};
use crate::plan::WorldPlan;
use crate::queue::{HostNumber, HostTask, ServiceUnit, WorldEvent, WorldQueue};
use crate::report::WorldReport;
use awaited::{Awaited, poll};
use clients::{ClientClaims, ProgramClient};
use connections::ClientConnections;
use host::{Disk, Host};
use judge::Judge;
use links::MemberLinks;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use suffrage_net::tls::Tls;
use suffrage_numbers::random::Generator;
use tenure_cli::lead::Args;
use tenure_cli::testing;
use tenure_guard::{Exit, Workload};
use tenure_model::{Memory, Office, Peer, Term};
use tenure_node::records::{Loaded, MemberRecord};
use tenure_node::testing::SteppedMember;
use tenure_node::{LeaseTiming, OfficeName};
use tenure_scenarios::CutWays;

/// The office for which all hosts stand.
pub(crate) const OFFICE: &str = "db";

/// 28 November 2026, in nanoseconds since 1970.
const BEGINNING: u64 = 1_795_824_000 * SECOND;

/// A cluster whose every host runs `tenure lead`, and the faults that it meets.
pub struct ServiceWorld {
    pub(crate) now: u64,
    pub(crate) queue: WorldQueue,
    pub(crate) hosts: Vec<Host>,
    pub(crate) names: Vec<String>,
    /// The host that has, or had, each number of a member.
    pub(crate) numbers: Vec<HostNumber>,
    /// The number as which each record was used, by its host and the number of the store.
    pub(crate) owners: BTreeMap<(HostNumber, u128), Peer>,
    /// The sets of members whose majorities decide, each a bit, by the number of the configuration.
    pub(crate) electorates: BTreeMap<u64, Vec<u64>>,
    pub(crate) timing: LeaseTiming,
    pub(crate) settings: Vec<&'static Args>,
    pub(crate) workloads: Vec<Workload>,
    /// Whether the first host may take the office back long after a fault.
    pub(crate) takes_back: bool,
    pub(crate) clients: Vec<ProgramClient>,
    pub(crate) connections: ClientConnections,
    pub(crate) claims: ClientClaims,
    pub(crate) links: MemberLinks,
    pub(crate) certificates: ClusterCertificates,
    pub(crate) dice: Generator,
    /// The number of guards that were spawned.
    pub(crate) guards: u64,
    pub(crate) faults: Vec<TimedWorldFault>,
    /// The host that each fault has hit, by number of fault.
    hit: Vec<HostNumber>,
    /// How many faults cut the way from one host to another.
    cut: Vec<Vec<u32>>,
    pub(crate) loss: u32,
    pub(crate) delay: u64,
    /// How long a write takes more than usual, at most, in nanoseconds.
    disk: u64,
    pub(crate) judge: Judge,
    pub(crate) report: WorldReport,
    /// When it ends, a while after it was judged last.
    end: u64,
    /// Whether to write what happens to the standard output.
    trace: bool,
}

/// More events in one instant are too many.
const SPINS: u32 = 100_000;

impl ServiceWorld {
    /// Returns whether two hosts hear each other.
    pub(crate) fn is_open_between(&self, one: HostNumber, other: HostNumber) -> bool {
        self.cut[one][other] == 0 && self.cut[other][one] == 0
    }

    /// Makes a world; `trace` writes what happens to the standard output.
    ///
    /// # Errors
    /// If a command line of `tenure lead` cannot be used.
    pub fn new(plan: &WorldPlan, trace: bool) -> anyhow::Result<Self> {
        let names: Vec<String> = (0..plan.hosts).map(|host| format!("host-{host}")).collect();
        let (mut settings, mut workloads) = (Vec::new(), Vec::new());
        for (host, name) in names.iter().enumerate() {
            let first = if host == 0 { &*plan.first_flags } else { "" };
            let line = format!("lead {OFFICE} --config c.toml {} {first} -- sh", plan.flags);
            let read: &Args = Box::leak(Box::new(testing::lead_settings(&line)?));
            workloads.push(testing::workload(read, name, plan.timing.stop, &plan.timing)?);
            settings.push(read);
        }
        let mut dice = Generator::new(plan.seed, "world");
        let certificates = ClusterCertificates::new(&names)?;
        let hosts = (0..plan.hosts).map(|host| {
            let credentials = certificates.credentials((host, &names[host]), None, &[])?;
            let tls = Tls::new(credentials)?;
            Ok(Host::new(host, SECOND + dice.below(1000 * SECOND), tls, plan.served))
        });
        let hosts = hosts.collect::<anyhow::Result<Vec<Host>>>()?;
        let mut world = Self {
            now: 0,
            queue: WorldQueue::new(plan.hosts),
            hosts,
            names,
            numbers: (0..plan.hosts).collect(),
            owners: BTreeMap::new(),
            electorates: BTreeMap::new(),
            timing: plan.timing,
            settings,
            workloads,
            takes_back: plan.first_flags.contains("--take-back"),
            clients: Vec::new(),
            connections: ClientConnections::default(),
            claims: ClientClaims::default(),
            links: MemberLinks::default(),
            certificates,
            guards: 0,
            faults: plan.faults.clone(),
            hit: vec![0; plan.faults.len()],
            cut: vec![vec![0; plan.hosts]; plan.hosts],
            loss: 0,
            delay: 0,
            disk: plan.disk.0,
            judge: Judge::new(plan),
            report: WorldReport::default(),
            end: 0,
            trace,
            dice,
        };
        for host in 0..plan.hosts {
            let at = world.dice.below(50 * MILLI);
            world.start_at(at, host);
        }
        world.make_clients();
        for (number, fault) in plan.faults.iter().enumerate() {
            world.queue.push(fault.at.0, WorldEvent::FaultBegins(number));
        }
        for at in plan.judged_at() {
            world.queue.push(at, WorldEvent::Judge);
            world.end = at + if world.takes_back { 15 * SECOND } else { SECOND };
        }
        Ok(world)
    }

    /// Lets everything happen until the end, or until a promise is broken, or it is interrupted. Returns what was seen.
    #[must_use]
    pub fn run(mut self, interrupted: &AtomicBool) -> WorldReport {
        let mut instants = 0;
        while let Some((at, event)) = self.queue.pop().filter(|&(at, _)| at <= self.end) {
            instants = if at > self.now { 0 } else { instants + 1 };
            if instants > SPINS {
                self.broken("events follow each other without end, and no time passes");
                break;
            }
            self.now = at;
            self.report.events += 1;
            let concerns = event.concerns(self.hosts.len());
            self.handle(event);
            self.watch(concerns);
            let looks = self.report.events.is_multiple_of(1 << 16);
            if !self.report.broken.is_empty() || looks && interrupted.load(Ordering::Relaxed) {
                break;
            }
        }
        self.report.length = self.now;
        self.note_acted();
        self.judge.events.end = Some(self.now);
        self.judge_events();
        // In the order of the hosts.
        for host in 0..self.hosts.len() {
            self.end_lead(host);
            self.end_program(host, true);
        }
        self.report
    }

    fn handle(&mut self, event: WorldEvent) {
        if event.waits_on().is_some_and(|host| self.hosts[host].asleep.is_some()) {
            return self.queue.push(self.now + 10 * MILLI, event);
        }
        match event {
            WorldEvent::Run(host, task, waited) => self.run_task(host, task, waited),
            WorldEvent::Arrive(host, from, bytes) => {
                let (host, number) = (self.numbers[host], Peer(host as u32));
                let up = self.hosts[host].downs == 0 && self.hosts[host].me == number;
                if let Some(sink) = self.hosts[host].sink.as_ref().filter(|_| up) {
                    sink.deliver(from, &bytes);
                    self.wake(host, HostTask::Engine);
                }
            }
            WorldEvent::Dial(host, start, peer) => self.dial(host, start, peer),
            WorldEvent::HandshakeEnds(host, start, peer, reaches) => {
                self.handshake_ends(host, start, peer, reaches);
            }
            WorldEvent::Carried(id, side, datagram) => self.carried(id, side, &datagram),
            WorldEvent::LookAtLink(id) => self.look_at_link(id),
            WorldEvent::LinkEnds(id) => self.link_ends(id),
            WorldEvent::TwinDials(host) => self.twin_dials(host),
            WorldEvent::Synced(host, start, number) => self.synced(host, start, number),
            WorldEvent::Executed(host, pid) => self.executed(host, pid),
            WorldEvent::Ends(host, pid, code) => self.process_ends(host, pid, code),
            WorldEvent::GuardStarts(host, guard, tries) => self.guard_starts(host, guard, tries),
            WorldEvent::NotifierRuns(host, start, term) => self.notifier_runs(host, start, term),
            WorldEvent::NotifierTells(host, me, term) => {
                // Without power it is gone.
                if !self.hosts[host].is_down() {
                    self.release_by_notifier(host, me, term);
                }
            }
            WorldEvent::Start(host, unit) => self.start(host, unit),
            WorldEvent::Watchdog(host, unit, start) => self.look_at_watchdog(host, unit, start),
            WorldEvent::FaultBegins(number) => self.fault_begins(number),
            WorldEvent::FaultEnds(number) => self.fault_ends(number),
            WorldEvent::Operate(host) => self.operate_members(host),
            WorldEvent::Judge => self.judge_all(),
        }
    }

    fn process_ends(&mut self, host: HostNumber, pid: Pid, code: i32) {
        let kernel = &mut self.hosts[host].kernel;
        let Some(process) = kernel.get(pid) else { return };
        let guard = process.guard;
        if process.stopped {
            let again = WorldEvent::Ends(host, pid, code);
            return self.queue.push(self.now + 10 * MILLI, again);
        }
        kernel.end(pid, Exit::Code(code));
        if let Some(guard) = self.hosts[host].guards.get_mut(&guard)
            && guard.on_win.0 == Some(pid)
        {
            guard.on_win.1 = code == 0;
        }
        self.wake(host, HostTask::Guard(guard));
    }

    fn run_task(&mut self, host: HostNumber, task: HostTask, waited: bool) {
        if !self.hosts[host].can_run(task) {
            self.hosts[host].pending.insert(task);
            return;
        }
        let starved = self.hosts[host].starved;
        if starved > 0 && !waited {
            let waits = self.dice.below(starved);
            return self.queue.wait(host, task, self.now + waits);
        }
        match task {
            HostTask::Engine => self.run_engine(host),
            HostTask::Ends => self.run_ends(host),
            HostTask::Loop => self.run_loop(host),
            HostTask::Serve => self.run_serve(host),
            HostTask::Guard(guard) => self.run_guard(host, guard),
            HostTask::Keeper(guard) => self.run_keeper(host, guard),
            HostTask::Served => self.run_served(host),
            HostTask::Client(client) => self.run_client(host, client),
        }
    }

    /// Lets a task run as soon as there is a processor.
    pub(crate) fn wake(&mut self, host: HostNumber, task: HostTask) {
        self.wake_in(host, task, 0);
    }

    pub(crate) fn wake_in(&mut self, host: HostNumber, task: HostTask, time: u64) {
        let usual = 5 * MICRO + self.dice.below(60 * MICRO);
        self.queue.schedule(host, task, self.now + time + usual);
    }

    /// Lets a task run at an instant of its host's clock.
    pub(crate) fn wake_at(&mut self, host: HostNumber, task: HostTask, local: u64) {
        let at = self.hosts[host].rate.world(local).max(self.now);
        if self.queue.runs_at(host, task).is_none_or(|before| at < before) {
            self.wake_in(host, task, at - self.now);
        }
    }

    /// Lets tasks run that could not before.
    fn resume(&mut self, host: HostNumber) {
        let pending = std::mem::take(&mut self.hosts[host].pending);
        for task in pending {
            self.wake(host, task);
        }
    }

    /// Sets the clock that the program of a host reads.
    pub(crate) fn set_clock(&self, host: HostNumber) {
        let host = &self.hosts[host];
        let since_1970 = BEGINNING + self.now - host.set_back.min(BEGINNING);
        host.clock.set(host.rate.local(self.now), since_1970);
    }

    /// Lets something arrive that is sent from host to host, unless it is lost.
    pub(crate) fn send_from(&mut self, (from, to): (HostNumber, HostNumber), arrives: WorldEvent) {
        let lost = self.loss > 0 && self.dice.below(100) < u64::from(self.loss);
        if lost || self.cut[from][to] > 0 || self.hosts[from].asleep.is_some() {
            return;
        }
        let takes = 150 * MICRO + self.dice.below(300 * MICRO) + self.delay;
        self.queue.push(self.now + takes, arrives);
    }

    /// A crash notifier tells all members that no process of a leadership is left.
    pub(crate) fn release_by_notifier(&mut self, host: HostNumber, me: Peer, term: u64) {
        self.say(host, || format!("the crash notifier releases term {term}"));
        // Another leadership of this host may have a COMMAND, too.
        if self.hosts[host].kernel.acts_in(term) {
            self.broken(&format!("host {host}: the office is released while COMMAND runs"));
        }
        self.hosts[host].released = Some(term);
        let office = OfficeName::new(OFFICE).map_or(Office(0), |office| office.number());
        let message = SteppedMember::ended_message(office, Term(term));
        for to in 0..self.hosts.len() {
            if to != host {
                let number = self.hosts[to].me.0 as usize;
                self.send_from((host, to), WorldEvent::Arrive(number, me, message.clone()));
            }
        }
    }

    /// Hands a record to the disk.
    pub(crate) fn submit(
        &mut self,
        host: HostNumber,
        start: u64,
        number: u64,
        record: MemberRecord,
    ) {
        if !SteppedMember::has_roster(&record) {
            self.broken(&format!("host {host} writes a configuration without its roster"));
        }
        let store = self.hosts[host].record.store;
        let loaded = Loaded { record, store, ..Loaded::nothing(Memory::Kept) };
        if let Some(program) = &mut self.hosts[host].program {
            program.writing = Some((number, loaded, self.now));
        }
        self.write(host, start, number);
    }

    fn write(&mut self, host: HostNumber, start: u64, number: u64) {
        let mut usual = 500 * MICRO + self.dice.below(2 * MILLI);
        if self.disk > 0 {
            usual += self.dice.below(self.disk);
        }
        let takes = match self.hosts[host].disk {
            Disk::Good => usual,
            Disk::Slow(time) => time + usual,
            Disk::Failed => 500 * MILLI,
            // The end of the fault writes it.
            Disk::Stuck => return,
        };
        if self.hosts[host].disk == Disk::Failed
            && let Some(program) = &mut self.hosts[host].program
        {
            program.unwritable = true;
            program.member.unwritable("no space is left");
            self.wake(host, HostTask::Engine);
        }
        self.queue.push(self.now + takes, WorldEvent::Synced(host, start, number));
    }

    fn synced(&mut self, host: HostNumber, start: u64, number: u64) {
        let disk = self.hosts[host].disk;
        let Some(program) = &mut self.hosts[host].program else { return };
        let is = |(other, ..): &(u64, Loaded, u64)| *other == number && program.number == start;
        if !program.writing.as_ref().is_some_and(is) || disk == Disk::Stuck {
            return;
        }
        if disk == Disk::Failed {
            return self.write(host, start, number);
        }
        if let Some((number, record, since)) = program.writing.take() {
            program.unwritable = false;
            program.member.synced(number, Duration::from_nanos(self.now - since));
            self.hosts[host].record = record;
            self.wake(host, HostTask::Engine);
        }
    }

    fn disk_works(&mut self, host: HostNumber) {
        self.hosts[host].disk = Disk::Good;
        let program = self.hosts[host].program.as_ref();
        if let Some((start, number)) =
            program.and_then(|program| Some((program.number, program.writing.as_ref()?.0)))
        {
            self.write(host, start, number);
        }
    }

    fn target(&self, target: FaultTarget) -> HostNumber {
        let leader = self.judge.leader().unwrap_or(0);
        match target {
            FaultTarget::Host(host) => host,
            FaultTarget::Leader => leader,
            // Those before the leader have numbers that are one less.
            FaultTarget::Follower(number) if number <= leader => number - 1,
            FaultTarget::Follower(number) => number,
            FaultTarget::Everywhere => 0,
        }
    }

    fn fault_begins(&mut self, number: usize) {
        let timed = self.faults[number];
        let host = self.target(timed.target);
        self.say(host, || format!("FAULT {timed}"));
        if timed.fault.moves() {
            self.judge.shaken(number, self.now);
        }
        self.begin(timed.fault, host);
        *self.report.faults.entry(timed.fault.kind()).or_default() += 1;
        self.hit[number] = host;
        if timed.lasts.0 > 0 {
            self.queue.push(self.now + timed.lasts.0, WorldEvent::FaultEnds(number));
        }
    }

    pub(crate) fn begin(&mut self, fault: WorldFault, number: HostNumber) {
        let host = &mut self.hosts[number];
        match fault {
            WorldFault::Kill(victim) => self.kill(number, victim),
            WorldFault::Stop(victim) => self.stop(number, victim, true),
            WorldFault::Quit { server: true } if host.served => {
                if let Some(program) = &mut host.program {
                    program.quits += 1;
                    self.wake(number, HostTask::Serve);
                }
            }
            WorldFault::Quit { .. } => {
                if let Some(lead) = &mut host.lead {
                    lead.quits += 1;
                    self.wake(number, HostTask::Loop);
                }
            }
            WorldFault::Crash { lost } => self.crash(number, lost),
            WorldFault::Sleep => {
                // Without power it is not suspended.
                if host.asleep.is_none() && host.downs == 0 {
                    host.asleep = Some(host.rate.local(self.now));
                }
            }
            WorldFault::Starve(time) => host.starved = time.0,
            WorldFault::SlowDisk(time) => host.disk = Disk::Slow(time.0),
            WorldFault::StuckDisk => host.disk = Disk::Stuck,
            WorldFault::FailedDisk => host.disk = Disk::Failed,
            WorldFault::Cut(ways) => self.cut(number, ways, 1),
            WorldFault::Loss(percent) => self.loss += percent,
            WorldFault::Delay(time) => self.delay += time.0,
            WorldFault::Clock(ppm) => self.set_rate(number, ppm),
            WorldFault::SetBack(time) => host.set_back += time.0,
            WorldFault::Exit(code) => {
                if let Some(pid) = host.kernel.command() {
                    self.process_ends(number, pid, i32::from(code));
                }
            }
            WorldFault::NoExec => host.no_exec = true,
            WorldFault::NoFork => host.no_fork = true,
            WorldFault::Uninterruptible => host.kernel.uninterruptible = true,
            WorldFault::Unready => host.unready = true,
            WorldFault::Unhealthy => host.unhealthy = true,
            WorldFault::NoHook => host.no_hook = true,
            WorldFault::HungHook => host.hung_hook = true,
            WorldFault::SlowNotifier(time) => host.slow_notifier = time.0,
            WorldFault::Flood => self.flood(number),
            WorldFault::Deaf => {
                host.deaf = true;
                self.wake_clients(number);
            }
            WorldFault::Reload(file) => self.reload(number, file),
            WorldFault::Resign => self.operate(number, None),
            WorldFault::Removed => self.remove_member(number),
            WorldFault::Forced => self.destroy_others(number),
            WorldFault::Certificate(wrong) => {
                host.certificate = Some((wrong, self.now));
                self.write_certificates();
            }
            WorldFault::Rotated => self.rotate_certificates(),
            WorldFault::Upgraded { alone } => {
                host.upgraded = Some(alone);
                self.kill(number, Victim::Server);
            }
            WorldFault::Twin => self.start_twin(number),
            WorldFault::Transfer => self.operate(number, Some(self.names[number].clone())),
        }
    }

    fn fault_ends(&mut self, number: usize) {
        let (timed, host) = (self.faults[number], self.hit[number]);
        self.say(host, || format!("END of {timed}"));
        self.judge.shaken(number, self.now);
        self.end(timed.fault, host);
    }

    fn end(&mut self, fault: WorldFault, number: HostNumber) {
        let host = &mut self.hosts[number];
        match fault {
            WorldFault::Stop(victim) => self.stop(number, victim, false),
            WorldFault::Crash { .. } => {
                host.downs -= 1;
                if host.downs == 0 {
                    host.rate = ClockRate::new(self.now, SECOND, 0);
                    host.slept = 0;
                    self.start_at(self.now + 50 * MILLI, number);
                    self.wake_clients(number);
                }
            }
            WorldFault::Sleep => {
                if let Some(since) = host.asleep.take() {
                    host.slept += host.rate.local(self.now) - since;
                }
                self.resume(number);
            }
            WorldFault::Starve(_) => host.starved = 0,
            WorldFault::SlowDisk(_) | WorldFault::StuckDisk | WorldFault::FailedDisk => {
                self.disk_works(number);
            }
            WorldFault::Cut(ways) => self.cut(number, ways, -1),
            WorldFault::Loss(percent) => self.loss -= percent,
            WorldFault::Delay(time) => self.delay -= time.0,
            WorldFault::Clock(_) => self.set_rate(number, 0),
            WorldFault::NoExec => host.no_exec = false,
            WorldFault::NoFork => host.no_fork = false,
            WorldFault::Uninterruptible => {
                host.kernel.interrupt();
                self.wake_guards(number);
                self.wake(number, HostTask::Loop);
            }
            WorldFault::Deaf => {
                host.deaf = false;
                self.wake_clients(number);
            }
            WorldFault::Removed => self.add_member(number),
            WorldFault::Forced => self.restore_others(number),
            WorldFault::Certificate(_) => {
                host.certificate = None;
                self.write_certificates();
            }
            WorldFault::Upgraded { .. } => {
                host.upgraded = None;
                self.kill(number, Victim::Server);
            }
            WorldFault::Twin => self.end_twin(number),
            WorldFault::Unready => host.unready = false,
            WorldFault::Unhealthy => host.unhealthy = false,
            WorldFault::NoHook => host.no_hook = false,
            WorldFault::HungHook => host.hung_hook = false,
            WorldFault::SlowNotifier(_) => host.slow_notifier = 0,
            _ => {}
        }
    }

    /// Sets the rate of a clock. What waits for an instant of it looks again.
    fn set_rate(&mut self, number: HostNumber, ppm: i64) {
        self.hosts[number].rate.set_rate(self.now, ppm);
        for task in [HostTask::Engine, HostTask::Ends, HostTask::Loop] {
            self.wake(number, task);
        }
        if self.hosts[number].served {
            self.wake(number, HostTask::Serve);
        }
        self.wake_guards(number);
        self.wake_clients(number);
    }

    fn wake_guards(&mut self, number: HostNumber) {
        for guard in self.hosts[number].guards.keys().copied().collect::<Vec<_>>() {
            self.wake(number, HostTask::Guard(guard));
        }
    }

    fn kill(&mut self, number: HostNumber, victim: Victim) {
        let guard = self.hosts[number].guard();
        for unit in self.units_of(number, victim) {
            if let ServiceUnit::Lead = unit {
                self.hosts[number].suspended.remove(&HostTask::Loop);
            }
            if self.has_member(number, unit) {
                self.hosts[number].suspended.remove(&HostTask::Engine);
                self.hosts[number].member_stopped = false;
            }
            if self.end_unit(number, unit, true) {
                let pause = 100 * MILLI + self.dice.below(900 * MILLI);
                self.queue.push(self.now + pause, WorldEvent::Start(number, unit));
            }
        }
        if matches!(victim, Victim::Guard | Victim::Both | Victim::All)
            && let Some(guard) = guard
        {
            self.guard_ends(number, guard);
        }
        if matches!(victim, Victim::Keeper | Victim::All)
            && let Some(guard) = guard
        {
            self.keeper_ends(number, guard);
        }
        if victim == Victim::Notifier {
            self.notifier_ends(number);
        }
        if victim == Victim::Client {
            self.kill_clients(number, false);
        }
        if victim == Victim::Command {
            self.hosts[number].kernel.kill_commands();
            if let Some(guard) = guard {
                self.wake(number, HostTask::Guard(guard));
            }
        }
    }

    /// Returns whether a process has the member of its host in it.
    fn has_member(&self, number: HostNumber, unit: ServiceUnit) -> bool {
        self.hosts[number].served == (unit == ServiceUnit::Serve)
    }

    /// Returns which processes of the service manager a fault hits.
    fn units_of(&self, number: HostNumber, victim: Victim) -> Vec<ServiceUnit> {
        match victim {
            Victim::Server if self.hosts[number].served => vec![ServiceUnit::Serve],
            Victim::Server | Victim::Program | Victim::Both | Victim::All => {
                vec![ServiceUnit::Lead]
            }
            _ => Vec::new(),
        }
    }

    /// The service manager starts the processes of a host at this time.
    fn start_at(&mut self, at: u64, number: HostNumber) {
        if self.hosts[number].served {
            self.queue.push(at, WorldEvent::Start(number, ServiceUnit::Serve));
        }
        self.queue.push(at, WorldEvent::Start(number, ServiceUnit::Lead));
    }

    fn start(&mut self, number: HostNumber, unit: ServiceUnit) {
        match self.has_member(number, unit) {
            true => self.start_program(number),
            false => self.start_lead(number),
        }
    }

    /// Ends a process, however that happens. Returns whether it was there.
    fn end_unit(&mut self, number: HostNumber, unit: ServiceUnit, killed: bool) -> bool {
        match self.has_member(number, unit) {
            true => self.end_program(number, killed).is_some(),
            false if unit == ServiceUnit::Lead => self.end_lead(number).is_some(),
            false => false,
        }
    }

    fn stop(&mut self, number: HostNumber, victim: Victim, stopped: bool) {
        if victim == Victim::Command {
            return self.hosts[number].kernel.stop_commands(stopped);
        }
        if victim == Victim::Member {
            self.hosts[number].member_stopped = stopped;
            return self.resume(number);
        }
        // Where there is one host, further programs go on.
        let first = 2 * self.hosts.len();
        let units = self.units_of(number, victim);
        let served = self.hosts[number].served;
        let hits = |task: &HostTask| match task {
            HostTask::Engine if served => units.contains(&ServiceUnit::Serve),
            HostTask::Engine => units.contains(&ServiceUnit::Lead),
            HostTask::Loop => {
                victim == Victim::Loop || served && units.contains(&ServiceUnit::Lead)
            }
            HostTask::Guard(_) => matches!(victim, Victim::Guard | Victim::Both | Victim::All),
            HostTask::Keeper(_) => matches!(victim, Victim::Keeper | Victim::All),
            HostTask::Client(client) => victim == Victim::Client && *client < first,
            HostTask::Ends | HostTask::Served | HostTask::Serve => false,
        };
        if stopped {
            let guard = self.hosts[number].guard().into_iter();
            let tasks = guard.flat_map(|guard| [HostTask::Guard(guard), HostTask::Keeper(guard)]);
            let tasks = tasks.chain([HostTask::Engine, HostTask::Loop]);
            let tasks: Vec<_> = tasks.chain(self.client_tasks(number)).filter(hits).collect();
            self.hosts[number].suspended.extend(tasks);
        } else {
            self.hosts[number].suspended.retain(|task| !hits(task));
            self.resume(number);
        }
    }

    fn crash(&mut self, number: HostNumber, lost: bool) {
        for unit in [ServiceUnit::Lead, ServiceUnit::Serve] {
            self.end_unit(number, unit, true);
        }
        let guards = self.hosts[number].guards.values_mut();
        let kept: Vec<_> = guards.filter_map(|guard| guard.connection.take()).collect();
        kept.into_iter().for_each(|id| self.keep_connection(id, false));
        self.kill_clients(number, true);
        let host = &mut self.hosts[number];
        host.downs += 1;
        host.kernel = Kernel::default();
        host.guards.clear();
        self.queue.forget(number);
        host.pending.clear();
        host.suspended.clear();
        host.member_stopped = false;
        host.asleep = None;
        if lost {
            self.lose_record(number);
        }
    }

    fn cut(&mut self, number: HostNumber, ways: CutWays, more: i32) {
        for other in (0..self.hosts.len()).filter(|&other| other != number) {
            if ways != CutWays::In {
                let way = &mut self.cut[number][other];
                *way = way.saturating_add_signed(more);
            }
            if ways != CutWays::Out {
                let way = &mut self.cut[other][number];
                *way = way.saturating_add_signed(more);
            }
        }
    }

    /// An operator asks a member to have the office resigned, or transferred.
    fn operate(&mut self, number: HostNumber, to: Option<String>) {
        let Some(program) = &mut self.hosts[number].program else { return };
        let office = program.member.office(OFFICE);
        let mut asked: Awaited<_> = Box::pin(async move {
            match to {
                None => office.ask_to_resign().await,
                Some(to) => office.ask_to_transfer(&to).await,
            }
        });
        if poll(&mut asked).is_none() {
            program.operators.push((self.now, asked));
        }
        self.wake(number, HostTask::Engine);
    }

    pub(crate) fn say(&self, host: HostNumber, what: impl FnOnce() -> String) {
        if self.trace {
            println!("{:>14.6} host-{host}: {}", self.now as f64 / 1e9, what());
        }
    }

    /// A line of a program's log.
    pub(crate) fn log(&mut self, host: HostNumber, text: String) {
        self.judge.logged(host);
        self.say(host, || text);
    }

    /// A promise is broken.
    pub(crate) fn broken(&mut self, why: &str) {
        self.report.broken.push((self.now, why.to_owned()));
    }
}
