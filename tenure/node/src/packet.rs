//! The messages between participants.

use crate::office::OfficeName;
use serde::{Deserialize, Serialize};
use tenure_model::Message as _;
use tenure_model::{Office, Peer, Term};
use tenure_protocol::reconfiguration::ReconfigurableMsg;
use tenure_protocol::tenure::Msg;
use tenure_protocol::value::ValueMessage;

/// The maximal length of a message, in bytes.
pub(crate) const LONGEST: usize = 160;

/// A length that most messages do not exceed, in bytes.
const USUAL: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum PeerMessage {
    Protocol(ReconfigurableMsg),
    /// The question to a member which participant leads this office.
    Ask(Office),
    Tell {
        office: Office,
        leader: Option<(Peer, Term)>,
        /// How old the answer is, in microseconds.
        age: u64,
    },
    /// An operator's order to a leader to leave the office, to peer `to` if it stands for it.
    Leave {
        office: Office,
        term: Term,
        to: Option<Peer>,
    },
    /// The word of the sender's crash notifier: the sender was killed, and the work of its leadership of
    /// this term has ended.
    Ended {
        office: Office,
        term: Term,
    },
    /// The question of a member what the name of this office is.
    Name(Office),
    /// The answer: the name, from which the number follows.
    Named(#[serde(with = "name")] OfficeName),
    /// The word of a leader without a vote to the members, for operators: whether the work of its leadership is under way.
    Work {
        office: Office,
        term: Term,
        /// For how long that has been so, in milliseconds.
        since: u64,
        /// Why it is not under way, if it is not, shortened to [`LONGEST_WHY`] bytes.
        why: Option<String>,
    },
    /// The age of a member's record, told to the others now and then, so that they notice an older one.
    Recorded {
        now: RecordAge,
        /// What was on the record when the sender came up; `None` if it had none.
        found: Option<RecordAge>,
    },
    /// The answer to a [`PeerMessage::Recorded`] whose sender has found an older record than it had before: what was on
    /// that one.
    Remembered(RecordAge),
    /// About the value of a leadership.
    Value(ValueMessage),
    /// The question for the roster of this digest, from this byte on.
    WantRoster {
        digest: u64,
        begin: u16,
    },
    /// A part of it.
    RosterPart {
        digest: u64,
        /// The length of the whole, in bytes.
        length: u16,
        /// Where the part begins.
        begin: u16,
        bytes: Vec<u8>,
    },
}

/// How old a record is: both numbers only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordAge {
    /// The number of the last start.
    pub(crate) boot: u64,
    /// The greatest term that is promised.
    pub(crate) highest: Term,
}

impl RecordAge {
    /// Returns whether this record is older than one that said this.
    pub(crate) fn is_older(self, than: Self) -> bool {
        self.boot < than.boot || self.highest < than.highest
    }
}

/// The maximal length of the reason in a [`PeerMessage::Work`].
pub(crate) const LONGEST_WHY: usize = 80;

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

impl PeerMessage {
    pub(crate) fn topic(&self) -> Topic {
        match self {
            Self::Protocol(msg) => Topic(
                msg.kind() as u8,
                match msg.as_tenure() {
                    // One of several, each about another member.
                    Some(Msg::Promised { founded: Some((member, _)), .. }) => {
                        u64::from(member.0) + 1
                    }
                    Some(msg) => msg.office().map_or(0, |it| it.0),
                    None => 0,
                },
            ),
            Self::Ask(office) => Topic(64, office.0),
            Self::Tell { office, .. } => Topic(65, office.0),
            Self::Leave { office, .. } => Topic(66, office.0),
            Self::Ended { office, .. } => Topic(67, office.0),
            Self::Name(office) => Topic(68, office.0),
            Self::Named(office) => Topic(69, office.number().0),
            Self::Work { office, .. } => Topic(70, office.0),
            Self::Recorded { .. } => Topic(71, 0),
            Self::Remembered(_) => Topic(72, 0),
            Self::Value(ValueMessage::Want { office, .. }) => Topic(73, office.0),
            Self::WantRoster { .. } => Topic(74, 0),
            Self::RosterPart { begin, .. } => Topic(75, u64::from(*begin) + 1),
            // Of a newer value, which takes the place of an older one.
            Self::Value(ValueMessage::Part { office, part, .. }) => {
                Topic(128 + (part & 127), office.0)
            }
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        // Only numbers, enums and a short text, whose encoding cannot fail.
        postcard::to_extend(self, Vec::with_capacity(USUAL)).unwrap_or_default()
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
pub(crate) mod tests;
