//! One simulated election on many cores and hosts, with the same outcome as on one core.
//!
//! [`elect`] divides the processes among the workers of a [`Team`]: threads of this program, and of
//! the programs on other hosts ([`Hosts::meet`]). The blocks of processes and their clocks are
//! those of [`suffrage_simulator::blocks`]; timely dataflow carries their messages, and detects
//! when all have arrived.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct DistributedReadme;

mod checkpoint;
mod digest;
mod elect;
mod hosts;
mod introduction;
mod job;
mod link;
mod meeting;
mod office;
mod part;
mod read;
mod subject;
mod team;
mod terms;

#[cfg(test)]
mod tests;

pub use checkpoint::{Checkpoint, CheckpointError, Checkpoints};
pub use elect::{ElectError, Ended, OnProgress, Storage, check, elect, elect_stored};
pub use hosts::{Hosts, HostsError, Secret, SecretError};
pub use link::{Lost, OnLoss};
pub use meeting::MeetingError;
pub use read::{ReadError, read};
pub use subject::TeamSubject;
pub use team::Team;
pub use terms::{Difference, Terms};
