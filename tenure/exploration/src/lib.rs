//! Exhaustive exploration of the executions of a crash-recovery protocol within a budget.
//!
//! The explorer takes every step that the [model](tenure_model) allows: any message
//! ever sent arrives at any time, any number of times or never; alarms ring in every order that
//! clocks of the given rates allow; processes crash and come up again. It checks the promises in
//! each configuration, and reports a configuration that breaks one together with a shortest
//! execution that leads there.
//!
//! ```
//! use tenure_protocol::raft_election::RaftElection;
//! use tenure_exploration::{Budget, Explorer};
//!
//! // Three members hold an election; two alarms ring, in any processes and at any time.
//! let budget = Budget { rings: 2, ..Budget::default() };
//! let report = Explorer::<RaftElection>::new(3).budget(budget).run();
//! assert!(report.complete && report.violation.is_none());
//! assert_eq!(report.greatest_term, 1);
//! ```
//!
//! # What is covered
//! - **Messages.** A message under way may be delivered at any time, or never: then it is
//!   lost. Without a bound on the messages under way the network is the *set* of all messages that
//!   were ever sent, and each stays after its delivery, so that loss, duplication without limit,
//!   delay and overtaking need no steps of their own; partitions are losses. (The same network as
//!   in L. Lamport's TLA+ specifications.) With a [bound](Budget::under_way), messages in excess of
//!   it are lost, and [duplication](Budget::duplicates) may be counted.
//! - **Time.** Configurations contain no instants. They contain which pending alarm [must ring before](order) which
//!   other one; this follows from the order in which alarms were set.
//! - **Crashes.** A process may crash between any two reactions and within each, after a part of its effects, and come
//!   up with its record or, if the budget allows it, without. The writes of a reaction are synced together, before any
//!   message leaves that is sent after the first write.
//! - **Applications** stand for every office at once, also after a restart; they end their work when
//!   asked, after any time, and within the budget resign or hand over.
//!
//! # Why in this order
//! A step does the following in this order (`step.rs`, `configuration.rs`); each part depends on the previous one:
//! 1. *The reaction*, looked up in a table; then its alarms, then its messages, as the process gave them.
//! 2. *Rejections and the budget of terms*, before the promises: a message that no correct participant sends is a
//!    finding of its own, and a claim beyond the budget is no configuration.
//! 3. *Tenures that began* are checked against the promises, while the previous tenures of the participant are still
//!    known.
//! 4. *Messages that take no time*, each a reaction with 1 to 3.
//! 5. *Obsolete messages* are forgotten, and then past works are ended: both depend on the new states.
//! 6. *Messages are lost* if there are too many; every choice is a configuration.
//! 7. *Serial numbers by rank*, last: forgotten messages and ended works must not keep a number alive, or two
//!    configurations that are the same would differ.
//!
//! [`Budget`] has the bounds; within it, and only within it, the exploration is exhaustive. The reductions that make it
//! small are sound: `docs/why/design/recovery.md` explains why, and [`full`](Explorer::full) explores without them.

mod breadth;
mod configuration;
mod continuation;
mod effects;
mod history;
mod interned;
pub mod order;
mod pending;
mod serials;
mod shown;
mod snapshot;
mod space;
mod step;
mod tables;
mod walk;

pub use snapshot::{AlarmOf, Snapshot, SnapshotOf};
pub use step::ExplorationStep;

use std::{num::NonZero, ops::ControlFlow};
use tenure_model::{Memory, Office, Peer, Ratio, Recoverable, Setting, Term};
use tenure_simulation::{
    SimulationWatch,
    promises::{Breach, Promise},
};

/// The value of a field of a [`Budget`] that has no bound.
pub const UNLIMITED: u8 = u8::MAX;

/// The greatest value of the fields of a [`Budget`] that say so.
pub const FEW: u8 = 15;

/// The bounds on what may happen in an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Budget {
    /// The greatest term at which an office may be claimed, where the protocol
    /// [tells](Recoverable::greatest_claim).
    pub terms: Term,
    /// The number of tenures that may begin, in all offices together; or [`UNLIMITED`].
    pub tenures: u8,
    /// The number of alarms that may ring, in all processes together.
    pub rings: u8,
    /// The number of messages that may be under way at a time; of those in excess of it, any are
    /// lost. The participants then come up one after the other, at any time. Or [`UNLIMITED`].
    pub under_way: u8,
    /// The number of messages that may be lost; or [`UNLIMITED`], and then no message has to
    /// arrive. Counted only where overtaking is counted.
    pub losses: u8,
    /// The number of times that a message may arrive, or an alarm ring, before a message that was
    /// sent earlier arrives; or [`UNLIMITED`]. If it is bounded, all messages of all senders are
    /// delivered in the order of sending, and before an alarm rings, with this number of
    /// exceptions.
    pub overtakings: u8,
    /// The number of deliveries that may leave the message under way, to be delivered again; or
    /// [`UNLIMITED`], and then all do.
    pub duplicates: u8,
    /// The number of times that processes may crash, in total.
    pub crashes: u8,
    /// The number of crashed processes that may come up without their record; at most [`FEW`].
    pub lost_records: u8,
    /// The number of times that applications may resign or hand an office over, in total.
    pub departures: u8,
    /// The number of times that operators may ask for [other members](Explorer::asks_for), in total; at most [`FEW`].
    pub changes: u8,
}

impl Budget {
    const DEFAULT: Self = Self {
        terms: Term(u64::MAX),
        tenures: UNLIMITED,
        rings: 6,
        under_way: UNLIMITED,
        losses: UNLIMITED,
        overtakings: UNLIMITED,
        duplicates: UNLIMITED,
        crashes: 0,
        lost_records: 0,
        departures: 0,
        changes: 0,
    };
}

impl Default for Budget {
    /// Returns a budget of six alarms and any messages, terms and tenures, without faults or
    /// departures.
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The name of an invariant, and a predicate that holds in every configuration of the processes
/// that are up.
type Invariant<P> = (&'static str, fn(&[&P]) -> Result<(), &'static str>);

/// A predicate that tells whether the order of two alarms is kept.
type Kept<A> = fn((Peer, A), (Peer, A)) -> bool;

/// A builder for the exploration of a protocol.
pub struct Explorer<P: Recoverable> {
    setting: Setting,
    peers: u32,
    offices: u32,
    silent: Vec<Peer>,
    budget: Budget,
    limit: usize,
    threads: NonZero<usize>,
    filled_within: Option<u64>,
    one_way_cuts: bool,
    reduced: bool,
    founding: bool,
    cut: Vec<(Peer, Peer)>,
    changes: Vec<(Peer, u64, Option<u64>)>,
    constrained: Option<Kept<P::Alarm>>,
    at_once: Option<fn(&P::Msg) -> bool>,
    invariants: &'static [Invariant<P>],
    judge: Option<snapshot::Judge<P>>,
    waived: Vec<Promise>,
}

/// The result of an exploration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExplorationReport {
    /// The number of distinct configurations.
    pub configurations: u64,
    /// The number of steps between them, without those that change nothing.
    pub transitions: u64,
    /// The greatest length of a shortest execution that leads to a configuration.
    pub depth: u32,
    /// Whether all configurations within the budget were explored.
    pub complete: bool,
    /// The number of configurations in which some office has a holder.
    pub held: u64,
    /// The greatest term of a tenure.
    pub greatest_term: u64,
    /// The number of terms of offices at which a tenure began, in all executions together.
    pub terms: u64,
    /// The greatest number of tenures in an execution, where their number is bounded.
    pub tenures: u8,
    /// The longest time, in ticks, until every office was filled in a continuation without further
    /// faults, over all configurations; `None` if continuations were not explored.
    pub longest_vacancy: Option<u64>,
    /// The violation that was found, if any.
    pub violation: Option<ExplorationViolation>,
}

/// A violation of a promise by an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplorationViolation {
    /// The promise; `None` if a participant rejected a message that no correct one sends.
    pub promise: Option<Promise>,
    /// A description of the violation.
    pub detail: String,
    /// The steps that lead there: as few as possible if found by breadth-first search.
    pub execution: Vec<String>,
}

impl<P: Recoverable> Explorer<P> {
    /// Creates an exploration of `members` members that all stand for one office, with a heartbeat
    /// of 2 ticks, a lease of 8, and clocks that run at one rate.
    #[must_use]
    pub const fn new(members: u32) -> Self {
        let setting =
            Setting { me: Peer(0), members, heartbeat: 2, lease: 8, stop: 0, clocks: Ratio::ONE };
        Self {
            setting,
            peers: members,
            offices: 1,
            silent: Vec::new(),
            budget: Budget::DEFAULT,
            limit: 50_000_000,
            threads: NonZero::<usize>::MIN,
            filled_within: None,
            one_way_cuts: false,
            reduced: true,
            founding: false,
            cut: Vec::new(),
            changes: Vec::new(),
            constrained: None,
            at_once: None,
            invariants: &[],
            judge: None,
            waived: Vec::new(),
        }
    }

    /// Sets the number of clients without a vote, in addition to the members.
    #[must_use]
    pub const fn clients(mut self, clients: u32) -> Self {
        self.peers = self.setting.members + clients;
        self
    }

    /// Sets the number of offices. Every participant runs for each of them.
    #[must_use]
    pub const fn offices(mut self, offices: u32) -> Self {
        self.offices = offices;
        self
    }

    /// Adds a member that votes and never stands. May be repeated.
    #[must_use]
    pub fn witness(mut self, member: u32) -> Self {
        self.silent.push(Peer(member));
        self
    }

    /// Sets durations and clocks: the setting of every participant, except for its number and the
    /// number of members.
    #[must_use]
    pub const fn setting(mut self, setting: Setting) -> Self {
        self.setting = Setting { me: Peer(0), members: self.setting.members, ..setting };
        self
    }

    /// Starts all participants for the first time with an empty record for which no member vouches.
    #[must_use]
    pub const fn founding(mut self) -> Self {
        self.founding = true;
        self
    }

    /// Cuts the link between two participants: no message between them arrives, in either
    /// direction.
    #[must_use]
    pub fn cut(mut self, one: u32, other: u32) -> Self {
        self.cut.extend([(Peer(one), Peer(other)), (Peer(other), Peer(one))]);
        self
    }

    /// Lets an operator ask this participant for these members, each a bit, or for a roster, at any time and within the
    /// [budget](Budget::changes) again and again. May be repeated.
    #[must_use]
    pub fn asks_for(mut self, participant: u32, members: u64, roster: Option<u64>) -> Self {
        self.changes.push((Peer(participant), members, roster));
        self
    }

    /// Keeps the order of two alarms only where this predicate holds for the one that was set
    /// earlier and the one that was set later; all others may ring in any order, whatever their
    /// durations. This explores more executions than are possible, in fewer configurations.
    #[must_use]
    pub const fn ordering(mut self, kept: Kept<P::Alarm>) -> Self {
        self.constrained = Some(kept);
        self
    }

    /// Sets which messages take no time: they are delivered in the step that sends them, or lost if their receiver is
    /// down. This makes a layer of a protocol abstract, and explores the layers above it.
    #[must_use]
    pub const fn at_once(mut self, at_once: fn(&P::Msg) -> bool) -> Self {
        self.at_once = Some(at_once);
        self
    }

    /// Sets the invariants that must hold in every configuration, of the processes that are up.
    #[must_use]
    pub const fn invariants(mut self, invariants: &'static [Invariant<P>]) -> Self {
        self.invariants = invariants;
        self
    }

    /// Judges each step of a participant, by the configurations before it and after it, in which no message has been
    /// lost yet. A step that is refused is a violation.
    #[must_use]
    pub fn judged(
        mut self,
        judge: impl Fn(&Snapshot<'_, P>, Peer, &Snapshot<'_, P>) -> Result<(), String>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.judge = Some(std::sync::Arc::new(judge));
        self
    }

    /// Lets executions go on after a breach of this promise. May be repeated.
    #[must_use]
    pub fn waive(mut self, promise: Promise) -> Self {
        self.waived.push(promise);
        self
    }

    /// Explores without any reduction, except for the requested [order](Self::ordering) of alarms.
    #[must_use]
    pub const fn full(mut self) -> Self {
        self.reduced = false;
        self
    }

    /// Sets the bounds on what may happen.
    ///
    /// # Panics
    /// If a field that is at most [`FEW`] is greater.
    #[must_use]
    pub const fn budget(mut self, budget: Budget) -> Self {
        assert!(budget.lost_records <= FEW && budget.changes <= FEW, "a budget exceeds FEW");
        self.budget = budget;
        self
    }

    /// Sets the number of configurations after which to stop with an incomplete report; 50 million
    /// by default.
    #[must_use]
    pub const fn limit(mut self, configurations: usize) -> Self {
        self.limit = configurations;
        self
    }

    /// Sets the number of threads that compute successors; the report does not depend on it.
    #[must_use]
    pub const fn threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = threads;
        self
    }

    /// Continues each configuration without any further fault, and expects its offices to be filled
    /// after at most this number of ticks. A message takes one tick.
    #[must_use]
    pub const fn filled_within(mut self, ticks: u64) -> Self {
        self.filled_within = Some(ticks);
        self
    }

    /// Continues each configuration also while one participant does not hear another: for each of the
    /// two that leaves some participant that stands with a majority of the members which it hears, and
    /// which hear it. Only with [`filled_within`](Self::filled_within).
    #[must_use]
    pub const fn one_way_cuts(mut self) -> Self {
        self.one_way_cuts = true;
        self
    }

    /// Explores breadth-first.
    ///
    /// Takes about 40 bytes of memory for each configuration.
    #[must_use]
    pub fn run(&self) -> ExplorationReport {
        self.run_watched(&mut |_| ControlFlow::Continue(()))
    }

    /// Explores breadth-first, and calls `watch` from time to time with the number of
    /// configurations found so far; `watch` may end the exploration, with an incomplete report.
    pub fn run_watched(&self, watch: &mut dyn FnMut(u64) -> ControlFlow<()>) -> ExplorationReport {
        self.run_showing(watch, &mut ())
    }

    /// Explores as [`run_watched`](Self::run_watched) does, and shows the execution that breaks a promise, if there is
    /// one. Instants are the numbers of its steps, from 1 on; those that are up at the beginning come up in step 1. A
    /// message that is not delivered stays under way.
    pub fn run_showing(
        &self,
        watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
        shown: &mut dyn SimulationWatch<P>,
    ) -> ExplorationReport {
        breadth::explore(self, watch, shown)
    }

    /// Takes `walks` random walks of up to `steps` steps from the start: far deeper than
    /// breadth-first search, and never complete. The same seed gives the same walks.
    #[must_use]
    pub fn walk(&self, walks: u64, steps: u32, seed: u64) -> ExplorationReport {
        walk::walk(self, walks, steps, seed)
    }

    /// Follows an authored execution: each line is a step, in the words that a [`ExplorationViolation`] uses
    /// for its execution. Coins show the least number that makes the line possible.
    ///
    /// # Errors
    /// The number of the first line that is not possible, from 0, and all steps that are possible
    /// in its place.
    pub fn follow(&self, script: &[&str]) -> Result<ExplorationReport, (usize, Vec<String>)> {
        walk::follow(self, script)
    }

    fn stands(&self, peer: Peer) -> bool {
        !self.silent.contains(&peer)
    }

    fn participants(&self) -> impl Iterator<Item = Peer> + use<P> {
        (0..self.peers).map(Peer)
    }

    fn all_offices(&self) -> impl Iterator<Item = Office> + use<P> {
        (0..self.offices).map(|office| Office(office.into()))
    }

    fn setting_of(&self, peer: Peer) -> Setting {
        Setting { me: peer, ..self.setting }
    }

    /// Returns whether messages are delivered in the order of sending, with a bounded number of
    /// exceptions.
    const fn queued(&self) -> bool {
        self.budget.overtakings != UNLIMITED
    }

    fn arrives(&self, from: Peer, to: Peer) -> bool {
        to.0 < self.peers && !self.cut.contains(&(from, to))
    }

    /// Returns `Err` with a breach of a promise that is not waived.
    fn expects(&self, breach: Breach) -> Result<(), configuration::Broken> {
        match self.waived.contains(&breach.promise()) {
            true => Ok(()),
            false => Err((Some(breach.promise()), breach.to_string())),
        }
    }

    const fn first_memory(&self) -> Memory {
        if self.founding { Memory::Lost } else { Memory::New }
    }
}
