//! `--schedule worst`: for each election a schedule is searched for on which it costs much.

use crate::conditions::{Conditions, WakeUps};
use crate::election::Instance;
use crate::error::Error;
use std::ops::ControlFlow;
use std::sync::Arc;
use suffrage_checker as checker;
use suffrage_checker::{FaultBudget, MAX_NODES, Objective, Wake, search_worst};
use suffrage_simulator::{Recording, Schedule, Wakes};

/// The number of searches. The costliest run that they find is taken.
const RESTARTS: u64 = 4;

/// Refuses what is not searched.
pub(crate) fn check(conditions: &Conditions, nodes: u64) -> Result<(), Error> {
    let refused =
        |why: String| Err(Error::new(format!("--schedule {}: {why}", conditions.schedule)));
    match (conditions.faults.first(), conditions.wake) {
        (Some(fault), _) => {
            refused(format!("the search is without faults; leave out --fault {fault}"))
        }
        (_, Some(WakeUps::Spread(last))) => {
            refused(format!("all initiators wake at the start; leave out --wake spread:{last}"))
        }
        _ if nodes > MAX_NODES.into() => {
            refused(format!("{nodes} nodes are too many; at most {MAX_NODES} are searched"))
        }
        _ => Ok(()),
    }
}

impl Instance {
    /// Searches for a costly schedule of the election, and takes the costliest one found.
    /// `heartbeat` gets the greatest cost so far, and may stop the search. Returns whether it was
    /// stopped.
    ///
    /// # Errors
    /// If the election is not one that can be searched.
    pub fn search(
        &mut self,
        objective: Objective,
        heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<bool, Error> {
        let instance = checker::Instance {
            wiring: self.site.wiring.clone(),
            ids: self.site.ids.clone(),
            initiators: self.initiating(),
            wake: Wake::AtStart,
            capacity: self.capacity,
            faults: FaultBudget::default(),
        };
        let seed = self.seed();
        let found = search_worst(self.algorithm, &instance, objective, RESTARTS, seed, heartbeat)
            .map_err(|invalid| Error::of("--schedule worst", invalid))?;
        let steps = (1..).zip(found.execution.moves).collect();
        let recording = Recording::new("the schedule that was found".to_owned(), steps);
        let recording = recording.with_coins(found.execution.coins);
        self.schedule = Schedule::Replay(Arc::new(recording));
        self.wakes = Wakes::At(Vec::new());
        Ok(found.stopped)
    }
}
