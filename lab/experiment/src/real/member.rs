//! The report of one node of a real election.

use crate::report::{AlgorithmName, MessageCounts, algorithm_name};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant, SystemTime};
use suffrage_algorithms::{Algorithm, Sent, Violation};
use suffrage_model::{Id, Status};
use suffrage_runtime::{NodeOutcome, NodeReport, ProcessStep};

/// The report of one node. Its keys are those of the JSON report of a node.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MemberReport {
    /// The name of the cluster.
    pub cluster: String,
    /// The name of the algorithm.
    #[serde(deserialize_with = "algorithm_name")]
    pub algorithm: AlgorithmName,
    /// The number of the node.
    pub node: u32,
    /// Its identity.
    pub id: u64,
    /// Its role.
    #[serde(with = "MemberRole")]
    pub role: Status,
    /// The leader, if the algorithm tells this node.
    pub leader: Option<u64>,
    /// Whether it woke by itself.
    pub initiator: bool,
    /// The messages that it has sent.
    pub messages: MessageCounts,
    /// The messages that have reached its process.
    pub received: u64,
    /// The messages that arrived after its process had halted.
    pub late: u64,
    /// The messages in the longest causal chain that has reached it.
    pub causal_depth: u32,
    /// The steps of its process, if asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<ProcessStep>,
    /// The properties that it has seen broken.
    pub violations: Vec<Violation>,
    /// Whether all nodes are known to have halted; this one has.
    pub all_halted: bool,
    /// When it started, in seconds since 1970.
    pub started: f64,
    /// The number of seconds from then until it knew the leader.
    pub time: Option<f64>,
}

/// The words of a [`Status`] in reports.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Status", rename_all = "lowercase")]
enum MemberRole {
    Undecided,
    Leader,
    Follower,
}

impl MemberReport {
    /// Creates it from what a node has found.
    #[must_use]
    pub fn of(algorithm: &'static Algorithm, cluster: &str, outcome: &NodeOutcome) -> Self {
        Self {
            cluster: cluster.to_owned(),
            algorithm: algorithm.name,
            node: outcome.node,
            id: outcome.id.get(),
            role: outcome.role,
            leader: outcome.leader.map(Id::get),
            initiator: outcome.woke,
            messages: MessageCounts::of(outcome.sent.iter().copied()),
            received: outcome.received,
            late: outcome.late,
            causal_depth: outcome.causal_depth,
            steps: outcome.steps.clone(),
            violations: outcome.violations.clone(),
            all_halted: outcome.all_halted,
            started: since_1970(outcome.began),
            time: outcome.time_to_decide().map(|time| time.as_secs_f64()),
        }
    }
}

impl From<&MemberReport> for NodeReport {
    fn from(member: &MemberReport) -> Self {
        let MessageCounts { election, announcement, .. } = member.messages;
        Self {
            id: Id::new(member.id),
            woke: member.initiator,
            status: member.role,
            leader: member.leader.map(Id::new),
            sent: Sent { election, announcement },
            received: member.received,
            late: member.late,
            violations: member.violations.clone(),
        }
    }
}

fn since_1970(instant: Instant) -> f64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    now.saturating_sub(instant.elapsed()).as_secs_f64()
}
