//! The queue of the loop: requests of this program, and messages from other participants.

use super::Action;
use crate::leadership::{Answer, Holder};
use crate::packet::{Packet, Topic};
use crate::transport::Doorway;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use suffrage_process::recovery::{Office, Peer, Term};

/// The maximal number of waiting messages per peer. More are dropped, as by a lossy link.
const PER_PEER: usize = 4096;
/// The maximal number of messages that the loop takes at a time.
const AT_A_TIME: usize = 256;

/// The queue of a loop. Adding to it never waits.
#[derive(Default)]
pub(crate) struct Inbox {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    actions: VecDeque<Action>,
    /// The newest message of each topic about leases, which must not wait behind those about many offices.
    leases: BTreeMap<(Peer, Topic), Box<[u8]>>,
    mail: BTreeMap<Peer, VecDeque<Box<[u8]>>>,
    dropped: u64,
    closed: bool,
}

/// The actions and messages that the loop has taken.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) actions: Vec<Action>,
    pub(super) mail: Vec<(Peer, Box<[u8]>)>,
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an action. Returns whether the loop still runs.
    pub(crate) fn act(&self, action: Action) -> bool {
        let mut state = self.lock();
        if state.closed {
            return false;
        }
        state.actions.push_back(action);
        self.wake.notify_one();
        true
    }

    /// Adds a message, unless too many of this peer wait.
    fn deliver(&self, from: Peer, bytes: &[u8]) {
        let topic = Packet::decode(bytes).map(|packet| packet.topic());
        let mut state = self.lock();
        if state.closed {
            return;
        }
        if let Some(topic) = topic.filter(|topic| topic.is_of_all()) {
            state.leases.insert((from, topic), bytes.into());
            self.wake.notify_one();
            return;
        }
        let queue = state.mail.entry(from).or_default();
        if queue.len() < PER_PEER {
            queue.push_back(bytes.into());
            self.wake.notify_one();
        } else {
            state.dropped += 1;
        }
    }

    /// Returns the sink to which a transport delivers messages.
    pub(crate) fn doorway(self: &Arc<Self>) -> Doorway {
        let inbox = self.clone();
        Doorway::new(move |from, bytes| inbox.deliver(from, bytes))
    }

    /// Waits until the queue is not empty, but no longer than `limit`, and takes from it: the
    /// actions first, then what is about leases, then a message of each peer in turn, so that no peer
    /// crowds out another.
    pub(super) fn take(&self, limit: Option<Duration>, batch: &mut Batch) {
        batch.actions.clear();
        batch.mail.clear();
        let mut state = self.lock();
        if state.actions.is_empty() && state.leases.is_empty() && state.mail.is_empty() {
            state = match limit {
                Some(limit) => {
                    let waited = self.wake.wait_timeout(state, limit);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        batch.actions.extend(state.actions.drain(..));
        let leases = std::mem::take(&mut state.leases).into_iter();
        batch.mail.extend(leases.map(|((peer, _), bytes)| (peer, bytes)));
        while !state.mail.is_empty() && batch.mail.len() < AT_A_TIME {
            state.mail.retain(|&peer, queue| {
                batch.mail.extend(queue.pop_front().map(|bytes| (peer, bytes)));
                !queue.is_empty()
            });
        }
    }

    /// Returns how many messages were dropped because too many waited.
    pub(super) fn dropped(&self) -> u64 {
        self.lock().dropped
    }

    /// Closes the queue. Waiting actions are dropped, which wakes the callers that wait for
    /// answers.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let actions = std::mem::take(&mut state.actions);
        state.leases.clear();
        state.mail.clear();
        drop(state);
        drop(actions);
    }
}

impl Holder for Inbox {
    fn release(&self, office: Office, term: Term, to: Option<String>, answer: Option<Answer>) {
        self.act(Action::Release { office, term, to, answer });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use suffrage_protocols::tenure::Msg;

    #[test]
    fn a_peer_that_floods_does_not_crowd_out_another() {
        let inbox = Inbox::default();
        for _ in 0..PER_PEER + 10 {
            inbox.deliver(Peer(1), &[1]);
        }
        inbox.deliver(Peer(2), &[2]);
        assert_eq!(inbox.dropped(), 10);
        let mut batch = Batch::default();
        inbox.take(None, &mut batch);
        assert_eq!(batch.mail.len(), AT_A_TIME);
        assert!(batch.mail[..2].iter().any(|(peer, _)| *peer == Peer(2)));
    }

    #[test]
    fn what_is_about_a_lease_does_not_wait_behind_what_is_about_offices() {
        let inbox = Inbox::default();
        for _ in 0..AT_A_TIME {
            inbox.deliver(Peer(1), &[1]);
        }
        let renewal = |number| {
            let msg = Msg::Renew { boot: 1, number, over: 0 };
            Packet::Protocol(msg).encode()
        };
        inbox.deliver(Peer(1), &renewal(1));
        inbox.deliver(Peer(1), &renewal(2));
        let mut batch = Batch::default();
        inbox.take(None, &mut batch);
        assert_eq!(batch.mail[0], (Peer(1), renewal(2).into()), "the newest, and first");
        assert_eq!(batch.mail.len(), AT_A_TIME);
    }

    #[test]
    fn nothing_is_taken_by_a_loop_that_has_ended() {
        let inbox = Inbox::default();
        inbox.close();
        assert!(!inbox.act(Action::Kill));
        inbox.deliver(Peer(1), &[1]);
        let mut batch = Batch::default();
        inbox.take(Some(Duration::ZERO), &mut batch);
        assert!(batch.actions.is_empty() && batch.mail.is_empty());
    }
}
