//! When a preferred host takes its office back (`--take-back`).

use std::time::Duration;
use suffrage_net::backoff::Backoff;

/// The longest wait, unless the user wants a longer one.
const LONGEST: Duration = Duration::from_secs(3600);

/// How often a host that has taken its office back is asked to leave it before it suspects another preferred host.
const SUSPICIOUS: u32 = 2;

/// How long this host waits, while it is able to lead, before it takes the office from its leader: longer each time that
/// this has done no good.
pub(super) struct TakeBack {
    after: Option<Duration>,
    /// Counts the commands that ended soon, and the times that the office was taken away again.
    backoff: Backoff,
    /// Whether the present office was taken from another leader.
    took: bool,
    taken_away: u32,
}

impl TakeBack {
    pub(super) fn new(after: Option<Duration>) -> Self {
        let first = after.unwrap_or_default();
        let backoff = Backoff::exact(first.saturating_mul(2), LONGEST.max(first));
        Self { after, backoff, took: false, taken_away: 0 }
    }

    /// Returns how long to wait; `None` if this host takes nothing back.
    pub(super) fn after(&self) -> Option<Duration> {
        self.after.map(|after| after.max(self.backoff.pause()))
    }

    /// Records that the office was won, by taking it back or not.
    pub(super) const fn won(&mut self, took: bool) {
        self.took = took;
    }

    /// Records that the command has run for long.
    pub(super) fn steady(&mut self) {
        self.backoff.reset();
    }

    /// Records that the command has ended soon after its start, or was not healthy. Returns a warning, if it waits for it.
    pub(super) fn failed(&mut self, office: &str) -> Option<String> {
        self.after?;
        let wait = self.backoff.failed();
        Some(format!(
            "this host waits {wait:?} before it takes {office} from another leader: COMMAND has not lasted here"
        ))
    }

    /// Records that this host is to leave the office that it has taken back. Returns a warning, if another preferred
    /// host is suspected.
    pub(super) fn asked_to_leave(&mut self, office: &str) -> Option<String> {
        if !std::mem::take(&mut self.took) {
            return None;
        }
        self.taken_away += 1;
        let (times, wait) = (self.taken_away, self.backoff.failed());
        (times >= SUSPICIOUS).then(|| {
            format!(
                "this host has taken {office} back and was asked to leave it, {times} times: does another host have \
                 --take-back, too? Only one should. This one waits {wait:?} now"
            )
        })
    }
}

#[cfg(test)]
mod tests;
