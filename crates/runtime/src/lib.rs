//! Elections between real processes: over TCP, over TLS, and over channels inside one program.
//!
//! A [`Node`] runs one [`Process`](suffrage_process::Process), the same definition that the
//! simulator runs, on links that are reliable and FIFO over connections that are neither. All nodes
//! are told the same [`Cluster`]; [`Node::elect`] takes part and gives an [`Outcome`], with the
//! same counts that the simulator makes. [`Local`] holds a whole election in one program, and
//! [`Config`] makes a node from a file.
//!
//! ```
//! use std::sync::Arc;
//! use suffrage_algorithms::Algorithm;
//! use suffrage_runtime::{Cluster, Local};
//! use suffrage_topology::{Ids, wiring::Wiring};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let lelann = Algorithm::named("lelann").ok_or("no such algorithm")?;
//! let cluster = Arc::new(Cluster::new("doc", Wiring::ring(5), Ids::Random.assign(5, 7))?);
//! let summary = Local::default().elect(lelann, &cluster).await?;
//! assert!(summary.agreed());
//! assert_eq!(summary.total(), 5 * 5 + 5);
//! # Ok(()) }
//! ```
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
//! - *Strangers*: until a connection has introduced itself it may send 512 bytes, has a few
//!   seconds, and must make room if there are too many of its kind. No frame is larger than a
//!   message of the algorithm can be.

pub mod certificates;
mod cluster;
mod config;
mod driver;
mod error;
mod limits;
mod local;
mod node;
mod outcome;
mod transport;
mod tree;
mod view;
mod window;
pub mod wire;

pub use cluster::{Cluster, ClusterError, Digest, LONGEST_NAME};
pub use config::{Config, ConfigError, EXAMPLE, Peer, PlaceInCluster, TlsFiles};
pub use error::ElectionError;
pub use limits::{Limits, Patience};
pub use local::{Assembly, Local, LocalError, Medium, Summary};
pub use node::{Node, Setup, Tcp};
pub use outcome::Outcome;
pub use transport::sockets::{Security, Tls, TlsError, node_name};
pub use view::{Absence, Stage, View};
