//! The messages under way to a process, from one, or from one to another.

use super::MessageFact;
use alloc::vec::Vec;
use core::cell::OnceCell;

/// Finds the messages with a given end, or with both, without a look at the others. It is built when it is first asked.
#[derive(Debug, Default)]
pub(crate) struct MessageIndex {
    /// For each message its receiver, its sender and its number, in order.
    by_receiver: OnceCell<Vec<(u32, u32, u32)>>,
    /// For each message its sender, its receiver and its number, in order.
    by_sender: OnceCell<Vec<(u32, u32, u32)>>,
}

/// So few messages are looked at sooner than an index of them is built.
const FEW: u32 = 16;

impl MessageIndex {
    /// Returns the numbers of the messages with these ends, or of all messages if no end is given or they are few.
    pub(crate) fn find(
        &self,
        among: &[MessageFact],
        to: Option<u32>,
        from: Option<u32>,
    ) -> impl Iterator<Item = u32> {
        let count = among.len() as u32;
        let found = match (to, from) {
            _ if count < FEW => None,
            (Some(to), from) => {
                let index = self.by_receiver.get_or_init(|| indexed(among, |of| (of.to, of.from)));
                Some(with_ends(index, to, from))
            }
            (None, Some(from)) => {
                let index = self.by_sender.get_or_init(|| indexed(among, |of| (of.from, of.to)));
                Some(with_ends(index, from, None))
            }
            (None, None) => None,
        };
        let all = if found.is_none() { 0..count } else { 0..0 };
        all.chain(found.unwrap_or_default().iter().map(|&(_, _, number)| number))
    }
}

fn indexed(
    messages: &[MessageFact],
    ends: impl Fn(&MessageFact) -> (u32, u32),
) -> Vec<(u32, u32, u32)> {
    let numbered = (0..).zip(messages).map(|(number, of)| {
        let (one, other) = ends(of);
        (one, other, number)
    });
    let mut index: Vec<_> = numbered.collect();
    index.sort_unstable();
    index
}

fn with_ends(index: &[(u32, u32, u32)], one: u32, other: Option<u32>) -> &[(u32, u32, u32)] {
    let (least, most) = other.map_or((0, u32::MAX), |other| (other, other));
    let start = index.partition_point(|&(of, with, _)| (of, with) < (one, least));
    let end = index.partition_point(|&(of, with, _)| (of, with) <= (one, most));
    &index[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assertion::RingDirection;
    use crate::moment::{FactName, KnownFact};
    use alloc::rc::Rc;

    #[test]
    fn messages_are_found_by_their_ends_in_the_order_in_which_they_are() {
        let fact = Rc::new(KnownFact { name: FactName::new("Token"), values: Vec::new() });
        let message = |number: u32| MessageFact {
            fact: Rc::clone(&fact),
            way: RingDirection::Forward,
            place: number,
            to: number * number % 7,
            from: number % 5,
        };
        let messages: Vec<MessageFact> = (0..100).map(message).collect();
        let index = MessageIndex::default();
        let found = |to, from| index.find(&messages, to, from).collect::<Vec<_>>();
        let such = |holds: &dyn Fn(&MessageFact) -> bool| -> Vec<u32> {
            messages.iter().filter(|of| holds(of)).map(|of| of.place).collect()
        };
        let sorted = |mut numbers: Vec<u32>| {
            numbers.sort_unstable();
            numbers
        };
        for one in 0..8 {
            for other in 0..8 {
                let both = such(&|of| of.to == one && of.from == other);
                assert_eq!(found(Some(one), Some(other)), both);
            }
            assert_eq!(sorted(found(Some(one), None)), such(&|of| of.to == one));
            assert_eq!(sorted(found(None, Some(one))), such(&|of| of.from == one));
        }
        assert_eq!(found(None, None), such(&|_| true));
    }
}
