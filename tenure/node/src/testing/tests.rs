use super::*;
use crate::membership::ClusterMembers;
use crate::packet::tests::packets;
use crate::records::image::tests::images;
use crate::roster::{Roster, RosterHost};
use crate::timing::LeaseTiming;
use crate::transport::quic::introduction::DiallerIdentity;
use crate::transport::quic::{Agreement, WelcomeReply};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use tenure_model::Office;

fn introductions() -> impl Strategy<Value = Vec<u8>> {
    let agreement = || Agreement::new(&LeaseTiming::WAN);
    let host = |name: &str| RosterHost::founder(name, "c.lab:7400", name == "c");
    let membership =
        move || ClusterMembers::founding(Roster::founding(["a", "b", "c"].map(host).into()));
    let (name, credential) = (|| "web-1".to_owned(), || "web".to_owned());
    let introduction = move |who| DiallerIntroduction {
        versions: VERSIONS,
        cluster: "lab".to_owned(),
        agreement: Some(agreement()),
        membership: Some(membership()),
        instance: u128::MAX - 7,
        who,
    };
    let dialled = [
        DiallerIdentity::Visitor,
        DiallerIdentity::Operator,
        DiallerIdentity::Newcomer(RosterHost { record: 7, ..host("d") }),
        DiallerIdentity::Member { name: "b".to_owned(), number: 1 },
        DiallerIdentity::Client {
            name: name(),
            credential: credential(),
            number: numbers::draw().0,
        },
        DiallerIdentity::CrashNotifier { name: name(), credential: credential(), number: 2 },
    ];
    let answers = [
        IntroductionReply::Welcome(Box::new(WelcomeReply {
            version: VERSIONS.newest,
            name: "c".to_owned(),
            instance: 7,
            agreement: agreement(),
            membership: membership(),
            stops: [(Office(7), 10_000_000), (Office(u64::MAX), 0)].into(),
        })),
        IntroductionReply::Refused("disagreement".to_owned()),
        IntroductionReply::Taken("another client".to_owned()),
    ];
    let dialled = dialled.into_iter().map(|who| introduction::encode(&introduction(who)));
    let answers = answers.iter().map(introduction::encode);
    proptest::sample::select(dialled.chain(answers).collect::<Vec<_>>())
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
