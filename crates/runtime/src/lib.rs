#![doc = include_str!("../README.md")]
//!
//! # What is assumed
//! Processes do not fail. None of the catalogue's algorithms survives a crash: when a node dies,
//! the others wait for it, and [`View::missing`] says for whom. A node that is started again
//! without its memory is recognised, and the election ends with [`ElectionError::Crashed`].
//! Connections may break at any time, and hosts may come late.
//!
//! # How
//! - *Links* (`transport/sockets`): a link numbers what it carries, keeps what the other end's
//!   process has not taken, and goes on over a new connection from where the other end says. It
//!   opens a connection when the first message is to be sent, one for both directions.
//! - *Back-pressure*: a link holds a bounded number of messages. A process that sends one more
//!   waits for room, in order, before it receives anything ([`Limits::window`]).
//! - *The end*: a process that has halted may still be needed, by a neighbour that has not heard
//!   its last message. Nodes report up a spanning tree that they have halted and that all they have
//!   sent was taken; from its root comes the word that all have. Then they leave. So an outcome
//!   means that the election is over everywhere.
//! - *Unauthenticated connections*: until a connection has introduced itself it may send 512 bytes, has a few
//!   seconds, and must make room if there are too many of its kind. No frame is larger than a
//!   message of the algorithm can be.

mod cluster;
mod config;
mod driver;
mod error;
mod limits;
mod membership;
mod node;
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
pub use node::{Node, Setup, Subject, Tcp};
pub use outcome::Outcome;
pub use step::{Step, StepEvent, in_causal_order};
#[cfg(feature = "certificates")]
pub use suffrage_net::certificates;
pub use suffrage_net::tls::{Credentials, Tls, TlsError, TlsFiles, node_name};
pub use timeouts::{Timeouts, TimeoutsError};
pub use transport::sockets::Security;
pub use verdict::{NodeReport, verdict};
pub use view::{Absence, Stage, View};
