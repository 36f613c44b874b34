//! The clock and the disk of a host, as faults make them.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tenure_node::clock::{BootClock, DeadlineClock};
use tenure_node::records::{Loaded, MemberRecord, MemoryStore, Store, StoreError};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The rate of a clock that is as slow as the bound allows, in millionths of the rate of this
/// machine's.
const SLOWEST: u64 = 1_000_000;

/// A clock whose rate changes. While the host is suspended, the loop of its member stops where it
/// reads it, which it does before all else; programs, which ask from outside how long a leadership
/// lasts, read it all the time.
#[derive(Debug)]
pub(crate) struct HostClock {
    state: Mutex<Reading>,
    resumed: Condvar,
}

#[derive(Debug)]
struct Reading {
    rate: u64,
    /// An instant of this machine's clock, and what this one showed then.
    since: (u64, u64),
    suspended: bool,
}

impl Reading {
    fn at(&self, instant: u64) -> u64 {
        let (since, shown) = self.since;
        let passed = u128::from(instant - since) * u128::from(self.rate) / u128::from(SLOWEST);
        shown + passed as u64
    }
}

impl HostClock {
    pub(crate) fn new() -> Self {
        let reading = Reading { rate: SLOWEST, since: (BootClock.now(), 1), suspended: false };
        Self { state: Mutex::new(reading), resumed: Condvar::new() }
    }

    /// Makes it faster than the slowest clock by this number of millionths, from now on.
    pub(crate) fn set_rate(&self, ppm: i64) {
        let mut state = lock(&self.state);
        let now = BootClock.now();
        state.since = (now, state.at(now));
        state.rate = SLOWEST.saturating_add_signed(ppm);
    }

    /// Moves it ahead.
    pub(crate) fn advance(&self, by: Duration) {
        lock(&self.state).since.1 += by.as_nanos() as u64;
    }

    pub(crate) fn suspend(&self, suspended: bool) {
        lock(&self.state).suspended = suspended;
        self.resumed.notify_all();
    }
}

impl DeadlineClock for HostClock {
    fn now(&self) -> u64 {
        let mut state = lock(&self.state);
        if thread::current().name().is_some_and(|name| name.starts_with("tenure-host-")) {
            let waited = self.resumed.wait_while(state, |state| state.suspended);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        state.at(BootClock.now())
    }

    fn wait(&self, nanos: u64) -> Duration {
        let rate = lock(&self.state).rate;
        let nanos = (u128::from(nanos) * u128::from(SLOWEST)).div_ceil(u128::from(rate));
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

/// The condition of a disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk(Arc<(Mutex<Condition>, Condvar)>);

#[derive(Debug, Default)]
struct Condition {
    /// The number of faults during which no write ends.
    stuck: u32,
    /// The least durations of a write that faults cause.
    slow: Vec<Duration>,
    /// The number of members that have used it: a write of one that was killed has no effect.
    users: u64,
}

impl Disk {
    /// Changes its condition by these numbers of faults: of those during which it is stuck.
    pub(crate) fn stick(&self, by: i32) {
        let mut condition = lock(&self.0.0);
        condition.stuck = condition.stuck.saturating_add_signed(by);
        self.0.1.notify_all();
    }

    pub(crate) fn slow_down(&self, least: Duration) {
        lock(&self.0.0).slow.push(least);
    }

    pub(crate) fn speed_up(&self, least: Duration) {
        let slow = &mut lock(&self.0.0).slow;
        if let Some(at) = slow.iter().position(|&other| other == least) {
            slow.swap_remove(at);
        }
        self.0.1.notify_all();
    }

    /// Ends all writes of the present member, without effect.
    pub(crate) fn drop_writes(&self) {
        lock(&self.0.0).users += 1;
        self.0.1.notify_all();
    }

    pub(crate) fn with(&self, store: MemoryStore) -> DiskStore {
        DiskStore { disk: self.clone(), user: lock(&self.0.0).users, store }
    }
}

/// A record on a disk.
pub(crate) struct DiskStore {
    disk: Disk,
    user: u64,
    store: MemoryStore,
}

impl Store for DiskStore {
    fn load(&mut self) -> Result<Loaded, StoreError> {
        self.store.load()
    }

    fn save(&mut self, record: &MemberRecord) -> io::Result<()> {
        let (condition, changed) = &*self.disk.0;
        let began = Instant::now();
        let mut condition = lock(condition);
        loop {
            if condition.users != self.user {
                return Err(io::Error::other("the member was killed"));
            }
            let least = condition.slow.iter().max().copied().unwrap_or_default();
            let left = least.saturating_sub(began.elapsed());
            if condition.stuck == 0 && left.is_zero() {
                return self.store.save(record);
            }
            // While the disk is stuck, wait until that ends.
            let wait = if condition.stuck > 0 { Duration::from_secs(3600) } else { left };
            let waited = changed.wait_timeout(condition, wait);
            condition = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
