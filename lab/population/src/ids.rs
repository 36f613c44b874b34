//! Identities of agents: random numbers, MAC addresses, serial numbers.
//!
//! Meetings are uniformly random, so an election depends only on the order of the identities, and
//! not on which agent has which. The engines therefore work with ranks; identities only name the
//! leader.

use crate::error::PopulationError;
use std::collections::BTreeMap;
use suffrage_networks::random::{Key, mix};

/// The facts about a population's identities on which an election depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PopulationIds {
    /// The number of identities.
    pub count: u64,
    /// The highest identity: the eventual leader's.
    pub leader: u64,
}

impl PopulationIds {
    /// Summarizes given identities, in the agents' order.
    ///
    /// # Errors
    /// If there are none, or if two are equal.
    pub fn given(ids: &[u64]) -> Result<Self, PopulationError> {
        let mut seen = BTreeMap::new();
        for (agent, &id) in (1..).zip(ids) {
            if let Some(first) = seen.insert(id, agent) {
                return Err(PopulationError::DuplicateId { id, first, second: agent });
            }
        }
        let (&leader, _) = seen.last_key_value().ok_or(PopulationError::NoAgents)?;
        Ok(Self { count: ids.len() as u64, leader })
    }

    /// Summarizes random distinct 64-bit numbers, which are a bijection of the agents' numbers and
    /// so need no memory. Takes time proportional to their count.
    ///
    /// # Errors
    /// If there are none.
    pub fn random(count: u64, seed: u64) -> Result<Self, PopulationError> {
        let leader = random(count, seed).max().ok_or(PopulationError::NoAgents)?;
        Ok(Self { count, leader })
    }
}

/// Returns random distinct 64-bit identities for `count` agents.
pub fn random(count: u64, seed: u64) -> impl Iterator<Item = u64> {
    let base = Key::new(seed, "ids").bits();
    // Adding, multiplying by an odd number and mixing are bijections.
    (0..count).map(move |agent| mix(agent.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(base)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_identity_leads() {
        assert_eq!(PopulationIds::given(&[3, 9, 4]), Ok(PopulationIds { count: 3, leader: 9 }));
        let ids = PopulationIds::random(1000, 5).unwrap();
        assert_eq!(Some(ids.leader), random(1000, 5).max());
    }

    #[test]
    fn equal_identities_are_named() {
        let error = PopulationIds::given(&[3, 9, 4, 9]).unwrap_err();
        assert_eq!(error, PopulationError::DuplicateId { id: 9, first: 2, second: 4 });
        assert_eq!(PopulationIds::given(&[]), Err(PopulationError::NoAgents));
    }

    #[test]
    fn random_identities_are_distinct_and_differ_between_seeds() {
        let mut ids: Vec<_> = random(10_000, 1).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 10_000);
        assert_ne!(random(10, 1).max(), random(10, 2).max());
    }
}
