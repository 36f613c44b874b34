//! Standing for an office, and holding it, by a participant of this host.

use crate::control::{Answer, Lines, Request, client};
use crate::error::Error;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use suffrage_supervision::Boottime;

/// The participant that stands for us, behind its socket.
pub(crate) struct Candidacy(pub(crate) PathBuf);

/// An office that is held.
pub(crate) struct Seat {
    pub(crate) term: u64,
    pub(crate) until: Boottime,
    lines: Lines,
    over: bool,
}

/// What becomes of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// It is valid until then.
    Valid(Boottime),
    /// The command is to end.
    Stopping,
    /// It is over.
    Over,
}

impl Candidacy {
    /// Stands for an office until it is held. Dropping the future withdraws. With a descriptor that
    /// the command's guard has to keep, if there is one.
    pub(crate) async fn stand(
        &self,
        office: &str,
        priority: Option<u32>,
    ) -> Result<(Seat, Option<OwnedFd>), Error> {
        let path = &self.0;
        let stream = client::connect(path).await?;
        let kept = stream.as_fd().try_clone_to_owned().ok();
        let mut lines = Lines::new(stream);
        let stand = Request::Stand { office: office.to_owned(), priority };
        let gone = |error: std::io::Error| {
            Error::failed(format!("the member at {} is gone: {error}", path.display()))
        };
        lines.say(&stand).await.map_err(gone)?;
        match lines.hear().await.map_err(gone)? {
            Some(Answer::Leading { term, until, .. }) => {
                let until = Boottime::from_nanos(until);
                Ok((Seat { term, until, lines, over: false }, kept))
            }
            Some(Answer::Refused { why }) => Err(Error::failed(why)),
            Some(_) => Err(gone(std::io::Error::other("it answers nonsense"))),
            None => Err(gone(std::io::Error::other("it closed the connection"))),
        }
    }
}

impl Seat {
    /// The next news. Cancellation-safe.
    pub(crate) async fn next(&mut self) -> News {
        if self.over {
            return std::future::pending().await;
        }
        let news = match self.lines.hear().await {
            Ok(Some(Answer::Valid { until })) => News::Valid(Boottime::from_nanos(until)),
            Ok(Some(Answer::Stopping)) => News::Stopping,
            // Also a member that is gone: its leadership will not be prolonged.
            Ok(_) | Err(_) => News::Over,
        };
        match news {
            News::Valid(until) => self.until = self.until.max(until),
            News::Stopping => {}
            News::Over => self.over = true,
        }
        news
    }

    /// The command's guard knows until when it is valid.
    pub(crate) async fn confirm(&mut self, until: Boottime) {
        // A member that is gone is noticed by what it does not say any more.
        let _ = self.lines.say(&Request::Alive { until: until.as_nanos() }).await;
    }

    /// The command has ended: releases the office.
    pub(crate) async fn release(mut self) {
        if self.lines.say(&Request::Done).await.is_ok() {
            // Until it says that this is done, or is gone.
            while let Ok(Some(answer)) = self.lines.hear::<Answer>().await {
                if answer == Answer::Done {
                    break;
                }
            }
        }
    }
}
