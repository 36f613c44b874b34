//! Who has a vote, and which votes are enough.

use tenure_model::Peer;

/// A set of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Members {
    /// All below this number.
    Below(u32),
    /// Those whose bits are set, if they are not all below some number.
    Bits(u64),
}

impl Members {
    /// Returns the set whose bits are set in a number.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        match bits.trailing_ones() {
            below if below == bits.count_ones() => Self::Below(below),
            _ => Self::Bits(bits),
        }
    }

    /// Returns the set as bits of a number; `None` if it has more than 64 members.
    #[must_use]
    pub const fn bits(self) -> Option<u64> {
        match self {
            Self::Bits(bits) => Some(bits),
            Self::Below(u64::BITS) => Some(u64::MAX),
            Self::Below(below @ 0..u64::BITS) => Some((1 << below) - 1),
            Self::Below(_) => None,
        }
    }

    /// Returns the number of members.
    #[must_use]
    pub const fn len(self) -> usize {
        match self {
            Self::Below(below) => below as usize,
            Self::Bits(bits) => bits.count_ones() as usize,
        }
    }

    /// Returns whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns whether this one is among them.
    #[must_use]
    pub const fn contains(self, peer: Peer) -> bool {
        match self {
            Self::Below(below) => peer.0 < below,
            Self::Bits(bits) => peer.0 < u64::BITS && bits >> peer.0 & 1 == 1,
        }
    }

    /// Returns the size of the smallest majority.
    #[must_use]
    pub const fn majority(self) -> usize {
        self.len() / 2 + 1
    }

    /// Returns the least number that is greater than all of them.
    #[must_use]
    pub const fn end(self) -> u32 {
        match self {
            Self::Below(below) => below,
            Self::Bits(bits) => u64::BITS - bits.leading_zeros(),
        }
    }

    /// Returns the members, ascending.
    pub fn iter(self) -> impl Iterator<Item = Peer> + use<> {
        (0..self.end()).map(Peer).filter(move |&peer| self.contains(peer))
    }
}

/// Bits of a number: a set without members, or with one above 63, cannot be said.
#[cfg(feature = "serde")]
impl serde::Serialize for Members {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let bits = self.bits().ok_or_else(|| serde::ser::Error::custom("too many members"))?;
        to.serialize_u64(bits)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Members {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match u64::deserialize(from)? {
            0 => Err(serde::de::Error::custom("no members")),
            bits => Ok(Self::from_bits(bits)),
        }
    }
}

/// Which votes are enough: a majority of the old members and one of the new ones. They are the same, but
/// while members change.
///
/// After D. Ongaro, J. Ousterhout, "In Search of an Understandable Consensus Algorithm", *USENIX ATC*,
/// 2014, section 6 (joint consensus).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Electorate {
    /// The members before a change.
    pub old: Members,
    /// The members after it.
    pub new: Members,
}

impl Electorate {
    /// Returns the electorate in which a majority of these members is enough.
    #[must_use]
    pub const fn all(members: Members) -> Self {
        Self { old: members, new: members }
    }

    /// Returns whether a majority of each of two sets is needed.
    #[must_use]
    pub fn is_joint(self) -> bool {
        self.old != self.new
    }

    /// Returns whether this one has a vote.
    #[must_use]
    pub const fn contains(self, peer: Peer) -> bool {
        self.old.contains(peer) || self.new.contains(peer)
    }

    /// Returns the least number that is greater than those of all members.
    #[must_use]
    pub fn end(self) -> u32 {
        self.old.end().max(self.new.end())
    }

    /// Returns all members, ascending.
    pub fn iter(self) -> impl Iterator<Item = Peer> + use<> {
        (0..self.end()).map(Peer).filter(move |&peer| self.contains(peer))
    }

    /// Returns all members.
    #[must_use]
    pub const fn all_members(self) -> Members {
        match (self.old, self.new) {
            (Members::Below(one), Members::Below(other)) => {
                Members::Below(if one > other { one } else { other })
            }
            (old, new) => match (old.bits(), new.bits()) {
                (Some(old), Some(new)) => Members::from_bits(old | new),
                _ => old,
            },
        }
    }

    /// Returns the sets whose majorities are needed.
    pub fn halves(self) -> impl Iterator<Item = Members> + use<> {
        core::iter::once(self.old).chain(self.is_joint().then_some(self.new))
    }

    /// Returns whether the members for which this holds are enough.
    pub fn is_quorum(self, has: impl Fn(Peer) -> bool) -> bool {
        self.halves().all(|half| half.iter().filter(|&peer| has(peer)).count() >= half.majority())
    }

    /// Returns whether the members for which this holds are, without `me`, enough to meet every quorum to which `me`
    /// belongs, here and where one of the two sets votes alone.
    pub fn meets_quorums_of(self, me: Peer, has: impl Fn(Peer) -> bool) -> bool {
        let meets = |half: Members| {
            let others = half.iter().filter(|&peer| peer != me && has(peer)).count();
            others > half.len() - half.majority()
        };
        self.halves().filter(|half| half.contains(me)).all(meets)
    }
}
