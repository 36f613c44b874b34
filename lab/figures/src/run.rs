//! Runs: the events of an election in their order, and everything that is needed to repeat them.
//!
//! A [`Run`] has a [`RunHeader`] (the network with its ports, identities, initiators, faults) and the
//! [actions](Action) of the election in the order in which they happened. Three engines make runs:
//! a [`RunRecorder`] observes the simulator, [`Run::of_execution`] takes what the checker found, and
//! the command writes what happened in a real election. Each can be written, read, replayed in the
//! simulator, and drawn:
//!
//! ```
//! use suffrage_algorithms::Algorithm;
//! use suffrage_figures::run::{RunHeader, RunRecorder, Run};
//! use suffrage_simulator::Simulator;
//! use suffrage_networks::{Ids, wiring::Wiring};
//!
//! let (wiring, ids) = (Wiring::ring(3), Ids::Random.assign(3, 7));
//! let header = RunHeader::new("lelann", wiring.clone(), ids.clone());
//! let mut recorder = RunRecorder::new(Vec::new(), &header)?;
//! let lelann = Algorithm::named("lelann").ok_or("no such algorithm")?;
//! let outcome = Simulator::new(lelann, &wiring, &ids).observer(&mut recorder).run()?;
//! let file = recorder.finish()?;
//!
//! let run = Run::read("a file", file.as_slice())?;
//! assert_eq!(run.replay(None)?.outcome, outcome);
//! println!("{}", run.diagram()?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Format
//!
//! A run is written as JSON lines, in UTF-8. The first line is the header, an object:
//!
//! | key | value |
//! |---|---|
//! | `suffrage-run` | the version of the format: 1 |
//! | `version` | the version of the program that wrote it |
//! | `command` | the command that holds the election again, or `null` |
//! | `algorithm` | its name |
//! | `network` | what the network is called |
//! | `nodes`, `links` | their numbers |
//! | `ports` | the network with its ports: `{"complete":{"nodes":N}}` or `{"ring":{"nodes":N}}`, either with a `seed` if ports are shuffled by it, or `{"ends":[[[NODE,PORT],..],..]}`: for each node and each of its ports, the node and the port at the other end of the link |
//! | `ids` | the identity of each node |
//! | `initiators` | the nodes that may wake spontaneously, or `null` for all |
//! | `schedule` | which schedule it was, in words |
//! | `capacity` | the number of messages that a link holds, or `null` |
//! | `faults` | what may go wrong, as flags write it: `no-fifo`, `loss:0.1` (a probability), `loss:1` (at most once), `crash:3@10` |
//! | `seed` | the seed |
//! | `coins` | the first numbers that processes drew; further ones are drawn from the seed |
//! | `breaks` | the property that the run breaks, with a `detail`, or `null` |
//! | `loop_start` | how many actions come before those that lead back to where they began, and can be repeated without end; or `null` |
//!
//! Each further line is an event, an object with the keys `at` (the tick; runs without a clock count
//! their actions) and `event`, and, as the event has them, `node`, `from` and `to` (pairs of a node
//! and its port), `kind`, `message`, `overtakes`, `on_link` (a message is lost or duplicated on its
//! link, and not as it is sent), `status`, `why`, `clock` (the causal depth). A replay needs the
//! events `wake`, `alarm`, `crash`, `deliver`, `discard`, and `lose` and `duplicate` if they are
//! `on_link`. The others (`send`, `status`, `halt`, `reject`) follow from these and may be absent.

mod format;

pub use format::Breaks;

use crate::diagram::{Diagram, Drawing};
use format::HeaderLine;
use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;
use suffrage_algorithms::{Algorithm, Property};
use suffrage_checker::Execution;
use suffrage_model::{Action, Id};
use suffrage_networks::{Amount, Fault, wiring::Wiring};
use suffrage_numbers::{counted, in_words};
use suffrage_simulator::{
    ElectionEvent, Experiment, Observer, Outcome, Recording, RecordingError, Schedule,
    SimulationError, Simulator, Subject, Tracer, Wakes,
};

/// The events of an election in their order, and everything that is needed to repeat them.
#[derive(Clone, Debug)]
pub struct Run {
    /// The election.
    pub header: RunHeader,
    /// The actions in their order, each with its tick.
    pub actions: Vec<(u64, Action)>,
}

/// The first line of a run: the election in which it happened.
#[derive(Clone, Debug)]
pub struct RunHeader {
    /// The command that holds the election again.
    pub command: Option<String>,
    /// The name of the algorithm: one of the catalogue, or one of your own.
    pub algorithm: String,
    /// The name of the network.
    pub network: String,
    /// The network with its ports.
    pub wiring: Wiring,
    /// The identity of each node.
    pub ids: Vec<Id>,
    /// The nodes that may wake spontaneously; `None` for all.
    pub initiators: Option<Vec<u32>>,
    /// The schedule, in words.
    pub schedule: String,
    /// How many messages a link holds; `None` for any number.
    pub capacity: Option<u32>,
    /// The faults: by a probability, at a tick, or up to a count that the actions keep.
    pub faults: Vec<Fault>,
    /// The seed of all randomness.
    pub seed: u64,
    /// The first numbers that [`Net::choose`](suffrage_model::Net::choose) gave.
    pub coins: Vec<u32>,
    /// The property that the run violates, if it violates one.
    pub breaks: Option<Breaks>,
    /// How many actions come before those that lead back to where they began; `None` if the last
    /// ones do not.
    pub loop_start: Option<usize>,
}

impl RunHeader {
    /// Creates the header of an election on this network in which all nodes may wake and nothing
    /// goes wrong.
    #[must_use]
    pub fn new(algorithm: &str, wiring: Wiring, ids: Vec<Id>) -> Self {
        Self {
            command: None,
            algorithm: algorithm.to_owned(),
            network: counted(u64::from(wiring.nodes()), "node"),
            wiring,
            ids,
            initiators: None,
            schedule: "recorded".to_owned(),
            capacity: None,
            faults: Vec::new(),
            seed: 1,
            coins: Vec::new(),
            breaks: None,
            loop_start: None,
        }
    }

    /// What a drawing of the run is called.
    pub(crate) fn title(&self) -> String {
        let Self { algorithm, network, schedule, seed, .. } = self;
        format!("{algorithm} on {network}, schedule {schedule}, seed {seed}")
    }

    /// The algorithm, if the catalogue has it.
    pub(crate) fn row(&self) -> Result<&'static Algorithm, ReplayError> {
        let name = &self.algorithm;
        Algorithm::named(name).ok_or_else(|| ReplayError::UnknownAlgorithm(name.clone()))
    }

    /// Whether it is a fault of the election that this node crashes.
    fn crashes(&self, node: u32) -> bool {
        self.faults.iter().any(|fault| matches!(fault, Fault::Crash { node: n, .. } if *n == node))
    }
}

impl Run {
    /// Creates the run that the checker found, with the property that it breaks and how, if it
    /// breaks one.
    #[must_use]
    pub fn of_execution(algorithm: &str, execution: &Execution, breaks: Option<Breaks>) -> Self {
        let instance = &execution.instance;
        let all = instance.initiators.len() == instance.ids.len();
        Self {
            header: RunHeader {
                initiators: (!all).then(|| instance.initiators.clone()),
                schedule: "explored".to_owned(),
                capacity: instance.capacity,
                faults: instance.faults.list(),
                coins: execution.coins.clone(),
                breaks,
                loop_start: execution.loop_start,
                ..RunHeader::new(algorithm, instance.wiring.clone(), instance.ids.clone())
            },
            actions: execution.timed().collect(),
        }
    }

    /// Returns the actions as a schedule, for [`Schedule::Replay`].
    #[must_use]
    pub fn recording(&self) -> Recording {
        let recording = Recording::new(self.header.network.clone(), self.actions.clone())
            .with_coins(self.header.coins.clone());
        match self.header.loop_start {
            Some(before) => recording.that_goes_around(before),
            None => recording,
        }
    }

    /// Returns whether links are reliable and FIFO in it, and no process fails: the claims of an algorithm apply to
    /// such runs.
    #[must_use]
    pub fn is_faultless(&self) -> bool {
        let again = self.experiment(self.recording()).faults;
        again.is_empty() && !self.recording().has_faults()
    }

    /// Returns whether the ticks are no more than the numbers of the actions.
    #[must_use]
    pub fn is_untimed(&self) -> bool {
        (1..).zip(&self.actions).all(|(number, &(at, _))| at == number)
    }

    /// Writes the run in the [format](self#format), without the events that follow from others.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        format::write_header(out, &self.header)?;
        self.actions.iter().try_for_each(|&(at, action)| format::write_action(out, at, action))
    }

    /// Reads a run in the [format](self#format); `name` stands in errors.
    ///
    /// # Errors
    /// If the input cannot be read or is not a run; the error names the line.
    pub fn read(name: &str, mut input: impl BufRead) -> Result<Self, RunError> {
        let wrong = |what| RunError::Header { name: name.to_owned(), what };
        let mut first = Vec::new();
        input.read_until(b'\n', &mut first).map_err(|error| wrong(error.to_string()))?;
        // The reader of schedules decides whether it is a run at all.
        let recording = Recording::read(name, first.as_slice().chain(input))?;
        let header: HeaderLine = serde_json::from_slice(&first)
            .map_err(|error| wrong(format!("not the header of a run: {}", in_words(error))))?;
        let header = header.header().map_err(wrong)?;
        let run = Self { header, actions: recording.steps().to_vec() };
        run.check(name)?;
        Ok(run)
    }

    /// Whether the actions have no more faults than the header allows.
    fn check(&self, name: &str) -> Result<(), RunError> {
        let wrong = |number, what| RunError::Action { name: name.to_owned(), number, what };
        if let Some(before) = self.header.loop_start
            && before >= self.actions.len()
        {
            let all = self.actions.len();
            let what = format!("`loop_start`: {before} actions before the loop, and {all} in all");
            return Err(RunError::Header { name: name.to_owned(), what });
        }
        let no_fifo = self.header.faults.contains(&Fault::NoFifo);
        let mut left = FaultsLeft::of(&self.header.faults, &[]);
        for (number, &(_, action)) in (1..).zip(&self.actions) {
            if matches!(action, Action::Deliver { overtakes, .. } if overtakes > 0 && !no_fifo) {
                let what = "a message overtakes another, and `faults` does not have no-fifo";
                return Err(wrong(number, what.to_owned()));
            }
            if matches!(action, Action::Crash(node) if self.header.crashes(node)) {
                continue;
            }
            let Some((budget, name, does)) = left.of_action(action) else { continue };
            *budget = budget.checked_sub(1).ok_or_else(|| {
                wrong(number, format!("more {does} than {name} in `faults` allows"))
            })?;
            if self.header.loop_start.is_some_and(|before| number > before as u64) {
                let what = format!("a loop, as `loop_start` says, has no {does}: they are counted");
                return Err(wrong(number, what));
            }
        }
        Ok(())
    }

    /// Replays the run of an algorithm of the catalogue; an observer sees every event.
    ///
    /// # Errors
    /// If there is no such algorithm, or the run does not fit it.
    pub fn replay(&self, observer: Option<&mut dyn Observer>) -> Result<Replay, ReplayError> {
        Ok(self.replay_of(self.header.row()?, observer)?)
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
        Ok(self.drawing_of(self.header.row()?)?)
    }

    /// Returns the drawing of the run of this algorithm, as [`replay_of`](Self::replay_of) replays it.
    ///
    /// # Errors
    /// If the run does not fit the algorithm.
    pub fn drawing_of(&self, subject: &impl Subject) -> Result<Drawing, SimulationError> {
        let mut diagram = Diagram::new(&self.header.wiring, &self.header.ids);
        self.replay_of(subject, Some(&mut diagram))?;
        Ok(diagram.into_drawing().titled(self.header.title()))
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

/// Why a file is not a run that can be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// It cannot be read, or a line of it is not one of a run.
    #[error(transparent)]
    Line(#[from] RecordingError),
    /// Its header is not the header of a run.
    #[error("{name}, line 1: {what}")]
    Header {
        /// The name of the input.
        name: String,
        /// What is wrong.
        what: String,
    },
    /// Its actions are not possible under its header.
    #[error("{name}, action {number}: {what}")]
    Action {
        /// The name of the input.
        name: String,
        /// The number of the action, from 1 on.
        number: u64,
        /// What is wrong.
        what: String,
    },
}

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

/// How often each fault may still strike, of those that are counted.
pub(crate) struct FaultsLeft {
    pub(crate) loss: u32,
    pub(crate) duplicate: u32,
    pub(crate) crash: u32,
}

impl FaultsLeft {
    /// What these actions leave of these faults.
    pub(crate) fn of(faults: &[Fault], actions: &[(u64, Action)]) -> Self {
        let mut left = Self { loss: 0, duplicate: 0, crash: 0 };
        for fault in faults {
            match *fault {
                Fault::Loss(Amount::Count(count)) => left.loss = count,
                Fault::Duplicate(Amount::Count(count)) => left.duplicate = count,
                Fault::Crashes(count) => left.crash = count,
                _ => {}
            }
        }
        for &(_, action) in actions {
            if let Some((budget, ..)) = left.of_action(action) {
                *budget = budget.saturating_sub(1);
            }
        }
        left
    }

    /// The budget that an action takes one from, its name, and its plural for errors.
    fn of_action(&mut self, action: Action) -> Option<(&mut u32, &'static str, &'static str)> {
        match action {
            Action::Wake(_) | Action::Alarm(_) | Action::Deliver { .. } => None,
            Action::Crash(_) => Some((&mut self.crash, "crash", "crashes")),
            Action::Lose { .. } => Some((&mut self.loss, "loss", "losses")),
            Action::Duplicate { .. } => Some((&mut self.duplicate, "duplicate", "duplicates")),
        }
    }
}

/// An [`Observer`] that writes a run in the [format](self#format), with every event.
///
/// Nothing is held back except by the writer. A failure to write stops the writing, and
/// [`finish`](Self::finish) returns it.
pub struct RunRecorder<W: Write> {
    tracer: Tracer<W>,
}

impl<W: Write> RunRecorder<W> {
    /// Writes the header of the run.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut out: W, header: &RunHeader) -> io::Result<Self> {
        format::write_header(&mut out, header)?;
        Ok(Self { tracer: Tracer::after_header(out) })
    }

    /// Ends the run and returns the writer.
    ///
    /// # Errors
    /// If any of it could not be written.
    pub fn finish(self) -> io::Result<W> {
        self.tracer.finish()
    }
}

impl<W: Write> Observer for RunRecorder<W> {
    fn event(&mut self, at: u64, clock: u32, event: &ElectionEvent<'_>) {
        self.tracer.event(at, clock, event);
    }
}
