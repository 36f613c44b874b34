//! The report of an election among agents that met by messages.

use super::Arrivals;
use serde::Serialize;
use suffrage_algorithms::Violation;
use suffrage_networks::Fault;
use suffrage_population::agents::{MeetingFindings, RealComparison};

/// The report of all agents. Its keys are those of the JSON report.
#[derive(Clone, Debug, Serialize)]
pub struct AgentsReport {
    /// The name of the protocol.
    pub algorithm: &'static str,
    /// How messages arrived.
    pub medium: Arrivals,
    /// The identities.
    pub ids: String,
    /// The number of agents that started by themselves.
    pub initiators: u64,
    /// The agents that died.
    pub faults: Vec<Fault>,
    /// The seed.
    pub seed: u64,
    /// The time until the last change that an observer has seen.
    pub seconds: f64,
    /// Whether all agents have halted.
    pub ended: bool,
    /// Whether nothing more was to be expected.
    pub settled: bool,
    /// The meetings, and what they led to.
    #[serde(flatten)]
    pub findings: MeetingFindings,
    /// The same figures of simulated elections.
    pub simulated: Option<RealComparison>,
    /// The properties that were broken.
    pub violations: Vec<Violation>,
}

impl AgentsReport {
    /// Whether all agents hold one identity in the end, no declaration was wrong, and no agent broke a
    /// property.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.settled
            && self.findings.leader.is_some()
            && self.findings.declared.is_none_or(|declared| declared.right)
            && self.violations.is_empty()
    }
}
