//! The run of one election, from its experiment to its outcome.

use crate::{
    Experiment, FifoMethod, Impossible, Observer, Outcome, ReplayMismatch, Schedule,
    competition::CompetitionRecorder, delay::Delay, fast_path, links::LinkQueues, medium::Medium,
    reaction::KINDS, rounds::InRounds, scheduler::LinkScheduler, timed::Timed, timers::Timers,
    verdict::conclude, world::World,
};
use std::ops::ControlFlow;
use suffrage_algorithms::{Algorithm, AlgorithmVisitor, Claimed, Claims, Custom, Invariant, Race};
use suffrage_model::{Message, Process};
use suffrage_networks::random::Key;

/// An error: an election could not be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimulationError {
    /// The experiment is not possible.
    #[error(transparent)]
    Impossible(#[from] Impossible),
    /// The recorded schedule does not fit the election.
    #[error(transparent)]
    Misfit(#[from] ReplayMismatch),
}

/// The observers of a run.
pub(crate) struct RunWatch<'a> {
    /// The observer of every event.
    pub observer: Option<&'a mut dyn Observer>,
    /// A callback that receives the number of delivered messages, and may stop the run.
    pub pulse: Box<dyn FnMut(u64) -> ControlFlow<()> + 'a>,
    /// Whether to check every configuration against the invariants of an algorithm of the
    /// catalogue. They are claimed of elections without faults, and are not checked in others. A
    /// run takes time proportional to its events and to the size of the network.
    pub invariants: bool,
    /// Whether to record the rounds or levels in which processes compete.
    pub stages: bool,
}

impl Default for RunWatch<'_> {
    fn default() -> Self {
        let pulse = Box::new(|_| ControlFlow::Continue(()));
        Self { observer: None, pulse, invariants: false, stages: false }
    }
}

/// An algorithm that a [`Simulator`](crate::Simulator) can run: an [`Algorithm`] of the catalogue
/// or a [`Custom`] one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be simulated",
    label = "neither an algorithm of the catalogue nor a custom one",
    note = "wrap a process in `Custom`"
)]
pub trait Subject: subject::Simulate {}

impl Subject for Algorithm {}

impl<P: Process> Subject for Custom<P> {}

pub(crate) mod subject {
    use super::{Experiment, Outcome, RunWatch, SimulationError};

    /// Keeps [`RunWatch`] out of the public interface.
    pub trait Simulate {
        #[expect(private_interfaces, reason = "only the simulator calls it")]
        fn run(
            &self,
            experiment: &Experiment<'_>,
            watch: RunWatch<'_>,
        ) -> Result<Outcome, SimulationError>;
    }
}

struct SimulationVisitor<'a, 'e, 'w> {
    algorithm: &'a Algorithm,
    experiment: &'a Experiment<'e>,
    watch: RunWatch<'w>,
}

impl AlgorithmVisitor for SimulationVisitor<'_, '_, '_> {
    type Output = Result<Outcome, SimulationError>;

    fn visit<P: Claimed>(self) -> Self::Output {
        let on_request = self.watch.invariants && self.experiment.is_faultless();
        let invariants = if on_request { P::invariants() } else { Vec::new() };
        let race = self.watch.stages.then(P::race).flatten();
        run::<P>(Some(&self.algorithm.claims), invariants, race, self.experiment, self.watch)
    }
}

#[expect(private_interfaces, reason = "only the simulator calls it")]
impl subject::Simulate for Algorithm {
    fn run(
        &self,
        experiment: &Experiment<'_>,
        watch: RunWatch<'_>,
    ) -> Result<Outcome, SimulationError> {
        self.visit(SimulationVisitor { algorithm: self, experiment, watch })
    }
}

#[expect(private_interfaces, reason = "only the simulator calls it")]
impl<P: Process> subject::Simulate for Custom<P> {
    fn run(
        &self,
        experiment: &Experiment<'_>,
        watch: RunWatch<'_>,
    ) -> Result<Outcome, SimulationError> {
        let race = watch.stages.then(|| self.race()).flatten();
        run::<P>(self.claims(), Vec::new(), race, experiment, watch)
    }
}

/// Chooses the engine, and runs the election.
pub(crate) fn run<P: Process>(
    claims: Option<&Claims>,
    invariants: Vec<Invariant<P>>,
    race: Option<Race<P>>,
    experiment: &Experiment<'_>,
    mut watch: RunWatch<'_>,
) -> Result<Outcome, SimulationError> {
    experiment.check(P::NETWORK, P::TIMING)?;
    assert!(P::Msg::KINDS.len() <= KINDS, "an algorithm has at most {KINDS} kinds of messages");
    let plain = watch.observer.is_none() && invariants.is_empty() && race.is_none();
    if plain && let Some(outcome) = fast_path::run::<P>(claims, experiment, &mut watch.pulse) {
        return Ok(outcome);
    }
    let Experiment { wiring, schedule, fifo, capacity, seed, .. } = experiment;
    let recorder = race.map(|race| CompetitionRecorder::new(race, wiring.nodes()));
    let rounds = matches!(schedule, Schedule::Rounds(_));
    let timers = Timers::new(&experiment.wakes, wiring.nodes(), rounds);
    let links = || wiring.dense_links().map(|count| 0..count as u64);
    let delay = || Delay::new(schedule, *fifo, experiment.is_fifo(), links(), *seed);
    // Only queues know which messages are overtaken, which a trace must contain, and which are
    // under way, which invariants need.
    let queues = capacity.is_some() || !experiment.is_fifo() || !invariants.is_empty();
    let medium: Box<dyn Medium<P::Msg>> = if rounds && !queues && *fifo == FifoMethod::Cheapest {
        Box::new(InRounds::new(wiring, timers, delay()))
    } else if schedule.is_timed() && !queues && !rounds {
        Box::new(Timed::new(wiring, timers, delay()))
    } else {
        let order = match schedule {
            Schedule::Random => LinkScheduler::random(*seed),
            Schedule::Newest => LinkScheduler::age(true),
            Schedule::Oldest => LinkScheduler::age(false),
            Schedule::Replay(recording) => LinkScheduler::replay(recording.clone()),
            _ => LinkScheduler::timed(delay(), rounds),
        };
        let overtaking = (!experiment.is_fifo()).then(|| Key::new(*seed, "overtaking"));
        Box::new(LinkQueues::new(wiring, timers, order, *capacity, overtaking))
    };
    let mut world = World::new(experiment, medium, watch.observer, invariants, recorder);
    let ended = world.run(experiment.event_limit, &mut watch.pulse)?;
    let (nodes, accounts) = world.close(ended);
    Ok(conclude(&nodes, accounts, experiment, claims))
}
