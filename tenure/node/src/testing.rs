//! What the tests, the fuzz targets and the benchmarks of this repository need and no program does. No
//! part of the interface: it changes without notice.

mod rogue;

pub use rogue::{Rogue, Stranger};

use crate::config::Config;
use crate::packet::{self, LONGEST, Packet};
use crate::participant::{Member, Stander, StartError};
use crate::records::image::Image;
use crate::start::StanderConfig;
use crate::transport::quic::hello::{self, Answer, Hello};
use crate::transport::quic::{LIMITS, Limits, VERSIONS, Versions, numbers};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use std::ops::RangeInclusive;
use std::time::Duration;
use tenure_model::Peer;

/// Starts a member that offers these versions of the protocol.
///
/// # Errors
/// As [`Member::start`].
pub async fn start_member(
    config: Config,
    versions: RangeInclusive<u16>,
) -> Result<Member, StartError> {
    Member::start_within(config, range(&versions), LIMITS).await
}

/// Starts a member that serves no more than one stander, one herald and one operator, and gives no more than
/// four connections the time to introduce themselves, but much of it.
///
/// # Errors
/// As [`Member::start`].
pub async fn start_small_member(config: Config) -> Result<Member, StartError> {
    let introduction = Duration::from_secs(600);
    let limits = Limits { standers: 1, heralds: 1, operators: 1, strangers: 4, introduction };
    Member::start_within(config, VERSIONS, limits).await
}

/// Starts a stander that offers these versions of the protocol, with this number, or a random one.
///
/// # Errors
/// As [`Stander::start`].
pub async fn start_stander(
    config: StanderConfig,
    versions: RangeInclusive<u16>,
    number: Option<u32>,
) -> Result<Stander, StartError> {
    let number = number.map_or_else(numbers::draw, Peer);
    Stander::start_as(config, number, range(&versions)).await
}

/// Returns the versions that this program offers.
#[must_use]
pub const fn versions() -> RangeInclusive<u16> {
    VERSIONS.oldest..=VERSIONS.newest
}

fn range(versions: &RangeInclusive<u16>) -> Versions {
    Versions { oldest: *versions.start(), newest: *versions.end() }
}

/// Decodes bytes as all that comes from outside: a datagram with its messages, an introduction and its
/// answer, and the record of a member, as it is and with a checksum that is right.
///
/// # Panics
/// If a decoder panics, or if what it has decoded is decoded differently after it was encoded.
pub fn decode(bytes: &[u8]) {
    let mut copy = Vec::new();
    let mut readable = true;
    for message in packet::messages(bytes) {
        assert!(readable, "nothing follows what cannot be read");
        let Ok(message) = message else {
            readable = false;
            continue;
        };
        packet::append(&mut copy, message);
        if let Some(packet) = Packet::decode(message) {
            let again = packet.encode();
            assert!(again.len() <= LONGEST, "{packet:?} is too long");
            assert_eq!(Packet::decode(&again), Some(packet));
        }
    }
    assert!(if readable { copy == bytes } else { bytes.starts_with(&copy) });
    introduction::<Versions>(bytes);
    introduction::<Hello>(bytes);
    introduction::<Answer>(bytes);
    for image in [Image::decode(bytes), Image::decode(&Image::seal(bytes))].into_iter().flatten() {
        assert_eq!(Image::decode(&image.encode()), Some(image));
    }
}

fn introduction<T: Debug + PartialEq + Serialize + DeserializeOwned>(bytes: &[u8]) {
    if let Some(what) = hello::decode::<T>(bytes) {
        assert_eq!(hello::decode::<T>(&hello::encode(&what)), Some(what));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::tests::packets;
    use crate::records::image::tests::images;
    use crate::timing::Timing;
    use crate::transport::quic::hello::Who;
    use crate::transport::quic::{Agreement, Welcome};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::Index;
    use tenure_model::Office;

    fn introductions() -> impl Strategy<Value = Vec<u8>> {
        let agreement = || {
            let members = ["a", "b", "c"].map(|name| (name.to_owned(), name == "c"));
            Agreement::new(members.into(), &Timing::WAN)
        };
        let (name, credential) = (|| "web-1".to_owned(), || "web".to_owned());
        let hello = move |who| Hello {
            versions: VERSIONS,
            cluster: "lab".to_owned(),
            agreement: Some(agreement()),
            instance: u128::MAX - 7,
            who,
        };
        let hellos = [
            Who::Visitor,
            Who::Operator,
            Who::Member { name: "b".to_owned() },
            Who::Stander { name: name(), credential: credential(), number: numbers::draw().0 },
            Who::Herald { name: name(), credential: credential(), number: 2 },
        ];
        let answers = [
            Answer::Welcome(Box::new(Welcome {
                version: VERSIONS.newest,
                name: "c".to_owned(),
                instance: 7,
                agreement: agreement(),
                addresses: ["10.0.0.1:7400", "[::1]:7400", "c.lab:7400"].map(str::to_owned).into(),
                stops: [(Office(7), 10_000_000), (Office(u64::MAX), 0)].into(),
            })),
            Answer::Refused("disagreement".to_owned()),
            Answer::Taken("another stander".to_owned()),
        ];
        let hellos = hellos.into_iter().map(|who| hello::encode(&hello(who)));
        let answers = answers.iter().map(hello::encode);
        proptest::sample::select(hellos.chain(answers).collect::<Vec<_>>())
    }

    /// What participants send and write.
    fn right() -> impl Strategy<Value = Vec<u8>> {
        let datagrams = vec(packets(), 0..12).prop_map(|packets| {
            let mut datagram = Vec::new();
            packets.iter().for_each(|it| packet::append(&mut datagram, &it.encode()));
            datagram
        });
        // Without the first bytes and the checksum, which `decode` adds.
        let contents = images().prop_map(|image| {
            let cells = image.record.cells.len();
            image.encode()[8..48 + 20 * cells].to_vec()
        });
        let images = images().prop_map(|image| image.encode());
        prop_oneof![4 => datagrams, 2 => introductions(), 1 => images, 1 => contents]
    }

    #[derive(Clone, Debug)]
    enum Mutation {
        Flip(Index, u8),
        Set(Index, u8),
        Cut(Index),
        Double(Index, Index),
        Insert(Index, Vec<u8>),
    }

    impl Mutation {
        fn apply(&self, bytes: &mut Vec<u8>) {
            let place = |index: &Index, bytes: &Vec<u8>| index.index(bytes.len() + 1);
            match self {
                Self::Cut(at) => bytes.truncate(place(at, bytes)),
                Self::Insert(at, more) => {
                    let at = place(at, bytes);
                    bytes.splice(at..at, more.iter().copied());
                }
                Self::Double(from, to) => {
                    let (a, b) = (place(from, bytes), place(to, bytes));
                    let part = bytes[a.min(b)..a.max(b)].to_vec();
                    bytes.splice(a..a, part);
                }
                _ if bytes.is_empty() => {}
                Self::Flip(at, bit) => {
                    let at = at.index(bytes.len());
                    bytes[at] ^= 1 << bit;
                }
                Self::Set(at, to) => {
                    let at = at.index(bytes.len());
                    bytes[at] = *to;
                }
            }
        }
    }

    fn mutations() -> impl Strategy<Value = Mutation> {
        let at = any::<Index>;
        prop_oneof![
            (at(), 0_u8..8).prop_map(|(at, bit)| Mutation::Flip(at, bit)),
            (at(), prop_oneof![Just(0), Just(0x7f), Just(0xff), any::<u8>()])
                .prop_map(|(at, to)| Mutation::Set(at, to)),
            at().prop_map(Mutation::Cut),
            (at(), at()).prop_map(|(from, to)| Mutation::Double(from, to)),
            (at(), vec(any::<u8>(), 1..20)).prop_map(|(at, more)| Mutation::Insert(at, more)),
        ]
    }

    proptest! {
        #[test]
        fn any_bytes_are_decoded_or_refused(bytes in vec(any::<u8>(), 0..9000)) {
            decode(&bytes);
        }

        #[test]
        fn mutated_bytes_are_decoded_or_refused(
            mut bytes in right(),
            mutations in vec(mutations(), 0..6),
        ) {
            decode(&bytes);
            for mutation in mutations {
                mutation.apply(&mut bytes);
                decode(&bytes);
            }
        }
    }
}
