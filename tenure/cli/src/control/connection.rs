//! What a member decides on one connection: what to answer, and when an office that is held there may be released.
//!
//! This is a state machine: the [server](super::server) tells it what has happened, and when, and carries out what it
//! answers. It reads no clock and does no I/O. The folder `scenarios/connection` has its histories.

#![allow(missing_docs, reason = "public for simulations alone")]

use super::messages::VERSIONS;
use super::{ClientMessage, CommandNews, MemberMessage, RefusalCode, milliseconds};
use std::mem::{replace, take};
use std::time::Duration;
use tenure_node::{LeaderValue, ReleaseTicket};

/// The time that a program has to greet, and then to send its request.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a connection may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Everything: a program of this host that may connect to the socket.
    Local,
    /// Everything but to stand: an operator, or a member, of another host.
    Operator,
    /// To be told, and to change nothing: a client's certificate.
    Reader,
    /// To stand for the office that its token is for: a program of another host, by HTTP.
    Program {
        /// By how much its clock may be slower than the one of this host, in millionths.
        clock_bound: u32,
        /// How long a lease lasts.
        lease: Duration,
    },
}

impl Rights {
    const fn refuse(self, request: &ClientMessage) -> Option<&'static str> {
        match (self, request) {
            (Self::Local, _)
            | (Self::Program { .. }, ClientMessage::Stand { guarded: false, .. }) => None,
            (Self::Program { .. }, ClientMessage::Stand { .. }) => {
                Some("a guard is on the host of its member, and this program is on another one")
            }
            (Self::Program { .. }, _) => Some("the token of a program is for nothing but to stand"),
            (_, ClientMessage::Stand { .. }) => {
                Some("only programs of its host stand by a member: `tenure lead --members` stands")
            }
            (
                Self::Reader,
                ClientMessage::Resign { .. }
                | ClientMessage::Transfer { .. }
                | ClientMessage::AddMember { .. }
                | ClientMessage::RemoveMember { .. }
                | ClientMessage::ReplaceMember { .. }
                | ClientMessage::ForceMembers { .. },
            ) => {
                Some("a client's certificate does not allow this; an operator's or a member's does")
            }
            _ => None,
        }
    }

    /// Returns for how long the program is told that it leads, if it leads for this time and its work may go on for `stop`
    /// after it. A program of another host, whose clock may be slower, is told of less. Then its time and its stop time
    /// together are over by its clock when they are over here.
    fn told(self, time: Duration, stop: Duration) -> Duration {
        const MILLION: u128 = 1_000_000;
        let Self::Program { clock_bound, .. } = self else { return time };
        let nanos = time.saturating_add(stop).as_nanos() * MILLION;
        let nanos = nanos / (MILLION + u128::from(clock_bound));
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)).saturating_sub(stop)
    }

    /// Returns why the program cannot lead with this stop time, if so: it would be told of less than half a lease.
    fn impossible(self, stop: Duration) -> Option<String> {
        let Self::Program { clock_bound, lease } = self else { return None };
        (self.told(lease, stop) < lease / 2).then(|| {
            format!(
                "its stop time of {stop:?} is too long for a program of another host: clocks that differ by \
                 {clock_bound} millionths may disagree by more than half a lease of {lease:?} until it is over"
            )
        })
    }
}

/// What a program that stands wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandRequest {
    pub office: String,
    pub priority: Option<u32>,
    pub stop: Option<Duration>,
    pub only_try: bool,
    pub value: LeaderValue,
}

/// What has happened.
#[derive(Debug)]
pub enum ConnectionInput {
    /// A message has come, or a line that is none, and why.
    Heard(Result<ClientMessage, String>),
    /// The program has closed the connection, or cannot be reached by it.
    Closed,
    /// The office is led in this term. The work may go on for `stop` after a loss.
    Won {
        term: u64,
        stop: Duration,
        release_ticket: Option<Box<ReleaseTicket>>,
    },
    /// The participant does not stand; without a reason if it has ended.
    NotWon(Option<String>),
    /// This participant is known to lead the office that is tried.
    Led(String),
    /// The leadership was extended.
    Extended,
    /// It is certain for so long.
    Certain(Duration),
    /// The work has to end.
    Stopping,
    Lost,
    /// The answer to what was asked or to a release, or the next one.
    Answer(Result<MemberMessage, String>),
    /// What [`ConnectionState::alarm`] returned may be due.
    Alarm,
}

/// What the server has to do, in this order.
#[derive(Debug, PartialEq)]
pub enum ConnectionOutput {
    Say(MemberMessage),
    /// Answered by `Answer`: once, or for `Watch` again and again.
    Ask(ClientMessage),
    /// Answered by `Won` or `NotWon`; or by `Led`, if it is only to be tried.
    Stand(StandRequest),
    /// See for how long the leadership is certain, and confirm it for so long, for the program is going to count on it.
    /// Answered by `Certain`.
    Look,
    Work(CommandNews),
    Proclaim(LeaderValue),
    /// The work has ended: release the office, to this participant. Answered by `Answer`.
    Release(Option<String>),
    Log(String),
    /// Close the connection, and keep the office.
    HangUp,
    /// Close the connection, if it is open. An office that is held is released.
    End,
}

/// A leadership that a program holds by this connection.
#[derive(Debug)]
struct HeldByConnection {
    office: String,
    term: u64,
    stop: Duration,
    /// Whether no work is left when the program closes the connection.
    frees: bool,
    /// The last ping, and when it came.
    ping: Option<(u64, Duration)>,
    /// Until when the program was told that it leads.
    told: Option<Duration>,
    /// Whether it has not answered to that. Then it is told nothing more, and is silent when that is over: a program
    /// that is paused may find whatever it was told, and count on it.
    unanswered: bool,
    lost: bool,
    stopping: bool,
}

#[derive(Debug)]
enum ConnectionStage {
    /// Nothing was heard yet.
    New,
    Greeted,
    /// One answer is on its way.
    Asking,
    Watching,
    Standing {
        office: String,
        guarded: bool,
        frees: bool,
    },
    Holding(HeldByConnection),
    /// The program is gone, and what it was promised is not over.
    Promised,
    Ended,
}

pub struct ConnectionState {
    member: String,
    rights: Rights,
    /// How often it is looked whether a leadership is extended.
    beat: Duration,
    now: Duration,
    stage: ConnectionStage,
    alarm: Option<Duration>,
    outputs: Vec<ConnectionOutput>,
}

impl ConnectionState {
    /// A new connection to the member of this name.
    pub fn new(member: &str, rights: Rights, beat: Duration) -> Self {
        Self {
            member: member.to_owned(),
            rights,
            beat,
            now: Duration::ZERO,
            stage: ConnectionStage::New,
            alarm: Some(PATIENCE),
            outputs: Vec::new(),
        }
    }

    /// Returns when to ring next.
    pub const fn alarm(&self) -> Option<Duration> {
        self.alarm
    }

    /// Returns whether the next message of the program is waited for. While one answer is on its way it is not, so that
    /// a program may close its side after its question.
    pub const fn listens(&self) -> bool {
        !matches!(
            self.stage,
            ConnectionStage::Asking | ConnectionStage::Promised | ConnectionStage::Ended
        )
    }

    /// Returns whether the program may still be told that its work has to end.
    pub const fn leads(&self) -> bool {
        matches!(&self.stage, ConnectionStage::Holding(held) if !held.stopping)
    }

    /// Returns whether the program may still be told that its leadership is lost.
    pub const fn holds(&self) -> bool {
        matches!(&self.stage, ConnectionStage::Holding(held) if !held.lost)
    }

    /// Reacts to what has happened at this time since the connection began.
    pub fn step(&mut self, now: Duration, input: ConnectionInput) -> Vec<ConnectionOutput> {
        self.now = now;
        match replace(&mut self.stage, ConnectionStage::Ended) {
            ConnectionStage::New => self.greet(input),
            ConnectionStage::Greeted => self.asked(input),
            stage @ (ConnectionStage::Asking | ConnectionStage::Watching) => {
                self.answer(stage, input);
            }
            ConnectionStage::Standing { office, guarded, frees } => {
                self.stand(office, (guarded, frees), input);
            }
            ConnectionStage::Holding(held) => self.hold(held, input),
            ConnectionStage::Promised => match input {
                ConnectionInput::Alarm if self.is_due() => self.end(),
                _ => self.stage = ConnectionStage::Promised,
            },
            ConnectionStage::Ended => {}
        }
        take(&mut self.outputs)
    }

    fn put(&mut self, output: ConnectionOutput) {
        self.outputs.push(output);
    }

    fn say(&mut self, message: MemberMessage) {
        self.put(ConnectionOutput::Say(message));
    }

    fn end(&mut self) {
        (self.stage, self.alarm) = (ConnectionStage::Ended, None);
        self.put(ConnectionOutput::End);
    }

    fn refuse(&mut self, code: RefusalCode, why: impl Into<String>) {
        self.say(MemberMessage::Refused { code, why: why.into() });
        self.end();
    }

    fn is_due(&self) -> bool {
        self.alarm.is_some_and(|due| due <= self.now)
    }

    fn greet(&mut self, input: ConnectionInput) {
        match input {
            ConnectionInput::Heard(Ok(ClientMessage::Hello { versions })) => {
                let Some(&version) = versions.iter().filter(|it| VERSIONS.contains(it)).max()
                else {
                    return self.refuse(
                        RefusalCode::Version,
                        format!("this member speaks version 1 of the protocol, and the program {versions:?}"),
                    );
                };
                let tenure = env!("CARGO_PKG_VERSION").to_owned();
                self.say(MemberMessage::Hello { version, member: self.member.clone(), tenure });
                (self.stage, self.alarm) = (ConnectionStage::Greeted, Some(self.now + PATIENCE));
            }
            ConnectionInput::Heard(Ok(_)) => {
                self.refuse(RefusalCode::Invalid, "not a greeting: the first message is `hello`");
            }
            ConnectionInput::Heard(Err(why)) => {
                self.refuse(RefusalCode::Invalid, format!("not a greeting: {why}"));
            }
            ConnectionInput::Alarm if !self.is_due() => self.stage = ConnectionStage::New,
            _ => self.end(),
        }
    }

    fn asked(&mut self, input: ConnectionInput) {
        let request = match input {
            ConnectionInput::Heard(Ok(request)) => request,
            ConnectionInput::Heard(Err(why)) => {
                return self.refuse(RefusalCode::Invalid, format!("not a request: {why}"));
            }
            ConnectionInput::Alarm if !self.is_due() => {
                return self.stage = ConnectionStage::Greeted;
            }
            _ => return self.end(),
        };
        if let Some(why) = self.rights.refuse(&request) {
            return self.refuse(RefusalCode::Forbidden, why);
        }
        self.alarm = None;
        match request {
            ClientMessage::Stand {
                office,
                priority,
                stop_ms,
                wait_ms,
                only_try,
                value,
                guarded,
                says_release,
            } => {
                let value = match LeaderValue::new(&value.unwrap_or_default()) {
                    Ok(value) => value,
                    Err(why) => return self.refuse(RefusalCode::Invalid, why.to_string()),
                };
                let stop = stop_ms.map(Duration::from_millis);
                let wait = wait_ms.map(Duration::from_millis);
                self.alarm = wait.and_then(|wait| self.now.checked_add(wait));
                let frees = guarded && !says_release;
                self.stage = ConnectionStage::Standing { office: office.clone(), guarded, frees };
                self.put(ConnectionOutput::Stand(StandRequest {
                    office,
                    priority,
                    stop,
                    only_try,
                    value,
                }));
            }
            ClientMessage::Hello { .. }
            | ClientMessage::Alive { .. }
            | ClientMessage::Proclaim { .. }
            | ClientMessage::Release { .. } => {
                self.refuse(RefusalCode::Invalid, "this connection has no candidate");
            }
            request => {
                let watches = matches!(request, ClientMessage::Watch { .. });
                self.stage =
                    if watches { ConnectionStage::Watching } else { ConnectionStage::Asking };
                self.put(ConnectionOutput::Ask(request));
            }
        }
    }

    fn answer(&mut self, stage: ConnectionStage, input: ConnectionInput) {
        match input {
            ConnectionInput::Answer(Ok(answer)) => {
                self.say(answer);
                match stage {
                    ConnectionStage::Watching => self.stage = stage,
                    _ => self.end(),
                }
            }
            ConnectionInput::Answer(Err(why)) => self.refuse(RefusalCode::Failed, why),
            // A watch ends with its connection alone.
            ConnectionInput::Heard(Ok(_)) | ConnectionInput::Alarm => self.stage = stage,
            _ => self.end(),
        }
    }

    fn stand(&mut self, office: String, (guarded, frees): (bool, bool), input: ConnectionInput) {
        match input {
            ConnectionInput::Won { term, stop, release_ticket } => {
                if let Some(why) = self.rights.impossible(stop) {
                    return self.refuse(RefusalCode::Impossible, why);
                }
                self.put(ConnectionOutput::Log(format!("a program leads {office} in term {term}")));
                let release_ticket = release_ticket.filter(|_| guarded);
                self.say(MemberMessage::Leading { term, release_ticket });
                let held = HeldByConnection {
                    office,
                    term,
                    stop,
                    frees,
                    ping: None,
                    told: None,
                    unanswered: false,
                    lost: false,
                    stopping: false,
                };
                (self.stage, self.alarm) = (ConnectionStage::Holding(held), None);
            }
            ConnectionInput::NotWon(Some(why)) => self.refuse(RefusalCode::Impossible, why),
            ConnectionInput::Led(leader) => {
                self.refuse(RefusalCode::NotWon, format!("{leader} leads {office}"));
            }
            ConnectionInput::Alarm if self.is_due() => {
                self.refuse(RefusalCode::NotWon, format!("{office} was not won in time"));
            }
            ConnectionInput::Alarm => {
                self.stage = ConnectionStage::Standing { office, guarded, frees };
            }
            ConnectionInput::Heard(_) => {
                self.refuse(RefusalCode::Invalid, "this connection stands for an office");
            }
            // The program is gone; or the participant has ended, and the program looks for another member of this host,
            // or for this one when it is back.
            _ => self.end(),
        }
    }

    fn hold(&mut self, mut held: HeldByConnection, input: ConnectionInput) {
        match input {
            ConnectionInput::Heard(Ok(ClientMessage::Alive { ping, unheard, command })) => {
                held.ping = Some((ping, self.now));
                if let Some(news) = command {
                    self.put(ConnectionOutput::Work(news));
                }
                held.unanswered &= unheard;
                if held.told.is_none() {
                    self.look(&held);
                }
            }
            ConnectionInput::Heard(Ok(ClientMessage::Proclaim { value })) => {
                match LeaderValue::new(&value) {
                    Ok(value) => self.put(ConnectionOutput::Proclaim(value)),
                    Err(why) => {
                        self.say(MemberMessage::Refused {
                            code: RefusalCode::Invalid,
                            why: why.to_string(),
                        });
                        return self.part(&held, false);
                    }
                }
            }
            ConnectionInput::Heard(Ok(ClientMessage::Release { to })) => {
                (self.stage, self.alarm) = (ConnectionStage::Asking, None);
                return self.put(ConnectionOutput::Release(to));
            }
            ConnectionInput::Heard(heard) => {
                let why = heard.err().map(|why| format!("; and this is not a message: {why}"));
                let why = format!("this connection holds an office{}", why.unwrap_or_default());
                self.say(MemberMessage::Refused { code: RefusalCode::Invalid, why });
                // It may not know what it does; but it is not gone.
                return self.part(&held, false);
            }
            ConnectionInput::Closed => return self.part(&held, held.frees),
            ConnectionInput::Extended => self.look(&held),
            ConnectionInput::Certain(time) => self.certain(time, &mut held),
            ConnectionInput::Stopping if !held.stopping => {
                held.stopping = true;
                self.say(MemberMessage::Stopping {});
            }
            ConnectionInput::Lost if !held.lost => {
                (held.lost, self.alarm) = (true, None);
                self.say(MemberMessage::Over {});
            }
            ConnectionInput::Alarm if self.is_due() => {
                self.alarm = Some(self.now + self.beat);
                self.look(&held);
            }
            _ => {}
        }
        self.stage = ConnectionStage::Holding(held);
    }

    fn look(&mut self, held: &HeldByConnection) {
        if held.ping.is_some() && !held.unanswered && !held.lost {
            self.put(ConnectionOutput::Look);
        }
    }

    /// Tells the program for how long its leadership is certain, if that is longer than it knows. It counts from when it
    /// sent its last ping, which is not after this member received it: so it never counts on more than is certain,
    /// however long it or the message is held up.
    fn certain(&mut self, time: Duration, held: &mut HeldByConnection) {
        let over = held.lost || time.is_zero();
        let Some((ping, at)) = held.ping.filter(|_| !over) else { return };
        self.alarm = Some(self.now + self.beat);
        // In whole milliseconds, as the program is told.
        let here = Duration::from_millis(milliseconds(self.now.saturating_add(time) - at));
        let until = at + here;
        let for_ms = milliseconds(self.rights.told(here, held.stop));
        if for_ms > 0 && held.told.is_none_or(|told| told < until) {
            (held.told, held.unanswered) = (Some(until), true);
            self.say(MemberMessage::Valid { ping, for_ms });
        }
    }

    /// Ends a connection that holds an office. Unless all its work is known to be gone, the program may count on what it
    /// was told, and its work may go on for the stop time after that: until then the office is held for it.
    fn part(&mut self, held: &HeldByConnection, gone: bool) {
        let HeldByConnection { office, term, stop, told, .. } = held;
        let end = told.filter(|_| !gone).map_or(self.now, |told| told.saturating_add(*stop));
        self.put(ConnectionOutput::Log(format!(
            "the program that led {office} in term {term} is gone"
        )));
        if end <= self.now {
            return self.end();
        }
        self.put(ConnectionOutput::HangUp);
        let left = end - self.now;
        self.put(ConnectionOutput::Log(format!(
            "{office} is held for {left:?} more, on which its work may count"
        )));
        (self.stage, self.alarm) = (ConnectionStage::Promised, Some(end));
    }
}

#[cfg(test)]
mod tests;
