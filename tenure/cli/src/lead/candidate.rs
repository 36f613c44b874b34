//! Stands for an office and holds it, by a participant of this process or by another one of this
//! host.

use crate::control::client::{self, ControlAddress};
use crate::control::messages::RefusalCode;
use crate::control::server::{led, valid_until};
use crate::control::{ClientMessage, CommandNews, JsonLines, MemberMessage, milliseconds};
use crate::done;
use crate::error::CommandError;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tenure_guard::Boottime;
use tenure_node::{Extensions, LeaderValue, Leadership, Participant, ReleaseTicket};
use tokio::time::sleep;

/// The participant that stands for this program.
pub(crate) enum OfficeCandidate {
    Here(Participant),
    There(PathBuf),
}

/// The longest time between two looks at a leadership, which may have no end to be extended.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

pub(crate) struct HeldOffice {
    pub(crate) term: u64,
    pub(crate) until: Boottime,
    /// What a crash notifier has to know of the participant.
    pub(crate) release_ticket: Option<ReleaseTicket>,
    kind: HeldBy,
    /// Until when the guard of the command is known to know that it is valid.
    confirmed: Boottime,
    stopping: bool,
    over: bool,
    /// What came before it was known until when the leadership is valid.
    early: Option<LeadershipNews>,
}

enum HeldBy {
    Here(Leadership, Extensions),
    There(JsonLines),
}

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

impl OfficeCandidate {
    /// Stands for an office until it is held, or with `only_try` until another program is known to lead; `stop` is how
    /// long the command may go on after a loss.
    /// Dropping the future withdraws. Also returns the descriptor that the command's guard has to keep, if
    /// there is one. A refusal, which another attempt does not change, is an error of the input.
    pub(crate) async fn stand(
        self: Arc<Self>,
        office: &str,
        priority: Option<u32>,
        stop: Duration,
        value: LeaderValue,
        only_try: bool,
    ) -> Result<(HeldOffice, Option<OwnedFd>), CommandError> {
        match &*self {
            Self::Here(participant) => {
                let mut standing = participant.office(office).stop(stop).confirmed().value(value);
                if let Some(priority) = priority {
                    standing = standing.priority(priority);
                }
                let rival = only_try.then(|| led(participant, office));
                let leadership = tokio::select! {
                    biased;
                    stood = standing.stand() => stood?,
                    leader = done(rival) => {
                        return Err(CommandError::not_led(format!("{leader} leads {office}")));
                    }
                };
                let extensions = leadership.extensions();
                let (term, until) = (leadership.term(), valid_until(&leadership));
                let kind = HeldBy::Here(leadership, extensions);
                Ok((HeldOffice::new(term, until, participant.release_ticket(), kind), None))
            }
            Self::There(path) => {
                let (lines, kept) = client::connect_guarded(path).await?;
                let stop_ms = Some(milliseconds(stop));
                let stand = ClientMessage::Stand {
                    office: office.to_owned(),
                    priority,
                    stop_ms,
                    wait_ms: None,
                    only_try,
                    value: Some(value.text().to_owned()).filter(|text| !text.is_empty()),
                    guarded: true,
                };
                let gone = |error: io::Error| {
                    CommandError::failed(format!(
                        "the member at {} is gone: {error}",
                        path.display()
                    ))
                };
                Ok((HeldOffice::won_there(lines, &stand).await.map_err(gone)??, kept))
            }
        }
    }

    /// Adds a warning about a part of this program to the status of the participant, or takes it back. One of another
    /// process is told by [`HeldOffice::tell`] alone.
    pub(crate) fn warn_of(&self, about: &'static str, warning: Option<String>) {
        if let Self::Here(participant) = self {
            participant.warn_of(about, warning);
        }
    }

    /// Asks the leader of the office, wherever it is, to leave it to the participant, whose name is given.
    pub(crate) async fn take(
        self: Arc<Self>,
        office: &str,
        name: String,
    ) -> Result<(), CommandError> {
        match &*self {
            Self::Here(participant) => {
                let asked = participant.office(office).ask_to_transfer(&name).await;
                asked.map_err(|error| CommandError::failed(error.to_string()))
            }
            Self::There(path) => {
                let request = ClientMessage::Transfer { office: office.to_owned(), to: name };
                client::ask(&ControlAddress::Socket(path.clone()), &request).await.map(drop)
            }
        }
    }
}

impl HeldOffice {
    const fn new(
        term: u64,
        until: Boottime,
        release_ticket: Option<ReleaseTicket>,
        kind: HeldBy,
    ) -> Self {
        let (stopping, over, early) = (false, false, None);
        Self { term, until, release_ticket, kind, confirmed: until, stopping, over, early }
    }

    /// Stands until the member says that the office is led, and until when. The error within is its refusal.
    async fn won_there(
        mut lines: JsonLines,
        stand: &ClientMessage,
    ) -> io::Result<Result<Self, CommandError>> {
        let nonsense = || io::Error::other("it answers nonsense");
        let closed = || io::Error::other("it closed the connection");
        lines.say(stand).await?;
        let (term, ticket) = match lines.hear().await?.ok_or_else(closed)? {
            MemberMessage::Leading { term, release_ticket } => (term, release_ticket),
            MemberMessage::Refused { code: RefusalCode::NotWon, why } => {
                return Ok(Err(CommandError::not_led(why)));
            }
            MemberMessage::Refused { why, .. } => return Ok(Err(CommandError::usage(why))),
            _ => return Err(nonsense()),
        };
        lines.say(&alive(false, None)).await?;
        let mut early = None;
        loop {
            match lines.hear().await?.ok_or_else(closed)? {
                MemberMessage::Valid { ping, for_ms } => {
                    let (until, ticket) = (until(ping, for_ms), ticket.map(|ticket| *ticket));
                    let held = Self::new(term, until, ticket, HeldBy::There(lines));
                    return Ok(Ok(Self { early, ..held }));
                }
                MemberMessage::Stopping {} => early = Some(LeadershipNews::Stopping),
                MemberMessage::Over {} => return Err(io::Error::other("it leads no more")),
                _ => return Err(nonsense()),
            }
        }
    }

    /// Waits for the next change. Cancellation-safe.
    pub(crate) async fn next(&mut self) -> LeadershipNews {
        if self.over {
            return std::future::pending().await;
        }
        let early = self.early.take();
        let news = match &mut self.kind {
            _ if early.is_some() => early.unwrap_or(LeadershipNews::Stopping),
            HeldBy::Here(leadership, extensions) => tokio::select! {
                biased;
                () = leadership.lost() => LeadershipNews::Over,
                () = leadership.stopping(), if !self.stopping => LeadershipNews::Stopping,
                () = extensions.next() => LeadershipNews::Valid(valid_until(leadership)),
                () = sleep(LOOK_AGAIN) => LeadershipNews::Valid(valid_until(leadership)),
            },
            HeldBy::There(lines) => match lines.hear().await {
                Ok(Some(MemberMessage::Valid { ping, for_ms })) => {
                    LeadershipNews::Valid(self.until.max(until(ping, for_ms)))
                }
                Ok(Some(MemberMessage::Stopping {})) => LeadershipNews::Stopping,
                Ok(Some(_)) => LeadershipNews::Over,
                Ok(None) | Err(_) => LeadershipNews::Gone,
            },
        };
        match news {
            LeadershipNews::Valid(until) => self.until = self.until.max(until),
            LeadershipNews::Stopping => self.stopping = true,
            LeadershipNews::Over | LeadershipNews::Gone => self.over = true,
        }
        news
    }

    /// Confirms that the command's guard knows until when the leadership is valid.
    pub(crate) async fn confirm(&mut self, until: Boottime) {
        self.confirmed = self.confirmed.max(until);
        match &mut self.kind {
            HeldBy::Here(leadership, _) => _ = leadership.confirm(until.remaining()),
            HeldBy::There(_) => self.say(None).await,
        }
    }

    /// Tells the member what the command does, for operators.
    pub(crate) async fn tell(&mut self, news: CommandNews) {
        match &self.kind {
            HeldBy::Here(leadership, _) => leadership.tell_work(news.why_not()),
            HeldBy::There(_) => self.say(Some(news)).await,
        }
    }

    async fn say(&mut self, command: Option<CommandNews>) {
        if let HeldBy::There(lines) = &mut self.kind {
            // `next` notices that the member is gone.
            let _ = lines.say(&alive(self.confirmed < self.until, command)).await;
        }
    }

    pub(crate) async fn release(self) {
        match self.kind {
            HeldBy::Here(leadership, _) => leadership.resign().await,
            HeldBy::There(mut lines) => {
                if lines.say(&ClientMessage::Release { to: None }).await.is_ok() {
                    // Until the member confirms, or is gone.
                    while let Ok(Some(answer)) = lines.hear::<MemberMessage>().await {
                        if matches!(answer, MemberMessage::Released {}) {
                            break;
                        }
                    }
                }
            }
        }
    }
}

/// The message that this program is well, and whether its work has not heard of the last extension yet.
fn alive(unheard: bool, command: Option<CommandNews>) -> ClientMessage {
    ClientMessage::Alive { ping: Boottime::now().as_nanos(), unheard, command }
}

/// The end of a leadership that is valid for so long from a ping of this program, which was its clock's time. The guard
/// of the command reads the same clock, and takes instants.
fn until(ping: u64, for_ms: u64) -> Boottime {
    Boottime::from_nanos(ping).after(Duration::from_millis(for_ms))
}
