#![doc = include_str!("../README.md")]
//!
//! # Assumptions
//! Processes do not fail. None of the catalogue's algorithms survives a crash: when a node crashes,
//! the others wait for it, and [`View::missing`] names it. A node that is restarted without its
//! memory is recognised, and the election ends with [`ElectionError::Crashed`]. Connections may
//! break at any time, and hosts may start late.
//!
//! # Design
//! - *Links* (`transport/sockets`): a link numbers its payloads, keeps those that the other end's
//!   process has not taken, and resumes over a new connection from the number that the other end
//!   names. It opens one connection for both directions, when the first message is sent.
//! - *Back-pressure*: a link holds a bounded number of messages. A process that sends one more
//!   waits for room, in order, before it receives anything ([`Limits::window`]).
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
mod limits;
mod membership;
mod node;
mod observed;
mod outcome;
mod step;
mod timeouts;
mod transport;
mod tree;
mod verdict;
mod view;
mod window;
pub mod wire;

pub use cluster::{Assembly, Cluster, ClusterError, Medium, Summary};
pub use config::{Config, ConfigError, EXAMPLE, Peer, PlaceInCluster};
pub use error::ElectionError;
pub use limits::Limits;
pub use membership::{Digest, LONGEST_NAME, Membership, MembershipError};
pub use node::{Node, Setup, Subject, TICK, Tcp};
pub use observed::Observed;
pub use outcome::Outcome;
pub use step::{Step, StepEvent, in_causal_order};
#[cfg(feature = "certificates")]
pub use suffrage_net::certificates;
pub use suffrage_net::tls::{Credentials, Tls, TlsError, TlsFiles, node_name};
pub use timeouts::{Timeouts, TimeoutsError};
pub use transport::sockets::Security;
pub use verdict::{NodeReport, verdict};
pub use view::{Absence, Stage, View};
