//! Checks one office: never two leaderships at once, and terms grow.

use std::sync::{Arc, Mutex};
use tenure_node::Leadership;

/// The leaderships of one office that were seen.
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
    /// Records that a leadership begins.
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

    /// Records that its holder knows that it is over.
    pub(crate) fn ends(&self, leadership: &Arc<Leadership>) {
        let mut seen = self.0.lock().unwrap();
        seen.live.retain(|other| other.term() != leadership.term());
    }

    /// Checks whether two leaderships are valid now. A leadership that is over stays over: so if
    /// the first is valid before and after the second was seen as valid, both were valid at once.
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

    pub(crate) fn begun(&self) -> usize {
        self.0.lock().unwrap().begun
    }

    pub(crate) fn violations(&self) -> Vec<String> {
        self.0.lock().unwrap().violations.clone()
    }
}
