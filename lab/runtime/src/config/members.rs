//! Assigns the configured nodes to the places of the network.

use super::{Config, ConfigError, Peer};
use std::collections::BTreeMap;
use std::fmt::Display;
use suffrage_model::NetworkClass;
use suffrage_networks::{FileOptions, Spec, Topology, read_file};

impl Config {
    pub(super) fn members(&self) -> Result<Vec<Peer>, ConfigError> {
        if self.peers.iter().all(|peer| peer.id == self.id) && !self.alone {
            return Err(self.wrong(
                "peers",
                "there is no other node, and this one would elect itself: name the others, or say \
                 `alone = true` (--alone) if that is meant",
            ));
        }
        let own = Peer { id: self.id, address: self.listen.clone(), name: self.name.clone() };
        let mut members = BTreeMap::from([(self.id, own)]);
        for (number, peer) in self.peers.iter().enumerate() {
            let key = peer_key(number);
            match members.insert(peer.id, peer.clone()) {
                None => {}
                // All nodes may share one list of peers. A node's own address in it is not used
                // here.
                Some(own) if own.id == self.id && self.first_of(peer.id) == Some(number) => {
                    let name = own.name.or_else(|| peer.name.clone());
                    members.insert(self.id, Peer { name, ..peer.clone() });
                }
                Some(_) => {
                    return Err(self.wrong(&key, format!("the id {} is there twice", peer.id)));
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

    pub(super) fn first_of(&self, id: u64) -> Option<usize> {
        self.peers.iter().position(|peer| peer.id == id)
    }

    pub(super) fn topology(
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

    pub(super) fn placed(
        &self,
        topology: &Topology,
        members: &[Peer],
    ) -> Result<Vec<Peer>, ConfigError> {
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

pub(super) fn peer_key(number: usize) -> String {
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
