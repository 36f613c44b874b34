//! The report of one node of a real election.

use super::sheet::Sheet;
use crate::terminal::Emphasis;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::{Duration, Instant, SystemTime};
use suffrage::algorithms::{Algorithm, AlgorithmVisitor, Claimed, Violation};
use suffrage::experiment::number::grouped;
use suffrage::experiment::report::{MeasuredTime, MessageCounts};
use suffrage::model::{Kind, Message, Phase, Status};
use suffrage::runtime::{NodeOutcome, ProcessStep};

/// The report of one node. Its keys are those of the JSON report of a node.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MemberReport {
    pub(crate) cluster: String,
    pub(crate) algorithm: &'static str,
    pub(crate) node: u32,
    pub(crate) id: u64,
    pub(crate) role: MemberRole,
    pub(crate) leader: Option<u64>,
    /// Whether it woke by itself.
    pub(crate) initiator: bool,
    /// The messages that it has sent.
    pub(crate) messages: MessageCounts,
    pub(crate) received: u64,
    pub(crate) late: u64,
    pub(crate) causal_depth: u32,
    /// The steps of its process, if asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) steps: Vec<ProcessStep>,
    pub(crate) violations: Vec<Violation>,
    /// Whether all nodes are known to have halted; this one has.
    pub(crate) all_halted: bool,
    /// When it started, in seconds since 1970.
    pub(crate) started: f64,
    /// The number of seconds from then until it knew the leader.
    pub(crate) time: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MemberRole {
    Undecided,
    Leader,
    Follower,
}

impl MemberReport {
    pub(crate) fn of(algorithm: &'static Algorithm, cluster: &str, outcome: &NodeOutcome) -> Self {
        let kinds = outcome.sent.iter().map(|(kind, count)| (*kind, *count));
        Self {
            cluster: cluster.to_owned(),
            algorithm: algorithm.name,
            node: outcome.node,
            id: outcome.id.get(),
            role: match outcome.role {
                Status::Undecided => MemberRole::Undecided,
                Status::Leader => MemberRole::Leader,
                Status::Follower => MemberRole::Follower,
            },
            leader: outcome.leader.map(suffrage::model::Id::get),
            initiator: outcome.woke,
            messages: messages(kinds),
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

    /// Parses a JSON report of a node. The error names the wrong key.
    pub(crate) fn read(algorithm: &'static Algorithm, text: &str) -> Result<Self, String> {
        let report: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let wrong = |key: &str| format!("`{key}` is not what a node writes");
        let number = |key: &str| report[key].as_u64().ok_or_else(|| wrong(key));
        let small = |key: &str| number(key)?.try_into().map_err(|_| wrong(key));
        let sent = &report["messages"]["by_kind"];
        let counts =
            kinds(algorithm).iter().map(|kind| (kind, sent[kind.name].as_u64().unwrap_or(0)));
        Ok(Self {
            cluster: report["cluster"].as_str().unwrap_or_default().to_owned(),
            algorithm: algorithm.name,
            node: small("node")?,
            id: number("id")?,
            role: match report["role"].as_str() {
                Some("leader") => MemberRole::Leader,
                Some("follower") => MemberRole::Follower,
                _ => MemberRole::Undecided,
            },
            leader: report["leader"].as_u64(),
            initiator: report["initiator"].as_bool().ok_or_else(|| wrong("initiator"))?,
            messages: messages(counts),
            received: number("received")?,
            late: number("late")?,
            causal_depth: small("causal_depth")?,
            steps: match report.get("steps") {
                Some(steps) => Deserialize::deserialize(steps).map_err(|_| wrong("steps"))?,
                None => Vec::new(),
            },
            violations: Deserialize::deserialize(&report["violations"])
                .map_err(|_| wrong("violations"))?,
            all_halted: report["all_halted"].as_bool().unwrap_or(false),
            started: report["started"].as_f64().ok_or_else(|| wrong("started"))?,
            time: report["time"].as_f64(),
        })
    }

    /// Formats the report for people.
    pub(crate) fn text(&self) -> String {
        let mut sheet = Sheet::titled(&format!(
            "{} in cluster {}, node {}",
            self.algorithm, self.cluster, self.id
        ));
        let leader = match (self.leader, self.role) {
            (Some(id), MemberRole::Leader) => format!("{id}, this node"),
            (Some(id), _) => id.to_string(),
            (None, _) => "not this node; the algorithm tells it no more".to_owned(),
        };
        sheet.emphasized("leader", &leader, Emphasis::Leader);
        let role = match self.role {
            MemberRole::Undecided => "undecided",
            MemberRole::Leader => "leader",
            MemberRole::Follower => "follower",
        };
        sheet.line("role", role);
        let halted = if self.all_halted {
            "all have halted"
        } else {
            "this node has halted; it is not known whether all have, because the node that would \
             report it could not be reached any more"
        };
        sheet.line("outcome", halted);
        let sent: Vec<_> = self
            .messages
            .by_kind
            .iter()
            .map(|(kind, count)| format!("{kind} {}", grouped(count)))
            .collect();
        sheet.line("sent", &format!("{} = {}", grouped(self.messages.total), sent.join(", ")));
        sheet.line("received", &grouped(self.received));
        if self.late > 0 {
            sheet.line("late", &grouped(self.late));
        }
        sheet.line("causal depth", &grouped(self.causal_depth));
        if let Some(time) = self.time {
            sheet.line("time", &MeasuredTime::Seconds(time).text());
        }
        for violation in &self.violations {
            sheet.headline(&format!("BROKEN: {violation}"));
        }
        sheet.into_text()
    }
}

pub(crate) fn messages(counts: impl Iterator<Item = (&'static Kind, u64)>) -> MessageCounts {
    let counts: Vec<_> = counts.collect();
    let of = |phase| counts.iter().filter(|(kind, _)| kind.phase == phase).map(|(_, n)| n).sum();
    MessageCounts {
        total: counts.iter().map(|(_, count)| count).sum(),
        election: of(Phase::Election),
        announcement: of(Phase::Announcement),
        by_kind: counts.iter().map(|(kind, count)| (kind.name, *count)).collect(),
    }
}

pub(crate) fn kinds(algorithm: &Algorithm) -> &'static [Kind] {
    struct Kinds;
    impl AlgorithmVisitor for Kinds {
        type Output = &'static [Kind];
        fn visit<P: Claimed>(self) -> Self::Output {
            P::Msg::KINDS
        }
    }
    algorithm.visit(Kinds)
}

fn since_1970(instant: Instant) -> f64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    now.saturating_sub(instant.elapsed()).as_secs_f64()
}
