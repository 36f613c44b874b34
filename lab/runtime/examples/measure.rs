//! Measures elections and links on this machine.
//!
//! ```sh
//! cargo run --release -p suffrage-runtime --example measure            # tcp, 3 to 100 nodes
//! cargo run --release -p suffrage-runtime --example measure tls 3,5,16
//! ```
//!
//! An election is timed from when all links are up until the last node knows the leader; the figure is the
//! median of several elections. An election takes at least as long as its longest chain of messages: causal
//! depth x round trip / 2. The round trip is the time of a message that two nodes send back and forth.

use std::time::Duration;
use suffrage_algorithms::{CATALOGUE, Custom};
use suffrage_model::{Id, Kind, Message, Net, NetworkClass, Port, Process, Status};
use suffrage_networks::{Ids, Ports, Spec, wiring::Wiring};
use suffrage_runtime::{Cluster, ClusterSummary, LinkMedium};

type Failure = Box<dyn std::error::Error>;

/// Sends a number of messages at once, or one back and forth as often.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Rally<const AT_ONCE: bool> {
    started: bool,
    left: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
struct Ball(u32);

impl Message for Ball {
    const KINDS: &'static [Kind] = &[Kind::election("ball").counters(1)];
    fn kind(&self) -> usize {
        0
    }
}

const TIMES: u32 = 20_000;

impl<const AT_ONCE: bool> Process for Rally<AT_ONCE> {
    const NETWORK: NetworkClass = NetworkClass::Complete;
    type Knows = ();
    type Msg = Ball;

    fn new((): (), _: u32) -> Self {
        Self { started: false, left: TIMES }
    }
    fn wake(&mut self, net: &mut impl Net<Ball>) {
        self.started = true;
        if AT_ONCE {
            (0..TIMES).rev().for_each(|left| net.send(Port(0), Ball(left)));
            self.left = 0;
        } else {
            net.send(Port(0), Ball(TIMES - 1));
        }
    }
    fn receive(&mut self, _: Port, Ball(left): Ball, net: &mut impl Net<Ball>) {
        self.left = left;
        if !AT_ONCE && left > 0 {
            self.left = left - 1;
            net.send(Port(0), Ball(self.left));
        }
    }
    fn status(&self) -> Status {
        match self.left {
            0 if self.started => Status::Leader,
            0 => Status::Follower,
            _ => Status::Undecided,
        }
    }
    fn leader(&self) -> Option<Id> {
        None
    }
    fn halted(&self) -> bool {
        self.left == 0
    }
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let medium = match words.next().as_deref() {
        None | Some("tcp") => LinkMedium::Tcp,
        Some("tls") => LinkMedium::Tls,
        Some("channels") => LinkMedium::Channels,
        Some(other) => return Err(format!("tcp, tls or channels, not `{other}`").into()),
    };
    let sizes = words.next().unwrap_or_else(|| "3,5,16,100".to_owned());
    let sizes: Vec<u32> = sizes.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let trip = time(&rally::<false>(medium).await?)? / TIMES;
    let rate = f64::from(TIMES) / time(&rally::<true>(medium).await?)?.as_secs_f64();
    println!("{medium:?}: round trip {:?}, one link {rate:.0} messages a second\n", trip * 2);
    println!(
        "{:<18} {:>5} {:>12} {:>9} {:>6} {:>12} {:>6}",
        "algorithm", "nodes", "time", "messages", "depth", "depth x r/2", "ratio"
    );
    for algorithm in CATALOGUE {
        for &nodes in &sizes {
            let spec = match algorithm.network {
                NetworkClass::Complete | NetworkClass::OrientedComplete => {
                    format!("complete:{nodes}")
                }
                NetworkClass::Ring | NetworkClass::OrientedRing | NetworkClass::HomonymRing => {
                    format!("ring:{nodes}")
                }
                NetworkClass::Hypercube | NetworkClass::OrientedHypercube => {
                    format!("hypercube:{}", nodes.ilog2())
                }
                NetworkClass::Tree => format!("tree:random:{nodes}"),
                NetworkClass::Mesh => format!("grid:2x{}", nodes / 2),
                NetworkClass::Torus | NetworkClass::OrientedTorus => {
                    format!("torus:3x{}", nodes / 3)
                }
                NetworkClass::Connected => format!("barabasi-albert:{nodes}:2"),
            };
            let topology = spec.parse::<Spec>()?.build(1)?.fit(algorithm.network)?;
            let ids = Ids::Random.assign(nodes, 1);
            let wiring = topology.wire(Ports::Rotation, 1);
            let cluster = Cluster::new(wiring, ids)?.medium(medium).connect_first(true);
            let mut runs = Vec::new();
            for _ in 0..if nodes < 50 { 15 } else { 5 } {
                let summary = cluster.elect(algorithm).await?;
                runs.push((time(&summary)?, summary));
            }
            runs.sort_by_key(|run| run.0);
            let (time, summary) = &runs[runs.len() / 2];
            let least = trip * summary.causal_depth();
            println!(
                "{:<18} {nodes:>5} {:>12} {:>9} {:>6} {:>12} {:>6.2}",
                algorithm.name,
                format!("{:.3} ms", time.as_secs_f64() * 1e3),
                summary.total(),
                summary.causal_depth(),
                format!("{:.3} ms", least.as_secs_f64() * 1e3),
                time.as_secs_f64() / least.as_secs_f64()
            );
        }
    }
    Ok(())
}

/// Runs a rally between two nodes, which the first one begins.
async fn rally<const AT_ONCE: bool>(medium: LinkMedium) -> Result<ClusterSummary, Failure> {
    let cluster = Cluster::new(Wiring::complete(2), Ids::Ascending.assign(2, 1))?;
    let cluster = cluster.medium(medium).connect_first(true).initiators([0]);
    Ok(cluster.elect(&Custom::<Rally<AT_ONCE>>::new("rally")).await?)
}

fn time(summary: &ClusterSummary) -> Result<Duration, Failure> {
    summary.time().ok_or_else(|| "a node was not told".into())
}
