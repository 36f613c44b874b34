//! Crashes are recognized, and never taken for broken connections.

use crate::common::{membership, network};
use crate::proxy::hasty;
use std::sync::Arc;
use std::time::Duration;
use suffrage_algorithms::Algorithm;
use suffrage_model::{Id, Port};
use suffrage_runtime::{ElectionError, Membership, Node, NodeSetup, NodeStage, Security, Tcp};
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};

async fn sockets(nodes: u32) -> (Vec<TcpListener>, Arc<[String]>) {
    let mut listeners = Vec::new();
    for _ in 0..nodes {
        listeners.push(TcpListener::bind("127.0.0.1:0").await.unwrap());
    }
    let addresses =
        listeners.iter().map(|listener| listener.local_addr().unwrap().to_string()).collect();
    (listeners, addresses)
}

fn node(
    membership: &Arc<Membership>,
    number: u32,
    listener: TcpListener,
    addresses: &Arc<[String]>,
) -> Node {
    let algorithm = Algorithm::named("all-to-all").unwrap();
    let setup = NodeSetup { timeouts: hasty(), ..NodeSetup::new(membership.clone(), number) };
    let tcp = Tcp { listener, addresses: addresses.clone(), security: Security::None };
    Node::tcp(algorithm, setup, tcp).unwrap()
}

async fn connected(node: &Node, links: usize) {
    let mut view = node.watch();
    let wait = view.wait_for(|view| view.connected >= links);
    timeout(Duration::from_secs(20), wait).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_node_that_was_restarted_is_not_taken_for_the_old_one() {
    let algorithm = Algorithm::named("all-to-all").unwrap();
    let membership = membership(algorithm, network(algorithm, 3));
    let (mut listeners, addresses) = sockets(3).await;
    // The third never starts, so that the election cannot end.
    let _third = listeners.pop();
    let second = listeners.pop().unwrap();
    let mut first = node(&membership, 0, listeners.pop().unwrap(), &addresses);
    let mut old = node(&membership, 1, second, &addresses);
    let mut watched = first.watch();
    let waiting = tokio::spawn(async move { first.elect().await });
    let _ = timeout(Duration::from_millis(100), old.elect()).await;
    connected(&old, 1).await;
    drop(old);
    watched.wait_for(|view| view.connected == 0).await.unwrap();
    let again = TcpListener::bind(&addresses[1]).await.unwrap();
    let mut new = node(&membership, 1, again, &addresses);
    let (first, second) = timeout(Duration::from_secs(20), async {
        let second = new.elect().await;
        (waiting.await.unwrap(), second)
    })
    .await
    .unwrap();
    let ids = membership.ids();
    assert!(matches!(first, Err(ElectionError::Crashed { id, .. }) if id == ids[1]), "{first:?}");
    assert_eq!(second.unwrap_err(), ElectionError::Forgotten { by: ids[0] });
}

#[tokio::test]
async fn who_is_missing_can_be_seen() {
    let algorithm = Algorithm::named("all-to-all").unwrap();
    let membership = membership(algorithm, network(algorithm, 3));
    let (mut listeners, addresses) = sockets(3).await;
    drop(listeners.pop());
    let mut second = node(&membership, 1, listeners.pop().unwrap(), &addresses);
    let mut first = node(&membership, 0, listeners.pop().unwrap(), &addresses);
    let mut view = first.watch();
    let missing = view.wait_for(|view| !view.missing.is_empty());
    let election = async { tokio::join!(first.elect(), second.elect()) };
    tokio::select! {
        missing = missing => {
            let view = missing.unwrap();
            let absence = view.missing.values().next().unwrap();
            assert_eq!((absence.id, &absence.address), (membership.ids()[2], &addresses[2]));
            assert_eq!(absence.why, "no process listens there");
            assert!(view.stage < NodeStage::Halted);
        }
        _ = election => panic!("an election without the third"),
        () = sleep(Duration::from_secs(20)) => panic!("no node is reported missing"),
    }
}

/// A crashed node is reported as missing although no node has a message for it.
#[tokio::test]
async fn a_silent_node_that_died_is_missed_too() {
    let algorithm = Algorithm::named("humblet").unwrap();
    let membership = membership(algorithm, network(algorithm, 2));
    let (mut listeners, addresses) = sockets(2).await;
    drop(listeners.pop());
    let setup =
        NodeSetup { timeouts: hasty(), initiator: false, ..NodeSetup::new(membership.clone(), 0) };
    let tcp = Tcp {
        listener: listeners.pop().unwrap(),
        addresses: addresses.clone(),
        security: Security::None,
    };
    let mut first = Node::tcp(algorithm, setup, tcp).unwrap();
    let mut view = first.watch();
    let missed = view.wait_for(|view| !view.missing.is_empty());
    tokio::select! {
        missed = missed => assert_eq!(missed.unwrap().missing[&Port(0)].id, Id::new(membership.ids()[1].get())),
        _ = first.elect() => panic!("an election without the other"),
        () = sleep(Duration::from_secs(20)) => panic!("no node is reported missing"),
    }
}
