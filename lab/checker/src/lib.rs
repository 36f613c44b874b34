//! Explores every schedule of small leader elections.
//!
//! It determines which properties hold on all schedules, and the least and the greatest cost of
//! elections, and gives a shortest execution that violates a property.
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
//! use suffrage_checker::{CheckVerdict, Instance, Options, Specification, explore};
//! use suffrage_model::{Id, Process};
//! use suffrage_networks::wiring::Wiring;
//!
//! let ids = [3, 1, 4, 2].map(Id::new).to_vec();
//! let instance = Instance::new(Wiring::ring(4), ids);
//! let specification = Specification::<DolevKlaweRodeh>::election()
//!     .finally("everyone knows", |end| end.processes().all(|process| process.leader().is_some()));
//! let found = explore(&instance, &specification, &Options::default())?;
//! assert!(matches!(found.verdict, CheckVerdict::Holds));
//! let costs = found.costs.unwrap();
//! assert_eq!((costs.messages.min, costs.messages.max), (8, 24));
//! # Ok::<(), suffrage_checker::InvalidInstance>(())
//! ```
//!
//! # Method
//! A reaction of a process depends only on its local state and on its input, so reactions are
//! tabulated the first time they occur (`model/automaton.rs`). A configuration is a string of bytes
//! in a set (`state_graph.rs`). Steps of different processes commute, so most interleavings need
//! not be explored (`reduction/`). Costs are computed over the finished graph (`cost.rs`). Of
//! several isomorphic instances only one is explored (`symmetry/`), and one in which all may wake or
//! never do for all sets of initiators ([`Wake::AnyTimeOrNever`]). Time and memory are linear in
//! the number of configurations and steps. The only exception is the least causal depth, which may
//! take exponentially more; then it is given up.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CheckerReadme;

mod chance;
mod checkable;
mod checker;
mod components;
mod cost;
mod encoding_set;
mod execution;
mod exploration;
mod explorer;
mod family;
mod instance;
mod model;
mod outcome;
mod report;
mod sampler;
mod search;
mod snapshot;
mod specification;
mod state_graph;
mod tabulated;
#[cfg(test)]
mod tests;
mod worst_search;

/// Partial-order reduction: which of the enabled steps have to be explored.
///
/// A configuration is expanded by a *persistent set* (P. Godefroid, *Partial-Order Methods for the
/// Verification of Concurrent Systems*, LNCS 1032, 1996) or by a single delivery that commutes with
/// everything that may precede it. Both choices rest on what processes have been observed to send
/// so far; they are validated after the exploration, and configurations whose choice turns out to
/// be unjustified are expanded again. `docs/why/design/checker.md` has the proofs.
mod reduction {
    pub(crate) mod independence;
    pub(crate) mod persistent_set;
    pub(crate) mod singletons;
}

/// Symmetry reduction: only one of several isomorphic instances of a family is explored.
///
/// Instances with the same canonical form may be isomorphic; that they are is proved for each, by
/// constructing a bisimulation. C. N. Ip, D. L. Dill, *Better Verification Through Symmetry*,
/// Formal Methods in System Design 9, 1996, apply the idea to states instead of instances.
mod symmetry {
    pub(crate) mod bisimulation;
    pub(crate) mod canonical_form;
    pub(crate) mod work_queue;
}

pub use checkable::{Checkable, Claiming};
pub use checker::{CheckProgress, Checker};
pub use execution::Execution;
pub use exploration::{explore, explore_while};
pub use family::forecast::{Forecast, Forecaster};
pub use family::{Arrangements, Family, FamilyTooLarge, InitiatorSets, Orders};
pub use instance::{
    FaultBudget, Instance, InvalidInstance, MAX_NODES, MAX_SAMPLED_NODES, UnexplorableFault, Wake,
};
pub use outcome::{
    CheckVerdict, Counterexample, ExactCosts, Expectations, ExpectedExtremes, Exploration,
    Extremes, Options,
};
pub use report::{CheckReport, Incomplete, WorstCase};
pub use sampler::{
    DetectionGuarantee, RandomInstances, SampleProgress, SampleReport, SampleScheduler,
    SampledViolation, Sampler, SecondTier, WideIds,
};
pub use snapshot::StateSnapshot;
pub use specification::Specification;
pub use tabulated::{ModelLanguage, NotExported, TabulatedElection};
pub use worst_search::{Costly, Objective, search_worst};
