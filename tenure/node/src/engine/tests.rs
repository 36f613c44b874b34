//! Members in virtual time: that contest many offices at once on one processor that is too slow for it, and whose
//! leader is told to leave, and cannot.

use super::inbox::{Batch, EngineInbox};
use super::{EngineParts, EngineRequest, NodeEngine, WaitingProgram};
use crate::clock::DeadlineClock;
use crate::leadership::Leadership;
use crate::membership::ClusterMembers;
use crate::office::OfficeName;
use crate::records::MemoryStore;
use crate::roster::Roster;
use crate::timing::TICK;
use crate::transport::{Envelope, MessageSink, ParticipantTransport};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use tenure_model::{Peer, Ratio, Setting};
use tenure_protocol::value::LeaderValue;
use tokio::sync::oneshot;

const MEMBERS: u32 = 5;
/// In nanoseconds.
const HEARTBEAT: u64 = 50_000_000;

#[derive(Debug)]
struct Processor(AtomicU64);

impl DeadlineClock for Processor {
    fn now(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Links that deliver at once.
struct Links {
    me: Peer,
    sinks: Vec<MessageSink>,
}

impl ParticipantTransport for Links {
    fn send(&self, to: Peer, envelope: Envelope) {
        self.sinks[to.0 as usize].deliver(self.me, &envelope.bytes);
    }

    fn close(&self) {}
}

/// A program that stands for an office whenever it does not lead it.
struct Program {
    waits: Option<oneshot::Receiver<Leadership>>,
    leads: Option<Leadership>,
}

struct Host {
    engine: NodeEngine,
    inbox: Arc<EngineInbox>,
    programs: Vec<Program>,
}

impl Host {
    /// Lets the programs do what they would. Returns how many lead.
    fn run(&mut self, offices: &[OfficeName]) -> usize {
        for (program, office) in self.programs.iter_mut().zip(offices) {
            if let Some(won) = program.waits.as_mut().and_then(|it| it.try_recv().ok()) {
                (program.waits, program.leads) = (None, Some(won));
            }
            program.leads.take_if(|leads| leads.is_stopping());
            if program.waits.is_none() && program.leads.is_none() {
                let (answer, waits) = oneshot::channel();
                program.waits = Some(waits);
                let (priority, stop, confirms) = (None, None, false);
                let value = LeaderValue::default();
                let program = WaitingProgram { id: 0, priority, stop, confirms, value, answer };
                self.inbox.act(EngineRequest::Stand { office: office.clone(), program });
            }
        }
        self.programs.iter().filter(|program| program.leads.is_some()).count()
    }
}

/// What the only processor needs for a loop, in nanoseconds.
#[derive(Clone, Copy)]
struct Costs {
    /// For each message that is read.
    message: u64,
    /// For each turn that reads any: other programs have the processor before.
    turn: u64,
}

/// Members that all share a processor, with a program for each office.
struct TestCluster {
    clock: Arc<Processor>,
    hosts: Vec<Host>,
}

impl TestCluster {
    fn new(offices: usize) -> Self {
        Self::with(offices, 0)
    }

    /// Makes members of a cluster whose work may go on for this many ticks after a loss.
    fn with(offices: usize, stop: u32) -> Self {
        let clock = Arc::new(Processor(AtomicU64::new(1)));
        let inboxes: Vec<Arc<EngineInbox>> = (0..MEMBERS).map(|_| Arc::default()).collect();
        let names: Vec<String> = (0..MEMBERS).map(|number| format!("host-{number}")).collect();
        let host = |me: u32| {
            let sinks = inboxes.iter().map(EngineInbox::sink).collect();
            let inbox = inboxes[me as usize].clone();
            let setting = Setting {
                me: Peer(me),
                members: MEMBERS,
                heartbeat: 50_000,
                lease: 250_000,
                stop,
                clocks: Ratio { fastest: 101, slowest: 100 },
            };
            let members = ClusterMembers::founding(Roster::named(&names));
            let (name, links) = (&names[me as usize], Arc::new(Links { me: Peer(me), sinks }));
            let parts = EngineParts::new(
                setting,
                (name, "lab"),
                members,
                clock.clone(),
                links,
                inbox.clone(),
            );
            let store = Box::new(MemoryStore::founding());
            let parts = EngineParts { store, ..parts };
            let engine = NodeEngine::new(parts, Arc::new(AtomicU32::new(me))).unwrap();
            let programs = (0..offices).map(|_| Program { waits: None, leads: None }).collect();
            Host { engine, inbox, programs }
        };
        Self { hosts: (0..MEMBERS).map(host).collect(), clock }
    }

    fn sent(&self) -> u64 {
        self.hosts.iter().map(|host| host.engine.status.sent).sum()
    }

    /// Has the disk of a host fail and work again. Returns the leadership of its first program, and until when the work of
    /// that could count on it.
    fn fail_disk(&mut self, host: usize) -> (Leadership, u64) {
        let Host { engine, programs, .. } = &mut self.hosts[host];
        let led = programs[0].leads.take().unwrap();
        let promised = self.clock.now() + led.valid_for().as_nanos() as u64;
        engine.unwritable("it is full".to_owned());
        engine.synced(engine.written, 0, false);
        (led, promised)
    }

    /// Lets each loop take turns until one of its programs leads the only office, and returns where.
    fn elect(&mut self, offices: &[OfficeName]) -> usize {
        loop {
            self.step(FREE);
            self.hosts.iter_mut().for_each(|host| _ = host.run(offices));
            let leads = |host: &Host| host.programs[0].leads.is_some();
            if let Some(leader) = self.hosts.iter().position(leads) {
                return leader;
            }
        }
    }

    /// Runs all loops for this many heartbeats.
    fn run(&mut self, beats: u64) {
        let end = self.clock.now() + beats * HEARTBEAT;
        while self.clock.now() < end {
            self.step(FREE);
        }
    }

    /// Lets each loop take a turn. If none of them has anything to read, the next alarm is due.
    fn step(&mut self, costs: Costs) {
        let mut batch = Batch::default();
        let mut idle = true;
        for Host { engine, inbox, .. } in &mut self.hosts {
            // The disk is a thread of its own, whose answer is waited for so that every run is the same.
            while engine.submitted.is_some() && !inbox.is_synced() {
                std::thread::yield_now();
            }
            inbox.take(Some(std::time::Duration::ZERO), &mut batch);
            idle &= batch.actions.is_empty() && batch.mail.is_empty();
            let read = batch.mail.len() as u64;
            let cost = costs.message * read + costs.turn * read.min(1);
            self.clock.0.fetch_add(cost, Ordering::SeqCst);
            engine.turn(&mut batch);
        }
        if idle {
            let next = self.hosts.iter_mut().filter_map(|host| host.engine.alarms.next_due()).min();
            self.clock.0.fetch_max(next.unwrap_or(u64::MAX), Ordering::SeqCst);
        }
    }
}

const FREE: Costs = Costs { message: 0, turn: 0 };

fn named(offices: usize) -> Vec<OfficeName> {
    (0..offices).map(|number| OfficeName::new(&format!("office-{number}")).unwrap()).collect()
}

/// Returns after how many heartbeats all offices were led at once, `None` if they were not after a thousand
/// heartbeats; and whether all members find that many answers are late.
fn contest(offices: usize, costs: Costs) -> (Option<u64>, bool) {
    let offices = named(offices);
    let mut cluster = TestCluster::new(offices.len());
    loop {
        let leads: usize = cluster.hosts.iter_mut().map(|host| host.run(&offices)).sum();
        let beats = cluster.clock.now() / HEARTBEAT;
        if leads == offices.len() || beats > 1000 {
            let late = cluster.hosts.iter().all(|host| host.engine.answers.often_late());
            return ((beats <= 1000).then_some(beats), late);
        }
        cluster.step(costs);
    }
}

#[test]
fn a_contest_of_all_offices_ends_on_a_machine_that_is_too_slow_for_it() {
    let at_once = Some(0);
    assert_eq!(contest(300, Costs { message: 0, turn: 0 }), (at_once, false));
    // The 6,000 first claims alone take the processor 0.6 s, more than two leases.
    let (beats, _) = contest(300, Costs { message: 100_000, turn: 0 });
    assert!(beats.is_some_and(|beats| beats > 10), "{beats:?}");
}

#[test]
fn where_a_round_trip_takes_as_long_as_a_lease_no_office_is_led_and_members_know_why() {
    // Five loops wait for the processor for this long, one after the other, on each of the two ways.
    let waiting = |millis: u64| contest(1, Costs { message: 0, turn: millis * 1_000_000 });
    assert!(matches!(waiting(5), (Some(_), false)));
    assert_eq!(waiting(25), (None, true));
}

#[test]
fn a_transfer_from_a_leader_whose_work_does_not_end_is_told_so_and_ends() {
    let offices = named(1);
    let mut cluster = TestCluster::new(1);
    let leader = cluster.elect(&offices);
    // Its program is not run any more, and so never ends.
    let began = cluster.clock.now();
    let (other, asked) = ((leader + 1) % 5, (leader + 2) % 5);
    let (answer, mut answered) = oneshot::channel();
    let (office, to) = (offices[0].clone(), Some(format!("host-{other}")));
    cluster.hosts[asked].inbox.act(EngineRequest::Leave { office, to, answer });
    let refused = loop {
        cluster.step(FREE);
        if let Ok(answer) = answered.try_recv() {
            break answer.unwrap_err().to_string();
        }
    };
    let seconds = (cluster.clock.now() - began) / 1_000_000_000;
    assert!((60..70).contains(&seconds), "after {seconds} s");
    assert!(
        refused.starts_with(&format!("`office-0` is still led by host-{leader} in ")),
        "{refused}"
    );
    assert!(refused.ends_with("its work has not ended; it leaves when the work ends"), "{refused}");
    let led = cluster.hosts[leader].programs[0].leads.as_ref().unwrap();
    assert!(led.is_stopping() && led.check().is_ok());
}

#[test]
fn a_member_whose_disk_works_again_starts_when_no_work_counts_on_what_it_has_lost() {
    let offices = named(1);
    for drops in [false, true] {
        let mut cluster = TestCluster::new(1);
        let leader = cluster.elect(&offices);
        let (led, promised) = cluster.fail_disk(leader);
        let engine = &mut cluster.hosts[leader].engine;
        assert!(led.check().is_err() && engine.process.is_none());
        if drops {
            drop(led);
        } else {
            assert_eq!(engine.next_due(), Some(promised));
            cluster.clock.0.store(promised, Ordering::SeqCst);
        }
        engine.take_turn(Some(std::time::Duration::ZERO), &mut Batch::default());
        assert!(engine.process.is_some());
    }
}

/// The new process stands for another office, and so renews. Its first renewal frees all that the old one held.
#[test]
fn a_member_whose_disk_works_again_renews_nothing_while_lost_work_has_its_stop_time() {
    let (offices, stop) = (named(2), 300_000);
    let mut cluster = TestCluster::with(2, stop);
    let leader = cluster.elect(&offices);
    // Its work goes on for as long as it may.
    let (led, promised) = cluster.fail_disk(leader);
    let next = cluster.elect(&offices);
    assert_ne!(next, leader);
    assert!(cluster.hosts[leader].engine.process.is_some());
    let late = cluster.clock.now().checked_sub(promised + u64::from(stop) * TICK);
    // Not for as long as the members owe the lost lease, either.
    assert!(late.is_some_and(|late| late < HEARTBEAT), "{late:?}");
    drop(led);
}

/// The values do not make renewals grow: they are sent when they change, and not at heartbeats.
#[test]
fn a_value_reaches_all_members_and_then_costs_nothing() {
    let offices = named(1);
    let mut cluster = TestCluster::new(1);
    let leader = cluster.elect(&offices);
    let shown = |cluster: &TestCluster| -> Vec<Option<String>> {
        let standing = |host: &Host| host.engine.standing(&offices[0]).value().map(str::to_owned);
        cluster.hosts.iter().map(standing).collect()
    };
    let mut costs = Vec::new();
    for length in [0, 1, 4096] {
        let text = "x".repeat(length);
        let value = LeaderValue::new(&text).unwrap();
        cluster.hosts[leader].programs[0].leads.as_ref().unwrap().proclaim(value).unwrap();
        cluster.run(10);
        assert_eq!(shown(&cluster), vec![Some(text).filter(|it| !it.is_empty()); 5]);
        let before = cluster.sent();
        cluster.run(200);
        costs.push(cluster.sent() - before);
    }
    assert_eq!(costs, [costs[0]; 3]);
}
