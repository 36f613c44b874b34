//! The violations of a run, with their ticks.

use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, fmt};
use suffrage_algorithms::{Claims, Property, Violation};
use suffrage_model::Status;
use suffrage_numbers::counted;

/// A violation, and the tick at which it occurred first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimedViolation {
    /// The tick of its first occurrence.
    pub at: u64,
    /// The violation.
    pub violation: Violation,
}

impl fmt::Display for TimedViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation { property, detail } = &self.violation;
        write!(f, "{property} at tick {}: {detail}", self.at)
    }
}

pub(crate) fn endless(event_limit: u64) -> Violation {
    let detail = format!("after {} the election is still going on", counted(event_limit, "event"));
    Violation { property: Property::Termination, detail }
}

/// The violations of a run, the first of each property, and the leaders, by which they are judged.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ElectionMonitor {
    found: Vec<TimedViolation>,
    leaders: BTreeSet<u64>,
}

impl ElectionMonitor {
    /// Records a violation, unless its property is violated already.
    #[cold]
    pub(crate) fn add(&mut self, at: u64, violation: Violation) {
        if !self.contains(violation.property) {
            self.found.push(TimedViolation { at, violation });
        }
    }

    /// Records that a process changes its decision at this tick, and what that violates.
    pub(crate) fn decide(&mut self, at: u64, node: impl Into<u64>, old: Status, new: Status) {
        let node = node.into();
        if old != Status::Undecided {
            self.add(at, Violation::revoked(node, old, new));
        }
        if old == Status::Leader {
            self.leaders.remove(&node);
        }
        if new == Status::Leader {
            self.leaders.insert(node);
            if let (Some(&first), Some(&last)) = (self.leaders.first(), self.leaders.last())
                && first != last
            {
                self.add(at, Violation::two_leaders(first, last));
            }
        }
    }

    /// Records that a process crashes: it leads no longer.
    pub(crate) fn crash(&mut self, node: u32) {
        self.leaders.remove(&node.into());
    }

    pub(crate) fn contains(&self, property: Property) -> bool {
        self.found.iter().any(|breach| breach.violation.property == property)
    }

    pub(crate) fn promised(mut self, claims: Option<&Claims>) -> Vec<TimedViolation> {
        let promised = |of| claims.is_none_or(|claims| claims.promise(of));
        self.found.retain(|breach| promised(breach.violation.property));
        self.found
    }
}
