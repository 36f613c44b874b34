//! The handle of a program that leads.

use crate::ends::Ends;
use crate::office::OfficeName;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tenure_model::{Office, Term};
use tokio::sync::{oneshot, watch};

/// The value of `until` of a leadership that is over.
const OVER: u64 = 0;
/// The value of `until` of a leadership that no alarm ends.
const NO_END: u64 = u64::MAX;

/// The stage of a leadership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Leading,
    Stopping,
    Over,
}

/// The state that the loop and the handles of one leadership share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) office: OfficeName,
    pub(crate) term: Term,
    ends: Arc<Ends>,
    /// Until when the leadership lasts. Once this is [`OVER`] it stays so.
    until: AtomicU64,
    stage: watch::Sender<Stage>,
    /// Marked as changed when it is extended.
    extended: watch::Sender<()>,
}

impl Shared {
    pub(crate) fn new(office: OfficeName, term: Term, ends: Arc<Ends>) -> Self {
        let until = AtomicU64::new(1);
        let stage = watch::Sender::new(Stage::Leading);
        Self { office, term, ends, until, stage, extended: watch::Sender::default() }
    }

    fn valid_for(&self) -> Duration {
        let mut until = self.until.load(Ordering::SeqCst);
        loop {
            let left = match until {
                NO_END => return Duration::MAX,
                OVER => return Duration::ZERO,
                _ => until.saturating_sub(self.ends.clock().now()),
            };
            if left > 0 {
                return self.ends.clock().wait(left);
            }
            // A caller that has seen it as over never sees it as valid again. It may have been extended
            // after its end was read.
            let over = self.until.compare_exchange(until, OVER, Ordering::SeqCst, Ordering::SeqCst);
            until = over.map_or_else(|extended| extended, |_| OVER);
        }
    }

    /// Tells the handles if it is over, by the clock. Returns until when it lasts otherwise.
    pub(crate) fn look(&self) -> Option<u64> {
        if self.valid_for().is_zero() {
            self.stage.send_replace(Stage::Over);
            return None;
        }
        Some(self.until.load(Ordering::SeqCst))
    }

    /// Extends it to `until`; `None` if no alarm ends it. Returns whether it did: not if a handle
    /// has reported that it is over.
    pub(crate) fn lasts(&self, until: Option<u64>) -> bool {
        let until = until.unwrap_or(NO_END).max(1);
        let update = |old| (old != OVER).then_some(until);
        let old = self.until.fetch_update(Ordering::SeqCst, Ordering::SeqCst, update);
        self.ends.note(until);
        if old.is_ok_and(|old| old < until) && self.extended.receiver_count() > 0 {
            self.extended.send_replace(());
        }
        old.is_ok()
    }

    /// Begins it.
    pub(crate) fn begin(self: &Arc<Self>, until: Option<u64>) {
        self.until.store(until.unwrap_or(NO_END).max(1), Ordering::SeqCst);
        self.ends.watch(self);
    }

    #[cfg(test)]
    pub(crate) fn stage(&self) -> Stage {
        *self.stage.borrow()
    }

    #[cfg(test)]
    pub(crate) fn ends(&self) -> &Ends {
        &self.ends
    }

    pub(crate) fn stop(&self) {
        self.stage.send_if_modified(|stage| {
            let leads = *stage == Stage::Leading;
            if leads {
                *stage = Stage::Stopping;
            }
            leads
        });
    }

    pub(crate) fn end(&self) {
        self.until.store(OVER, Ordering::SeqCst);
        self.stage.send_replace(Stage::Over);
    }
}

/// The participant by which a leadership is held, and which releases its office.
pub(crate) trait Holder: Send + Sync {
    /// Releases the office in this term, to the participant of this name if one is given; and
    /// answers when this participant holds it no longer. Returns at once.
    fn release(&self, office: Office, term: Term, to: Option<String>, answer: Option<Answer>);
}

/// Where the answer to a release or a transfer goes.
pub(crate) type Answer = oneshot::Sender<Result<(), TransferError>>;

/// The leadership of an office, for one term.
///
/// It is certain for [`valid_for`](Self::valid_for) from now, and is extended continually while the
/// participant can reach a majority of the members. Once it is over it stays so: a later
/// leadership of the same office is another value, with a greater term.
///
/// **Dropping it declares that the work has ended**: the office is released at once, if it is still
/// held. So drop it when the work has ended, and not before.
pub struct Leadership {
    shared: Arc<Shared>,
    holder: Arc<dyn Holder>,
    released: bool,
}

impl fmt::Debug for Leadership {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leadership")
            .field("office", &self.shared.office.name())
            .field("term", &self.shared.term.0)
            .field("valid_for", &self.valid_for())
            .finish()
    }
}

/// An error: the leadership is over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the leadership of `{office}` in term {term} is over")]
pub struct Lost {
    /// The name of the office.
    pub office: String,
    /// The term that is over.
    pub term: u64,
}

impl Leadership {
    pub(crate) fn new(shared: Arc<Shared>, holder: Arc<dyn Holder>) -> Self {
        Self { shared, holder, released: false }
    }

    /// Returns the name of the office.
    #[must_use]
    pub fn office(&self) -> &str {
        self.shared.office.name()
    }

    /// Returns the term. It is greater than the terms of all earlier leaderships of this office. It is the
    /// fencing token: send it with each write of this leader.
    #[must_use]
    pub fn term(&self) -> u64 {
        self.shared.term.0
    }

    /// Returns for how long the leadership is certain from now on, by the clock, which is read at
    /// each call. Zero if it is over; [`Duration::MAX`] if only its holder can end it.
    #[must_use]
    pub fn valid_for(&self) -> Duration {
        self.shared.valid_for()
    }

    /// Checks that the leadership is not over, for example before a step that only a leader may
    /// take. The resource that the step writes to should still compare [terms](Self::term): this
    /// program may be suspended between the check and the step.
    ///
    /// # Errors
    /// [`Lost`] if it is over.
    pub fn check(&self) -> Result<(), Lost> {
        if self.valid_for().is_zero() { Err(self.lost_error()) } else { Ok(()) }
    }

    fn lost_error(&self) -> Lost {
        Lost { office: self.office().to_owned(), term: self.term() }
    }

    /// Waits until the leadership is over, by the clock at the latest. Cancellation-safe.
    pub async fn lost(&self) {
        let mut stage = self.shared.stage.subscribe();
        while !self.valid_for().is_zero() && *stage.borrow_and_update() != Stage::Over {
            if stage.changed().await.is_err() {
                return;
            }
        }
    }

    /// Returns the extensions of this leadership from now on, for work that is told until when it
    /// may go on.
    #[must_use]
    pub fn extensions(&self) -> Extensions {
        Extensions(self.shared.extended.subscribe())
    }

    /// Waits until the work has to end: because an operator wants the office to be resigned or
    /// transferred, because the participant shuts down, or because the leadership is over. The
    /// caller should then end the work and drop the leadership. Cancellation-safe.
    pub async fn stopping(&self) {
        let mut stage = self.shared.stage.subscribe();
        let told = async { stage.wait_for(|stage| *stage != Stage::Leading).await.map(drop) };
        tokio::select! {
            _ = told => {}
            () = self.lost() => {}
        }
    }

    /// Returns whether the work has to end: whether [`stopping`](Self::stopping) would return.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        *self.shared.stage.borrow() != Stage::Leading || self.valid_for().is_zero()
    }

    /// Releases the office, after the work has ended, and waits until this participant holds it no
    /// longer. Can also be called after the leadership was lost, if the work went on for a while.
    pub async fn resign(mut self) {
        // Without a successor it cannot fail.
        let _ = self.release(None).await;
    }

    /// Releases the office to the participant of this name, if that one stands for it, after the
    /// work has ended; and waits until this participant holds it no longer.
    ///
    /// # Errors
    /// If no participant of this name is known, or the leadership is over. The office is released
    /// then, too.
    pub async fn transfer(mut self, to: &str) -> Result<(), TransferError> {
        self.release(Some(to.to_owned())).await
    }

    async fn release(&mut self, to: Option<String>) -> Result<(), TransferError> {
        self.released = true;
        let (answer, answered) = oneshot::channel();
        let (office, term) = (self.shared.office.number(), self.shared.term);
        self.holder.release(office, term, to, Some(answer));
        // If the loop has ended, no office is held any more.
        answered.await.unwrap_or(Ok(()))
    }
}

/// The extensions of a leadership ([`Leadership::extensions`]).
#[derive(Debug)]
pub struct Extensions(watch::Receiver<()>);

impl Extensions {
    /// Waits until the leadership has been extended since the last call. Cancellation-safe.
    pub async fn next(&mut self) {
        if self.0.changed().await.is_err() {
            // The leadership is over.
            std::future::pending::<()>().await;
        }
    }
}

/// An error: an office was not transferred.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransferError {
    /// No participant of this name is known here.
    #[error("no participant is named `{0}`")]
    Unknown(String),
    /// The participant does not lead the office, or the one that shall lead does not stand for it.
    #[error("{0}")]
    NotLeading(String),
    /// The leader has left, and not the participant that was named leads now.
    #[error("{0}")]
    NotTransferred(String),
}

impl Drop for Leadership {
    fn drop(&mut self) {
        if !self.released {
            let (office, term) = (self.shared.office.number(), self.shared.term);
            self.holder.release(office, term, None, None);
        }
        // The holder has not begun any work that could go on.
        self.shared.until.store(OVER, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests;
