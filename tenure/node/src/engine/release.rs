//! What a reaction writes and sends, in this order: a message leaves when all that it may rest on
//! is on stable storage.

use super::{Engine, pulse::Pulse};
use crate::packet::Packet;
use crate::status::StorageStatus;
use crate::transport::Letter;
use tenure_model::{Memory, Peer};
use tracing::{debug, warn};

/// The maximal number of messages that wait for one write. On a disk that hangs for hours there
/// would be ever more of them; the oldest are lost.
const MOST: usize = 1 << 15;

/// The messages that wait until the writes of a reaction are on stable storage.
pub(super) struct Held {
    pub(super) number: u64,
    pub(super) messages: Vec<(Peer, Packet)>,
}

impl Engine {
    /// Ends a reaction: its messages leave, or wait until all writes on which they may rest are
    /// synced. Those that were sent before its own first write do not wait for that, unless it
    /// gains a tenure, which begins when all is synced.
    pub(super) fn settle(
        &mut self,
        (sent_before, rejected): (Option<usize>, Option<&'static str>),
    ) {
        if let Some(why) = rejected {
            self.counters.rejected += 1;
            debug!(why, "the protocol rejects a message or a command");
        }
        // Handles learn that a leadership is over before other participants do.
        let mut changed = std::mem::take(&mut self.changed);
        for &office in &changed {
            self.end_if_over(office);
        }
        let mut messages = std::mem::take(&mut self.outbox);
        if let Some(sent) = sent_before {
            let gains = changed.iter().any(|&office| self.gains(office));
            let after = messages.split_off(if gains { 0 } else { sent });
            self.send_later(messages);
            self.written += 1;
            self.held.push_back(Held { number: self.written, messages: after });
        } else {
            self.send_later(messages);
        }
        for office in changed.drain(..) {
            self.update(office);
            self.wonder(office);
        }
    }

    /// Sends messages: after the writes of earlier reactions, on which they may rest.
    fn send_later(&mut self, messages: Vec<(Peer, Packet)>) {
        match self.held.back_mut() {
            Some(held) => {
                held.messages.extend(messages);
                let lost = held.messages.len().saturating_sub(MOST);
                held.messages.drain(..lost);
            }
            None => self.send(messages),
        }
    }

    pub(super) fn send(&mut self, messages: Vec<(Peer, Packet)>) {
        for (to, packet) in messages {
            self.counters.sent += 1;
            let letter = Letter { topic: packet.topic(), bytes: packet.encode() };
            self.parts.transport.send(to, letter);
        }
    }

    /// Has all messages wait for the disk from now on, if it hangs.
    pub(super) fn watch_disk(&mut self) {
        let known = self.storage == StorageStatus::Hangs || self.process.is_none();
        if let Some(number) = self.submitted.filter(|_| !known && self.pulse.hangs(self.now())) {
            warn!("the disk hangs: this participant is silent until its record is written");
            self.storage = StorageStatus::Hangs;
            if self.held.is_empty() {
                self.held.push_back(Held { number, messages: Vec::new() });
            }
        }
    }

    /// Hands the record to the disk, if the disk is idle, and the record has changed or has not been
    /// written for long.
    pub(super) fn submit(&mut self) {
        let now = self.now();
        let leads = self.held_offices > 0 && self.parts.setting.is_member();
        let due = self.written > self.released || self.pulse.is_due(now, leads);
        if self.submitted.is_none() && due {
            self.submitted = Some(self.written);
            self.pulse = Pulse::Writing(now);
            self.disk.write(self.written, self.record.clone());
        }
    }

    /// Sends the messages that waited for the record of this number, which is on stable storage
    /// now.
    pub(super) fn synced(&mut self, number: u64, took: u64) {
        self.submitted = None;
        self.pulse = Pulse::Idle(self.now());
        self.released = number;
        self.counters.syncs += 1;
        self.counters.last_sync = took;
        self.counters.longest_sync = self.counters.longest_sync.max(took);
        if !self.storage.is_writable() {
            self.storage = StorageStatus::Good;
        }
        while self.held.front().is_some_and(|held| held.number <= number) {
            let Some(held) = self.held.pop_front() else { break };
            self.send(held.messages);
        }
        if self.process.is_none() && self.written == number {
            self.boot(Memory::Kept);
            self.update_all();
        } else {
            self.update_gained();
        }
    }
}
