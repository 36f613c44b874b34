//! A whole cluster inside one program.

mod summary;

pub use summary::Summary;

use crate::error::ElectionError;
use crate::limits::Limits;
use crate::membership::{Membership, MembershipError};
use crate::node::{Links, Node, Setup, Subject, Tcp, joined};
use crate::timeouts::Timeouts;
use crate::transport::sockets::Security;
use crate::view::View;
use crate::window::Traffic;
use std::io;
use std::sync::Arc;
use suffrage_algorithms::Claims;
use suffrage_model::Id;
use suffrage_networks::wiring::Wiring;
use tokio::net::TcpListener;
use tokio::sync::{Barrier, watch};
use tokio::task::JoinSet;

/// The medium of the links between nodes of one program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Medium {
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
/// use suffrage_runtime::{Cluster, Medium};
/// use suffrage_networks::{Ids, wiring::Wiring};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let humblet = Algorithm::named("humblet").ok_or("no such algorithm")?;
/// let summary = Cluster::new(Wiring::complete(4), Ids::Random.assign(4, 7))?
///     .medium(Medium::Channels)
///     .initiators([0, 2])
///     .elect(humblet)
///     .await?;
/// assert!(summary.agreed());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Cluster {
    membership: Arc<Membership>,
    medium: Medium,
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
            medium: Medium::default(),
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
    pub fn medium(self, medium: Medium) -> Self {
        Self { medium, ..self }
    }

    /// Sets how many messages a link holds in each direction that the receiving process has not
    /// taken; [`Limits::window`] unless set.
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
    pub async fn assemble(&self, algorithm: &impl Subject) -> Result<Assembly, ClusterError> {
        let claims = algorithm.claims().copied();
        let links = self.membership.wiring().links();
        let traffic = Arc::new(Traffic::default());
        let membership = &self.membership;
        let gate = self.connect_first.then(|| Arc::new(Barrier::new(membership.nodes() as usize)));
        let setup = |node| Setup {
            initiator: self.initiators.as_ref().is_none_or(|who| who.contains(&node)),
            seed: self.seed,
            timeouts: self.timeouts,
            steps: self.steps,
            limits: Limits { window: self.capacity, unauthenticated: None },
            ..Setup::new(membership.clone(), node)
        };
        let make = |setup, links| algorithm.node(setup, gate.clone(), links);
        if self.medium == Medium::Channels {
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
            nodes.push(make(setup(node), Links::Tcp(tcp, Some(traffic.clone())))?);
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
    pub async fn elect(&self, algorithm: &impl Subject) -> Result<Summary, ClusterError> {
        Ok(self.assemble(algorithm).await?.elect().await?)
    }

    fn protections(&self) -> Result<Vec<Security>, ClusterError> {
        match self.medium {
            #[cfg(feature = "certificates")]
            Medium::Tls => {
                use crate::certificates::{Authority, CertificateSubject};
                let authority = Authority::new()?;
                let one = |&id: &Id| {
                    let subject = CertificateSubject::Node(id.get());
                    let credentials = authority.credentials(self.membership.name(), subject)?;
                    Ok(Security::Tls(crate::Tls::new(credentials)?))
                };
                self.membership.ids().iter().map(one).collect()
            }
            Medium::Tcp | Medium::Channels => {
                Ok(vec![Security::None; self.membership.nodes() as usize])
            }
        }
    }
}

impl Assembly {
    /// Returns a view of each node.
    #[must_use]
    pub fn watch(&self) -> Vec<watch::Receiver<View>> {
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
    pub async fn elect(self) -> Result<Summary, ElectionError> {
        let mut tasks = JoinSet::new();
        for mut node in self.nodes {
            tasks.spawn(async move { node.elect().await });
        }
        let mut outcomes = Vec::new();
        while let Some(joined) = tasks.join_next().await {
            outcomes.push(joined.map_err(|error| ElectionError::Task(error.to_string()))??);
        }
        let summary = Summary::new(outcomes, self.links, self.claims.as_ref());
        Ok(Summary { peak_in_flight: self.traffic.peak(), ..summary })
    }
}
