//! Whether members answer in time, and whether this loop does.
//!
//! **Answers.** A lease counts from when a renewal is sent, so an acknowledgement that comes late leaves little
//! of it. Where many come late, since hosts have too little processor time or are too far apart for their
//! timing, leaders lose their offices, and candidates lose their leases before they have won. Nothing has failed
//! then, so only a message in the log tells an operator why an office is vacant.
//!
//! **Repeats.** The protocol repeats every unanswered message at each heartbeat, which is right where messages
//! are lost, and wrong where the answers are only late: a machine that is too slow for a contest of a thousand
//! offices would have a thousand messages more to handle at each heartbeat, and the contest would not end. So a
//! loop that is behind repeats less and less often; to the protocol, those messages are lost. Renewals and
//! acknowledgements of leases, which are few, always leave.

use super::{NodeEngine, TICK};
use std::time::Duration;
use tenure_model::Peer;
use tenure_protocol::reconfiguration::ReconfigurableAlarm;
use tenure_protocol::tenure::{Alarm, Msg};
use tracing::warn;

/// After how long the answers are judged, in nanoseconds.
const WINDOW: u64 = 10_000_000_000;
/// How long no further warning is logged after one, in nanoseconds.
const SILENCE: u64 = 60_000_000_000;

/// The times that acknowledgements took, from the sending of their renewals.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// When the first of them came, if there is one.
    since: Option<u64>,
    all: u32,
    late: u32,
    longest: u64,
    /// When it was said last that many are late.
    told: Option<u64>,
}

impl Answers {
    /// Adds an acknowledgement that came now and took `took` nanoseconds. Late is one that took more than half of a
    /// `lease`. At the end of a window in which many were late, returns the longest time, unless that was
    /// said a short time ago.
    pub(super) fn add(&mut self, now: u64, took: u64, lease: u64) -> Option<Duration> {
        let since = *self.since.get_or_insert(now);
        self.all += 1;
        self.late += u32::from(took > lease / 2);
        self.longest = self.longest.max(took);
        if now.saturating_sub(since) < WINDOW {
            return None;
        }
        let ended = std::mem::replace(self, Self { told: self.told, ..Self::default() });
        let silent = self.told.is_some_and(|told| now.saturating_sub(told) < SILENCE);
        (ended.often_late() && !silent).then(|| {
            self.told = Some(now);
            Duration::from_nanos(ended.longest)
        })
    }

    pub(super) const fn often_late(&self) -> bool {
        self.late > 0 && 3 * self.late >= self.all
    }
}

impl NodeEngine {
    /// Measures how long a member took to acknowledge a renewal, and tells if many take too long.
    pub(super) fn time(&mut self, by: Peer, msg: Option<&Msg>) {
        let (Some(&Msg::Ack { boot, number, .. }), Some(process)) = (msg, &self.process) else {
            return;
        };
        let (now, lease) = (self.now(), u64::from(self.parts.setting.lease) * TICK);
        let took = match self.alarms.due(ReconfigurableAlarm::Own(Alarm::Renewal(number))) {
            _ if boot != self.boot => return,
            Some(end) => (now + lease).saturating_sub(end),
            // The lease ran out before.
            None if process.as_tenure().counted_until(by).is_none() => lease,
            // A copy: the member has acknowledged a later one.
            None => return,
        };
        if let Some(longest) = self.answers.add(now, took, lease) {
            warn!(
                longest_ms = longest.as_millis() as u64,
                lease_ms = lease / 1_000_000,
                "a third of the members' answers or more take longer than half a lease, so that leaders may lose \
                 their offices, and offices stay vacant: give the hosts more processor time, or choose a longer [timing]"
            );
        }
    }
}

/// The maximal number of heartbeats from one that repeats to the next.
const MOST_LEFT_OUT: u32 = 32;

/// The distance between heartbeats that repeat.
#[derive(Debug, Default)]
pub(super) struct RepeatRate {
    /// The number of heartbeats to leave out after one that repeats.
    gap: u32,
    /// The number of heartbeats that are still left out.
    left: u32,
    /// Whether messages waited in the inbox after the last ones were taken.
    behind: bool,
}

impl RepeatRate {
    /// Notes whether messages still wait.
    pub(super) fn read(&mut self, behind: bool) {
        self.behind = behind;
    }

    pub(super) const fn is_behind(&self) -> bool {
        self.behind
    }

    /// Handles a heartbeat; `late` says that it comes late. Returns whether it repeats messages. Each one
    /// that comes late or finds messages that have not been read doubles the distance; each other one halves
    /// it.
    pub(super) fn beat(&mut self, late: bool) -> bool {
        self.gap = if late || self.behind {
            (2 * self.gap + 1).min(MOST_LEFT_OUT - 1)
        } else {
            self.gap / 2
        };
        self.left = self.left.min(self.gap);
        match self.left.checked_sub(1) {
            // What waits may be the answer.
            _ if self.behind => false,
            Some(left) => {
                self.left = left;
                false
            }
            None => {
                self.left = self.gap;
                true
            }
        }
    }
}

#[cfg(test)]
mod tests;
