//! Members that crash and restart, and their records.

use crate::hosts::{CLUSTER, Hosts, LONG, OFFICE, TIMING, trouble, until};
use std::time::Duration;
use tenure_node::Member;
use tenure_node::certificates::CertificateSubject;
use tokio::time::{sleep, timeout};

#[tokio::test]
async fn another_member_leads_when_the_leader_has_died_and_terms_grow_across_restarts() {
    let hosts = Hosts::three();
    let mut members = hosts.start_all().await;
    let mut term = 0;
    for round in 0..2 {
        let first = timeout(LONG, members[round].office(OFFICE).stand()).await.unwrap().unwrap();
        assert!(first.term() > term);
        term = first.term();
        members[round].kill();
        members[round].ended().await;
        assert!(first.valid_for().is_zero());
        let next = (round + 1) % 3;
        let second = timeout(LONG, members[next].office(OFFICE).stand()).await.unwrap().unwrap();
        assert!(second.term() > term);
        term = second.term();
        drop(second);
        members[round] = hosts.start(hosts.names[round]).await;
    }
    // All of them at once: their promises are on disk.
    for member in &members {
        member.kill();
        member.ended().await;
    }
    let members = hosts.start_all().await;
    let after = timeout(LONG, members[2].office(OFFICE).stand()).await.unwrap().unwrap();
    assert!(after.term() > term);
}

#[tokio::test]
async fn a_member_that_has_lost_its_record_learns_before_it_grants() {
    let hosts = Hosts::three();
    let members = hosts.start_all().await;
    drop(timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap());
    let boot = members[2].status().await.unwrap().boot;
    members[2].kill();
    members[2].ended().await;
    std::fs::remove_dir_all(hosts.folder.path().join("c/record")).unwrap();
    members[1].kill();
    members[1].ended().await;
    let third = hosts.start("c").await;
    let status = until(&third, |status| status.learning).await;
    assert!(status.boot > boot, "another boot, also within the same second");
    until(&third, |status| !status.quarantined).await;
    sleep(Duration::from_millis(300)).await;
    assert!(third.status().await.unwrap().learning, "one other is not enough");
    let _second = hosts.start("b").await;
    until(&third, |status| !status.learning).await;
    timeout(LONG, third.office(OFFICE).stand()).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_record_is_used_by_one_process_and_by_its_own_member() {
    let hosts = Hosts::three();
    let first = hosts.start("a").await;
    let why = hosts.try_start("a").await.unwrap_err().to_string();
    assert!(why.contains("line") && why.contains("cannot listen on"), "{why}");
    first.kill();
    first.ended().await;
    std::fs::rename(hosts.folder.path().join("a/record"), hosts.folder.path().join("b/record"))
        .unwrap();
    let why = hosts.try_start("b").await.unwrap_err().to_string();
    assert!(why.contains("member \"a\" of cluster \"lab\""), "{why}");
}

/// The record of the first process is on another host.
#[tokio::test]
async fn a_second_process_as_one_member_on_another_host_is_refused_while_the_first_is_heard() {
    let hosts = Hosts::three();
    let members = hosts.start_all().await;
    until(&members[2], |status| status.members.iter().all(|peer| peer.connected)).await;
    let own = hosts.authority.issue(CLUSTER, CertificateSubject::Member("b")).unwrap();
    hosts.install("elsewhere", &hosts.authority.with(own));
    let listen = suffrage_net::free::addresses(1).unwrap()[0];
    let text = hosts.text("elsewhere", &format!("{TIMING}\nlisten = \"{listen}\""));
    let second = Member::start(hosts.config_of("elsewhere", &text)).await.unwrap();
    assert_eq!(second.name(), "b");
    let why = trouble(&second, "c", "another process is there as `b`").await;
    assert!(why.contains("it was heard"), "{why}");
    let status = members[2].status().await.unwrap();
    assert!(status.members.iter().all(|peer| peer.connected), "the first one is not replaced");
    members[1].kill();
    members[1].ended().await;
    until(&second, |status| status.members.iter().any(|it| it.name == "c" && it.connected)).await;
}

#[tokio::test]
async fn members_know_of_each_other_how_they_are_connected() {
    let hosts = Hosts::three();
    let members = hosts.start_all().await;
    for member in &members {
        let status = until(member, |status| status.members.iter().all(|peer| peer.connected)).await;
        assert_eq!(status.members.len(), 2);
        assert!(status.members.iter().all(|peer| peer.version == Some(2)));
        assert!(status.members.iter().all(|peer| peer.round_trip.is_some()));
    }
}
