//! Watches of offices.

use super::{OFFICE, TIMING, three};
use std::time::Duration;
use tenure_node::{LeaseTiming, OfficeWatch, Participant};
use tokio::time::timeout;

const LONG: Duration = Duration::from_secs(20);

pub(crate) async fn until(watch: &mut OfficeWatch, leader: Option<&str>) -> Option<u64> {
    let reached = async {
        loop {
            let standing = watch.next().await.unwrap();
            if standing.leader().map(|leader| leader.name.as_str()) == leader {
                return standing.term();
            }
        }
    };
    timeout(LONG, reached).await.unwrap()
}

#[tokio::test]
async fn members_and_clients_are_told_who_leads_and_that_the_office_is_vacant() {
    let (_network, cluster, members) = three(TIMING);
    let client = cluster.client("web-1", 1).unwrap();
    let mut watches = [
        members[0].watch(OFFICE).await.unwrap(),
        members[2].watch(OFFICE).await.unwrap(),
        client.watch(OFFICE).await.unwrap(),
    ];
    for watch in &mut watches {
        assert_eq!(until(watch, None).await, None);
    }
    let leadership = members[0].office(OFFICE).stand().await.unwrap();
    for watch in &mut watches {
        assert_eq!(until(watch, Some("a")).await, Some(leadership.term()));
    }
    let term = leadership.term();
    leadership.resign().await;
    for watch in &mut watches {
        assert_eq!(until(watch, None).await, Some(term));
    }
}

#[tokio::test]
async fn an_office_about_which_a_member_was_asked_before_it_was_led_stays_in_its_list() {
    let (_network, _cluster, members) = three(TIMING);
    assert_eq!(members[2].office(OFFICE).standing().await.unwrap().leader(), None);
    let leads = members[0].office(OFFICE).stand().await.unwrap();
    // Longer than an answer is kept.
    tokio::time::sleep(Duration::from_secs(6)).await;
    let status = members[2].status().await.unwrap();
    let office = status.offices.iter().find(|office| office.name == OFFICE).unwrap();
    assert_eq!(office.leader.as_deref(), Some("a"));
    drop(leads);
}

#[tokio::test]
async fn what_is_known_of_a_leader_is_as_old_as_what_was_heard_last_of_it() {
    // So long that the leader still counts as one.
    let leases = LeaseTiming { lease: Duration::from_secs(300), ..TIMING };
    let (network, cluster, members) = three(leases);
    let client = cluster.client("web-1", 1).unwrap();
    let leadership = timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    let others = [members[1].office(OFFICE), client.office(OFFICE)];
    for office in &others {
        until(&mut office.watch().await.unwrap(), Some("a")).await;
    }
    network.isolate(members[1].peer());
    network.isolate(client.peer());
    let cut = Duration::from_millis(700);
    tokio::time::sleep(cut).await;
    for office in &others {
        let standing = office.standing().await.unwrap();
        assert_eq!(standing.leader().unwrap().name, "a");
        assert_eq!(standing.term(), Some(leadership.term()));
        assert!(standing.staleness() >= cut - 2 * leases.heartbeat, "{:?}", standing.staleness());
    }
    let here = members[0].office(OFFICE).standing().await.unwrap();
    assert_eq!(here.staleness(), Duration::ZERO, "the leader itself knows");
    network.heal();
    let heard = async {
        for office in &others {
            while office.standing().await.unwrap().staleness() >= cut {
                tokio::time::sleep(leases.heartbeat).await;
            }
        }
    };
    timeout(LONG, heard).await.expect("the leader is heard again");
}

#[tokio::test]
async fn who_is_cut_off_knows_how_old_its_answer_is() {
    let (network, _, members) = three(TIMING);
    let office = members[1].office(OFFICE);
    tokio::time::sleep(3 * TIMING.heartbeat).await;
    network.isolate(members[1].peer());
    tokio::time::sleep(4 * TIMING.lease).await;
    let standing = office.standing().await.unwrap();
    assert!(standing.leader().is_none());
    assert!(standing.staleness() > 2 * TIMING.lease, "{:?}", standing.staleness());
}

#[tokio::test]
async fn a_watch_ends_with_its_participant() {
    let (_network, _, members) = three(TIMING);
    let mut watch = members[0].watch(OFFICE).await.unwrap();
    members[0].kill();
    let ended = async { while watch.next().await.is_some() {} };
    timeout(LONG, ended).await.unwrap();
}

async fn offices(of: &Participant) -> Vec<String> {
    let status = of.status().await.unwrap();
    status.offices.into_iter().map(|office| office.name).collect()
}

#[tokio::test]
async fn who_asks_for_an_office_that_nobody_leads_leaves_nothing_behind() {
    let (_network, cluster, members) = three(TIMING);
    let client = cluster.client("web-1", 1).unwrap();
    let asked: [&Participant; 2] = [&members[0], &client];
    for participant in asked {
        for number in 0..300 {
            let standing = participant.office(&format!("typo-{number}")).standing().await.unwrap();
            assert!(standing.leader().is_none());
        }
        let watch = participant.watch("typo").await.unwrap();
        assert_eq!(offices(participant).await, ["typo"], "as long as it is watched");
        drop(watch);
    }
    for participant in asked {
        let forgotten = async {
            while !offices(participant).await.is_empty() {
                tokio::time::sleep(TIMING.heartbeat).await;
            }
        };
        timeout(LONG, forgotten).await.unwrap();
    }
}

#[tokio::test]
async fn who_asks_again_is_told_what_the_members_have_answered() {
    let (_network, cluster, members) = three(TIMING);
    let client = cluster.client("web-1", 1).unwrap();
    let leadership = timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    let asked: [&Participant; 2] = [&members[2], &client];
    for participant in asked {
        let told = async {
            loop {
                let standing = participant.office(OFFICE).standing().await.unwrap();
                if let Some(leader) = standing.leader() {
                    return (leader.name.clone(), standing.term());
                }
                tokio::time::sleep(TIMING.heartbeat).await;
            }
        };
        let told = timeout(LONG, told).await.unwrap();
        assert_eq!(told, ("a".to_owned(), Some(leadership.term())));
        assert_eq!(offices(participant).await, [OFFICE], "it is led");
    }
}
