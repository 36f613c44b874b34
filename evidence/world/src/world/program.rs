//! The process of a member on a host, `tenure serve` or `tenure lead`: the shell around its decisions.

use super::ServiceWorld;
use super::awaited::{Awaited, poll};
use super::served::ServedProgram;
use super::watchdog::{WATCHDOG, WatchedProcess};
use crate::clock::MILLI;
use crate::queue::{HostNumber, HostTask, ServiceUnit, WorldEvent};
use std::collections::BTreeMap;
use std::task::Waker;
use tenure_guard::Boottime;
use tenure_model::{Memory, Peer};
use tenure_node::records::Loaded;
use tenure_node::testing::{SteppedDialling, SteppedLinks, SteppedMember};
use tenure_node::transport::MessageSink;
use tenure_node::{ClusterMembers, Participant, TransferError};

/// How long a member may take to leave its offices, until the service manager kills it: those for which its own program
/// leads have been left before; where it serves others, their COMMANDs have their grace.
const ENDS: u64 = 12_000 * MILLI;
const SERVES_ON: u64 = 90_000 * MILLI;

pub(crate) struct Program {
    /// Which start of the program on this host it is.
    pub(crate) number: u64,
    pub(crate) member: SteppedMember,
    pub(crate) links: SteppedLinks,
    /// Its connections with other members, and which side of each it is.
    pub(crate) connections: Vec<(u64, usize)>,
    /// How it dials each other member, or waits to be dialled.
    pub(crate) dialling: BTreeMap<Peer, SteppedDialling>,
    /// The record that the disk is writing.
    pub(crate) writing: Option<(u64, Loaded, u64)>,
    /// Whether the member was told that this cannot be written.
    pub(crate) unwritable: bool,
    /// What operators have asked the member for, and when.
    pub(crate) operators: Vec<(u64, Awaited<Result<(), TransferError>>)>,
    /// The connections of programs that stand by its member.
    pub(crate) served: BTreeMap<u64, ServedProgram>,
    /// Until when its member may take to leave its offices, once the main loop has ended.
    pub(crate) ending: Option<u64>,
    /// Requests to end that `tenure serve` has not noticed yet.
    pub(crate) quits: u32,
    /// `tenure serve`, for the service manager.
    pub(crate) watched: Option<WatchedProcess>,
}

impl ServiceWorld {
    pub(crate) fn boottime(&self, host: HostNumber) -> Boottime {
        Boottime::from_nanos(self.hosts[host].rate.local(self.now))
    }

    /// Returns the host's clock that stops while it is suspended.
    pub(crate) fn monotonic(&self, host: HostNumber) -> u64 {
        let host = &self.hosts[host];
        host.rate.local(self.now).saturating_sub(host.slept)
    }

    /// Starts the program, if its host is up and it does not run.
    pub(crate) fn start_program(&mut self, number: HostNumber) {
        self.set_clock(number);
        let host = &mut self.hosts[number];
        if host.is_down() || host.program.is_some() {
            return;
        }
        let unit = if host.served { ServiceUnit::Serve } else { ServiceUnit::Lead };
        let again = WorldEvent::Start(number, unit);
        if host.no_fork {
            return self.queue.push(self.now + 500 * MILLI, again);
        }
        let mut loaded = host.record.clone();
        let Some(members) = self.starts_as(number, &mut loaded) else {
            return self.queue.push(self.now + 500 * MILLI, again);
        };
        let host = &mut self.hosts[number];
        host.starts += 1;
        let start = host.starts;
        if host.record.memory == Memory::New {
            // Founded: from now on it has a record, or has lost it.
            host.record.memory = Memory::Lost;
        }
        let Some((member, links)) = self.start_member(number, members, loaded) else { return };
        let (own, began) = (Participant::clone(&member), self.monotonic(number));
        let watched =
            self.hosts[number].served.then(|| WatchedProcess::new(began, Some(own.clone())));
        if watched.is_none() {
            self.make_lead(number, Some(own));
        }
        let program = Program {
            number: start,
            member,
            links,
            connections: Vec::new(),
            dialling: BTreeMap::new(),
            writing: None,
            unwritable: false,
            operators: Vec::new(),
            served: BTreeMap::new(),
            ending: None,
            quits: 0,
            watched,
        };
        let main = if program.watched.is_some() { HostTask::Serve } else { HostTask::Loop };
        self.say(number, || match main {
            HostTask::Serve => "the member starts".to_owned(),
            _ => "the program starts".to_owned(),
        });
        self.hosts[number].program = Some(Box::new(program));
        self.queue.push(self.now + WATCHDOG, WorldEvent::Watchdog(number, unit, start));
        self.dial_all(number);
        self.wake(number, HostTask::Engine);
        self.wake(number, main);
    }

    fn start_member(
        &mut self,
        number: HostNumber,
        members: (ClusterMembers, Peer),
        loaded: Loaded,
    ) -> Option<(SteppedMember, SteppedLinks)> {
        let host = &self.hosts[number];
        let (clock, tls) = (host.clock.clone(), host.tls.clone());
        let name = self.names[number].clone();
        let (versions, timing) = (self.versions(number), self.timing);
        let (known, me) = members.clone();
        let mut made = None;
        let with = (tls, clock.clone() as _);
        let links = |sink: MessageSink, behind| {
            self.hosts[number].sink = Some(sink.clone());
            let told = (sink, behind);
            let links = SteppedLinks::new((&name, me), &timing, known, &versions, with, told);
            made = Some(links.clone());
            links
        };
        let member = SteppedMember::start(&name, members, &timing, loaded, clock, links);
        match member {
            Ok(member) => Some((member, made?)),
            Err(error) => {
                self.broken(&format!("the member cannot start: {error}"));
                None
            }
        }
    }

    /// Ends the program, however that happens: a write may have reached the disk or not.
    pub(crate) fn end_program(&mut self, number: HostNumber, killed: bool) -> Option<Box<Program>> {
        let ended = self.hosts[number].program.take()?;
        if let Some((_, record, _)) = ended.writing.as_ref().filter(|_| self.dice.below(2) == 0) {
            self.hosts[number].record = record.clone();
        }
        self.hosts[number].sink = None;
        self.leave_links(&ended.connections, killed);
        ended.served.keys().for_each(|&id| self.end_connection(id));
        if !self.hosts[number].served {
            self.end_lead(number);
        }
        Some(ended)
    }

    /// Lets the member's loop take a turn, and carries out what it asks for.
    pub(crate) fn run_engine(&mut self, number: HostNumber) {
        self.set_clock(number);
        let Some(program) = &mut self.hosts[number].program else { return };
        program.member.turn();
        let writes = std::iter::from_fn(|| program.member.write()).collect::<Vec<_>>();
        let start = program.number;
        for (write, record) in writes {
            self.submit(number, start, write, record);
        }
        self.send_all(number);
        self.note_members(number);
        self.wake_ends(number);
        self.look_at_served(number, true);
        self.look_at_ending(number);
        let now = self.boottime(number);
        let Some(program) = &mut self.hosts[number].program else { return };
        let mut answers = Vec::new();
        program.operators.retain_mut(|(since, asked)| {
            let answer = poll(asked);
            let waits = answer.is_none();
            answers.push((*since, answer));
            waits
        });
        let (news, (due, _)) = (program.member.has_news(), program.member.next_due());
        let waits = program.watched.as_ref().is_some_and(WatchedProcess::awaits);
        let awaited = self.hosts[number].lead.as_deref().is_some_and(|lead| lead.awaits(now));
        if let Some(due) = due {
            self.wake_at(number, HostTask::Engine, due);
        }
        if news {
            self.wake(number, HostTask::Engine);
        }
        if awaited {
            self.wake(number, HostTask::Loop);
        }
        if waits {
            self.wake(number, HostTask::Serve);
        }
        self.judge_answers(number, answers);
    }

    fn wake_ends(&mut self, number: HostNumber) {
        let Some(program) = &mut self.hosts[number].program else { return };
        program.member.watch_ends();
        let (_, end) = program.member.next_due();
        if end != u64::MAX {
            self.wake_at(number, HostTask::Ends, end);
        }
    }

    pub(crate) fn run_ends(&mut self, number: HostNumber) {
        self.set_clock(number);
        self.wake_ends(number);
        self.look_at_served(number, false);
        self.wake(number, HostTask::Loop);
    }

    /// Lets the main loop of `tenure serve` do all that there is to do.
    pub(crate) fn run_serve(&mut self, number: HostNumber) {
        self.set_clock(number);
        let Some(mut program) = self.hosts[number].program.take() else { return };
        let due = program.watched.as_mut().and_then(|watched| {
            self.beat(number, watched, Waker::noop());
            watched.due()
        });
        let quits = std::mem::take(&mut program.quits);
        let (ends, news) = (program.ending.is_some(), program.member.has_news());
        self.hosts[number].program = Some(program);
        if news {
            self.wake(number, HostTask::Engine);
        }
        if let Some(due) = due {
            let wait = due.saturating_sub(self.monotonic(number));
            let local = self.boottime(number).as_nanos() + wait;
            self.wake_at(number, HostTask::Serve, local);
        }
        match quits {
            0 => {}
            1 if !ends => {
                self.say(number, || "the member is to end".to_owned());
                self.shut_down(number);
            }
            // A second request does not wait.
            _ => self.restart_ended(number, ServiceUnit::Serve),
        }
    }

    /// Has the member of a process leave all its offices, and the process end then.
    pub(crate) fn shut_down(&mut self, number: HostNumber) {
        let Some(program) = &mut self.hosts[number].program else { return };
        let participant = Participant::clone(&program.member);
        let mut ending: Awaited<_> = Box::pin(async move { participant.shut_down().await });
        // It is asked at once.
        let _ = poll(&mut ending);
        let most = if program.watched.is_some() { SERVES_ON } else { ENDS };
        program.ending = Some(self.now + most);
        self.wake(number, HostTask::Engine);
    }

    /// A process has ended by itself, and the service manager starts it again.
    pub(crate) fn restart_ended(&mut self, number: HostNumber, unit: ServiceUnit) {
        self.end_unit(number, unit, false);
        let pause = 100 * MILLI + self.dice.below(400 * MILLI);
        self.queue.push(self.now + pause, WorldEvent::Start(number, unit));
    }

    /// Ends the program when its member has left all its offices, or takes too long for the service manager.
    fn look_at_ending(&mut self, number: HostNumber) {
        let Some(program) = &mut self.hosts[number].program else { return };
        if program.ending.is_none_or(|end| end > self.now && program.member.turn()) {
            return;
        }
        if program.ending.is_some_and(|end| end <= self.now) {
            self.judge_ending(number);
        }
        let served = self.hosts[number].served;
        self.restart_ended(number, if served { ServiceUnit::Serve } else { ServiceUnit::Lead });
    }
}
