//! Stands for an office and holds it, by a participant of this process or by another one of this
//! host.

use crate::control::client::{self, ControlAddress};
use crate::control::server::valid_until;
use crate::control::{CommandNews, ControlReply, JsonLines, Request, milliseconds};
use crate::error::CommandError;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tenure_guard::Boottime;
use tenure_node::{Extensions, Leadership, Participant, ReleaseTicket};
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
}

enum HeldBy {
    Here(Leadership, Extensions),
    There(JsonLines),
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LeadershipNews {
    /// The leadership is valid until this instant.
    Valid(Boottime),
    Stopping,
    Over,
    /// The member that holds the office is gone, so that the leadership is not extended any more.
    Gone,
}

impl OfficeCandidate {
    /// Stands for an office until it is held; `stop` is how long the command may go on after a loss.
    /// Dropping the future withdraws. Also returns the descriptor that the command's guard has to keep, if
    /// there is one. A refusal, which another attempt does not change, is an error of the input.
    pub(crate) async fn stand(
        self: Arc<Self>,
        office: &str,
        priority: Option<u32>,
        stop: Duration,
    ) -> Result<(HeldOffice, Option<OwnedFd>), CommandError> {
        match &*self {
            Self::Here(participant) => {
                let mut standing = participant.office(office).stop(stop).confirmed();
                if let Some(priority) = priority {
                    standing = standing.priority(priority);
                }
                let leadership = standing.stand().await?;
                let extensions = leadership.extensions();
                let (term, until) = (leadership.term(), valid_until(&leadership));
                let kind = HeldBy::Here(leadership, extensions);
                Ok((HeldOffice::new(term, until, participant.release_ticket(), kind), None))
            }
            Self::There(path) => {
                let stream = client::connect(path).await?;
                let kept = stream.as_fd().try_clone_to_owned().ok();
                let mut lines = JsonLines::of_client(stream);
                let stop_ms = Some(milliseconds(stop));
                let stand = Request::Stand { office: office.to_owned(), priority, stop_ms };
                let gone = |error: std::io::Error| {
                    CommandError::failed(format!(
                        "the member at {} is gone: {error}",
                        path.display()
                    ))
                };
                lines.say(&stand).await.map_err(gone)?;
                match lines.hear().await.map_err(gone)? {
                    Some(ControlReply::Leading { term, until, release_ticket }) => {
                        let until = Boottime::from_nanos(until);
                        let ticket = release_ticket.map(|ticket| *ticket);
                        Ok((HeldOffice::new(term, until, ticket, HeldBy::There(lines)), kept))
                    }
                    Some(ControlReply::Refused { why }) => Err(CommandError::usage(why)),
                    Some(_) => Err(gone(std::io::Error::other("it answers nonsense"))),
                    None => Err(gone(std::io::Error::other("it closed the connection"))),
                }
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
                let request = Request::Transfer { office: office.to_owned(), to: name };
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
        Self { term, until, release_ticket, kind, confirmed: until, stopping: false, over: false }
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
            HeldBy::There(lines) => match lines.hear().await {
                Ok(Some(ControlReply::Valid { until })) => {
                    LeadershipNews::Valid(Boottime::from_nanos(until))
                }
                Ok(Some(ControlReply::Stopping)) => LeadershipNews::Stopping,
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
            HeldBy::Here(leadership, _) => leadership.confirm(until.remaining()),
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
        let until = self.confirmed.as_nanos();
        if let HeldBy::There(lines) = &mut self.kind {
            // `next` notices that the member is gone.
            let _ = lines.say(&Request::Alive { until, command }).await;
        }
    }

    pub(crate) async fn release(self) {
        match self.kind {
            HeldBy::Here(leadership, _) => leadership.resign().await,
            HeldBy::There(mut lines) => {
                if lines.say(&Request::Done).await.is_ok() {
                    // Until the member confirms, or is gone.
                    while let Ok(Some(answer)) = lines.hear::<ControlReply>().await {
                        if answer == ControlReply::Done {
                            break;
                        }
                    }
                }
            }
        }
    }
}
