//! Instants of `CLOCK_BOOTTIME`, the clock of all deadlines: it goes on while the machine is
//! suspended.

use rustix::time::{ClockId, Timespec, clock_gettime};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};
use std::time::Duration;

/// An instant of `CLOCK_BOOTTIME`, in nanoseconds. Every process of a host reads the same clock, so
/// an instant can be handed from one to another.
///
/// It is displayed in seconds, as in `/proc/uptime`, which shows the same clock unless it is virtualized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Boottime(u64);

impl Boottime {
    /// Returns the present instant.
    #[must_use]
    pub fn now() -> Self {
        let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::Boottime);
        let (seconds, nanos) = (u64::try_from(tv_sec), u64::try_from(tv_nsec));
        Self(seconds.unwrap_or(0).saturating_mul(1_000_000_000).saturating_add(nanos.unwrap_or(0)))
    }

    /// Returns the instant `nanos` nanoseconds after the start of the host.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Returns the number of nanoseconds since the start of the host.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Returns the instant `time` later, saturating at the last representable one.
    #[must_use]
    pub fn after(self, time: Duration) -> Self {
        Self(self.0.saturating_add(nanos(time)))
    }

    /// Returns the instant `time` earlier, saturating at the start of the host.
    #[must_use]
    pub fn before(self, time: Duration) -> Self {
        Self(self.0.saturating_sub(nanos(time)))
    }

    /// Returns how much later this is than `other`; zero if it is not later.
    #[must_use]
    pub const fn since(self, other: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(other.0))
    }

    /// Returns the time left until this instant; zero if it has passed. Reads the clock.
    #[must_use]
    pub fn remaining(self) -> Duration {
        self.since(Self::now())
    }

    /// Returns the number of whole ticks before this instant, 100 a second: the unit of `/proc/PID/stat`.
    pub(crate) const fn ticks(self) -> u64 {
        self.0 / TICK
    }

    /// Returns the instant of a tick.
    pub(crate) const fn from_ticks(ticks: u64) -> Self {
        Self(ticks.saturating_mul(TICK))
    }

    /// Converts the instant for a timer.
    pub(crate) fn timespec(self) -> Timespec {
        let part = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        Timespec { tv_sec: part(self.0 / 1_000_000_000), tv_nsec: part(self.0 % 1_000_000_000) }
    }
}

/// A tick, in nanoseconds.
const TICK: u64 = 10_000_000;

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Display for Boottime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09}", self.0 / 1_000_000_000, self.0 % 1_000_000_000)
    }
}

#[cfg(test)]
mod tests;
