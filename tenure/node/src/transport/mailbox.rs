//! The queue of letters to one peer, or from one.

use super::{Letter, Topic};
use std::collections::{BTreeMap, VecDeque};

/// The maximal number of letters that wait.
const MOST: usize = 8192;

/// The letters to one peer, or from one: the newest of each topic, those about leases first, the others
/// in the order in which their topics were added; a new topic is dropped when there are too many, unless
/// it is about leases.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    letters: BTreeMap<Topic, Vec<u8>>,
    order: VecDeque<Topic>,
}

impl Mailbox {
    /// Adds a letter. Returns whether there was room for it.
    pub(crate) fn put(&mut self, letter: Letter) -> bool {
        if let Some(old) = self.letters.get_mut(&letter.topic) {
            *old = letter.bytes;
        } else if self.letters.len() < MOST || letter.topic.is_of_all() {
            match letter.topic.is_of_all() {
                true => self.order.push_front(letter.topic),
                false => self.order.push_back(letter.topic),
            }
            self.letters.insert(letter.topic, letter.bytes);
        } else {
            return false;
        }
        true
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }

    /// Takes the letter of the oldest topic, if it is at most `room` bytes long.
    pub(crate) fn take(&mut self, room: usize) -> Option<Vec<u8>> {
        let topic = self.order.front()?;
        if self.letters.get(topic).is_some_and(|bytes| bytes.len() > room) {
            return None;
        }
        let topic = self.order.pop_front()?;
        self.letters.remove(&topic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Packet;
    use tenure_model::Office;

    fn letter(office: u64, bytes: &[u8]) -> Letter {
        Letter { topic: Packet::Ask(Office(office)).topic(), bytes: bytes.to_vec() }
    }

    #[test]
    fn the_newest_letter_of_each_topic_is_kept_in_the_order_of_the_topics() {
        let mut mailbox = Mailbox::default();
        mailbox.put(letter(1, &[1]));
        mailbox.put(letter(2, &[2, 2]));
        mailbox.put(letter(1, &[3]));
        assert_eq!(mailbox.take(10), Some(vec![3]));
        assert_eq!(mailbox.take(1), None, "too long for the room");
        assert_eq!(mailbox.take(2), Some(vec![2, 2]));
        assert_eq!(mailbox.take(10), None);
    }

    #[test]
    fn a_full_mailbox_drops_new_topics_and_takes_new_letters_of_old_ones() {
        let mut mailbox = Mailbox::default();
        for office in 1..=MOST as u64 {
            assert!(mailbox.put(letter(office, &[1])));
        }
        assert!(!mailbox.put(letter(MOST as u64 + 1, &[1])));
        assert!(mailbox.put(letter(1, &[2])));
        assert_eq!(mailbox.take(10), Some(vec![2]));
    }
}
