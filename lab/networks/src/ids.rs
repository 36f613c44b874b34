//! Identities of nodes, laid out or read from files.

mod file;

use crate::{
    permutation::Permutation,
    random::{Generator, Key},
    wiring::period,
};
use std::fmt;
use std::str::FromStr;
use suffrage_model::Id;

pub use file::{IdError, IdList, IdNote};

/// A layout of the identities `1..=n` over the nodes of a network. On a ring, whose nodes are
/// numbered around, the layout determines the cost of an election.
///
/// Identities can also come from a file: [`Ids::read_file`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ids {
    /// A uniformly random permutation.
    #[default]
    Random,
    /// Node `i` has identity `i + 1`.
    Ascending,
    /// Node `i` has identity `n - i`.
    Descending,
    /// Node `i` has as its identity the rank, from 1, of its number read backwards, in as many bits
    /// as the largest number takes. Neighbours on a ring differ greatly, at every scale.
    BitReversed,
    /// A pseudo-random permutation that is computed for each node and needs no table, for networks of
    /// any size and elections that several hosts hold together.
    Scattered,
    /// Labels for a [ring of homonyms](suffrage_model::NetworkClass::HomonymRing), each of at most
    /// this number of nodes, which is at least 1: a random order of as few labels as that takes, two
    /// or more. No rotation of the ring maps it to itself.
    Homonyms(u32),
}

/// The identities of a layout, computed for each node.
#[derive(Clone, Copy, Debug)]
pub struct ComputedIds {
    layout: Ids,
    nodes: u64,
    permutation: Permutation,
    key: Key,
}

impl ComputedIds {
    /// Returns the identity of a node, in constant time.
    #[inline]
    #[must_use]
    pub fn of(&self, node: u64) -> Id {
        Id::new(match self.layout {
            Ids::Descending => self.nodes - node,
            Ids::Scattered => self.permutation.apply(self.key, node) + 1,
            Ids::Random | Ids::Ascending | Ids::BitReversed | Ids::Homonyms(_) => node + 1,
        })
    }

    /// Returns the number of nodes, which is the largest identity.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns the layout.
    #[must_use]
    pub const fn layout(&self) -> Ids {
        self.layout
    }
}

impl Ids {
    /// All layouts of distinct identities.
    pub const ALL: [Self; 5] =
        [Self::Random, Self::Ascending, Self::Descending, Self::BitReversed, Self::Scattered];

    /// Returns the identities that [`assign`](Self::assign) gives to `nodes` nodes without a table;
    /// `None` for [`Random`](Self::Random), [`BitReversed`](Self::BitReversed) and
    /// [`Homonyms`](Self::Homonyms), which need one.
    #[must_use]
    pub const fn computed(self, nodes: u64, seed: u64) -> Option<ComputedIds> {
        if matches!(self, Self::Random | Self::BitReversed | Self::Homonyms(_)) {
            return None;
        }
        let (permutation, key) = (Permutation::new(nodes), Key::new(seed, "scattered ids"));
        Some(ComputedIds { layout: self, nodes, permutation, key })
    }

    /// Returns an identity for each node, in the order of the nodes. The seed matters for
    /// [`Random`](Self::Random), [`Scattered`](Self::Scattered) and [`Homonyms`](Self::Homonyms).
    /// Takes linear time.
    #[must_use]
    pub fn assign(self, nodes: u32, seed: u64) -> Vec<Id> {
        if let Some(computed) = self.computed(nodes.into(), seed) {
            return (0..nodes.into()).map(|node| computed.of(node)).collect();
        }
        let ascending = (1..=u64::from(nodes)).map(Id::new);
        match self {
            Self::Ascending | Self::Descending | Self::Scattered => ascending.collect(),
            Self::Random => {
                let mut ids: Vec<Id> = ascending.collect();
                Generator::new(seed, "ids").shuffle(&mut ids);
                ids
            }
            Self::BitReversed => {
                let bits = nodes.saturating_sub(1).checked_ilog2().map_or(0, |log| log + 1);
                let backwards = |word: u64| word.reverse_bits().checked_shr(64 - bits).unwrap_or(0);
                let in_order = (0..1_u64 << bits).map(backwards);
                let mut ids = vec![Id::new(0); nodes as usize];
                for (node, id) in in_order.filter(|&node| node < nodes.into()).zip(ascending) {
                    ids[node as usize] = id;
                }
                ids
            }
            Self::Homonyms(most) => {
                let labels = nodes.div_ceil(most.max(1)).max(2).min(nodes);
                let label = |node| Id::new(u64::from(node % labels) + 1);
                let mut ids: Vec<Id> = (0..nodes).map(label).collect();
                let mut random = Generator::new(seed, "labels");
                random.shuffle(&mut ids);
                // One symmetric order is not likely, many are not to be expected.
                while period(&ids).is_some() {
                    random.shuffle(&mut ids);
                }
                ids
            }
        }
    }

    /// Returns the name that [`FromStr`] reads, without a number.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Ascending => "ascending",
            Self::Descending => "descending",
            Self::BitReversed => "bit-reversed",
            Self::Scattered => "scattered",
            Self::Homonyms(_) => "homonyms",
        }
    }
}

impl fmt::Display for Ids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Homonyms(most) => write!(f, "{}:{most}", self.name()),
            _ => f.write_str(self.name()),
        }
    }
}

impl FromStr for Ids {
    type Err = IdError;

    fn from_str(name: &str) -> Result<Self, IdError> {
        let distinct = || Self::ALL.into_iter().find(|ids| ids.name() == name);
        let homonyms = || {
            let most = name.strip_prefix("homonyms:")?.parse().ok();
            most.filter(|&most| most > 0).map(Self::Homonyms)
        };
        let unknown = || IdError::Layout { given: name.to_owned() };
        distinct().or_else(homonyms).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests;
