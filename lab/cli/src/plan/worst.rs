//! `--schedule worst`: for each election a schedule is searched for on which it costs much.

use super::Plan;
use crate::error::Error;
use crate::flags::{Conditions, WakeUps};
use std::ops::ControlFlow;
use std::sync::Arc;
use suffrage::checker::{Faults, Instance, MAX_NODES, Objective, Wake, search_worst_of};
use suffrage::run::Run;
use suffrage::simulator::{Schedule, Wakes};

/// The number of searches. The costliest run that they find is taken.
const RESTARTS: u64 = 4;

/// Refuses what is not searched.
pub(super) fn check(conditions: &Conditions, nodes: u64) -> Result<(), Error> {
    let refused =
        |why: String| Err(Error::new(format!("--schedule {}: {why}", conditions.schedule)));
    match (conditions.faults.first(), conditions.wake) {
        (Some(fault), _) => {
            refused(format!("it is searched without faults; leave out --fault {fault}"))
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

impl Plan<'_> {
    /// Searches for a schedule on which the election costs much, and takes the costliest that was
    /// found. `heartbeat` is given the greatest cost so far, and may stop the search. Returns
    /// whether it was stopped.
    pub(crate) fn search(
        &mut self,
        objective: Objective,
        heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<bool, Error> {
        let instance = Instance {
            wiring: self.experiment.wiring.clone(),
            ids: self.experiment.ids.to_vec(),
            initiators: self.initiating(),
            wake: Wake::AtStart,
            capacity: self.experiment.capacity,
            faults: Faults::default(),
        };
        let seed = self.experiment.seed;
        let found =
            search_worst_of(self.algorithm, &instance, objective, RESTARTS, seed, heartbeat)
                .map_err(|invalid| Error::of("--schedule worst", invalid))?;
        let run = Run::of_execution(self.algorithm.name, &found.execution, None);
        self.experiment.schedule = Schedule::Replay(Arc::new(run.recording()));
        self.experiment.wakes = Wakes::At(Vec::new());
        Ok(found.stopped)
    }
}
