//! Messages: their kinds, and the size of each kind.

#![no_std]

use core::{fmt::Debug, hash::Hash};

/// The files of this crate, with the root first, for programs that compile it where it is not installed.
#[doc(hidden)]
pub const SOURCE: &[(&str, &str)] = &[("lib.rs", include_str!("lib.rs"))];

/// A message: what processes send over links.
///
/// Every message is of one of a few kinds, and messages of one kind have one size: an engine that
/// counts messages by kind has thereby counted identities and bits.
pub trait Message: Copy + Debug + Eq + Hash + Send + Sync + 'static {
    /// The kinds of messages of the algorithm, at least one.
    const KINDS: &'static [Kind];

    /// Returns the index of this message's kind in [`KINDS`](Self::KINDS).
    fn kind(&self) -> usize;

    /// Returns the name of its kind, as drawings and files of runs give it.
    fn kind_name(&self) -> &'static str {
        Self::KINDS[self.kind()].name
    }
}

/// A message that can leave the program, as engines that run processes on several machines require.
///
/// Every message that `serde` can serialize and deserialize implements it.
#[cfg(feature = "serde")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent to another host",
    label = "this message does not derive serde's traits",
    note = "derive them: `#[derive(serde::Serialize, serde::Deserialize)]`"
)]
pub trait Wire: Message + serde::Serialize + serde::de::DeserializeOwned {}

// Otherwise a message that lacks serde's traits is answered with a note about this implementation.
#[cfg(feature = "serde")]
#[diagnostic::do_not_recommend]
impl<M: Message + serde::Serialize + serde::de::DeserializeOwned> Wire for M {}

/// The phase of an election to which a message belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// It helps to find the leader.
    Election,
    /// The leader is found: it tells the others, or brings the algorithm to its end.
    Announcement,
    /// It belongs to a synchronizer under the algorithm, and counts for none of its bounds.
    Synchronizer,
}

/// A kind of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kind {
    /// Its name: the paper's word for it, in lower case.
    pub name: &'static str,
    /// The phase to which it belongs.
    pub phase: Phase,
    /// The number of identities that it carries.
    pub ids: u32,
    /// The number of counters that it carries: numbers no larger than the size of the network, such
    /// as levels and positions.
    pub counters: u32,
}

impl Kind {
    /// Creates a kind of election message that carries only its name.
    #[must_use]
    pub const fn election(name: &'static str) -> Self {
        Self { name, phase: Phase::Election, ids: 0, counters: 0 }
    }

    /// Creates a kind of announcement message that carries only its name.
    #[must_use]
    pub const fn announcement(name: &'static str) -> Self {
        Self { name, phase: Phase::Announcement, ids: 0, counters: 0 }
    }

    /// Creates a kind of message of a synchronizer that carries only its name.
    #[must_use]
    pub const fn synchronizer(name: &'static str) -> Self {
        Self { name, phase: Phase::Synchronizer, ids: 0, counters: 0 }
    }

    /// Returns the same kind, carrying `ids` identities.
    #[must_use]
    pub const fn ids(self, ids: u32) -> Self {
        Self { ids, ..self }
    }

    /// Returns the same kind, carrying `counters` numbers no larger than the size of the network.
    #[must_use]
    pub const fn counters(self, counters: u32) -> Self {
        Self { counters, ..self }
    }

    /// Returns the size of one message of this kind, in bits: a tag that distinguishes the
    /// algorithm's `kinds`, and its contents, with `id_bits` for an identity and `counter_bits` for
    /// a counter.
    #[must_use]
    pub const fn bits(&self, kinds: usize, id_bits: u32, counter_bits: u32) -> u32 {
        let tag = if kinds <= 1 { 0 } else { (kinds - 1).ilog2() + 1 };
        tag + self.ids * id_bits + self.counters * counter_bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_as_long_as_it_must_be_to_tell_the_kinds_apart() {
        let bits = |kinds| Kind::election("token").bits(kinds, 64, 10);
        assert_eq!([1, 2, 3, 4, 5, 8, 9].map(bits), [0, 1, 2, 2, 3, 3, 4]);
    }

    #[test]
    fn a_message_is_its_tag_its_ids_and_its_counters() {
        assert_eq!(Kind::election("capture").ids(1).counters(2).bits(5, 64, 10), 3 + 64 + 20);
    }
}
