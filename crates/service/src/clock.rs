//! The clock of all deadlines.

use crate::timing::Timing;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A clock that never goes back, in nanoseconds since an instant of its own.
///
/// All deadlines of a participant are instants of one clock, which is read again at each use.
pub trait Clock: Send + Sync + fmt::Debug + 'static {
    /// Returns the present instant, in nanoseconds.
    fn now(&self) -> u64;

    /// Returns about how long the program has to wait at least until this clock has advanced by
    /// `nanos`.
    fn wait(&self, nanos: u64) -> Duration {
        Duration::from_nanos(nanos)
    }
}

/// The host's clock that goes on during a suspension: `CLOCK_BOOTTIME` on Linux; elsewhere the
/// monotonic clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct BootClock;

#[cfg(any(target_os = "linux", target_os = "android"))]
const BOOT: rustix::time::ClockId = rustix::time::ClockId::Boottime;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const BOOT: rustix::time::ClockId = rustix::time::ClockId::Monotonic;

pub(crate) fn nanos(clock: rustix::time::ClockId) -> u64 {
    let now = rustix::time::clock_gettime(clock);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

impl BootClock {
    /// Returns the resolution of the clock.
    #[must_use]
    pub fn resolution() -> Duration {
        let resolution = rustix::time::clock_getres(BOOT);
        Duration::new(resolution.tv_sec as u64, resolution.tv_nsec as u32)
    }
}

impl Clock for BootClock {
    fn now(&self) -> u64 {
        nanos(BOOT)
    }
}

/// An error: the clock of this host cannot be relied on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClockError {
    /// Its resolution is too coarse for the heartbeat.
    #[error(
        "the clock has a resolution of {resolution:?}: too coarse for a heartbeat of {heartbeat:?}"
    )]
    Resolution {
        /// The resolution of the clock.
        resolution: Duration,
        /// The configured heartbeat.
        heartbeat: Duration,
    },
    /// Its rate is outside the bound.
    #[error(
        "the clock runs {drift} millionths off the rate of its hardware, and the configuration \
         allows for {bound} between two clocks: raise `clock_bound`, or have the time service slew \
         the clock more slowly"
    )]
    Drift {
        /// The drift, in millionths.
        drift: u64,
        /// The configured bound, in millionths.
        bound: u32,
    },
}

/// The time for which the rate of the clock is measured.
const MEASURED: Duration = Duration::from_millis(20);

/// Checks that the clock of this host meets the assumptions of a timing. Takes 20 ms.
///
/// # Errors
/// If its resolution is too coarse for the heartbeat, or the time service slews it by more than
/// half of the bound. The other half is for the other host.
pub fn check(timing: &Timing) -> Result<(), ClockError> {
    let (resolution, heartbeat) = (BootClock::resolution(), timing.heartbeat);
    if resolution > heartbeat / 10 {
        return Err(ClockError::Resolution { resolution, heartbeat });
    }
    let (drift, bound) = (drift(MEASURED), timing.clock_bound);
    if drift > u64::from(bound / 2) {
        return Err(ClockError::Drift { drift, bound });
    }
    Ok(())
}

/// Returns by how many millionths the time service slews the clock off the rate of the hardware; 0
/// where the system does not provide it.
#[cfg(any(target_os = "linux", target_os = "android"))]
#[must_use]
pub fn drift(measured: Duration) -> u64 {
    let read = || (nanos(rustix::time::ClockId::MonotonicRaw), nanos(BOOT));
    let before = read();
    std::thread::sleep(measured);
    let after = read();
    let (raw, boot) = (after.0 - before.0, after.1 - before.1);
    let off = u128::from(raw.abs_diff(boot)) * 1_000_000 / u128::from(raw.max(1));
    // The two clocks are not read at the same instant: an error of 10 millionths over 20 ms.
    u64::try_from(off).unwrap_or(u64::MAX)
}

/// Returns 0: the system does not provide the drift.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
#[must_use]
pub fn drift(_: Duration) -> u64 {
    0
}

/// A clock for tests, with a configurable rate. It can be moved ahead, like the clock of a host
/// that was suspended.
#[derive(Debug)]
pub struct TestClock {
    /// The rate, in millionths of the rate of the host's clock.
    rate: u64,
    began: u64,
    ahead: AtomicU64,
}

impl TestClock {
    /// Creates a clock that runs at `rate` millionths of the rate of the host's clock.
    ///
    /// # Panics
    /// If `rate` is 0.
    #[must_use]
    pub fn new(rate: u64) -> Self {
        assert!(rate > 0, "a clock runs");
        Self { rate, began: BootClock.now(), ahead: AtomicU64::new(0) }
    }

    /// Moves the clock ahead.
    pub fn advance(&self, by: Duration) {
        self.ahead.fetch_add(by.as_nanos() as u64, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> u64 {
        let passed = u128::from(BootClock.now() - self.began) * u128::from(self.rate) / 1_000_000;
        // Never 0, which handles use for a tenure that is over.
        1 + passed as u64 + self.ahead.load(Ordering::SeqCst)
    }

    fn wait(&self, nanos: u64) -> Duration {
        let nanos = u128::from(nanos) * 1_000_000 / u128::from(self.rate);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fast_clock_is_waited_for_for_a_shorter_time() {
        let clock = TestClock::new(2_000_000);
        assert_eq!(clock.wait(1_000), Duration::from_nanos(500));
        let before = clock.now();
        clock.advance(Duration::from_secs(5));
        assert!(clock.now() - before >= 5_000_000_000);
    }

    #[test]
    fn the_host_s_clock_does_not_go_back() {
        let first = BootClock.now();
        assert!(first > 0 && BootClock.now() >= first);
        assert!(BootClock::resolution() < Duration::from_secs(1));
    }
}
