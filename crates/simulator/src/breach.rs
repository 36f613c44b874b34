//! The violations of a run, with their ticks.

use std::fmt;
use suffrage_algorithms::{Property, Violation};

/// A violation, and the tick at which it occurred first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The tick of its first occurrence.
    pub at: u64,
    /// The violation.
    pub violation: Violation,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation { property, detail } = &self.violation;
        write!(f, "{property} at tick {}: {detail}", self.at)
    }
}

/// Returns the violation of an election that goes on after as many events as are allowed.
pub(crate) fn endless(event_limit: u64) -> Violation {
    let detail = format!("after {event_limit} events the election is still going on");
    Violation { property: Property::Termination, detail }
}

/// The violations of a run: the first of each property.
#[derive(Default)]
pub(crate) struct Breaches(Vec<Breach>);

impl Breaches {
    /// Records a violation, unless its property is violated already.
    #[cold]
    pub(crate) fn add(&mut self, at: u64, violation: Violation) {
        if !self.contains(violation.property) {
            self.0.push(Breach { at, violation });
        }
    }

    /// Returns whether the property is violated.
    pub(crate) fn contains(&self, property: Property) -> bool {
        self.0.iter().any(|breach| breach.violation.property == property)
    }

    pub(crate) fn into_vec(self) -> Vec<Breach> {
        self.0
    }
}
