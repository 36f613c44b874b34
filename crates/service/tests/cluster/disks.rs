//! Which messages wait for the disk: those that are sent after a write, and no others.

use super::{NAMES, OFFICE};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use suffrage_service::clock::BootClock;
use suffrage_service::records::{Loaded, MemoryStore, Record, Store, StoreError};
use suffrage_service::transport::LocalNetwork;
use suffrage_service::{LocalCluster, Member, Timing};
use tokio::time::timeout;

/// With leases that no test waits for.
const TIMING: Timing = Timing {
    heartbeat: Duration::from_millis(20),
    lease: Duration::from_secs(30),
    stop: Duration::ZERO,
    ..Timing::LAN
};
const LONG: Duration = Duration::from_secs(20);

/// A disk on which no write ends while it hangs.
#[derive(Clone)]
struct Disk {
    store: MemoryStore,
    hangs: Arc<AtomicBool>,
    writing: Arc<RwLock<()>>,
}

impl Disk {
    fn new() -> Self {
        let (hangs, writing) = (Arc::default(), Arc::default());
        Self { store: MemoryStore::founding(), hangs, writing }
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

    fn save(&mut self, record: &Record) -> io::Result<()> {
        loop {
            let writing = self.writing.read().unwrap_or_else(PoisonError::into_inner);
            if !self.hangs.load(Ordering::SeqCst) {
                return self.store.save(record);
            }
            drop(writing);
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn three() -> ([Disk; 3], Vec<Member>) {
    let cluster = LocalCluster::new(LocalNetwork::new(1), &NAMES, TIMING);
    let disks = NAMES.map(|_| Disk::new());
    let start = |(name, disk): (&&str, &Disk)| {
        cluster.member(name, disk.clone(), Arc::new(BootClock)).unwrap()
    };
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
