//! The run of one election, from its experiment to its outcome.

use crate::{
    Experiment, FifoMethod, Impossible, Misfit, Outcome, Schedule,
    delay::Delay,
    environment::KINDS,
    links::Links,
    medium::Medium,
    race::Referee,
    rounds::InRounds,
    scheduler::Scheduler,
    timed::Timed,
    timers::Timers,
    undisturbed,
    verdict::conclude,
    world::{Pulse, Watch, World},
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
    Misfit(#[from] Misfit),
}

/// An algorithm that a [`Simulator`](crate::Simulator) can run: an [`Algorithm`] of the catalogue
/// or a [`Custom`] one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be simulated",
    label = "neither an algorithm of the catalogue nor a custom one",
    note = "wrap a process in `Custom`"
)]
pub trait Subject: subject::Run {}

impl Subject for Algorithm {}

impl<P: Process> Subject for Custom<P> {}

pub(crate) mod subject {
    use crate::{Experiment, Outcome, SimulationError, world::Watch};

    /// Keeps [`Watch`] out of the public interface.
    pub trait Run {
        #[expect(private_interfaces, reason = "only the simulator calls it")]
        fn run(
            &self,
            experiment: &Experiment<'_>,
            watch: Watch<'_>,
        ) -> Result<Outcome, SimulationError>;
    }
}

struct Simulation<'a, 'e, 'w> {
    algorithm: &'a Algorithm,
    experiment: &'a Experiment<'e>,
    watch: Watch<'w>,
}

impl Visitor for Simulation<'_, '_, '_> {
    type Output = Result<Outcome, SimulationError>;

    fn visit<P: Claimed>(self) -> Self::Output {
        let on_request = self.watch.invariants && self.experiment.is_faultless();
        let invariants = if on_request { P::invariants() } else { Vec::new() };
        let race = self.watch.stages.then(P::race).flatten();
        run::<P>(Some(&self.algorithm.claims), invariants, race, self.experiment, self.watch)
    }
}

#[expect(private_interfaces, reason = "only the simulator calls it")]
impl subject::Run for Algorithm {
    fn run(
        &self,
        experiment: &Experiment<'_>,
        watch: Watch<'_>,
    ) -> Result<Outcome, SimulationError> {
        self.visit(Simulation { algorithm: self, experiment, watch })
    }
}

#[expect(private_interfaces, reason = "only the simulator calls it")]
impl<P: Process> subject::Run for Custom<P> {
    fn run(
        &self,
        experiment: &Experiment<'_>,
        watch: Watch<'_>,
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
    mut watch: Watch<'_>,
) -> Result<Outcome, SimulationError> {
    experiment.check(P::NETWORK, P::TIMING)?;
    assert!(P::Msg::KINDS.len() <= KINDS, "an algorithm has at most {KINDS} kinds of messages");
    if watch.observer.is_none() && invariants.is_empty() && race.is_none() {
        let call = watch.pulse.as_mut();
        let pulse = call.map(|call| &mut **call as &mut dyn FnMut(u64) -> ControlFlow<()>);
        if let Some(outcome) = undisturbed::run::<P>(claims, experiment, pulse) {
            return Ok(outcome);
        }
    }
    let Experiment { wiring, schedule, fifo, capacity, seed, .. } = experiment;
    let referee = race.map(|race| Referee::new(race, wiring.nodes()));
    let rounds = matches!(schedule, Schedule::Rounds(_));
    let timers = Timers::new(&experiment.wakes, wiring.nodes(), rounds);
    let links = || wiring.dense_links().map(|count| 0..count as u64);
    let delay = || Delay::new(schedule, *fifo, experiment.is_fifo(), links(), *seed);
    // Only queues know which messages are overtaken, which a trace must contain, and which are
    // under way, which invariants need.
    let queues = capacity.is_some() || !experiment.is_fifo() || !invariants.is_empty();
    if rounds && !queues && *fifo == FifoMethod::Cheapest {
        let medium = InRounds::new(wiring, timers, delay());
        let world = World::new(experiment, medium, watch.observer, invariants, referee);
        return finish(world, experiment, claims, watch.pulse);
    }
    if schedule.is_timed() && !queues && !rounds {
        let medium = Timed::new(wiring, timers, delay());
        let world = World::new(experiment, medium, watch.observer, invariants, referee);
        return finish(world, experiment, claims, watch.pulse);
    }
    let order = match schedule {
        Schedule::Random => Scheduler::random(*seed),
        Schedule::Newest => Scheduler::age(true),
        Schedule::Oldest => Scheduler::age(false),
        Schedule::Replay(recording) => Scheduler::replay(recording.clone()),
        _ => Scheduler::timed(delay(), rounds),
    };
    let overtaking = (!experiment.is_fifo()).then(|| Key::new(*seed, "overtaking"));
    let medium = Links::new(wiring, timers, order, *capacity, overtaking);
    let world = World::new(experiment, medium, watch.observer, invariants, referee);
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
