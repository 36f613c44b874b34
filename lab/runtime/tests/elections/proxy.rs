//! A proxy that injects faults into connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use suffrage_algorithms::Algorithm;
use suffrage_networks::random::Generator;
use suffrage_runtime::{ClusterSummary, Membership, Node, NodeSetup, Security, Tcp, Timeouts};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// The faults of connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weather {
    /// Whether connections pass; otherwise they are closed.
    pub(crate) open: bool,
    /// Whether bytes towards the node pass; otherwise they wait.
    pub(crate) inwards: bool,
    /// Whether bytes from the node pass.
    pub(crate) outwards: bool,
    /// The delay of each piece of a stream.
    pub(crate) delay: Duration,
    /// The range from which the number of bytes is drawn after which a connection is killed.
    pub(crate) lifetime: Option<(u64, u64)>,
}

impl Default for Weather {
    fn default() -> Self {
        Self { open: true, inwards: true, outwards: true, delay: Duration::ZERO, lifetime: None }
    }
}

/// A proxy in front of a node, to which others connect.
pub(crate) struct Proxy {
    pub(crate) weather: watch::Sender<Weather>,
    pub(crate) killed: Arc<AtomicU64>,
    _tasks: JoinSet<()>,
}

impl Proxy {
    pub(crate) fn before(node: String, listener: TcpListener, weather: Weather, seed: u64) -> Self {
        let weather = watch::Sender::new(weather);
        let killed = Arc::new(AtomicU64::new(0));
        let mut tasks = JoinSet::new();
        tasks.spawn(listen(listener, node, weather.subscribe(), killed.clone(), seed));
        Self { weather, killed, _tasks: tasks }
    }
}

async fn listen(
    listener: TcpListener,
    node: String,
    weather: watch::Receiver<Weather>,
    killed: Arc<AtomicU64>,
    seed: u64,
) {
    let mut coins = Generator::new(seed, "proxy");
    let mut connections = JoinSet::new();
    loop {
        let Ok((outside, _)) = listener.accept().await else { return };
        if !weather.borrow().open {
            continue;
        }
        let lifetime = weather.borrow().lifetime;
        let bytes = lifetime.map_or(u64::MAX, |(least, most)| least + coins.below(most - least));
        let (node, weather, killed) = (node.clone(), weather.clone(), killed.clone());
        connections.spawn(async move {
            let Ok(inside) = TcpStream::connect(&node).await else { return };
            let (left, kills) = (AtomicU64::new(bytes), AtomicU64::new(0));
            carry(outside, inside, weather, &left, &kills).await;
            killed.fetch_add(kills.into_inner(), Ordering::Relaxed);
        });
    }
}

/// Carries bytes in both directions until one side closes, or the lifetime is over; then drops
/// both.
async fn carry(
    outside: TcpStream,
    inside: TcpStream,
    weather: watch::Receiver<Weather>,
    left: &AtomicU64,
    kills: &AtomicU64,
) {
    let (mut from_outside, mut to_outside) = outside.into_split();
    let (mut from_inside, mut to_inside) = inside.into_split();
    let pump = async |from: &mut tokio::net::tcp::OwnedReadHalf,
                      to: &mut tokio::net::tcp::OwnedWriteHalf,
                      passes: fn(&Weather) -> bool| {
        let mut weather = weather.clone();
        let mut buffer = [0; 1024];
        loop {
            let read = from.read(&mut buffer).await.unwrap_or(0);
            if weather.wait_for(passes).await.is_err() || read == 0 {
                return;
            }
            let delay = weather.borrow().delay;
            if !delay.is_zero() {
                sleep(delay).await;
            }
            let allowed = left.load(Ordering::Relaxed).min(read as u64);
            left.fetch_sub(allowed, Ordering::Relaxed);
            // The last bytes before the end may be half a frame.
            let _ = to.write_all(&buffer[..allowed as usize]).await;
            if allowed < read as u64 {
                kills.store(1, Ordering::Relaxed);
                return;
            }
        }
    };
    let mut closing = weather.clone();
    // The end of one direction ends both: the halves are dropped with unread bytes in them.
    tokio::select! {
        () = pump(&mut from_outside, &mut to_inside, |weather| weather.inwards) => {}
        () = pump(&mut from_inside, &mut to_outside, |weather| weather.outwards) => {}
        _ = closing.wait_for(|weather| !weather.open) => {}
    }
}

pub(crate) fn hasty() -> Timeouts {
    Timeouts {
        greeting: Duration::from_secs(1),
        heartbeat: Duration::from_millis(60),
        silence: Duration::from_millis(300),
        first_pause: Duration::from_millis(1),
        longest_pause: Duration::from_millis(50),
        stall: Duration::from_millis(400),
        linger: Duration::from_millis(500),
        gone: Duration::from_millis(300),
        abandon: Duration::from_secs(60),
        refresh: Duration::from_millis(20),
    }
}

/// Creates nodes that each listen behind a proxy.
pub(crate) async fn nodes_behind_proxies(
    algorithm: &Algorithm,
    membership: &Arc<Membership>,
    weather: Weather,
    seed: u64,
) -> (Vec<Node>, Vec<Proxy>) {
    let (mut listeners, mut addresses, mut proxies) = (Vec::new(), Vec::new(), Vec::new());
    for node in 0..membership.nodes() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let front = TcpListener::bind("127.0.0.1:0").await.unwrap();
        addresses.push(front.local_addr().unwrap().to_string());
        let behind = listener.local_addr().unwrap().to_string();
        proxies.push(Proxy::before(behind, front, weather, seed ^ u64::from(node) << 40));
        listeners.push(listener);
    }
    let addresses: Arc<[String]> = addresses.into();
    let nodes = (0..)
        .zip(listeners)
        .map(|(node, listener)| {
            let setup = NodeSetup { timeouts: hasty(), ..NodeSetup::new(membership.clone(), node) };
            let tcp = Tcp { listener, addresses: addresses.clone(), security: Security::None };
            Node::tcp(algorithm, setup, tcp).unwrap()
        })
        .collect();
    (nodes, proxies)
}

/// Holds the election of all nodes.
pub(crate) async fn all(nodes: Vec<Node>) -> ClusterSummary {
    let mut tasks = JoinSet::new();
    for mut node in nodes {
        tasks.spawn(async move { node.elect().await.unwrap() });
    }
    let all = tokio::time::timeout(Duration::from_secs(300), tasks.join_all());
    ClusterSummary::new(all.await.expect("no end in sight"), 0, None)
}
