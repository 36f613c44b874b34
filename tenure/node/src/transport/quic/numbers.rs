//! The numbers of clients.
//!
//! A client draws its number at random, so that no one has to give them out. Two clients may draw
//! the same: then a member refuses the one that comes second, which draws again. To the protocol, a
//! number is one process that crashes and recovers, so that members would take a second process for the
//! first one recovered, and free what they owe to it. Therefore a number that has gone stays reserved
//! for its process as long as anything may be owed to it.

use std::collections::BTreeMap;
use tenure_model::Peer;

/// The smallest number of a client; smaller ones are reserved for members.
pub(super) const FIRST_CLIENT: u32 = 1 << 16;
/// The maximal number of clients that are remembered after they have gone.
const MOST: usize = 1 << 16;

/// Draws the number of a client: one of the upper half. Of a thousand clients two draw the same in
/// one case of 4000.
pub(crate) fn draw() -> Peer {
    Peer(crate::random::draw() as u32 | 1 << 31)
}

/// The clients that have gone lately.
#[derive(Debug)]
pub(super) struct Departed {
    /// For how long something may be owed to a client after it was last heard, in nanoseconds.
    owed: u64,
    /// The process that had each number, and when it was last heard, by the clock of deadlines.
    clients: BTreeMap<Peer, (u128, u64)>,
}

impl Departed {
    pub(super) const fn new(owed: u64) -> Self {
        Self { owed, clients: BTreeMap::new() }
    }

    /// Returns whether this process may have the number: it had it before, or nothing is owed to the
    /// one that had it.
    pub(super) fn may_have(&self, peer: Peer, instance: u128, now: u64) -> bool {
        self.clients.get(&peer).is_none_or(|&(former, heard)| {
            former == instance || now.saturating_sub(heard) > self.owed
        })
    }

    /// Remembers a client that has gone now, and was last heard then. If there are too many, the one
    /// that was heard first is forgotten.
    pub(super) fn remember(&mut self, peer: Peer, instance: u128, heard: u64, now: u64) {
        if self.clients.len() >= MOST {
            let owed = self.owed;
            self.clients.retain(|_, (_, heard)| now.saturating_sub(*heard) <= owed);
        }
        if self.clients.len() >= MOST {
            let first = self.clients.iter().min_by_key(|(_, (_, heard))| *heard);
            let first = first.map(|(&peer, _)| peer);
            first.and_then(|peer| self.clients.remove(&peer));
        }
        self.clients.insert(peer, (instance, heard));
    }

    /// Forgets a number, which a connection has now.
    pub(super) fn forget(&mut self, peer: Peer) {
        self.clients.remove(&peer);
    }
}

#[cfg(test)]
mod tests;
