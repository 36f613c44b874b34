//! What a run has broken of what it was to be.

use std::fmt;
use suffrage_algorithms::Property;

/// A property that a run has broken, the first time that it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What was broken.
    pub property: Property,
    /// When, in ticks.
    pub at: u64,
    /// What happened, in words; processes are named by their numbers.
    pub detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at tick {}: {}", self.property, self.at, self.detail)
    }
}

/// The violations of a run: one for each property, the first.
#[derive(Default)]
pub(crate) struct Violations(Vec<Violation>);

impl Violations {
    /// Records a violation, unless the property is already broken.
    #[cold]
    pub(crate) fn add(&mut self, property: Property, at: u64, detail: impl FnOnce() -> String) {
        if self.0.iter().all(|violation| violation.property != property) {
            self.0.push(Violation { property, at, detail: detail() });
        }
    }

    /// Whether the property is broken.
    pub(crate) fn contains(&self, property: Property) -> bool {
        self.0.iter().any(|violation| violation.property == property)
    }

    pub(crate) fn into_vec(self) -> Vec<Violation> {
        self.0
    }
}
