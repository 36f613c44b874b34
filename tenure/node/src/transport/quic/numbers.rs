//! The numbers of standers.
//!
//! A stander draws its number at random, so that no one has to give them out. Two standers may draw
//! the same: then a member refuses the one that comes second, which draws again. To the protocol, a
//! number is one process that crashes and recovers, so that members would take a second process for the
//! first one recovered, and free what they owe to it. Therefore a number that has gone stays reserved
//! for its process as long as anything may be owed to it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tenure_model::Peer;

/// The smallest number of a stander; smaller ones are reserved for members.
pub(super) const FIRST_STANDER: u32 = 1 << 16;
/// The maximal number of standers that are remembered after they have gone.
const MOST: usize = 1 << 16;

/// Draws the number of a stander: one of the upper half. Of a thousand standers two draw the same in
/// one case of 4000.
pub(crate) fn draw() -> Peer {
    Peer(super::draw() as u32 | 1 << 31)
}

/// The standers that have gone lately.
#[derive(Debug)]
pub(super) struct Departed {
    /// For how long something may be owed to a stander after it was last heard.
    owed: Duration,
    /// The process that had each number, and when it was last heard.
    standers: BTreeMap<Peer, (u128, Instant)>,
}

impl Departed {
    pub(super) const fn new(owed: Duration) -> Self {
        Self { owed, standers: BTreeMap::new() }
    }

    /// Returns whether this process may have the number: it had it before, or nothing is owed to the
    /// one that had it.
    pub(super) fn may_have(&self, peer: Peer, instance: u128, now: Instant) -> bool {
        self.standers.get(&peer).is_none_or(|&(former, heard)| {
            former == instance || now.saturating_duration_since(heard) > self.owed
        })
    }

    /// Remembers a stander that has gone, and was last heard then. If there are too many, the one
    /// that was heard first is forgotten.
    pub(super) fn remember(&mut self, peer: Peer, instance: u128, heard: Instant) {
        if self.standers.len() >= MOST {
            let owed = self.owed;
            self.standers.retain(|_, (_, heard)| heard.elapsed() <= owed);
        }
        if self.standers.len() >= MOST {
            let first = self.standers.iter().min_by_key(|(_, (_, heard))| *heard);
            let first = first.map(|(&peer, _)| peer);
            first.and_then(|peer| self.standers.remove(&peer));
        }
        self.standers.insert(peer, (instance, heard));
    }

    /// Forgets a number, which a connection has now.
    pub(super) fn forget(&mut self, peer: Peer) {
        self.standers.remove(&peer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWED: Duration = Duration::from_secs(60);

    #[test]
    fn a_number_is_kept_for_its_process_as_long_as_anything_is_owed_to_it() {
        let mut departed = Departed::new(OWED);
        let now = Instant::now();
        departed.remember(Peer(7), 1, now);
        assert!(departed.may_have(Peer(7), 1, now), "it has come back");
        assert!(!departed.may_have(Peer(7), 2, now));
        assert!(!departed.may_have(Peer(7), 2, now + OWED));
        assert!(departed.may_have(Peer(7), 2, now + OWED + Duration::from_millis(1)));
        assert!(departed.may_have(Peer(8), 2, now));
        departed.forget(Peer(7));
        assert!(departed.may_have(Peer(7), 2, now));
    }

    #[test]
    fn of_too_many_the_first_is_forgotten() {
        let mut departed = Departed::new(OWED);
        let now = Instant::now();
        for number in 0..=MOST as u32 {
            departed.remember(Peer(number), 1, now + Duration::from_nanos(number.into()));
        }
        assert_eq!(departed.standers.len(), MOST);
        assert!(departed.may_have(Peer(0), 2, now) && !departed.may_have(Peer(1), 2, now));
    }

    #[test]
    fn numbers_of_standers_are_not_those_of_members() {
        assert!((0..1000).all(|_| draw().0 >= FIRST_STANDER));
    }
}
