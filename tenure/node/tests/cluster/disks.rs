//! Which messages wait for the disk: those that are sent after a write, and no others; and disks that do not
//! work.

use super::{NAMES, OFFICE};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tenure_node::clock::{BootClock, DeadlineClock, TestClock};
use tenure_node::records::{Loaded, MemberRecord, MemoryStore, Store, StoreError};
use tenure_node::status::StorageStatus;
use tenure_node::transport::LocalNetwork;
use tenure_node::{LeaseTiming, LocalCluster, Member, ParticipantStatus};
use tokio::time::timeout;

/// With leases that no test waits for.
const TIMING: LeaseTiming = LeaseTiming {
    heartbeat: Duration::from_millis(20),
    lease: Duration::from_secs(30),
    stop: Duration::ZERO,
    ..LeaseTiming::LAN
};
const LONG: Duration = Duration::from_secs(20);

/// A disk on which no write ends while it hangs.
#[derive(Clone)]
struct Disk {
    store: MemoryStore,
    hangs: Arc<AtomicBool>,
    /// The number of writes that have ended, well or not.
    writes: Arc<AtomicUsize>,
    writing: Arc<RwLock<()>>,
}

impl Disk {
    fn new() -> Self {
        let (hangs, writes, writing) = (Arc::default(), Arc::default(), Arc::default());
        Self { store: MemoryStore::founding(), hangs, writes, writing }
    }

    /// Waits until the writes that have begun have ended.
    fn hang(&self, hangs: bool) {
        self.hangs.store(hangs, Ordering::SeqCst);
        drop(self.writing.write().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Store for Disk {
    fn load(&mut self) -> Result<Loaded, StoreError> {
        self.store.load()
    }

    fn save(&mut self, record: &MemberRecord) -> io::Result<()> {
        loop {
            let writing = self.writing.read().unwrap_or_else(PoisonError::into_inner);
            if !self.hangs.load(Ordering::SeqCst) {
                let saved = self.store.save(record);
                self.writes.fetch_add(1, Ordering::SeqCst);
                return saved;
            }
            drop(writing);
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn three() -> ([Disk; 3], Vec<Member>) {
    three_with(TIMING, || Arc::new(BootClock))
}

fn three_with(
    timing: LeaseTiming,
    clock: impl Fn() -> Arc<dyn DeadlineClock>,
) -> ([Disk; 3], Vec<Member>) {
    let cluster = LocalCluster::new(LocalNetwork::new(1), &NAMES, timing);
    let disks = NAMES.map(|_| Disk::new());
    let start = |(name, disk): (&&str, &Disk)| cluster.member(name, disk.clone(), clock()).unwrap();
    let members = NAMES.iter().zip(&disks).map(start).collect();
    (disks, members)
}

#[tokio::test]
async fn a_leader_whose_disk_hangs_leaves_at_once() {
    let (disks, members) = three();
    let first = timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    let others = members[1..].iter().map(|member| member.office(OFFICE));
    let mut waiting = tokio::task::JoinSet::new();
    for office in others {
        waiting.spawn(async move { office.stand().await.unwrap() });
    }
    tokio::time::sleep(5 * TIMING.heartbeat).await;
    // It is to promise its own vote to its successor, and that does not end. The word that it has
    // left, which was said before, does not wait.
    disks[0].hang(true);
    let left = Instant::now();
    first.resign().await;
    timeout(LONG, waiting.join_next()).await.unwrap().unwrap().unwrap();
    assert!(left.elapsed() < TIMING.lease / 2, "not when its lease was over: {:?}", left.elapsed());
    disks[0].hang(false);
}

#[tokio::test]
async fn a_grant_waits_for_the_promise() {
    let (disks, members) = three();
    drop(timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap());
    for disk in &disks[1..] {
        disk.hang(true);
    }
    let office = members[0].office(OFFICE);
    let stands = tokio::spawn(async move { office.stand().await.unwrap() });
    tokio::time::sleep(20 * TIMING.heartbeat).await;
    assert!(!stands.is_finished(), "no majority has promised");
    disks[2].hang(false);
    timeout(LONG, stands).await.unwrap().unwrap();
    disks[1].hang(false);
}

/// Waits until the status of a member satisfies `wanted`.
async fn until(member: &Member, wanted: impl Fn(&ParticipantStatus) -> bool) -> ParticipantStatus {
    let reached = async {
        loop {
            let status = member.status().await.unwrap();
            if wanted(&status) {
                return status;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(LONG, reached).await.unwrap()
}

/// On clocks that are twenty times as fast, for a shorter test.
#[tokio::test]
async fn a_leader_whose_disk_hangs_is_replaced_though_it_has_nothing_to_write() {
    let timing = LeaseTiming { heartbeat: Duration::from_secs(1), ..TIMING };
    let (disks, members) = three_with(timing, || Arc::new(TestClock::new(20_000_000)));
    let first = timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    // It writes its record again and again, although nothing changes.
    let writes = || disks[0].writes.load(Ordering::SeqCst);
    let before = writes();
    let writing = async {
        while writes() < before + 2 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(LONG, writing).await.unwrap();
    first.check().unwrap();
    disks[0].hang(true);
    timeout(LONG, first.lost()).await.unwrap();
    let status = until(&members[0], |status| status.storage == StorageStatus::Hangs).await;
    assert_eq!(status.unready().unwrap(), "the disk hangs");
    let second = timeout(LONG, members[1].office(OFFICE).stand()).await.unwrap().unwrap();
    assert!(second.term() > first.term());
    disks[0].hang(false);
    until(&members[0], |status| status.unready().is_none()).await;
}

#[tokio::test]
async fn a_disk_that_fails_again_and_again_has_failed_once() {
    // It is waited for when the disk works again.
    let timing = LeaseTiming { lease: Duration::from_millis(200), ..TIMING };
    let cluster = LocalCluster::new(LocalNetwork::new(1), &NAMES[..1], timing);
    let disk = Disk::new();
    let member = cluster.member(NAMES[0], disk.clone(), Arc::new(BootClock)).unwrap();
    until(&member, |status| status.unready().is_none()).await;
    disk.store.fail(Some("no space left on device"));
    let office = member.office(OFFICE);
    let stands = tokio::spawn(async move { office.stand().await.unwrap() });
    let writes = || disk.writes.load(Ordering::SeqCst);
    let before = writes();
    let failing = async {
        while writes() < before + 4 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(LONG, failing).await.unwrap();
    let status = member.status().await.unwrap();
    assert!(matches!(status.storage, StorageStatus::Failed { .. }) && !status.up);
    assert_eq!(status.restarts, 1);
    disk.store.fail(None);
    timeout(LONG, stands).await.unwrap().unwrap();
    assert_eq!(member.status().await.unwrap().restarts, 1);
}
