//! Connections of programs with members by the local protocol: what is under way on them, and when it arrives. What
//! was sent stays under way when its sender ends, and is read when its receiver goes on.

use super::ServiceWorld;
use super::served::ServedProgram;
use crate::clock::{MICRO, MILLI, SECOND};
use crate::queue::{HostNumber, HostTask};
use std::collections::{BTreeMap, VecDeque};
use tenure_cli::testing::{ClientMessage, ConnectionInput, MemberMessage, Rights};

/// How many messages to a program that does not read have room in a connection.
const ROOM: usize = 8;

/// How long it takes until the other side on this host notices that a connection is closed.
pub(crate) const NOTICED: u64 = 50 * MICRO;

/// How long a member may keep a connection that its program has left.
const KEPT: u64 = 15 * SECOND;

/// A connection, with what is under way on it and when that arrives.
struct ClientConnection {
    /// The program, which hears what its member says.
    task: HostTask,
    host: HostNumber,
    member: HostNumber,
    asks: VecDeque<(u64, Result<ClientMessage, String>)>,
    answers: VecDeque<(u64, MemberMessage)>,
    /// Whether the program has closed its descriptor.
    closed: bool,
    /// Whether a guard has another one.
    kept: bool,
    /// When the member finds that all descriptors of the program are closed.
    left_at: Option<u64>,
    /// When the program finds that the member has closed its own.
    closed_at: Option<u64>,
    /// Whether the member still does something for it.
    served: bool,
}

#[derive(Default)]
pub(crate) struct ClientConnections {
    all: BTreeMap<u64, ClientConnection>,
    last: u64,
}

impl ClientConnections {
    pub(crate) fn has_room(&self, id: u64) -> bool {
        self.all.get(&id).is_none_or(|it| it.left_at.is_some() || it.answers.len() < ROOM)
    }

    /// Returns whether the program has not closed a connection, nor ended.
    pub(crate) fn has_program(&self, id: u64) -> bool {
        self.all.get(&id).is_some_and(|it| !it.closed)
    }

    /// Returns whether the program finds, or has found, that its member has closed a connection.
    pub(crate) fn is_over(&self, id: u64, now: u64) -> bool {
        let over = |it: &ClientConnection| {
            it.answers.is_empty() && it.closed_at.is_some_and(|at| at <= now)
        };
        self.all.get(&id).is_none_or(over)
    }

    /// Returns whether a member keeps a connection for too long that its program has left.
    pub(crate) fn is_stale(&self, id: u64, now: u64) -> bool {
        self.all.get(&id).is_none_or(|it| it.left_at.is_some_and(|at| at + KEPT < now))
    }
}

impl ServiceWorld {
    /// A program connects with a member, and greets it in this version of the protocol. `None` if none listens there.
    pub(crate) fn connect(
        &mut self,
        task: HostTask,
        (from, to): (HostNumber, HostNumber),
        version: u32,
    ) -> Option<u64> {
        let open = from == to || self.is_open_between(from, to);
        let begin = self.boottime(to).as_nanos();
        let rights = match from == to {
            true => Rights::Local,
            false => {
                let tenure_node::LeaseTiming { clock_bound, lease, .. } = self.timing;
                Rights::Program { clock_bound, lease }
            }
        };
        let served = ServedProgram::new(&self.names[to], rights, self.timing.heartbeat, begin);
        let program = self.hosts[to].program.as_mut();
        let program = program.filter(|program| open && program.ending.is_none())?;
        self.connections.last += 1;
        let id = self.connections.last;
        program.served.insert(id, served);
        let connection = ClientConnection {
            task,
            host: from,
            member: to,
            asks: VecDeque::new(),
            answers: VecDeque::new(),
            closed: false,
            kept: false,
            left_at: None,
            closed_at: None,
            served: true,
        };
        self.connections.all.insert(id, connection);
        self.tell_member(id, Ok(ClientMessage::Hello { versions: vec![version] }));
        Some(id)
    }

    /// Returns whether a way of a connection leads from host to host, and is open.
    fn is_open(&self, id: u64) -> Option<bool> {
        let connection = self.connections.all.get(&id)?;
        let (from, to) = (connection.host, connection.member);
        (from != to).then(|| self.is_open_between(from, to))
    }

    /// Draws how long a message takes on a connection.
    fn takes(&mut self, id: u64) -> u64 {
        if self.is_open(id).is_none() {
            return 20 * MICRO + self.dice.below(80 * MICRO);
        }
        let lost = self.loss > 0 && self.dice.below(100) < u64::from(self.loss);
        let again = if lost { 200 * MILLI } else { 0 };
        150 * MICRO + self.dice.below(300 * MICRO) + self.delay + again
    }

    /// Returns what a member hears on a connection.
    pub(crate) fn heard(&mut self, id: u64) -> Option<ConnectionInput> {
        let blocked = self.is_open(id) == Some(false);
        let Some(connection) = self.connections.all.get_mut(&id) else {
            return Some(ConnectionInput::Closed);
        };
        let (member, now) = (connection.member, self.now);
        let first = connection.asks.front().map(|&(at, _)| at).or(connection.left_at)?;
        if blocked || first > now {
            self.wake_in(member, HostTask::Served, first.saturating_sub(now).max(MILLI));
            return None;
        }
        let heard = connection.asks.pop_front().map(|(_, heard)| ConnectionInput::Heard(heard));
        Some(heard.unwrap_or(ConnectionInput::Closed))
    }

    /// Returns what a program hears on its connection; `Err` if that is closed.
    pub(crate) fn told(&mut self, id: u64) -> Option<Result<MemberMessage, ()>> {
        let blocked = self.is_open(id) == Some(false);
        let Some(connection) = self.connections.all.get_mut(&id) else { return Some(Err(())) };
        let (task, host, member) = (connection.task, connection.host, connection.member);
        let now = self.now;
        let first = connection.answers.front().map(|&(at, _)| at).or(connection.closed_at)?;
        if blocked || first > now {
            let wait = first.saturating_sub(now).max(MILLI);
            self.wake_in(host, task, wait);
            return None;
        }
        let told = connection.answers.pop_front();
        self.wake(member, HostTask::Served);
        Some(told.map(|(_, told)| told).ok_or(()))
    }

    /// A member answers on a connection. Returns whether that can be sent.
    pub(crate) fn answer(&mut self, id: u64, message: MemberMessage) -> bool {
        let at = self.now + self.takes(id);
        let Some(connection) = self.connections.all.get_mut(&id) else { return false };
        if connection.left_at.is_some_and(|left| left <= self.now) {
            return false;
        }
        let at = connection.answers.back().map_or(at, |&(before, _)| at.max(before));
        connection.answers.push_back((at, message));
        self.wake_program_of(id);
        true
    }

    fn wake_program_of(&mut self, id: u64) {
        let Some(connection) = self.connections.all.get(&id) else { return };
        self.wake(connection.host, connection.task);
    }

    /// A member closes a connection.
    pub(crate) fn hang_up(&mut self, id: u64) {
        let at = self.now + self.takes(id);
        let Some(connection) = self.connections.all.get_mut(&id) else { return };
        connection.closed_at.get_or_insert(at);
        self.wake_program_of(id);
    }

    /// A member closes a connection, and does nothing more for it.
    pub(crate) fn end_connection(&mut self, id: u64) {
        self.hang_up(id);
        let Some(connection) = self.connections.all.get_mut(&id) else { return };
        connection.served = false;
        if connection.left_at.is_some() {
            self.connections.all.remove(&id);
        }
    }

    /// A program says something to its member.
    pub(crate) fn tell_member(&mut self, id: u64, said: Result<ClientMessage, String>) {
        let at = self.now + self.takes(id);
        let Some(connection) = self.connections.all.get_mut(&id) else { return };
        let at = connection.asks.back().map_or(at, |&(before, _)| at.max(before));
        connection.asks.push_back((at, said));
        let member = connection.member;
        self.wake_in(member, HostTask::Served, at - self.now);
    }

    /// A guard has a descriptor of a connection from now on, or no longer.
    pub(crate) fn keep_connection(&mut self, id: u64, kept: bool) {
        let Some(connection) = self.connections.all.get_mut(&id) else { return };
        connection.kept = kept;
        if connection.closed && !kept {
            self.leave_connection(id, NOTICED);
        }
    }

    /// A program closes its connection, as its member finds after this time, unless a guard keeps that open.
    pub(crate) fn leave_connection(&mut self, id: u64, after: u64) {
        let Some(connection) = self.connections.all.get_mut(&id) else { return };
        connection.closed = true;
        if connection.kept {
            return;
        }
        connection.left_at = Some(self.now + after);
        connection.answers.clear();
        let (member, served) = (connection.member, connection.served);
        if !served {
            self.connections.all.remove(&id);
        }
        self.wake_in(member, HostTask::Served, after);
    }
}
