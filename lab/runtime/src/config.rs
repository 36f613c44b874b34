//! The configuration file of a node.

pub use suffrage_net::toml_file::ConfigError;

use crate::membership::Membership;
use crate::node::{Node, Runnable, Tcp};
use crate::setup::{NodeLimits, NodeSetup, Timeouts};
use crate::transport::sockets::endpoint::Security;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use suffrage_algorithms::Algorithm;
use suffrage_model::{Id, NetworkClass};
use suffrage_net::tls::{Tls, TlsFiles};
use suffrage_net::toml_file::{self, KeyPlaces, element, parse};
use suffrage_networks::{FileOptions, Ports, Spec, Topology, read_file};
use tokio::net::{TcpListener, lookup_host};

/// A configuration file with every key, explained.
pub const EXAMPLE: &str = include_str!("example.toml");

/// The configuration of a node. The fields are those of [`EXAMPLE`].
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeConfig {
    /// The name of the cluster.
    pub cluster: String,
    /// The algorithm's name in the catalogue.
    pub algorithm: String,
    /// `complete`, `ring`, a specification such as `grid:3x3`, or a topology file.
    pub network: String,
    /// The ids of all nodes in the order of the network; ascending if this is empty.
    #[serde(default)]
    pub order: Vec<u64>,
    /// Whether ports are numbered at random, from the seed.
    #[serde(default, rename = "ports", deserialize_with = "is_random")]
    pub random_ports: bool,
    /// The seed of random numberings and networks, and of coins.
    #[serde(default = "first_seed")]
    pub seed: u64,
    /// The identity of this node.
    pub id: u64,
    /// Its name in a topology file.
    pub name: Option<String>,
    /// The address at which it listens: `host:port`.
    pub listen: String,
    /// Whether it may listen on more than the loopback interface without TLS.
    #[serde(default)]
    pub insecure: bool,
    /// Whether it wakes by itself.
    #[serde(default = "yes")]
    pub initiator: bool,
    /// Whether it may be the only node.
    #[serde(default)]
    pub alone: bool,
    /// Its timeouts.
    #[serde(skip)]
    pub timeouts: Timeouts,
    #[serde(default, rename = "timeouts")]
    seconds: BTreeMap<String, f64>,
    /// The number of messages that a link holds; see `NodeLimits::window`.
    pub capacity: Option<u32>,
    /// The other nodes; this one may be among them.
    #[serde(default)]
    pub peers: Vec<ConfiguredPeer>,
    /// The files of the certificates.
    pub tls: Option<TlsFiles>,
    /// Whether the outcome records the steps of the process; no key of the file.
    #[serde(skip)]
    pub steps: bool,
    /// The folder to which paths in the file are relative.
    #[serde(skip)]
    folder: PathBuf,
    #[serde(skip)]
    lines: KeyPlaces,
}

/// The configuration of another node.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfiguredPeer {
    /// Its identity.
    pub id: u64,
    /// The address at which it listens: `host:port`.
    pub address: String,
    /// Its name in a topology file.
    pub name: Option<String>,
}

/// A membership, and the place of this node in it.
#[derive(Clone, Debug)]
pub struct PlaceInCluster {
    /// The membership.
    pub membership: Arc<Membership>,
    /// The number of this node.
    pub node: u32,
    /// The addresses of the nodes, in their order.
    pub addresses: Arc<[String]>,
}

/// Reads the key `ports`: whether they are numbered at random.
fn is_random<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum PortOrder {
        Rotation,
        Random,
    }
    Ok(matches!(PortOrder::deserialize(from)?, PortOrder::Random))
}

const fn first_seed() -> u64 {
    1
}

const fn yes() -> bool {
    true
}

impl NodeConfig {
    /// Reads a configuration file. Paths in it are relative to its folder.
    ///
    /// # Errors
    /// If it cannot be read, is not TOML, lacks a key, or has a key that is unknown or of the wrong type.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        toml_file::read(path, Self::from_toml)
    }

    /// Parses a configuration, in which paths are relative to `folder`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn from_toml(text: &str, folder: &Path) -> Result<Self, ConfigError> {
        let read: Self = parse(text)?;
        let lines = KeyPlaces::of(text);
        let timeouts = timeouts(&read.seconds, &lines)?;
        Ok(Self { timeouts, lines, folder: folder.to_owned(), ..read })
    }

    /// Returns the algorithm.
    ///
    /// # Errors
    /// If the catalogue has no algorithm of this name.
    pub fn algorithm(&self) -> Result<&'static Algorithm, ConfigError> {
        Algorithm::named(&self.algorithm).ok_or_else(|| {
            let why = format!("there is no algorithm `{}`", self.algorithm.escape_debug());
            self.wrong("algorithm", why)
        })
    }

    /// Returns the membership, the number of this node, and the addresses of the nodes, for the
    /// algorithm that is named.
    ///
    /// # Errors
    /// As [`place_for`](Self::place_for), and if the catalogue has no such algorithm.
    pub fn place(&self) -> Result<PlaceInCluster, ConfigError> {
        self.place_for(self.algorithm()?)
    }

    /// Returns the membership, the number of this node, and the addresses of the nodes, for this
    /// algorithm.
    ///
    /// # Errors
    /// If the network cannot be created, the algorithm is not correct on it, or it does not match
    /// the nodes.
    pub fn place_for(&self, algorithm: &impl Runnable) -> Result<PlaceInCluster, ConfigError> {
        let members = self.members()?;
        let (name, _, network) = algorithm.about();
        let topology = self.topology(name, network, members.len())?;
        let placed = self.placed(&topology, &members)?;
        let ports = if self.random_ports { Ports::Random } else { Ports::Rotation };
        let wiring = topology.wire(ports, self.seed);
        if !wiring.fits(network) {
            let why = format!("{name} needs a sense of direction, which random hides");
            return Err(self.wrong("ports", why));
        }
        let ids = placed.iter().map(|peer| Id::new(peer.id)).collect();
        let addresses = placed.iter().map(|peer| peer.address.clone()).collect();
        let labels = placed.iter().filter_map(|peer| peer.name.clone()).collect::<Vec<_>>();
        let membership = Membership::new(&self.cluster, wiring, ids)
            .map_err(|error| self.wrong("cluster", error))?;
        // Labels are used only if all nodes have names.
        let membership =
            if labels.len() == placed.len() { membership.labelled(labels) } else { membership };
        let node = membership.node(Id::new(self.id)).unwrap_or(0);
        Ok(PlaceInCluster { membership: Arc::new(membership), node, addresses })
    }

    /// Records that the value of this key comes from the flag of the same name, for messages.
    pub fn overridden(&mut self, key: &str) {
        self.lines.record_flag(key);
    }

    fn wrong(&self, key: &str, why: impl Display) -> ConfigError {
        self.lines.wrong(key, why)
    }
}

fn timeouts(read: &BTreeMap<String, f64>, lines: &KeyPlaces) -> Result<Timeouts, ConfigError> {
    let mut timeouts = Timeouts::default();
    let wrong = |name: &str, why: &dyn Display| lines.wrong(&format!("timeouts.{name}"), why);
    for (name, &seconds) in read {
        let Some(timeout) = timeouts.named(name) else {
            let names = Timeouts::names().join(", ");
            return Err(wrong(name, &format!("there is no such timeout; there are {names}")));
        };
        *timeout = match Duration::try_from_secs_f64(seconds) {
            Ok(time) => time,
            // Too long for a `Duration`, and refused below as such.
            Err(_) if seconds > 0.0 => Duration::MAX,
            Err(_) => return Err(wrong(name, &"write a number of seconds, such as 0.5")),
        };
    }
    timeouts.check().map_err(|error| wrong(error.name(), &error))?;
    Ok(timeouts)
}

impl NodeConfig {
    fn members(&self) -> Result<Vec<ConfiguredPeer>, ConfigError> {
        if self.peers.iter().all(|peer| peer.id == self.id) && !self.alone {
            return Err(self.wrong(
                "peers",
                "there is no other node, and this one would elect itself: name the others, or \
                 write `alone = true` (--alone) if this is intended",
            ));
        }
        let own =
            ConfiguredPeer { id: self.id, address: self.listen.clone(), name: self.name.clone() };
        let mut members = BTreeMap::from([(self.id, own)]);
        for (number, peer) in self.peers.iter().enumerate() {
            let key = element("peers", number);
            match members.insert(peer.id, peer.clone()) {
                None => {}
                // All nodes may share one list of peers. A node's own address in it is not used
                // here.
                Some(own) if own.id == self.id && self.first_of(peer.id) == Some(number) => {
                    let name = own.name.or_else(|| peer.name.clone());
                    members.insert(self.id, ConfiguredPeer { name, ..peer.clone() });
                }
                Some(_) => {
                    return Err(self.wrong(&key, format!("the id {} occurs twice", peer.id)));
                }
            }
            let why = match peer.address.rsplit_once(':') {
                Some((_, "0")) => "has port 0, on which no node listens",
                Some(_) => continue,
                None => "has no port: write host:port",
            };
            return Err(self.wrong(&key, format!("the address `{}` {why}", peer.address)));
        }
        Ok(members.into_values().collect())
    }

    fn first_of(&self, id: u64) -> Option<usize> {
        self.peers.iter().position(|peer| peer.id == id)
    }

    fn topology(
        &self,
        name: &str,
        network: NetworkClass,
        members: usize,
    ) -> Result<Topology, ConfigError> {
        let wrong = |why: &dyn Display| self.wrong("network", why.to_string());
        let nodes = u32::try_from(members).unwrap_or(u32::MAX);
        let path = self.folder.join(&self.network);
        let topology = match self.network.as_str() {
            "complete" => Spec::Complete { nodes }.build(self.seed).map_err(|e| wrong(&e))?,
            "ring" => Spec::Ring { nodes }.build(self.seed).map_err(|e| wrong(&e))?,
            _ if path.is_file() => {
                read_file(&path, FileOptions::default()).map_err(|e| wrong(&e))?
            }
            spec => spec
                .parse::<Spec>()
                .map_err(|error| {
                    let path = path.display();
                    wrong(&format!(
                        "complete, ring, or a file; there is no file {path}, and {error}"
                    ))
                })?
                .build(self.seed)
                .map_err(|e| wrong(&e))?,
        };
        topology.fit(network).map_err(|misfit| wrong(&format!("{name}: {misfit}")))
    }

    fn placed(
        &self,
        topology: &Topology,
        members: &[ConfiguredPeer],
    ) -> Result<Vec<ConfiguredPeer>, ConfigError> {
        if topology.nodes() as usize != members.len() {
            return Err(self.wrong(
                "network",
                format!(
                    "{} has {} nodes, and with this one there are {} here",
                    topology.source(),
                    topology.nodes(),
                    members.len()
                ),
            ));
        }
        if topology.label(0).is_some() {
            let labels = (0..topology.nodes()).filter_map(|node| topology.label(node));
            let named = |label: &str| {
                members.iter().find(|peer| peer.name.as_deref() == Some(label)).cloned()
            };
            return labels
                .map(|label| {
                    named(label).ok_or_else(|| {
                        let why = format!("no node here has the name `{label}` of the network");
                        self.wrong("network", why)
                    })
                })
                .collect();
        }
        if self.order.is_empty() {
            return Ok(members.to_vec());
        }
        let mut sorted = self.order.clone();
        sorted.sort_unstable();
        if !sorted.iter().eq(members.iter().map(|peer| &peer.id)) {
            return Err(self.wrong("order", "every node's id must be there once, and no other"));
        }
        let find = |id: &u64| members.iter().find(|peer| peer.id == *id).cloned();
        Ok(self.order.iter().filter_map(find).collect())
    }
}

impl NodeConfig {
    /// Binds the listener and creates the node of the algorithm that is named. Must be called within a
    /// tokio runtime.
    ///
    /// # Errors
    /// As [`bind_to`](Self::bind_to), and if the catalogue has no such algorithm.
    pub async fn bind(&self) -> Result<Node, ConfigError> {
        self.bind_to(self.algorithm()?).await
    }

    /// Binds the listener and creates a node of this algorithm, whatever the configuration names. Must
    /// be called within a tokio runtime.
    ///
    /// # Errors
    /// As [`place_for`](Self::place_for); if a certificate cannot be read; if it is impossible to listen on
    /// the address, or not allowed without TLS.
    pub async fn bind_to(&self, algorithm: &impl Runnable) -> Result<Node, ConfigError> {
        let PlaceInCluster { membership, node, addresses } = self.place_for(algorithm)?;
        let security = self.security()?;
        let wrong = |why: String| self.wrong("listen", why);
        let listen: Vec<_> = lookup_host(&self.listen)
            .await
            .map_err(|error| wrong(format!("`{}` is no address: {error}", self.listen)))?
            .collect();
        let open = listen.iter().find(|address| !address.ip().is_loopback());
        if let (Some(open), Security::None, false) = (open, &security, self.insecure) {
            return Err(wrong(format!(
                "{open} can be reached from elsewhere, and without TLS any host may take part; give \
                 certificates (`suffrage cert` makes them), or give --insecure"
            )));
        }
        self.check_own_address(&listen).await?;
        let listener = TcpListener::bind(&*listen)
            .await
            .map_err(|error| wrong(format!("cannot listen on {}: {error}", self.listen)))?;
        let setup = NodeSetup {
            initiator: self.initiator,
            seed: self.seed ^ self.id,
            timeouts: self.timeouts,
            limits: NodeLimits { window: self.capacity, unauthenticated: None },
            steps: self.steps,
            ..NodeSetup::new(membership, node)
        };
        Node::tcp(algorithm, setup, Tcp { listener, addresses, security })
            .map_err(|error| self.wrong("algorithm", error))
    }

    /// Checks that the entry of `peers` with this node's own id, if there is one, names the address
    /// at which it listens: otherwise it belongs to another node, and two nodes have one id.
    async fn check_own_address(&self, listen: &[SocketAddr]) -> Result<(), ConfigError> {
        let Some(number) = self.first_of(self.id) else { return Ok(()) };
        let own = &self.peers[number].address;
        if *own == self.listen {
            return Ok(());
        }
        let wrong = |why: String| self.wrong(&element("peers", number), why);
        let listed: Vec<_> = lookup_host(own)
            .await
            .map_err(|error| wrong(format!("`{own}` is no address: {error}")))?
            .collect();
        // A node that listens on all interfaces can have any address, but has one port.
        let same = |one: &SocketAddr, other: &SocketAddr| {
            one.port() == other.port() && (one.ip().is_unspecified() || one.ip() == other.ip())
        };
        if listen.iter().any(|one| listed.iter().any(|other| same(one, other))) {
            return Ok(());
        }
        Err(wrong(format!(
            "node {} is at {own} here, but this node has that id and listens on {}: give each \
             node its own id (--id) and address (--listen)",
            self.id, self.listen
        )))
    }

    fn security(&self) -> Result<Security, ConfigError> {
        let Some(files) = &self.tls else { return Ok(Security::None) };
        Tls::from_files(files.within(&self.folder))
            .map(Security::Tls)
            .map_err(|error| self.wrong("tls", error))
    }
}
