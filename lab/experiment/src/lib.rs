#![doc = include_str!("../README.md")]

pub mod check;
pub mod choice;
pub mod conditions;
pub mod counts;
pub mod initiators;
pub mod number;
pub mod own;
pub mod population;
#[cfg(feature = "runtime")]
pub mod real;
pub mod report;
pub mod source;
mod text;

mod cluster;
mod compare;
mod custom;
mod elect;
mod election;
mod error;
mod identities;
mod length;
mod memory;
mod monitor;
mod options;
mod recording;
mod run;
mod specification;
pub mod sweep;
mod trials;

pub use check::CheckSpecification;
pub use cluster::{ClusterSpecification, Timeout, Transport};
pub use conditions::Conditions;
pub use custom::{CustomInstance, CustomReport, KindCounts, not_of_the_catalogue, refuse_too_wide};
pub use elect::{DEFAULT_NODES, choose, for_one};
pub use election::{Instance, Prepared, Site};
pub use error::Error;
pub use identities::Identities;
pub use memory::{MemoryDemands, NetworkShape};
pub use monitor::{ExperimentProgress, Monitor, PopulationMonitor};
pub use options::{EarlyEnd, ExperimentRun, RunOptions, RunSink};
pub use population::PopulationSpecification;
pub use report::{ExperimentReport, Stamp, Stamped};
pub use source::{GivenNetworks, NetworkSource};
pub use specification::{ElectionSpecification, Specification, command_of, quoted};
pub use sweep::FieldSweep;
pub use text::Several;
pub use trials::{Many, Precision, threads};
