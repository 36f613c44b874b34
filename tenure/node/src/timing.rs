//! Heartbeats, leases, and the guarantees that follow from them.

use std::collections::BTreeMap;
use std::time::Duration;
use tenure_model::{Office, Peer, Ratio, Setting};

/// The timing of a cluster, on which all participants must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseTiming {
    /// How often a participant that stands renews its leases.
    pub heartbeat: Duration,
    /// How long a leadership is certain after a renewal was sent.
    pub lease: Duration,
    /// How long work may go on after its leadership was lost: the longest time of all offices.
    /// Successors wait as long, in all offices, if they do not hear that it has ended.
    pub stop: Duration,
    /// The maximal difference between the rates of two clocks, in millionths of the slower one.
    pub clock_bound: u32,
}

/// The default bound: 1 %. The kernel's frequency correction is limited to 500 millionths, and a
/// crystal is off by less than 200.
pub const CLOCK_BOUND: u32 = 10_000;

/// A tick of the protocol, in nanoseconds.
pub(crate) const TICK: u64 = 1_000;

/// The maximal sum of lease and stop time: ticks are counted in 32 bits.
const LONGEST: Duration = Duration::from_secs(3600);

/// The stop times of offices, in ticks.
pub(crate) type Stops = BTreeMap<Office, u32>;

pub(crate) fn ticks(time: Duration) -> u32 {
    (time.as_nanos() as u64 / TICK) as u32
}

pub(crate) fn time(ticks: u32) -> Duration {
    Duration::from_nanos(u64::from(ticks) * TICK)
}

/// An error: a timing cannot be kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {why}")]
pub struct TimingError {
    /// The key of the configuration.
    pub key: &'static str,
    /// The error, and how to correct it.
    pub why: String,
}

impl LeaseTiming {
    /// The timing for hosts in one place: a heartbeat of 50 ms and a lease of 250 ms.
    pub const LAN: Self = Self {
        heartbeat: Duration::from_millis(50),
        lease: Duration::from_millis(250),
        stop: Duration::ZERO,
        clock_bound: CLOCK_BOUND,
    };

    /// The timing for hosts in different places: a heartbeat of 400 ms and a lease of 2 s.
    pub const WAN: Self = Self {
        heartbeat: Duration::from_millis(400),
        lease: Duration::from_secs(2),
        stop: Duration::ZERO,
        clock_bound: CLOCK_BOUND,
    };

    /// Returns the bound on the ratio of the rates of two clocks.
    #[must_use]
    pub const fn clocks(&self) -> Ratio {
        Ratio { fastest: 1_000_000 + self.clock_bound, slowest: 1_000_000 }
    }

    /// Returns for how long a member owes a lease after a renewal has arrived: longer than its
    /// holder can count on it, as long as their clocks keep the bound.
    #[must_use]
    pub fn owed(&self) -> Duration {
        let both = (self.lease + self.stop).as_micros() as u64;
        let ratio = u64::from(self.clock_bound) + 1_000_000;
        Duration::from_micros(both.saturating_mul(ratio) / 1_000_000 + 1)
    }

    /// Returns the longest vacancy after the holder of an office died silently, if every message
    /// arrives and a round trip and a sync of a record take this long: until the granters' leases
    /// are over, plus two round trips and a sync. Measured by a slow clock it is longer by up to
    /// the bound.
    #[must_use]
    pub fn longest_vacancy(&self, round_trip: Duration, sync: Duration) -> Duration {
        self.owed() + 2 * round_trip + sync
    }

    pub(crate) fn of(setting: &Setting) -> Self {
        Self {
            heartbeat: time(setting.heartbeat),
            lease: time(setting.lease),
            stop: time(setting.stop),
            clock_bound: setting.clocks.fastest - setting.clocks.slowest,
        }
    }

    pub(crate) fn setting(&self, me: Peer, members: u32) -> Result<Setting, TimingError> {
        self.check()?;
        Ok(Setting {
            me,
            members,
            heartbeat: ticks(self.heartbeat),
            lease: ticks(self.lease),
            stop: ticks(self.stop),
            clocks: self.clocks(),
        })
    }

    /// Checks that a participant can keep this timing.
    ///
    /// # Errors
    /// If a time is too short or too long, or the times are inconsistent.
    pub fn check(&self) -> Result<(), TimingError> {
        let wrong = |key, why: String| Err(TimingError { key, why });
        if self.heartbeat < Duration::from_millis(1) {
            return wrong("heartbeat", "it must be at least 1 ms".to_owned());
        }
        if self.lease < 2 * self.heartbeat {
            let least = 2 * self.heartbeat;
            let why = format!(
                "{:?} is too short for a heartbeat of {:?}: write at least {least:?}, and 5 \
                 heartbeats if messages may be lost",
                self.lease, self.heartbeat
            );
            return wrong("lease", why);
        }
        if self.lease > LONGEST {
            return wrong("lease", format!("it is at most {LONGEST:?}"));
        }
        if self.lease + self.stop > LONGEST {
            return wrong("stop", format!("lease and stop time are at most {LONGEST:?} together"));
        }
        if self.clock_bound == 0 || self.clock_bound > 500_000 {
            let why = "it is in millionths, from 1 to 500000".to_owned();
            return wrong("clock_bound", why);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
