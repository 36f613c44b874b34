//! The numbers of starts: a member that has lost its record starts with the time of day.

use super::{NAMES, OFFICE, TIMING, start};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tenure_model::Memory;
use tenure_node::clock::BootClock;
use tenure_node::records::{Loaded, MemberRecord, MemoryStore, Store, StoreError};
use tenure_node::status::StorageStatus;
use tenure_node::transport::LocalNetwork;
use tenure_node::{LeaseTiming, LocalCluster, Member, ParticipantStatus};
use tenure_protocol::tenure::HIGHEST;
use tokio::time::{sleep, timeout};

const LONG: Duration = Duration::from_secs(20);
/// A day of 2096, in milliseconds since 1970.
const AHEAD: u64 = 4_000_000_000_000;

/// The record of a member that has started last when the clock of its host was far ahead.
struct Ahead(MemoryStore);

impl Store for Ahead {
    fn load(&mut self) -> Result<Loaded, StoreError> {
        let mut loaded = self.0.load()?;
        loaded.record.boot = AHEAD;
        Ok(loaded)
    }

    fn save(&mut self, record: &MemberRecord) -> io::Result<()> {
        self.0.save(record)
    }
}

#[tokio::test]
async fn a_member_whose_record_is_lost_and_whose_clock_is_behind_is_told_and_its_vote_counts() {
    let cluster = LocalCluster::new(LocalNetwork::new(1), &NAMES, TIMING);
    let store = MemoryStore::founding;
    let clock = || Arc::new(BootClock);
    let leads = cluster.member("a", store(), clock()).unwrap();
    let other = cluster.member("b", store(), clock()).unwrap();
    let first = cluster.member("c", Ahead(store()), clock()).unwrap();
    let holds_at_c = |status: &ParticipantStatus| status.members[1].lease_held.is_some();
    let leadership = timeout(LONG, leads.office(OFFICE).stand()).await.unwrap().unwrap();
    let until_held = async || {
        while !holds_at_c(&leads.status().await.unwrap()) {
            sleep(TIMING.heartbeat).await;
        }
    };
    timeout(LONG, until_held()).await.unwrap();
    first.kill();
    first.ended().await;
    let lapsed = async {
        while holds_at_c(&leads.status().await.unwrap()) {
            sleep(TIMING.heartbeat).await;
        }
    };
    timeout(LONG, lapsed).await.unwrap();
    // Its time of day is the present one, which is behind.
    let again = cluster.member("c", MemoryStore::lost(), clock()).unwrap();
    timeout(LONG, until_held()).await.expect("its acknowledgements count");
    assert!(again.status().await.unwrap().boot > AHEAD);
    // With its vote alone, once it may grant.
    let ready = async {
        while again.status().await.unwrap().unready().is_some() {
            sleep(TIMING.heartbeat).await;
        }
    };
    timeout(LONG, ready).await.unwrap();
    drop(leadership);
    other.kill();
    timeout(LONG, leads.office(OFFICE).stand()).await.unwrap().unwrap();
}

/// A record that was saved before, whatever is saved now.
struct Restored(MemberRecord);

impl Store for Restored {
    fn load(&mut self) -> Result<Loaded, StoreError> {
        let (record, memory) = (self.0.clone(), Memory::Kept);
        Ok(Loaded { record, ..Loaded::nothing(memory) })
    }

    fn save(&mut self, record: &MemberRecord) -> io::Result<()> {
        self.0 = record.clone();
        Ok(())
    }
}

#[tokio::test]
async fn a_restored_record_is_noticed_by_its_starts_and_by_its_promises_and_not_used() {
    let cluster = LocalCluster::new(LocalNetwork::new(1), &NAMES, TIMING);
    let clock = || Arc::new(BootClock);
    let store = MemoryStore::founding();
    let leads = cluster.member("a", MemoryStore::founding(), clock()).unwrap();
    let other = cluster.member("b", MemoryStore::founding(), clock()).unwrap();
    let restored = cluster.member("c", store.clone(), clock()).unwrap();
    let until = async |member: &Member, is: &dyn Fn(&ParticipantStatus) -> bool| {
        let holds = async {
            while !is(&member.status().await.unwrap()) {
                sleep(TIMING.heartbeat).await;
            }
        };
        timeout(LONG, holds).await.unwrap();
    };
    // What it knows may still be on its way to the store.
    until(&restored, &|status| status.up && status.unready().is_none() && store.saved().is_some())
        .await;
    let saved = store.saved().unwrap();
    // It promises, in the same start.
    let leadership = timeout(LONG, leads.office(OFFICE).stand()).await.unwrap().unwrap();
    let highest = |record: MemberRecord| record.cells.get(&HIGHEST).copied();
    while highest(store.saved().unwrap()) == highest(saved.clone()) {
        sleep(TIMING.heartbeat).await;
    }
    // It tells this one nothing but what is on its record: once more may have been said before.
    for _ in 0..2 {
        let begin = Instant::now();
        until(&other, &|status| {
            status.members[1].last_heard.is_some_and(|ago| ago < begin.elapsed())
        })
        .await;
    }
    restored.kill();
    restored.ended().await;

    let again = cluster.member("c", Restored(saved), clock()).unwrap();
    let is_noticed = |status: &ParticipantStatus| status.storage == StorageStatus::Outdated;
    until(&again, &is_noticed).await;
    until(&again, &|status| !status.learning && status.unready().is_none()).await;
    again.kill();
    again.ended().await;
    drop(leadership);

    // The store of the first start is older than what the second one has written elsewhere.
    let kept = cluster.member("c", store, clock()).unwrap();
    until(&kept, &is_noticed).await;
}

#[tokio::test]
async fn a_member_that_is_killed_and_starts_again_frees_nothing_on_which_a_program_may_count() {
    let timing = LeaseTiming { lease: Duration::from_secs(2), ..TIMING };
    let cluster = LocalCluster::new(LocalNetwork::new(1), &NAMES, timing);
    let clock = || Arc::new(BootClock);
    let store = MemoryStore::founding();
    let killed = cluster.member("a", store.clone(), clock()).unwrap();
    let others = ["b", "c"].map(|name| start(&cluster, name, MemoryStore::founding()));
    let leadership = timeout(LONG, killed.office(OFFICE).stand()).await.unwrap().unwrap();
    // What a program in another process was told, which lives on.
    let end = Instant::now() + leadership.valid_for();
    let other = others[0].clone();
    let next = tokio::spawn(async move { other.office(OFFICE).stand().await.unwrap() });
    killed.kill();
    killed.ended().await;
    let again = cluster.member("a", store, clock()).unwrap();
    let stands = again.office(OFFICE);
    let won = timeout(LONG, async {
        tokio::select! {
            won = stands.stand() => won.unwrap(),
            won = next => won.unwrap(),
        }
    });
    let won = won.await.unwrap();
    assert!(Instant::now() >= end, "it leads while another program counts on its leadership");
    assert!(won.term() > leadership.term());
}
