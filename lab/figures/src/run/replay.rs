//! Replays runs in the simulator.

use super::{Run, RunHeader};
use crate::diagram::{Diagram, Drawing};
use std::sync::Arc;
use suffrage_algorithms::{Algorithm, Property};
use suffrage_simulator::{
    Amount, Experiment, Fault, Observer, Outcome, Recording, Schedule, SimulationError, Simulator,
    Subject, Wakes,
};

/// The result of a replay.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The outcome. Its ticks are those of the run: numbers of actions, if it
    /// [has none](Run::is_untimed).
    pub outcome: Outcome,
    /// Whether the property that the run breaks was broken. `None` if it breaks none, or one that a
    /// replay does not judge: a property of a user's own, an invariant, or, in a run with faults, a
    /// property that is only claimed of elections without faults.
    pub reproduced: Option<bool>,
}

/// Why a run cannot be replayed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReplayError {
    /// The catalogue does not have its algorithm.
    #[error(
        "the catalogue has no algorithm `{0}`; a run of a process of your own is replayed by \
         `Run::replay_of`"
    )]
    UnknownAlgorithm(String),
    /// The simulator cannot hold it.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
}

impl Run {
    /// Replays the run of an algorithm of the catalogue; an observer sees every event.
    ///
    /// # Errors
    /// If there is no such algorithm, or the run does not fit it.
    pub fn replay(&self, observer: Option<&mut dyn Observer>) -> Result<Replay, ReplayError> {
        let name = &self.header.algorithm;
        let algorithm =
            Algorithm::named(name).ok_or_else(|| ReplayError::UnknownAlgorithm(name.clone()))?;
        Ok(self.replay_of(algorithm, observer)?)
    }

    /// Draws the run of an algorithm of the catalogue as a space-time diagram.
    ///
    /// # Errors
    /// As [`replay`](Self::replay).
    pub fn diagram(&self) -> Result<String, ReplayError> {
        let mut diagram = Diagram::new(&self.header.wiring, &self.header.ids);
        self.replay(Some(&mut diagram))?;
        Ok(diagram.text())
    }

    /// Returns the drawing of the run of an algorithm of the catalogue, for any
    /// [`DiagramFormat`](crate::diagram::DiagramFormat).
    ///
    /// # Errors
    /// As [`replay`](Self::replay).
    pub fn drawing(&self) -> Result<Drawing, ReplayError> {
        let RunHeader { wiring, ids, algorithm, network, schedule, seed, .. } = &self.header;
        let mut diagram = Diagram::new(wiring, ids);
        self.replay(Some(&mut diagram))?;
        let title = format!("{algorithm} on {network}, schedule {schedule}, seed {seed}");
        Ok(diagram.into_drawing().titled(title))
    }

    /// Replays the run of this algorithm, whatever its header names: of one of your own, for
    /// example. An observer sees every event.
    ///
    /// # Errors
    /// If the run does not fit the algorithm.
    pub fn replay_of(
        &self,
        subject: &impl Subject,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Replay, SimulationError> {
        let header = &self.header;
        let breaks = header.breaks.as_ref().and_then(|breaks| Property::named(&breaks.property));
        let invariants = matches!(breaks, Some(Property::Invariant(_)));
        let outcome = self.held(subject, observer, invariants)?;
        let faultless = self.is_faultless();
        let reproduced = header.breaks.as_ref().and_then(|breaks| {
            let named = |property: Property| property.name() == breaks.property;
            let claimed = [Property::MessageBound, Property::SilentEnding, Property::WinnerByRule];
            let judged = faultless || !invariants && !claimed.into_iter().any(named);
            let broken = outcome.violations.iter().any(|breach| named(breach.violation.property));
            // Nor can a property of a user's own be judged here, or an invariant.
            let judged = judged && Property::ALL.into_iter().any(named);
            (judged || broken).then_some(broken)
        });
        Ok(Replay { outcome, reproduced })
    }

    /// Replays the run; every configuration is held to the invariants of its algorithm, if they are
    /// asked for.
    pub(crate) fn held(
        &self,
        subject: &impl Subject,
        observer: Option<&mut dyn Observer>,
        invariants: bool,
    ) -> Result<Outcome, SimulationError> {
        let experiment = self.experiment(self.recording());
        let mut simulator = Simulator::of(subject, experiment).invariants(invariants);
        if let Some(observer) = observer {
            simulator = simulator.observer(observer);
        }
        simulator.run()
    }

    /// Returns the experiment in which a recording happens again, whose steps are those of the run or
    /// some of them.
    pub(crate) fn experiment(&self, recording: Recording) -> Experiment<'_> {
        let header = &self.header;
        // What the actions do not have is drawn again, and counted faults are among the actions.
        let again = |fault: &&Fault| {
            matches!(
                fault,
                Fault::Crash { .. }
                    | Fault::Loss(Amount::Probability(_))
                    | Fault::Duplicate(Amount::Probability(_))
            )
        };
        let mut faults: Vec<Fault> = header.faults.iter().filter(again).copied().collect();
        // The actions say which message overtakes which. Only whether a loop comes back to where it
        // was depends on whether the order on links matters.
        if header.faults.contains(&Fault::NoFifo) && header.loop_start.is_some() {
            faults.push(Fault::NoFifo);
        }
        let wakes = match &header.initiators {
            None => Wakes::All,
            Some(nodes) => Wakes::At(nodes.iter().map(|&node| (0, node)).collect()),
        };
        Experiment {
            wakes,
            schedule: Schedule::Replay(Arc::new(recording)),
            capacity: header.capacity,
            faults,
            seed: header.seed,
            ..Experiment::new(&header.wiring, &header.ids)
        }
    }
}
