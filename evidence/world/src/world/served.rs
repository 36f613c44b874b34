//! The connections of a member with programs: the shell around their decisions, as `ServedConnection` is on real hosts.

use super::ServiceWorld;
use super::awaited::{Awaited, poll};
use crate::clock::SECOND;
use crate::queue::{HostNumber, HostTask};
use std::collections::VecDeque;
use std::pin::pin;
use std::time::Duration;
use tenure_cli::testing::{
    ConnectionInput, ConnectionOutput, ConnectionState, MemberMessage, Rights, StandRequest,
};
use tenure_node::{Extensions, Leadership, Participant, StandError};

/// The longest time between two looks whether a leadership is extended.
const BEAT: Duration = Duration::from_millis(50);

/// How long a leadership may last whose program is silent, beside two leases.
const SILENT: u64 = SECOND;

/// What is under way for a connection.
enum ServedTask {
    Nothing,
    Standing(Awaited<Result<Leadership, StandError>>, Duration),
    Stood(Result<Leadership, StandError>, Duration),
    Holding(Leadership, Extensions),
    Releasing(Awaited<Result<(), String>>),
}

pub(crate) struct ServedProgram {
    state: ConnectionState,
    /// When it began, by the clock of the host.
    begin: u64,
    doing: ServedTask,
    /// Whether the leadership was extended since that was told.
    extended: bool,
    /// What cannot be done before the program has read what was said.
    todo: VecDeque<ConnectionOutput>,
    inputs: VecDeque<(u64, ConnectionInput)>,
    /// When the program was heard last, or has won, since the beginning.
    heard_at: u64,
    ended: bool,
}

impl ServedProgram {
    pub(crate) fn new(member: &str, rights: Rights, heartbeat: Duration, begin: u64) -> Self {
        Self {
            state: ConnectionState::new(member, rights, heartbeat.min(BEAT)),
            begin,
            doing: ServedTask::Nothing,
            extended: false,
            todo: VecDeque::new(),
            inputs: VecDeque::new(),
            heard_at: 0,
            ended: false,
        }
    }

    /// Returns the leadership that it holds.
    pub(crate) const fn held(&self) -> Option<&Leadership> {
        match &self.doing {
            ServedTask::Holding(leadership, _) => Some(leadership),
            _ => None,
        }
    }

    /// Looks at what the member has done. Returns whether that is news.
    fn look(&mut self) -> bool {
        match &mut self.doing {
            ServedTask::Standing(standing, stop) => {
                let Some(stood) = poll(standing) else { return false };
                self.doing = ServedTask::Stood(stood, *stop);
                true
            }
            ServedTask::Holding(leadership, extensions) => {
                self.extended |= poll(&mut pin!(extensions.next())).is_some();
                let over = leadership.valid_for().is_zero() && self.state.holds();
                self.extended || over || leadership.is_stopping() && self.state.leads()
            }
            ServedTask::Releasing(_) => true,
            ServedTask::Nothing | ServedTask::Stood(..) => false,
        }
    }

    /// Returns what has come of what is under way.
    fn done(&mut self) -> Option<ConnectionInput> {
        match &mut self.doing {
            ServedTask::Holding(leadership, _) => {
                if leadership.is_stopping() && self.state.leads() {
                    Some(ConnectionInput::Stopping)
                } else if leadership.valid_for().is_zero() && self.state.holds() {
                    Some(ConnectionInput::Lost)
                } else {
                    std::mem::take(&mut self.extended).then_some(ConnectionInput::Extended)
                }
            }
            ServedTask::Stood(..) => {
                let ServedTask::Stood(stood, stop) =
                    std::mem::replace(&mut self.doing, ServedTask::Nothing)
                else {
                    return None;
                };
                Some(match stood {
                    Ok(leadership) => {
                        let (term, extensions) = (leadership.term(), leadership.extensions());
                        self.doing = ServedTask::Holding(leadership, extensions);
                        ConnectionInput::Won { term, stop, release_ticket: None }
                    }
                    Err(StandError::Ended) => ConnectionInput::NotWon(None),
                    Err(error) => ConnectionInput::NotWon(Some(error.to_string())),
                })
            }
            _ => None,
        }
    }
}

impl ServiceWorld {
    /// Lets the server look at the connections whose leaderships the member has changed; in its loop, if `turned`.
    pub(crate) fn look_at_served(&mut self, number: HostNumber, turned: bool) {
        let now = self.boottime(number).as_nanos();
        let longest = 2 * self.timing.lease.as_nanos() as u64 + SILENT;
        let Some(program) = &mut self.hosts[number].program else { return };
        let (mut news, mut silent) = (false, false);
        for served in program.served.values_mut() {
            // All of them, since each has to note what has happened.
            news |= served.look();
            let leads = served.held().is_some_and(|held| !held.valid_for().is_zero());
            silent |= leads && now - served.begin - served.heard_at > longest;
        }
        if silent && turned {
            self.broken(&format!("host {number} leads for a program that is silent"));
        }
        if news {
            self.wake(number, HostTask::Served);
        }
    }

    /// Lets the server do all that there is to do.
    pub(crate) fn run_served(&mut self, number: HostNumber) {
        self.set_clock(number);
        let Some(mut program) = self.hosts[number].program.take() else { return };
        let mut next: Option<u64> = None;
        for (&id, served) in &mut program.served {
            let mut steps = 0;
            while self.serve(number, &program.member, id, served) {
                steps += 1;
                if steps > 10_000 {
                    self.broken("a connection of the member spins");
                    break;
                }
            }
            if served.todo.is_empty() && !matches!(served.doing, ServedTask::Releasing(_)) {
                let due = served.state.alarm().map(|due| served.begin + due.as_nanos() as u64);
                next = next.into_iter().chain(due).min();
            }
        }
        program.served.retain(|_, served| !served.ended);
        if let Some(due) = next {
            self.wake_at(number, HostTask::Served, due);
        }
        let news = program.member.has_news();
        self.hosts[number].program = Some(program);
        if news {
            self.wake(number, HostTask::Engine);
        }
    }

    /// Does one thing for a connection, if there is any.
    fn serve(
        &mut self,
        number: HostNumber,
        member: &Participant,
        id: u64,
        served: &mut ServedProgram,
    ) -> bool {
        let now = self.boottime(number).as_nanos() - served.begin;
        if let Some(output) = served.todo.pop_front() {
            if matches!(output, ConnectionOutput::Say(_)) && !self.connections.has_room(id) {
                served.todo.push_front(output);
                return false;
            }
            self.carry_out_served(number, member, (id, served), output);
            return true;
        }
        if let ServedTask::Releasing(released) = &mut served.doing {
            let Some(answer) = poll(released) else { return false };
            served.doing = ServedTask::Nothing;
            let answer = answer.map(|()| MemberMessage::Released {});
            served.inputs.push_back((now, ConnectionInput::Answer(answer)));
        }
        let Some((at, input)) = self.served_input(id, served, now) else { return false };
        served.todo.extend(served.state.step(Duration::from_nanos(at), input));
        true
    }

    /// Returns what has happened to a connection, in the order in which the server looks at it.
    fn served_input(
        &mut self,
        id: u64,
        served: &mut ServedProgram,
        now: u64,
    ) -> Option<(u64, ConnectionInput)> {
        if let Some(input) = served.inputs.pop_front() {
            return Some(input);
        }
        if served.state.listens()
            && let Some(heard) = self.heard(id)
        {
            served.heard_at = now;
            return Some((now, heard));
        }
        if let Some(done) = served.done() {
            if matches!(done, ConnectionInput::Won { .. }) {
                served.heard_at = now;
            }
            return Some((now, done));
        }
        let due = served.state.alarm().is_some_and(|due| due.as_nanos() as u64 <= now);
        due.then_some((now, ConnectionInput::Alarm))
    }

    fn carry_out_served(
        &mut self,
        number: HostNumber,
        member: &Participant,
        (id, served): (u64, &mut ServedProgram),
        output: ConnectionOutput,
    ) {
        let now = self.boottime(number).as_nanos() - served.begin;
        match output {
            ConnectionOutput::Say(message) => {
                if !self.answer(id, message) {
                    served.inputs.push_back((now, ConnectionInput::Closed));
                }
            }
            ConnectionOutput::Ask(_) => {}
            ConnectionOutput::Stand(StandRequest { office, priority, stop, value, .. }) => {
                let stop = stop.unwrap_or_default();
                let mut candidate = member.office(&office).stop(stop).confirmed().value(value);
                if let Some(priority) = priority {
                    candidate = candidate.priority(priority);
                }
                served.doing =
                    ServedTask::Standing(Box::pin(async move { candidate.stand().await }), stop);
                served.look();
            }
            ConnectionOutput::Release(to) => {
                let doing = std::mem::replace(&mut served.doing, ServedTask::Nothing);
                if let ServedTask::Holding(leadership, _) = doing {
                    served.doing = ServedTask::Releasing(Box::pin(async move {
                        match to {
                            Some(to) => {
                                leadership.transfer(&to).await.map_err(|error| error.to_string())
                            }
                            None => {
                                leadership.resign().await;
                                Ok(())
                            }
                        }
                    }));
                }
            }
            ConnectionOutput::Log(text) => self.say(number, || text),
            ConnectionOutput::HangUp => self.hang_up(id),
            ConnectionOutput::End => {
                (served.ended, served.doing) = (true, ServedTask::Nothing);
                served.todo.clear();
                self.end_connection(id);
            }
            output => {
                let ServedTask::Holding(leadership, _) = &served.doing else { return };
                match output {
                    ConnectionOutput::Look => {
                        let time = leadership.valid_for().min(self.timing.lease);
                        let time = if leadership.confirm(time) { time } else { Duration::ZERO };
                        served.inputs.push_back((now, ConnectionInput::Certain(time)));
                    }
                    ConnectionOutput::Work(news) => leadership.tell_work(news.why_not()),
                    ConnectionOutput::Proclaim(value) => drop(leadership.proclaim(value)),
                    _ => {}
                }
            }
        }
    }
}
