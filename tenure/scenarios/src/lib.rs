#![doc = include_str!("../README.md")]

mod fault;
mod nanos;
mod operator;
mod scenario;
mod step;
mod transcript;
mod walk;

pub use fault::{ClusterFault, CutWays, FaultScript, RecordFate, TimedFault, Who};
pub use nanos::Nanos;
pub use operator::{asked, members_of};
pub use scenario::{InvalidScenario, Scenario, ScenarioCluster, ScenarioLine};
pub use step::{Expectation, Handling, MessageSelection, Step};
pub use transcript::{Transcript, check_folder, machine_transcript, transcript};
pub use walk::StateInvariant;
