//! The run of one election, from its experiment to its outcome.

use crate::{
    Experiment, FifoMethod, Impossible, Outcome, ReplayMismatch, Schedule,
    competition::CompetitionRecorder,
    delay::Delay,
    environment::KINDS,
    fast_path,
    links::LinkQueues,
    medium::Medium,
    rounds::InRounds,
    scheduler::LinkScheduler,
    timed::Timed,
    timers::Timers,
    verdict::conclude,
    world::{Pulse, RunWatch, World},
};
use std::ops::ControlFlow;
use suffrage_algorithms::{Algorithm, Claimed, Claims, Custom, Invariant, Race, Visitor};
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
    use crate::{Experiment, Outcome, SimulationError, world::RunWatch};

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

impl Visitor for SimulationVisitor<'_, '_, '_> {
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
    if watch.observer.is_none() && invariants.is_empty() && race.is_none() {
        let call = watch.pulse.as_mut();
        let pulse = call.map(|call| &mut **call as &mut dyn FnMut(u64) -> ControlFlow<()>);
        if let Some(outcome) = fast_path::run::<P>(claims, experiment, pulse) {
            return Ok(outcome);
        }
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
    if rounds && !queues && *fifo == FifoMethod::Cheapest {
        let medium = InRounds::new(wiring, timers, delay());
        let world = World::new(experiment, medium, watch.observer, invariants, recorder);
        return finish(world, experiment, claims, watch.pulse);
    }
    if schedule.is_timed() && !queues && !rounds {
        let medium = Timed::new(wiring, timers, delay());
        let world = World::new(experiment, medium, watch.observer, invariants, recorder);
        return finish(world, experiment, claims, watch.pulse);
    }
    let order = match schedule {
        Schedule::Random => LinkScheduler::random(*seed),
        Schedule::Newest => LinkScheduler::age(true),
        Schedule::Oldest => LinkScheduler::age(false),
        Schedule::Replay(recording) => LinkScheduler::replay(recording.clone()),
        _ => LinkScheduler::timed(delay(), rounds),
    };
    let overtaking = (!experiment.is_fifo()).then(|| Key::new(*seed, "overtaking"));
    let medium = LinkQueues::new(wiring, timers, order, *capacity, overtaking);
    let world = World::new(experiment, medium, watch.observer, invariants, recorder);
    finish(world, experiment, claims, watch.pulse)
}

/// Runs the election to its end, and computes its outcome.
fn finish<P: Process, T: Medium<P::Msg>>(
    mut world: World<'_, '_, P, T>,
    experiment: &Experiment<'_>,
    claims: Option<&Claims>,
    pulse: Pulse<'_>,
) -> Result<Outcome, SimulationError> {
    let ended = world.run(experiment.event_limit, pulse)?;
    let (nodes, accounts) = world.close(ended);
    Ok(conclude(&nodes, accounts, experiment, claims))
}
