//! Which host has which number.

use crate::records::{Loaded, MemberRecord};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tenure_model::{Cell, Memory, Peer};
use tenure_protocol::electorate::{Electorate, Members};
use tenure_protocol::reconfiguration::VotingConfiguration;
use tenure_protocol::tenure::FLOOR;

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

    /// Returns the digest by which the protocol knows it: 0 for that of the beginning.
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

/// Who the members are: by numbers, as the protocol knows them, and by names and addresses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    pub(crate) configuration: VotingConfiguration,
    pub(crate) roster: Roster,
}

impl Membership {
    /// Returns the membership with which a cluster of these hosts begins.
    pub(crate) fn founding(roster: Roster) -> Self {
        let configuration = VotingConfiguration::founding(Electorate::all(roster.founders()));
        Self { configuration, roster }
    }

    /// Returns the membership on a record, or else the one with which a cluster of these hosts begins.
    pub(crate) fn of_record(record: &MemberRecord, founders: Roster) -> Self {
        let founding = Self::founding(record.roster.clone().unwrap_or(founders));
        let read = |cell| record.cells.get(&cell).copied();
        let configuration = VotingConfiguration::recorded(read);
        Self { configuration: configuration.unwrap_or(founding.configuration), ..founding }
    }

    /// Returns as what a host starts: by its record; or else, if it `joins`, by what members say who have been asked; or
    /// else as one of these founders. Its record is changed to what follows from that.
    pub(crate) fn start_of(
        name: &str,
        loaded: &mut Loaded,
        founders: &Roster,
        joins: Option<Option<&Self>>,
    ) -> HostStart {
        if let Some(roster) = &loaded.record.roster {
            let now = Self::of_record(&loaded.record, roster.clone());
            let own = loaded.record.cells.get(&OWN_NUMBER).map(|&number| Peer(number as u32));
            let named = |&me: &Peer| roster.host(me).is_some_and(|host| host.name == name);
            let Some(me) = own.filter(named) else { return HostStart::Unknown };
            // It is one that has never voted, perhaps.
            let was_removed = !now.is_member(me) && loaded.record.cells.contains_key(&FLOOR);
            return if was_removed { HostStart::Removed(now) } else { HostStart::As(me, now) };
        }
        let Some(told) = joins else {
            let founding = Self::founding(founders.clone());
            let me = founding.member(name);
            return me.map_or(HostStart::Unknown, |me| HostStart::As(me, founding));
        };
        let entered = told.and_then(|told| {
            let me = told.roster.number(name)?;
            Some((told, me, told.roster.host(me)?.record == loaded.store))
        });
        match entered {
            Some((told, me, kept)) if kept || told.is_member(me) => {
                // With this record it has never voted: it is a new host, or one that has lost the record of that number.
                loaded.memory = if kept { Memory::New } else { Memory::Lost };
                let cells = told.configuration.cells();
                loaded.record.cells.extend(cells.into_iter().flatten());
                HostStart::As(me, told.clone())
            }
            _ => HostStart::Waits,
        }
    }

    /// Returns the number of the configuration, which grows.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.configuration.tag.number
    }

    /// Returns the sets of members of each of which a majority is needed: one, or two during a change. Each member is a
    /// bit.
    #[must_use]
    pub fn sets(&self) -> Vec<u64> {
        self.configuration.electorate.halves().filter_map(Members::bits).collect()
    }

    /// Returns all that have a vote, now or after a change that is under way.
    pub(crate) const fn members(&self) -> Members {
        self.configuration.electorate.all_members()
    }

    /// Returns whether this one has a vote, now or after a change that is under way.
    pub(crate) const fn is_member(&self, peer: Peer) -> bool {
        self.configuration.electorate.contains(peer)
    }

    /// Returns the members, with their numbers.
    pub fn hosts(&self) -> impl Iterator<Item = (Peer, &RosterHost)> {
        self.members().iter().filter_map(|peer| Some((peer, self.roster.host(peer)?)))
    }

    /// Returns the number of the member of this name.
    pub(crate) fn member(&self, name: &str) -> Option<Peer> {
        self.hosts().find(|(_, host)| host.name == name).map(|(peer, _)| peer)
    }
}

/// As what a host starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HostStart {
    /// As the one of this number.
    As(Peer, Membership),
    /// It waits to be added.
    Waits,
    /// By its record it is a member no longer.
    Removed(Membership),
    /// Neither its record nor the founders have its name.
    Unknown,
}

#[cfg(test)]
mod tests;
