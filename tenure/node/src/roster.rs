//! Which host has which number.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use tenure_model::{Cell, Peer};
use tenure_protocol::electorate::Members;

/// The maximal number of hosts that have ever been members of a cluster: a set of members is a number of 64 bits.
pub const MOST_HOSTS: usize = 64;
/// The maximal length of the address of a host that becomes a member, in bytes.
pub const LONGEST_ADDRESS: usize = 261;
/// The cell of a record with the number of the host that has it, which never changes: a host of the same name may get
/// another number later.
pub(crate) const OWN_NUMBER: Cell = Cell { table: 4, key: 0 };

/// The hosts that have been members of a cluster, or are to become members: the number of each is its place. A roster only
/// grows, so no number is given to two hosts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Roster {
    /// The number of hosts with which the cluster began.
    founders: u8,
    hosts: Vec<RosterHost>,
}

/// A host in a [`Roster`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RosterHost {
    /// Its name, which is in its certificate.
    pub name: String,
    /// The address at which other members reach it.
    pub address: String,
    /// Whether it votes and never leads.
    pub witness: bool,
    /// The number of the record with which it came, 0 if it was there from the beginning: with another one, the record of
    /// this member is lost.
    pub record: u128,
}

impl RosterHost {
    /// Returns a host that was a member from the beginning.
    pub(crate) fn founder(name: &str, address: &str, witness: bool) -> Self {
        Self { name: name.to_owned(), address: address.to_owned(), witness, record: 0 }
    }

    /// Returns the address of this host: the one that is configured here for its name, or else the one in the roster.
    #[must_use]
    pub fn address_among<'a>(&'a self, configured: &'a BTreeMap<String, String>) -> &'a str {
        configured.get(&self.name).unwrap_or(&self.address)
    }
}

impl Roster {
    /// Returns the roster of a cluster that begins with these hosts.
    pub(crate) fn founding(hosts: Vec<RosterHost>) -> Self {
        Self { founders: hosts.len() as u8, hosts }
    }

    /// Returns the roster of a cluster within one program, whose members have names alone.
    pub(crate) fn named(names: &[impl AsRef<str>]) -> Self {
        let host = |name: &_| RosterHost::founder(AsRef::<str>::as_ref(name), "", false);
        Self::founding(names.iter().map(host).collect())
    }

    /// Returns the hosts, in the order of their numbers.
    #[must_use]
    pub fn hosts(&self) -> &[RosterHost] {
        &self.hosts
    }

    /// Returns the members with which the cluster began.
    pub(crate) const fn founders(&self) -> Members {
        Members::Below(self.founders as u32)
    }

    /// Returns the digest by which the protocol knows it: 0 for the first roster.
    pub(crate) fn digest(&self) -> u64 {
        if self.hosts.len() == usize::from(self.founders) {
            return 0;
        }
        let digest = Sha256::digest(self.encode());
        digest.first_chunk().copied().map_or(1, u64::from_le_bytes).max(1)
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        // Only numbers and texts, whose encoding cannot fail.
        postcard::to_stdvec(self).unwrap_or_default()
    }

    /// Decodes a roster, which must span all of the bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        match postcard::take_from_bytes::<Self>(bytes) {
            Ok((roster, [])) if roster.is_sound() => Some(roster),
            _ => None,
        }
    }

    fn is_sound(&self) -> bool {
        let founders = usize::from(self.founders);
        (1..=self.hosts.len()).contains(&founders) && self.hosts.len() <= MOST_HOSTS
    }

    /// Returns the host of this number.
    #[must_use]
    pub fn host(&self, number: Peer) -> Option<&RosterHost> {
        self.hosts.get(number.0 as usize)
    }

    /// Returns the number of the host of this name: the last one, if the name was given anew after a removal.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<Peer> {
        let place = self.hosts.iter().rposition(|host| host.name == name)?;
        Some(Peer(place as u32))
    }

    /// Returns the number of the host of this name that has this record, or else of the last one of this name.
    pub(crate) fn number_with(&self, name: &str, record: u128) -> Option<Peer> {
        let own = |host: &RosterHost| host.name == name && host.record == record;
        let place = self.hosts.iter().rposition(own);
        place.map_or_else(|| self.number(name), |place| Some(Peer(place as u32)))
    }

    /// Returns the roster with one more host, and its number; `None` if there is no number left.
    pub(crate) fn with(&self, host: RosterHost) -> Option<(Self, Peer)> {
        let number = Peer(self.hosts.len() as u32);
        let mut roster = self.clone();
        roster.hosts.push(host);
        roster.is_sound().then_some((roster, number))
    }

    /// Returns the roster before its last host came, if that is none of the founders.
    pub(crate) fn without_last(&self) -> Self {
        let before = (self.hosts.len() - 1).max(self.founders.into());
        Self { hosts: self.hosts[..before].to_vec(), ..*self }
    }

    /// Describes what shows that two rosters are of different clusters: of one cluster, one is the beginning of the other.
    /// Addresses may differ from host to host.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        let identity = |host: &RosterHost| (host.name.clone(), host.witness);
        let mut pairs = self.hosts.iter().zip(&other.hosts);
        let same = self.founders == other.founders
            && pairs.all(|(one, other)| identity(one) == identity(other));
        let list = |roster: &Self| {
            let name = |host: &RosterHost| match host.witness {
                true => format!("{} (witness)", host.name),
                false => host.name.clone(),
            };
            roster.hosts.iter().take(16).map(name).collect::<Vec<_>>().join(", ")
        };
        (!same).then(|| format!("members: {} here, {} there", list(self), list(other)))
    }
}

#[cfg(test)]
pub(crate) mod tests;
