//! The clocks of a host.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tenure_node::clock::DeadlineClock;

pub(crate) const MICRO: u64 = 1_000;
pub(crate) const MILLI: u64 = 1_000_000;
pub(crate) const SECOND: u64 = 1_000_000_000;

/// The clock that a program on a host reads. It stands still while the program reacts.
#[derive(Debug, Default)]
pub(crate) struct HostClock {
    boottime: AtomicU64,
    since_1970: AtomicU64,
}

impl HostClock {
    pub(crate) fn set(&self, boottime: u64, since_1970: u64) {
        self.boottime.store(boottime, Ordering::Relaxed);
        self.since_1970.store(since_1970, Ordering::Relaxed);
    }
}

impl DeadlineClock for HostClock {
    fn now(&self) -> u64 {
        self.boottime.load(Ordering::Relaxed)
    }

    fn since_1970(&self) -> Duration {
        Duration::from_nanos(self.since_1970.load(Ordering::Relaxed))
    }
}

/// How a host's clock goes, against the time of the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClockRate {
    world: u64,
    local: u64,
    /// By how many millionths it is fast; or slow, if that is negative.
    ppm: i64,
}

impl ClockRate {
    /// A clock that shows `local` at this time of the world.
    pub(crate) const fn new(world: u64, local: u64, ppm: i64) -> Self {
        Self { world, local, ppm }
    }

    pub(crate) fn local(&self, world: u64) -> u64 {
        let since = world.saturating_sub(self.world);
        if self.ppm == 0 {
            return self.local + since;
        }
        let since = u128::from(since);
        self.local + (since * self.millionths() / 1_000_000) as u64
    }

    /// Returns the first time of the world at which it shows this instant, or a later one.
    pub(crate) fn world(&self, local: u64) -> u64 {
        let since = local.saturating_sub(self.local);
        if self.ppm == 0 {
            return self.world.saturating_add(since);
        }
        let since = u128::from(since);
        let needed = (since * 1_000_000).div_ceil(self.millionths());
        self.world.saturating_add(u64::try_from(needed).unwrap_or(u64::MAX))
    }

    fn millionths(&self) -> u128 {
        u128::from(1_000_000_u64.saturating_add_signed(self.ppm).max(1))
    }

    pub(crate) fn set_rate(&mut self, world: u64, ppm: i64) {
        *self = Self::new(world, self.local(world), ppm);
    }
}
