//! Who the members are, and as what a host starts.

use crate::records::{Loaded, MemberRecord};
use crate::roster::{OWN_NUMBER, Roster, RosterHost};
use serde::{Deserialize, Serialize};
use tenure_model::{Memory, Peer};
use tenure_protocol::electorate::{Electorate, Members};
use tenure_protocol::reconfiguration::VotingConfiguration;
use tenure_protocol::tenure::FLOOR;

/// Who the members are: by numbers, as the protocol knows them, and by names and addresses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterMembers {
    pub(crate) configuration: VotingConfiguration,
    pub(crate) roster: Roster,
}

impl ClusterMembers {
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
            match (now.is_member(me), loaded.record.cells.contains_key(&FLOOR)) {
                (false, true) => return HostStart::Removed(now),
                // It has never voted, and tells the members again that it waits for a vote.
                (false, false) if joins.is_some() => {}
                _ => return HostStart::As(me, now),
            }
        }
        let Some(told) = joins else {
            let founding = Self::founding(founders.clone());
            let me = founding.member(name);
            return me.map_or(HostStart::Unknown, |me| HostStart::As(me, founding));
        };
        let entered = told.and_then(|told| {
            let roster = told.agreed_roster();
            let me = roster.number(name)?;
            Some((told, me, roster.host(me)?.record == loaded.store))
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

    /// Returns the sets of members that decide, each by its majority: one, or two during a change. Each member is a bit.
    #[must_use]
    pub fn sets(&self) -> Vec<u64> {
        self.configuration.electorate.halves().filter_map(Members::bits).collect()
    }

    /// Returns all that have a vote, now or after a change that is under way.
    pub(crate) const fn members(&self) -> Members {
        self.configuration.electorate.all_members()
    }

    /// Returns the roster without the host that a change is to enter: another change may come first, and give its number
    /// to another host.
    pub(crate) fn agreed_roster(&self) -> Roster {
        let Electorate { old, new } = self.configuration.electorate;
        match self.configuration.changes() && old == new {
            true => self.roster.without_last(),
            false => self.roster.clone(),
        }
    }

    /// Describes what shows that these are members of another cluster.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        self.agreed_roster().difference(&other.agreed_roster())
    }

    /// Returns whether this one has a vote, now or after a change that is under way.
    pub(crate) const fn is_member(&self, peer: Peer) -> bool {
        self.configuration.electorate.contains(peer)
    }

    /// Returns whether this one has a vote whatever becomes of a change that is under way: another one may come first.
    #[must_use]
    pub const fn has_vote(&self, peer: Peer) -> bool {
        self.configuration.electorate.old.contains(peer)
    }

    /// Returns the members, with their numbers.
    pub fn hosts(&self) -> impl Iterator<Item = (Peer, &RosterHost)> {
        self.members().iter().filter_map(|peer| Some((peer, self.roster.host(peer)?)))
    }

    /// Returns the names of the members, for people.
    pub(crate) fn names(&self) -> String {
        self.hosts().map(|(_, host)| host.name.as_str()).collect::<Vec<_>>().join(", ")
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
    As(Peer, ClusterMembers),
    /// It waits to be added.
    Waits,
    /// By its record it is a member no longer.
    Removed(ClusterMembers),
    /// Neither its record nor the founders have its name.
    Unknown,
}

#[cfg(test)]
mod tests;
