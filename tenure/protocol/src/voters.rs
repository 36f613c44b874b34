//! Sets of members.

use tenure_model::Peer;

/// A set of members with numbers below 128.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Voters(u128);

impl Voters {
    /// The largest number of members that a set can tell apart.
    pub(crate) const LIMIT: u32 = u128::BITS;

    /// Creates the set of one member.
    pub(crate) fn only(member: Peer) -> Self {
        let mut set = Self::default();
        set.insert(member);
        set
    }

    /// Adds a member. A number out of range is ignored.
    pub(crate) fn insert(&mut self, member: Peer) {
        self.0 |= 1_u128.checked_shl(member.0).unwrap_or(0);
    }

    /// Removes a member.
    pub(crate) fn remove(&mut self, member: Peer) {
        self.0 &= !1_u128.checked_shl(member.0).unwrap_or(0);
    }

    pub(crate) fn contains(self, member: Peer) -> bool {
        self.0 & 1_u128.checked_shl(member.0).unwrap_or(0) != 0
    }

    pub(crate) const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Peer> {
        (0..Self::LIMIT).map(Peer).filter(move |&member| self.contains(member))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn a_set_has_what_was_put_into_it() {
        let mut set = Voters::only(Peer(2));
        set.insert(Peer(127));
        set.insert(Peer(0));
        set.insert(Peer(128)); // Out of range.
        set.remove(Peer(0));
        assert_eq!(set.iter().collect::<Vec<_>>(), [Peer(2), Peer(127)]);
        assert_eq!(set.len(), 2);
    }
}
