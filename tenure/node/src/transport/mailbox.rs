//! The queue of envelopes to one peer, or from one.

use super::{Envelope, Topic};
use std::collections::{BTreeMap, VecDeque};

/// The maximal number of envelopes that wait.
const MOST: usize = 8192;

/// The envelopes to one peer, or from one: the newest of each topic, those about leases first, the others
/// in the order in which their topics were added; a new topic is dropped when there are too many, unless
/// it is about leases.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    envelopes: BTreeMap<Topic, Vec<u8>>,
    order: VecDeque<Topic>,
}

impl Mailbox {
    /// Adds an envelope. Returns whether there was room for it.
    pub(crate) fn put(&mut self, envelope: Envelope) -> bool {
        if let Some(old) = self.envelopes.get_mut(&envelope.topic) {
            *old = envelope.bytes;
        } else if self.envelopes.len() < MOST || envelope.topic.is_of_all() {
            match envelope.topic.is_of_all() {
                true => self.order.push_front(envelope.topic),
                false => self.order.push_back(envelope.topic),
            }
            self.envelopes.insert(envelope.topic, envelope.bytes);
        } else {
            return false;
        }
        true
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.envelopes.is_empty()
    }

    /// Takes the envelope of the oldest topic, if it is at most `room` bytes long.
    pub(crate) fn take(&mut self, room: usize) -> Option<Vec<u8>> {
        let topic = self.order.front()?;
        if self.envelopes.get(topic).is_some_and(|bytes| bytes.len() > room) {
            return None;
        }
        let topic = self.order.pop_front()?;
        self.envelopes.remove(&topic)
    }
}

#[cfg(test)]
mod tests;
