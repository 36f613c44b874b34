//! The events of a world, in the order of their times.

use crate::kernel::Pid;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use tenure_model::Peer;

/// The number of a host.
pub(crate) type HostNumber = usize;

/// A process that the service manager starts again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServiceUnit {
    /// `tenure lead`, which is a member, too, unless the hosts lead by members of other processes.
    Lead,
    /// `tenure serve`.
    Serve,
}

/// A thread or a process that reacts to something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HostTask {
    /// The loop of the member.
    Engine,
    /// The watch over the ends of leaderships.
    Ends,
    /// The main loop of `tenure lead`.
    Loop,
    /// The main loop of `tenure serve`.
    Serve,
    /// A guard, by its number.
    Guard(u64),
    /// The keeper of a guard.
    Keeper(u64),
    /// The member's server of programs.
    Served,
    /// A program that stands by a member, by its number.
    Client(usize),
}

#[derive(Clone, Debug)]
pub(crate) enum WorldEvent {
    /// A task runs; for the second time, if it has waited for a processor.
    Run(HostNumber, HostTask, bool),
    /// The word of a crash notifier arrives for the member of this number.
    Arrive(usize, Peer, Vec<u8>),
    /// Something is due of the program of this start of a host, which dials the member of this number.
    Dial(HostNumber, u64, Peer),
    /// A handshake is over that it has begun, in an attempt of this number to reach that member.
    HandshakeEnds(HostNumber, u64, Peer, u64),
    /// A datagram arrives on this side of a connection.
    Carried(u64, usize, Vec<u8>),
    /// The two sides of a connection look whether they hear each other.
    LookAtLink(u64),
    /// One side of a connection hears that the other one has closed it.
    LinkEnds(u64),
    /// Another process with the identity of this host dials.
    TwinDials(HostNumber),
    /// The disk of the program of this number has written a record.
    Synced(HostNumber, u64, u64),
    /// A program that was started has been executed.
    Executed(HostNumber, Pid),
    /// A process ends by itself, with this exit code.
    Ends(HostNumber, Pid, i32),
    /// A spawned guard begins to work, after this number of attempts.
    GuardStarts(HostNumber, u64, u32),
    /// A crash notifier, of the program and the term of these numbers, is connected.
    NotifierRuns(HostNumber, u64, u64),
    /// A slow crash notifier tells the members that no process of this term is left.
    NotifierTells(HostNumber, Peer, u64),
    /// The service manager starts a process.
    Start(HostNumber, ServiceUnit),
    /// The service manager looks whether the process of this start has told that it works.
    Watchdog(HostNumber, ServiceUnit, u64),
    FaultBegins(usize),
    FaultEnds(usize),
    /// An operator looks after the membership of this host.
    Operate(HostNumber),
    /// All should be well by now.
    Judge,
}

impl WorldEvent {
    /// Returns the hosts on which the event may change something to be judged, where there are this many.
    pub(crate) const fn concerns(&self, hosts: usize) -> Range<HostNumber> {
        match *self {
            // What comes waits for the member's loop.
            Self::Arrive(..)
            | Self::Carried(..)
            | Self::Dial(..)
            | Self::HandshakeEnds(..)
            | Self::LookAtLink(_)
            | Self::LinkEnds(_)
            | Self::TwinDials(_) => 0..0,
            Self::Run(host, ..)
            | Self::Synced(host, ..)
            | Self::Executed(host, _)
            | Self::Ends(host, ..)
            | Self::GuardStarts(host, ..)
            | Self::NotifierRuns(host, ..)
            | Self::NotifierTells(host, ..)
            | Self::Watchdog(host, ..)
            | Self::Start(host, _) => host..host + 1,
            Self::FaultBegins(_) | Self::FaultEnds(_) | Self::Operate(_) | Self::Judge => 0..hosts,
        }
    }

    /// Returns the host whose processes do this, and which has to be awake.
    pub(crate) const fn waits_on(&self) -> Option<HostNumber> {
        match *self {
            Self::Executed(host, _)
            | Self::Ends(host, ..)
            | Self::GuardStarts(host, ..)
            | Self::NotifierRuns(host, ..)
            | Self::NotifierTells(host, ..)
            | Self::Watchdog(host, ..)
            | Self::Start(host, _) => Some(host),
            _ => None,
        }
    }
}

/// The time of an event, and its number: events of the same time come in the order in which they were added.
type EventKey = (u64, u64);

/// All that will happen. Tasks have tables of their own: most of them are put forward, and would be in the heap twice.
#[derive(Debug)]
pub(crate) struct WorldQueue {
    /// The keys of events with their places in `events`.
    heap: BinaryHeap<Reverse<(EventKey, usize)>>,
    events: Vec<WorldEvent>,
    free: Vec<usize>,
    tasks: Vec<TaskTable>,
    added: u64,
}

impl WorldQueue {
    pub(crate) fn new(hosts: usize) -> Self {
        let tasks = (0..hosts).map(|_| TaskTable::default()).collect();
        Self { heap: BinaryHeap::new(), events: Vec::new(), free: Vec::new(), tasks, added: 0 }
    }

    fn key(&mut self, at: u64) -> EventKey {
        self.added += 1;
        (at, self.added)
    }

    pub(crate) fn push(&mut self, at: u64, event: WorldEvent) {
        let place = self.free.pop().unwrap_or(self.events.len());
        match self.events.get_mut(place) {
            Some(free) => *free = event,
            None => self.events.push(event),
        }
        let key = self.key(at);
        self.heap.push(Reverse((key, place)));
    }

    /// Lets a task run at this time, unless it runs earlier, or waits for a processor.
    pub(crate) fn schedule(&mut self, host: HostNumber, task: HostTask, at: u64) {
        if self.time_of(host, task).is_none_or(|before| at < before.key.0 && !before.waits) {
            let key = self.key(at);
            self.tasks[host].put(task, key, false);
        }
    }

    /// Lets a task, which does not run otherwise, wait for a processor until this time.
    pub(crate) fn wait(&mut self, host: HostNumber, task: HostTask, at: u64) {
        let key = self.key(at);
        self.tasks[host].put(task, key, true);
    }

    fn time_of(&self, host: HostNumber, task: HostTask) -> Option<&TaskTime> {
        self.tasks[host].all.iter().find(|it| it.task == task)
    }

    /// Returns when a task is to run.
    pub(crate) fn runs_at(&self, host: HostNumber, task: HostTask) -> Option<u64> {
        self.time_of(host, task).map(|time| time.key.0)
    }

    /// Forgets all tasks of a host.
    pub(crate) fn forget(&mut self, host: HostNumber) {
        self.tasks[host] = TaskTable::default();
    }

    pub(crate) fn pop(&mut self) -> Option<(u64, WorldEvent)> {
        let (host, task) = (0..).zip(&self.tasks).min_by_key(|(_, tasks)| tasks.first)?;
        match self.heap.peek() {
            Some(&Reverse((key, place))) if key < task.first => {
                self.heap.pop();
                self.free.push(place);
                let event = std::mem::replace(&mut self.events[place], WorldEvent::Judge);
                Some((key.0, event))
            }
            _ => {
                let time = self.tasks[host].take_first()?;
                Some((time.key.0, WorldEvent::Run(host, time.task, time.waits)))
            }
        }
    }
}

#[derive(Debug)]
struct TaskTime {
    key: EventKey,
    task: HostTask,
    /// Whether it waits for a processor.
    waits: bool,
}

/// When each task of a host is to run: a handful.
#[derive(Debug)]
struct TaskTable {
    all: Vec<TaskTime>,
    /// The least of all keys.
    first: EventKey,
}

/// After all events.
const NEVER: EventKey = (u64::MAX, u64::MAX);

impl Default for TaskTable {
    fn default() -> Self {
        Self { all: Vec::new(), first: NEVER }
    }
}

impl TaskTable {
    fn put(&mut self, task: HostTask, key: EventKey, waits: bool) {
        let time = TaskTime { key, task, waits };
        match self.all.iter_mut().find(|it| it.task == task) {
            Some(before) => *before = time,
            None => self.all.push(time),
        }
        self.look();
    }

    fn take_first(&mut self) -> Option<TaskTime> {
        let first = self.all.iter().position(|it| it.key == self.first)?;
        let first = self.all.swap_remove(first);
        self.look();
        Some(first)
    }

    fn look(&mut self) {
        self.first = self.all.iter().map(|it| it.key).min().unwrap_or(NEVER);
    }
}
