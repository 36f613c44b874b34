//! The events of a world, in the order of their times.

use crate::kernel::Pid;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tenure_model::Peer;

/// The number of a host.
pub(crate) type HostNumber = usize;

/// A thread or a process that reacts to something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HostTask {
    /// The loop of the member.
    Engine,
    /// The watch over the ends of leaderships.
    Ends,
    /// The main loop of `tenure lead`.
    Loop,
    /// A guard, by its number.
    Guard(u64),
    /// The keeper of a guard.
    Keeper(u64),
    /// The member's server of programs.
    Served,
    /// A program that stands by a member, by its number.
    Client(usize),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WorldEvent {
    Run(HostNumber, HostTask),
    /// A message arrives for the member of this number.
    Arrive(usize, Peer, Vec<u8>),
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
    /// The service manager starts the program.
    Start(HostNumber),
    FaultBegins(usize),
    FaultEnds(usize),
    /// An operator looks after the membership of this host.
    Operate(HostNumber),
    /// All should be well by now.
    Judge,
}

impl WorldEvent {
    /// Returns the host whose processes do this, and which has to be awake.
    pub(crate) const fn waits_on(&self) -> Option<HostNumber> {
        match *self {
            Self::Executed(host, _)
            | Self::Ends(host, ..)
            | Self::GuardStarts(host, ..)
            | Self::NotifierRuns(host, ..)
            | Self::NotifierTells(host, ..)
            | Self::Start(host) => Some(host),
            _ => None,
        }
    }
}

/// Events of the same time come in the order in which they were added.
#[derive(Debug, Default)]
pub(crate) struct WorldQueue {
    heap: BinaryHeap<Reverse<(u64, u64, WorldEvent)>>,
    added: u64,
}

impl WorldQueue {
    pub(crate) fn push(&mut self, at: u64, event: WorldEvent) {
        self.added += 1;
        self.heap.push(Reverse((at, self.added, event)));
    }

    pub(crate) fn pop(&mut self) -> Option<(u64, WorldEvent)> {
        self.heap.pop().map(|Reverse((at, _, event))| (at, event))
    }
}
