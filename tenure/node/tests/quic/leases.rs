//! The leases between participants, as their status has them.

use crate::clients;
use crate::hosts::{Hosts, LONG, OFFICE, TIMING, until};
use std::time::Duration;
use tenure_node::Client;
use tokio::time::timeout;

/// The lease of [`TIMING`]. An owed lease is longer by the difference that clocks may have.
const LEASE: Duration = Duration::from_millis(500);

#[tokio::test]
async fn status_says_for_how_long_each_lease_is_held_and_owed() {
    let hosts = Hosts::three();
    let members = hosts.start_with(TIMING).await;
    let status = members[0].status().await.unwrap();
    assert!(status.clock_drift_ppm.is_some(), "measured at the start");
    let leases = status.members.iter().flat_map(|peer| [peer.lease_held, peer.lease_owed]);
    assert!(leases.flatten().next().is_none(), "none stands");

    // The leader holds leases at all others, and they owe them.
    let leadership = timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    let leader = until(&members[0], |status| {
        status.members.iter().all(|peer| peer.lease_held.is_some_and(|left| left <= LEASE))
    });
    assert!(leader.await.members.iter().all(|peer| peer.lease_owed.is_none()));
    for member in &members[1..] {
        let status = until(member, |status| status.members[0].lease_owed.is_some()).await;
        assert!(status.members[0].lease_owed.unwrap() <= 2 * LEASE, "{:?}", status.members);
        assert_eq!(status.members[1].lease_owed, None, "the other one does not stand");
        assert!(status.members.iter().all(|peer| peer.lease_held.is_none()));
    }

    // So does a client that waits, and it owes none.
    let config = clients::config(&hosts, &hosts.addresses, "web");
    let client = timeout(LONG, Client::start(config)).await.unwrap().unwrap();
    let waits = client.clone();
    let waiting = tokio::spawn(async move { waits.office(OFFICE).stand().await });
    let status = until(&client, |status| {
        status.members.iter().all(|peer| peer.lease_held.is_some_and(|left| left <= LEASE))
    });
    let status = status.await;
    assert!(status.members.len() == 3 && status.clock_drift_ppm.is_some());
    assert!(status.members.iter().all(|peer| peer.lease_owed.is_none()));
    let owes = until(&members[0], |status| {
        status.clients.iter().any(|client| client.lease_owed.is_some())
    });
    assert_eq!(owes.await.clients[0].lease_held, None);

    // Leases of those that stand no more run out.
    client.kill();
    assert!(timeout(LONG, waiting).await.unwrap().unwrap().is_err());
    leadership.resign().await;
    until(&members[0], |status| status.members.iter().all(|peer| peer.lease_held.is_none())).await;
    for member in &members {
        until(member, |status| status.members.iter().all(|peer| peer.lease_owed.is_none())).await;
    }
}
