//! The clock of all deadlines.

use crate::error::StartError;
use crate::timing::LeaseTiming;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A clock that never goes back, in nanoseconds since an instant of its own.
///
/// All deadlines of a participant are instants of one clock, which is read again at each use.
pub trait DeadlineClock: Send + Sync + fmt::Debug + 'static {
    /// Returns the present instant, in nanoseconds.
    fn now(&self) -> u64;

    /// Returns about how long the program has to wait at least until this clock has advanced by
    /// `nanos`: that time by the clock of the program's timers.
    fn wait(&self, nanos: u64) -> Duration {
        Duration::from_nanos(nanos)
    }

    /// Returns the time since 1970 by the time of day, which is another clock: an operator or a time service may set it
    /// back. No deadline depends on it.
    fn since_1970(&self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
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

impl DeadlineClock for BootClock {
    fn now(&self) -> u64 {
        nanos(BOOT)
    }
}

/// Returns the clock of this host; in a build for tests, at the rate that a variable has.
///
/// # Errors
/// If the variable has no rate.
pub(crate) fn of_host() -> Result<Arc<dyn DeadlineClock>, StartError> {
    #[cfg(feature = "test-clock")]
    if let Some(text) = std::env::var_os(RATE) {
        let rate = text.to_str().and_then(|text| text.parse().ok()).filter(|&rate: &u64| rate > 0);
        let rate = rate.ok_or_else(|| {
            let text = text.to_string_lossy();
            StartError::Clock(format!(
                "{RATE}={text}: write the rate of the clock in millionths of that of the host's"
            ))
        })?;
        tracing::warn!(rate, "a test clock: this is a build for tests");
        return Ok(Arc::new(TestClock::new(rate)));
    }
    Ok(Arc::new(BootClock))
}

/// The variable with the rate of the clock, in millionths of the rate of the host's.
#[cfg(feature = "test-clock")]
const RATE: &str = "TENURE_TEST_CLOCK_RATE";

/// The time for which the rate of the clock is measured.
const MEASURED: Duration = Duration::from_millis(20);

/// Checks that the clock of this host meets the assumptions of a timing, and returns its [`drift`]. Takes
/// 20 ms.
///
/// # Errors
/// If its resolution is too coarse for the heartbeat, or the time service slews it by more than
/// half of the bound. The other half is for the other host.
pub fn check(timing: &LeaseTiming) -> Result<u64, StartError> {
    judge(BootClock::resolution(), drift(MEASURED), timing)
}

/// Checks that a clock with this resolution and this drift meets the assumptions of a timing.
fn judge(resolution: Duration, drift: u64, timing: &LeaseTiming) -> Result<u64, StartError> {
    let (heartbeat, bound) = (timing.heartbeat, timing.clock_bound);
    if resolution > heartbeat / 10 {
        return Err(StartError::Clock(format!(
            "the clock has a resolution of {resolution:?}: too coarse for a heartbeat of {heartbeat:?}"
        )));
    }
    if drift > u64::from(bound / 2) {
        return Err(StartError::Clock(format!(
            "the clock runs {drift} millionths off the rate of its hardware, and the configuration \
             allows for {bound} between two clocks: raise `clock_bound`, or have the time service slew \
             the clock more slowly"
        )));
    }
    Ok(drift)
}

/// Returns by how many millionths the time service slews the clock off the rate of the hardware; 0
/// where the system does not provide it.
#[cfg(any(target_os = "linux", target_os = "android"))]
#[must_use]
pub fn drift(measured: Duration) -> u64 {
    let (before, first) = both();
    std::thread::sleep(measured);
    let (after, second) = both();
    let (raw, boot) = (after.0 - before.0, after.1 - before.1);
    let off = u128::from(raw.abs_diff(boot).saturating_sub(first.max(second)));
    u64::try_from(off * 1_000_000 / u128::from(raw.max(1))).unwrap_or(u64::MAX)
}

/// Reads the raw clock of the hardware and the slewed clock at the same instant, up to an error, which is the
/// third value. On a busy host the thread may lose its processor between two readings, so the attempt with
/// the least error counts, of several.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn both() -> ((u64, u64), u64) {
    let raw = || nanos(rustix::time::ClockId::MonotonicRaw);
    let attempt = || {
        let (before, boot, after) = (raw(), nanos(BOOT), raw());
        ((before + (after - before) / 2, boot), after - before)
    };
    let mut best = attempt();
    for _ in 1..16 {
        let next = attempt();
        if next.1 < best.1 {
            best = next;
        }
    }
    best
}

/// Returns 0: the system does not provide the drift.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
#[must_use]
pub fn drift(_: Duration) -> u64 {
    0
}

/// A clock for tests, with a configurable rate, of a host that can be suspended.
#[derive(Debug)]
pub struct TestClock {
    /// The rate, in millionths of the rate of the host's clock.
    rate: u64,
    began: u64,
    ahead: AtomicU64,
    /// Held by a suspension, and for a moment by each reading.
    running: RwLock<()>,
}

impl TestClock {
    /// Creates a clock that runs at `rate` millionths of the rate of the host's clock.
    ///
    /// # Panics
    /// If `rate` is 0.
    #[must_use]
    pub fn new(rate: u64) -> Self {
        assert!(rate > 0, "a clock runs");
        Self { rate, began: BootClock.now(), ahead: AtomicU64::new(0), running: RwLock::new(()) }
    }

    /// Suspends the host for `time`, and blocks the calling thread until it resumes. Meanwhile time
    /// passes, and whatever reads this clock stops at that reading.
    pub fn suspend(&self, time: Duration) {
        let _suspended = self.running.write();
        std::thread::sleep(time);
    }

    /// Moves the clock ahead. If other hosts' clocks stay behind, this is a clock that is faster
    /// than every bound: what its host has granted ends too early for them.
    pub fn advance(&self, by: Duration) {
        self.ahead.fetch_add(by.as_nanos() as u64, Ordering::SeqCst);
    }
}

impl DeadlineClock for TestClock {
    fn now(&self) -> u64 {
        let _running = self.running.read();
        let passed = u128::from(BootClock.now() - self.began) * u128::from(self.rate) / 1_000_000;
        // Never 0, which handles use for a tenure that is over.
        1 + passed as u64 + self.ahead.load(Ordering::SeqCst)
    }

    fn wait(&self, nanos: u64) -> Duration {
        let nanos = (u128::from(nanos) * 1_000_000).div_ceil(u128::from(self.rate));
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests;
