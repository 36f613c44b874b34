//! The events among agents that met by messages, and their findings.

use super::AgentSnapshot;
use crate::protocol::Belief;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A change of what an observer sees of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordEntry {
    /// When, in seconds.
    pub at: f64,
    /// The agent, by its position.
    pub agent: u32,
    /// Its state from then on.
    pub shows: AgentSnapshot,
}

/// A record of agents that meet by messages: everything that an observer has seen of them, in order.
#[derive(Clone, Debug, Default)]
pub struct MeetingRecord {
    ids: Vec<u32>,
    entries: Vec<RecordEntry>,
    /// What each agent shows.
    now: Vec<AgentSnapshot>,
    /// When each agent died.
    died: Vec<Option<f64>>,
}

/// A declaration that the election is complete.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Declaration {
    /// The identity of the agent that declared.
    pub id: u32,
    /// The number of meetings until then, that at which it declared included.
    pub meetings: u64,
    /// When, in seconds.
    pub seconds: f64,
    /// The number of its own meetings until then.
    pub own_meetings: u32,
    /// Whether it was correct: all agents that had not died held the same identity.
    pub right: bool,
}

/// The least, mean and greatest of some numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeetingsPerAgent {
    /// The least.
    pub min: u32,
    /// The mean.
    pub mean: f64,
    /// The greatest.
    pub max: u32,
}

/// The events among agents that met by messages.
///
/// Dead agents count only in `meetings`, and meetings that they initiated may be unknown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeetingFindings {
    /// The number of agents.
    pub agents: u32,
    /// The identities of those that died, ascending.
    pub died: Vec<u32>,
    /// The number of meetings.
    pub meetings: u64,
    /// The number of invitations that were refused or taken back.
    pub refused: u64,
    /// The number of meetings until all held the same identity, for good.
    pub completed_at: Option<u64>,
    /// The first declaration that the election is complete.
    pub declared: Option<Declaration>,
    /// The number of declarations.
    pub declarations: u32,
    /// The number of meetings until the last agent was told that the election is complete.
    pub told_at: Option<u64>,
    /// The identity that all hold in the end; `None` if they differ.
    pub leader: Option<u32>,
    /// The number of agents that call themselves the leader and know that the election is complete.
    pub leaders: u32,
    /// The number of agents that have decided.
    pub decided: u32,
    /// The number of agents that have halted.
    pub halted: u32,
    /// The meetings of each agent.
    pub meetings_per_agent: Option<MeetingsPerAgent>,
}

impl MeetingRecord {
    /// Creates the record of agents with these identities, in the order of their positions, before
    /// anything has happened.
    #[must_use]
    pub fn new(ids: Vec<u32>) -> Self {
        let initial = |&leader: &u32| AgentSnapshot {
            initiated: 0,
            answered: 0,
            refused: 0,
            belief: Belief { leader, is_leader: false, complete: false, declared: false },
            halted: false,
        };
        Self {
            now: ids.iter().map(initial).collect(),
            died: vec![None; ids.len()],
            entries: Vec::new(),
            ids,
        }
    }

    /// Records the state of an agent at this moment, which is not before any recorded one. Does
    /// nothing if the state has not changed, or if there is no such agent.
    pub fn observe(&mut self, at: f64, agent: u32, shows: AgentSnapshot) {
        if let Some(now) = self.now.get_mut(agent as usize).filter(|now| **now != shows) {
            *now = shows;
            self.entries.push(RecordEntry { at, agent, shows });
        }
    }

    /// Records that an agent has died.
    pub fn died(&mut self, at: f64, agent: u32) {
        if let Some(died) = self.died.get_mut(agent as usize) {
            *died = Some(at);
        }
    }

    /// Creates a record of entries in any order.
    #[must_use]
    pub fn of(ids: Vec<u32>, mut entries: Vec<RecordEntry>) -> Self {
        entries.sort_by(|one, other| one.at.total_cmp(&other.at));
        let mut record = Self::new(ids);
        for RecordEntry { at, agent, shows } in entries {
            record.observe(at, agent, shows);
        }
        record
    }

    /// Returns the entries, in order.
    #[must_use]
    pub fn entries(&self) -> &[RecordEntry] {
        &self.entries
    }

    /// The agents that have not died, with their identities.
    fn alive(&self) -> impl Iterator<Item = (&AgentSnapshot, u32)> {
        let agents = self.now.iter().zip(&self.ids).zip(&self.died);
        agents.filter(|(_, died)| died.is_none()).map(|((shows, &id), _)| (shows, id))
    }

    /// Returns the number of agents that have not died, and of those of them that have decided. Takes
    /// time linear in the agents.
    #[must_use]
    pub fn decided(&self) -> (u32, u32) {
        self.alive().fold((0, 0), |(all, decided), (shows, id)| {
            (all + 1, decided + u32::from(shows.has_decided(id)))
        })
    }

    /// Returns whether all agents that have not died hold the same identity. Takes time linear in the
    /// agents.
    #[must_use]
    pub fn agrees(&self) -> bool {
        agree(self.alive().map(|(shows, _)| shows))
    }

    /// Returns the findings. Takes O(*e* + *n*) time for *e* entries of *n* agents, and O(*n*) more
    /// for each declaration.
    #[must_use]
    pub fn findings(&self) -> MeetingFindings {
        let mut past = RecordPrefix::new(&self.ids, &self.died);
        for entry in &self.entries {
            past.step(entry);
        }
        let count = |so: &dyn Fn(&AgentSnapshot, u32) -> bool| {
            self.alive().filter(|&(shows, id)| so(shows, id)).count() as u32
        };
        let agreed = self.agrees();
        let per_agent = || self.alive().map(|(shows, _)| shows.meetings());
        let spread = per_agent().min().zip(per_agent().max()).map(|(min, max)| MeetingsPerAgent {
            min,
            mean: per_agent().map(f64::from).sum::<f64>() / self.alive().count() as f64,
            max,
        });
        MeetingFindings {
            agents: self.ids.len() as u32,
            died: past.dead.clone(),
            meetings: past.meetings,
            refused: self.now.iter().map(|shows| u64::from(shows.refused)).sum(),
            completed_at: past.completed_at.filter(|_| agreed),
            declared: past.declared,
            declarations: past.declarations,
            told_at: past.told_at,
            leader: self.alive().next().map(|(shows, _)| shows.belief.leader).filter(|_| agreed),
            leaders: count(&|shows, _| shows.belief.is_leader && shows.belief.complete),
            decided: count(&|shows, id| shows.has_decided(id)),
            halted: count(&|shows, _| shows.halted),
            meetings_per_agent: spread,
        }
    }
}

/// Whether all of these hold the same identity.
fn agree<'a>(mut agents: impl Iterator<Item = &'a AgentSnapshot>) -> bool {
    let first = agents.next().map(|shows| shows.belief.leader);
    agents.all(|shows| Some(shows.belief.leader) == first)
}

/// What had happened at one moment of a record.
struct RecordPrefix<'a> {
    ids: &'a [u32],
    died: &'a [Option<f64>],
    /// The identities of those that die at any time, ascending.
    dead: Vec<u32>,
    shows: Vec<AgentSnapshot>,
    meetings: u64,
    /// The agents that live to the end and have not been told.
    untold: usize,
    /// How many of those that live to the end hold each identity.
    holders: BTreeMap<u32, u32>,
    completed_at: Option<u64>,
    declared: Option<Declaration>,
    declarations: u32,
    told_at: Option<u64>,
}

impl<'a> RecordPrefix<'a> {
    fn new(ids: &'a [u32], died: &'a [Option<f64>]) -> Self {
        let mut dead: Vec<u32> =
            ids.iter().zip(died).filter(|(_, died)| died.is_some()).map(|(&id, _)| id).collect();
        dead.sort_unstable();
        let survivors = ids.iter().filter(|id| dead.binary_search(id).is_err());
        let holders: BTreeMap<u32, u32> = survivors.map(|&id| (id, 1)).collect();
        Self {
            ids,
            died,
            shows: MeetingRecord::new(ids.to_vec()).now,
            meetings: 0,
            untold: holders.len(),
            completed_at: (holders.len() == 1).then_some(0),
            holders,
            dead,
            declared: None,
            declarations: 0,
            told_at: None,
        }
    }

    fn is_dead(&self, id: u32) -> bool {
        self.dead.binary_search(&id).is_ok()
    }

    fn step(&mut self, entry: &RecordEntry) {
        let (at, place) = (entry.at, entry.agent as usize);
        let (before, after) = (self.shows[place], entry.shows);
        self.shows[place] = after;
        self.meetings += u64::from(after.initiated.saturating_sub(before.initiated));
        let id = self.ids[place];
        if !self.is_dead(id) {
            self.hold(before.belief.leader, after.belief.leader);
            if after.belief.complete && !before.belief.complete {
                self.untold -= 1;
                self.told_at = (self.untold == 0).then_some(self.meetings);
            }
        }
        if after.belief.declared && !before.belief.declared {
            self.declarations += 1;
            let own_meetings = after.meetings();
            let (meetings, seconds) = (self.meetings, at);
            let right = self.agree_at(at);
            let declaration = Declaration { id, meetings, seconds, own_meetings, right };
            self.declared.get_or_insert(declaration);
        }
    }

    /// Changes the identity that an agent holds.
    fn hold(&mut self, before: u32, after: u32) {
        if before == after {
            return;
        }
        if let Some(count) = self.holders.get_mut(&before) {
            *count -= 1;
            if *count == 0 {
                self.holders.remove(&before);
            }
        }
        *self.holders.entry(after).or_default() += 1;
        if self.holders.len() > 1 {
            self.completed_at = None;
        } else if self.completed_at.is_none() {
            self.completed_at = Some(self.meetings);
        }
    }

    /// Whether all agents that have not died by then hold the same identity.
    fn agree_at(&self, at: f64) -> bool {
        let alive = self.shows.iter().zip(self.died);
        agree(alive.filter(|(_, died)| died.is_none_or(|died| died > at)).map(|(shows, _)| shows))
    }
}

#[cfg(test)]
mod tests;
