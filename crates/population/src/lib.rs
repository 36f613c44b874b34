//! Elections among agents that meet in uniformly random pairs, from 2 agents to 10^12.
//!
//! There are no links, ports or messages here: two agents meet and replace their states at once
//! ([`PopulationProtocol`](protocol::PopulationProtocol)), and chance alone chooses who meets whom.
//! The protocols are those of R. Chaturvedi, P. Dymond and M. Jenkin, "Efficient leader election
//! among numbered agents", corrected and as printed, and two classics ([`protocols`]).
//!
//! Four engines run them and give one kind of result, a [`Trial`](trial::Trial). Each says what it
//! is exact for:
//!
//! | engine | keeps | exact for | agents |
//! |---|---|---|---|
//! | [`direct`](engine::direct) | every agent, 8 bytes each | everything | what fits in memory |
//! | [`batched`](engine::batched) | agents per state; the K highest identities | all that concerns those | 2^44 |
//! | [`closed_form`](engine::closed_form) | the eventual leader | all that concerns it | 2^44 |
//! | [`oracle`](engine::oracle) | probabilities | expectations, without trials | 10^4 |
//!
//! An [`Experiment`](experiment::Experiment) names protocol, size and question, takes the fastest
//! engine that is exact for it, and runs its trials on all cores with the same result for any
//! number of threads:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use suffrage_population::{
//!     ensemble::Silent,
//!     experiment::{Experiment, Protocol},
//!     protocols::SelfTerminating,
//!     report::Report,
//! };
//!
//! let protocol = Protocol::SelfTerminating(SelfTerminating::default());
//! let experiment = Experiment { trials: 200, ..Experiment::new(protocol, 500) };
//! let outcome = experiment.run(&Silent, &AtomicBool::new(false))?;
//! let report = Report::new(&experiment, outcome, false);
//! let first_ok = report.summary.and_then(|summary| summary.first_ok);
//! assert!(first_ok.is_some_and(|rate| rate.rate > 0.99));
//! println!("{report}");
//! # Ok::<(), suffrage_population::error::Error>(())
//! ```
//!
//! A protocol of one's own is an initial state for each agent and a rule, as in ppsim. With few
//! states it runs in batches:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use suffrage_population::{
//!     engine::batched::{Counts, Goal, Table},
//!     history::History,
//!     protocol::PopulationProtocol,
//!     random::Stream,
//! };
//!
//! /// Three-state approximate majority: 1 and -1 argue, 0 is undecided.
//! struct Majority;
//!
//! impl PopulationProtocol for Majority {
//!     type State = i8;
//!     type Output = i8;
//!     fn interact(&self, initiator: &mut i8, responder: &mut i8) {
//!         match (*initiator, *responder) {
//!             (0, _) => {}
//!             (x, 0) => *responder = x,
//!             (x, y) if x != y => *responder = 0,
//!             _ => {}
//!         }
//!     }
//!     fn output(&self, opinion: &i8) -> i8 { *opinion }
//! }
//!
//! let table = Table::reachable(&Majority, &[1, -1])?;
//! let mut engine = Counts::new(table, &[600_000, 400_000], Goal { state: 0, count: 1_000_000 });
//! let stream = &mut Stream::of_trial(1, 0);
//! let history = History::of_counts(&mut engine, 100_000, stream, &AtomicBool::new(false));
//! assert_eq!(history.rows.last().map(|(_, counts)| counts[0]), Some(1_000_000));
//! # Ok::<(), suffrage_population::engine::batched::TooManyStates>(())
//! ```
//!
//! Small populations are explored over every meeting order ([`check`]); the paper's figure and
//! theorems are run again ([`reproduce`]).
//!
//! A seed stands for the same run on every machine, in every version and for any number of threads:
//! the generator is pinned by tests, ranges and distributions are written here ([`random`],
//! [`sampling`]), logarithms come from the `libm` crate, and nothing depends on the clock.

pub mod check;
pub mod engine;
pub mod ensemble;
pub mod error;
pub mod experiment;
pub mod history;
pub mod ids;
pub mod memory;
pub mod protocol;
pub mod protocols;
pub mod random;
pub mod report;
pub mod reproduce;
pub mod sampling;
pub mod statistics;
pub mod summary;
pub mod trial;
