//! Agents that meet by messages, as algorithms that nodes can run: shared code of `cluster` and
//! `node`.

use crate::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use suffrage::algorithms::Custom;
use suffrage::model::Id;
use suffrage::population::agents::{CAPACITY, KnowsAll, MeetingAgent, MeetingRecord, Meets};
use suffrage::population::experiment::NamedProtocol;
use suffrage::population::protocols::{Agent, NumberedCandidate, SelfTerminating};
use suffrage::runtime::{
    Assembly, Cluster, ClusterError, ConfigError, Node, NodeConfig, Observed, PlaceInCluster,
};

/// A protocol whose agents can meet by messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agents {
    /// Algorithm 1.
    KnownBounds,
    /// Algorithm 2.
    Epidemic,
    /// Algorithm 3.
    SelfTerminating,
}

impl Agents {
    pub(crate) const ALL: [Self; 3] = [Self::KnownBounds, Self::Epidemic, Self::SelfTerminating];

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agents| agents.name() == name)
    }

    pub(crate) const fn name(self) -> &'static str {
        self.protocol().name()
    }

    pub(crate) const fn protocol(self) -> NamedProtocol {
        match self {
            Self::KnownBounds => NamedProtocol::KnownBounds,
            Self::Epidemic => NamedProtocol::Epidemic { printed: false },
            Self::SelfTerminating => NamedProtocol::SelfTerminating(SelfTerminating::DEFAULT),
        }
    }

    /// Checks identities and the capacity of links.
    pub(crate) fn check(self, ids: &[Id], capacity: Option<u32>) -> Result<(), Error> {
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
    pub(crate) async fn assemble(
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

    pub(crate) fn place(self, config: &NodeConfig) -> Result<PlaceInCluster, ConfigError> {
        // All of them are for the same networks.
        config.place_for(&Custom::<KnowsAll>::new(self.name()))
    }

    /// Creates a node, whose agent the recorder sees.
    pub(crate) async fn bind(
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
pub(crate) fn numbers(ids: &[Id]) -> Vec<u32> {
    ids.iter().map(|id| id.get() as u32).collect()
}

/// A record that the tasks of all nodes write.
pub(crate) struct Recorder {
    /// When it was created, in seconds since 1970.
    began: f64,
    created: Instant,
    record: Mutex<MeetingRecord>,
}

impl Recorder {
    pub(crate) fn new(ids: &[Id]) -> Arc<Self> {
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
    pub(crate) fn with<T>(&self, use_it: impl FnOnce(&mut MeetingRecord, f64) -> T) -> T {
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        // Read under the lock, so that times are in the order of the entries.
        use_it(&mut record, self.began + self.created.elapsed().as_secs_f64())
    }
}
