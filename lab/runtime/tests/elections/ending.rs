//! Ends of elections in which neighbours cannot be reached.

use crate::common::{membership, network};
use crate::peer::{Heard, Name, Payload, Peer, alone};
use crate::proxy::{Proxy, Weather, hasty};
use std::sync::Arc;
use std::time::Duration;
use suffrage_algorithms::Algorithm;
use suffrage_model::Id;
use suffrage_runtime::{
    ElectionError, Membership, Node, NodeOutcome, NodeSetup, NodeStage, NodeView, Security, Tcp,
    Timeouts,
};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

const SHUT: Weather =
    Weather { open: false, inwards: true, outwards: true, delay: Duration::ZERO, lifetime: None };

/// Nodes. Some pairs reach each other only through proxies, one for each direction.
struct Mesh {
    nodes: Vec<Option<Node>>,
    views: Vec<watch::Receiver<NodeView>>,
    proxies: Vec<Proxy>,
}

impl Mesh {
    async fn of(nodes: u32, timeouts: Timeouts, between: &[(u32, u32)]) -> Self {
        let algorithm = Algorithm::named("all-to-all").unwrap();
        let membership: Arc<Membership> = membership(algorithm, network(algorithm, nodes));
        let (mut listeners, mut addresses) = (Vec::new(), Vec::new());
        for _ in 0..nodes {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            addresses.push(listener.local_addr().unwrap().to_string());
            listeners.push(listener);
        }
        let mut known = vec![addresses.clone(); nodes as usize];
        let mut proxies = Vec::new();
        for &(one, other) in between {
            for (from, to) in [(one, other), (other, one)] {
                let front = TcpListener::bind("127.0.0.1:0").await.unwrap();
                known[from as usize][to as usize] = front.local_addr().unwrap().to_string();
                let behind = addresses[to as usize].clone();
                proxies.push(Proxy::before(behind, front, Weather::default(), 1));
            }
        }
        let nodes: Vec<_> = (0..)
            .zip(listeners.into_iter().zip(known))
            .map(|(number, (listener, addresses))| {
                let setup = NodeSetup { timeouts, ..NodeSetup::new(membership.clone(), number) };
                let tcp = Tcp { listener, addresses: addresses.into(), security: Security::None };
                Some(Node::tcp(algorithm, setup, tcp).unwrap())
            })
            .collect();
        let views = nodes.iter().flatten().map(Node::watch).collect();
        Self { nodes, views, proxies }
    }

    fn weather(&self, weather: Weather) {
        for proxy in &self.proxies {
            proxy.weather.send_replace(weather);
        }
    }

    fn start(&mut self, number: usize) -> JoinHandle<Result<NodeOutcome, ElectionError>> {
        let mut node = self.nodes[number].take().unwrap();
        tokio::spawn(async move { node.elect().await })
    }

    /// Waits until the view of a node satisfies `what`.
    async fn shows(&mut self, number: usize, what: impl FnMut(&NodeView) -> bool) {
        let wait = self.views[number].wait_for(what);
        timeout(Duration::from_secs(60), wait).await.expect("no end in sight").unwrap();
    }
}

async fn end(election: JoinHandle<Result<NodeOutcome, ElectionError>>) -> NodeOutcome {
    timeout(Duration::from_secs(60), election).await.expect("no end in sight").unwrap().unwrap()
}

/// Three nodes; the link between the root and one of its children is cut while the third starts,
/// for much longer than it takes to count as gone. All are alive, and all end well.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_whose_report_has_not_arrived_stays() {
    let mut mesh = Mesh::of(3, hasty(), &[(0, 1)]).await;
    let (root, child) = (mesh.start(0), mesh.start(1));
    mesh.shows(0, |view| view.connected == 2).await;
    mesh.shows(1, |view| view.connected == 2).await;
    // Time for their messages to arrive; then both wait for the third.
    sleep(Duration::from_millis(300)).await;
    mesh.weather(SHUT);
    mesh.shows(1, |view| view.connected == 1).await;
    let third = mesh.start(2);
    mesh.shows(1, |view| view.stage == NodeStage::Halted).await;
    let long = hasty().gone * 4;
    while !mesh.views[1].borrow().missing.values().any(|one| one.since.elapsed() > long) {
        assert!(!child.is_finished(), "it has left, and the root does not know that it halted");
        sleep(Duration::from_millis(10)).await;
    }
    assert!(!child.is_finished(), "it has left, and the root does not know that it halted");
    mesh.weather(Weather::default());
    for node in [root, child, third] {
        assert!(end(node).await.all_halted);
    }
}

/// Seven nodes. The last two cannot reach each other and never decide; the root crashes.
/// None of the others reports that all have halted, however far below the root it is.
#[tokio::test(flavor = "multi_thread")]
async fn doubt_travels_down_the_tree() {
    let timeouts = Timeouts { abandon: hasty().gone * 2, ..hasty() };
    let mut mesh = Mesh::of(7, timeouts, &[(5, 6)]).await;
    mesh.weather(SHUT);
    let mut elections: Vec<_> = (0..7).map(|number| Some(mesh.start(number))).collect();
    for number in 0..5 {
        mesh.shows(number, |view| view.stage == NodeStage::Halted).await;
    }
    let root = elections[0].take().unwrap();
    root.abort();
    for number in [1, 3, 4] {
        let outcome = end(elections[number].take().unwrap()).await;
        assert!(outcome.leader.is_some());
        assert!(!outcome.all_halted, "node {number} says that all have halted");
    }
    for number in [5, 6] {
        assert_eq!(mesh.views[number].borrow().leader, None);
    }
    elections.into_iter().flatten().for_each(|election| election.abort());
}

/// The root knows that its child has halted, and is gone with its host, so that nothing answers
/// there. The child leaves, without knowing whether all have halted, although each attempt to reach
/// the root takes less time than it must be gone.
#[tokio::test]
async fn a_halted_node_leaves_when_its_parent_has_vanished() {
    let (greeting, gone) = (Duration::from_millis(80), Duration::from_millis(500));
    let timeouts = Timeouts { greeting, gone, ..hasty() };
    let (mut node, listeners) = alone(2, 1, |setup| NodeSetup { timeouts, ..setup }).await;
    let story = async {
        let mut root = Peer::welcome(&listeners[0]).await;
        root.say(Payload::Message { depth: 1, msg: Name(Id::new(1)) }).await;
        root.hear_until(Heard::Payload(Payload::Halted)).await;
        root.close().await;
        let mut silent = Vec::new();
        loop {
            silent.push(listeners[0].accept().await);
        }
    };
    tokio::select! {
        outcome = node.elect() => {
            let outcome = outcome.unwrap();
            assert_eq!((outcome.leader, outcome.all_halted), (Some(Id::new(2)), false));
        }
        () = story => {}
        () = sleep(Duration::from_secs(60)) => panic!("it never leaves"),
    }
}

/// The parent's host is unreachable in one way after the other: connections are closed, not answered,
/// and at last refused. The time counts from its last welcome, whatever the cause.
#[tokio::test]
async fn causes_of_absence_count_together() {
    let hasty = Timeouts {
        greeting: Duration::from_millis(40),
        longest_pause: Duration::from_millis(10),
        gone: Duration::from_millis(500),
        ..hasty()
    };
    let (mut node, listeners) = alone(2, 1, |setup| NodeSetup { timeouts: hasty, ..setup }).await;
    let story = async {
        let mut root = Peer::welcome(&listeners[0]).await;
        root.say(Payload::Message { depth: 1, msg: Name(Id::new(1)) }).await;
        root.hear_until(Heard::Payload(Payload::Halted)).await;
        root.close().await;
        let (mut silent, mut causes) = (Vec::new(), 0);
        loop {
            let (stream, _) = listeners[0].accept().await.unwrap();
            causes += 1;
            if causes % 2 == 0 {
                silent.push(stream);
            }
        }
    };
    tokio::select! {
        outcome = node.elect() => {
            let outcome = outcome.unwrap();
            assert_eq!((outcome.leader, outcome.all_halted), (Some(Id::new(2)), false));
        }
        () = story => {}
        () = sleep(Duration::from_secs(60)) => panic!("it never leaves"),
    }
}
