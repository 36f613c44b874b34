//! The queue of the loop: requests of this program, and messages from other participants.

use super::EngineRequest;
use crate::leadership::{LeadershipHolder, ReleaseReply};
use crate::packet::{LONGEST, PeerMessage};
use crate::transport::mailbox::Mailbox;
use crate::transport::{Envelope, MessageSink};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tenure_model::{Office, Peer, Term};
use tenure_protocol::value::LeaderValue;

/// The maximal number of messages that the loop takes at a time. Messages about leases come first each time, so they
/// wait for no more than these, however slow the machine is.
const AT_A_TIME: usize = 32;

/// The queue of a loop. Adding to it never waits.
#[derive(Default)]
pub(crate) struct EngineInbox {
    state: Mutex<InboxState>,
    wake: Condvar,
}

#[derive(Default)]
struct InboxState {
    actions: VecDeque<EngineRequest>,
    /// The newest message of each topic from each peer that has sent one: what a peer repeats while this
    /// loop is behind is read once.
    mail: BTreeMap<Peer, Mailbox>,
    dropped: u64,
    undecodable: u64,
    closed: bool,
    /// Whether the loop waits for something.
    waits: bool,
}

/// The actions and messages that the loop has taken.
#[derive(Default)]
pub(crate) struct Batch {
    pub(super) actions: Vec<EngineRequest>,
    pub(super) mail: Vec<(Peer, Vec<u8>)>,
    /// Whether messages wait that were not taken.
    pub(super) behind: bool,
}

impl EngineInbox {
    fn lock(&self) -> MutexGuard<'_, InboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the loop when the queue is no longer locked: otherwise it would wake, wait for the lock, and be
    /// woken again.
    fn wake_up(&self, state: MutexGuard<'_, InboxState>) {
        let waits = state.waits;
        drop(state);
        if waits {
            self.wake.notify_one();
        }
    }

    /// Adds an action. Returns whether the loop still runs.
    pub(crate) fn act(&self, action: EngineRequest) -> bool {
        let mut state = self.lock();
        if state.closed {
            return false;
        }
        state.actions.push_back(action);
        self.wake_up(state);
        true
    }

    /// Adds a message, in place of an older one of its topic; unless too many of this peer wait.
    fn deliver(&self, from: Peer, bytes: &[u8]) {
        let topic = PeerMessage::decode(bytes).map(|packet| packet.topic());
        let mut state = self.lock();
        let Some(topic) = topic else {
            state.undecodable += 1;
            return;
        };
        if state.closed {
            return;
        }
        let envelope = Envelope { topic, bytes: bytes.to_vec() };
        if state.mail.entry(from).or_default().put(envelope) {
            self.wake_up(state);
        } else {
            state.dropped += 1;
        }
    }

    pub(crate) fn sink(self: &Arc<Self>) -> MessageSink {
        let inbox = self.clone();
        MessageSink::new(move |from, bytes| inbox.deliver(from, bytes))
    }

    /// Waits until the queue is not empty, but no longer than `limit`, and takes from it: the
    /// actions first, then a message of each peer in turn, so that no peer crowds out another; of each
    /// peer first what is about leases.
    pub(super) fn take(&self, limit: Option<Duration>, batch: &mut Batch) {
        batch.actions.clear();
        batch.mail.clear();
        let mut state = self.lock();
        let waits = limit.is_none_or(|limit| !limit.is_zero());
        if waits && state.actions.is_empty() && state.mail.is_empty() {
            state.waits = true;
            state = match limit {
                Some(limit) => {
                    let waited = self.wake.wait_timeout(state, limit);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
            state.waits = false;
        }
        batch.actions.extend(state.actions.drain(..));
        while !state.mail.is_empty() && batch.mail.len() < AT_A_TIME {
            state.mail.retain(|&peer, mailbox| {
                batch.mail.extend(mailbox.take(LONGEST).map(|bytes| (peer, bytes)));
                !mailbox.is_empty()
            });
        }
        batch.behind = !state.mail.is_empty();
    }

    pub(crate) fn is_empty(&self) -> bool {
        let state = self.lock();
        state.actions.is_empty() && state.mail.is_empty()
    }

    pub(super) fn dropped(&self) -> u64 {
        self.lock().dropped
    }

    pub(super) fn undecodable(&self) -> u64 {
        self.lock().undecodable
    }

    #[cfg(test)]
    pub(super) fn is_synced(&self) -> bool {
        self.lock().actions.iter().any(|action| matches!(action, EngineRequest::Synced { .. }))
    }

    /// Closes the queue. Waiting requests are dropped, which wakes the callers that wait for
    /// answers.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let actions = std::mem::take(&mut state.actions);
        state.mail.clear();
        drop(state);
        drop(actions);
    }
}

impl LeadershipHolder for EngineInbox {
    fn release(
        &self,
        office: Office,
        term: Term,
        to: Option<String>,
        answer: Option<ReleaseReply>,
    ) {
        self.act(EngineRequest::Release { office, term, to, answer });
    }

    fn proclaim(&self, office: Office, term: Term, value: LeaderValue) {
        self.act(EngineRequest::Proclaim { office, term, value });
    }
}

#[cfg(test)]
mod tests;
