//! A whole cluster inside one process.

use crate::certificates::{Authority, CertificateError};
use crate::cluster::Cluster;
use crate::error::ElectionError;
use crate::limits::{Limits, Patience};
use crate::node::{Gate, Links, Make, Node, Setup, Tcp, joined, make};
use crate::outcome::Outcome;
use crate::transport::sockets::{Security, Tls, TlsError};
use crate::view::View;
use crate::window::Traffic;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use suffrage_algorithms::Algorithm;
use suffrage_process::{Id, Kind, Process, Status, Wire};
use tokio::net::TcpListener;
use tokio::sync::{Barrier, watch};
use tokio::task::JoinSet;

/// What links between nodes of one process are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Medium {
    /// TCP over the loopback interface.
    #[default]
    Tcp,
    /// TLS over the loopback interface, with an authority made for the occasion.
    Tls,
    /// Channels inside the process.
    Channels,
}

/// A cluster whose nodes are tasks of this program: over real sockets of the loopback interface,
/// or over channels.
#[derive(Clone, Debug)]
pub struct Local {
    /// What links are made of.
    pub medium: Medium,
    /// How many messages a link holds each way, not yet taken by the receiving process; `None` for
    /// as many as [`Limits::window`] has.
    pub capacity: Option<u32>,
    /// Who wakes; `None` for all.
    pub initiators: Option<Vec<u32>>,
    /// For algorithms that draw coins.
    pub seed: u64,
    /// Opens every link before anybody wakes: on a complete network `n (n-1) / 2` of them.
    pub connect_first: bool,
    /// How long nodes wait for what.
    pub patience: Patience,
}

impl Default for Local {
    fn default() -> Self {
        Self {
            medium: Medium::default(),
            capacity: None,
            initiators: None,
            seed: 1,
            connect_first: false,
            patience: Patience::default(),
        }
    }
}

/// Why a cluster could not hold its election.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// There is no socket to listen on: too many open files, most likely.
    #[error("cannot listen on the loopback interface: {0}")]
    Listen(#[from] io::Error),
    /// A node failed.
    #[error(transparent)]
    Election(#[from] ElectionError),
    /// The certificates could not be made.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// The certificates cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
}

/// A cluster that is about to hold its election.
#[derive(Debug)]
pub struct Assembly {
    nodes: Vec<Node>,
    traffic: Arc<Traffic>,
}

/// What came of an election of all nodes.
#[derive(Clone, Debug)]
pub struct Summary {
    /// What each node knows, in their order.
    pub outcomes: Vec<Outcome>,
    /// The most messages that were sent and not yet known to be taken.
    pub peak_in_flight: u64,
}

impl Local {
    /// Makes the nodes. Those over sockets listen from now on.
    ///
    /// # Errors
    /// If the algorithm is not correct on the network, or a socket cannot be had.
    pub async fn assemble(
        &self,
        algorithm: &Algorithm,
        cluster: &Arc<Cluster>,
    ) -> Result<Assembly, LocalError> {
        let name = algorithm.name;
        let node = |setup, gate, links| algorithm.visit_wire(Make { name, setup, gate, links });
        self.assembled(cluster, node).await
    }

    /// Makes nodes that run a process of your own.
    ///
    /// # Errors
    /// If the process is not correct on the network, or a socket cannot be had.
    pub async fn assemble_of<P: Process<Msg: Wire>>(
        &self,
        name: &str,
        cluster: &Arc<Cluster>,
    ) -> Result<Assembly, LocalError> {
        self.assembled(cluster, |setup, gate, links| make::<P>(name, setup, gate, links)).await
    }

    async fn assembled(
        &self,
        cluster: &Arc<Cluster>,
        node: impl Fn(Setup, Gate, Links) -> Result<Node, ElectionError>,
    ) -> Result<Assembly, LocalError> {
        let traffic = Arc::new(Traffic::default());
        let gate = self.connect_first.then(|| Arc::new(Barrier::new(cluster.nodes() as usize)));
        let setup = |node| Setup {
            initiator: self.initiators.as_ref().is_none_or(|who| who.contains(&node)),
            seed: self.seed ^ u64::from(node) << 32,
            patience: self.patience,
            limits: Limits { window: self.capacity, strangers: None },
            ..Setup::new(cluster.clone(), node)
        };
        let make = |setup, links| node(setup, gate.clone(), links);
        if self.medium == Medium::Channels {
            let capacity = setup(0).limits.window_for(cluster.nodes());
            let setups = (0..cluster.nodes()).map(setup);
            return Ok(Assembly {
                nodes: joined(setups, capacity, Some(&traffic), make)?,
                traffic,
            });
        }
        let (mut listeners, mut addresses) = (Vec::new(), Vec::new());
        for _ in 0..cluster.nodes() {
            let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
            addresses.push(listener.local_addr()?.to_string());
            listeners.push(listener);
        }
        let addresses: Arc<[String]> = addresses.into();
        let mut nodes = Vec::new();
        for ((node, listener), security) in (0..).zip(listeners).zip(self.protections(cluster)?) {
            let tcp = Tcp { listener, addresses: addresses.clone(), security };
            nodes.push(make(setup(node), Links::Tcp(tcp, Some(traffic.clone())))?);
        }
        Ok(Assembly { nodes, traffic })
    }

    /// Makes the nodes and holds the election.
    ///
    /// # Errors
    /// As [`assemble`](Self::assemble) and [`Assembly::elect`].
    pub async fn elect(
        &self,
        algorithm: &Algorithm,
        cluster: &Arc<Cluster>,
    ) -> Result<Summary, LocalError> {
        Ok(self.assemble(algorithm, cluster).await?.elect().await?)
    }

    fn protections(&self, cluster: &Cluster) -> Result<Vec<Security>, LocalError> {
        if self.medium != Medium::Tls {
            return Ok(vec![Security::None; cluster.nodes() as usize]);
        }
        let authority = Authority::new(cluster.name())?;
        let trusted = authority.own().certificate;
        let one = |&id| {
            let own = authority.issue(id)?;
            let (certificate, key) = (own.certificate.as_bytes(), own.key.as_bytes());
            Ok(Security::Tls(Tls::from_pem(trusted.as_bytes(), certificate, key)?))
        };
        cluster.ids().iter().map(one).collect()
    }
}

impl Assembly {
    /// What can be seen of each node.
    #[must_use]
    pub fn watch(&self) -> Vec<watch::Receiver<View>> {
        self.nodes.iter().map(Node::watch).collect()
    }

    /// Holds the election. Cancelled, it drops all nodes.
    ///
    /// # Errors
    /// If a node fails.
    pub async fn elect(self) -> Result<Summary, ElectionError> {
        let mut tasks = JoinSet::new();
        for mut node in self.nodes {
            tasks.spawn(async move { node.elect().await });
        }
        let mut outcomes = Vec::new();
        while let Some(joined) = tasks.join_next().await {
            outcomes.push(joined.map_err(|error| ElectionError::Task(error.to_string()))??);
        }
        outcomes.sort_by_key(|outcome| outcome.node);
        Ok(Summary { outcomes, peak_in_flight: self.traffic.peak() })
    }
}

impl Summary {
    /// The one that leads; `None` if there is none or more than one.
    #[must_use]
    pub fn leader(&self) -> Option<&Outcome> {
        let mut leaders = self.outcomes.iter().filter(|one| one.role == Status::Leader);
        leaders.next().filter(|_| leaders.next().is_none())
    }

    /// Every node names the leader.
    #[must_use]
    pub fn agreed(&self) -> bool {
        let leader: Option<Id> = self.leader().map(|leader| leader.id);
        leader.is_some() && self.outcomes.iter().all(|one| one.leader == leader)
    }

    /// From the start until the last node knew the leader. `None` where one was not told.
    #[must_use]
    pub fn time(&self) -> Option<Duration> {
        let decided: Option<Vec<Instant>> = self.outcomes.iter().map(|one| one.decided).collect();
        let began = self.outcomes.iter().map(|one| one.began).min()?;
        Some(decided?.into_iter().max()?.saturating_duration_since(began))
    }

    /// What was sent, by kind, in the algorithm's order.
    #[must_use]
    pub fn sent(&self) -> Vec<(&'static Kind, u64)> {
        let mut all = Vec::new();
        for one in &self.outcomes {
            if all.is_empty() {
                all.clone_from(&one.sent);
            } else {
                all.iter_mut().zip(&one.sent).for_each(|(sum, (_, count))| sum.1 += count);
            }
        }
        all
    }

    /// All messages sent.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.outcomes.iter().map(Outcome::total).sum()
    }

    /// The longest chain of messages.
    #[must_use]
    pub fn causal_depth(&self) -> u32 {
        self.outcomes.iter().map(|one| one.causal_depth).max().unwrap_or(0)
    }

    /// Messages that came after a process had halted.
    #[must_use]
    pub fn late(&self) -> u64 {
        self.outcomes.iter().map(|one| one.late).sum()
    }

    /// Links that were opened.
    #[must_use]
    pub fn links(&self) -> usize {
        self.outcomes.iter().map(|one| one.links).sum::<usize>() / 2
    }

    /// Nodes that woke by themselves.
    #[must_use]
    pub fn woken(&self) -> u64 {
        self.outcomes.iter().filter(|one| one.woke).count() as u64
    }
}
