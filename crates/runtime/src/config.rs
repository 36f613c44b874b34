//! A node from a file.

use crate::cluster::Cluster;
use crate::node::{Node, Setup, Tcp};
use crate::transport::sockets::{Security, Tls};
use crate::{Limits, Patience};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use suffrage_algorithms::Algorithm;
use suffrage_process::Id;
use suffrage_topology::{FileOptions, Ports, Spec, Topology, read_file};
use tokio::net::{TcpListener, lookup_host};
use toml::Spanned;

/// A file with every key, explained.
pub const EXAMPLE: &str = include_str!("example.toml");

/// What a node is told by a file. The fields are those of [`EXAMPLE`].
#[derive(Clone, Debug)]
pub struct Config {
    /// The name of the cluster.
    pub cluster: String,
    /// The algorithm's name in the catalogue.
    pub algorithm: String,
    /// `complete`, `ring`, a specification such as `grid:3x3`, or a topology file.
    pub network: String,
    /// The ids of all nodes in the order of the network; ascending where it is empty.
    pub order: Vec<u64>,
    /// Whether ports are numbered at random, from the seed.
    pub random_ports: bool,
    /// For random numberings and networks, and for coins.
    pub seed: u64,
    /// The identity of this node.
    pub id: u64,
    /// Its name in a topology file.
    pub name: Option<String>,
    /// Where it listens: `host:port`.
    pub listen: String,
    /// It may listen on more than the loopback interface without TLS.
    pub insecure: bool,
    /// It wakes by itself.
    pub initiator: bool,
    /// Messages that a link holds; see [`Limits::window`].
    pub capacity: Option<u32>,
    /// The other nodes; this one may be among them.
    pub peers: Vec<Peer>,
    /// Certificates.
    pub tls: Option<TlsFiles>,
    /// What paths in the file are relative to.
    folder: PathBuf,
    /// The lines of keys.
    lines: BTreeMap<String, usize>,
}

/// Another node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its identity.
    pub id: u64,
    /// Where it listens: `host:port`.
    pub address: String,
    /// Its name in a topology file.
    pub name: Option<String>,
}

/// What all nodes agree about, and which of them this one is.
#[derive(Clone, Debug)]
pub struct PlaceInCluster {
    /// What all nodes agree about.
    pub cluster: Arc<Cluster>,
    /// The number of this node.
    pub node: u32,
    /// Where the nodes listen, in their order.
    pub addresses: Arc<[String]>,
}

/// Files in PEM form.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsFiles {
    /// Certificates of the authorities that vouch for nodes.
    pub authority: PathBuf,
    /// The certificate of this node.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
}

/// What is wrong in a configuration, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {why}", .line.map(|line| format!("line {line}, ")).unwrap_or_default(), .key)]
pub struct ConfigError {
    /// The key.
    pub key: String,
    /// Its line in the file; `None` where it is not there.
    pub line: Option<usize>,
    /// What is wrong with its value.
    pub why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    cluster: Spanned<String>,
    algorithm: Spanned<String>,
    network: Spanned<String>,
    #[serde(default)]
    order: Option<Spanned<Vec<u64>>>,
    #[serde(default)]
    ports: Option<Spanned<PortOrder>>,
    #[serde(default)]
    seed: Option<u64>,
    id: Spanned<u64>,
    #[serde(default)]
    name: Option<Spanned<String>>,
    listen: Spanned<String>,
    #[serde(default)]
    insecure: bool,
    #[serde(default)]
    initiator: Option<bool>,
    #[serde(default)]
    capacity: Option<Spanned<u32>>,
    #[serde(default)]
    peers: Vec<Spanned<PeerText>>,
    #[serde(default)]
    tls: Option<Spanned<TlsFiles>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PeerText {
    id: u64,
    address: String,
    #[serde(default)]
    name: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PortOrder {
    Rotation,
    Random,
}

impl Config {
    /// Reads a file. Paths in it are relative to its folder.
    ///
    /// # Errors
    /// If it cannot be read, is not TOML, lacks a key or has one that is unknown or of the wrong
    /// type.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| wrong("the file", None, format!("cannot be read: {error}")))?;
        Self::from_toml(&text, path.parent().unwrap_or(Path::new("")))
    }

    /// Reads a text, in which paths are relative to `folder`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn from_toml(text: &str, folder: &Path) -> Result<Self, ConfigError> {
        let line =
            |span: Range<usize>| text.get(..span.start).unwrap_or(text).matches('\n').count() + 1;
        let read: Text = toml::from_str(text).map_err(|error| {
            let span = error.span();
            let key = span.clone().and_then(|span| key_at(text, span.start));
            wrong(&key.unwrap_or_else(|| "the file".to_owned()), span.map(line), error.message())
        })?;
        let mut lines = BTreeMap::new();
        let mut at = |key: &str, span| lines.insert(key.to_owned(), line(span));
        at("cluster", read.cluster.span());
        at("algorithm", read.algorithm.span());
        at("network", read.network.span());
        at("id", read.id.span());
        at("listen", read.listen.span());
        read.order.as_ref().map(|value| at("order", value.span()));
        read.ports.as_ref().map(|value| at("ports", value.span()));
        read.name.as_ref().map(|value| at("name", value.span()));
        read.capacity.as_ref().map(|value| at("capacity", value.span()));
        read.tls.as_ref().map(|value| at("tls", value.span()));
        for (number, peer) in read.peers.iter().enumerate() {
            at(&peer_key(number), peer.span());
        }
        Ok(Self {
            cluster: read.cluster.into_inner(),
            algorithm: read.algorithm.into_inner(),
            network: read.network.into_inner(),
            order: read.order.map(Spanned::into_inner).unwrap_or_default(),
            random_ports: read.ports.is_some_and(|ports| *ports.get_ref() == PortOrder::Random),
            seed: read.seed.unwrap_or(1),
            id: read.id.into_inner(),
            name: read.name.map(Spanned::into_inner),
            listen: read.listen.into_inner(),
            insecure: read.insecure,
            initiator: read.initiator.unwrap_or(true),
            capacity: read.capacity.map(Spanned::into_inner),
            peers: read
                .peers
                .into_iter()
                .map(Spanned::into_inner)
                .map(|PeerText { id, address, name }| Peer { id, address, name })
                .collect(),
            tls: read.tls.map(Spanned::into_inner),
            folder: folder.to_owned(),
            lines,
        })
    }

    /// The algorithm.
    ///
    /// # Errors
    /// If the catalogue has none of this name.
    pub fn algorithm(&self) -> Result<&'static Algorithm, ConfigError> {
        Algorithm::named(&self.algorithm).ok_or_else(|| {
            let why = format!("there is no algorithm `{}`", self.algorithm.escape_debug());
            self.wrong("algorithm", why)
        })
    }

    /// What all nodes agree about, the number of this node, and where the nodes listen.
    ///
    /// # Errors
    /// If the network cannot be made or the algorithm is not correct on it, or nodes and network do
    /// not fit together.
    pub fn place(&self) -> Result<PlaceInCluster, ConfigError> {
        let algorithm = self.algorithm()?;
        let members = self.members()?;
        let topology = self.topology(algorithm, members.len())?;
        let placed = self.placed(&topology, &members)?;
        let ports = if self.random_ports { Ports::Random } else { Ports::Rotation };
        let wiring = topology.wire(ports, self.seed);
        if !wiring.fits(algorithm.network) {
            let why = format!("{} needs a sense of direction, which random hides", algorithm.name);
            return Err(self.wrong("ports", why));
        }
        let ids = placed.iter().map(|peer| Id::new(peer.id)).collect();
        let addresses = placed.iter().map(|peer| peer.address.clone()).collect();
        let cluster = Cluster::new(&self.cluster, wiring, ids)
            .map_err(|error| self.wrong("cluster", error))?;
        let node = cluster.node(Id::new(self.id)).unwrap_or(0);
        Ok(PlaceInCluster { cluster: Arc::new(cluster), node, addresses })
    }

    /// Listens, and makes the node. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// As [`place`](Self::place); if a certificate cannot be read; if the address cannot be
    /// listened on, or must not be without TLS.
    pub async fn bind(&self) -> Result<Node, ConfigError> {
        let PlaceInCluster { cluster, node, addresses } = self.place()?;
        let algorithm = self.algorithm()?;
        let security = self.security()?;
        let wrong = |why: String| self.wrong("listen", why);
        let listen: Vec<_> = lookup_host(&self.listen)
            .await
            .map_err(|error| wrong(format!("`{}` is no address: {error}", self.listen)))?
            .collect();
        let open = listen.iter().find(|address| !address.ip().is_loopback());
        if let (Some(open), Security::None, false) = (open, &security, self.insecure) {
            return Err(wrong(format!(
                "{open} can be reached from elsewhere, and without TLS anybody may take part; give \
                 certificates (`suffrage cert` makes some), or say --insecure"
            )));
        }
        let listener = TcpListener::bind(&*listen)
            .await
            .map_err(|error| wrong(format!("cannot listen on {}: {error}", self.listen)))?;
        let setup = Setup {
            initiator: self.initiator,
            seed: self.seed ^ self.id,
            patience: Patience::default(),
            limits: Limits { window: self.capacity, strangers: None },
            ..Setup::new(cluster, node)
        };
        Node::tcp(algorithm, setup, Tcp { listener, addresses, security })
            .map_err(|error| self.wrong("algorithm", error))
    }

    /// All nodes, in ascending order of their identities.
    fn members(&self) -> Result<Vec<Peer>, ConfigError> {
        let own = Peer { id: self.id, address: self.listen.clone(), name: self.name.clone() };
        let mut members = BTreeMap::from([(self.id, own)]);
        for (number, peer) in self.peers.iter().enumerate() {
            let key = peer_key(number);
            match members.insert(peer.id, peer.clone()) {
                None => {}
                // The same list of peers may serve all nodes. Own addresses are of no use here.
                Some(own) if own.id == self.id && self.first_of(peer.id) == Some(number) => {
                    let name = own.name.or_else(|| peer.name.clone());
                    members.insert(self.id, Peer { name, ..peer.clone() });
                }
                Some(_) => {
                    return Err(self.wrong(&key, format!("the id {} is there twice", peer.id)));
                }
            }
            if !peer.address.contains(':') {
                let why = format!("the address `{}` has no port: write host:port", peer.address);
                return Err(self.wrong(&key, why));
            }
        }
        Ok(members.into_values().collect())
    }

    fn first_of(&self, id: u64) -> Option<usize> {
        self.peers.iter().position(|peer| peer.id == id)
    }

    fn topology(&self, to: &Algorithm, members: usize) -> Result<Topology, ConfigError> {
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
        topology.fit(to.network).map_err(|misfit| wrong(&format!("{}: {misfit}", to.name)))
    }

    /// The nodes in the order of the network.
    fn placed(&self, topology: &Topology, members: &[Peer]) -> Result<Vec<Peer>, ConfigError> {
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

    fn security(&self) -> Result<Security, ConfigError> {
        let Some(files) = &self.tls else { return Ok(Security::None) };
        let read = |path: &Path| {
            let path = self.folder.join(path);
            std::fs::read(&path)
                .map_err(|error| self.wrong("tls", format!("{}: {error}", path.display())))
        };
        let (authority, certificate) = (read(&files.authority)?, read(&files.certificate)?);
        Tls::from_pem(&authority, &certificate, &read(&files.key)?)
            .map(Security::Tls)
            .map_err(|error| self.wrong("tls", error))
    }

    fn wrong(&self, key: &str, why: impl Display) -> ConfigError {
        wrong(key, self.lines.get(key).copied(), why)
    }
}

fn wrong(key: &str, line: Option<usize>, why: impl Display) -> ConfigError {
    ConfigError { key: key.to_owned(), line, why: why.to_string() }
}

fn peer_key(number: usize) -> String {
    format!("peers, the {}", ordinal(number + 1))
}

fn ordinal(number: usize) -> String {
    let suffix = match (number % 10, number % 100) {
        (1, not) if not != 11 => "st",
        (2, not) if not != 12 => "nd",
        (3, not) if not != 13 => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

/// The key of the line at this offset.
fn key_at(text: &str, offset: usize) -> Option<String> {
    let start = text.get(..offset)?.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text.get(start..)?.lines().next()?;
    let (key, _) = line.split_once('=')?;
    Some(key.trim().to_owned())
}
