//! The builder of a simulated election.

use crate::{
    Experiment, Fault, Observer, Outcome, Schedule, SimulationError, Subject, Wakes, run::RunWatch,
};
use std::ops::ControlFlow;
use suffrage_model::Id;
use suffrage_networks::wiring::Wiring;

/// Simulates one election of an [`Algorithm`](suffrage_algorithms::Algorithm) of the catalogue, or
/// of a [`Custom`](suffrage_algorithms::Custom) one.
///
/// The run is checked against the properties that every election must have and, on a network
/// without faults, against the claims about the algorithm: its rule, its bound and its ending.
///
/// By default every process wakes at the start, every message takes one tick, links are unbounded,
/// there are no faults, and the seed is 1.
///
/// ```
/// use suffrage_algorithms::Algorithm;
/// use suffrage_simulator::{Schedule, Simulator};
/// use suffrage_networks::{Ids, wiring::Wiring};
///
/// let (ring, ids) = (Wiring::ring(100), Ids::Random.assign(100, 7));
/// let lelann = Algorithm::named("lelann").ok_or("no such algorithm")?;
/// let outcome = Simulator::new(lelann, &ring, &ids).schedule(Schedule::Uniform(10)).seed(7).run()?;
/// assert!(outcome.violations.is_empty());
/// assert_eq!(outcome.messages.total(), 100 * 100 + 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "nothing is simulated until it runs"]
pub struct Simulator<'a, S: ?Sized> {
    subject: &'a S,
    experiment: Experiment<'a>,
    watch: RunWatch<'a>,
}

impl<'a, S: Subject + ?Sized> Simulator<'a, S> {
    /// Creates a simulator of an algorithm on a network; `ids` are the identities of its nodes.
    pub fn new(subject: &'a S, wiring: &'a Wiring, ids: &'a [Id]) -> Self {
        Self::of(subject, Experiment::new(wiring, ids))
    }

    /// Creates a simulator of an experiment.
    pub fn of(subject: &'a S, experiment: Experiment<'a>) -> Self {
        Self { subject, experiment, watch: RunWatch::default() }
    }

    /// Sets the schedule, which determines when messages arrive.
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.experiment.schedule = schedule;
        self
    }

    /// Sets the nodes that wake spontaneously, all at the start.
    pub fn initiators(self, nodes: impl IntoIterator<Item = u32>) -> Self {
        self.wakes(Wakes::At(nodes.into_iter().map(|node| (0, node)).collect()))
    }

    /// Sets the nodes that wake spontaneously, and their ticks.
    pub fn wakes(mut self, wakes: Wakes) -> Self {
        self.experiment.wakes = wakes;
        self
    }

    /// Sets the number of messages that a link holds; `None` for any number.
    pub fn capacity(mut self, capacity: impl Into<Option<u32>>) -> Self {
        self.experiment.capacity = capacity.into();
        self
    }

    /// Adds a fault.
    pub fn fault(mut self, fault: Fault) -> Self {
        self.experiment.faults.push(fault);
        self
    }

    /// Sets the seed, from which all randomness comes.
    pub fn seed(mut self, seed: u64) -> Self {
        self.experiment.seed = seed;
        self
    }

    /// Sets the number of deliveries and alarms after which an election counts as endless.
    pub fn event_limit(mut self, events: u64) -> Self {
        self.experiment.event_limit = events;
        self
    }

    /// Passes every event to an observer.
    pub fn observer(mut self, observer: &'a mut dyn Observer) -> Self {
        self.watch.observer = Some(observer);
        self
    }

    /// Calls `on_progress` from time to time with the number of delivered messages. The run stops
    /// when it returns [`ControlFlow::Break`].
    pub fn on_progress(mut self, on_progress: impl FnMut(u64) -> ControlFlow<()> + 'a) -> Self {
        self.watch.pulse = Box::new(on_progress);
        self
    }

    /// Sets whether every configuration is checked against the invariants of the algorithm, if it
    /// is one of the catalogue. The default is no.
    ///
    /// Invariants are claimed of elections without faults, and are not checked in others. Each
    /// check visits all processes and all messages under way.
    pub fn invariants(mut self, invariants: bool) -> Self {
        self.watch.invariants = invariants;
        self
    }

    /// Sets whether to record the rounds or levels in which processes compete, for an algorithm
    /// that [has some](suffrage_algorithms::Claimed::race): [`Outcome::stages`]. The default is no.
    ///
    /// Every process is checked after each of its reactions.
    pub fn stages(mut self, stages: bool) -> Self {
        self.watch.stages = stages;
        self
    }

    /// Runs the election.
    ///
    /// Takes time linear in the number of messages, or with a logarithmic factor where delays have
    /// no bound, and memory linear in the processes and the messages in flight; untimed schedules,
    /// bounded links and drawn delays on complete networks also remember every link that was used.
    ///
    /// # Errors
    /// If the experiment is inconsistent, or a recorded schedule does not fit it.
    ///
    /// # Panics
    /// If the algorithm has more than 16 kinds of messages.
    pub fn run(self) -> Result<Outcome, SimulationError> {
        self.subject.run(&self.experiment, self.watch)
    }
}
