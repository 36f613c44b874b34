//! Judges the end of a real election.

use crate::outcome::NodeOutcome;
use suffrage_algorithms::{Claims, Ended, FinalState, Sent, Verdict, Violation, judge};
use suffrage_model::{Id, Phase, Stage, Status};

/// The report of a node on an election that is over.
#[derive(Clone, Debug)]
pub struct NodeReport {
    /// The identity of the node.
    pub id: Id,
    /// Whether its process woke spontaneously.
    pub woke: bool,
    /// The decision of the process.
    pub status: Status,
    /// The leader that it names.
    pub leader: Option<Id>,
    /// The messages that it has sent.
    pub sent: Sent,
    /// The number of messages that have reached its process, late ones not counted.
    pub received: u64,
    /// The number of messages that reached it after it had halted.
    pub late: u64,
    /// The violations that the node has seen.
    pub violations: Vec<Violation>,
}

impl From<&NodeOutcome> for NodeReport {
    fn from(outcome: &NodeOutcome) -> Self {
        Self {
            id: outcome.id,
            woke: outcome.woke,
            status: outcome.role,
            leader: outcome.leader,
            sent: Sent {
                election: outcome.of(Phase::Election),
                announcement: outcome.of(Phase::Announcement),
            },
            received: outcome.received,
            late: outcome.late,
            violations: outcome.violations.clone(),
        }
    }
}

/// Judges an election that is over from the reports of its nodes, which are in the order of their
/// numbers; `links` is the number of links of the network.
///
/// The violations that nodes have seen come first. There is at most one violation of each property.
/// Without claims only the properties of every election are checked. Takes time linear in the
/// number of nodes.
#[must_use]
pub fn verdict(claims: Option<&Claims>, links: u64, reports: &[NodeReport]) -> Verdict {
    let sum = |of: fn(&NodeReport) -> u64| reports.iter().map(of).sum::<u64>();
    let sent = Sent {
        election: sum(|report| report.sent.election),
        announcement: sum(|report| report.sent.announcement),
    };
    let arrived = sum(|report| report.received + report.late);
    let verdict = judge(
        claims,
        &Ended {
            nodes: reports.len() as u64,
            links,
            process: &|node| {
                let report = &reports[node as usize];
                FinalState {
                    id: report.id,
                    woke: report.woke,
                    // An election is over when all have halted.
                    stage: Stage::Halted,
                    status: report.status,
                    leader: report.leader,
                }
            },
            blocked: 0,
            sent: Some(sent),
            // It is not known how long a message takes at most.
            units: None,
            diameter: &|| links,
            late: sum(|report| report.late),
            lost: (sent.election + sent.announcement).saturating_sub(arrived),
            faultless: true,
            unfinished: false,
        },
    );
    let seen = reports.iter().flat_map(|report| report.violations.iter().cloned());
    let mut violations: Vec<Violation> = Vec::new();
    for violation in seen.chain(verdict.violations) {
        if violations.iter().all(|known| known.property != violation.property) {
            violations.push(violation);
        }
    }
    Verdict { violations, ..verdict }
}
