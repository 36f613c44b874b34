//! Members that start again with another timing. Those with the old one refuse them, and they it.

use super::{NAMES, OFFICE, TIMING};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tenure_node::clock::BootClock;
use tenure_node::records::MemoryStore;
use tenure_node::transport::LocalNetwork;
use tenure_node::{Leadership, LeaseTiming, LocalCluster, Member, Participant};
use tokio::time::timeout;

const LONG: Duration = Duration::from_secs(30);

/// The timing before: its lease lasts much longer than elections in the one after, [`TIMING`], take.
const BEFORE: LeaseTiming = LeaseTiming { lease: Duration::from_secs(3), ..TIMING };

struct Hosts {
    network: LocalNetwork,
    stores: [MemoryStore; 3],
    members: Vec<Member>,
}

impl Hosts {
    fn new(timing: LeaseTiming) -> Self {
        let (network, stores) = (LocalNetwork::new(1), NAMES.map(|_| MemoryStore::founding()));
        let mut hosts = Self { network, stores, members: Vec::new() };
        hosts.members = (0..3).map(|number| hosts.start(number, timing)).collect();
        hosts
    }

    fn cluster(&self, timing: LeaseTiming) -> LocalCluster {
        LocalCluster::new(self.network.clone(), &NAMES, timing)
    }

    fn start(&self, number: usize, timing: LeaseTiming) -> Member {
        let (name, store) = (NAMES[number], self.stores[number].clone());
        self.cluster(timing).member(name, store, Arc::new(BootClock)).unwrap()
    }

    /// Has a member start again with the timing after, which one with the timing before refuses.
    async fn restart(&mut self, number: usize, refused_by: &Participant) {
        self.members[number].kill();
        self.members[number].ended().await;
        let (one, other) = (self.members[number].peer(), refused_by.peer());
        self.network.cut(one, other);
        self.network.cut(other, one);
        self.members[number] = self.start(number, TIMING);
    }

    /// Waits until a member leads.
    async fn next(&self, number: usize) -> Leadership {
        timeout(LONG, self.members[number].office(OFFICE).stand()).await.unwrap().unwrap()
    }
}

#[tokio::test]
async fn members_that_start_again_with_a_shorter_lease_wait_for_a_leader_of_the_longer_one() {
    let mut hosts = Hosts::new(BEFORE);
    let first = hosts.next(2).await;
    let leader = hosts.members[2].clone();
    hosts.restart(0, &leader).await;
    hosts.restart(1, &leader).await;
    let second = hosts.next(0).await;
    assert_eq!(first.valid_for(), Duration::ZERO, "two at once");
    assert!(second.term() > first.term());
}

#[tokio::test]
async fn a_client_of_the_longer_lease_is_waited_for_when_all_members_start_again() {
    let mut hosts = Hosts::new(BEFORE);
    let client = hosts.cluster(BEFORE).client("web-1", 1).unwrap();
    let first = timeout(LONG, client.office(OFFICE).stand()).await.unwrap().unwrap();
    for member in 0..3 {
        hosts.restart(member, &client).await;
    }
    let second = hosts.next(0).await;
    assert_eq!(first.valid_for(), Duration::ZERO, "two at once");
    assert!(second.term() > first.term());
}

#[tokio::test]
async fn members_that_start_again_with_a_shorter_time_to_stop_wait_for_the_longer_one() {
    let stop = Duration::from_secs(4);
    let mut hosts = Hosts::new(LeaseTiming { stop, ..TIMING });
    let first = hosts.next(2).await;
    let leader = hosts.members[2].clone();
    hosts.restart(0, &leader).await;
    let last = Instant::now();
    hosts.restart(1, &leader).await;
    hosts.next(0).await;
    assert_eq!(first.valid_for(), Duration::ZERO);
    assert!(last.elapsed() > stop, "the work may go on: {:?}", last.elapsed());
}
