//! Members that contest many offices at once on one processor that is too slow for it, in virtual time.

use super::{Action, Engine, Parts, Priorities, Waiting};
use crate::clock::Clock;
use crate::engine::inbox::{Batch, Inbox};
use crate::leadership::Leadership;
use crate::office::OfficeName;
use crate::records::MemoryStore;
use crate::timing::Stops;
use crate::transport::{Doorway, Letter, Link, Transport};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use suffrage_process::recovery::{Peer, Ratio, Setting};
use tokio::sync::oneshot;

const MEMBERS: u32 = 5;
const OFFICES: usize = 300;
/// In nanoseconds.
const HEARTBEAT: u64 = 50_000_000;

#[derive(Debug)]
struct Processor(AtomicU64);

impl Clock for Processor {
    fn now(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Links that deliver at once.
struct Links {
    me: Peer,
    doors: Vec<Doorway>,
}

impl Transport for Links {
    fn send(&self, to: Peer, letter: Letter) {
        self.doors[to.0 as usize].deliver(self.me, &letter.bytes);
    }

    fn links(&self) -> Vec<Link> {
        Vec::new()
    }

    fn name(&self, _: Peer) -> Option<String> {
        None
    }

    fn peer(&self, _: &str) -> Option<Peer> {
        None
    }

    fn close(&self) {}
}

/// A program that stands for an office whenever it does not lead it.
struct Program {
    waits: Option<oneshot::Receiver<Leadership>>,
    leads: Option<Leadership>,
}

struct Host {
    engine: Engine,
    inbox: Arc<Inbox>,
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
                let program = Waiting { ticket: 0, priority: None, stop: None, answer };
                self.inbox.act(Action::Stand { office: office.clone(), program });
            }
        }
        self.programs.iter().filter(|program| program.leads.is_some()).count()
    }
}

/// Returns after how many heartbeats all offices were led at once, where a message takes `cost`
/// nanoseconds of the only processor; `None` if they were not after a thousand heartbeats.
fn contest(cost: u64) -> Option<u64> {
    let clock = Arc::new(Processor(AtomicU64::new(1)));
    let offices: Vec<OfficeName> =
        (0..OFFICES).map(|number| OfficeName::new(&format!("office-{number}")).unwrap()).collect();
    let inboxes: Vec<Arc<Inbox>> = (0..MEMBERS).map(|_| Arc::default()).collect();
    let names: Vec<String> = (0..MEMBERS).map(|number| format!("host-{number}")).collect();
    let host = |me: u32| {
        let doors = inboxes.iter().map(Inbox::doorway).collect();
        let inbox = inboxes[me as usize].clone();
        let setting = Setting {
            me: Peer(me),
            members: MEMBERS,
            heartbeat: 50_000,
            lease: 250_000,
            stop: 0,
            clocks: Ratio { fastest: 101, slowest: 100 },
        };
        let parts = Parts {
            setting,
            members: names.clone(),
            name: names[me as usize].clone(),
            cluster: "lab".to_owned(),
            priorities: Priorities::default(),
            witness: false,
            offices: Vec::new(),
            stops: Stops::new(),
            store: Box::new(MemoryStore::founding()),
            clock: clock.clone(),
            clock_drift: None,
            transport: Arc::new(Links { me: Peer(me), doors }),
            inbox: inbox.clone(),
        };
        let engine = Engine::new(parts, Arc::new(AtomicU32::new(me))).unwrap();
        let programs = offices.iter().map(|_| Program { waits: None, leads: None }).collect();
        Host { engine, inbox, programs }
    };
    let mut hosts: Vec<Host> = (0..MEMBERS).map(host).collect();
    let mut batch = Batch::default();
    loop {
        let leads: usize = hosts.iter_mut().map(|host| host.run(&offices)).sum();
        let beats = clock.now() / HEARTBEAT;
        if leads == OFFICES {
            return Some(beats);
        } else if beats > 1000 {
            return None;
        }
        let mut idle = true;
        for Host { engine, inbox, .. } in &mut hosts {
            // The disk is a thread of its own, whose answer is waited for so that every run is the same.
            while engine.submitted.is_some() && !inbox.is_synced() {
                std::thread::yield_now();
            }
            inbox.take(Some(std::time::Duration::ZERO), &mut batch);
            idle &= batch.actions.is_empty() && batch.mail.is_empty();
            clock.0.fetch_add(cost * batch.mail.len() as u64, Ordering::SeqCst);
            engine.turn(&mut batch);
        }
        if idle {
            let next = hosts.iter_mut().filter_map(|host| host.engine.alarms.next_due()).min();
            clock.0.fetch_max(next.unwrap_or(u64::MAX), Ordering::SeqCst);
        }
    }
}

#[test]
fn a_contest_of_all_offices_ends_on_a_machine_that_is_too_slow_for_it() {
    assert_eq!(contest(0), Some(0), "before the first heartbeat");
    // The 6,000 first claims alone take the processor 0.6 s, more than two leases.
    let beats = contest(100_000);
    assert!(beats.is_some_and(|beats| beats > 10), "{beats:?}");
}
