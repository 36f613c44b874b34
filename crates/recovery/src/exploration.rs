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
//! - **Messages.** The network is the *set* of all messages that were ever sent. Each may be
//!   delivered at any time and stays, so that loss, duplication without limit, delay and overtaking
//!   need no steps of their own; partitions are losses. (The same network as in L. Lamport's TLA+
//!   specifications.)
//! - **Time.** No configuration has an instant in it. Pending alarms are kept in the order in which
//!   they were set, and [may ring](order) unless an earlier one must have rung before. Two orders that
//!   differ only where it makes no difference are one configuration.
//! - **Crashes.** A process may crash between any two reactions, and come up with its record or, if the
//!   budget has it, without. A crash during a reaction is one before it: a reaction's writes are
//!   synced all or none, and before its messages leave.
//! - **Applications** stand for every office at once, also after a restart; they end their work when
//!   asked, after any time, and within the budget resign or hand over.
//!
//! What is bounded is in [`Budget`]: within it, and only within it, the exploration is exhaustive.

mod breadth;
mod configuration;
mod continuation;
mod effects;
pub mod order;
mod step;
mod tables;
mod walk;

pub use step::Step;

use crate::promises::Promise;
use configuration::Configuration;
use std::{marker::PhantomData, num::NonZero, ops::ControlFlow};
use suffrage_process::recovery::{Peer, Ratio, Recoverable, Setting};
use tables::Tables;

/// How much may happen in an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Budget {
    /// The greatest term: a configuration in which some tenure has a greater one is not explored
    /// further.
    pub terms: u64,
    /// How many alarms may ring, in all processes together.
    pub rings: u16,
    /// How many times a process may crash, in all.
    pub crashes: u8,
    /// How many of the crashed may come up without their record.
    pub lost_records: u8,
    /// How many times an application may resign or hand its office over, in all.
    pub departures: u8,
}

impl Default for Budget {
    /// Three terms, six alarms, nothing else.
    fn default() -> Self {
        Self { terms: u64::MAX, rings: 6, crashes: 0, lost_records: 0, departures: 0 }
    }
}

/// A protocol to be explored, and how: a builder.
pub struct Explorer<P> {
    setting: Setting,
    peers: u32,
    offices: u32,
    silent: Vec<Peer>,
    budget: Budget,
    limit: usize,
    threads: NonZero<usize>,
    continuations: bool,
    protocol: PhantomData<P>,
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
            budget: Budget {
                terms: u64::MAX,
                rings: 6,
                crashes: 0,
                lost_records: 0,
                departures: 0,
            },
            limit: 50_000_000,
            threads: NonZero::<usize>::MIN,
            continuations: false,
            protocol: PhantomData,
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
    /// within `lease` and some round trips of one tick each.
    #[must_use]
    pub const fn continuations(mut self) -> Self {
        self.continuations = true;
        self
    }

    /// Explores breadth-first.
    ///
    /// Takes memory for each configuration: four bytes for each participant, and 24 more.
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

    fn first(&self, tables: &Tables<P>) -> Configuration {
        configuration::first(self, tables)
    }
}
