//! The calls of an office and of a leadership.

use super::{NAMES, OFFICE, TIMING, start, three};
use std::time::Duration;
use tenure_node::records::MemoryStore;
use tenure_node::transport::LocalNetwork;
use tenure_node::{LeaseTiming, LocalCluster, StandError, TransferError};
use tokio::time::timeout;

const LONG: Duration = Duration::from_secs(20);

#[tokio::test]
async fn one_of_three_leads_and_knows_for_how_long() {
    let (_network, _, members) = three(TIMING);
    let leadership = members[0].office(OFFICE).stand().await.unwrap();
    assert_eq!(leadership.office(), OFFICE);
    assert!(leadership.term() > 0);
    assert!(leadership.valid_for() > Duration::ZERO && leadership.valid_for() <= TIMING.lease);
    leadership.check().unwrap();
    assert!(!leadership.is_stopping());
}

#[tokio::test]
async fn a_leadership_that_is_dropped_goes_to_who_waits_at_a_greater_term() {
    let (_network, _, members) = three(TIMING);
    let first = members[0].office(OFFICE).stand().await.unwrap();
    let waits = members[1].clone();
    let second = tokio::spawn(async move { waits.office(OFFICE).stand().await.unwrap() });
    tokio::time::sleep(3 * TIMING.heartbeat).await;
    assert!(!second.is_finished(), "one leads at a time");
    let term = first.term();
    drop(first);
    let second = timeout(LONG, second).await.unwrap().unwrap();
    assert!(second.term() > term);
}

#[tokio::test]
async fn tasks_of_one_member_lead_one_after_the_other() {
    let (_network, _, members) = three(TIMING);
    let first = members[0].office(OFFICE).stand().await.unwrap();
    let office = members[0].office(OFFICE);
    let second = tokio::spawn(async move { office.stand().await.unwrap() });
    tokio::time::sleep(3 * TIMING.heartbeat).await;
    assert!(!second.is_finished());
    let term = first.term();
    first.resign().await;
    assert!(timeout(LONG, second).await.unwrap().unwrap().term() > term);
}

#[tokio::test]
async fn a_candidacy_is_withdrawn_by_dropping_its_future() {
    let (_network, _, members) = three(TIMING);
    let first = members[0].office(OFFICE).stand().await.unwrap();
    let office = members[1].office(OFFICE);
    assert!(timeout(5 * TIMING.heartbeat, office.stand()).await.is_err());
    first.resign().await;
    // If member b had not withdrawn, it would lead now, and c would wait forever.
    timeout(LONG, members[2].office(OFFICE).stand()).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_leader_that_is_cut_off_is_told_in_time_and_never_leads_again_in_that_term() {
    let (network, _, members) = three(TIMING);
    let first = members[0].office(OFFICE).stand().await.unwrap();
    let waits = members[1].clone();
    let second = tokio::spawn(async move { waits.office(OFFICE).stand().await.unwrap() });
    network.isolate(members[0].peer());
    timeout(LONG, first.lost()).await.unwrap();
    assert_eq!(first.valid_for(), Duration::ZERO);
    let lost = first.check().unwrap_err();
    assert_eq!((lost.office.as_str(), lost.term), (OFFICE, first.term()));
    let second = timeout(LONG, second).await.unwrap().unwrap();
    assert!(second.term() > first.term());
    network.heal();
    tokio::time::sleep(2 * TIMING.lease).await;
    assert_eq!(first.valid_for(), Duration::ZERO);
    assert!(second.check().is_ok(), "a newcomer does not depose the leader");
}

#[tokio::test]
async fn who_was_killed_is_replaced_when_the_lease_is_over() {
    let (_network, _, members) = three(TIMING);
    let first = members[0].office(OFFICE).stand().await.unwrap();
    members[0].kill();
    timeout(LONG, first.lost()).await.unwrap();
    let second = timeout(LONG, members[1].office(OFFICE).stand()).await.unwrap().unwrap();
    assert!(second.term() > first.term());
}

#[tokio::test]
async fn a_transfer_goes_to_who_was_named_though_others_wait() {
    let (_network, _, members) = three(TIMING);
    let first = members[0].office(OFFICE).stand().await.unwrap();
    let stand = |member: usize, priority| {
        let office = members[member].office(OFFICE).priority(priority);
        tokio::spawn(async move { office.stand().await.unwrap() })
    };
    let (named, preferred) = (stand(1, 0), stand(2, 9));
    tokio::time::sleep(5 * TIMING.heartbeat).await;
    first.transfer(NAMES[1]).await.unwrap();
    timeout(LONG, named).await.unwrap().unwrap();
    assert!(!preferred.is_finished());
}

#[tokio::test]
async fn a_transfer_to_an_unknown_name_is_an_error_that_names_it_and_releases() {
    let (_network, _, members) = three(TIMING);
    let first = members[0].office(OFFICE).stand().await.unwrap();
    let refused = first.transfer("unknown").await.unwrap_err();
    assert_eq!(refused, TransferError::Unknown("unknown".to_owned()));
    timeout(LONG, members[1].office(OFFICE).stand()).await.unwrap().unwrap();
}

#[tokio::test]
async fn an_operator_anywhere_has_the_leader_stop_and_leave() {
    let (_network, _, members) = three(TIMING);
    let first = members[0].office(OFFICE).stand().await.unwrap();
    let leader = tokio::spawn(async move {
        first.stopping().await;
        assert!(first.is_stopping());
        first.resign().await;
    });
    let operator = members[2].office(OFFICE);
    // The operator learns of the leader from a message.
    while operator.standing().await.unwrap().leader().is_none() {
        tokio::time::sleep(TIMING.heartbeat).await;
    }
    timeout(LONG, operator.ask_to_resign()).await.unwrap().unwrap();
    leader.await.unwrap();
    let refused = operator.ask_to_resign().await.unwrap_err().to_string();
    assert!(refused.contains("no participant is known to lead"), "{refused}");
}

#[tokio::test]
async fn a_leader_that_is_asked_to_leave_holds_the_office_until_its_work_has_ended() {
    let (_network, _, members) = three(TIMING);
    let first = members[0].office(OFFICE).stand().await.unwrap();
    let operator = members[2].office(OFFICE);
    while operator.standing().await.unwrap().leader().is_none() {
        tokio::time::sleep(TIMING.heartbeat).await;
    }
    let waits = |member: usize| {
        let office = members[member].office(OFFICE);
        tokio::spawn(async move { office.stand().await.unwrap() })
    };
    let (other, named) = (waits(2), waits(1));
    let asked = tokio::spawn(async move { operator.ask_to_transfer(NAMES[1]).await });
    timeout(LONG, first.stopping()).await.unwrap();
    tokio::time::sleep(3 * TIMING.lease).await;
    first.check().unwrap();
    assert!(!named.is_finished() && !asked.is_finished());
    drop(first);
    let _second = timeout(LONG, named).await.unwrap().unwrap();
    timeout(LONG, asked).await.unwrap().unwrap().unwrap();
    assert!(!other.is_finished());
}

#[tokio::test]
async fn a_successor_waits_for_work_that_stops_late() {
    let stop = Duration::from_secs(5);
    let (network, _, members) = three(LeaseTiming { stop, ..TIMING });
    let first = members[0].office(OFFICE).stand().await.unwrap();
    let waits = members[1].clone();
    let second = tokio::spawn(async move { waits.office(OFFICE).stand().await.unwrap() });
    network.isolate(members[0].peer());
    timeout(LONG, first.lost()).await.unwrap();
    tokio::time::sleep(3 * TIMING.lease).await;
    assert!(!second.is_finished(), "the work may go on");
    timeout(LONG, second).await.unwrap().unwrap();
}

/// The longest time protects an office whose leader cannot be heard. One that can be heard again
/// releases each office after that office's own time, also if the program says nothing.
#[tokio::test]
async fn an_office_is_released_after_its_own_time_to_stop() {
    let stop = Duration::from_secs(600);
    let (network, _, members) = three(LeaseTiming { stop, ..TIMING });
    let stand = |member: usize, office: &str, stop: Duration| {
        let office = members[member].office(office).stop(stop);
        async move { timeout(LONG, office.stand()).await.map(Result::unwrap) }
    };
    let short = stand(0, "short", Duration::ZERO).await.unwrap();
    let middle = stand(0, "middle", Duration::from_millis(300)).await.unwrap();
    let long = stand(0, "long", stop).await.unwrap();
    network.isolate(members[0].peer());
    timeout(LONG, async { tokio::join!(short.lost(), middle.lost(), long.lost()) }).await.unwrap();
    network.heal();
    // The handles are still there: no program has said that its work has ended.
    let next = stand(1, "short", Duration::ZERO).await.unwrap();
    assert!(next.term() > short.term());
    stand(1, "middle", Duration::ZERO).await.unwrap();
    let waits = members[1].office("long");
    assert!(timeout(5 * TIMING.lease, waits.stand()).await.is_err(), "the work may go on");
    drop(long);
    timeout(LONG, waits.stand()).await.unwrap().unwrap();

    let too_long = members[1].office("x").stop(stop + Duration::from_secs(1)).stand().await;
    assert!(matches!(too_long, Err(StandError::Stop { .. })), "{too_long:?}");
}

#[tokio::test]
async fn work_that_has_ended_frees_the_office_before_its_time_to_stop_is_over() {
    let stop = Duration::from_secs(600);
    let (_network, _, members) = three(LeaseTiming { stop, ..TIMING });
    let first = members[0].office(OFFICE).stand().await.unwrap();
    let waits = members[1].clone();
    let second = tokio::spawn(async move { waits.office(OFFICE).stand().await.unwrap() });
    drop(first);
    timeout(LONG, second).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_shutdown_asks_for_the_end_of_the_work_and_releases_the_office() {
    let (_network, _, members) = three(TIMING);
    let first = members[0].office(OFFICE).stand().await.unwrap();
    let work = tokio::spawn(async move { first.stopping().await });
    timeout(LONG, members[0].shut_down()).await.unwrap();
    work.await.unwrap();
    timeout(LONG, members[1].office(OFFICE).stand()).await.unwrap().unwrap();
    assert_eq!(members[0].office(OFFICE).stand().await.unwrap_err(), StandError::Ended);
}

#[tokio::test]
async fn a_client_leads_without_a_vote() {
    let (_network, cluster, members) = three(TIMING);
    let clients = [cluster.client("web-1", 1).unwrap(), cluster.client("web-2", 2).unwrap()];
    let first = timeout(LONG, clients[0].office(OFFICE).stand()).await.unwrap().unwrap();
    let waits = clients[1].clone();
    let second = tokio::spawn(async move { waits.office(OFFICE).stand().await.unwrap() });
    tokio::time::sleep(5 * TIMING.heartbeat).await;
    first.transfer("web-2").await.unwrap();
    let second = timeout(LONG, second).await.unwrap().unwrap();
    members[0].kill(); // A minority of the members.
    tokio::time::sleep(2 * TIMING.lease).await;
    second.check().unwrap();
    assert!(!clients[1].status().await.unwrap().member);
}

#[tokio::test]
async fn a_member_alone_leads_for_good() {
    let cluster = LocalCluster::new(LocalNetwork::new(1), &["a"], TIMING);
    let member = start(&cluster, "a", MemoryStore::founding());
    let leadership = timeout(LONG, member.office(OFFICE).stand()).await.unwrap().unwrap();
    assert_eq!(leadership.valid_for(), Duration::MAX);
    member.kill();
    timeout(LONG, leadership.lost()).await.unwrap();
}

/// Nothing else ends a leadership there.
#[tokio::test]
async fn a_member_alone_takes_an_office_from_a_program_that_is_silent() {
    let cluster = LocalCluster::new(LocalNetwork::new(1), &["a"], TIMING);
    let member = start(&cluster, "a", MemoryStore::founding());
    let silent = member.office(OFFICE).confirmed().stand().await.unwrap();
    assert!(silent.valid_for() <= TIMING.lease, "its work counts on no more");
    let next = timeout(LONG, member.office(OFFICE).confirmed().stand()).await.unwrap().unwrap();
    assert!(next.term() > silent.term());
    assert_eq!(silent.valid_for(), Duration::ZERO);
    for _ in 0..10 {
        next.confirm(next.valid_for());
        tokio::time::sleep(TIMING.lease / 2).await;
    }
    next.check().unwrap();
}

#[tokio::test]
async fn names_that_are_none_are_refused() {
    let (_network, cluster, members) = three(TIMING);
    assert!(matches!(members[0].office("").stand().await, Err(StandError::Office(_))));
    assert!(
        cluster
            .member("d", MemoryStore::lost(), std::sync::Arc::new(tenure_node::clock::BootClock))
            .is_err()
    );
}

#[tokio::test]
async fn a_member_whose_record_cannot_be_written_grants_nothing_and_says_so() {
    let network = LocalNetwork::new(1);
    let cluster = LocalCluster::new(network, &NAMES, TIMING);
    let stores = NAMES.map(|_| MemoryStore::founding());
    let mut members = Vec::new();
    for (name, store) in NAMES.iter().zip(&stores) {
        members.push(start(&cluster, name, store.clone()));
    }
    drop(members[0].office(OFFICE).stand().await.unwrap());
    for store in &stores[1..] {
        store.fail(Some("no space left on device"));
    }
    let office = members[0].office(OFFICE);
    let stands = tokio::spawn(async move { office.stand().await.unwrap() });
    tokio::time::sleep(4 * TIMING.lease).await;
    assert!(!stands.is_finished(), "no majority grants");
    let status = members[1].status().await.unwrap();
    let storage = format!("{:?}", status.storage);
    assert!(storage.contains("no space left on device") && !status.up, "{storage}");
    stores[1].fail(None);
    timeout(LONG, stands).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_new_cluster_founds_itself_when_all_members_are_there() {
    let cluster = LocalCluster::new(LocalNetwork::new(1), &NAMES, TIMING);
    let first = start(&cluster, "a", MemoryStore::lost());
    let second = start(&cluster, "b", MemoryStore::lost());
    let office = first.office(OFFICE);
    assert!(timeout(5 * TIMING.lease, office.stand()).await.is_err(), "the third may know more");
    assert!(second.status().await.unwrap().learning);
    let _third = start(&cluster, "c", MemoryStore::lost());
    timeout(LONG, office.stand()).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_program_that_has_to_confirm_and_is_silent_leaves_the_office_to_others() {
    let (_network, _, members) = three(TIMING);
    let silent = members[0].office(OFFICE).confirmed().stand().await.unwrap();
    silent.tell_work(Some("the loop stands still"));
    // It is not dropped: its member renews its leases, and nothing else is wrong with it.
    let next = timeout(LONG, members[1].office(OFFICE).stand()).await.unwrap().unwrap();
    assert!(next.term() > silent.term());
    assert_eq!(silent.valid_for(), Duration::ZERO);
    silent.confirm(LONG);
    assert_eq!(silent.valid_for(), Duration::ZERO, "it is too late");
}

#[tokio::test]
async fn a_program_tells_operators_what_its_work_does() {
    let (_network, _, members) = three(LeaseTiming { lease: LONG, ..TIMING });
    let leadership = members[0].office(OFFICE).confirmed().stand().await.unwrap();
    let work = async || {
        let status = members[0].status().await.unwrap();
        status.offices.into_iter().find(|office| office.name == OFFICE).unwrap().work
    };
    assert_eq!(work().await, None);
    leadership.tell_work(Some("it waits"));
    let told = work().await.unwrap();
    assert_eq!((told.running, told.why.as_deref()), (false, Some("it waits")));
    tokio::time::sleep(TIMING.heartbeat).await;
    leadership.tell_work(Some("it waits"));
    assert!(work().await.unwrap().since >= TIMING.heartbeat, "since it was told first");
    leadership.tell_work(None);
    let told = work().await.unwrap();
    assert_eq!((told.running, told.why), (true, None));
}
