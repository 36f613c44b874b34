//! A node: one process of an election, on links.

use crate::driver::drive;
use crate::error::ElectionError;
use crate::outcome::NodeOutcome;
use crate::process::{Encoded, EncodedProcess, Observer};
use crate::setup::NodeSetup;
use crate::transport::channels::{ChannelHub, Inbox};
use crate::transport::sockets::Sockets;
use crate::transport::sockets::endpoint::{Endpoint, Security};
use crate::view::{NodeStage, NodeView, Viewed};
use crate::window::Traffic;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::pin::Pin;
use std::sync::Arc;
use std::time::SystemTime;
use suffrage_algorithms::{Algorithm, AlgorithmVisitor, Claimed, Claims, Custom};
use suffrage_model::{NetworkClass, Process, Wire};
use suffrage_networks::wiring::Unsuited;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Barrier, watch};
use tokio::task::JoinHandle;

/// The listener, addresses and security of a node over TCP.
#[derive(Debug)]
pub struct Tcp {
    /// The listener of this node.
    pub listener: TcpListener,
    /// The addresses of all nodes, in their order: `host:port`.
    pub addresses: Arc<[String]>,
    /// The protection of connections.
    pub security: Security,
}

/// One process of an election.
///
/// A node listens as soon as it is created, so that others can dial it, and takes part once
/// [`elect`](Self::elect) is called. Several nodes can run in one program; they share only the
/// state that they are given. A node that is dropped is gone at once, with its tasks and
/// connections; to the others it has crashed, unless all had halted.
#[derive(Debug)]
pub struct Node {
    view: watch::Receiver<NodeView>,
    state: NodeState,
}

type Election = Pin<Box<dyn Future<Output = Result<NodeOutcome, ElectionError>> + Send>>;

enum NodeState {
    Ready(Election),
    Running(ElectionTask),
    Over(Box<Result<NodeOutcome, ElectionError>>),
}

impl std::fmt::Debug for NodeState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Ready(_) => "Ready",
            Self::Running(_) => "ElectionTask",
            Self::Over(_) => "Over",
        })
    }
}

/// A task that is aborted when this is dropped.
struct ElectionTask(JoinHandle<Result<NodeOutcome, ElectionError>>);

impl Drop for ElectionTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Node {
    /// Creates a node that runs an algorithm over TCP. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// If the algorithm is not correct on the network.
    ///
    /// # Panics
    /// If the network has no such node, or there are not as many addresses as nodes.
    pub fn tcp(
        algorithm: &impl Runnable,
        setup: NodeSetup,
        tcp: Tcp,
    ) -> Result<Self, ElectionError> {
        algorithm.node(setup, None, NodeLinks::Tcp(tcp, None))
    }

    /// Creates all nodes of a cluster, linked by channels that hold `capacity` messages each way,
    /// at least one. A process that sends into a full link waits, in order, before it receives
    /// anything more.
    ///
    /// # Errors
    /// If the algorithm is not correct on the network.
    pub fn channels(
        algorithm: &impl Runnable,
        setups: impl IntoIterator<Item = NodeSetup>,
        capacity: u32,
    ) -> Result<Vec<Self>, ElectionError> {
        joined(setups, capacity, None, |setup, links| algorithm.node(setup, None, links))
    }

    /// Takes part in the election, and waits until all have halted: then no process needs this one
    /// any more.
    ///
    /// Cancelling the wait does not cancel the election: it goes on in a task of its own, and a
    /// further call continues to wait. Once it is over, every call returns the outcome.
    ///
    /// # Errors
    /// If a neighbour was restarted, or this process was, in the middle of the election. A missing
    /// neighbour is no error, because it may start later: see [`watch`](Self::watch).
    pub async fn elect(&mut self) -> Result<NodeOutcome, ElectionError> {
        if let NodeState::Ready(election) = &mut self.state {
            let election = std::mem::replace(election, Box::pin(std::future::pending()));
            self.state = NodeState::Running(ElectionTask(tokio::spawn(election)));
        }
        let result = match &mut self.state {
            NodeState::Over(result) => return (**result).clone(),
            NodeState::Running(ElectionTask(task)) => match task.await {
                Ok(result) => result,
                Err(error) => Err(ElectionError::Task(error.to_string())),
            },
            NodeState::Ready(_) => std::future::pending().await,
        };
        self.state = NodeState::Over(Box::new(result.clone()));
        result
    }

    /// Returns a view of the node, which is updated whenever it changes.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<NodeView> {
        self.view.clone()
    }
}

/// An algorithm that nodes can run: an [`Algorithm`] of the catalogue, or a [`Custom`] one whose
/// messages derive serde's traits, since they are sent to other nodes, alone or
/// [`Observed`](crate::Observed).
#[diagnostic::on_unimplemented(
    message = "nodes cannot run `{Self}`",
    label = "neither an algorithm of the catalogue nor a custom one",
    note = "wrap a process in `Custom`; its messages must derive serde's traits"
)]
pub trait Runnable: private::Runnable {}

impl<S: private::Runnable> Runnable for S {}

pub(crate) mod private {
    use super::{Claims, ElectionError, Gate, NetworkClass, Node, NodeLinks, NodeSetup};

    /// The private part of a subject.
    pub trait Runnable {
        #[expect(private_interfaces, reason = "only this crate calls it")]
        fn node(
            &self,
            setup: NodeSetup,
            gate: Gate,
            links: NodeLinks,
        ) -> Result<Node, ElectionError>;

        /// Returns the name of the algorithm, its claims, and the class of its networks.
        fn about(&self) -> (&str, Option<&Claims>, NetworkClass);
    }
}

struct Make<'a> {
    name: &'a str,
    setup: NodeSetup,
    gate: Gate,
    links: NodeLinks,
}

impl AlgorithmVisitor for Make<'_> {
    type Output = Result<Node, ElectionError>;

    fn visit<P: Claimed<Msg: Wire> + Serialize + DeserializeOwned>(self) -> Self::Output {
        make::<P>(self.name, self.setup, self.gate, self.links, None)
    }
}

#[expect(private_interfaces, reason = "only this crate calls it")]
impl private::Runnable for Algorithm {
    fn node(&self, setup: NodeSetup, gate: Gate, links: NodeLinks) -> Result<Node, ElectionError> {
        self.visit(Make { name: self.name, setup, gate, links })
    }

    fn about(&self) -> (&str, Option<&Claims>, NetworkClass) {
        (self.name, Some(&self.claims), self.network)
    }
}

#[expect(private_interfaces, reason = "only this crate calls it")]
impl<P: Process<Msg: Wire>> private::Runnable for Custom<P> {
    fn node(&self, setup: NodeSetup, gate: Gate, links: NodeLinks) -> Result<Node, ElectionError> {
        make::<P>(self.name(), setup, gate, links, None)
    }

    fn about(&self) -> (&str, Option<&Claims>, NetworkClass) {
        (self.name(), self.claims(), P::NETWORK)
    }
}

pub(crate) fn joined(
    setups: impl IntoIterator<Item = NodeSetup>,
    capacity: u32,
    traffic: Option<&Arc<Traffic>>,
    mut node: impl FnMut(NodeSetup, NodeLinks) -> Result<Node, ElectionError>,
) -> Result<Vec<Node>, ElectionError> {
    let mut setups = setups.into_iter().peekable();
    let Some(first) = setups.peek() else { return Ok(Vec::new()) };
    let (hub, inboxes) = ChannelHub::new(first.membership.clone(), capacity.max(1));
    let hub = Arc::new(hub);
    setups
        .zip(inboxes)
        .map(|(setup, inbox)| {
            node(setup, NodeLinks::Channels(hub.clone(), inbox, traffic.cloned()))
        })
        .collect()
}

pub(crate) enum NodeLinks {
    Tcp(Tcp, Option<Arc<Traffic>>),
    Channels(Arc<ChannelHub>, Inbox, Option<Arc<Traffic>>),
}

/// A barrier at which a node waits for all others, with its links open, before it starts.
pub(crate) type Gate = Option<Arc<Barrier>>;

pub(crate) fn make<P: Process<Msg: Wire>>(
    name: &str,
    setup: NodeSetup,
    gate: Gate,
    links: NodeLinks,
    observer: Option<Observer<P>>,
) -> Result<Node, ElectionError> {
    let membership = &setup.membership;
    if P::TIMING.in_rounds() {
        return Err(ElectionError::Rounds(name.to_owned()));
    }
    if !membership.wiring().fits(P::NETWORK) {
        return Err(ElectionError::Network { algorithm: name.to_owned(), wanted: P::NETWORK });
    }
    let nodes = membership.nodes();
    Unsuited::check_ids(P::NETWORK, membership.ids(), nodes.into())?;
    assert!(setup.node < nodes, "none of the {nodes} nodes is {}", setup.node);
    let view = Arc::new(Viewed::new());
    let watch = view.watch();
    let (failures, failed) = unbounded_channel();
    let process = Box::new(Encoded::<P>::new(&setup, observer));
    let driver = driver(name, setup, gate, links, process, &view, failures);
    Ok(Node { view: watch, state: NodeState::Ready(Box::pin(unless_failed(driver, failed, view))) })
}

type Driving = Pin<Box<dyn Future<Output = NodeOutcome> + Send>>;

/// Starts to listen, and returns what drives the process.
fn driver(
    name: &str,
    setup: NodeSetup,
    gate: Gate,
    links: NodeLinks,
    process: Box<dyn EncodedProcess>,
    view: &Arc<Viewed>,
    failures: UnboundedSender<ElectionError>,
) -> Driving {
    match links {
        NodeLinks::Channels(hub, inbox, traffic) => {
            let links = hub.links(setup.node, inbox, traffic, failures);
            Box::pin(drive(setup, process, view.clone(), gate, links))
        }
        NodeLinks::Tcp(tcp, traffic) => {
            let nodes = setup.membership.nodes() as usize;
            assert_eq!(tcp.addresses.len(), nodes, "an address for each node");
            let endpoint = |inbox| Endpoint {
                algorithm: name.to_owned(),
                node: setup.node,
                incarnation: incarnation(),
                addresses: tcp.addresses,
                security: tcp.security,
                limits: setup.limits,
                timeouts: setup.timeouts,
                longest: process.longest(),
                valid: process.validity(),
                view: view.clone(),
                failures,
                inbox,
                membership: setup.membership.clone(),
            };
            let links = Sockets::new(endpoint, tcp.listener, traffic);
            Box::pin(drive(setup, process, view.clone(), gate, links))
        }
    }
}

/// Waits for the outcome, or for a failure that leaves the node without one.
async fn unless_failed(
    mut driver: Driving,
    mut failed: UnboundedReceiver<ElectionError>,
    view: Arc<Viewed>,
) -> Result<NodeOutcome, ElectionError> {
    loop {
        // Failures first: a task that has panicked can look like one that has ended.
        tokio::select! {
            biased;
            Some(failure) = failed.recv() => {
                // Once this node may leave, failures of others do not matter.
                let matters = matches!(failure, ElectionError::Task(_));
                if matters || view.now().stage < NodeStage::Released {
                    return Err(failure);
                }
            }
            outcome = &mut driver => {
                while let Ok(failure) = failed.try_recv() {
                    if matches!(failure, ElectionError::Task(_)) {
                        return Err(failure);
                    }
                }
                return Ok(outcome);
            }
        }
    }
}

fn incarnation() -> u64 {
    let mut hasher = RandomState::new().build_hasher();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    hasher.write_u128(now.as_nanos());
    hasher.write_u32(std::process::id());
    hasher.finish()
}
