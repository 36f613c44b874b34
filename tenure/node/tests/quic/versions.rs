//! Versions of the protocol: members are upgraded one by one, and those that have no version in common
//! refuse each other.
//!
//! As long as there is one version, the next one is made up: it differs in its number alone.

use crate::clients;
use crate::hosts::{Hosts, LONG, OFFICE, TIMING, trouble, until};
use std::ops::RangeInclusive;
use std::time::Duration;
use tenure_node::Member;
use tenure_node::testing::{start_client, start_member, versions};
use tokio::time::{sleep, timeout};

/// The versions of the next release.
fn next() -> RangeInclusive<u16> {
    *versions().start()..=versions().end() + 1
}

async fn start(hosts: &Hosts, name: &str, versions: RangeInclusive<u16>) -> Member {
    // Long leases, for machines that are busy with other tests.
    let text = hosts.text(name, &TIMING.replace("500ms", "2500ms"));
    start_member(hosts.config_of(name, &text), versions).await.unwrap()
}

/// Waits until a member is connected to all others, and returns the versions that it speaks with them.
async fn spoken(member: &Member) -> Vec<u16> {
    let all = |status: &tenure_node::ParticipantStatus| {
        status.members.iter().all(|peer| peer.connected && peer.version.is_some())
    };
    until(member, all).await.members.iter().filter_map(|peer| peer.version).collect()
}

/// Ends a member, starts it again in the next release, and waits until it takes part in elections.
async fn upgrade(hosts: &Hosts, member: &Member) -> Member {
    member.shut_down().await;
    let upgraded = start(hosts, member.name(), next()).await;
    until(&upgraded, |status| status.unready().is_none()).await;
    // Now the leader asks for its vote again.
    sleep(Duration::from_millis(200)).await;
    upgraded
}

#[tokio::test]
async fn members_are_upgraded_one_by_one_and_only_the_upgrade_of_the_leader_moves_the_office() {
    let (old, new) = (*versions().end(), *next().end());
    let hosts = Hosts::three();
    let mut members = Vec::new();
    for name in &hosts.names {
        members.push(start(&hosts, name, versions()).await);
    }
    for member in &members {
        assert_eq!(spoken(member).await, [old, old]);
    }
    let leads = timeout(LONG, members[1].office(OFFICE).stand()).await.unwrap().unwrap();
    let term = leads.term();

    members[2] = upgrade(&hosts, &members[2]).await;
    assert_eq!(spoken(&members[2]).await, [old, old]);
    members[0] = upgrade(&hosts, &members[0]).await;
    assert_eq!(spoken(&members[0]).await, [old, new], "with the leader, and with the upgraded one");
    assert_eq!(spoken(&members[1]).await, [old, old]);
    leads.check().unwrap();
    assert_eq!(members[1].status().await.unwrap().losses, 0);

    // Clients of both releases, beside members of both.
    let config = clients::config(&hosts, &hosts.addresses, "web");
    for (versions, with) in [(versions(), [old, old, old]), (next(), [new, old, new])] {
        let client = start_client(config.clone(), versions, None).await.unwrap();
        let connected = async {
            loop {
                let members = client.status().await.unwrap().members;
                let spoken: Vec<u16> = members.iter().filter_map(|peer| peer.version).collect();
                if spoken.len() == with.len() {
                    return spoken;
                }
                sleep(Duration::from_millis(20)).await;
            }
        };
        assert_eq!(timeout(LONG, connected).await.unwrap(), with);
    }

    // The leader at last: its office goes to a member that waits for it.
    let waits = members[0].clone();
    let successor = tokio::spawn(async move { waits.office(OFFICE).stand().await.unwrap() });
    let ending = async {
        leads.stopping().await;
        leads.resign().await;
    };
    let (upgraded, ()) = tokio::join!(upgrade(&hosts, &members[1]), ending);
    members[1] = upgraded;
    let successor = timeout(LONG, successor).await.unwrap().unwrap();
    assert!(successor.term() > term);
    for member in &members {
        assert_eq!(spoken(member).await, [new, new]);
    }
    successor.check().unwrap();
}

#[tokio::test]
async fn members_without_a_common_version_refuse_each_other_and_name_both_ranges() {
    let hosts = Hosts::three();
    let later = versions().end() + 1..=versions().end() + 2;
    let first = start(&hosts, "a", versions()).await;
    let second = start(&hosts, "b", later.clone()).await;
    let ours = format!("version {}", versions().end());
    let theirs = format!("versions {} to {}", later.start(), later.end());
    // The one that dials is told, and the one that refuses says so, too.
    let told = trouble(&first, "b", "no common version").await;
    let says = trouble(&second, "a", "no common version").await;
    for why in [told, says] {
        assert!(why.contains(&format!("`b` speaks {theirs}, and `a` {ours}")), "{why}");
    }
    assert!(!first.status().await.unwrap().members[0].connected);
    assert!(!second.status().await.unwrap().members[0].connected);
    until(&second, |status| status.refused > 0).await;
}
