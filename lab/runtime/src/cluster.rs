//! A whole cluster inside one program.

use crate::error::ElectionError;
use crate::membership::{Membership, MembershipError};
use crate::node::{Node, NodeLinks, Runnable, Tcp, joined};
use crate::outcome::NodeOutcome;
use crate::setup::{NodeLimits, NodeSetup, Timeouts};
use crate::transport::sockets::endpoint::Security;
use crate::verdict::{NodeReport, verdict};
use crate::view::NodeView;
use crate::window::Traffic;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use suffrage_algorithms::{Claims, Verdict};
use suffrage_model::{Id, Kind, Status};
use suffrage_networks::wiring::Wiring;
use tokio::net::TcpListener;
use tokio::sync::{Barrier, watch};
use tokio::task::JoinSet;

/// The medium of the links between nodes of one program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkMedium {
    /// TCP over the loopback interface.
    #[default]
    Tcp,
    /// TLS over the loopback interface, with a temporary authority.
    #[cfg(feature = "certificates")]
    Tls,
    /// Channels inside the process.
    Channels,
}

/// Holds elections between nodes that are tasks of this program: over real sockets of the loopback
/// interface, or over channels.
///
/// This is a builder: every method but the last takes and returns it, and every setting has a
/// default.
///
/// ```
/// use suffrage_algorithms::Algorithm;
/// use suffrage_runtime::{Cluster, LinkMedium};
/// use suffrage_networks::{Ids, wiring::Wiring};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let humblet = Algorithm::named("humblet").ok_or("no such algorithm")?;
/// let summary = Cluster::new(Wiring::complete(4), Ids::Random.assign(4, 7))?
///     .medium(LinkMedium::Channels)
///     .initiators([0, 2])
///     .elect(humblet)
///     .await?;
/// assert!(summary.agreed());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Cluster {
    membership: Arc<Membership>,
    medium: LinkMedium,
    capacity: Option<u32>,
    initiators: Option<Vec<u32>>,
    seed: u64,
    connect_first: bool,
    timeouts: Timeouts,
    steps: bool,
}

impl From<Arc<Membership>> for Cluster {
    fn from(membership: Arc<Membership>) -> Self {
        Self {
            membership,
            medium: LinkMedium::default(),
            capacity: None,
            initiators: None,
            seed: 1,
            connect_first: false,
            timeouts: Timeouts::default(),
            steps: false,
        }
    }
}

/// An error: a cluster could not hold its election.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// There is no socket to listen on, probably because of too many open files.
    #[error("cannot listen on the loopback interface: {0}")]
    Listen(#[from] io::Error),
    /// A node failed.
    #[error(transparent)]
    Election(#[from] ElectionError),
    /// The certificates could not be made.
    #[cfg(feature = "certificates")]
    #[error(transparent)]
    Certificate(#[from] crate::certificates::CertificateError),
    /// The certificates cannot be used.
    #[cfg(feature = "certificates")]
    #[error(transparent)]
    Tls(#[from] crate::TlsError),
}

/// A cluster that is ready to hold its election.
#[derive(Debug)]
pub struct Assembly {
    nodes: Vec<Node>,
    traffic: Arc<Traffic>,
    claims: Option<Claims>,
    /// The number of links of the network.
    links: u64,
}

impl Cluster {
    /// Creates a cluster on this network; `ids` are in the order of its nodes.
    ///
    /// # Errors
    /// As [`Membership::new`].
    pub fn new(wiring: Wiring, ids: Vec<Id>) -> Result<Self, MembershipError> {
        Ok(Arc::new(Membership::new("local", wiring, ids)?).into())
    }

    /// Sets the medium of the links; TCP unless set.
    #[must_use]
    pub fn medium(self, medium: LinkMedium) -> Self {
        Self { medium, ..self }
    }

    /// Sets how many messages a link holds in each direction that the receiving process has not
    /// taken; [`NodeLimits::window`] unless set.
    #[must_use]
    pub fn capacity(self, messages: u32) -> Self {
        Self { capacity: Some(messages), ..self }
    }

    /// Sets which nodes wake by themselves, by their numbers; all unless set.
    #[must_use]
    pub fn initiators(self, nodes: impl IntoIterator<Item = u32>) -> Self {
        Self { initiators: Some(nodes.into_iter().collect()), ..self }
    }

    /// Sets the seed for algorithms that draw coins; 1 unless set.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Opens every link before any node wakes, on a complete network `n (n-1) / 2` of them, in
    /// place of opening links on demand.
    #[must_use]
    pub fn connect_first(self, connect_first: bool) -> Self {
        Self { connect_first, ..self }
    }

    /// Sets whether the outcomes record each step of each process.
    #[must_use]
    pub fn steps(self, steps: bool) -> Self {
        Self { steps, ..self }
    }

    /// Sets how long nodes wait.
    #[must_use]
    pub fn timeouts(self, timeouts: Timeouts) -> Self {
        Self { timeouts, ..self }
    }

    /// Creates the nodes. Over sockets they listen from now on.
    ///
    /// # Errors
    /// If the algorithm is not correct on the network, or a socket cannot be opened.
    pub async fn assemble(&self, algorithm: &impl Runnable) -> Result<Assembly, ClusterError> {
        let claims = algorithm.about().1.copied();
        let links = self.membership.wiring().links();
        let traffic = Arc::new(Traffic::default());
        let membership = &self.membership;
        let gate = self.connect_first.then(|| Arc::new(Barrier::new(membership.nodes() as usize)));
        let setup = |node| NodeSetup {
            initiator: self.initiators.as_ref().is_none_or(|who| who.contains(&node)),
            seed: self.seed,
            timeouts: self.timeouts,
            steps: self.steps,
            limits: NodeLimits { window: self.capacity, unauthenticated: None },
            ..NodeSetup::new(membership.clone(), node)
        };
        let make = |setup, links| algorithm.node(setup, gate.clone(), links);
        if self.medium == LinkMedium::Channels {
            let capacity = setup(0).limits.window_for(membership.nodes());
            let setups = (0..membership.nodes()).map(setup);
            return Ok(Assembly {
                nodes: joined(setups, capacity, Some(&traffic), make)?,
                traffic,
                claims,
                links,
            });
        }
        let (mut listeners, mut addresses) = (Vec::new(), Vec::new());
        for _ in 0..membership.nodes() {
            let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
            addresses.push(listener.local_addr()?.to_string());
            listeners.push(listener);
        }
        let addresses: Arc<[String]> = addresses.into();
        let mut nodes = Vec::new();
        for ((node, listener), security) in (0..).zip(listeners).zip(self.protections()?) {
            let tcp = Tcp { listener, addresses: addresses.clone(), security };
            nodes.push(make(setup(node), NodeLinks::Tcp(tcp, Some(traffic.clone())))?);
        }
        Ok(Assembly { nodes, traffic, claims, links })
    }

    /// Creates the nodes and holds the election.
    ///
    /// The messages of a [`Custom`](suffrage_algorithms::Custom) algorithm must derive serde's
    /// traits, since they are sent to other nodes:
    ///
    /// ```compile_fail,E0277
    /// use suffrage_model::{Kind, Message, Wire};
    ///
    /// #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    /// struct Token;
    /// impl Message for Token {
    ///     const KINDS: &'static [Kind] = &[Kind::election("token")];
    ///     fn kind(&self) -> usize { 0 }
    /// }
    /// fn is_wire<M: Wire>() {}
    /// is_wire::<Token>(); // error: `Token` cannot be sent to another host
    /// ```
    ///
    /// # Errors
    /// As [`assemble`](Self::assemble) and [`Assembly::elect`].
    pub async fn elect(&self, algorithm: &impl Runnable) -> Result<ClusterSummary, ClusterError> {
        Ok(self.assemble(algorithm).await?.elect().await?)
    }

    fn protections(&self) -> Result<Vec<Security>, ClusterError> {
        match self.medium {
            #[cfg(feature = "certificates")]
            LinkMedium::Tls => {
                use crate::certificates::{Authority, CertificateSubject};
                let authority = Authority::new()?;
                let one = |&id: &Id| {
                    let subject = CertificateSubject::Node(id.get());
                    let credentials = authority.credentials(self.membership.name(), subject)?;
                    Ok(Security::Tls(crate::Tls::new(credentials)?))
                };
                self.membership.ids().iter().map(one).collect()
            }
            LinkMedium::Tcp | LinkMedium::Channels => {
                Ok(vec![Security::None; self.membership.nodes() as usize])
            }
        }
    }
}

impl Assembly {
    /// Returns a view of each node.
    #[must_use]
    pub fn watch(&self) -> Vec<watch::Receiver<NodeView>> {
        self.nodes.iter().map(Node::watch).collect()
    }

    /// Returns the nodes, in order, to be run one by one. A node that is dropped has crashed.
    #[must_use]
    pub fn into_nodes(self) -> Vec<Node> {
        self.nodes
    }

    /// Holds the election. Cancelled, it drops all nodes.
    ///
    /// # Errors
    /// If a node fails.
    pub async fn elect(self) -> Result<ClusterSummary, ElectionError> {
        let mut tasks = JoinSet::new();
        for mut node in self.nodes {
            tasks.spawn(async move { node.elect().await });
        }
        let mut outcomes = Vec::new();
        while let Some(joined) = tasks.join_next().await {
            outcomes.push(joined.map_err(|error| ElectionError::Task(error.to_string()))??);
        }
        let summary = ClusterSummary::new(outcomes, self.links, self.claims.as_ref());
        Ok(ClusterSummary { peak_in_flight: self.traffic.peak(), ..summary })
    }
}

/// The result of an election of all nodes.
#[derive(Clone, Debug)]
pub struct ClusterSummary {
    /// The outcomes of the nodes, in order.
    pub outcomes: Vec<NodeOutcome>,
    /// The verdict on the election: its leader, and the properties that it violated.
    pub verdict: Verdict,
    /// The maximal number of messages that were sent and not yet known to be taken.
    pub peak_in_flight: u64,
}

impl ClusterSummary {
    /// Judges the outcomes of all nodes, on a network with this number of links.
    ///
    /// Without claims only the properties of every election are checked.
    #[must_use]
    pub fn new(mut outcomes: Vec<NodeOutcome>, links: u64, claims: Option<&Claims>) -> Self {
        outcomes.sort_by_key(|outcome| outcome.node);
        let reports: Vec<_> = outcomes.iter().map(NodeReport::from).collect();
        Self { verdict: verdict(claims, links, &reports), outcomes, peak_in_flight: 0 }
    }

    /// Returns the node that leads; `None` if there is none or more than one.
    #[must_use]
    pub fn leader(&self) -> Option<&NodeOutcome> {
        let mut leaders = self.outcomes.iter().filter(|one| one.role == Status::Leader);
        leaders.next().filter(|_| leaders.next().is_none())
    }

    /// Returns whether every node names the leader. If the leader is anonymous, and does not even name itself, returns
    /// whether every other node follows.
    #[must_use]
    pub fn agreed(&self) -> bool {
        self.leader().is_some_and(|leader| {
            let name = leader.leader.map(|_| leader.id);
            let decided = |one: &NodeOutcome| one.role != Status::Undecided;
            self.outcomes.iter().all(|one| one.leader == name && decided(one))
        })
    }

    /// Returns the time from the start until the last node knew the leader; `None` if one never
    /// did.
    #[must_use]
    pub fn time(&self) -> Option<Duration> {
        let decided: Option<Vec<Instant>> = self.outcomes.iter().map(|one| one.decided).collect();
        let began = self.outcomes.iter().map(|one| one.began).min()?;
        Some(decided?.into_iter().max()?.saturating_duration_since(began))
    }

    /// Returns the number of messages sent of each kind, in the algorithm's order.
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

    /// Returns the number of messages sent.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.outcomes.iter().map(NodeOutcome::total).sum()
    }

    /// Returns the length of the longest chain of messages.
    #[must_use]
    pub fn causal_depth(&self) -> u32 {
        self.outcomes.iter().map(|one| one.causal_depth).max().unwrap_or(0)
    }

    /// Returns the number of messages that arrived after a process had halted.
    #[must_use]
    pub fn late(&self) -> u64 {
        self.outcomes.iter().map(|one| one.late).sum()
    }

    /// Returns the number of links that were opened.
    #[must_use]
    pub fn links(&self) -> usize {
        self.outcomes.iter().map(|one| one.links).sum::<usize>() / 2
    }

    /// Returns the number of nodes that woke by themselves.
    #[must_use]
    pub fn woken(&self) -> u64 {
        self.outcomes.iter().filter(|one| one.woke).count() as u64
    }
}
