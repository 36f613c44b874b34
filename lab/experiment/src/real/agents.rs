//! Agents that meet by messages, as algorithms that nodes can run.

use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use suffrage_algorithms::{Custom, Violation};
use suffrage_model::Id;
use suffrage_population::agents::{
    CAPACITY, KnowsAll, MeetingAgent, MeetingRecord, Meets, RecordEntry,
};
use suffrage_population::experiment::NamedProtocol;
use suffrage_population::protocols::{Agent, NumberedCandidate, SelfTerminating};
use suffrage_runtime::{
    Assembly, Cluster, ClusterError, ConfigError, Node, NodeConfig, Observed, PlaceInCluster,
};

/// A protocol whose agents can meet by messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agents {
    /// Algorithm 1.
    KnownBounds,
    /// Algorithm 2.
    Epidemic,
    /// Algorithm 3.
    SelfTerminating,
}

impl Agents {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::KnownBounds, Self::Epidemic, Self::SelfTerminating];

    /// The protocol of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agents| agents.name() == name)
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.protocol().name()
    }

    /// The protocol, with the default parameters.
    #[must_use]
    pub const fn protocol(self) -> NamedProtocol {
        match self {
            Self::KnownBounds => NamedProtocol::KnownBounds,
            Self::Epidemic => NamedProtocol::Epidemic { printed: false },
            Self::SelfTerminating => NamedProtocol::SelfTerminating(SelfTerminating::DEFAULT),
        }
    }

    /// Checks identities and the capacity of links.
    ///
    /// # Errors
    /// If agents cannot have them.
    pub fn check(self, ids: &[Id], capacity: Option<u32>) -> Result<(), Error> {
        if let Some(capacity) = capacity.filter(|&capacity| capacity < CAPACITY) {
            return Err(Error::new(format!(
                "capacity {capacity}: links between agents hold {CAPACITY} messages or more, so that \
                 no agent waits for room"
            )));
        }
        if let Some(id) = ids.iter().find(|id| id.get() > u32::MAX.into()) {
            return Err(Error::new(format!(
                "the id {id}: agents have identities up to {}",
                u32::MAX
            )));
        }
        let nodes = ids.len() as u64;
        let ranks = 1..=nodes;
        let other = ids.iter().find(|id| !ranks.contains(&id.get()));
        match (self, other) {
            (Self::KnownBounds, Some(id)) => Err(Error::new(format!(
                "the id {id}: agents of known-bounds are numbered 1 to {nodes}, since there are \
                 {nodes}"
            ))),
            _ => Ok(()),
        }
    }

    /// Creates the nodes of a cluster, whose agents the recorder sees.
    ///
    /// # Errors
    /// If it is not possible.
    pub async fn assemble(
        self,
        cluster: &Cluster,
        recorder: &Arc<Recorder>,
    ) -> Result<Assembly, ClusterError> {
        match self {
            Self::KnownBounds => cluster.assemble(&self.observed::<KnowsAll>(recorder)).await,
            Self::Epidemic => {
                cluster.assemble(&self.observed::<MeetingAgent<NumberedCandidate>>(recorder)).await
            }
            Self::SelfTerminating => {
                cluster.assemble(&self.observed::<MeetingAgent<Agent>>(recorder)).await
            }
        }
    }

    /// The place of a node in the cluster of its configuration.
    ///
    /// # Errors
    /// If the configuration is wrong.
    pub fn place(self, config: &NodeConfig) -> Result<PlaceInCluster, ConfigError> {
        // All of them are for the same networks.
        config.place_for(&Custom::<KnowsAll>::new(self.name()))
    }

    /// Creates a node, whose agent the recorder sees.
    ///
    /// # Errors
    /// If the configuration is wrong, or its address cannot be used.
    pub async fn bind(
        self,
        config: &NodeConfig,
        recorder: &Arc<Recorder>,
    ) -> Result<Node, ConfigError> {
        match self {
            Self::KnownBounds => config.bind_to(&self.observed::<KnowsAll>(recorder)).await,
            Self::Epidemic => {
                config.bind_to(&self.observed::<MeetingAgent<NumberedCandidate>>(recorder)).await
            }
            Self::SelfTerminating => {
                config.bind_to(&self.observed::<MeetingAgent<Agent>>(recorder)).await
            }
        }
    }

    fn observed<P: Meets>(self, recorder: &Arc<Recorder>) -> Observed<P> {
        let recorder = recorder.clone();
        Observed::new(Custom::new(self.name()), move |node, agent: &P| {
            recorder.see(node, agent);
        })
    }
}

/// The numbers of identities, which have been [checked](Agents::check).
#[must_use]
pub fn numbers(ids: &[Id]) -> Vec<u32> {
    ids.iter().map(|id| id.get() as u32).collect()
}

/// A record that the tasks of all nodes write.
pub struct Recorder {
    /// When it was created, in seconds since 1970.
    began: f64,
    created: Instant,
    record: Mutex<MeetingRecord>,
}

impl Recorder {
    /// An empty record.
    #[must_use]
    pub fn new(ids: &[Id]) -> Arc<Self> {
        Arc::new(Self {
            began: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64(),
            created: Instant::now(),
            record: Mutex::new(MeetingRecord::new(numbers(ids))),
        })
    }

    fn see(&self, node: u32, agent: &impl Meets) {
        self.with(|record, now| record.observe(now, node, agent.snapshot()));
    }

    /// Uses the record, at this moment in seconds since 1970.
    pub fn with<T>(&self, use_it: impl FnOnce(&mut MeetingRecord, f64) -> T) -> T {
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        // Read under the lock, so that times are in the order of the entries.
        use_it(&mut record, self.began + self.created.elapsed().as_secs_f64())
    }
}

/// The report of one agent. Its keys are those of the JSON report of a node.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AgentMember {
    /// The name of the cluster.
    pub cluster: String,
    /// The name of the protocol.
    pub algorithm: String,
    /// The number of its node.
    pub node: u32,
    /// Its identity.
    pub id: u64,
    /// The leader, once it has decided.
    pub leader: Option<u64>,
    /// The identity that it holds.
    pub holds: u32,
    /// Whether it has decided that it is the leader.
    pub leads: bool,
    /// Whether it has declared the election complete by itself.
    pub declared: bool,
    /// Its meetings until it knew that the election is complete.
    pub knew_at: Option<u32>,
    /// Its meetings as the initiator.
    pub initiated: u32,
    /// Its meetings as the responder.
    pub answered: u32,
    /// The invitations that it has refused or taken back.
    pub refused: u32,
    /// Whether it has halted.
    pub halted: bool,
    /// Whether all agents are known to have halted.
    pub all_halted: bool,
    /// When it started, in seconds since 1970.
    pub started: f64,
    /// The number of seconds from then until it had decided.
    pub time: Option<f64>,
    /// What it showed, if steps are asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<RecordEntry>,
    /// The properties that it has seen broken.
    pub violations: Vec<Violation>,
}
