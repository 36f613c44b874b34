//! Notices a record that is older than the one with which its member ran before, such as a data folder that was restored
//! from a backup: what the member has promised since is not on it.
//!
//! Members tell each other what is on their records, and remember the greatest of it, as long as they run. To a member that
//! comes up with less they say so, and it starts again as one that has lost its record: it grants nothing before others
//! have told what they know. Mostly that comes before it could grant anything, since it has only just come up.

use super::{NodeEngine, TICK};
use crate::packet::{PeerMessage, RecordAge};
use crate::status::StorageStatus;
use std::collections::BTreeMap;
use tenure_model::{Memory, Peer, Term};
use tenure_protocol::tenure::{FLOOR, HIGHEST};
use tracing::warn;

/// The number of heartbeats after which a member tells of its record again.
const BEATS: u64 = 16;

/// What this member knows of the ages of records.
#[derive(Debug, Default)]
pub(super) struct RecordAges {
    /// What was on its own when it came up; `None` if it had none.
    found: Option<RecordAge>,
    /// What was on those of others, as they have said.
    others: BTreeMap<Peer, RecordAge>,
    /// When to tell of its own again.
    again: u64,
    /// The member about which it was said last that its record is older.
    told: Option<Peer>,
}

impl NodeEngine {
    fn record_age(&self) -> RecordAge {
        let read = |cell| self.record.cells.get(&cell).copied();
        let highest = Term(read(HIGHEST).max(read(FLOOR)).unwrap_or(0));
        RecordAge { boot: self.record.boot, highest }
    }

    /// Notes what is on the record, before it comes up with it.
    pub(super) fn found_record(&mut self, memory: Memory) {
        // A member that still learns its promises does not know its age.
        let is_known = memory == Memory::Kept && self.record.cells.contains_key(&FLOOR);
        self.record_ages.found = is_known.then(|| self.record_age());
        self.record_ages.again = 0;
    }

    /// Tells the other members of the record, unless that was done a short time ago. Called where leases are renewed, here
    /// or elsewhere: where none are, nothing is granted.
    pub(super) fn tell_of_record(&mut self) {
        // What is not on stable storage may never have been there.
        let is_synced = self.written == self.released && self.held.is_empty();
        if !self.votes() || !is_synced {
            return;
        }
        let now = self.now();
        if now >= self.record_ages.again {
            self.record_ages.again = now + BEATS * u64::from(self.parts.setting.heartbeat) * TICK;
            let word =
                PeerMessage::Recorded { now: self.record_age(), found: self.record_ages.found };
            let others = self.other_members();
            self.send(others.map(|to| (to, word.clone())).collect());
        }
    }

    /// Tells of the record at each heartbeat as long as this member has only just come up, and grants nothing. Returns
    /// whether it has.
    pub(super) fn tell_of_start(&mut self) -> bool {
        let has = self.process.as_ref().is_some_and(|process| process.as_tenure().quarantined());
        if has {
            self.record_ages.again = 0;
            self.tell_of_record();
        }
        has
    }

    /// Handles what another member says of its record.
    pub(super) fn told_of_record(&mut self, by: Peer, now: RecordAge, found: Option<RecordAge>) {
        if !self.votes() || !self.is_member(by) {
            return;
        }
        let known = self.record_ages.others.get(&by).copied().unwrap_or_default();
        let starts = now.boot > known.boot;
        if let Some(found) = found.filter(|found| starts && found.is_older(known)) {
            if self.record_ages.told != Some(by) {
                let peer = self.name_of(by);
                warn!(
                    peer,
                    found = found.boot,
                    remembered = known.boot,
                    "its record is older than the one with which it ran before, and is not used"
                );
                self.record_ages.told = Some(by);
            }
            return self.send(vec![(by, PeerMessage::Remembered(known))]);
        }
        if now.boot >= known.boot {
            self.record_ages.told = self.record_ages.told.filter(|&told| told != by);
            self.record_ages.others.insert(by, now);
        }
    }

    /// Handles the word of another member that it remembers more of this one than was on its record: starts again
    /// without it.
    pub(super) fn reminded_of_record(&mut self, by: Peer, remembered: RecordAge) {
        let found = self.record_ages.found.filter(|found| found.is_older(remembered));
        let (Some(found), true) = (found, self.is_member(by)) else { return };
        let peer = self.name_of(by);
        warn!(
            peer,
            found = found.boot,
            remembered = remembered.boot,
            "the record is older than the one with which this member ran before: was an old data folder restored? It is \
             not used, and this member grants nothing until others have told what it may have promised"
        );
        self.forgetful = true;
        self.forget_promises();
        // Only a greater number is one of a new start.
        self.record.boot = self.boot.max(remembered.boot);
        self.status.storage = StorageStatus::Outdated;
        self.crash();
        self.boot_again(Memory::Lost);
    }
}
