//! A network that loses datagrams and sends earlier ones again.

use crate::hosts::{Hosts, LONG, OFFICE, TIMING, until};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use suffrage_numbers::random::Generator;
use tenure_node::Member;
use tokio::net::UdpSocket;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// In percent: how many datagrams are lost, and how many are followed by an earlier one.
#[derive(Clone, Copy)]
struct Faults {
    lost: u64,
    replayed: u64,
}

/// Passes datagrams on, with faults.
struct Pipe {
    to: Arc<UdpSocket>,
    faults: Faults,
    coins: Generator,
    /// Datagrams that may be sent again.
    kept: Vec<Vec<u8>>,
}

impl Pipe {
    fn new(to: Arc<UdpSocket>, faults: Faults, seed: u64) -> Self {
        Self { to, faults, coins: Generator::new(seed, "pipe"), kept: Vec::new() }
    }

    async fn pass(&mut self, datagram: &[u8], target: Option<SocketAddr>) {
        let mut all = Vec::new();
        if self.coins.below(100) >= self.faults.lost {
            all.push(datagram.to_vec());
        }
        if self.coins.below(100) < self.faults.replayed && !self.kept.is_empty() {
            all.push(self.kept[self.coins.below(self.kept.len() as u64) as usize].clone());
        }
        if self.kept.len() < 500 {
            self.kept.push(datagram.to_vec());
        }
        for datagram in all {
            let _ = match target {
                Some(target) => self.to.send_to(&datagram, target).await,
                None => self.to.send(&datagram).await,
            };
        }
    }
}

/// Opens an address that passes datagrams on to a host and back, and returns it.
async fn before(host: String, faults: Faults, tasks: &mut JoinSet<()>) -> String {
    let front = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
    let address = front.local_addr().unwrap().to_string();
    tasks.spawn(async move {
        let mut pipes: BTreeMap<SocketAddr, Pipe> = BTreeMap::new();
        let mut back = JoinSet::new();
        let mut buffer = vec![0; 65536];
        loop {
            let Ok((length, from)) = front.recv_from(&mut buffer).await else { continue };
            if let Entry::Vacant(pipe) = pipes.entry(from) {
                let socket = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
                socket.connect(&host).await.unwrap();
                pipe.insert(Pipe::new(socket.clone(), faults, 1));
                let mut answers = Pipe::new(front.clone(), faults, 2);
                back.spawn(async move {
                    let mut buffer = vec![0; 65536];
                    loop {
                        if let Ok(length) = socket.recv(&mut buffer).await {
                            answers.pass(&buffer[..length], Some(from)).await;
                        }
                    }
                });
            }
            pipes.get_mut(&from).unwrap().pass(&buffer[..length], None).await;
        }
    });
    address
}

/// Three members that reach each other through such a network.
async fn start(hosts: &Hosts, faults: Faults, tasks: &mut JoinSet<()>) -> Vec<Member> {
    let mut members = Vec::new();
    for name in ["a", "b", "c"] {
        let mut text = hosts.text(name, &TIMING.replace("500ms", "1500ms"));
        for (other, address) in hosts.names.iter().zip(&hosts.addresses) {
            if *other != name {
                text = text.replace(address, &before(address.clone(), faults, tasks).await);
            }
        }
        // Members agree on names, and each may reach the others by addresses of its own.
        members.push(Member::start(hosts.config_of(name, &text)).await.unwrap());
    }
    members
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn datagrams_that_are_lost_or_replayed_depose_no_leader_and_make_no_second_leader() {
    let (hosts, mut tasks) = (Hosts::three(), JoinSet::new());
    let faults = Faults { lost: 20, replayed: 30 };
    let members = start(&hosts, faults, &mut tasks).await;
    let first = timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    let waits = members[1].clone();
    let second = tokio::spawn(async move { waits.office(OFFICE).stand().await.unwrap() });
    for _ in 0..80 {
        sleep(Duration::from_millis(50)).await;
        assert!(first.check().is_ok() && !second.is_finished());
    }
    until(&members[2], |status| status.undecodable == 0 && status.rejected == 0).await;
    first.resign().await;
    timeout(LONG, second).await.unwrap().unwrap();
}
