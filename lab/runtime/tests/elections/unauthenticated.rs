//! Unauthenticated connections neither stop an election nor make a node grow.

use crate::common::{check, membership, network};
use std::sync::Arc;
use std::time::Duration;
use suffrage_algorithms::Algorithm;
use suffrage_runtime::{ClusterSummary, Node, NodeLimits, NodeOutcome, NodeSetup, Security, Tcp};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The bytes that unauthenticated connections send.
const WORDS: [&[u8]; 6] = [
    b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    &[0xFF; 600],                          // A frame of four gigabytes.
    &[0, 2, 0, 0, b'S', b'F', b'R', b'G'], // Half a frame, and then nothing.
    &[16, 0, 0, 0, b'S', b'F', b'R', b'G', 2, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255],
    &[6, 0, 0, 0, b'S', b'F', b'R', b'G', 9, 0], // Another version.
    b"",
];

/// Connects, sends some bytes, and waits for the end of the connection.
async fn annoy(address: &str, words: &[u8]) -> bool {
    let Ok(mut stream) = TcpStream::connect(address).await else { return false };
    let _ = stream.write_all(words).await;
    let mut waste = [0; 64];
    let end = async { while stream.read(&mut waste).await.is_ok_and(|read| read > 0) {} };
    timeout(Duration::from_secs(20), end).await.is_ok()
}

fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_unauthenticated_connections_are_sent_away() {
    let algorithm = Algorithm::named("echo-extinction").unwrap();
    let membership = membership(algorithm, network(algorithm, 4));
    let (mut listeners, mut addresses) = (Vec::new(), Vec::new());
    for _ in 0..4 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        addresses.push(listener.local_addr().unwrap().to_string());
        listeners.push(listener);
    }
    let target = addresses[0].clone();
    let addresses: Arc<[String]> = addresses.into();
    let mut nodes: Vec<Node> = (0..)
        .zip(listeners)
        .map(|(node, listener)| {
            let limits = NodeLimits { unauthenticated: Some(40), ..NodeLimits::default() };
            let setup = NodeSetup { limits, ..NodeSetup::new(membership.clone(), node) };
            let tcp = Tcp { listener, addresses: addresses.clone(), security: Security::None };
            Node::tcp(algorithm, setup, tcp).unwrap()
        })
        .collect();
    let before = resident_bytes();
    // One node is held back, so that the election lasts as long as these connections.
    let mut last = nodes.pop().unwrap();
    let others = tokio::spawn(all_of(nodes));
    let mut intruders = JoinSet::new();
    let mut sent_away = 0;
    for number in 0..10_000 {
        if intruders.len() >= 150 {
            sent_away += u32::from(intruders.join_next().await.unwrap().unwrap());
        }
        let target = target.clone();
        intruders.spawn(async move { annoy(&target, WORDS[number % WORDS.len()]).await });
    }
    let after = resident_bytes();
    while let Some(away) = intruders.join_next().await {
        sent_away += u32::from(away.unwrap());
    }
    let mut outcomes = vec![last.elect().await.unwrap()];
    outcomes.extend(others.await.unwrap());
    check(algorithm, &membership, &ClusterSummary::new(outcomes, 0, None));
    assert_eq!(sent_away, 10_000);
    if let (Some(before), Some(after)) = (before, after) {
        assert!(after < before + (64 << 20), "it grew from {before} to {after} bytes");
    }
}

async fn all_of(nodes: Vec<Node>) -> Vec<NodeOutcome> {
    let mut tasks = JoinSet::new();
    for mut node in nodes {
        tasks.spawn(async move { node.elect().await.unwrap() });
    }
    timeout(Duration::from_secs(60), tasks.join_all()).await.expect("no end in sight")
}
