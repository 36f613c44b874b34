//! Stands for an office and holds it, by a participant of this process or by another one of this
//! host.

use crate::control::server::valid_until;
use crate::control::{Answer, Lines, Request, client};
use crate::error::Error;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;
use suffrage_service::{Leadership, Participant};
use suffrage_supervision::Boottime;
use tokio::time::sleep;

/// The participant that stands for this program.
pub(crate) enum Candidacy {
    /// The participant of this process.
    Here {
        participant: Participant,
        /// The interval at which the validity of a leadership is checked.
        beat: Duration,
    },
    /// The participant behind this socket.
    There(PathBuf),
}

/// An office that is held.
pub(crate) struct Seat {
    pub(crate) term: u64,
    pub(crate) until: Boottime,
    kind: Kind,
    stopping: bool,
    over: bool,
}

enum Kind {
    Here(Leadership, Duration),
    There(Lines),
}

/// A change of an office that is held.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// The leadership is valid until this instant.
    Valid(Boottime),
    /// The command has to end.
    Stopping,
    /// The leadership is over.
    Over,
}

impl Candidacy {
    /// Stands for an office until it is held. Dropping the future withdraws. Also returns the
    /// descriptor that the command's guard has to keep, if there is one.
    pub(crate) async fn stand(
        &self,
        office: &str,
        priority: Option<u32>,
    ) -> Result<(Seat, Option<OwnedFd>), Error> {
        match self {
            Self::Here { participant, beat } => {
                let mut candidate = participant.office(office);
                if let Some(priority) = priority {
                    candidate = candidate.priority(priority);
                }
                let leadership =
                    candidate.stand().await.map_err(|error| Error::failed(error.to_string()))?;
                let seat = Seat {
                    term: leadership.term(),
                    until: valid_until(&leadership),
                    kind: Kind::Here(leadership, *beat),
                    stopping: false,
                    over: false,
                };
                Ok((seat, None))
            }
            Self::There(path) => {
                let stream = client::connect(path).await?;
                let kept = stream.as_fd().try_clone_to_owned().ok();
                let mut lines = Lines::new(stream);
                let stand = Request::Stand { office: office.to_owned(), priority };
                let gone = |error: std::io::Error| {
                    Error::failed(format!("the member at {} is gone: {error}", path.display()))
                };
                lines.say(&stand).await.map_err(gone)?;
                match lines.hear().await.map_err(gone)? {
                    Some(Answer::Leading { term, until }) => {
                        let seat = Seat {
                            term,
                            until: Boottime::from_nanos(until),
                            kind: Kind::There(lines),
                            stopping: false,
                            over: false,
                        };
                        Ok((seat, kept))
                    }
                    Some(Answer::Refused { why }) => Err(Error::failed(why)),
                    Some(_) => Err(gone(std::io::Error::other("it answers nonsense"))),
                    None => Err(gone(std::io::Error::other("it closed the connection"))),
                }
            }
        }
    }
}

impl Seat {
    /// Waits for the next change. Cancellation-safe.
    pub(crate) async fn next(&mut self) -> News {
        if self.over {
            return std::future::pending().await;
        }
        let news = match &mut self.kind {
            Kind::Here(leadership, beat) => tokio::select! {
                biased;
                () = leadership.lost() => News::Over,
                () = leadership.stopping(), if !self.stopping => News::Stopping,
                () = sleep(*beat) => News::Valid(valid_until(leadership)),
            },
            Kind::There(lines) => match lines.hear().await {
                Ok(Some(Answer::Valid { until })) => News::Valid(Boottime::from_nanos(until)),
                Ok(Some(Answer::Stopping)) => News::Stopping,
                // Also if the member is gone: then its leadership is not extended any more.
                Ok(_) | Err(_) => News::Over,
            },
        };
        match news {
            News::Valid(until) => self.until = self.until.max(until),
            News::Stopping => self.stopping = true,
            News::Over => self.over = true,
        }
        news
    }

    /// Confirms that the command's guard knows until when the leadership is valid.
    pub(crate) async fn confirm(&mut self, until: Boottime) {
        if let Kind::There(lines) = &mut self.kind {
            // `next` notices that the member is gone.
            let _ = lines.say(&Request::Alive { until: until.as_nanos() }).await;
        }
    }

    /// Releases the office, after the command has ended.
    pub(crate) async fn release(self) {
        match self.kind {
            Kind::Here(leadership, _) => leadership.resign().await,
            Kind::There(mut lines) => {
                if lines.say(&Request::Done).await.is_ok() {
                    // Until the member confirms, or is gone.
                    while let Ok(Some(answer)) = lines.hear::<Answer>().await {
                        if answer == Answer::Done {
                            break;
                        }
                    }
                }
            }
        }
    }
}
