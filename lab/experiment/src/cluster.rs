//! Specifications of elections between nodes on this machine.

use crate::conditions::{Initiators, PortOrder};
use crate::text::{self, names, textual};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use suffrage_networks::{Fault, FileSyntax};

/// An election between nodes on this machine. Each field has the meaning of the flag of its name in
/// `suffrage cluster`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct ClusterSpecification {
    /// The name of the algorithm, or of agents; by default the one with the smallest bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// The number of nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// The network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<String>,
    /// The format of a file with a network, where it is not recognized.
    #[serde(with = "text::optional", skip_serializing_if = "Option::is_none")]
    pub topology_format: Option<FileSyntax>,
    /// Whether the largest component is taken of a network in a file that is not connected.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub largest_component: bool,
    /// Identities: the name of a layout, a list, or a file.
    pub ids: String,
    /// The numbering of the ports.
    pub ports: PortOrder,
    /// Who starts; all by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initiators: Option<Initiators>,
    /// The seed of everything random but the schedule.
    #[serde(with = "text::wide")]
    pub seed: u64,
    /// The medium of links.
    pub transport: Transport,
    /// How many messages a link holds; by default enough for every algorithm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<u32>,
    /// Agents that die.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fault: Vec<Fault>,
    /// Whether each node is an operating-system process.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub processes: bool,
    /// Whether all links are opened before any node starts.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub connect_first: bool,
    /// The seconds after which it gives up.
    pub timeout: f64,
    /// The timeouts of a node, as `NAME=SECONDS`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub timeouts: Vec<Timeout>,
    /// Whether the same election is also simulated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub against_simulation: bool,
}

impl Default for ClusterSpecification {
    fn default() -> Self {
        Self {
            algorithm: None,
            nodes: None,
            topology: None,
            topology_format: None,
            largest_component: false,
            ids: "random".to_owned(),
            ports: PortOrder::Rotation,
            initiators: None,
            seed: 1,
            transport: Transport::Tcp,
            capacity: None,
            fault: Vec::new(),
            processes: false,
            connect_first: false,
            timeout: 60.0,
            timeouts: Vec::new(),
            against_simulation: false,
        }
    }
}

impl ClusterSpecification {
    /// After how long it gives up.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        Duration::try_from_secs_f64(self.timeout).unwrap_or(Duration::MAX)
    }
}

names! {
    /// The medium of links.
    Transport {
        /// TCP over the loopback interface.
        Tcp = "tcp",
        /// TLS 1.3, with temporary certificates.
        Tls = "tls",
        /// Bounded channels inside this program.
        Channels = "channels",
    }
}

/// A timeout of a node, with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeout {
    /// Its name in the section `timeouts` of a node's file.
    pub name: String,
    /// Its length in seconds.
    pub seconds: f64,
}

impl FromStr for Timeout {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let form = "write NAME=SECONDS, as in gone=10";
        let (name, seconds) = text.split_once('=').ok_or(form)?;
        Ok(Self { name: name.to_owned(), seconds: seconds.parse().map_err(|_| form)? })
    }
}

impl fmt::Display for Timeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.seconds)
    }
}

textual!(Timeout);
