//! Elections whose schedule is chosen step by step.
//!
//! A [`Play`] has an unfinished run and the possible next actions. Its caller chooses one, lets an
//! [`Adversary`] choose the rest, or goes back. The simulator replays the run after each choice, so a play is
//! a [`Run`] like any other: it can be saved, replayed and drawn.
//!
//! ```
//! use suffrage_figures::play::Play;
//! use suffrage_figures::run::RunHeader;
//! use suffrage_simulator::Adversary;
//! use suffrage_networks::{Ids, wiring::Wiring};
//!
//! let (wiring, ids) = (Wiring::ring(4), Ids::Descending.assign(4, 1));
//! let mut play = Play::new(RunHeader::new("chang-roberts", wiring, ids))?;
//! assert_eq!(play.possible().len(), 4, "every process may wake");
//! play.take(play.possible()[2])?;
//! play.finish(Adversary::Newest)?;
//! assert!(play.possible().is_empty());
//! let costs = play.explore(1 << 20)?.costs.ok_or("too large")?;
//! assert!(play.outcome().messages.total() <= costs.messages.max);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::run::{Breaks, FaultsLeft, ReplayError, Run, RunHeader};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use suffrage_algorithms::Algorithm;
use suffrage_checker::{
    Costly, Exploration, FaultBudget, Instance, InvalidInstance, Objective, Options,
    UnexplorableFault, Wake, explore_while, search_worst,
};
use suffrage_model::{Action, End, Timing};
use suffrage_networks::Fault;
use suffrage_simulator::{Adversary, ElectionEvent, Observer, Outcome, Simulator, Struck};

/// The most events of an election that goes on by itself; beyond that, it counts as endless.
pub const MOST_EVENTS: u64 = 100_000;

/// An election whose schedule is chosen step by step.
pub struct Play {
    run: Run,
    outcome: Outcome,
    possible: Vec<Action>,
}

/// Why an election cannot go on as it should.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlayError {
    /// The run cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The action is not among the possible ones.
    #[error("this is not possible now: choose a possible action")]
    NotPossible,
    /// The checker cannot explore the election.
    #[error(transparent)]
    Invalid(#[from] InvalidInstance),
    /// The checker cannot explore its faults.
    #[error(transparent)]
    Fault(#[from] UnexplorableFault),
}

impl Play {
    /// Creates an election of an algorithm of the catalogue, before its first event.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn new(header: RunHeader) -> Result<Self, PlayError> {
        Self::of(Run { header, actions: Vec::new() })
    }

    /// Takes up an election of an algorithm of the catalogue where a run ends.
    ///
    /// # Errors
    /// If there is no such algorithm, or the run does not fit it.
    pub fn of(run: Run) -> Result<Self, PlayError> {
        let mut log = ActionLog::default();
        let outcome = run.replay(Some(&mut log))?.outcome;
        let possible = possible(&run, &outcome, &log);
        Ok(Self { run, outcome, possible })
    }

    /// Returns the run so far.
    #[must_use]
    pub const fn run(&self) -> &Run {
        &self.run
    }

    /// Returns the outcome so far; before the end it is
    /// [unfinished](Outcome::unfinished).
    #[must_use]
    pub const fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Returns the possible next actions: wake-ups, alarms and arrivals, and after them faults, if the run allows some
    /// that have not struck yet. Empty for an algorithm in rounds, which leaves no choice.
    #[must_use]
    pub fn possible(&self) -> &[Action] {
        &self.possible
    }

    /// Takes one of the [possible](Self::possible) actions.
    ///
    /// # Errors
    /// If it is not possible.
    pub fn take(&mut self, action: Action) -> Result<(), PlayError> {
        if !self.possible.contains(&action) {
            return Err(PlayError::NotPossible);
        }
        let mut run = self.begun();
        run.actions.push((self.now() + 1, action));
        *self = Self::of(run)?;
        Ok(())
    }

    /// Goes back to the end of this tick; runs without a clock count their actions. The events up to then are repeated.
    ///
    /// # Errors
    /// None, unless the run could not be replayed.
    pub fn back_to(&mut self, tick: u64) -> Result<(), PlayError> {
        self.keep(self.run.actions.partition_point(|&(at, _)| at <= tick))
    }

    /// Goes back to the beginning.
    ///
    /// # Errors
    /// None, unless the run could not be replayed.
    pub fn restart(&mut self) -> Result<(), PlayError> {
        self.keep(0)
    }

    fn keep(&mut self, actions: usize) -> Result<(), PlayError> {
        if actions == self.run.actions.len() {
            return Ok(());
        }
        let mut run = self.begun();
        run.actions.truncate(actions);
        // The numbers that are drawn from here on are others'.
        let mut log = ActionLog::default();
        run.replay(Some(&mut log))?;
        run.header.coins = log.coins;
        *self = Self::of(run)?;
        Ok(())
    }

    /// Goes on without a choice until the end: initiators that are asleep wake, and an adversary
    /// chooses the order of messages. Without faults; links are FIFO from here on.
    ///
    /// # Errors
    /// None, unless the run could not be replayed.
    pub fn finish(&mut self, adversary: Adversary) -> Result<(), PlayError> {
        if self.possible.is_empty() {
            return Ok(());
        }
        let mut run = self.begun();
        let untimed = run.is_untimed();
        let mut log = ActionLog::default();
        let mut experiment = run.experiment(run.recording().then(adversary));
        experiment.event_limit = MOST_EVENTS;
        let held = Simulator::of(self.run.header.row()?, experiment).observer(&mut log).run();
        held.map_err(ReplayError::from)?;
        run.actions = log.actions;
        if untimed {
            (1..).zip(&mut run.actions).for_each(|(number, action)| action.0 = number);
        }
        run.header.coins = log.coins;
        *self = Self::of(run)?;
        Ok(())
    }

    /// Explores the election from its beginning on, over every schedule and every result of random
    /// choices: the exact extremes of its cost, the costliest schedule, or one that breaks a property.
    /// The configurations may take this much memory, in bytes.
    ///
    /// # Errors
    /// If the election cannot be explored.
    pub fn explore(&self, memory: u64) -> Result<Exploration, PlayError> {
        let instance = self.instance()?;
        let options = Options { full: false, memory, costs: true };
        let mut on = |_| ControlFlow::Continue(());
        Ok(explore_while(&instance, self.run.header.row()?, &options, &mut on)?)
    }

    /// Searches the election from its beginning on for a costly schedule, where it is too large to
    /// [explore](Self::explore), in at most this many steps; faults do not strike.
    ///
    /// # Errors
    /// If the instance is invalid.
    pub fn search(&self, seed: u64, steps: u64) -> Result<Costly, PlayError> {
        let instance = Instance { faults: FaultBudget::default(), ..self.instance()? };
        let mut left = steps;
        let mut on = |_| {
            left = left.saturating_sub(1);
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let algorithm = self.run.header.row()?;
        Ok(search_worst(algorithm, &instance, Objective::Messages, 1, seed, &mut on)?)
    }

    /// The election from its beginning on.
    fn instance(&self) -> Result<Instance, PlayError> {
        let header = &self.run.header;
        Ok(Instance {
            wiring: header.wiring.clone(),
            ids: header.ids.clone(),
            initiators: match &header.initiators {
                None => (0..header.wiring.nodes()).collect(),
                Some(some) => some.clone(),
            },
            wake: Wake::AnyTime,
            capacity: header.capacity,
            faults: FaultBudget::of(&header.faults)?,
        })
    }

    /// Returns the run as a file, with the property that it breaks, if it breaks one.
    #[must_use]
    pub fn file(&self) -> String {
        let mut run = self.run.clone();
        let broken = self.outcome.violations.first().map(|breach| Breaks::from(&breach.violation));
        run.header.breaks = broken.or(run.header.breaks);
        let mut file = Vec::new();
        // Memory can be written to, and JSON is UTF-8.
        let written = run.write(&mut file);
        debug_assert!(written.is_ok(), "{written:?}");
        String::from_utf8(file).unwrap_or_default()
    }

    /// The tick of the last action.
    fn now(&self) -> u64 {
        self.run.actions.last().map_or(0, |&(at, _)| at)
    }

    /// The run as one that goes on otherwise than it was recorded.
    fn begun(&self) -> Run {
        let header = self.run.header.clone();
        let schedule = "chosen".to_owned();
        let header =
            RunHeader { command: None, breaks: None, loop_start: None, schedule, ..header };
        Run { header, actions: self.run.actions.clone() }
    }
}

/// The actions that are possible after a run.
fn possible(run: &Run, outcome: &Outcome, log: &ActionLog) -> Vec<Action> {
    let header = &run.header;
    let timing = Algorithm::named(&header.algorithm).map(|algorithm| algorithm.timing);
    if timing == Some(Timing::Rounds) {
        return Vec::new();
    }
    let mut possible = outcome.possible.clone();
    let ends = outcome.possible.iter().filter_map(|action| match *action {
        Action::Deliver { to, .. } => Some(to),
        _ => None,
    });
    if header.faults.contains(&Fault::NoFifo) && header.capacity.is_none() {
        for to in ends.clone() {
            let from = header.wiring.across(to.node, to.port);
            let held = log.under_way.get(&from).copied().unwrap_or_default();
            possible.extend((1..held).map(|overtakes| Action::Deliver { to, overtakes }));
        }
    }
    let left = FaultsLeft::of(&header.faults, &run.actions);
    if left.loss > 0 {
        possible.extend(ends.clone().map(|to| Action::Lose { to }));
    }
    if left.duplicate > 0 {
        possible.extend(ends.map(|to| Action::Duplicate { to }));
    }
    if left.crash > 0 {
        let nodes = (0..header.wiring.nodes()).filter(|node| !log.gone.contains(node));
        possible.extend(nodes.map(Action::Crash));
    }
    possible
}

/// An [`Observer`] that keeps the actions of an election, and the numbers that processes draw.
#[derive(Default)]
struct ActionLog {
    actions: Vec<(u64, Action)>,
    coins: Vec<u32>,
    /// The number of messages on each link, by its sending end.
    under_way: BTreeMap<End, u32>,
    /// The processes that have halted or crashed.
    gone: BTreeSet<u32>,
}

impl Observer for ActionLog {
    fn event(&mut self, at: u64, _: u32, event: &ElectionEvent<'_>) {
        let action = match *event {
            ElectionEvent::Wake(node) => Action::Wake(node),
            ElectionEvent::Alarm(node) => Action::Alarm(node),
            ElectionEvent::Crash(node) => {
                self.gone.insert(node);
                Action::Crash(node)
            }
            ElectionEvent::Deliver(passage, overtakes)
            | ElectionEvent::Discard(passage, overtakes) => {
                *self.under_way.entry(passage.from).or_default() -= 1;
                Action::Deliver { to: passage.to, overtakes }
            }
            ElectionEvent::Lose(passage, struck) => {
                *self.under_way.entry(passage.from).or_default() -= 1;
                if struck == Struck::AsSent {
                    return;
                }
                Action::Lose { to: passage.to }
            }
            ElectionEvent::Duplicate(passage, struck) => {
                *self.under_way.entry(passage.from).or_default() += 1;
                if struck == Struck::AsSent {
                    return;
                }
                Action::Duplicate { to: passage.to }
            }
            ElectionEvent::Send(passage) => {
                *self.under_way.entry(passage.from).or_default() += 1;
                return;
            }
            ElectionEvent::Halt(node) => {
                self.gone.insert(node);
                return;
            }
            ElectionEvent::Status(..) | ElectionEvent::Reject(..) => return,
        };
        self.actions.push((at, action));
    }

    fn choice(&mut self, _: u32, number: u32) {
        self.coins.push(number);
    }
}
