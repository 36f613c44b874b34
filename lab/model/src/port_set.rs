//! Sets of ports.

use crate::Port;
use alloc::{boxed::Box, vec::Vec};
use core::fmt;

/// A set of ports of a process, such as those whose messages it still waits for.
///
/// It takes two words, and without a port above 63 nothing else; otherwise it takes a bit for each port up to the
/// largest. Each operation takes constant time, and [`last`](Self::last) time in proportion to the bits where one port
/// is left. Formulas of invariants say of it which processes are behind its ports, and so do proofs for every number
/// of processes.
#[derive(Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "ListedPorts", into = "ListedPorts"))]
pub struct PortSet(PortBits);

#[derive(Clone, PartialEq, Eq, Hash)]
enum PortBits {
    /// The bits of ports up to 63.
    Few(u64),
    /// The bits of more ports. The last word has some, so that sets with the same members are equal.
    Many(Box<ManyPorts>),
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct ManyPorts {
    count: u32,
    words: Vec<u64>,
}

impl PortSet {
    /// Returns the set of all ports of a process that has so many.
    #[must_use]
    pub fn all(degree: u32) -> Self {
        let ones = |count: u32| u64::MAX.checked_shr(64 - count).unwrap_or(0);
        Self(match degree {
            0..=64 => PortBits::Few(ones(degree)),
            _ => {
                let mut words = alloc::vec![u64::MAX; degree as usize / 64];
                words.extend(Some(ones(degree % 64)).filter(|&rest| rest > 0));
                PortBits::Many(Box::new(ManyPorts { count: degree, words }))
            }
        })
    }

    /// Returns whether a port is in the set.
    #[must_use]
    #[inline]
    pub fn contains(&self, port: Port) -> bool {
        let word = match &self.0 {
            PortBits::Few(word) if port.0 < 64 => *word,
            PortBits::Few(_) => 0,
            PortBits::Many(many) => many.words.get(port.0 as usize / 64).copied().unwrap_or(0),
        };
        word >> (port.0 % 64) & 1 == 1
    }

    /// Takes a port out of the set, if it is in it.
    #[inline]
    pub fn remove(&mut self, port: Port) {
        if !self.contains(port) {
            return;
        }
        match &mut self.0 {
            PortBits::Few(word) => *word &= !(1 << port.0),
            PortBits::Many(many) => {
                many.words[port.0 as usize / 64] &= !(1 << (port.0 % 64));
                many.count -= 1;
                while many.words.pop_if(|word| *word == 0).is_some() {}
                if let [few] = many.words[..] {
                    self.0 = PortBits::Few(few);
                } else if many.words.is_empty() {
                    self.0 = PortBits::Few(0);
                }
            }
        }
    }

    /// Returns the number of ports in the set.
    #[must_use]
    #[inline]
    pub fn len(&self) -> u32 {
        match &self.0 {
            PortBits::Few(word) => word.count_ones(),
            PortBits::Many(many) => many.count,
        }
    }

    /// Returns whether no port is in the set.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the port that is alone in the set, if one is.
    #[must_use]
    #[inline]
    pub fn last(&self) -> Option<Port> {
        if self.len() == 1 { self.iter().next() } else { None }
    }

    /// Returns the ports in the set, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Port> + '_ {
        let words = match &self.0 {
            PortBits::Few(word) => core::slice::from_ref(word),
            PortBits::Many(many) => &many.words,
        };
        (0_u32..).zip(words).flat_map(|(at, &word)| {
            let mut left = word;
            core::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(Port(64 * at + bit))
            })
        })
    }
}

impl fmt::Debug for PortSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|Port(port)| port)).finish()
    }
}

/// How a set is written: its members.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "PortSet")]
struct ListedPorts(Vec<u32>);

#[cfg(feature = "serde")]
impl From<PortSet> for ListedPorts {
    fn from(set: PortSet) -> Self {
        Self(set.iter().map(|Port(port)| port).collect())
    }
}

#[cfg(feature = "serde")]
impl From<ListedPorts> for PortSet {
    fn from(ListedPorts(members): ListedPorts) -> Self {
        let degree = members.iter().max().map_or(0, |largest| largest.saturating_add(1));
        let mut set = Self::all(degree);
        let mut left = members;
        left.sort_unstable();
        let is_left = |port: u32| left.binary_search(&port).is_err();
        (0..degree).filter(|&port| is_left(port)).for_each(|port| set.remove(Port(port)));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{format, vec};

    #[test]
    fn ports_are_taken_out_until_one_is_left() {
        for degree in [1, 2, 3, 63, 64, 65, 128, 200] {
            for last in (0..degree).map(Port) {
                let mut set = PortSet::all(degree);
                for port in (0..degree).map(Port).filter(|&port| port != last) {
                    assert!(set.contains(port) && set.last().is_none());
                    set.remove(port);
                    set.remove(port);
                    assert!(!set.contains(port));
                }
                assert_eq!((set.len(), set.last()), (1, Some(last)));
                set.remove(last);
                assert!(set.is_empty() && set == PortSet::all(0));
            }
        }
    }

    #[test]
    fn sets_with_the_same_members_are_equal() {
        let mut set = PortSet::all(130);
        (70..130).for_each(|port| set.remove(Port(port)));
        assert_eq!(set, PortSet::all(70));
        (3..70).for_each(|port| set.remove(Port(port)));
        assert_eq!(set, PortSet::all(3));
        assert_eq!(set.iter().collect::<Vec<_>>(), vec![Port(0), Port(1), Port(2)]);
        assert_eq!(format!("{set:?}"), "{0, 1, 2}");
        assert!(!set.contains(Port(64)) && !set.contains(Port(u32::MAX)));
    }
}
