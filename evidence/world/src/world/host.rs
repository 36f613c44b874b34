//! A host: its clock, its disk, its processes, and what is wrong with it.

use super::guarded::GuardShell;
use super::lead::LeadProcess;
use super::links::TwinProcess;
use super::members::MembershipOperation;
use super::program::Program;
use crate::certificates::CertificateFault;
use crate::clock::{ClockRate, HostClock};
use crate::kernel::Kernel;
use crate::queue::{HostNumber, HostTask};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use suffrage_net::tls::Tls;
use tenure_model::{Memory, Peer};
use tenure_node::records::Loaded;
use tenure_node::transport::MessageSink;

/// The condition of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disk {
    Good,
    /// A write takes this long, in nanoseconds.
    Slow(u64),
    Stuck,
    Failed,
}

pub(crate) struct Host {
    pub(crate) clock: Arc<HostClock>,
    pub(crate) rate: ClockRate,
    /// How long it has been suspended since its start, by its clock.
    pub(crate) slept: u64,
    /// By how much the time of day is set back, in nanoseconds.
    pub(crate) set_back: u64,
    /// The number of its member.
    pub(crate) me: Peer,
    /// Whether it is none of the hosts with which the cluster began.
    pub(crate) joins: bool,
    /// What an operator does with its membership.
    pub(crate) operation: Option<MembershipOperation>,
    pub(crate) record: Loaded,
    pub(crate) disk: Disk,
    pub(crate) kernel: Kernel,
    pub(crate) guards: BTreeMap<u64, GuardShell>,
    pub(crate) program: Option<Box<Program>>,
    pub(crate) lead: Option<Box<LeadProcess>>,
    /// Whether these two are processes apart.
    pub(crate) served: bool,
    pub(crate) sink: Option<MessageSink>,
    /// How often the process of the member was started, and `tenure lead`.
    pub(crate) starts: u64,
    pub(crate) lead_starts: u64,
    /// The term of the command that is started next.
    pub(crate) launching: Option<u64>,
    /// The term that a crash notifier has released.
    pub(crate) released: Option<u64>,
    /// How many faults have taken its power.
    pub(crate) downs: u32,
    /// Since when it is suspended, by its clock.
    pub(crate) asleep: Option<u64>,
    /// The longest time that a process waits for a processor, in nanoseconds.
    pub(crate) starved: u64,
    /// The tasks that are stopped; the member's loop stands for its process.
    pub(crate) suspended: BTreeSet<HostTask>,
    /// Whether the loop of its member stands still alone.
    pub(crate) member_stopped: bool,
    /// The tasks that run when their processes are resumed.
    pub(crate) pending: BTreeSet<HostTask>,
    pub(crate) no_exec: bool,
    pub(crate) no_fork: bool,
    pub(crate) unready: bool,
    pub(crate) unhealthy: bool,
    pub(crate) no_hook: bool,
    pub(crate) hung_hook: bool,
    /// How long a crash notifier takes, in nanoseconds.
    pub(crate) slow_notifier: u64,
    /// Whether programs that stand by members read nothing.
    pub(crate) deaf: bool,
    /// The start of the program that was the last one to use each number of a start.
    pub(crate) boots: BTreeMap<u64, u64>,
    pub(crate) tls: Tls,
    /// What is wrong with its certificate, and since when.
    pub(crate) certificate: Option<(CertificateFault, u64)>,
    /// Whether its program speaks a later version of the protocol, and if so, whether that alone.
    pub(crate) upgraded: Option<bool>,
    /// Another process with its identity.
    pub(crate) twin: Option<TwinProcess>,
}

impl Host {
    pub(crate) fn new(number: HostNumber, local: u64, tls: Tls, served: bool) -> Self {
        Self {
            me: Peer(number as u32),
            joins: false,
            operation: None,
            clock: Arc::default(),
            rate: ClockRate::new(0, local, 0),
            slept: 0,
            set_back: 0,
            record: Loaded::nothing(Memory::New),
            disk: Disk::Good,
            kernel: Kernel::default(),
            guards: BTreeMap::new(),
            program: None,
            lead: None,
            served,
            sink: None,
            starts: 0,
            lead_starts: 0,
            launching: None,
            released: None,
            downs: 0,
            asleep: None,
            starved: 0,
            suspended: BTreeSet::new(),
            member_stopped: false,
            pending: BTreeSet::new(),
            no_exec: false,
            no_fork: false,
            unready: false,
            unhealthy: false,
            no_hook: false,
            hung_hook: false,
            slow_notifier: 0,
            deaf: false,
            boots: BTreeMap::new(),
            tls,
            certificate: None,
            upgraded: None,
            twin: None,
        }
    }

    pub(crate) const fn is_down(&self) -> bool {
        self.downs > 0
    }

    /// Returns whether a task can run now.
    pub(crate) fn can_run(&self, task: HostTask) -> bool {
        // The process of a member has several threads. A main loop can also stand still alone.
        let process = match task {
            HostTask::Ends | HostTask::Served | HostTask::Serve => HostTask::Engine,
            HostTask::Loop if !self.served => HostTask::Engine,
            task => task,
        };
        let stopped = [process, task].iter().any(|task| self.suspended.contains(task))
            || self.member_stopped && task == HostTask::Engine;
        self.downs == 0 && self.asleep.is_none() && !stopped
    }

    /// Returns the living guard of the program, or the newest one that lives.
    pub(crate) fn guard(&self) -> Option<u64> {
        self.guards.iter().rev().find(|(_, guard)| guard.alive).map(|(&id, _)| id)
    }
}
