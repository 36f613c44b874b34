//! Operators have offices transferred, and are told who leads then.

use super::{NAMES, OFFICE, TIMING, three};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tenure_node::clock::TestClock;
use tenure_node::records::MemoryStore;
use tenure_node::transport::LocalNetwork;
use tenure_node::{Leadership, LeaseTiming, LocalCluster, Member, TransferError};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

const LONG: Duration = Duration::from_secs(20);

fn stand(member: &Member) -> JoinHandle<Leadership> {
    let office = member.office(OFFICE);
    tokio::spawn(async move { office.stand().await.unwrap() })
}

/// Ends the work as soon as that is asked for.
fn obey(leadership: Leadership) -> JoinHandle<()> {
    tokio::spawn(async move {
        leadership.stopping().await;
        leadership.resign().await;
    })
}

async fn transfer(member: &Member, to: &str) -> Result<(), TransferError> {
    timeout(LONG, member.office(OFFICE).ask_to_transfer(to)).await.unwrap()
}

/// Waits until this member hears the second one, which stands: it renews its leases at each heartbeat.
async fn until_stood(member: &Member) {
    loop {
        let status = member.status().await.unwrap();
        let second = status.members.iter().find(|peer| peer.name == NAMES[1]).unwrap();
        let heard = second.last_heard.is_some_and(|ago| ago <= 2 * TIMING.heartbeat);
        if heard && second.lease_owed.is_some() {
            return;
        }
        sleep(TIMING.heartbeat / 4).await;
    }
}

#[tokio::test]
async fn a_transfer_leads_where_it_was_meant_to_or_says_where() {
    let (_network, _, members) = three(TIMING);
    let first = members[0].office(OFFICE).stand().await.unwrap();
    let term = first.term();
    let (named, other) = (stand(&members[1]), stand(&members[2]));
    // The one that shall lead withdraws when the leader has begun to end its work.
    let leader = tokio::spawn(async move {
        first.stopping().await;
        named.abort();
        assert!(named.await.is_err());
        sleep(5 * TIMING.heartbeat).await;
        first.resign().await;
    });
    let missed = transfer(&members[2], NAMES[1]).await.unwrap_err();
    leader.await.unwrap();
    let second = timeout(LONG, other).await.unwrap().unwrap();
    assert!(second.term() > term);
    let why = format!("`{OFFICE}` is led by c in term {}, not by b", second.term());
    assert_eq!(missed, TransferError::NotTransferred(why));
    // This time it does not.
    let named = stand(&members[1]);
    let leader = obey(second);
    transfer(&members[0], NAMES[1]).await.unwrap();
    assert!(timeout(LONG, named).await.unwrap().unwrap().term() > term);
    leader.await.unwrap();
}

#[tokio::test]
async fn a_transfer_to_the_leader_or_to_one_that_does_not_stand_is_refused_and_the_leader_goes_on()
{
    let (_network, _, members) = three(TIMING);
    let first = members[0].office(OFFICE).stand().await.unwrap();
    for member in &members {
        let already = transfer(member, NAMES[0]).await.unwrap_err();
        let why = format!("a leads `{OFFICE}` already, in term {}", first.term());
        assert_eq!(already, TransferError::NotLeading(why));
        let idle = transfer(member, NAMES[1]).await.unwrap_err().to_string();
        assert!(idle.starts_with("b does not stand for `db-primary`"), "{idle}");
    }
    first.check().unwrap();
    assert!(!first.is_stopping());
}

/// The member that is asked still knows the leader before: it has not heard that this leader has left.
#[tokio::test]
async fn the_leader_leaves_that_leads_when_its_operator_says_so() {
    let (network, _, members) = three(TIMING);
    let first = members[0].office(OFFICE).stand().await.unwrap();
    // It has granted the office.
    while members[2].office(OFFICE).standing().await.unwrap().term() != Some(first.term()) {
        sleep(TIMING.heartbeat / 4).await;
    }
    for member in &members[..2] {
        network.cut(member.peer(), members[2].peer());
    }
    let second = stand(&members[1]);
    first.resign().await;
    let second = timeout(LONG, second).await.unwrap().unwrap();
    network.heal();
    let leader = obey(second);
    timeout(LONG, members[2].office(OFFICE).ask_to_resign()).await.unwrap().unwrap();
    let standing = members[1].office(OFFICE).standing().await.unwrap();
    assert_eq!(standing.leader().map(|leader| &*leader.name), None, "it leads on");
    leader.await.unwrap();
}

#[tokio::test]
async fn the_leader_of_a_cluster_of_one_leaves_and_nobody_leads() {
    let cluster = LocalCluster::new(LocalNetwork::new(1), &NAMES[..1], TIMING);
    let alone = super::start(&cluster, NAMES[0], MemoryStore::founding());
    let leader = obey(timeout(LONG, alone.office(OFFICE).stand()).await.unwrap().unwrap());
    timeout(LONG, alone.office(OFFICE).ask_to_resign()).await.unwrap().unwrap();
    leader.await.unwrap();
    let none = timeout(LONG, alone.office(OFFICE).ask_to_resign()).await.unwrap().unwrap_err();
    assert_eq!(none.to_string(), format!("no participant is known to lead `{OFFICE}`"));
}

#[tokio::test]
async fn a_transfer_needs_no_earlier_look_at_who_leads() {
    let (_network, cluster, members) = three(TIMING);
    members[2].kill();
    members[2].ended().await;
    let first = members[0].office(OFFICE).stand().await.unwrap();
    let named = stand(&members[1]);
    // It has lost its record, and knows of no vote.
    let asked = super::start(&cluster, NAMES[2], MemoryStore::lost());
    let leader = obey(first);
    transfer(&asked, NAMES[1]).await.unwrap();
    timeout(LONG, named).await.unwrap().unwrap();
    leader.await.unwrap();
}

#[tokio::test]
async fn a_transfer_to_a_member_that_is_suspended_cut_off_or_ended_is_refused_and_the_leader_goes_on()
 {
    let network = LocalNetwork::new(1);
    // What has been granted lasts for long, so that its claims outlive the member.
    let timing = LeaseTiming { stop: Duration::from_secs(600), ..TIMING };
    let cluster = LocalCluster::new(network.clone(), &NAMES, timing);
    let start = |name| super::start(&cluster, name, MemoryStore::founding());
    let (first, third) = (start(NAMES[0]), start(NAMES[2]));
    let clock = Arc::new(TestClock::new(1_000_000));
    let second = cluster.member(NAMES[1], MemoryStore::founding(), clock.clone()).unwrap();
    let leadership = first.office(OFFICE).stand().await.unwrap();
    let _waits = stand(&second);
    let refused = async || {
        // What it has sent before arrives first, also on a busy machine; and a suspension takes hold of the clock.
        sleep(5 * TIMING.heartbeat).await;
        for asked in [&first, &third] {
            let why = transfer(asked, NAMES[1]).await.unwrap_err();
            let TransferError::NotLeading(why) = why else { panic!("{why}") };
            // It may have given up its claim before, and not have claimed the office again.
            let silent = why.starts_with("b is down, cut off or suspended: ");
            assert!(silent || why.starts_with("b does not stand for "), "{why}");
            leadership.check().unwrap();
            assert!(!leadership.is_stopping());
        }
    };
    until_stood(&third).await;
    network.isolate(second.peer());
    refused().await;
    network.heal();
    until_stood(&third).await;
    let suspended = thread::spawn(move || clock.suspend(Duration::from_secs(3)));
    refused().await;
    suspended.join().unwrap();
    until_stood(&third).await;
    second.kill();
    second.ended().await;
    refused().await;
}
