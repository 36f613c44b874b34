//! Whether members answer renewals in time.
//!
//! A lease counts from when a renewal is sent, so an acknowledgement that comes late leaves little of it.
//! Where many come late, since hosts have too little processor time or are too far apart for their timing,
//! leaders lose their offices, and candidates lose their leases before they have won. Nothing has failed
//! then, so only a message in the log tells an operator why an office is vacant.

use super::{Engine, TICK};
use std::time::Duration;
use tenure_model::Peer;
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

impl Engine {
    /// Measures how long a member took to acknowledge a renewal, and tells if many take too long.
    pub(super) fn time(&mut self, by: Peer, msg: &Msg) {
        let (&Msg::Ack { boot, number, .. }, Some(process)) = (msg, &self.process) else { return };
        let (now, lease) = (self.now(), u64::from(self.parts.setting.lease) * TICK);
        let took = match self.alarms.due(Alarm::Renewal(number)) {
            _ if boot != self.boot => return,
            Some(end) => (now + lease).saturating_sub(end),
            // The lease ran out before.
            None if process.counted_until(by).is_none() => lease,
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

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: u64 = 250_000_000;

    fn judged(took: impl Fn(u64) -> u64) -> Vec<Duration> {
        let mut answers = Answers::default();
        (0..=200).filter_map(|i| answers.add(7 + i * 50_000_000, took(i), LEASE)).collect()
    }

    #[test]
    fn acknowledgements_a_third_of_which_are_late_are_told_with_the_longest_time() {
        let late = |i| if i % 3 == 2 { LEASE / 2 + i } else { 1_000_000 };
        assert_eq!(judged(late), [Duration::from_nanos(LEASE / 2 + 200)]);
    }

    #[test]
    fn acknowledgements_of_which_fewer_are_late_are_not() {
        assert!(judged(|i| if i % 4 == 0 { 2 * LEASE } else { LEASE / 2 }).is_empty());
    }

    #[test]
    fn each_window_is_judged_by_itself_and_told_once_a_minute() {
        let mut answers = Answers::default();
        let mut told = Vec::new();
        for seconds in 0..1000 {
            // In time for the first 100 s, and then late.
            let took = if seconds < 100 { 0 } else { LEASE };
            let said = answers.add(seconds * 1_000_000_000, took, LEASE);
            told.extend(said.map(|_| seconds));
        }
        assert!((100..=120).contains(&told[0]), "{told:?}");
        assert!(told.windows(2).all(|two| (60..=80).contains(&(two[1] - two[0]))), "{told:?}");
        assert!(told.len() > 10);
    }
}
