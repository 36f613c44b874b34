//! The connections of a member with programs: the shell around their decisions, as `ServedConnection` is on real hosts.

use super::awaited::{Awaited, poll};
use super::{OFFICE, ServiceWorld};
use crate::clock::SECOND;
use crate::queue::{HostNumber, HostTask};
use std::collections::VecDeque;
use std::pin::pin;
use std::time::Duration;
use tenure_cli::testing::{
    ClientMessage, ConnectionInput, ConnectionOutput, ConnectionState, MemberMessage, Rights,
    StandRequest,
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
    Asking(Awaited<Result<MemberMessage, String>>),
    Releasing(Awaited<Result<(), String>>),
}

pub(crate) struct ServedProgram {
    state: ConnectionState,
    /// When it began, by the clock of the host.
    begin: u64,
    doing: ServedTask,
    /// The office for which the program stands, or which it leads.
    pub(crate) office: String,
    /// What it last told operators of its work: why that does not run, if it does not.
    pub(crate) work: Option<Option<String>>,
    /// Whether the leadership was extended since that was told.
    extended: bool,
    /// What cannot be done before the program has read what was said.
    todo: VecDeque<ConnectionOutput>,
    inputs: VecDeque<(u64, ConnectionInput)>,
    /// When the program was heard last, or has won, since the beginning.
    heard_at: u64,
    /// Whether the last thing that has happened is that a time was over.
    rang: bool,
    ended: bool,
}

impl ServedProgram {
    pub(crate) fn new(member: &str, rights: Rights, heartbeat: Duration, begin: u64) -> Self {
        Self {
            state: ConnectionState::new(member, rights, heartbeat.min(BEAT)),
            begin,
            doing: ServedTask::Nothing,
            office: String::new(),
            work: None,
            extended: false,
            todo: VecDeque::new(),
            inputs: VecDeque::new(),
            heard_at: 0,
            rang: false,
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

    /// Returns the leadership that ends with the connection, if it does so before its time.
    pub(crate) fn given_up(&self) -> Option<&Leadership> {
        self.held().filter(|leadership| !self.rang && !leadership.valid_for().is_zero())
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
            ServedTask::Asking(_) | ServedTask::Releasing(_) => true,
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
            let asks = matches!(served.doing, ServedTask::Asking(_) | ServedTask::Releasing(_));
            if served.todo.is_empty() && !asks {
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
        let answer = match &mut served.doing {
            ServedTask::Releasing(released) => {
                let Some(answer) = poll(released) else { return false };
                Some(answer.map(|()| MemberMessage::Released {}))
            }
            ServedTask::Asking(asked) => poll(asked),
            _ => None,
        };
        if let Some(answer) = answer {
            served.doing = ServedTask::Nothing;
            served.inputs.push_back((now, ConnectionInput::Answer(answer)));
        }
        let Some((at, input)) = self.served_input((number, member), (id, served), now) else {
            return false;
        };
        served.rang = matches!(input, ConnectionInput::Alarm);
        served.todo.extend(served.state.step(Duration::from_nanos(at), input));
        true
    }

    /// Returns what has happened to a connection, in the order in which the server looks at it.
    fn served_input(
        &mut self,
        (number, member): (HostNumber, &Participant),
        (id, served): (u64, &mut ServedProgram),
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
            if let ConnectionInput::Won { term, .. } = done {
                served.heard_at = now;
                if served.office == OFFICE {
                    self.say(number, || format!("has won term {term}"));
                    self.judge_win(number, member.membership().number(), term);
                }
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
            ConnectionOutput::Ask(ClientMessage::Transfer { office, to }) => {
                let office = member.office(&office);
                served.doing = ServedTask::Asking(Box::pin(async move {
                    let asked = office.ask_to_transfer(&to).await;
                    asked.map(|()| MemberMessage::Done {}).map_err(|error| error.to_string())
                }));
                served.look();
            }
            ConnectionOutput::Ask(_) => {}
            ConnectionOutput::Stand(StandRequest { office, priority, stop, value, .. }) => {
                let stop = stop.unwrap_or_default();
                served.office.clone_from(&office);
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
                self.judge_given_up(number, served);
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
                    ConnectionOutput::Work(news) => {
                        leadership.tell_work(news.why_not());
                        served.work = Some(news.why_not().map(str::to_owned));
                    }
                    ConnectionOutput::Proclaim(value) => drop(leadership.proclaim(value)),
                    _ => {}
                }
            }
        }
    }
}
