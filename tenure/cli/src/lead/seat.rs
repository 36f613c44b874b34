//! Stands for an office and holds it, by a participant of this process or by another one of this
//! host.

use crate::control::client::{self, Place};
use crate::control::server::valid_until;
use crate::control::{Answer, Lines, Request, milliseconds};
use crate::error::Error;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;
use tenure_guard::Boottime;
use tenure_node::{Errand, Extensions, Leadership, Participant};
use tokio::time::sleep;

/// The participant that stands for this program.
pub(crate) enum Candidacy {
    /// The participant of this process.
    Here(Participant),
    /// The participant behind this socket.
    There(PathBuf),
}

/// The longest time between two looks at a leadership, which may have no end to be extended.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// An office that is held.
pub(crate) struct Seat {
    pub(crate) term: u64,
    pub(crate) until: Boottime,
    /// What a herald has to know of the participant.
    pub(crate) errand: Option<Errand>,
    kind: Kind,
    stopping: bool,
    over: bool,
    gone: bool,
}

enum Kind {
    Here(Leadership, Extensions),
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
    /// The member that holds the office is gone, so that the leadership is not extended any more.
    Gone,
}

impl Candidacy {
    /// Stands for an office until it is held; `stop` is how long the command may go on after a loss.
    /// Dropping the future withdraws. Also returns the descriptor that the command's guard has to keep, if
    /// there is one. A refusal, which another attempt does not change, is an error of the input.
    pub(crate) async fn stand(
        &self,
        office: &str,
        priority: Option<u32>,
        stop: Duration,
    ) -> Result<(Seat, Option<OwnedFd>), Error> {
        match self {
            Self::Here(participant) => {
                let mut candidate = participant.office(office).stop(stop);
                if let Some(priority) = priority {
                    candidate = candidate.priority(priority);
                }
                let leadership = candidate.stand().await?;
                let extensions = leadership.extensions();
                let seat = Seat {
                    term: leadership.term(),
                    until: valid_until(&leadership),
                    errand: participant.errand(),
                    kind: Kind::Here(leadership, extensions),
                    stopping: false,
                    over: false,
                    gone: false,
                };
                Ok((seat, None))
            }
            Self::There(path) => {
                let stream = client::connect(path).await?;
                let kept = stream.as_fd().try_clone_to_owned().ok();
                let mut lines = Lines::of_client(stream);
                let stop_ms = Some(milliseconds(stop));
                let stand = Request::Stand { office: office.to_owned(), priority, stop_ms };
                let gone = |error: std::io::Error| {
                    Error::failed(format!("the member at {} is gone: {error}", path.display()))
                };
                lines.say(&stand).await.map_err(gone)?;
                match lines.hear().await.map_err(gone)? {
                    Some(Answer::Leading { term, until, errand }) => {
                        let seat = Seat {
                            term,
                            until: Boottime::from_nanos(until),
                            errand: errand.map(|errand| *errand),
                            kind: Kind::There(lines),
                            stopping: false,
                            over: false,
                            gone: false,
                        };
                        Ok((seat, kept))
                    }
                    Some(Answer::Refused { why }) => Err(Error::usage(why)),
                    Some(_) => Err(gone(std::io::Error::other("it answers nonsense"))),
                    None => Err(gone(std::io::Error::other("it closed the connection"))),
                }
            }
        }
    }
}

impl Candidacy {
    /// Asks the leader of the office, wherever it is, to leave it to the participant, whose name is given.
    pub(crate) async fn take(&self, office: &str, name: &str) -> Result<(), Error> {
        match self {
            Self::Here(participant) => {
                let asked = participant.office(office).ask_to_transfer(name).await;
                asked.map_err(|error| Error::failed(error.to_string()))
            }
            Self::There(path) => {
                let request = Request::Transfer { office: office.to_owned(), to: name.to_owned() };
                client::ask(&Place::Socket(path.clone()), &request).await.map(drop)
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
            Kind::Here(leadership, extensions) => tokio::select! {
                biased;
                () = leadership.lost() => News::Over,
                () = leadership.stopping(), if !self.stopping => News::Stopping,
                () = extensions.next() => News::Valid(valid_until(leadership)),
                () = sleep(LOOK_AGAIN) => News::Valid(valid_until(leadership)),
            },
            Kind::There(lines) => match lines.hear().await {
                Ok(Some(Answer::Valid { until })) => News::Valid(Boottime::from_nanos(until)),
                Ok(Some(Answer::Stopping)) => News::Stopping,
                Ok(Some(_)) => News::Over,
                Ok(None) | Err(_) => News::Gone,
            },
        };
        match news {
            News::Valid(until) => self.until = self.until.max(until),
            News::Stopping => self.stopping = true,
            News::Over => self.over = true,
            News::Gone => (self.over, self.gone) = (true, true),
        }
        news
    }

    pub(crate) const fn is_orphaned(&self) -> bool {
        self.gone
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
