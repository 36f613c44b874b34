//! Stands for an office and holds it, by a participant of this process or by another one of this
//! host.

use super::office_session::{LeadershipNews, OfficeSession, SessionInput, SessionOutput};
use crate::control::client::{self, ControlAddress};
use crate::control::server::{led, valid_until};
use crate::control::{ClientMessage, CommandNews, JsonLines, milliseconds};
use crate::done;
use crate::error::CommandError;
use std::collections::VecDeque;
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
    stopping: bool,
    over: bool,
}

enum HeldBy {
    Here(Leadership, Extensions),
    There(SessionLines),
}

/// A connection with a member of another process, which does what its [session](OfficeSession) decides.
struct SessionLines {
    lines: JsonLines,
    session: OfficeSession,
    /// What the session has found, and was not handed on yet.
    found: VecDeque<SessionOutput>,
}

impl OfficeCandidate {
    /// Stands for an office until it is held, or with `only_try` until another program is known to lead; `stop` is how
    /// long the command may go on after a loss.
    /// Dropping the future withdraws. Also returns the descriptor that the command's guard has to keep, and to say
    /// [`RELEASE`](client::RELEASE) by, if there is one. A refusal, which another attempt does not change, is an error
    /// of the input.
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
                    says_release: true,
                };
                let place = format!("the member at {}", path.display());
                Ok((HeldOffice::won_there(lines, place, stand).await?, kept))
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
        Self { term, until, release_ticket, kind, stopping: false, over: false }
    }

    /// Stands until the member at this place says that the office is led, and until when.
    async fn won_there(
        lines: JsonLines,
        place: String,
        stand: ClientMessage,
    ) -> Result<Self, CommandError> {
        let (session, found) = (OfficeSession::new(place), VecDeque::new());
        let mut there = SessionLines { lines, session, found };
        if let Err(error) = there.lines.say(&stand).await {
            there.step(SessionInput::Closed(error.to_string())).await;
        }
        loop {
            match there.next().await {
                SessionOutput::Won { term, until, release_ticket } => {
                    let ticket = release_ticket.map(|ticket| *ticket);
                    return Ok(Self::new(term, until, ticket, HeldBy::There(there)));
                }
                SessionOutput::NotWon(error) => return Err(error),
                _ => {}
            }
        }
    }

    /// Waits for the next change. Cancellation-safe.
    pub(crate) async fn next(&mut self) -> LeadershipNews {
        if self.over {
            return std::future::pending().await;
        }
        let news = match &mut self.kind {
            HeldBy::Here(leadership, extensions) => tokio::select! {
                biased;
                () = leadership.lost() => LeadershipNews::Over,
                () = leadership.stopping(), if !self.stopping => LeadershipNews::Stopping,
                () = extensions.next() => LeadershipNews::Valid(valid_until(leadership)),
                () = sleep(LOOK_AGAIN) => LeadershipNews::Valid(valid_until(leadership)),
            },
            HeldBy::There(there) => loop {
                if let SessionOutput::News(news) = there.next().await {
                    break news;
                }
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
        match &mut self.kind {
            HeldBy::Here(leadership, _) => _ = leadership.confirm(until.remaining()),
            HeldBy::There(there) => there.step(SessionInput::Confirm(until)).await,
        }
    }

    /// Tells the member what the command does, for operators.
    pub(crate) async fn tell(&mut self, news: CommandNews) {
        match &mut self.kind {
            HeldBy::Here(leadership, _) => leadership.tell_work(news.why_not()),
            HeldBy::There(there) => there.step(SessionInput::Tell(news)).await,
        }
    }

    pub(crate) async fn release(self) {
        match self.kind {
            HeldBy::Here(leadership, _) => leadership.resign().await,
            HeldBy::There(mut there) => {
                there.step(SessionInput::Release).await;
                while !matches!(there.next().await, SessionOutput::Released) {}
            }
        }
    }
}

impl SessionLines {
    /// Tells the session what has happened, and says what it wants. What cannot be said ends the connection, as
    /// [`next`](Self::next) notices, too.
    async fn step(&mut self, input: SessionInput) {
        for output in self.session.step(Boottime::now(), input) {
            match output {
                SessionOutput::Say(message) => _ = self.lines.say(&message).await,
                output => self.found.push_back(output),
            }
        }
    }

    /// Waits for what the session finds next. Cancellation-safe once the office is held: nothing is answered then to
    /// what is heard.
    async fn next(&mut self) -> SessionOutput {
        loop {
            if let Some(output) = self.found.pop_front() {
                return output;
            }
            let heard = match self.lines.hear().await {
                Ok(Some(message)) => SessionInput::Heard(message),
                Ok(None) => SessionInput::Closed("it closed the connection".to_owned()),
                Err(error) => SessionInput::Closed(error.to_string()),
            };
            self.step(heard).await;
        }
    }
}
