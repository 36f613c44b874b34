//! What `tenure lead` decides on its connection with a member of another process: what to say, and what answers mean.
//!
//! This is a state machine: the [candidate](super::candidate) tells it what has happened, and when, and carries out what
//! it answers. It reads no clock and does no I/O.

#![allow(missing_docs, reason = "public for simulations alone")]

use crate::control::messages::RefusalCode;
use crate::control::{ClientMessage, CommandNews, MemberMessage};
use crate::error::CommandError;
use std::mem::{replace, take};
use std::time::Duration;
use tenure_guard::Boottime;
use tenure_node::ReleaseTicket;

/// News of a leadership.
#[derive(Debug, PartialEq, Eq)]
pub enum LeadershipNews {
    /// The leadership is valid until this instant.
    Valid(Boottime),
    /// The work is to end.
    Stopping,
    /// It is over.
    Over,
    /// The member that holds the office is gone, so that the leadership is not extended any more.
    Gone,
}

/// What has happened.
#[derive(Debug)]
pub enum SessionInput {
    Heard(MemberMessage),
    /// The member has closed the connection, or cannot be reached by it; and why.
    Closed(String),
    /// The guard of the command knows that the leadership is valid until this instant.
    Confirm(Boottime),
    /// The command does this now.
    Tell(CommandNews),
    /// No process of the command is left.
    Release,
}

/// What is to be done, in this order.
#[derive(Debug)]
pub enum SessionOutput {
    Say(ClientMessage),
    /// The office is held in this term, until this instant.
    Won {
        term: u64,
        until: Boottime,
        release_ticket: Option<Box<ReleaseTicket>>,
    },
    NotWon(CommandError),
    News(LeadershipNews),
    Released,
}

#[derive(Debug)]
enum SessionStage {
    Standing,
    /// The office is led in this term, and the member has not said until when.
    Led(u64, Option<Box<ReleaseTicket>>),
    Holding,
    /// The leadership is over, or the member gone: what it says has no meaning any more.
    Over,
    Releasing,
}

/// A connection with a greeted member, which was asked to let this program stand.
pub struct OfficeSession {
    /// Where the member is, for people.
    member: String,
    stage: SessionStage,
    /// Whether the work has to end, as was said before it was known until when the leadership is valid.
    stops_early: bool,
    until: Boottime,
    /// Until when the guard of the command is known to know that it is valid.
    confirmed: Boottime,
}

impl OfficeSession {
    pub fn new(member: String) -> Self {
        let (until, confirmed) = (Boottime::default(), Boottime::default());
        Self { member, stage: SessionStage::Standing, stops_early: false, until, confirmed }
    }

    /// Reacts to what has happened at this instant of this host's clock.
    pub fn step(&mut self, now: Boottime, input: SessionInput) -> Vec<SessionOutput> {
        match input {
            SessionInput::Heard(message) => self.heard(now, message),
            SessionInput::Closed(why) => self.closed(&why),
            SessionInput::Confirm(until) => {
                self.confirmed = self.confirmed.max(until);
                vec![self.alive(now, None)]
            }
            SessionInput::Tell(news) => vec![self.alive(now, Some(news))],
            SessionInput::Release => {
                self.stage = SessionStage::Releasing;
                vec![SessionOutput::Say(ClientMessage::Release { to: None })]
            }
        }
    }

    fn heard(&mut self, now: Boottime, message: MemberMessage) -> Vec<SessionOutput> {
        match (replace(&mut self.stage, SessionStage::Over), message) {
            (SessionStage::Standing, MemberMessage::Leading { term, release_ticket }) => {
                self.stage = SessionStage::Led(term, release_ticket);
                vec![self.alive(now, None)]
            }
            (SessionStage::Standing, MemberMessage::Refused { code, why }) => {
                vec![SessionOutput::NotWon(match code {
                    RefusalCode::NotWon => CommandError::not_led(why),
                    _ => CommandError::usage(why),
                })]
            }
            (SessionStage::Led(term, release_ticket), MemberMessage::Valid { ping, for_ms }) => {
                (self.until, self.stage) = (until(ping, for_ms), SessionStage::Holding);
                // The guard begins with this instant.
                self.confirmed = self.until;
                let won = SessionOutput::Won { term, until: self.until, release_ticket };
                let stops = take(&mut self.stops_early);
                let stops = stops.then_some(SessionOutput::News(LeadershipNews::Stopping));
                [won].into_iter().chain(stops).collect()
            }
            (stage @ SessionStage::Led(..), MemberMessage::Stopping {}) => {
                (self.stops_early, self.stage) = (true, stage);
                Vec::new()
            }
            (SessionStage::Led(..), MemberMessage::Over {}) => self.is_gone("it leads no more"),
            (SessionStage::Standing | SessionStage::Led(..), _) => {
                self.is_gone("it answers nonsense")
            }
            (SessionStage::Holding, message) => vec![SessionOutput::News(self.news(&message))],
            (SessionStage::Releasing, MemberMessage::Released {}) => vec![SessionOutput::Released],
            (stage @ (SessionStage::Over | SessionStage::Releasing), _) => {
                self.stage = stage;
                Vec::new()
            }
        }
    }

    fn news(&mut self, message: &MemberMessage) -> LeadershipNews {
        self.stage = SessionStage::Holding;
        match *message {
            MemberMessage::Valid { ping, for_ms } => {
                self.until = self.until.max(until(ping, for_ms));
                LeadershipNews::Valid(self.until)
            }
            MemberMessage::Stopping {} => LeadershipNews::Stopping,
            _ => {
                self.stage = SessionStage::Over;
                LeadershipNews::Over
            }
        }
    }

    fn closed(&mut self, why: &str) -> Vec<SessionOutput> {
        match replace(&mut self.stage, SessionStage::Over) {
            SessionStage::Standing | SessionStage::Led(..) => self.is_gone(why),
            SessionStage::Holding => vec![SessionOutput::News(LeadershipNews::Gone)],
            SessionStage::Releasing => vec![SessionOutput::Released],
            SessionStage::Over => Vec::new(),
        }
    }

    fn is_gone(&self, why: &str) -> Vec<SessionOutput> {
        let gone = format!("{} is gone: {why}", self.member);
        vec![SessionOutput::NotWon(CommandError::failed(gone))]
    }

    /// Says that this program is well, and whether its work has not heard of the last extension yet.
    fn alive(&self, now: Boottime, command: Option<CommandNews>) -> SessionOutput {
        let unheard = self.confirmed < self.until;
        SessionOutput::Say(ClientMessage::Alive { ping: now.as_nanos(), unheard, command })
    }
}

/// The end of a leadership that is valid for so long from a ping of this program, which was its clock's time. The guard
/// of the command reads the same clock, and takes instants.
fn until(ping: u64, for_ms: u64) -> Boottime {
    Boottime::from_nanos(ping).after(Duration::from_millis(for_ms))
}

#[cfg(test)]
mod tests;
