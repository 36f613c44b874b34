//! A node: one process of an election, on links.

use crate::driver::{Part, drive};
use crate::error::ElectionError;
use crate::limits::Limits;
use crate::membership::Membership;
use crate::observed::Observer;
use crate::outcome::Outcome;
use crate::timeouts::Timeouts;
use crate::transport::channels::{Hub, Inbox};
use crate::transport::sockets::{Endpoint, Security, Sockets};
use crate::view::{Stage, View, Viewed};
use crate::window::Traffic;
use crate::wire::Payload;
use serde::{Serialize, de::DeserializeOwned};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use suffrage_algorithms::{Algorithm, Claimed, Claims, Custom, WireVisitor};
use suffrage_model::{NetworkClass, Process, Wire};
use suffrage_networks::wiring::Unsuited;
use tokio::net::TcpListener;
use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::{Barrier, watch};
use tokio::task::JoinHandle;

/// The length of a tick of an alarm, unless another one is set.
pub const TICK: Duration = Duration::from_millis(10);

/// The settings of one node.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The membership that all nodes share.
    pub membership: Arc<Membership>,
    /// The number of this node in the network.
    pub node: u32,
    /// Whether it wakes by itself, as soon as [`Node::elect`] is called; others wait for a message.
    pub initiator: bool,
    /// The seed for algorithms that draw coins; nodes with the same seed draw different ones.
    pub seed: u64,
    /// The length of a tick of an alarm.
    pub tick: Duration,
    /// Its timeouts.
    pub timeouts: Timeouts,
    /// Its limits on memory.
    pub limits: Limits,
    /// Whether the [`Outcome`] records each step of the process. Takes memory for every message.
    pub steps: bool,
}

impl Setup {
    /// Creates the settings of an initiator with the default timeouts and limits.
    #[must_use]
    pub fn new(membership: Arc<Membership>, node: u32) -> Self {
        Self {
            membership,
            node,
            initiator: true,
            seed: 1,
            tick: TICK,
            timeouts: Timeouts::default(),
            limits: Limits::default(),
            steps: false,
        }
    }
}

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
/// [`elect`](Self::elect) is called. Several nodes can run in one program; they share no state but
/// what they are given. A node that is dropped is gone at once, with its tasks and connections; to
/// the others it has crashed, unless all had halted.
#[derive(Debug)]
pub struct Node {
    view: watch::Receiver<View>,
    state: State,
}

type Election = Pin<Box<dyn Future<Output = Result<Outcome, ElectionError>> + Send>>;

enum State {
    Ready(Election),
    Running(Running),
    Over(Box<Result<Outcome, ElectionError>>),
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Ready(_) => "Ready",
            Self::Running(_) => "Running",
            Self::Over(_) => "Over",
        })
    }
}

/// A task that is aborted when this is dropped.
struct Running(JoinHandle<Result<Outcome, ElectionError>>);

impl Drop for Running {
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
    pub fn tcp(algorithm: &impl Subject, setup: Setup, tcp: Tcp) -> Result<Self, ElectionError> {
        algorithm.node(setup, None, Links::Tcp(tcp, None))
    }

    /// Creates all nodes of a cluster, linked by channels that hold `capacity` messages each way,
    /// at least one. A process that sends into a full link waits, in order, before it receives
    /// anything more.
    ///
    /// # Errors
    /// If the algorithm is not correct on the network.
    pub fn channels(
        algorithm: &impl Subject,
        setups: impl IntoIterator<Item = Setup>,
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
    pub async fn elect(&mut self) -> Result<Outcome, ElectionError> {
        if let State::Ready(election) = &mut self.state {
            let election = std::mem::replace(election, Box::pin(std::future::pending()));
            self.state = State::Running(Running(tokio::spawn(election)));
        }
        let result = match &mut self.state {
            State::Over(result) => return (**result).clone(),
            State::Running(Running(task)) => match task.await {
                Ok(result) => result,
                Err(error) => Err(ElectionError::Task(error.to_string())),
            },
            State::Ready(_) => std::future::pending().await,
        };
        self.state = State::Over(Box::new(result.clone()));
        result
    }

    /// Returns a view of the node, which is updated whenever it changes.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<View> {
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
pub trait Subject: private::Subject {}

impl<S: private::Subject> Subject for S {}

pub(crate) mod private {
    use super::{Claims, ElectionError, Gate, Links, NetworkClass, Node, Setup};

    /// The private part of a subject.
    pub trait Subject {
        #[expect(private_interfaces, reason = "only this crate calls it")]
        fn node(&self, setup: Setup, gate: Gate, links: Links) -> Result<Node, ElectionError>;

        fn claims(&self) -> Option<&Claims>;

        fn name(&self) -> &str;

        fn network(&self) -> NetworkClass;
    }
}

/// Creates a node for an algorithm of the catalogue.
struct Make<'a> {
    name: &'a str,
    setup: Setup,
    gate: Gate,
    links: Links,
}

impl WireVisitor for Make<'_> {
    type Output = Result<Node, ElectionError>;

    fn visit<P: Claimed<Msg: Wire> + Serialize + DeserializeOwned>(self) -> Self::Output {
        make::<P>(self.name, self.setup, self.gate, self.links, None)
    }
}

#[expect(private_interfaces, reason = "only this crate calls it")]
impl private::Subject for Algorithm {
    fn node(&self, setup: Setup, gate: Gate, links: Links) -> Result<Node, ElectionError> {
        self.visit_wire(Make { name: self.name, setup, gate, links })
    }

    fn claims(&self) -> Option<&Claims> {
        Some(&self.claims)
    }

    fn name(&self) -> &str {
        self.name
    }

    fn network(&self) -> NetworkClass {
        self.network
    }
}

#[expect(private_interfaces, reason = "only this crate calls it")]
impl<P: Process<Msg: Wire>> private::Subject for Custom<P> {
    fn node(&self, setup: Setup, gate: Gate, links: Links) -> Result<Node, ElectionError> {
        make::<P>(self.name(), setup, gate, links, None)
    }

    fn claims(&self) -> Option<&Claims> {
        self.claims()
    }

    fn name(&self) -> &str {
        self.name()
    }

    fn network(&self) -> NetworkClass {
        P::NETWORK
    }
}

/// Creates nodes on channels.
pub(crate) fn joined(
    setups: impl IntoIterator<Item = Setup>,
    capacity: u32,
    traffic: Option<&Arc<Traffic>>,
    mut node: impl FnMut(Setup, Links) -> Result<Node, ElectionError>,
) -> Result<Vec<Node>, ElectionError> {
    let mut setups = setups.into_iter().peekable();
    let Some(first) = setups.peek() else { return Ok(Vec::new()) };
    let (hub, inboxes) = Hub::new(first.membership.clone(), capacity.max(1));
    let hub = Arc::new(hub);
    setups
        .zip(inboxes)
        .map(|(setup, inbox)| node(setup, Links::Channels(hub.clone(), inbox, traffic.cloned())))
        .collect()
}

/// The links of a node.
pub(crate) enum Links {
    Tcp(Tcp, Option<Arc<Traffic>>),
    Channels(Arc<Hub>, Inbox, Option<Arc<Traffic>>),
}

/// A barrier at which a node waits for all others, with its links open, before it starts.
pub(crate) type Gate = Option<Arc<Barrier>>;

pub(crate) fn make<P: Process<Msg: Wire>>(
    name: &str,
    setup: Setup,
    gate: Gate,
    links: Links,
    observer: Option<Observer<P>>,
) -> Result<Node, ElectionError> {
    let Setup { membership, node, initiator, seed, tick, timeouts, limits, steps } = setup;
    if P::TIMING.in_rounds() {
        return Err(ElectionError::Rounds(name.to_owned()));
    }
    if !membership.wiring().fits(P::NETWORK) {
        return Err(ElectionError::Network { algorithm: name.to_owned(), wanted: P::NETWORK });
    }
    Unsuited::check_ids(P::NETWORK, membership.ids(), membership.nodes().into())?;
    assert!(
        node < membership.nodes(),
        "there are {} nodes, and none is {node}",
        membership.nodes()
    );
    let view = Arc::new(Viewed::new());
    let watch = view.watch();
    let part = Part {
        membership: membership.clone(),
        node,
        initiator,
        seed,
        tick,
        timeouts,
        view: view.clone(),
        gate,
        steps,
    };
    let (failures, mut failed) = unbounded_channel();
    let driver: Pin<Box<dyn Future<Output = Outcome> + Send>> = match links {
        Links::Channels(hub, inbox, traffic) => {
            Box::pin(drive::<P, _>(part, observer, hub.links(node, inbox, traffic, failures)))
        }
        Links::Tcp(tcp, traffic) => {
            assert_eq!(
                tcp.addresses.len(),
                membership.nodes() as usize,
                "an address for each node"
            );
            let endpoint = |inbox| Endpoint {
                algorithm: name.to_owned(),
                node,
                incarnation: incarnation(),
                addresses: tcp.addresses,
                security: tcp.security,
                limits,
                timeouts,
                longest: longest::<P>(),
                valid: |bytes| Payload::<P::Msg>::from_bytes(bytes).is_some(),
                view: view.clone(),
                failures,
                inbox,
                membership,
            };
            Box::pin(drive::<P, _>(part, observer, Sockets::new(endpoint, tcp.listener, traffic)))
        }
    };
    let election = async move {
        tokio::pin!(driver);
        loop {
            // Failures first: a task that has panicked can look like one that has ended.
            tokio::select! {
                biased;
                Some(failure) = failed.recv() => {
                    // Once this node may leave, failures of others do not matter.
                    let matters = matches!(failure, ElectionError::Task(_));
                    if matters || view.now().stage < Stage::Released {
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
    };
    Ok(Node { view: watch, state: State::Ready(Box::pin(election)) })
}

/// Returns the longest frame that an algorithm can need: a message is plain data, and no number
/// takes more than 5/4 of its size in memory.
const fn longest<P: Process>() -> usize {
    64 + 2 * size_of::<Payload<P::Msg>>()
}

fn incarnation() -> u64 {
    let mut hasher = RandomState::new().build_hasher();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    hasher.write_u128(now.as_nanos());
    hasher.write_u32(std::process::id());
    hasher.finish()
}
