//! Violations: broken properties, and how they were broken.

use crate::{Bound, Parameters, Property, Time};
use alloc::{
    format,
    string::{String, ToString},
};
use core::fmt;
use serde::{Deserialize, Serialize};
use suffrage_model::Status;

/// A broken property, and how it was broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// The property.
    pub property: Property,
    /// A description of what happened; processes are named by their numbers.
    pub detail: String,
}

impl Violation {
    /// Creates a violation: the number of messages of one phase, "election" or "announcement",
    /// breaks its bound.
    #[must_use]
    pub fn bound(bound: &Bound, phase: &str, sent: u64, parameters: &Parameters) -> Self {
        let least = bound.least(parameters);
        let must = match sent < least && !bound.is_exact() {
            true => format!("at least {least}"),
            false => bound.stated().equal_to(bound.at(parameters)),
        };
        let s = if sent == 1 { "" } else { "s" };
        let detail = format!("{sent} {phase} message{s}, where there are {must}");
        Self { property: Property::MessageBound, detail }
    }

    /// Creates a violation: an election takes more units of time than the claimed bound.
    #[must_use]
    pub fn time(claim: &Time, units: u64, most: u64) -> Self {
        let must = claim.stated().equal_to(most);
        let unit = if units == 1 { "unit" } else { "units" };
        let detail = format!("it takes {units} {unit} of time, where {must} are claimed");
        Self { property: Property::TimeBound, detail }
    }

    /// Creates a violation: two processes lead at the same time.
    #[must_use]
    pub fn two_leaders(first: impl Into<u64>, second: impl Into<u64>) -> Self {
        let (first, second) = (first.into(), second.into());
        let detail = format!("processes {first} and {second} are both leaders");
        Self { property: Property::AtMostOneLeader, detail }
    }

    /// Creates a violation: a process has changed its decision.
    #[must_use]
    pub fn revoked(node: impl Into<u64>, old: Status, new: Status) -> Self {
        let node = node.into();
        let detail = format!("process {node} was {old:?} and is now {new:?}");
        Self { property: Property::IrrevocableStatus, detail }
    }

    /// Creates a violation: a process has rejected a message, for the reason `why`.
    #[must_use]
    pub fn rejected(node: impl Into<u64>, why: &str) -> Self {
        let node = node.into();
        let detail = format!("process {node} received a message it cannot receive, because {why}");
        Self { property: Property::PossibleMessages, detail }
    }

    /// Creates a violation: a process has sent through a port that it does not have.
    #[must_use]
    pub fn no_such_port(node: impl Into<u64>, port: u32, degree: u32) -> Self {
        let ports = match degree {
            0 => "no port".to_string(),
            1 => "port 0 only".to_string(),
            _ => format!("ports 0 to {} only", degree - 1),
        };
        let node = node.into();
        let detail = format!("process {node} sends through port {port}, and has {ports}");
        Self { property: Property::ExistingPorts, detail }
    }

    /// Creates a violation: messages reached processes that had halted, where none may.
    #[must_use]
    pub fn late(messages: u64) -> Self {
        let detail = match messages {
            1 => "1 message reached a process that had halted".to_string(),
            _ => format!("{messages} messages reached processes that had halted"),
        };
        Self { property: Property::SilentEnding, detail }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.property, self.detail)
    }
}
