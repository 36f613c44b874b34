//! Members and clients within one program.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod boots;
mod cancelling;
mod disks;
mod handles;
mod history;
mod hostile;
mod partial;
mod rogues;
mod timings;
mod transfers;
mod values;
mod watching;

use std::sync::Arc;
use std::time::Duration;
use tenure_node::clock::BootClock;
use tenure_node::records::MemoryStore;
use tenure_node::transport::LocalNetwork;
use tenure_node::{LeaseTiming, LocalCluster, Member};

/// Fast, to keep the tests short; but slow enough for a busy machine.
const TIMING: LeaseTiming = LeaseTiming {
    heartbeat: Duration::from_millis(20),
    lease: Duration::from_millis(200),
    stop: Duration::ZERO,
    ..LeaseTiming::LAN
};

const NAMES: [&str; 3] = ["a", "b", "c"];
const OFFICE: &str = "db-primary";

/// Starts three members of a new cluster. Returns the cluster, too, to start more.
fn three(timing: LeaseTiming) -> (LocalNetwork, LocalCluster, Vec<Member>) {
    let network = LocalNetwork::new(1);
    let cluster = LocalCluster::new(network.clone(), &NAMES, timing);
    let members = NAMES.map(|name| start(&cluster, name, MemoryStore::founding()));
    (network, cluster, members.into())
}

fn start(cluster: &LocalCluster, name: &str, store: MemoryStore) -> Member {
    cluster.member(name, store, Arc::new(BootClock)).unwrap()
}
