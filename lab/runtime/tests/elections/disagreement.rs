//! Nodes that disagree refuse each other, and say on what.

use crate::common::{membership, network};
use crate::proxy::hasty;
use std::sync::Arc;
use std::time::Duration;
use suffrage_algorithms::Algorithm;
use suffrage_model::{Id, Port};
use suffrage_networks::wiring::Wiring;
use suffrage_runtime::{Membership, Node, NodeSetup, Security, Tcp};
use tokio::net::TcpListener;

/// One of two nodes: its algorithm, its membership, and its security.
pub(crate) type Side = (&'static str, Arc<Membership>, Security);

pub(crate) async fn complaint(sides: [Side; 2]) -> String {
    let (mut listeners, mut addresses) = (Vec::new(), Vec::new());
    for _ in &sides {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        addresses.push(listener.local_addr().unwrap().to_string());
        listeners.push(listener);
    }
    let addresses: Arc<[String]> = addresses.into();
    let mut nodes: Vec<Node> = (0..)
        .zip(sides.into_iter().zip(listeners))
        .map(|(number, ((name, cluster, security), listener))| {
            let setup = NodeSetup { timeouts: hasty(), ..NodeSetup::new(cluster, number) };
            let addresses = addresses.iter().take(2).cloned().collect();
            let tcp = Tcp { listener, addresses, security };
            Node::tcp(Algorithm::named(name).unwrap(), setup, tcp).unwrap()
        })
        .collect();
    let mut view = nodes[0].watch();
    let mut second = nodes.pop().unwrap();
    let mut first = nodes.pop().unwrap();
    tokio::select! {
        view = view.wait_for(|view| !view.missing.is_empty()) => {
            view.unwrap().missing[&Port(0)].why.clone()
        }
        _ = async { tokio::join!(first.elect(), second.elect()) } => panic!("they agree"),
        () = tokio::time::sleep(Duration::from_secs(20)) => panic!("no complaint"),
    }
}

pub(crate) fn named(name: &str, ids: [u64; 2]) -> Arc<Membership> {
    Arc::new(Membership::new(name, Wiring::complete(2), ids.map(Id::new).to_vec()).unwrap())
}

#[tokio::test]
async fn a_disagreement_is_named() {
    let plain = |name, cluster| (name, cluster, Security::None);
    let ours = || plain("humblet", named("ours", [1, 2]));
    for (theirs, says) in [
        (plain("humblet", named("theirs", [1, 2])), "the cluster is called `theirs` there"),
        (plain("afek-gafni", named("ours", [1, 2])), "the algorithm is afek-gafni there"),
        (plain("humblet", named("ours", [1, 3])), "it knows another network, or other ids"),
    ] {
        let why = complaint([ours(), theirs]).await;
        assert!(why.contains(says), "{why}");
    }
}

#[tokio::test]
async fn an_algorithm_on_the_wrong_network_is_refused() {
    let algorithm = Algorithm::named("humblet").unwrap();
    let ring = Algorithm::named("lelann").unwrap();
    let membership = membership(ring, network(ring, 3));
    let error = Node::channels(algorithm, [NodeSetup::new(membership, 0)], 1).unwrap_err();
    assert!(error.to_string().contains("needs a network of another kind"));
}
