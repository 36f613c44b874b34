//! The writes of a participant, and the messages that wait for them: a message leaves when everything on which it may
//! depend is on stable storage.
//!
//! A thread of its own writes the record. Renewals write nothing, so a leader whose disk hangs could hold its
//! office forever. Therefore a leading member that has written nothing for a while writes its record again.
//! When a write takes too long, no message of the protocol leaves until the write has ended: the leases run
//! out, and another participant can win the office.

use super::{EngineInbox, EngineRequest, NodeEngine};
use crate::packet::PeerMessage;
use crate::records::{MemberRecord, Store};
use crate::status::StorageStatus;
use crate::transport::Envelope;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use tenure_model::{Memory, Peer};
use tracing::{debug, info, warn};

/// The wait after a failed write before the next attempt.
const RETRY: Duration = Duration::from_millis(500);

/// The disk of a participant. Dropping it does not interrupt a write, but discards its result.
pub(crate) struct RecordWriter(pub(crate) Sender<(u64, MemberRecord)>);

impl RecordWriter {
    pub(super) fn new(mut store: Box<dyn Store>, inbox: Arc<EngineInbox>) -> io::Result<Self> {
        let (writer, records) = channel::<(u64, MemberRecord)>();
        let work = move || {
            while let Ok((number, record)) = records.recv() {
                let began = Instant::now();
                while let Err(error) = store.save(&record) {
                    inbox.act(EngineRequest::Unwritable(error.to_string()));
                    // The loop submits the next record when this one is written.
                    if records.recv_timeout(RETRY) == Err(RecvTimeoutError::Disconnected) {
                        return;
                    }
                }
                let took = began.elapsed().as_nanos() as u64;
                let recreated = store.was_recreated();
                inbox.act(EngineRequest::Synced { number, took, recreated });
            }
        };
        thread::Builder::new().name("tenure-disk".into()).spawn(work)?;
        Ok(Self(writer))
    }

    pub(super) fn write(&self, number: u64, record: MemberRecord) {
        let _ = self.0.send((number, record));
    }
}

/// After how long without a write the record of a leader is written again, in nanoseconds.
const AGAIN: u64 = 5_000_000_000;
/// From this time on, in nanoseconds, a write shows that the disk hangs. It is longer than any write on a
/// disk that is only slow, since it costs the leadership.
const HANGS: u64 = 5_000_000_000;

/// The last sign of life of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DiskActivity {
    /// A write began at this instant, and has not ended.
    Writing(u64),
    /// The last write ended at this instant.
    Idle(u64),
}

impl DiskActivity {
    const fn hangs(self, now: u64) -> bool {
        matches!(self, Self::Writing(since) if now.saturating_sub(since) >= HANGS)
    }

    const fn is_due(self, now: u64, leads: bool) -> bool {
        matches!(self, Self::Idle(since) if leads && now.saturating_sub(since) >= AGAIN)
    }
}

/// The maximal number of messages that wait for one write. On a disk that hangs for hours there
/// would be ever more of them; the oldest are lost.
const MOST: usize = 1 << 15;

/// The messages that wait until the writes of a reaction are on stable storage.
pub(super) struct UnsyncedMessages {
    pub(super) number: u64,
    pub(super) messages: Vec<(Peer, PeerMessage)>,
}

impl NodeEngine {
    /// Ends a reaction: its messages leave, or wait until all writes on which they may rest are
    /// synced. Those that were sent before its own first write do not wait for that, unless it
    /// gains a tenure, which begins when all is synced.
    pub(super) fn settle(
        &mut self,
        (sent_before, rejected): (Option<usize>, Option<&'static str>),
    ) {
        if let Some(why) = rejected {
            self.status.rejected += 1;
            debug!(why, "the protocol rejects a message or a command");
        }
        self.follow_members();
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
            self.held.push_back(UnsyncedMessages { number: self.written, messages: after });
        } else {
            self.send_later(messages);
        }
        for office in changed.drain(..) {
            self.update(office);
            self.ask_for_name_soon(office);
        }
    }

    /// Sends messages: after the writes of earlier reactions, on which they may rest.
    pub(super) fn send_later(&mut self, messages: Vec<(Peer, PeerMessage)>) {
        match self.held.back_mut() {
            Some(held) => {
                held.messages.extend(messages);
                let lost = held.messages.len().saturating_sub(MOST);
                held.messages.drain(..lost);
            }
            None => self.send(messages),
        }
    }

    pub(super) fn send(&mut self, messages: Vec<(Peer, PeerMessage)>) {
        for (to, packet) in messages {
            self.status.sent += 1;
            let envelope = Envelope { topic: packet.topic(), bytes: packet.encode() };
            self.parts.transport.send(to, envelope);
        }
    }

    /// Has all messages wait for the disk from now on, if it hangs.
    pub(super) fn watch_disk(&mut self) {
        let known = self.status.storage == StorageStatus::Hangs || self.process.is_none();
        if let Some(number) =
            self.submitted.filter(|_| !known && self.disk_activity.hangs(self.now()))
        {
            warn!("the disk hangs: this participant is silent until its record is written");
            self.status.storage = StorageStatus::Hangs;
            if self.held.is_empty() {
                self.held.push_back(UnsyncedMessages { number, messages: Vec::new() });
            }
        }
    }

    /// Hands the record to the disk, if the disk is idle, and the record has changed or has not been
    /// written for long.
    pub(super) fn submit(&mut self) {
        let now = self.now();
        let leads = self.held_offices > 0 && self.votes();
        let due = self.written > self.released || self.disk_activity.is_due(now, leads);
        if self.submitted.is_none() && due {
            self.submitted = Some(self.written);
            self.disk_activity = DiskActivity::Writing(now);
            self.disk.write(self.written, self.record.clone());
        }
    }

    /// Sends the messages that waited for the record of this number, which is on stable storage
    /// now.
    pub(super) fn synced(&mut self, number: u64, took: u64, recreated: bool) {
        self.submitted = None;
        self.disk_activity = DiskActivity::Idle(self.now());
        self.released = number;
        self.status.syncs += 1;
        self.status.last_sync = Duration::from_nanos(took);
        self.status.longest_sync = self.status.longest_sync.max(self.status.last_sync);
        if recreated {
            warn!(
                "the record was deleted or replaced while this participant ran: it has been written anew"
            );
            self.status.storage = StorageStatus::Recreated;
        } else if !self.status.storage.is_writable() {
            info!("the record can be written again");
            self.status.storage = StorageStatus::Good;
        }
        while self.held.front().is_some_and(|held| held.number <= number) {
            let Some(held) = self.held.pop_front() else { break };
            self.send(held.messages);
        }
        if self.process.is_none() && self.written == number {
            self.boot_again(Memory::Kept);
        } else {
            self.update_gained();
        }
    }
}

#[cfg(test)]
mod tests;
