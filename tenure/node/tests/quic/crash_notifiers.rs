//! Crash notifiers: a participant is killed, and another process of its host releases its office.

use crate::clients;
use crate::hosts::{Hosts, LONG, OFFICE, until};
use crate::members;
use std::time::Duration;
use tenure_node::{Client, CrashNotifier, ReleaseTicket};
use tokio::time::{sleep, timeout};

/// A lease that is long enough for a release to come first.
const TIMING: &str = "profile = \"custom\"\ntiming = { heartbeat = \"50ms\", lease = \"3s\" }";

#[tokio::test]
async fn the_crash_notifier_of_a_killed_member_releases_its_office() {
    let hosts = Hosts::three();
    let members = hosts.start_with(TIMING).await;
    let first = timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    let notifier =
        CrashNotifier::start(members[0].release_ticket().unwrap(), OFFICE, first.term()).unwrap();
    let waits = members[1].clone();
    let second = tokio::spawn(async move { waits.office(OFFICE).stand().await.unwrap() });
    sleep(Duration::from_millis(300)).await;
    assert!(!second.is_finished(), "a crash notifier that is silent releases nothing");
    members[0].kill();
    members[0].ended().await;
    timeout(LONG, notifier.release()).await.unwrap();
    let second = timeout(LONG, second).await.unwrap().unwrap();
    assert!(second.term() > first.term());
    for member in &members[1..] {
        until(member, |status| status.crash_releases == 1).await;
    }
}

#[tokio::test]
async fn the_crash_notifier_of_a_killed_client_releases_its_office() {
    let hosts = Hosts::three();
    let members = hosts.start_with(TIMING).await;
    let client = Client::start(clients::config(&hosts, &hosts.addresses, "web")).await.unwrap();
    let first = timeout(LONG, client.office(OFFICE).stand()).await.unwrap().unwrap();
    let notifier =
        CrashNotifier::start(client.release_ticket().unwrap(), OFFICE, first.term()).unwrap();
    // Connected: what a crash notifier dials later is refused, since its participant is not known any more.
    sleep(Duration::from_millis(500)).await;
    client.kill();
    client.ended().await;
    timeout(LONG, notifier.release()).await.unwrap();
    let second = timeout(LONG, members[1].office(OFFICE).stand()).await.unwrap().unwrap();
    assert!(second.term() > first.term());
    until(&members[2], |status| status.crash_releases == 1).await;
}

#[tokio::test]
async fn a_crash_notifier_tells_also_members_that_were_added_while_its_participant_led() {
    let hosts = Hosts::three();
    let all = hosts.start_with(TIMING).await;
    let first = timeout(LONG, all[0].office(OFFICE).stand()).await.unwrap().unwrap();
    let ticket = all[0].release_ticket().unwrap();
    let notifier = CrashNotifier::start(ticket, OFFICE, first.term()).unwrap();
    let joins = hosts.join_with("d", &members::free(), TIMING);
    let replaced = members::replace("c", "d");
    members::change(&all[1], replaced).await.unwrap();
    let added = members::joined(joins).await;
    first.check().unwrap();
    // It knows the participant, and the crash notifier dials again.
    until(&added, |status| status.members.iter().filter(|it| it.connected).count() == 2).await;
    sleep(Duration::from_millis(1500)).await;
    all[0].kill();
    all[0].ended().await;
    timeout(LONG, notifier.release()).await.unwrap();
    until(&added, |status| status.crash_releases == 1).await;
    until(&all[1], |status| status.crash_releases == 1).await;
}

#[tokio::test]
async fn a_certificate_alone_makes_no_crash_notifier() {
    let hosts = Hosts::three();
    let members = hosts.start_with(TIMING).await;
    let first = timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    let release_ticket = serde_json::to_string(&members[0].release_ticket().unwrap()).unwrap();
    let (before, rest) = release_ticket.split_once("\"instance\":").unwrap();
    let (_, after) = rest.split_once(',').unwrap();
    let release_ticket: ReleaseTicket =
        serde_json::from_str(&format!("{before}\"instance\":1,{after}")).unwrap();
    CrashNotifier::start(release_ticket, OFFICE, first.term()).unwrap().release().await;
    first.check().unwrap();
    for member in &members {
        let status = member.status().await.unwrap();
        assert_eq!(status.crash_releases, 0);
    }
    assert!(members[1].status().await.unwrap().refused > 0);
}
