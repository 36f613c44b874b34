//! The messages between participants.

use serde::{Deserialize, Serialize};
use suffrage_process::Message as _;
use suffrage_process::recovery::{Office, Peer, Term};
use suffrage_protocols::tenure::Msg;

/// The maximal length of a message, in bytes.
pub(crate) const LONGEST: usize = 128;

/// A message between participants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Packet {
    /// A message of the protocol.
    Protocol(Msg),
    /// The question to a member who leads this office.
    Ask(Office),
    /// The answer to a question.
    Tell {
        office: Office,
        leader: Option<(Peer, Term)>,
        /// How old the answer is, in microseconds.
        age: u64,
    },
    /// An operator's order to a leader to leave the office, to peer `to` if it stands for it.
    Leave { office: Office, term: Term, to: Option<Peer> },
}

/// The topic of a message. Of two messages to one peer with the same topic, a transport may drop
/// the older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Topic(u8, u64);

impl Packet {
    pub(crate) fn topic(&self) -> Topic {
        match self {
            Self::Protocol(msg) => Topic(msg.kind() as u8, msg.office().map_or(0, |it| it.0)),
            Self::Ask(office) => Topic(64, office.0),
            Self::Tell { office, .. } => Topic(65, office.0),
            Self::Leave { office, .. } => Topic(66, office.0),
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        // Only numbers and enums of fixed size, whose encoding cannot fail.
        postcard::to_stdvec(self).unwrap_or_default()
    }

    /// Decodes a message, which must span all of the bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        if bytes.len() > LONGEST {
            return None;
        }
        match postcard::take_from_bytes(bytes) {
            Ok((packet, [])) => Some(packet),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use suffrage_protocols::tenure::{Case, Rank, With};

    fn packets() -> impl Strategy<Value = Packet> {
        let case = (any::<u64>(), any::<u64>(), any::<u64>()).prop_map(|(office, term, epoch)| {
            Case { office: Office(office), term: Term(term), epoch }
        });
        let peer = any::<u32>().prop_map(Peer);
        prop_oneof![
            (any::<u64>(), any::<u64>()).prop_map(|(boot, number)| Msg::Renew { boot, number }),
            (any::<u64>(), any::<u64>(), any::<u64>(), any::<bool>())
                .prop_map(|(boot, number, epoch, able)| Msg::Ack { boot, number, epoch, able }),
            (case.clone(), any::<u32>(), any::<u32>()).prop_map(|(case, rank, attempt)| {
                Msg::Request(case, Rank::Candidate(rank), attempt, With::Nobody)
            }),
            (case.clone(), proptest::option::of(peer))
                .prop_map(|(case, to)| Msg::Release(case, to)),
            (case, any::<u64>()).prop_map(|(case, term)| Msg::Refuse(case, Term(term))),
        ]
        .prop_map(Packet::Protocol)
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(packet in packets()) {
            let bytes = packet.encode();
            prop_assert!(bytes.len() <= LONGEST);
            prop_assert_eq!(Packet::decode(&bytes), Some(packet));
        }

        #[test]
        fn any_bytes_are_decoded_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Some(packet) = Packet::decode(&bytes) {
                prop_assert_eq!(Packet::decode(&packet.encode()), Some(packet));
            }
        }

        #[test]
        fn a_message_with_a_tail_is_refused(packet in packets(), tail in 0_u8..) {
            let mut bytes = packet.encode();
            bytes.push(tail);
            prop_assert_eq!(Packet::decode(&bytes), None);
        }
    }
}
