//! Elections among agents that meet in uniformly random pairs, from 2 agents to 10^12.
//!
//! There are no links, ports or messages: two agents meet and replace their states at once
//! ([`PopulationProtocol`](protocol::PopulationProtocol)), and meetings are chosen at random. Only in
//! [`agents`] do they meet by messages, as processes on real hosts.
//! The protocols are those of R. Chaturvedi, P. Dymond and M. Jenkin, "Efficient leader election
//! among numbered agents", corrected and as printed, and two classics ([`protocols`]).
//!
//! Four engines run them with one type of result, a [`Trial`](trial::Trial). They are exact for
//! different quantities:
//!
//! | engine | keeps | exact for | agents |
//! |---|---|---|---|
//! | [`direct`](engine::direct) | every agent, 8 bytes each | everything | what fits in memory |
//! | [`batched`](engine::batched) | agents per state; the K highest identities | the fields about these | 2^44 |
//! | [`closed_form`](engine::closed_form) | the eventual leader | the fields about it | 2^44 |
//! | [`oracle`](engine::oracle) | probabilities | expectations, without trials | 10^4 |
//!
//! A [`PopulationExperiment`](experiment::PopulationExperiment) names protocol, size and question, selects the fastest
//! engine that is exact for it, and runs its trials on all cores, with the same result for any number of threads:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use suffrage_population::{
//!     ensemble::Silent,
//!     experiment::{PopulationExperiment, NamedProtocol},
//!     protocols::SelfTerminating,
//!     report::PopulationReport,
//! };
//!
//! let protocol = NamedProtocol::SelfTerminating(SelfTerminating::default());
//! let experiment = PopulationExperiment { trials: 200, ..PopulationExperiment::new(protocol, 500) };
//! let findings = experiment.run(&Silent, &AtomicBool::new(false))?;
//! let report = PopulationReport::new(&experiment, findings, false);
//! let first_ok = report.summary.and_then(|summary| summary.first_ok);
//! assert!(first_ok.is_some_and(|rate| rate.rate > 0.99));
//! println!("{report}");
//! # Ok::<(), suffrage_population::error::PopulationError>(())
//! ```
//!
//! A user's protocol is an initial state for each agent and a rule for ordered pairs; its population is
//! kept as counts of states if these are few ([`simulation`]):
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use suffrage_population::simulation::PopulationSimulation;
//!
//! let infect = |&a: &bool, &b: &bool| (a || b, a || b);
//! let mut epidemic = PopulationSimulation::new([(true, 1), (false, 999_999_999)], infect, 1)?;
//! epidemic.run_until(|now| now.count(&false) == 0, 100_000_000, &AtomicBool::new(false));
//! epidemic.history().write_csv(&mut std::io::stdout())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A protocol can also be written as text, transition by transition ([`rules`]), or, to watch it
//! meeting by meeting or to explore it, as a [`PopulationProtocol`](protocol::PopulationProtocol).
//!
//! Small populations are explored over every meeting order ([`check`]); the paper's figure and
//! theorems are reproduced ([`reproduce`]).
//!
//! A seed determines the same run on every machine, in every version and for any number of threads:
//! the generator is pinned by tests, ranges and distributions are implemented here ([`random`],
//! [`sampling`]), logarithms come from the `libm` crate, and no engine reads a clock.

pub mod agents;
pub mod check;
pub mod engine;
pub mod ensemble;
pub mod error;
pub mod experiment;
pub mod history;
pub mod ids;
pub mod meetings;
pub mod protocol;
pub mod protocols;
pub mod random;
pub mod report;
pub mod reproduce;
pub mod rules;
pub mod sampling;
pub mod simulation;
mod transitions;
pub mod trial;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PopulationReadme;
