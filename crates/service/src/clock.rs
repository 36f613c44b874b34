//! The clock that every deadline is read from.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A clock that never goes back, in nanoseconds since an instant of its own.
///
/// All deadlines of a participant are instants of one clock, which is read again at each use.
pub trait Clock: Send + Sync + fmt::Debug + 'static {
    /// Now.
    fn now(&self) -> u64;

    /// How long the program has to wait, at least about, until this clock has advanced by `nanos`.
    fn wait(&self, nanos: u64) -> Duration {
        Duration::from_nanos(nanos)
    }
}

/// The clock of the host that goes on while the host is suspended: `CLOCK_BOOTTIME` on Linux,
/// the monotonic clock elsewhere.
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
    /// The resolution of the clock.
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

/// A clock for tests: it runs at a rate of its own, and can be moved ahead, as the clock of a host
/// that was suspended.
#[derive(Debug)]
pub struct TestClock {
    /// Its rate, in millionths of the rate of the host's clock.
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
        // Never 0, which handles use for the end of a tenure.
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
