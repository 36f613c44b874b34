//! Elections between real processes: over TCP, over TLS, and over channels inside one program.

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
