//! The values of leaderships.

use super::{NAMES, OFFICE, TIMING, start, three};
use std::time::Duration;
use tenure_node::records::MemoryStore;
use tenure_node::transport::LinkFaults;
use tenure_node::{LeaderValue, OfficeWatch, Participant};
use tokio::time::timeout;

const LONG: Duration = Duration::from_secs(20);

fn value(text: &str) -> LeaderValue {
    LeaderValue::new(text).unwrap()
}

/// Waits until this value is shown. Whatever is shown before is not newer than what is shown after it.
async fn until(watch: &mut OfficeWatch, text: Option<&str>) -> (u64, u64) {
    let reached = async {
        let mut last = (0, 0);
        loop {
            let standing = watch.next().await.unwrap();
            let Some(change) = standing.change() else { continue };
            let version = (standing.term().unwrap(), change);
            assert!(version >= last, "{standing:?} after {last:?}");
            last = version;
            if standing.leader().is_some() && standing.value() == text {
                return version;
            }
        }
    };
    timeout(LONG, reached).await.expect("it is shown in the end")
}

async fn watch(participant: &Participant) -> OfficeWatch {
    participant.watch(OFFICE).await.unwrap()
}

#[tokio::test]
async fn everyone_is_told_the_value_of_the_leader_and_each_change_also_over_lossy_links() {
    let (network, cluster, members) = three(TIMING);
    let client = cluster.client("web-1", 1).unwrap();
    let mut watches = Vec::new();
    for participant in [&*members[0], &*members[1], &*members[2], &*client] {
        watches.push(watch(participant).await);
    }
    network.set_weather(LinkFaults {
        loss: 0.1,
        duplication: 0.2,
        delay: Duration::ZERO..Duration::from_millis(15),
    });
    let office = members[0].office(OFFICE).value(value("http://10.0.0.1"));
    let leadership = timeout(LONG, office.stand()).await.unwrap().unwrap();
    let long = "long ".repeat(800);
    for (change, text) in [(1, "http://10.0.0.1"), (2, &long), (3, "http://10.0.0.2"), (4, "")] {
        leadership.proclaim(value(text)).unwrap();
        for watch in &mut watches {
            let text = Some(text).filter(|text| !text.is_empty());
            assert_eq!(until(watch, text).await, (leadership.term(), change));
        }
    }
    let status = members[1].status().await.unwrap();
    assert_eq!((status.offices[0].value.as_deref(), status.offices[0].change), (None, Some(4)));
}

#[tokio::test]
async fn the_value_ends_with_the_leadership_and_the_next_leader_has_its_own() {
    let (_network, _cluster, members) = three(TIMING);
    let mut watched = watch(&members[2]).await;
    let first = members[0].office(OFFICE).value(value("first")).stand().await.unwrap();
    until(&mut watched, Some("first")).await;
    let second = members[1].office(OFFICE).value(value("second"));
    let second = tokio::spawn(async move { second.stand().await.unwrap() });
    first.resign().await;
    let second = timeout(LONG, second).await.unwrap().unwrap();
    assert_eq!(until(&mut watched, Some("second")).await, (second.term(), 1));
    second.resign().await;
    let third = members[0].office(OFFICE).stand().await.unwrap();
    assert_eq!(until(&mut watched, None).await, (third.term(), 0));
    third.resign().await;
}

#[tokio::test]
async fn a_member_that_has_restarted_asks_again() {
    let (_network, cluster, members) = three(TIMING);
    let leadership = members[0].office(OFFICE).value(value("here")).stand().await.unwrap();
    until(&mut watch(&members[1]).await, Some("here")).await;
    members[1].kill();
    members[1].ended().await;
    let again = start(&cluster, NAMES[1], MemoryStore::lost());
    assert_eq!(until(&mut watch(&again).await, Some("here")).await, (leadership.term(), 1));
}

#[tokio::test]
async fn a_client_is_told_by_the_members_what_another_client_has_set() {
    let (_network, cluster, members) = three(TIMING);
    let leads = cluster.client("web-1", 1).unwrap();
    let asks = cluster.client("web-2", 2).unwrap();
    let mut watched = watch(&asks).await;
    let leadership = leads.office(OFFICE).value(value("client")).stand().await.unwrap();
    until(&mut watch(&members[2]).await, Some("client")).await;
    assert_eq!(until(&mut watched, Some("client")).await, (leadership.term(), 1));
    leadership.proclaim(value("moved")).unwrap();
    assert_eq!(until(&mut watched, Some("moved")).await, (leadership.term(), 2));
}

#[tokio::test]
async fn a_leadership_that_is_over_has_no_value_to_set() {
    let (_network, _cluster, members) = three(TIMING);
    let leadership = members[0].office(OFFICE).stand().await.unwrap();
    members[0].kill();
    leadership.lost().await;
    assert!(leadership.proclaim(value("late")).is_err());
}
