//! Uses of the library in programs.

use crate::common::{membership, network};
use std::time::Duration;
use suffrage_algorithms::{Algorithm, Custom, Synchronized, graph::FloodMax};
use suffrage_model::{Id, Kind, Message, Net, NetworkClass, Port, Process, Status};
use suffrage_runtime::{Cluster, LinkMedium, Node, NodeSetup, NodeStage};
use tokio::time::timeout;

/// A process that waits for an alarm before it sends, and draws a coin.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Patient {
    id: Id,
    coin: Option<u32>,
    rival: Option<Id>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
struct Claim(Id);

impl Message for Claim {
    const KINDS: &'static [Kind] = &[Kind::election("claim").ids(1)];
    fn kind(&self) -> usize {
        0
    }
}

impl Process for Patient {
    const NETWORK: NetworkClass = NetworkClass::Complete;
    type Knows = Id;
    type Msg = Claim;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, coin: None, rival: None }
    }
    fn wake(&mut self, net: &mut impl Net<Claim>) {
        net.set_alarm(3);
    }
    fn receive(&mut self, _: Port, Claim(id): Claim, _: &mut impl Net<Claim>) {
        self.rival = Some(id);
    }
    fn alarm(&mut self, net: &mut impl Net<Claim>) {
        self.coin = Some(net.choose(9));
        net.send_all(Claim(self.id));
    }
    fn status(&self) -> Status {
        match (self.coin, self.rival) {
            (Some(_), Some(rival)) if rival > self.id => Status::Follower,
            (Some(_), Some(_)) => Status::Leader,
            _ => Status::Undecided,
        }
    }
    fn leader(&self) -> Option<Id> {
        self.rival.filter(|_| self.coin.is_some()).map(|rival| rival.max(self.id))
    }
    fn halted(&self) -> bool {
        self.status() != Status::Undecided
    }
}

#[tokio::test]
async fn a_process_of_ones_own_runs_with_alarms_and_coins() {
    let complete = Algorithm::named("humblet").unwrap();
    let membership = membership(complete, network(complete, 2));
    let setups = (0..2).map(|node| NodeSetup::new(membership.clone(), node));
    let mut nodes = Node::channels(&Custom::<Patient>::new("patient"), setups, 1).unwrap();
    let (mut first, mut second) = (nodes.remove(0), nodes.remove(0));
    let (first, second) = tokio::join!(first.elect(), second.elect());
    let (first, second) = (first.unwrap(), second.unwrap());
    assert_eq!((first.leader, second.leader), (Some(Id::new(2)), Some(Id::new(2))));
    assert!(first.time_to_decide().unwrap() >= Duration::from_millis(30), "three ticks");
}

#[tokio::test]
async fn an_algorithm_in_rounds_is_refused_by_name_and_runs_under_a_synchronizer() {
    let algorithm = Algorithm::named("flood-max").unwrap();
    let membership = membership(algorithm, network(algorithm, 6));
    let setups = || (0..6).map(|node| NodeSetup::new(membership.clone(), node));
    let refused = Node::channels(algorithm, setups(), 8).unwrap_err().to_string();
    assert!(refused.contains("flood-max runs in rounds") && refused.contains("`Synchronized`"));
    let synchronized = Custom::<Synchronized<FloodMax>>::claimed("flood-max under alpha");
    let nodes = Node::channels(&synchronized, setups(), 64).unwrap();
    let all: Vec<_> =
        nodes.into_iter().map(|mut node| tokio::spawn(async move { node.elect().await })).collect();
    for node in all {
        let outcome = timeout(Duration::from_secs(60), node).await.unwrap().unwrap().unwrap();
        assert_eq!((outcome.leader, outcome.violations.len()), (Some(Id::new(6)), 0));
    }
}

#[tokio::test]
async fn waiting_for_an_outcome_can_be_cancelled_and_taken_up_again() {
    let algorithm = Algorithm::named("lelann").unwrap();
    let membership = membership(algorithm, network(algorithm, 4));
    let setups = (0..4).map(|node| NodeSetup::new(membership.clone(), node));
    let mut nodes = Node::channels(algorithm, setups, 8).unwrap();
    let mut first = nodes.remove(0);
    assert!(timeout(Duration::from_millis(5), first.elect()).await.is_err());
    let others: Vec<_> =
        nodes.into_iter().map(|mut node| tokio::spawn(async move { node.elect().await })).collect();
    let mut tries = 0;
    let outcome = loop {
        tries += 1;
        if let Ok(outcome) = timeout(Duration::from_micros(200), first.elect()).await {
            break outcome.unwrap();
        }
        assert!(tries < 100_000, "it never came to be");
    };
    for other in others {
        assert_eq!(other.await.unwrap().unwrap().leader, outcome.leader);
    }
    assert_eq!(first.elect().await.unwrap().leader, outcome.leader, "it can be asked again");
}

#[tokio::test]
async fn a_watch_sees_the_stages_of_a_node() {
    let algorithm = Algorithm::named("tree-wave").unwrap();
    let membership = membership(algorithm, network(algorithm, 5));
    let assembly =
        Cluster::from(membership).medium(LinkMedium::Tcp).assemble(algorithm).await.unwrap();
    let mut views = assembly.watch();
    assert!(views.iter().all(|view| view.borrow().stage == NodeStage::Asleep));
    let summary = assembly.elect().await.unwrap();
    for (view, outcome) in views.iter_mut().zip(&summary.outcomes) {
        let view = view.borrow();
        assert_eq!((view.stage, view.leader), (NodeStage::Released, outcome.leader));
        assert_eq!(view.status, outcome.role);
    }
}

#[tokio::test]
async fn a_node_that_is_dropped_stops_listening() {
    let algorithm = Algorithm::named("humblet").unwrap();
    let membership = membership(algorithm, network(algorithm, 3));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let tcp = suffrage_runtime::Tcp {
        listener,
        addresses: vec![address.to_string(); 3].into(),
        security: suffrage_runtime::Security::None,
    };
    let mut node = Node::tcp(algorithm, NodeSetup::new(membership, 0), tcp).unwrap();
    let _ = timeout(Duration::from_millis(20), node.elect()).await;
    drop(node);
    let mut tries = 0;
    while tokio::net::TcpStream::connect(address).await.is_ok() {
        tries += 1;
        assert!(tries < 1000, "it still listens");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
