//! The messages between participants.

use crate::office::OfficeName;
use serde::{Deserialize, Serialize};
use tenure_model::Message as _;
use tenure_model::{Office, Peer, Term};
use tenure_protocol::tenure::Msg;

/// The maximal length of a message, in bytes.
pub(crate) const LONGEST: usize = 160;

/// A message between participants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The word of the sender's herald: the sender was killed, and the work of its leadership of
    /// this term has ended.
    Ended { office: Office, term: Term },
    /// The question of a member what the name of this office is.
    Name(Office),
    /// The answer: the name, from which the number follows.
    Named(#[serde(with = "name")] OfficeName),
}

/// The form of the name of an office.
mod name {
    use super::OfficeName;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(office: &OfficeName, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(office.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<OfficeName, D::Error> {
        OfficeName::new(<&str>::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// The topic of a message. Of two messages to one peer with the same topic, a transport may drop
/// the older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Topic(u8, u64);

impl Topic {
    pub(crate) const fn is_of_all(self) -> bool {
        self.1 == 0
    }
}

impl Packet {
    pub(crate) fn topic(&self) -> Topic {
        match self {
            Self::Protocol(msg) => Topic(msg.kind() as u8, msg.office().map_or(0, |it| it.0)),
            Self::Ask(office) => Topic(64, office.0),
            Self::Tell { office, .. } => Topic(65, office.0),
            Self::Leave { office, .. } => Topic(66, office.0),
            Self::Ended { office, .. } => Topic(67, office.0),
            Self::Name(office) => Topic(68, office.0),
            Self::Named(office) => Topic(69, office.number().0),
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        // Only numbers, enums and a short text, whose encoding cannot fail.
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

/// Appends a message to a datagram: its length, and its bytes. A longer one than a datagram may have is
/// left out.
pub(crate) fn append(datagram: &mut Vec<u8>, message: &[u8]) {
    if let Ok(length) = u8::try_from(message.len()) {
        datagram.push(length);
        datagram.extend(message);
    }
}

/// Returns the messages of a datagram. An error, after which there are none, says that the rest of it
/// cannot be read.
pub(crate) fn messages(datagram: &[u8]) -> impl Iterator<Item = Result<&[u8], Unreadable>> {
    let mut rest = datagram;
    std::iter::from_fn(move || {
        let (&length, after) = rest.split_first()?;
        let message =
            after.split_at_checked(length.into()).filter(|_| usize::from(length) <= LONGEST);
        rest = message.map_or(&[], |(_, rest)| rest);
        Some(message.map(|(message, _)| message).ok_or(Unreadable))
    })
}

/// An error: a datagram cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable;

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::office::LONGEST_NAME;
    use proptest::prelude::*;
    use tenure_protocol::tenure::{Case, Rank, With};

    fn protocol() -> impl Strategy<Value = Msg> {
        let case = (any::<u64>(), any::<u64>(), any::<u64>()).prop_map(|(office, term, epoch)| {
            Case { office: Office(office), term: Term(term), epoch }
        });
        let term = || any::<u64>().prop_map(Term);
        let peer = proptest::option::of(any::<u32>().prop_map(Peer));
        let rank = prop_oneof![
            Just(Rank::Follower),
            any::<u32>().prop_map(Rank::Candidate),
            Just(Rank::Named),
            Just(Rank::Leader),
        ];
        let with =
            prop_oneof![Just(With::Unknown), Just(With::Nobody), term().prop_map(With::Leader)];
        let of = |case: &BoxedStrategy<Case>| case.clone();
        let case = case.boxed();
        let leases = prop_oneof![
            (any::<u64>(), any::<u64>(), any::<u64>())
                .prop_map(|(boot, number, over)| Msg::Renew { boot, number, over }),
            (any::<u64>(), any::<u64>(), any::<u64>(), any::<bool>())
                .prop_map(|(boot, number, epoch, able)| Msg::Ack { boot, number, epoch, able }),
        ];
        let claims = prop_oneof![
            (of(&case), rank, any::<u32>(), with.clone())
                .prop_map(|(case, rank, attempt, with)| Msg::Request(case, rank, attempt, with)),
            of(&case).prop_map(Msg::Lead),
            (of(&case), peer).prop_map(|(case, to)| Msg::Release(case, to)),
        ];
        let votes = prop_oneof![
            (of(&case), any::<u32>(), any::<bool>())
                .prop_map(|(case, attempt, named)| Msg::Grant(case, attempt, named)),
            (of(&case), any::<u32>(), with)
                .prop_map(|(case, attempt, with)| Msg::Busy(case, attempt, with)),
            (of(&case), term()).prop_map(|(case, term)| Msg::Refuse(case, term)),
            (of(&case), any::<u32>()).prop_map(|(case, attempt)| Msg::Contest(case, attempt)),
            case.prop_map(Msg::Released),
        ];
        let records =
            prop_oneof![
                (any::<u64>(), any::<u64>(), any::<u32>())
                    .prop_map(|(boot, store, look)| Msg::Learn { boot, store, look }),
                (any::<u64>(), term(), any::<bool>())
                    .prop_map(|(boot, highest, founded)| Msg::Promised { boot, highest, founded }),
                (any::<u64>(), any::<u64>(), any::<u32>())
                    .prop_map(|(boot, store, look)| Msg::Blank { boot, store, look }),
            ];
        prop_oneof![leases, claims, votes, records]
    }

    pub(crate) fn packets() -> impl Strategy<Value = Packet> {
        let office = || any::<u64>().prop_map(Office);
        let term = || any::<u64>().prop_map(Term);
        let peer = || any::<u32>().prop_map(Peer);
        let leader = proptest::option::of((peer(), term()));
        prop_oneof![
            4 => protocol().prop_map(Packet::Protocol),
            1 => office().prop_map(Packet::Ask),
            1 => (office(), leader, any::<u64>())
                .prop_map(|(office, leader, age)| Packet::Tell { office, leader, age }),
            1 => (office(), term(), proptest::option::of(peer()))
                .prop_map(|(office, term, to)| Packet::Leave { office, term, to }),
            1 => (office(), term()).prop_map(|(office, term)| Packet::Ended { office, term }),
            1 => office().prop_map(Packet::Name),
            1 => "[a-zß€ ]{1,42}".prop_map(|name| Packet::Named(OfficeName::new(&name).unwrap())),
        ]
    }

    #[test]
    fn a_datagram_is_read_up_to_what_cannot_be_read() {
        let mut datagram = Vec::new();
        for message in [&[1, 2][..], &[], &[0; LONGEST]] {
            append(&mut datagram, message);
        }
        append(&mut datagram, &[0; 300]);
        let read = |datagram: &[u8]| -> Vec<Result<usize, Unreadable>> {
            messages(datagram).map(|message| message.map(<[u8]>::len)).collect()
        };
        let whole = [Ok(2), Ok(0), Ok(LONGEST)];
        assert_eq!(read(&datagram), whole);
        append(&mut datagram, &[7; LONGEST + 1]);
        assert_eq!(read(&datagram), [&whole[..], &[Err(Unreadable)]].concat(), "too long");
        assert_eq!(read(&[2, 1]), [Err(Unreadable)], "cut off");
    }

    #[test]
    fn the_longest_name_of_an_office_fits_and_what_cannot_be_one_is_not_read() {
        let named = |name: &str| {
            let [tag, ..] = Packet::Named(OfficeName::new("a").unwrap()).encode()[..] else {
                return None;
            };
            let bytes = [&[tag][..], &postcard::to_stdvec(name).unwrap()].concat();
            Packet::decode(&bytes)
        };
        let longest = "a".repeat(LONGEST_NAME);
        assert_eq!(named(&longest), Some(Packet::Named(OfficeName::new(&longest).unwrap())));
        for wrong in ["", "a\nb", &"a".repeat(LONGEST_NAME + 1)] {
            assert_eq!(named(wrong), None, "{wrong:?}");
        }
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
                let again = Packet::decode(&packet.encode());
                prop_assert_eq!(again, Some(packet));
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
