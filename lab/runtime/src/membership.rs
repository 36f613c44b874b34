//! The membership of a cluster.

use crate::tree::Tree;
use sha2::{Digest as _, Sha256};
use std::fmt;
use suffrage_model::{Id, NetworkClass, Port};
use suffrage_networks::wiring::Wiring;

/// The maximal length of the name of a cluster, in bytes.
pub const LONGEST_NAME: usize = suffrage_net::tls::LONGEST_CLUSTER;

/// The membership of a cluster, on which all its nodes agree: a name, the network with its ports
/// numbered, and the identities.
///
/// Two nodes with different memberships refuse each other: each link begins with a comparison of
/// names, algorithms and digests.
#[derive(Debug)]
pub struct Membership {
    name: String,
    wiring: Wiring,
    ids: Vec<Id>,
    labels: Vec<String>,
    digest: MembershipDigest,
    tree: Tree,
}

/// A digest of the network and the identities: 128 bits of a SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct MembershipDigest([u8; 16]);

impl fmt::Debug for MembershipDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// An error: the parts do not make a membership.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MembershipError {
    /// The name is empty or too long.
    #[error("the name of a cluster has 1 to {LONGEST_NAME} bytes, this one {0}")]
    Name(usize),
    /// There is not one identity for each node.
    #[error("{nodes} nodes cannot have {ids} identities")]
    Ids {
        /// The number of identities.
        ids: usize,
        /// The number of nodes.
        nodes: u32,
    },
}

impl Membership {
    /// Creates the membership of the cluster of this name on this network; `ids` are in the order
    /// of its nodes.
    ///
    /// Takes time linear in the nodes and links; on complete networks and rings whose ports are
    /// numbered by rotation, in the nodes.
    ///
    /// # Errors
    /// If the name is empty or longer than 64 bytes, or there is not one identity for each node.
    /// Whether they suit an algorithm is checked where one is [given](crate::Node::tcp).
    pub fn new(
        name: impl Into<String>,
        wiring: Wiring,
        ids: Vec<Id>,
    ) -> Result<Self, MembershipError> {
        let name = name.into();
        if name.is_empty() || name.len() > LONGEST_NAME {
            return Err(MembershipError::Name(name.len()));
        }
        if ids.len() != wiring.nodes() as usize {
            return Err(MembershipError::Ids { ids: ids.len(), nodes: wiring.nodes() });
        }
        let digest = digest(&wiring, &ids);
        let tree = Tree::of(&wiring);
        Ok(Self { name, wiring, ids, labels: Vec::new(), digest, tree })
    }

    /// Gives the nodes labels, in their order, which messages for people use. Nodes need not agree
    /// on labels.
    #[must_use]
    pub fn labelled(self, labels: Vec<String>) -> Self {
        Self { labels, ..self }
    }

    /// Returns the label of a node, if it has one.
    #[must_use]
    pub fn label(&self, node: u32) -> Option<&str> {
        self.labels.get(node as usize).map(String::as_str)
    }

    /// Returns the name of the cluster.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the network with its port numbering.
    #[must_use]
    pub const fn wiring(&self) -> &Wiring {
        &self.wiring
    }

    /// Returns the identities, in the order of the nodes.
    #[must_use]
    pub fn ids(&self) -> &[Id] {
        &self.ids
    }

    /// Returns the number of nodes.
    #[must_use]
    pub const fn nodes(&self) -> u32 {
        self.wiring.nodes()
    }

    /// Returns the first node of this identity; more may have it if they are homonyms.
    #[must_use]
    pub fn node(&self, id: Id) -> Option<u32> {
        self.ids.iter().position(|&other| other == id).map(|node| node as u32)
    }

    /// Returns the digest of network and identities, which nodes compare when they connect.
    #[must_use]
    pub const fn digest(&self) -> MembershipDigest {
        self.digest
    }

    pub(crate) const fn tree(&self) -> &Tree {
        &self.tree
    }
}

fn digest(wiring: &Wiring, ids: &[Id]) -> MembershipDigest {
    let mut hash = Sha256::new();
    let mut put = |number: u64| hash.update(number.to_le_bytes());
    put(ids.len() as u64);
    ids.iter().for_each(|id| put(id.get()));
    if wiring.fits(NetworkClass::OrientedComplete) {
        put(1);
    } else if wiring.fits(NetworkClass::OrientedRing) {
        put(2);
    } else {
        put(3);
        for node in 0..wiring.nodes() {
            put(wiring.degree(node).into());
            for port in 0..wiring.degree(node) {
                let end = wiring.across(node, Port(port));
                put(u64::from(end.node) << 32 | u64::from(end.port.0));
            }
        }
    }
    let mut digest = [0; 16];
    digest.copy_from_slice(&hash.finalize()[..16]);
    MembershipDigest(digest)
}

#[cfg(test)]
mod tests;
