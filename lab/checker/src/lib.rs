//! Explores every schedule of small leader elections.
//!
//! It determines which properties hold on all schedules, and the least and the greatest cost of
//! elections, and gives a shortest execution for a property that is violated.
//!
//! An [`Instance`] is an election with everything fixed but the schedule; a [`Family`] is a set of
//! instances: all identity orders, all sets of initiators, all port numberings, all graphs. A
//! [`Checker`] explores a family, of an algorithm of the catalogue or of any
//! [`Process`](suffrage_model::Process) with a [`Specification`]. [`explore`] explores a single
//! instance. A [`Sampler`] runs random instances that are too large to explore, and
//! [`search_worst`] searches an instance for a costly schedule.
//!
//! ```
//! use suffrage_algorithms::ring::DolevKlaweRodeh;
//! use suffrage_checker::{Instance, Options, Specification, Verdict, explore};
//! use suffrage_model::{Id, Process};
//! use suffrage_networks::wiring::Wiring;
//!
//! let ids = [3, 1, 4, 2].map(Id::new).to_vec();
//! let instance = Instance::new(Wiring::ring(4), ids);
//! let specification = Specification::<DolevKlaweRodeh>::election()
//!     .finally("everyone knows", |end| end.processes().all(|process| process.leader().is_some()));
//! let found = explore(&instance, &specification, &Options::default())?;
//! assert!(matches!(found.verdict, Verdict::Holds));
//! let costs = found.costs.unwrap();
//! assert_eq!((costs.messages.min, costs.messages.max), (8, 24));
//! # Ok::<(), suffrage_checker::InvalidInstance>(())
//! ```
//!
//! # Method
//! A reaction of a process depends only on its local state and on its input, so reactions are
//! tabulated the first time they occur (`model/automaton.rs`). A configuration is a string of bytes
//! in a set (`exploration/state_graph.rs`). Steps of different processes commute, so most
//! interleavings need not be explored (`reduction/`). Costs are computed over the finished graph
//! (`cost/`). Of several isomorphic instances only one is explored (`symmetry/`). Time and memory
//! are linear in the number of configurations and steps. The one exception is the least causal
//! depth, which may take exponentially more, and is given up when it does.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CheckerReadme;

mod chance;
mod checker;
mod cost;
mod counterexample;
mod exploration;
mod family;
mod model;
mod property;
mod reduction;
mod sample;
mod symmetry;
mod worst_search;

pub use chance::{Chances, Expectation};
pub use checker::{Checker, Incomplete, Progress, Report, Settings, Subject, WorstCase};
pub use cost::cost_to_go::Extremes;
pub use counterexample::execution::Execution;
pub use exploration::{Costs, Counterexample, Exploration, Options, Verdict, explore, explore_of};
pub use family::forecast::{Forecast, Forecaster};
pub use family::{Arrangements, Family, FamilyTooLarge, Initiators, Orders};
pub use model::instance::{Faults, Instance, InvalidInstance, MAX_NODES, UnexplorableFault, Wake};
pub use property::Specification;
pub use property::snapshot::Snapshot;
pub use sample::{
    Failure, Guarantee, RandomInstances, SampleProgress, SampleReport, SampleSettings, Sampler,
    Scheduler,
};
pub use worst_search::{Costly, Objective, search_worst, search_worst_of};
