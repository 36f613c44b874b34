//! How members and clients reach each other: how often they dial, and which addresses.

use crate::hosts::{CLUSTER, Hosts, LONG, OFFICE, until};
use crate::{clients, operators};
use std::collections::BTreeSet;
use std::net::{ToSocketAddrs, UdpSocket};
use std::time::{Duration, Instant};
use tenure_node::certificates::CertificateSubject;
use tenure_node::{Client, CrashNotifier, Member};
use tokio::time::timeout;

/// A host that receives every packet and never answers.
struct Silent(UdpSocket);

impl Silent {
    fn at(address: &str) -> Self {
        let socket = UdpSocket::bind(address).unwrap();
        socket.set_read_timeout(Some(LONG)).unwrap();
        Self(socket)
    }

    fn attempt(&self) -> Vec<u8> {
        let mut packet = [0; 2048];
        loop {
            let length = self.0.recv(&mut packet).expect("somebody dials");
            // RFC 9000, 17.2: a long header, the type Initial, and the identifier of the destination.
            if length >= 1200 && packet[0] & 0xf0 == 0xc0 {
                let identifier = usize::from(packet[5]);
                return packet[6..6 + identifier].to_vec();
            }
        }
    }
}

#[tokio::test]
async fn a_host_that_is_silent_is_dialled_again_and_again_and_reached_when_it_answers() {
    let hosts = Hosts::three();
    let silent = Silent::at(&hosts.addresses[1]);
    let first = hosts.start("a").await;
    let began = Instant::now();
    let mut attempts = BTreeSet::new();
    while began.elapsed() < Duration::from_secs(3) {
        attempts.insert(silent.attempt());
    }
    // Who waits until an attempt has failed before the next one begins makes two.
    assert!(attempts.len() >= 10, "{} attempts", attempts.len());
    let most = began.elapsed().as_millis() / 100 + 10;
    assert!((attempts.len() as u128) < most, "{} attempts, at most {most}", attempts.len());
    drop(silent);
    let _second = hosts.start("b").await;
    until(&first, |status| status.members.iter().any(|peer| peer.connected)).await;
}

#[tokio::test]
async fn a_member_dials_all_others_at_once_and_none_waits_for_another() {
    let hosts = Hosts::new(&["a", "b", "c", "d", "e"]);
    let others: Vec<_> = hosts.addresses[1..].iter().map(|address| Silent::at(address)).collect();
    let _first = hosts.start("a").await;
    for other in &others[1..] {
        other.attempt();
    }
    // All have been dialled now. Who waits for one until that has failed dials it twenty times before.
    others[0].0.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
    let mut packet = [0; 2048];
    let heard = std::iter::from_fn(|| others[0].0.recv(&mut packet).ok()).take(100).count();
    assert!((1..20).contains(&heard), "{heard} packets");
}

#[tokio::test]
async fn names_are_reached_by_those_of_their_addresses_that_a_socket_can_reach() {
    let hosts = Hosts::three();
    let mut members = Vec::new();
    for (name, address) in hosts.names.iter().zip(&hosts.addresses) {
        // On most hosts `localhost` is ::1 first, where nothing listens.
        let text = hosts.text(name, &format!("{}\nlisten = \"{address}\"", crate::hosts::TIMING));
        let text = text.replace("address = \"127.0.0.1:", "address = \"localhost:");
        members.push(Member::start(hosts.config_of(name, &text)).await.unwrap());
    }
    for member in &members {
        until(member, |status| status.members.iter().all(|peer| peer.connected)).await;
    }
    let addresses = hosts.addresses.iter().map(|it| it.replace("127.0.0.1", "localhost"));
    let addresses: Vec<_> = addresses.collect();
    reached_by_all_others(&hosts, &members, &addresses).await;
}

#[tokio::test]
async fn who_has_no_vote_reaches_members_that_have_ipv6_alone() {
    if UdpSocket::bind("[::1]:0").is_err() {
        eprintln!("skipped: this host has no IPv6");
        return;
    }
    let mut hosts = Hosts::three();
    for address in &mut hosts.addresses {
        *address = address.replace("127.0.0.1", "[::1]");
    }
    let members = hosts.start_all().await;
    // A name that has this address alone, where there is one.
    let name = "ip6-localhost";
    let only = (name, 1).to_socket_addrs().is_ok_and(|mut found| found.all(|it| it.is_ipv6()));
    let host = if only { name } else { "[::1]" };
    let addresses = hosts.addresses.iter().map(|it| it.replace("[::1]", host));
    let addresses: Vec<_> = addresses.collect();
    reached_by_all_others(&hosts, &members, &addresses).await;
}

/// Asserts that clients, their crash notifiers and operators reach the members at these addresses.
async fn reached_by_all_others(hosts: &Hosts, members: &[Member], addresses: &[String]) {
    let client = Client::start(clients::config(hosts, addresses, "web"));
    let client = timeout(LONG, client).await.unwrap().unwrap();
    let first = timeout(LONG, client.office(OFFICE).stand()).await.unwrap().unwrap();
    let notifier =
        CrashNotifier::start(client.release_ticket().unwrap(), OFFICE, first.term()).unwrap();
    timeout(LONG, notifier.release()).await.unwrap();
    for member in members {
        until(member, |status| status.crash_releases == 1).await;
    }
    operators::echo(&members[0]);
    let alice =
        operators::files(hosts, &hosts.authority, CLUSTER, CertificateSubject::Operator("alice"));
    let door = [operators::at(&addresses[0], Some("a"))];
    let answer = operators::ask(alice, &door).await;
    assert_eq!(answer.as_deref(), Ok("may order: who leads?"));
}
