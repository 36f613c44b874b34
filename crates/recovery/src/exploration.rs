//! Every execution of a crash-recovery protocol within a budget.
//!
//! The explorer lets everything happen that the [model](suffrage_process::recovery) allows: any
//! message ever sent arrives at any time, any number of times or never, alarms ring in every order
//! that clocks of the given rates allow, processes crash and come up again. In each configuration it
//! looks at the promises; a configuration that breaks one is shown with a shortest execution that
//! leads there.
//!
//! ```
//! use suffrage_protocols::raft_election::RaftElection;
//! use suffrage_recovery::exploration::{Budget, Explorer};
//!
//! // Three members hold an election; two alarms ring, in any processes and at any time.
//! let budget = Budget { rings: 2, ..Budget::default() };
//! let report = Explorer::<RaftElection>::new(3).budget(budget).run();
//! assert!(report.complete && report.violation.is_none());
//! assert_eq!(report.greatest_term, 1);
//! ```
//!
//! # What is covered
//! - **Messages.** A message that is under way may be delivered at any time. One that never is is
//!   lost. Without a bound of the messages under way the network is the *set* of all messages that
//!   were ever sent, and each stays after its delivery, so that loss, duplication without limit,
//!   delay and overtaking need no steps of their own; partitions are losses. (The same network as in
//!   L. Lamport's TLA+ specifications.) With a [bound](Budget::under_way), any that are too many are
//!   lost, and [duplication](Budget::duplicates) may be counted.
//! - **Time.** No configuration has an instant in it. Pending alarms are kept with the relation of
//!   which [must ring before](order) which, that comes from the order in which they were set.
//! - **Crashes.** A process may crash between any two reactions, and come up with its record or, if the
//!   budget has it, without. A crash during a reaction is one before it: a reaction's writes are
//!   synced all or none, and before its messages leave.
//! - **Applications** stand for every office at once, also after a restart; they end their work when
//!   asked, after any time, and within the budget resign or hand over.
//!
//! What is bounded is in [`Budget`]: within it, and only within it, the exploration is exhaustive.
//! The reductions that make it small are sound: `docs/design/recovery.md` says why, and
//! [`full`](Explorer::full) explores without them.

mod breadth;
mod configuration;
mod continuation;
mod effects;
mod history;
mod interned;
pub mod order;
mod pending;
mod serials;
mod space;
mod step;
mod tables;
mod walk;

pub use step::Step;

use crate::promises::Promise;
use std::{num::NonZero, ops::ControlFlow};
use suffrage_process::recovery::{Memory, Peer, Ratio, Recoverable, Setting, Term};

/// As often as may be: what is not bounded in a [`Budget`].
pub const UNLIMITED: u8 = u8::MAX;

/// How much may happen in an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Budget {
    /// The greatest term at which an office may be claimed, where the protocol
    /// [tells](Recoverable::greatest_claim).
    pub terms: Term,
    /// How many tenures may begin, in all offices together; or [`UNLIMITED`].
    pub tenures: u8,
    /// How many alarms may ring, in all processes together.
    pub rings: u8,
    /// How many messages may be under way at a time: of more than these any are lost. Then the
    /// participants come up one after the other, at any time. Or [`UNLIMITED`].
    pub under_way: u8,
    /// How many messages may be lost; or [`UNLIMITED`], and then none has to arrive. Counted only where
    /// overtaking is.
    pub losses: u8,
    /// How often a message may arrive, or an alarm ring, before a message that was sent earlier
    /// arrives; or [`UNLIMITED`]. If it is bounded, all messages are delivered in the order of
    /// sending, whoever sends them, and before an alarm rings, but for so many exceptions.
    pub overtakings: u8,
    /// How many deliveries may leave the message under way, to be delivered again; or [`UNLIMITED`],
    /// and then all do.
    pub duplicates: u8,
    /// How many times a process may crash, in all.
    pub crashes: u8,
    /// How many of the crashed may come up without their record.
    pub lost_records: u8,
    /// How many times an application may resign or hand its office over, in all.
    pub departures: u8,
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
    };
}

impl Default for Budget {
    /// Six alarms, any messages, terms and tenures, nothing else.
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// A name, and what holds in every configuration of the processes that are up.
type Invariant<P> = (&'static str, fn(&[&P]) -> Result<(), &'static str>);

/// Whether the order of two alarms is kept.
type Kept<A> = fn((Peer, A), (Peer, A)) -> bool;

/// A protocol to be explored, and how: a builder.
pub struct Explorer<P: Recoverable> {
    setting: Setting,
    peers: u32,
    offices: u32,
    silent: Vec<Peer>,
    budget: Budget,
    limit: usize,
    threads: NonZero<usize>,
    filled_within: Option<u64>,
    reduced: bool,
    founding: bool,
    cut: Vec<(Peer, Peer)>,
    constrained: Option<Kept<P::Alarm>>,
    at_once: Option<fn(&P::Msg) -> bool>,
    invariants: &'static [Invariant<P>],
}

/// What an exploration has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Distinct configurations.
    pub configurations: u64,
    /// Steps between them, those that change nothing left out.
    pub transitions: u64,
    /// The length of the longest of the shortest executions that lead to each configuration.
    pub depth: u32,
    /// Whether all configurations within the budget were explored.
    pub complete: bool,
    /// How many of them have a holder of some office.
    pub held: u64,
    /// The greatest term of a tenure.
    pub greatest_term: u64,
    /// How many terms of offices began as tenures, in all executions together.
    pub terms: u64,
    /// The most tenures in an execution, where their number is bounded.
    pub tenures: u8,
    /// The longest time, in ticks, after which the first office was filled where nothing went wrong
    /// any more, over all configurations; `None` if continuations were not looked at.
    pub longest_vacancy: Option<u64>,
    /// The promise that was broken.
    pub violation: Option<Violation>,
}

/// A promise that an execution breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which one; `None` where a participant rejects what no correct one sends.
    pub promise: Option<Promise>,
    /// What is the case, in words.
    pub detail: String,
    /// The steps that lead there: as few as possible, if breadth-first search has found it.
    pub execution: Vec<String>,
}

impl<P: Recoverable> Explorer<P> {
    /// An exploration of `members` members that all stand for one office. A heartbeat is 2 ticks, a
    /// lease 8, and clocks run at one rate.
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
            reduced: true,
            founding: false,
            cut: Vec::new(),
            constrained: None,
            at_once: None,
            invariants: &[],
        }
    }

    /// Standers without a vote, in addition to the members.
    #[must_use]
    pub const fn standers(mut self, standers: u32) -> Self {
        self.peers = self.setting.members + standers;
        self
    }

    /// The number of offices for which all stand.
    #[must_use]
    pub const fn offices(mut self, offices: u32) -> Self {
        self.offices = offices;
        self
    }

    /// A member that votes and never stands; may be repeated.
    #[must_use]
    pub fn witness(mut self, member: u32) -> Self {
        self.silent.push(Peer(member));
        self
    }

    /// Durations and clocks: the setting of every participant, but for its number and the number of
    /// members.
    #[must_use]
    pub const fn setting(mut self, setting: Setting) -> Self {
        self.setting = Setting { me: Peer(0), members: self.setting.members, ..setting };
        self
    }

    /// All come up for the first time with an empty record for which nobody vouches.
    #[must_use]
    pub const fn founding(mut self) -> Self {
        self.founding = true;
        self
    }

    /// Nothing that one participant sends to another ever arrives, both ways.
    #[must_use]
    pub fn cut(mut self, one: u32, other: u32) -> Self {
        self.cut.extend([(Peer(one), Peer(other)), (Peer(other), Peer(one))]);
        self
    }

    /// Keeps the order of two alarms only where this says so, of the one that was set earlier and the
    /// one that was set later: all others may ring in any order, whatever their durations. So more is
    /// explored than can happen, in fewer configurations.
    #[must_use]
    pub const fn ordering(mut self, kept: Kept<P::Alarm>) -> Self {
        self.constrained = Some(kept);
        self
    }

    /// Which messages take no time: they are delivered in the step that sends them, or lost if their
    /// receiver is down. So a layer of a protocol becomes abstract, and what is explored is what is
    /// above it.
    #[must_use]
    pub const fn at_once(mut self, at_once: fn(&P::Msg) -> bool) -> Self {
        self.at_once = Some(at_once);
        self
    }

    /// What must hold in every configuration, of the processes that are up.
    #[must_use]
    pub const fn invariants(mut self, invariants: &'static [Invariant<P>]) -> Self {
        self.invariants = invariants;
        self
    }

    /// Explores without any reduction; only the [order](Self::ordering) of alarms is as asked for.
    #[must_use]
    pub const fn full(mut self) -> Self {
        self.reduced = false;
        self
    }

    /// How much may happen.
    #[must_use]
    pub const fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// After how many configurations to stop, with an incomplete report; 50 million if it is not said.
    #[must_use]
    pub const fn limit(mut self, configurations: usize) -> Self {
        self.limit = configurations;
        self
    }

    /// How many threads look for successors; the report does not depend on it.
    #[must_use]
    pub const fn threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = threads;
        self
    }

    /// Lets each configuration go on without any further fault, and expects its offices to be filled
    /// after this number of ticks at most. A message takes one.
    #[must_use]
    pub const fn filled_within(mut self, ticks: u64) -> Self {
        self.filled_within = Some(ticks);
        self
    }

    /// Explores breadth-first.
    ///
    /// Takes about 40 bytes of memory for each configuration.
    #[must_use]
    pub fn run(&self) -> Report {
        self.run_watched(&mut |_| ControlFlow::Continue(()))
    }

    /// Explores breadth-first, and now and then says how many configurations were found so far;
    /// what it is told may end it, with an incomplete report.
    pub fn run_watched(&self, watch: &mut dyn FnMut(u64) -> ControlFlow<()>) -> Report {
        breadth::explore(self, watch)
    }

    /// Walks at random, `walks` times up to `steps` steps, from the start: far deeper than breadth-first
    /// search, and never complete. The same seed walks the same ways.
    #[must_use]
    pub fn walk(&self, walks: u64, steps: u32, seed: u64) -> Report {
        walk::walk(self, walks, steps, seed)
    }

    /// Follows an authored execution: each line is a step, in the words in which a [`Violation`] tells
    /// its execution. Coins show the least number that makes the line possible.
    ///
    /// # Errors
    /// With the number of the first line that cannot happen, from 0, and all that can in its place.
    pub fn follow(&self, script: &[&str]) -> Result<Report, (usize, Vec<String>)> {
        walk::follow(self, script)
    }

    fn stands(&self, peer: Peer) -> bool {
        !self.silent.contains(&peer)
    }

    fn setting_of(&self, peer: Peer) -> Setting {
        Setting { me: peer, ..self.setting }
    }

    /// Whether messages are delivered in the order of sending, but for some.
    const fn queued(&self) -> bool {
        self.budget.overtakings != UNLIMITED
    }

    const fn first_memory(&self) -> Memory {
        if self.founding { Memory::Lost } else { Memory::New }
    }
}
