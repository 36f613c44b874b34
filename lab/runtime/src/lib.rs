#![doc = include_str!("../README.md")]
//!
//! # Assumptions
//! Processes do not fail. None of the catalogue's algorithms survives a crash: when a node crashes,
//! the others wait for it, and [`NodeView::missing`] names it. The others recognize a node that was
//! restarted without its memory, and the election ends with [`ElectionError::Crashed`]. Connections
//! may break at any time, and hosts may start late.
//!
//! # Design
//! - *Links* (`transport/sockets`): a link numbers its payloads, keeps those that the other end's
//!   process has not taken, and resumes over a new connection from the number that the other end
//!   names. It opens one connection for both directions, when the first message is sent.
//! - *Back-pressure*: a link holds a bounded number of messages. A process that sends one more
//!   waits for room, in order, before it receives anything ([`NodeLimits::window`]).
//! - *Termination*: a process that has halted may still be needed by a neighbour that has not
//!   received its last message. Nodes report up a spanning tree that they have halted and that all
//!   their messages were taken; its root tells all that they may leave. So an outcome means that
//!   the election is over everywhere.
//! - *Unauthenticated connections*: until its greeting a connection may send 512 bytes, has a few
//!   seconds, and is dropped if there are too many of its kind. No frame is larger than the largest
//!   message of the algorithm.

mod cluster;
mod config;
mod driver;
mod error;
mod membership;
mod node;
mod observed;
mod outcome;
mod process;
mod setup;
mod transport;
mod tree;
mod verdict;
mod view;
mod window;
pub mod wire;

pub use cluster::{Assembly, Cluster, ClusterError, ClusterSummary, LinkMedium};
pub use config::{ConfigError, ConfiguredPeer, EXAMPLE, NodeConfig, PlaceInCluster};
pub use error::ElectionError;
pub use membership::{LONGEST_NAME, Membership, MembershipDigest, MembershipError};
pub use node::{Node, Runnable, Tcp};
pub use observed::Observed;
pub use outcome::{NodeOutcome, ProcessStep, StepEvent, in_causal_order};
pub use setup::{NodeLimits, NodeSetup, TICK, Timeouts, TimeoutsError};
#[cfg(feature = "certificates")]
pub use suffrage_net::certificates;
pub use suffrage_net::tls::{Credentials, Tls, TlsError, TlsFiles, node_name};
pub use transport::sockets::endpoint::Security;
pub use verdict::{NodeReport, verdict};
pub use view::{Absence, NodeStage, NodeView};
