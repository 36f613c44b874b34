//! Participants with a certificate of the cluster that are broken.

use super::{OFFICE, TIMING, history::History, start};
use std::sync::Arc;
use std::time::Duration;
use tenure_node::records::MemoryStore;
use tenure_node::testing::Rogue;
use tenure_node::transport::LocalNetwork;
use tenure_node::{LocalCluster, Member};
use tokio::time::{sleep, timeout};

const LONG: Duration = Duration::from_secs(20);
const FIVE: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Five members. The first two are broken and come later.
fn three_of_five() -> (LocalNetwork, [Member; 3]) {
    let network = LocalNetwork::new(1);
    let cluster = LocalCluster::new(network.clone(), &FIVE, TIMING);
    let members = [2, 3, 4].map(|it: usize| start(&cluster, FIVE[it], MemoryStore::founding()));
    (network, members)
}

fn broken(network: &LocalNetwork) -> [Rogue; 2] {
    [0, 1].map(|it| Rogue::join(network, it, FIVE[it as usize]).unwrap())
}

#[tokio::test]
async fn a_leader_whom_the_correct_majority_has_granted_is_the_only_one_whatever_others_say() {
    let (network, members) = three_of_five();
    let first = timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    let rogues = broken(&network);
    let waits = [1, 2].map(|it: usize| {
        let office = members[it].office(OFFICE);
        tokio::spawn(async move { office.stand().await.unwrap() })
    });
    let greatest = u64::MAX - first.term();
    let terms = [0, 1, first.term(), first.term() + 1, greatest, u64::MAX].into_iter().cycle();
    for term in terms.take(60) {
        for to in 2..5 {
            for rogue in &rogues {
                rogue.babble(to);
                rogue.lie(to, OFFICE, term);
            }
        }
        sleep(TIMING.heartbeat).await;
        first.check().unwrap();
        assert!(waits.iter().all(|it| !it.is_finished()), "one leads at a time");
    }
    for member in &members {
        let status = member.status().await.unwrap();
        assert!(status.undecodable > 0 && status.rejected > 0, "{status:?}");
    }
}

#[tokio::test]
async fn grants_of_those_who_have_no_vote_do_not_count() {
    let (network, _, members) = super::three(TIMING);
    let rogue = Rogue::join(&network, 1 << 16, "web-1").unwrap();
    for other in &members[1..] {
        network.cut(members[0].peer(), other.peer());
        network.cut(other.peer(), members[0].peer());
    }
    let office = members[0].office(OFFICE);
    let alone = tokio::spawn(async move { office.stand().await });
    let second = timeout(LONG, members[1].office(OFFICE).stand()).await.unwrap().unwrap();
    for _ in 0..30 {
        for term in 0..10 {
            rogue.lie(0, OFFICE, term);
        }
        sleep(TIMING.heartbeat).await;
        assert!(!alone.is_finished());
    }
    second.check().unwrap();
    assert!(members[0].status().await.unwrap().rejected > 0);
}

/// What no protocol can promise in which any majority elects: two majorities may have no member in common
/// but those that are broken. The terms differ even then.
#[tokio::test]
async fn members_that_grant_to_everybody_make_two_leaders_and_the_judge_sees_them() {
    let (network, members) = three_of_five();
    let _rogues = broken(&network);
    for one in &members {
        for other in &members {
            network.cut(one.peer(), other.peer());
        }
    }
    let history = History::default();
    let mut terms = Vec::new();
    let mut leaderships = Vec::new();
    for member in &members[..2] {
        let leads = timeout(LONG, member.office(OFFICE).stand()).await.unwrap().unwrap();
        let leads = Arc::new(leads);
        history.begins(&leads);
        terms.push(leads.term());
        leaderships.push(leads);
    }
    assert!(history.violations().iter().any(|it| it.contains("at once")));
    assert_ne!(terms[0], terms[1]);
}
