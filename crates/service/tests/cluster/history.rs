//! A judge of what happens in one office: never two leaderships at once, and terms grow.

use std::sync::{Arc, Mutex};
use suffrage_service::Leadership;

/// What has been seen of one office.
#[derive(Default)]
pub(crate) struct History(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    live: Vec<Arc<Leadership>>,
    greatest: u64,
    begun: usize,
    violations: Vec<String>,
}

impl History {
    /// A leadership begins.
    pub(crate) fn begins(&self, leadership: &Arc<Leadership>) {
        let mut seen = self.0.lock().unwrap();
        let term = leadership.term();
        if term <= seen.greatest {
            let greatest = seen.greatest;
            seen.violations.push(format!("term {term} after {greatest}"));
        }
        seen.greatest = seen.greatest.max(term);
        seen.begun += 1;
        seen.live.push(leadership.clone());
        drop(seen);
        self.look();
    }

    /// It is over, as its holder knows.
    pub(crate) fn ends(&self, leadership: &Arc<Leadership>) {
        let mut seen = self.0.lock().unwrap();
        seen.live.retain(|other| other.term() != leadership.term());
    }

    /// Looks whether two are valid at this instant. What is over stays over: so of two of which the
    /// first is valid before and after the second is, both are at once.
    pub(crate) fn look(&self) {
        let mut seen = self.0.lock().unwrap();
        let mut found = Vec::new();
        let valid = |leadership: &Leadership| !leadership.valid_for().is_zero();
        for first in &seen.live {
            for second in seen.live.iter().filter(|second| second.term() > first.term()) {
                if valid(first) && valid(second) && valid(first) {
                    found.push(format!("terms {} and {} at once", first.term(), second.term()));
                }
            }
        }
        seen.violations.extend(found);
    }

    /// How many leaderships have begun.
    pub(crate) fn begun(&self) -> usize {
        self.0.lock().unwrap().begun
    }

    pub(crate) fn violations(&self) -> Vec<String> {
        self.0.lock().unwrap().violations.clone()
    }
}
