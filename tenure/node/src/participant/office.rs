//! The handle of an office at a participant.

use super::{Ended, Participant, StandError};
use crate::engine::{Action, Inbox, Waiting};
use crate::leadership::{Leadership, TransferError};
use crate::office::{OfficeError, OfficeName};
use crate::standing::{Standing, Watch};
use crate::timing::ticks;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::oneshot;

/// A handle to an office at a participant.
#[derive(Clone, Debug)]
pub struct Office {
    pub(super) participant: Participant,
    pub(super) name: Result<OfficeName, OfficeError>,
    pub(super) priority: Option<u32>,
    pub(super) stop: Option<Duration>,
}

impl Office {
    /// Sets the priority with which to stand, in place of the configured one. Of several candidates
    /// for a vacant office the one of the greatest priority leads.
    #[must_use]
    pub fn priority(self, priority: u32) -> Self {
        Self { priority: Some(priority), ..self }
    }

    /// Sets how long the work may go on after its leadership was lost, in place of the configured time
    /// of this office; for an office that is not configured that is the longest of the cluster. When
    /// this time is over, the office is released, whatever the program says.
    #[must_use]
    pub fn stop(self, stop: Duration) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Stands for the office until this participant leads, and no other does. Several tasks may
    /// stand for one office here: one of them leads at a time, in the order of their calls.
    ///
    /// Cancellation-safe: dropping the future withdraws the candidacy. To lead again after a loss,
    /// call it again.
    ///
    /// # Errors
    /// If the office cannot have this name, the stop time is longer than successors wait, or this participant
    /// is a witness or has ended.
    pub async fn stand(&self) -> Result<Leadership, StandError> {
        let office = self.name.clone()?;
        let inner = &self.participant.inner;
        if inner.witness {
            return Err(StandError::Witness);
        }
        let longest = inner.timing.stop;
        if let Some(stop) = self.stop.filter(|&stop| stop > longest) {
            return Err(StandError::Stop { stop, longest });
        }
        inner.names.enter(&office)?;
        let stop = self.stop.map(ticks);
        let ticket = inner.tickets.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        let number = office.number();
        let priority = self.priority;
        let program = Waiting { ticket, priority, stop, answer };
        inner.inbox.act(Action::Stand { office, program });
        // Withdraws on drop; after an answer this has no effect.
        let _withdrawal = Withdrawal { inbox: inner.inbox.clone(), office: number, ticket };
        answered.await.map_err(|_| StandError::Ended)
    }

    /// Watches who leads.
    ///
    /// # Errors
    /// If the office cannot have this name, or the participant has ended.
    pub async fn watch(&self) -> Result<Watch, StandError> {
        let office = self.name.clone()?;
        let (answer, answered) = oneshot::channel();
        self.participant.inner.inbox.act(Action::Watch { office, answer });
        answered.await.map(Watch::new).map_err(|_| StandError::Ended)
    }

    /// Returns the present leader, as far as this participant knows. If it does not know, it asks the
    /// members, and knows their answers at a call soon after.
    ///
    /// # Errors
    /// If the office cannot have this name, or the participant has ended.
    pub async fn standing(&self) -> Result<Standing, StandError> {
        let office = self.name.clone()?;
        let (answer, answered) = oneshot::channel();
        self.participant.inner.inbox.act(Action::Tell { office, answer });
        answered.await.map_err(|_| StandError::Ended)
    }

    /// Asks the leader, wherever it is, to end its work and to leave the office, and waits until it
    /// has, as far as this participant knows, for about a minute. This is for operators; a program
    /// that leads calls [`Leadership::resign`].
    ///
    /// # Errors
    /// If no leader is known, or the leader does not leave.
    pub async fn ask_to_resign(&self) -> Result<(), TransferError> {
        self.ask_to_leave(None).await
    }

    /// Asks the leader, wherever it is, to leave the office to the participant of this name, and waits
    /// until that one leads, as far as this participant knows.
    ///
    /// # Errors
    /// If no leader is known, the participant is not known, leads already or is known not to stand, or
    /// the leader does not leave; and if it has left, and not the participant that was named leads then.
    pub async fn ask_to_transfer(&self, to: &str) -> Result<(), TransferError> {
        self.ask_to_leave(Some(to.to_owned())).await
    }

    async fn ask_to_leave(&self, to: Option<String>) -> Result<(), TransferError> {
        let not_leading = |why: String| TransferError::NotLeading(why);
        let office = self.name.clone().map_err(|error| not_leading(error.to_string()))?;
        let (answer, answered) = oneshot::channel();
        self.participant.inner.inbox.act(Action::Leave { office, to, answer });
        answered.await.unwrap_or_else(|_| Err(not_leading(Ended.to_string())))
    }
}

struct Withdrawal {
    inbox: Arc<Inbox>,
    office: tenure_model::Office,
    ticket: u64,
}

impl Drop for Withdrawal {
    fn drop(&mut self) {
        self.inbox.act(Action::Abandon { office: self.office, ticket: self.ticket });
    }
}
